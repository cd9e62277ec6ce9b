/* cloud_time.h: what users reserve, as the time for which the whole cloud could hold it.
 *
 * A VM with a quarter of the processors of all hosts, for four hours, takes one hour; of CPU and
 * memory, that of which it takes the larger part counts. Hosts that are disabled or have failed
 * count as well: a limit does not change with them.
 */
#pragma once

#include <stdint.h>

#include "daemon/store/store.h"

struct changed_lease;
struct daemon;

/* A lease that has no end counts as one of this length. */
enum { CLOUD_TIME_ENDLESS = 90 * 86400 };

/* VMs, in 1/100 and MB, for some seconds, or SPAN_UNLIMITED. 0: no host has been read. O(1). */
int64_t cloud_time(const struct daemon *daemon, int64_t cpu, int64_t memory, int64_t seconds);

/* What the lease takes from now on: all of it, or what is left. O(VMs of the lease). */
int64_t cloud_time_of(const struct daemon *daemon, const struct lease_record *lease, int64_t now);

/* The same of the lease as it would be. */
int64_t cloud_time_changed(const struct daemon *daemon, const struct changed_lease *changed,
                           int64_t now);
