/* estimates.h: estimated durations of operations, from the settings.
 *
 * Whole seconds, rounded up, at most SPAN_LONGEST: sums over many VMs stay within int64_t for all
 * rates and sizes. Costs: functions of a lease O(node sets), with exclusion per host also a survey
 * look-up each (host_survey.h); others O(1).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"

#define SPAN_LONGEST INT64_C(100000000000)

struct engine;
struct engine_settings;

int64_t span_from_seconds(double seconds);
/* For an operation on one VM with that much memory (MB), at that rate (MB/s); `forced` (seconds) if
 * it is not SPAN_NONE. */
int64_t span_of_vm(int64_t memory, double rate, int64_t forced);
int64_t shutdown_span(const struct engine *engine, const struct lease *lease);
/* For one VM with that much memory (MB). */
int64_t suspend_span_of_vm(const struct engine *engine, int64_t memory);
int64_t resume_span_of_vm(const struct engine *engine, int64_t memory);
/* For all VMs of the lease, on any hosts. */
int64_t suspend_estimate(struct engine *engine, const struct lease *lease);
int64_t resume_estimate(struct engine *engine, const struct lease *lease);
/* The shortest stretch for which the lease is started: the time to resume or boot it and to suspend
 * it, multiplied by 1 + factor (Haizea's rule, which does not count booting). */
int64_t scheduling_threshold(struct engine *engine, const struct lease *lease);
/* The same for `safe` seconds to resume or boot and to suspend. O(1). */
int64_t threshold_for(const struct engine_settings *settings, int64_t safe);
/* Do settings and terms let the lease be suspended? */
bool may_be_suspended(const struct engine *engine, const struct lease *lease);
/* Remaining run time of the lease; SPAN_UNLIMITED if unlimited. */
int64_t remaining_span(const struct lease *lease);
