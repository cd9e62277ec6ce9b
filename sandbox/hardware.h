/* hardware.h: PCI devices and NUMA nodes of hosts, and how OpenNebula gives them to VMs.
 *
 * A host reports them as OpenNebula's probes do: PCI, CORE, HUGEPAGE and MEMORY_NODE vectors. Who
 * holds what follows from the templates of the VMs that count on the host.
 */
#pragma once

#include "sandbox/pools.h"

/* Take PCI, CORE, HUGEPAGE and MEMORY_NODE from a report: all of a kind replace those known. */
void oned_hardware_report(struct oned_host *host, struct oned_attributes *report);

/* Why the VM cannot have the devices and nodes that its template requests, in OpenNebula's words;
 * NULL: it can, or requests none. */
const char *oned_hardware_lacks(const struct oned *oned, const struct oned_host *host,
                                struct oned_vm *vm);

/* Write what the VM gets into its template. Before it counts on the host. */
void oned_hardware_assign(const struct oned *oned, const struct oned_host *host,
                          struct oned_vm *vm);
/* The VM has left its host: its devices have no addresses any more. */
void oned_hardware_free(struct oned_vm *vm);
/* The VM has moved, or is back where it was. */
void oned_hardware_arrive(struct oned_vm *vm, bool back);

/* The address that the VM's i-th device has inside it. */
void oned_hardware_address(struct oned_attributes *request, size_t i);

/* <PCI_DEVICES> and <NUMA_NODES>. */
void oned_hardware_document(const struct oned *oned, const struct oned_host *host,
                            struct oned_text *text);
