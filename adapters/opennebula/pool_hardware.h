/* pool_hardware.h: PCI devices and NUMA nodes in the documents of hosts and VMs.
 *
 * Parts of the readers of one host and one VM: a draft is zeroed with the object, is given each
 * value and each closed element below HOST_SHARE or TEMPLATE, and ends as the object's hardware.
 * Values that VM owners write never reject the VM: they become the request's fault.
 */
#pragma once

#include "adapters/opennebula/pool_reader.h"

struct host_hardware_draft {
    struct host_hardware hardware;
    size_t devices_allocated, nodes_allocated;
    struct host_device device; /* the one being read */
    bool device_begun;
    struct host_node node;
    bool node_begun;
    size_t cores_allocated, cpus_allocated, uses_allocated;
    size_t n_cpus, n_uses; /* of all nodes */
    struct host_core core;
    bool core_begun;
    const char *profiles; /* of the device before: most have the same */
};

void host_hardware_read(struct pool_reader *reader, struct host_hardware_draft *draft,
                        const struct pool_path *path, const struct pool_text *text);
void host_hardware_close(struct pool_reader *reader, struct host_hardware_draft *draft,
                         const struct pool_path *path);
/* NULL: the host has neither. */
const struct host_hardware *host_hardware_end(struct pool_reader *reader,
                                              struct host_hardware_draft *draft);

struct vm_hardware_draft {
    struct vm_hardware hardware;
    size_t devices_allocated, nodes_allocated;
    struct device_request device;
    struct node_request node;
    bool device_begun, node_begun;
};

void vm_hardware_read(struct pool_reader *reader, struct vm_hardware_draft *draft,
                      const struct pool_path *path, const struct pool_text *text);
void vm_hardware_close(struct pool_reader *reader, struct vm_hardware_draft *draft,
                       const struct pool_path *path);
const struct vm_hardware *vm_hardware_end(struct pool_reader *reader,
                                          struct vm_hardware_draft *draft);

/* A PCI identifier, in hexadecimal digits; false: it is not one. Empty: true and unchanged. */
bool pool_is_pci(const struct pool_text *text, uint32_t *value);

/* A whole number from 0 to `largest`; false: it is not one. Empty: true and unchanged. */
bool pool_is_count(const struct pool_text *text, int64_t largest, int64_t *value);
