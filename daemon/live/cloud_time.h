/* cloud_time.h: the share of the whole cloud that a user reserves, at any one time and over time.
 *
 * A VM with a quarter of the CPU of all hosts, for four hours, takes one hour of the whole cloud.
 * The larger of the shares of CPU and memory counts. Disabled and failed hosts are included, so a
 * limit does not change with them.
 */
#pragma once

#include "adapters/opennebula/rights.h"
#include "daemon/store/store.h"

struct changed_lease;
struct daemon;

/* A total over VMs, in 1/100 CPU and MB. */
struct vms_size {
    int64_t cpu, memory;
};

void vms_size_add(struct vms_size *size, int64_t n, int64_t cpu, int64_t memory);
struct vms_size vms_size_of(const struct daemon *daemon, const struct changed_lease *changed);

/* A request. */
struct reserving {
    int32_t uid;
    const struct lease_record *lease; /* its kind and times */
    struct vms_size size;
    /* NULL, or the lease that the request replaces: the lease before a change, or the group it
     * joins. */
    const struct lease_record *instead;
    bool is_change;         /* the request changes `instead` */
    bool without_undecided; /* leave out requests that the planner may still refuse */
};

/* The reservations of a user, including the request. */
struct reserved {
    struct rights_holding *holdings;
    size_t n, allocated;
};

/* Is this a reservation or deadline lease that the planner has neither accepted nor refused? */
bool reserved_is_undecided(const struct daemon *daemon, const struct lease_record *lease);

/* Adds the user's unfinished reservations and deadline leases to a request for rights, including
 * those of this poll that are not planned yet. Adds nothing if the request is of neither kind. The
 * request points into *reserved, which the caller finishes. O(leases). */
void reserved_begin(struct reserved *reserved, const struct daemon *daemon,
                    const struct reserving *asked, struct rights_request *request);
void reserved_finish(struct reserved *reserved);
