/* cloud_time.h: what a user reserves of the whole cloud: how much at any one time, and for how
 * long.
 *
 * A VM with a quarter of the processors of all hosts, for four hours, takes one hour of the whole
 * cloud; of CPU and memory, that of which it takes the larger part counts. Hosts that are disabled
 * or have failed count as well: a limit does not change with them.
 */
#pragma once

#include "adapters/opennebula/rights.h"
#include "daemon/store/store.h"

struct changed_lease;
struct daemon;

/* VMs in all, in 1/100 and MB. */
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
    /* NULL, or the lease whose place it takes: as it was, or the group that it joins. */
    const struct lease_record *instead;
    bool is_change; /* of `instead` */
};

/* Of a user, with that request. */
struct reserved {
    struct rights_holding *holdings;
    size_t n, allocated;
};

/* Gives a request for rights what its user's unfinished reservations and deadline leases are, those
 * of this poll that are not planned yet included. Nothing if it is neither. What the request points
 * to is in *reserved, to be finished. O(leases). */
void reserved_begin(struct reserved *reserved, const struct daemon *daemon,
                    const struct reserving *asked, struct rights_request *request);
void reserved_finish(struct reserved *reserved);
