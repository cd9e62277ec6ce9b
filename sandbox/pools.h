/* pools.h: the daemon's objects: users, clusters, datastores, hosts and VMs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/attributes.h"
#include "sandbox/fault.h"
#include "sandbox/oned.h"

/* Numbers of OpenNebula. */
enum {
    VM_INIT = 0,
    VM_PENDING = 1,
    VM_HOLD = 2,
    VM_ACTIVE = 3,
    VM_STOPPED = 4,
    VM_SUSPENDED = 5,
    VM_DONE = 6,
    VM_POWEROFF = 8,
    VM_UNDEPLOYED = 9,
    VM_CLONING_FAILURE = 11,
};

enum {
    LCM_INIT = 0,
    LCM_PROLOG = 1,
    LCM_BOOT = 2,
    LCM_RUNNING = 3,
    LCM_MIGRATE = 4,
    LCM_SAVE_STOP = 5,
    LCM_SAVE_SUSPEND = 6,
    LCM_SAVE_MIGRATE = 7,
    LCM_PROLOG_MIGRATE = 8,
    LCM_PROLOG_RESUME = 9,
    LCM_EPILOG_STOP = 10,
    LCM_EPILOG = 11,
    LCM_SHUTDOWN = 12,
    LCM_CLEANUP_RESUBMIT = 15,
    LCM_UNKNOWN = 16,
    LCM_SHUTDOWN_POWEROFF = 18,
    LCM_BOOT_UNKNOWN = 19,
    LCM_BOOT_POWEROFF = 20,
    LCM_BOOT_SUSPENDED = 21,
    LCM_BOOT_STOPPED = 22,
    LCM_CLEANUP_DELETE = 23,
    LCM_SHUTDOWN_UNDEPLOY = 29,
    LCM_EPILOG_UNDEPLOY = 30,
    LCM_PROLOG_UNDEPLOY = 31,
    LCM_BOOT_UNDEPLOY = 32,
    LCM_BOOT_MIGRATE = 35,
    LCM_BOOT_FAILURE = 36,
    LCM_BOOT_MIGRATE_FAILURE = 37,
    LCM_PROLOG_MIGRATE_FAILURE = 38,
    LCM_PROLOG_FAILURE = 39,
    LCM_EPILOG_FAILURE = 40,
    LCM_EPILOG_STOP_FAILURE = 41,
    LCM_EPILOG_UNDEPLOY_FAILURE = 42,
    LCM_PROLOG_MIGRATE_POWEROFF = 43,
    LCM_PROLOG_MIGRATE_POWEROFF_FAILURE = 44,
    LCM_PROLOG_MIGRATE_SUSPEND = 45,
    LCM_PROLOG_MIGRATE_SUSPEND_FAILURE = 46,
    LCM_BOOT_UNDEPLOY_FAILURE = 47,
    LCM_BOOT_STOPPED_FAILURE = 48,
    LCM_PROLOG_RESUME_FAILURE = 49,
    LCM_PROLOG_UNDEPLOY_FAILURE = 50,
    LCM_PROLOG_MIGRATE_UNKNOWN = 60,
    LCM_PROLOG_MIGRATE_UNKNOWN_FAILURE = 61,
};

enum { HOST_INIT = 0, HOST_MONITORED = 2, HOST_ERROR = 3, HOST_DISABLED = 4, HOST_OFFLINE = 8 };

/* Why a history record ended, VMActions.h of OpenNebula. */
enum {
    ACTION_NONE = 0,
    ACTION_MIGRATE = 1,
    ACTION_LIVE_MIGRATE = 2,
    ACTION_UNDEPLOY = 5,
    ACTION_UNDEPLOY_HARD = 6,
    ACTION_STOP = 9,
    ACTION_SUSPEND = 10,
    ACTION_DELETE = 13,
    ACTION_DELETE_RECREATE = 14,
    ACTION_POWEROFF = 19,
    ACTION_POWEROFF_HARD = 20,
    ACTION_TERMINATE = 27,
    ACTION_TERMINATE_HARD = 28,
    ACTION_POWEROFF_MIGRATE = 48,
    ACTION_POWEROFF_HARD_MIGRATE = 49,
};

/* In the order in which documents list them. */
enum { OWNER_U, OWNER_M, OWNER_A, GROUP_U, GROUP_M, GROUP_A, OTHER_U, OTHER_M, OTHER_A, RIGHTS };

enum oned_kind {
    KIND_VM,
    KIND_HOST,
    KIND_USER,
    KIND_GROUP,
    KIND_CLUSTER,
    KIND_DATASTORE,
    KIND_VNET,
    KIND_VMGROUP,
    KIND_ACL,
    KIND_CLOCK, /* the one object 0 */
    KIND_DOCUMENT,
    KIND_TEMPLATE,
    KINDS,
};

struct oned_owner {
    int uid, gid;
    bool rights[RIGHTS];
};

struct oned_history {
    int host, cluster, datastore;
    char *hostname;
    int64_t stime, etime;   /* on the host */
    int64_t pstime, petime; /* prolog */
    int64_t rstime, retime; /* running */
    int64_t estime, eetime; /* epilog */
    int64_t plan, plan_action;
    int action, uid, gid, request;
};

struct oned_vm {
    int id;
    struct oned_owner owner;
    char *name, *deploy_id;
    int state, lcm;
    bool resched;
    int lock; /* locked rights: 0 none, 1 use, 2 manage, 3 admin */
    int lock_owner;
    int64_t lock_time;
    int64_t stime, etime;
    int64_t cpu, memory; /* hundredths of a processor, KB: what the host is charged */
    struct oned_attributes template, user_template;
    struct oned_attributes use; /* further reports of its monitoring (sandbox.use) */
    struct oned_history *history;
    size_t history_count, history_allocated;
    int charged,
        leaving; /* hosts on which it counts; -1: none. leaving: where it moves away from */

    int64_t next_action; /* s: when a scheduled action is due; 0: none */

    int operation, step;        /* see machine.h */
    int64_t due;                /* us of the daemon's clock when the step ends; ONED_NEVER */
    int heap;                   /* position among those that are due, or -1 */
    int64_t times[ONED_PHASES]; /* its own, or ONED_INHERIT */

    char *full, *brief; /* its documents for pools, NULL when they must be rebuilt */
    size_t full_size, brief_size;
};

struct oned_host {
    int id;
    char *name, *im_mad, *vm_mad;
    int state, cluster;
    int64_t due;                     /* us until it is monitored, 0: not awaited */
    int64_t total_cpu, total_memory; /* as reported; hundredths, KB */
    int64_t known_cpu, known_memory; /* as counted: 0 until monitored */
    int64_t cpu_usage, memory_usage;
    int *vms; /* those counted, ascending */
    size_t vm_count, vms_allocated;
    struct oned_attributes template;
    struct oned_attributes hardware; /* as reported, see hardware.h */
    int64_t monitored;               /* time of the last report, 0: never */
    int64_t times[ONED_PHASES];
};

struct oned_token {
    char *text;
    int64_t expires; /* seconds of the daemon's clock; -1: never */
};

struct oned_user {
    int id, gid;
    char *name, *password, *driver;
    bool enabled;
    struct oned_attributes template;
    struct oned_token *tokens;
    size_t token_count, tokens_allocated;
};

/* Groups, clusters, datastores, virtual networks, VM groups, documents and VM templates. */
struct oned_thing {
    int id;
    struct oned_owner owner; /* of all but groups and clusters */
    char *name;
    int64_t type; /* of a document; of a datastore: 0 image, 1 system, 2 file */
    int64_t made; /* of a VM template: when */
    bool enabled; /* a datastore, as are the next three */
    int64_t total_mb, free_mb, used_mb;
    int *clusters; /* of a datastore or network */
    size_t cluster_count;
    struct oned_attributes template;
};

struct oned_acl {
    int id;
    char *user, *resource, *rights, *zone, *string;
};

/* Objects of one kind by id; ids of deleted ones are not used again. */
struct oned_pool {
    void **items;
    int count; /* ids given so far */
    size_t allocated;
};

struct oned_heap {
    struct oned_vm **vms;
    size_t count, allocated;
};

/* Objects that have changed since the store was written. */
struct oned_changes {
    struct oned_change {
        enum oned_kind kind;
        int id;
    } * items;
    size_t count, allocated;
};

struct oned {
    struct oned_options options;
    char *strings[8]; /* copies behind options */
    struct oned_pool pools[KINDS];
    struct oned_heap heap;

    int64_t base_real, base_own; /* us: the two clocks when the rate was last set */
    double rate;
    uint64_t random;
    int next_request;
    int next_action; /* id of the next scheduled action */
    int raft_state;  /* as one.zone.raftstatus tells it: 0 alone, 2 follower, 3 leader */
    int64_t raft_term;
    char *raft_leader; /* the user whose front-end leads; others follow. NULL: raft_state is that of
                          all */
    struct oned_faults faults;

    struct oned_server *server;
    int port; /* of the server */
    struct oned_calls *calls;
    struct oned_store *store;
    struct oned_changes changed; /* with a store */
    struct oned_placer *placer;
    struct oned_hooks *hooks;
};

/* Time: microseconds, or seconds, of the daemon's own clock. */
int64_t oned_now(const struct oned *oned);
int64_t oned_seconds(const struct oned *oned);

/* The real microseconds until a moment of the daemon's clock; at least 0. */
int64_t oned_real_until(const struct oned *oned, int64_t moment);

/* Changes the clock from now on: its rate (0: the clock stops) and by how many seconds it jumps. */
void oned_clock_set(struct oned *oned, double rate, int64_t jump);

uint64_t oned_random(struct oned *oned);

/* Pools. Adding gives the next id unless the object has one already (id >= 0). */
int oned_pool_add(struct oned *oned, enum oned_kind kind, void *object, int id);
void *oned_pool_get(const struct oned *oned, enum oned_kind kind, int64_t id);
void oned_pool_remove(struct oned *oned, enum oned_kind kind, int id);

struct oned_vm *oned_vm(const struct oned *oned, int64_t id);
struct oned_host *oned_host(const struct oned *oned, int64_t id);
struct oned_user *oned_user(const struct oned *oned, int64_t id);
struct oned_thing *oned_cluster(const struct oned *oned, int64_t id);
struct oned_thing *oned_datastore(const struct oned *oned, int64_t id);
const char *oned_user_name(const struct oned *oned, int id);
const char *oned_group_name(const struct oned *oned, int id);

/* The object has changed: its documents are discarded, and it is saved before the next answer. */
void oned_touch(struct oned *oned, enum oned_kind kind, int id);

/* Whether objects of the kind are of struct oned_thing. */
bool oned_is_thing(enum oned_kind kind);

/* Frees an object of that kind that is not in its pool. */
void oned_object_free(enum oned_kind kind, void *object);

/* Fills empty pools with the objects of a fresh installation and the requested hosts. */
void oned_world_begin(struct oned *oned);
void oned_world_finish(struct oned *oned);

/* A new object, owned by oneadmin. name NULL: the template has it. NULL: the template is malformed.
 */
struct oned_thing *oned_thing_create(const char *name, const char *template, struct error *err);

/* The object belongs to the user, who alone may use and manage it. */
void oned_thing_give(struct oned_thing *thing, const struct oned_user *user);

/* Put it into its pool, with an id of at least `least`. Returns the id. */
int oned_thing_add(struct oned *oned, enum oned_kind kind, struct oned_thing *thing, int least);

/* Puts a datastore or network into a cluster, unless it is there. */
void oned_clusters_add(struct oned_thing *thing, int cluster);
bool oned_in_cluster(const struct oned_thing *thing, int cluster);

/* Add a rule; the four bit fields are hexadecimal. Returns its id. */
int oned_acl_add(struct oned *oned, const char *const *fields, const char *words);

/* The rules that let a group's users have VMs on hosts, networks and datastores of zone 0. */
void oned_acl_add_group(struct oned *oned, int group);

struct oned_user *oned_user_add(struct oned *oned, const char *name, const char *password, int gid);

/* Adds the attributes that the daemon adds to the template of a datastore of that type. */
void oned_datastore_defaults(const struct oned *oned, struct oned_thing *datastore);

/* The system datastore to use on a host when none is named, or NULL. */
struct oned_thing *oned_default_datastore(const struct oned *oned, int cluster);
