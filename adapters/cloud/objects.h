/* objects.h: the objects of a cloud: VMs, hosts, datastores, networks, clusters, users, VM groups,
 * access rules.
 *
 * A pool owns its objects and their texts and is freed as a whole. Texts come from VM owners; the
 * code that fills the pool limits their length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/hardware.h"
#include "adapters/cloud/states.h"

/* A name and a value of a template; vectors are flattened: "HAIZEA/START". Names in upper case. */
struct attribute {
    const char *name, *value;
};

struct attributes {
    struct attribute *items;
    size_t n, allocated;
};

/* The first value of that name (upper case), or NULL. O(n). */
const char *attributes_find(const struct attributes *attributes, const char *name);

/* A history record. In the short form of a VM, all times are 0. */
struct vm_history {
    int32_t sequence; /* -1: none, the VM never ran */
    int32_t host, cluster, datastore;
    int64_t stime, etime;   /* begin and end of the record; 0: not yet */
    int64_t pstime, petime; /* prolog */
    int64_t rstime, retime; /* running */
    int64_t estime, eetime; /* epilog */
    bool recreated;         /* ended by recreating the VM, which lost its work */
};

/* A NIC whose network the scheduler has yet to choose (NETWORK_MODE=auto). */
struct vm_nic {
    int32_t id;
    const char *requirement, *rank; /* its SCHED_REQUIREMENTS, SCHED_RANK; or NULL */
};

/* The network chosen for a NIC. */
struct nic_choice {
    int32_t nic, network;
};

enum { VM_NICS_MAX = 64 }; /* of a VM; if it has more, VM_NICS_MAX + 1 are stored */

/* A datastore of a VM's images, and the room that the VM's disks take in it (CLONE_TARGET or
 * LN_TARGET is SELF). */
struct vm_image_room {
    int32_t datastore;
    int64_t amount; /* MB */
};

struct vm {
    int32_t id, uid, gid;
    const char *user, *group, *name;
    enum vm_state state;
    const char *state_name; /* the cloud's, for display; other states have other names */
    bool resched;
    int64_t stime, etime; /* created, ended */
    int64_t cpu;          /* 1/100 processors, rounded to the nearest (0.59 becomes 59) */
    int64_t memory;       /* MB */
    bool size_unread;     /* CPU or MEMORY cannot be read: what it uses of its host is unknown */
    struct vm_history history; /* the last record */
    int32_t n_records;         /* in the document: only the last one in pools, all in one.vm.info */
    int64_t ran_for; /* seconds: sum of RETIME - RSTIME of the records that have both and follow the
                        last recreation of the VM */
    bool locked;
    const char *error; /* the date and the driver's message of the last failure; NULL: none */

    /* Only in the extended form (is_extended): */
    bool is_extended;
    struct attributes template;      /* TEMPLATE, without DISK, NIC, CONTEXT, GRAPHICS, OS, ... */
    struct attributes user_template; /* USER_TEMPLATE */
    int64_t disk; /* MB needed in a system datastore: SIZE and snapshots of the disks that are
                     volatile, or cloned or linked there */
    struct vm_image_room *images; /* each image datastore once */
    size_t n_images;
    struct vm_nic *nics; /* ascending by id */
    size_t n_nics;
    int32_t *networks; /* of the other NICs */
    size_t n_networks;
    bool arriving; /* running, but its last record is of the next host: OpenNebula adds that record
                      when it accepts a migration, and starts the migration a moment later */
    bool has_os_files;                  /* a kernel or initrd in a datastore */
    const struct vm_hardware *hardware; /* devices and NUMA nodes; NULL: none requested */
    unsigned needs;                     /* VM_NEEDS_... */
    bool galerna_twice, haizea_twice;   /* as vectors in one of its templates */
    bool in_vmgroup;                    /* TEMPLATE/VMGROUP has a VM group: */
    int32_t vmgroup;                    /* its id */
};

/* Requests of the VM's owner. */
enum {
    VM_NEEDS_DATASTORE = 1u << 0, /* SCHED_DS_REQUIREMENTS or SCHED_DS_RANK */
};

/* Resource usage of a VM, measured by its host; -1: not reported. */
struct vm_use {
    int32_t id;
    int64_t cpu;                                       /* 1/100 processors */
    int64_t net, disk;                                 /* bytes per second, in both directions */
    int64_t cpu_forecast, net_forecast, disk_forecast; /* OpenNebula's, for the near future */
};

/* The reported room in a datastore on the host's own disks. */
struct host_room {
    int32_t datastore;
    int64_t free; /* MB */
};

struct host {
    int32_t id, cluster;
    const char *name, *cluster_name;
    enum host_state state;
    const char *state_name; /* the cloud's name, for display */
    int64_t cpu, memory;    /* for VMs: MAX_CPU (1/100), MAX_MEM (MB), less RESERVED_CPU and
                               RESERVED_MEM */
    int64_t cpu_usage, memory_usage; /* oned's, with suspended and powered off VMs */
    int64_t running_vms;
    int32_t *vms; /* ids of the VMs that oned lists on the host */
    size_t n_vms;
    struct host_room *rooms; /* HOST_SHARE/DATASTORES/DS; some datastores may be missing */
    size_t n_rooms;
    int64_t disk; /* MB: FREE_DISK, for datastores not in `rooms`; -1: not reported */
    const struct host_hardware *hardware; /* devices and NUMA nodes; NULL: none reported */
    /* The attributes available to requirements and ranks, in OpenNebula's search order: TEMPLATE;
     * all of HOST_SHARE (MAX_CPU, MAX_MEM in KB, RUNNING_VMS, ..., FREE_DISK, ...); FREE_CPU,
     * FREE_MEMORY in KB, USED_CPU, USED_MEMORY, ...; ID, NAME, CLUSTER, CLUSTER_ID, STATE, IM_MAD,
     * VM_MAD; CURRENT_VMS, once for each VM. */
    struct attributes attributes;
    struct attributes figures; /* further attributes, from monitoring; after the others */
};

/* The host's attribute with that name (upper case), or NULL. O(n). */
const char *host_attribute(const struct host *host, const char *name);

/* Does OpenNebula start ordinary VMs on the host? False for hosts for pinned VMs or of public
 * clouds. */
bool host_takes_usual_vms(const struct host *host);

struct datastore {
    int32_t id;
    const char *name;
    int32_t type;  /* 0 image, 1 system, 2 file, 3 backup */
    int32_t state; /* 0 ready, 1 disabled */
    bool shared;   /* false: on each host's own disks (SHARED=NO); true if not specified */
    int32_t *clusters;
    size_t n_clusters;
    int64_t free; /* MB, within LIMIT_MB; -1: not monitored */
    int64_t total;
    struct attributes attributes;
};

/* A virtual network. */
struct network {
    int32_t id;
    const char *name;
    int32_t *clusters;
    size_t n_clusters;
    int64_t size, used; /* addresses: total of all ranges; leased or held */
    struct attributes attributes;
};

struct cluster {
    int32_t id;
    const char *name;
    struct attributes attributes;
};

struct user {
    int32_t id, gid;
    const char *name, *group;
    int32_t *groups;
    size_t n_groups;
    bool enabled;
    struct attributes attributes; /* TEMPLATE */
};

struct id_set {
    int32_t *ids;
    size_t n;
};

/* A VM group has rules about VMs that share hosts and VMs kept apart. Each of its VMs has a role.
 */
enum role_policy {
    ROLE_FREE,
    ROLE_TOGETHER, /* AFFINED: all VMs of the role are on one host */
    ROLE_APART,    /* ANTI_AFFINED: all VMs of the role are on different hosts */
};

struct vmgroup_role {
    int32_t id;
    const char *name;
    enum role_policy policy;
    int32_t weight;  /* 0: its rules are strict; > 0: they are preferences with that weight */
    bool by_cluster; /* the policy applies to clusters instead of hosts */
    struct id_set hosts, not_hosts; /* hosts allowed for its VMs (empty: all), and forbidden ones */
    struct id_set clusters, not_clusters; /* allowed and forbidden clusters */
    struct id_set vms;
};

/* The VMs of several roles are on one host, or VMs of different roles are on different hosts. */
struct vmgroup_rule {
    bool apart;
    uint64_t roles; /* a bit for each role, by its index in the group */
};

enum { VMGROUP_ROLES_MAX = 64, VMGROUP_RULES_MAX = 64, VMGROUPS_OF_VM_MAX = 4 };

struct vmgroup {
    int32_t id;
    const char *name;
    int32_t weight;  /* of `rules`, as in roles */
    bool by_cluster; /* of `rules`, as in roles */
    struct vmgroup_role *roles;
    size_t n_roles;
    struct vmgroup_rule *rules;
    size_t n_rules;
};

/* A VM's role, as indexes in the pool and in the group. */
struct vmgroup_member {
    int32_t vm;
    uint32_t group, role;
};

struct acl_rule {
    uint64_t user, resource, rights, zone; /* OpenNebula's bit fields */
};

struct pool_errors {
    size_t n;          /* objects left out */
    char first[256];   /* the error of the first */
    size_t n_unsized;  /* VMs whose CPU or MEMORY cannot be read */
    char unsized[256]; /* the error of the first */
};

/* The members of a pool, which owns its objects, ascending by id. */
#define POOL_OF(type)                                                                              \
    type *items;                                                                                   \
    size_t n, allocated;                                                                           \
    struct pool_errors errors;                                                                     \
    struct pool_memory *memory

/* Moves the objects of one pool to another, which is overwritten. */
#define POOL_MOVE(to, from)                                                                        \
    ((to)->items = (from)->items, (to)->n = (from)->n, (to)->allocated = (from)->allocated,        \
     (to)->errors = (from)->errors, (to)->memory = (from)->memory)

struct vm_pool {
    POOL_OF(struct vm);
};

struct host_pool {
    POOL_OF(struct host);
};

struct datastore_pool {
    POOL_OF(struct datastore);
};

struct network_pool {
    POOL_OF(struct network);
};

struct cluster_pool {
    POOL_OF(struct cluster);
};

struct user_pool {
    POOL_OF(struct user);
};

struct vmgroup_pool {
    POOL_OF(struct vmgroup);
    struct vmgroup_member *members; /* of all groups, ascending by VM */
    size_t n_members;
};

/* Ascending by id. */
struct vm_use_pool {
    POOL_OF(struct vm_use);
};

struct acl {
    struct acl_rule *rules;
    size_t n, allocated;
    struct pool_memory *memory;
};

void vm_pool_finish(struct vm_pool *pool);
void host_pool_finish(struct host_pool *pool);
void datastore_pool_finish(struct datastore_pool *pool);
void network_pool_finish(struct network_pool *pool);
void cluster_pool_finish(struct cluster_pool *pool);
void user_pool_finish(struct user_pool *pool);
void vmgroup_pool_finish(struct vmgroup_pool *pool);
void acl_finish(struct acl *acl);
void vm_use_pool_finish(struct vm_use_pool *pool);

/* The last measured MB free in a datastore for VMs on the host: of the whole datastore or, for a
 * datastore on the hosts' own disks (or without a measurement), as reported by the host. -1: not
 * reported. *by_itself: the figure is for this datastore alone, not for all datastores on the
 * host's disks. */
int64_t datastore_reported(const struct datastore *datastore, const struct host *host,
                           bool *by_itself);

/* The object with that id, or NULL. O(log n). */
struct vm *vm_pool_find(const struct vm_pool *pool, int32_t id);
struct host *host_pool_find(const struct host_pool *pool, int32_t id);
const struct cluster *cluster_pool_find(const struct cluster_pool *pool, int32_t id);
const struct datastore *datastore_pool_find(const struct datastore_pool *pool, int32_t id);
const struct network *network_pool_find(const struct network_pool *pool, int32_t id);
const struct user *user_pool_find(const struct user_pool *pool, int32_t id);
const struct vm_use *vm_use_pool_find(const struct vm_use_pool *pool, int32_t vm);

/* O(n) */
static inline bool ids_have(const int32_t *ids, size_t n, int32_t id)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Do the role's lists allow the host? */
bool vmgroup_role_allows(const struct vmgroup_role *role, int32_t host, int32_t cluster);
/* The roles whose VMs must share a host with the VMs of this role, including itself: bits as in
 * struct vmgroup_rule. */
uint64_t vmgroup_on_one_host(const struct vmgroup *group, uint32_t role);

/* Fills in the pool's members from its roles. O(n log n). */
void vmgroup_pool_index(struct vmgroup_pool *pool);
/* The *n roles of a VM, which OpenNebula may put into several groups. O(log members). */
const struct vmgroup_member *vmgroup_pool_roles_of(const struct vmgroup_pool *pool, int32_t vm,
                                                   size_t *n);
