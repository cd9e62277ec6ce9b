/* lease_change.h: changes the times, kind or terms of a lease that is not over.
 *
 * A change is first made on a copy of the record, which the planner then tries. Only a change that
 * the planner accepts is written: lease_take_change() of lease_state.h. Times are seconds since
 * 1970.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/state/lease_order.h"
#include "daemon/store/store.h"
#include "util/error.h"

/* The lease with the change. -1 with err: EINVAL (a value is missing or not valid), EALREADY (the
 * lease's kind or phase does not allow the change, or nothing would change), ENOSPC (the lease
 * would be over already, or would miss its deadline), EAGAIN (the lease has not been accepted or
 * refused yet). O(1). */
int lease_change_make(const struct lease_record *lease, const struct lease_change *change,
                      int64_t now, struct lease_record *changed, struct error *err);

/* The lease on hold as a waiting lease. -1 with err: EALREADY (the lease is not on hold), ENOSPC
 * (its start has passed, or the lease would miss its deadline). O(1). */
int lease_release_make(const struct lease_record *lease, int64_t now, struct lease_record *released,
                       struct error *err);

/* Does the lease hold hosts now, or did it before? Then its start is in the past. */
bool lease_has_begun(const struct lease_record *lease);

/* How two records differ: "duration 2h instead of 1h; ends at ...". */
void lease_change_text(const struct lease_record *before, const struct lease_record *after,
                       int64_t now, char *text, size_t size);
