/* hardware.h: PCI devices and NUMA nodes of hosts, and how OpenNebula gives them to VMs.
 *
 * A host reports them as OpenNebula's probes do: PCI, CORE, HUGEPAGE and MEMORY_NODE vectors. Who
 * holds what follows from the templates of the VMs that count on the host.
 */
#pragma once

#include "sandbox/pools.h"

/* Takes PCI, CORE, HUGEPAGE and MEMORY_NODE from a report. The reported ones of a kind replace all
 * known ones. */
void oned_hardware_report(struct oned_host *host, struct oned_attributes *report);

/* Why the VM cannot have the devices and nodes that its template requests, in OpenNebula's words;
 * NULL: it can, or requests none. */
const char *oned_hardware_lacks(const struct oned *oned, const struct oned_host *host,
                                struct oned_vm *vm);

/* Writes the devices and nodes that the VM gets into its template. Called before the VM is charged
 * to the host. */
void oned_hardware_assign(const struct oned *oned, const struct oned_host *host,
                          struct oned_vm *vm);
/* Removes the addresses of the devices of a VM that has left its host. */
void oned_hardware_free(struct oned_vm *vm);
/* The VM has arrived on its new host, or is back on its former one. */
void oned_hardware_arrive(struct oned_vm *vm, bool back);

/* The address that the VM's i-th device has inside it. */
void oned_hardware_address(struct oned_attributes *request, size_t i);

/* <PCI_DEVICES> and <NUMA_NODES>. */
void oned_hardware_document(const struct oned *oned, const struct oned_host *host,
                            struct oned_text *text);
