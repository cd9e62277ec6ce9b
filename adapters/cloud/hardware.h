/* hardware.h: PCI devices and NUMA nodes of hosts, their use, and the requests of VMs.
 *
 * Part of a pool's objects (objects.h). The engine has limits (core/demand.h): the excess of a host
 * is left out, and a VM that requests more is not placed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/demand.h"

enum {
    NODE_PAGES_MAX = 8,
    HOST_USES_MAX = 1 << 16, /* virtual CPUs pinned on a host */
};

/* --- of hosts --------------------------------------------------------------------------------- */

struct host_device {
    uint32_t vendor, device, class; /* PCI identifiers; 0: not reported */
    const char *address;            /* unique on its host */
    const char *short_address;      /* "": not reported */
    const char *profiles;           /* of a device that can be divided, for example "1145 (NVIDIA
                                       L40S-1B),1146 (NVIDIA L40S-2B)"; "": none */
    int32_t node;                   /* NUMA node; -1: unknown */
    int32_t vm;                     /* the VM that uses it; -1: free */
};

/* A core, with the hardware threads that VMs may use; OpenNebula calls them CPUs. */
struct host_core {
    int32_t id;
    uint32_t first_cpu, n_cpus; /* in the node's list */
};

struct host_pages {
    int64_t size; /* KB */
    int64_t count, used;
};

/* A virtual CPU pinned to a CPU. */
struct cpu_use {
    int32_t vm;
    uint32_t cpu;
};

struct host_node {
    int32_t id;
    struct host_core *cores; /* ascending by id */
    size_t n_cores;
    uint32_t *cpus; /* ids, unique on the host, in the order of cores */
    size_t n_cpus;
    struct cpu_use *uses; /* in no order */
    size_t n_uses;
    struct host_pages pages[NODE_PAGES_MAX];
    size_t n_pages;
    int64_t memory, memory_used;       /* KB */
    int32_t distance[HOST_NODES_MOST]; /* ids of nodes, nearest first: this node, then others */
    size_t n_distances;
};

struct host_hardware {
    struct host_device *devices; /* ascending by address */
    size_t n_devices;
    struct host_node *nodes; /* ascending by id */
    size_t n_nodes;
    int64_t vms_per_cpu; /* maximum of pinned virtual CPUs on a thread: 1 or more */
};

/* --- of VMs ----------------------------------------------------------------------------------- */

struct device_request {
    uint32_t vendor, device, class; /* or DEMAND_ANY */
    const char *short_address;      /* of the requested device; NULL: any with these identifiers */
    const char *profile;            /* of the requested part of a device; NULL: none */
    const char *address;            /* of the assigned device; NULL: none */
};

/* A virtual NUMA node. */
struct node_request {
    int64_t cpus;
    int64_t memory;            /* KB */
    int32_t node, memory_node; /* assigned nodes of the host; -1: not assigned */
};

struct vm_hardware {
    struct device_request *devices;
    size_t n_devices;

    struct node_request *nodes; /* if there are none, the following members have no meaning */
    size_t n_nodes;
    enum pin_policy policy;
    int64_t threads;   /* threads of a core that its virtual CPUs share; 0: as on the host */
    int64_t page_size; /* KB of its huge pages; 0: none */
    int32_t affinity;  /* the only allowed node; -1: any */
    const char *fault; /* the invalid or excessive part of the request; NULL: none */
};

/* A copy with all its texts, to be freed with vm_hardware_destroy(); NULL gives NULL. */
struct vm_hardware *vm_hardware_copy(const struct vm_hardware *hardware);
void vm_hardware_destroy(struct vm_hardware *hardware); /* NULL is allowed */
