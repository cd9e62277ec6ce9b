/* pool_hardware.h: reads PCI devices and NUMA nodes from the documents of hosts and VMs.
 *
 * Parts of the readers of hosts and VMs: a draft is zeroed with the object, gets each value and
 * each closed element below HOST_SHARE or TEMPLATE, and finally becomes the object's hardware.
 * Invalid values written by VM owners do not reject the VM; they become the request's fault. */
#pragma once

#include "adapters/opennebula/pool_reader.h"

struct host_hardware_draft {
    struct host_hardware hardware;
    size_t devices_allocated, nodes_allocated;
    struct host_device device; /* the current one */
    bool device_begun;
    struct host_node node;
    bool node_begun;
    size_t cores_allocated, cpus_allocated, uses_allocated;
    size_t n_cpus, n_uses; /* of all nodes */
    struct host_core core;
    bool core_begun;
    const char *profiles; /* of the previous device, because most devices have the same */
};

void host_hardware_read(struct pool_reader *reader, struct host_hardware_draft *draft,
                        const struct pool_value *given);
void host_hardware_close(struct pool_reader *reader, struct host_hardware_draft *draft,
                         const struct pool_value *given);
/* NULL: the host has neither devices nor nodes. */
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
                      const struct pool_value *given);
/* The value at the path is the VM's fault, which its owner is told: the VM is not placed. */
void vm_hardware_fault(struct pool_reader *reader, struct vm_hardware_draft *draft,
                       const struct pool_value *given);
void vm_hardware_close(struct pool_reader *reader, struct vm_hardware_draft *draft,
                       const struct pool_value *given);
const struct vm_hardware *vm_hardware_end(struct pool_reader *reader,
                                          struct vm_hardware_draft *draft);

/* Parses a PCI identifier in hexadecimal digits; false: invalid. An empty text is valid and leaves
 * the value unchanged. */
bool pool_is_pci(const struct pool_value *given, uint32_t *value);

/* Parses a whole number from 0 to `largest`; false: invalid. An empty text is valid and leaves the
 * value unchanged. */
bool pool_is_count(const struct pool_value *given, int64_t largest, int64_t *value);
