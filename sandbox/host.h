/* host.h: hosts: capacity as OpenNebula counts it, monitoring, documents. */
#pragma once

#include "sandbox/pools.h"

/* A new host, not monitored yet. Its capacity is in its name, as in c16m64-0001 (16 cores, 64 GB),
 * else the one of the options. */
struct oned_host *oned_host_add(struct oned *oned, const char *name, int cluster);

/* The host reports: it becomes MONITORED unless it is disabled or offline. */
void oned_host_monitor(struct oned *oned, struct oned_host *host);

/* Implements one.host.status: 0 enable, 1 disable, 2 offline. */
void oned_host_set_status(struct oned *oned, struct oned_host *host, int status);

/* The host cannot be reached any more: ERROR until it is enabled or monitored again. */
void oned_host_break(struct oned *oned, struct oned_host *host);

/* Let hosts report that are due to. Returns when the next one is due, or INT64_MAX. */
int64_t oned_hosts_advance(struct oned *oned);

/* Capacity after what RESERVED_CPU and RESERVED_MEM of host or cluster keep back: absolute, or as
 * "10%"; negative ones add. */
int64_t oned_host_max_cpu(const struct oned *oned, const struct oned_host *host);
int64_t oned_host_max_memory(const struct oned *oned, const struct oned_host *host);

/* Why a VM does not fit into the free capacity, in OpenNebula's words; NULL if it does. */
const char *oned_host_lacks(const struct oned *oned, const struct oned_host *host,
                            const struct oned_vm *vm, char *text, size_t size);

/* Count a VM on a host, or no longer. */
void oned_host_charge(struct oned *oned, struct oned_host *host, const struct oned_vm *vm);
void oned_host_release(struct oned *oned, struct oned_host *host, const struct oned_vm *vm);

/* alone: as one.host.info has it; in a pool hosts have no monitoring. */
void oned_host_document(const struct oned *oned, const struct oned_host *host, bool alone,
                        struct oned_text *text);

/* The last monitoring record, as in MONITORING_DATA and in the host; nothing when there is none. */
void oned_host_monitoring(const struct oned *oned, const struct oned_host *host,
                          struct oned_text *text);
