/* intake.h: creates leases for new VMs: reads a VM's request and checks its owner's rights. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/opennebula/lease_spec.h"
#include "daemon/store/store.h"

struct changed_lease;
struct daemon;
struct drain;
struct drains;
struct order;
struct vm;

/* Do the rights allow a request? */
enum verdict {
    VERDICT_NO,
    VERDICT_YES,
    VERDICT_LATER, /* no only because of the user's requests that the planner may still refuse */
};

/* Create leases for VMs that have an extended form but no lease, follow VMs to their new owners,
 * check the sizes that wait for the planner, and complete groups that are due. A user's requests
 * for reservations are decided in order: if the rights refuse one only because of others that the
 * planner may still refuse, it and those after it have no lease until the planner has decided. */
void intake(struct daemon *daemon, int64_t now);

/* Has the planner decided about reservations since intake() postponed other requests of their
 * users? O(leases). */
bool intake_can_go_on(const struct daemon *daemon);

/* The request of a VM, as lease_spec_read(); ahead: clocks_ahead_at() of its creation. */
int intake_read(const struct daemon *daemon, const struct vm *vm, int64_t ahead,
                struct lease_spec *spec, char reason[LEASE_SPEC_TEXT_MAX]);
/* May its user, or else galernad's account, make this order? If not, `reason` names the rule. */
enum verdict intake_judge_order(const struct daemon *daemon, const struct order *order, int64_t now,
                                char reason[LEASE_SPEC_TEXT_MAX]);
/* May the owner of a booking have these drains, including `drain`? False: `reason` names the rule
 * that forbids it. */
bool intake_allows_booking(const struct daemon *daemon, const struct drains *drains,
                           const struct drain *drain, int64_t now,
                           char reason[LEASE_SPEC_TEXT_MAX]);
/* May the lease's owner have the lease with these times and terms? If not, as above. */
enum verdict intake_judge_change(const struct daemon *daemon, const struct changed_lease *asked,
                                 int64_t now, char reason[LEASE_SPEC_TEXT_MAX]);
/* The lease's VMs may have grown: refuses the lease if it has not begun and its owner may not have
 * it with their present size. If only requests of the owner that the planner may still refuse are
 * against it, intake() checks it again once the planner has decided. */
void intake_check_size(struct daemon *daemon, const struct lease_record *lease, int64_t now);
/* The VMs of a refused lease were released: read and check their current request. */
void intake_again(struct daemon *daemon, const struct lease_record *lease, int64_t now);
