/* lease_change.h: other times, another kind or other terms for a lease that is not over.
 *
 * A change is first made on a copy of the record, which the planner then tries. Only what holds is
 * written: lease_take_change() of lease_state.h. Times are seconds since 1970.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/live/lease_order.h"
#include "daemon/store/store.h"
#include "util/error.h"

/* The lease with the change. -1 with err: EINVAL (a value is missing or not valid), EALREADY (a
 * lease of its kind or phase cannot be changed like that, or nothing would be different), ENOSPC
 * (it would be over already, or would miss its deadline), EAGAIN (it has not been accepted or
 * refused yet). O(1). */
int lease_change_make(const struct lease_record *lease, const struct lease_change *change,
                      int64_t now, struct lease_record *changed, struct error *err);

/* The lease, which is on hold, as one that waits. -1 with err: EALREADY (it is not on hold), ENOSPC
 * (its start has passed, or it would miss its deadline). O(1). */
int lease_release_make(const struct lease_record *lease, int64_t now, struct lease_record *released,
                       struct error *err);

/* Does the lease hold hosts, or has it held some? Its start is in the past then. */
bool lease_has_begun(const struct lease_record *lease);

/* "duration 2h instead of 1h; ends at ...": how two records differ. */
void lease_change_text(const struct lease_record *before, const struct lease_record *after,
                       int64_t now, char *text, size_t size);
