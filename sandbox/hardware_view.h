/* hardware_view.h: a host's hardware with its users, made for one question; private to
 * hardware*.c. */
#pragma once

#include "sandbox/hardware.h"

enum { NO_VM = -1 };

struct oned_core {
    int node, id;
    size_t first, count; /* of the view's CPUs */
    bool dedicated;
};

struct oned_cpu {
    int id, vm;
};

struct oned_node {
    int id;
    int64_t memory, used;                   /* KB */
    const struct oned_attributes *reported; /* MEMORY_NODE; NULL: none */
};

struct oned_pages {
    int node;
    int64_t size, count, used; /* KB, pages */
};

struct oned_hardware {
    struct oned_core *cores;
    struct oned_cpu *cpus;
    struct oned_node *nodes; /* ascending by id */
    struct oned_pages *pages;
    size_t n_cores, n_cpus, n_nodes, n_pages;
    size_t cores_allocated, cpus_allocated, nodes_allocated, pages_allocated;
};

struct oned_hardware oned_hardware_view(const struct oned *oned, const struct oned_host *host);
void oned_hardware_view_finish(struct oned_hardware *view);

struct oned_node *oned_hardware_node(const struct oned_hardware *view, int64_t id);
struct oned_pages *oned_hardware_pages(const struct oned_hardware *view, int64_t node,
                                       int64_t size);

/* The VM that holds the device, or NO_VM. */
int oned_device_user(const struct oned *oned, const struct oned_host *host,
                     const struct oned_attributes *device);

bool oned_is_pinned(const struct oned_vm *vm, const char **policy);
