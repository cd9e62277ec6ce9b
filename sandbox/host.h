/* host.h: hosts: capacity as OpenNebula counts it, monitoring, documents. */
#pragma once

#include "sandbox/pools.h"

/* A new host, not monitored yet. Its capacity is that in its name, as in c16m64-0001 (16 cores, 64
 * GB), or else that of the options. */
struct oned_host *oned_host_add(struct oned *oned, const char *name, int cluster);

/* The host reports: it becomes MONITORED unless it is disabled or offline. */
void oned_host_monitor(struct oned *oned, struct oned_host *host);

/* Implements one.host.status: 0 enable, 1 disable, 2 offline. */
void oned_host_set_status(struct oned *oned, struct oned_host *host, int status);

/* The host can no longer be reached: ERROR until it is enabled or monitored again. */
void oned_host_break(struct oned *oned, struct oned_host *host);

/* Monitors the hosts whose report is due. Returns when the next one is due, or INT64_MAX. */
int64_t oned_hosts_advance(struct oned *oned);

/* Capacity without RESERVED_CPU and RESERVED_MEM of the host or its cluster, which are absolute or
 * as in "10%"; negative ones add capacity. */
int64_t oned_host_max_cpu(const struct oned *oned, const struct oned_host *host);
int64_t oned_host_max_memory(const struct oned *oned, const struct oned_host *host);

/* Why a VM does not fit into the free capacity, in OpenNebula's words; NULL if it does. */
const char *oned_host_lacks(const struct oned *oned, const struct oned_host *host,
                            const struct oned_vm *vm, char *text, size_t size);

/* Add a VM to the usage of a host, or remove it. */
void oned_host_charge(struct oned *oned, struct oned_host *host, const struct oned_vm *vm);
void oned_host_release(struct oned *oned, struct oned_host *host, const struct oned_vm *vm);

/* alone: as one.host.info has it; in a pool hosts have no monitoring. */
void oned_host_document(const struct oned *oned, const struct oned_host *host, bool alone,
                        struct oned_text *text);

/* The last monitoring record, as in MONITORING_DATA and in the host; nothing when there is none. */
void oned_host_monitoring(const struct oned *oned, const struct oned_host *host,
                          struct oned_text *text);
