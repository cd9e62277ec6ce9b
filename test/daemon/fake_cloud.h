/* fake_cloud.h: a cloud for tests, and galernad's parts around it without a server.
 *
 * VMs and hosts are what the test says; what is commanded is noted and answered as the test wants.
 * A scene is a daemon with store, world, planner and enactor on such a cloud: intake,
 * reconciliation and enactment can be called one by one.
 */
#pragma once

#include "adapters/cloud/cloud.h"
#include "daemon/live/daemon.h"

enum { FAKE_VMS_MAX = 512, FAKE_HOSTS_MAX = 16, FAKE_COMMANDS_MAX = 256 };

struct fake_cloud {
    struct cloud cloud;
    struct vm vms[FAKE_VMS_MAX]; /* change them at will */
    size_t n_vms;
    size_t left_out; /* further VMs that cannot be read */
    struct host hosts[FAKE_HOSTS_MAX];
    size_t n_hosts;
    struct datastore *datastores; /* the test's */
    size_t n_datastores;
    struct vm_use uses[FAKE_VMS_MAX]; /* as measured, ascending by VM */
    size_t n_uses;
    const struct vmgroup_pool *vmgroups; /* the test's; NULL: none */
    bool leads;
    int64_t term;            /* of Raft; 0: a single front-end */
    const char *no_answer;   /* not NULL: nor those for one VM that is not there */
    const char *unreachable; /* not NULL: questions are answered with this error */
    struct cloud_command commands[FAKE_COMMANDS_MAX]; /* in the order in which they came */
    size_t n_commands;
    struct cloud_reply reply;                      /* to commands; CLOUD_DONE at first */
    struct cloud_reply message_reply;              /* to messages; the same */
    const char *message_kind;                      /* of the last message */
    size_t n_promises;                             /* how many were written */
    char promises[FAKE_VMS_MAX][PROMISE_TEXT_MAX]; /* by VM: the last one that came */
    bool silent;                                   /* commands are not answered */
    struct fake_call *calls;                       /* what is to be told with the next wait */
    size_t n_calls, calls_allocated;
    size_t at_once; /* calls that one wait answers; 0: all */
};

struct fake_cloud *fake_cloud_create(void);
/* Amounts in 1/100 CPUs and MB. */
struct host *fake_cloud_add_host(struct fake_cloud *fake, int32_t id, int64_t cpu, int64_t memory);
/* On host -1: it has no history. It is in extended form, without attributes. */
struct vm *fake_cloud_add_vm(struct fake_cloud *fake, int32_t id, enum vm_state state, int32_t host,
                             int64_t cpu, int64_t memory);
/* A shared system datastore of cluster 0 with room for all; known after the next poll. */
void fake_cloud_has_datastore(struct fake_cloud *fake);
/* From now on it is in that state and there, as a user or the cloud itself has done it. */
void fake_cloud_put(struct fake_cloud *fake, int32_t id, enum vm_state state, int32_t host);

/* A world that looks at the cloud; a poll that fails ends the test. */
struct world *fake_cloud_world(struct fake_cloud *fake);

/* Until the clock shows another millisecond: what is asked for next counts as asked for later. */
void fake_cloud_wait_a_moment(void);

struct scene {
    struct fake_cloud *fake; /* belongs to daemon.cloud */
    struct live_configuration live;
    struct policy_hooks policies;
    struct planner_settings settings;
    struct daemon daemon;
};

/* Without hosts; enforce off, limits of 100, VMs are stopped to make room. */
void scene_open(struct scene *scene, struct store *store);
/* Opens with hosts 0, 1, ... of SCENE_CPU and SCENE_MEMORY. */
enum { SCENE_CPU = 400, SCENE_MEMORY = 4096 };
void scene_open_with_hosts(struct scene *scene, struct store *store, int32_t n_hosts);
void scene_close(struct scene *scene);
/* Another planner, with the settings as they are now. */
struct planner *scene_renew_planner(struct scene *scene);
/* Plan and take the outputs; a failure ends the test. */
void scene_plan(struct scene *scene, bool rebuild, int64_t now);
/* Look at the whole cloud. */
void scene_poll(struct scene *scene);
/* One turn of the enactor, its commands sent and answered. Returns how many were sent. */
size_t scene_enact(struct scene *scene, int64_t now);
/* A VM known to the store, member of the lease, which is added when there is none. */
struct vm_record *scene_add(struct scene *scene, int32_t id, int64_t lease, enum vm_goal goal,
                            int32_t host, int64_t cpu, int64_t memory);
/* The same for a VM of 1024 MB that the cloud shows. */
struct vm_record *scene_add_seen(struct scene *scene, int32_t id, int64_t lease, enum vm_goal goal,
                                 int32_t planned, enum vm_state state, int32_t host, int64_t cpu);
/* "deploy 3 on 1; suspend 4 on 2": what was commanded since the last call. */
const char *scene_commands(struct scene *scene);
