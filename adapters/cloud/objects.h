/* objects.h: the objects of a cloud: VMs, hosts, datastores, clusters, users, access rules.
 *
 * A pool owns its objects and their texts and is freed as a whole. Texts come from VM owners and
 * are bounded by the code that fills the pool.
 */
#ifndef GALERNA_ADAPTERS_CLOUD_OBJECTS_H
#define GALERNA_ADAPTERS_CLOUD_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/vm_state.h"

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

/* A history record. The short form has no times: they are 0. */
struct vm_history {
    int32_t sequence; /* -1: none, the VM never ran */
    int32_t host, cluster, datastore;
    int64_t stime, etime;   /* the record's begin and end; 0: not yet */
    int64_t pstime, petime; /* prolog */
    int64_t rstime, retime; /* running */
    int64_t estime, eetime; /* epilog */
    bool recreated;         /* it ended with the VM being recreated: its work is lost */
};

struct vm {
    int32_t id, uid, gid;
    const char *user, *group, *name;
    enum vm_state state;
    const char *state_name; /* the cloud's, for people; differs when the state does */
    bool resched;
    int64_t stime, etime;      /* created, ended */
    int64_t cpu;               /* 1/100 processors, rounded to the nearest (0.59 is 59) */
    int64_t memory;            /* MB */
    struct vm_history history; /* the last record */
    int32_t n_records; /* in the document: a pool has the last one only, one.vm.info has all */
    int64_t ran_for;   /* seconds: sum of RETIME - RSTIME over those of the records that have both,
                        * after the last one that ended with the VM being made anew */
    bool locked;
    const char *error; /* what its driver said of its last failure, after a date; NULL: nothing */

    /* Only in the extended form (is_extended): */
    bool is_extended;
    struct attributes template;      /* TEMPLATE, without DISK, NIC, CONTEXT, GRAPHICS, OS, ... */
    struct attributes user_template; /* USER_TEMPLATE */
    int64_t disk;                    /* MB that a system datastore must have for it: SIZE and
                                        snapshots of the disks that are volatile, or cloned or
                                        linked there */
    unsigned needs;                  /* VM_NEEDS_...: what is not scheduled yet */
};

/* Demands that this version of Galerna does not place. */
enum {
    VM_NEEDS_NUMA = 1u << 0,      /* TEMPLATE/TOPOLOGY with PIN_POLICY, or NUMA_NODE */
    VM_NEEDS_PCI = 1u << 1,       /* TEMPLATE/PCI */
    VM_NEEDS_GROUP = 1u << 2,     /* TEMPLATE/VMGROUP */
    VM_NEEDS_AUTO_NIC = 1u << 3,  /* NIC with NETWORK_MODE=auto */
    VM_NEEDS_DATASTORE = 1u << 4, /* SCHED_DS_REQUIREMENTS or SCHED_DS_RANK */
};

/* Room that a host reports for one of the datastores on its own disks. */
struct host_room {
    int32_t datastore;
    int64_t free; /* MB */
};

struct host {
    int32_t id, cluster;
    const char *name, *cluster_name;
    enum host_state state;
    const char *state_name;          /* the cloud's, for people */
    int64_t cpu, memory;             /* MAX_CPU (1/100), MAX_MEM (MB): what VMs may use, net of
                                        RESERVED_CPU and RESERVED_MEM */
    int64_t cpu_usage, memory_usage; /* as oned counts: suspended and powered off VMs included */
    int64_t running_vms;
    int32_t *vms; /* ids of the VMs oned has on it */
    size_t n_vms;
    struct host_room *rooms; /* HOST_SHARE/DATASTORES/DS; not every datastore is reported */
    size_t n_rooms;
    int64_t disk; /* MB: FREE_DISK, for the other datastores on its disks; -1: not reported */
    /* The attributes available to requirements and ranks, in OpenNebula's search order: TEMPLATE;
     * all of HOST_SHARE (MAX_CPU, MAX_MEM in KB, RUNNING_VMS, ..., FREE_DISK, ...); FREE_CPU,
     * FREE_MEMORY in KB, USED_CPU, USED_MEMORY, ...; ID, NAME, CLUSTER, CLUSTER_ID, STATE, IM_MAD,
     * VM_MAD; CURRENT_VMS, repeated, one per VM. In a pool the monitored figures are missing
     * (MONITORING is empty in both versions): host_monitoring_merge() adds them. */
    struct attributes attributes;
};

struct datastore {
    int32_t id;
    const char *name;
    int32_t type;  /* 0 image, 1 system, 2 file, 3 backup */
    int32_t state; /* 0 ready, 1 disabled */
    bool shared;   /* false: on each host's own disks (SHARED=NO); true when nothing is said */
    int32_t *clusters;
    size_t n_clusters;
    int64_t free; /* MB; -1: not monitored */
    int64_t total;
    struct attributes attributes;
};

struct cluster {
    int32_t id;
    const char *name;
    int64_t reserved_cpu, reserved_memory; /* as in the template; 0 when absent */
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

struct acl_rule {
    uint64_t user, resource, rights, zone; /* OpenNebula's bit fields */
};

struct pool_errors {
    size_t n;        /* objects left out */
    char first[256]; /* what was wrong with the first */
};

/* A pool owns its objects, ascending by id. */
struct vm_pool {
    struct vm *items;
    size_t n, allocated;
    struct pool_errors errors;
    struct pool_memory *memory;
};

struct host_pool {
    struct host *items;
    size_t n, allocated;
    struct pool_errors errors;
    struct pool_memory *memory;
};

struct datastore_pool {
    struct datastore *items;
    size_t n, allocated;
    struct pool_errors errors;
    struct pool_memory *memory;
};

struct cluster_pool {
    struct cluster *items;
    size_t n, allocated;
    struct pool_errors errors;
    struct pool_memory *memory;
};

struct user_pool {
    struct user *items;
    size_t n, allocated;
    struct pool_errors errors;
    struct pool_memory *memory;
};

struct acl {
    struct acl_rule *rules;
    size_t n, allocated;
};

void vm_pool_finish(struct vm_pool *pool);
void host_pool_finish(struct host_pool *pool);
void datastore_pool_finish(struct datastore_pool *pool);
void cluster_pool_finish(struct cluster_pool *pool);
void user_pool_finish(struct user_pool *pool);
void acl_finish(struct acl *acl);

/* MB free on a datastore as last measured, for VMs on that host: of the datastore as a whole, or,
 * for a datastore on the hosts' own disks (or without a measurement), as the host reports. -1: not
 * reported. *by_itself: the figure is of this datastore alone, not of all datastores on the host's
 * disks. */
int64_t datastore_reported(const struct datastore *datastore, const struct host *host,
                           bool *by_itself);

/* The object with that id, or NULL. O(log n). */
struct vm *vm_pool_find(const struct vm_pool *pool, int32_t id);
struct host *host_pool_find(const struct host_pool *pool, int32_t id);

#endif
