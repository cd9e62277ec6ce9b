/* intake_inside.h: shared by the files of the intake. */
#pragma once

#include "daemon/live/intake.h"

/* The requested terms; the group's name is the spec's. */
void intake_terms(const struct lease_spec *spec, struct lease_record *terms);

/* The lease of the same user's group of that name, if it still waits for members; NULL: none. */
const struct lease_record *intake_open_group(const struct daemon *daemon, const struct vm *vm,
                                             const char *group);

/* Number of the lease's VMs that exist. */
size_t intake_members(const struct daemon *daemon, int64_t lease);

/* Do the rights allow a VM's request? If not, `reason` names the rule. */
enum verdict intake_judge(struct daemon *daemon, const struct vm *vm, struct lease_spec *spec,
                          int64_t now, char reason[LEASE_SPEC_TEXT_MAX]);

/* Do the rights allow the lease with the present size of its VMs? If not, as above. */
enum verdict intake_judge_size(const struct daemon *daemon, const struct lease_record *lease,
                               int64_t now, char reason[LEASE_SPEC_TEXT_MAX]);

/* Number of reservations and deadline leases that the planner has neither accepted nor refused.
 * O(leases). */
size_t intake_undecided(const struct daemon *daemon);
