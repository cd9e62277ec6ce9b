/* record.h: writes the whole schedule of a run as one JSON document.
 *
 * The keys up to "stats" correspond to Haizea's schedules: status, end_time, site,
 * leases (with every reservation and mapping), state_log, preemptions, counters, lease_stats,
 * stats. Galerna's additional data is under the key "galerna":
 *
 *   schema       "galerna-record"
 *   version      of the schema, an integer
 *   ending       complete, stopped (by the rule for stopping), stuck (leases wait without end), or
 *                interrupted; "status" is "interrupted" for the last one and "ok" for all others
 *   inputs       the inputs of the run: {steps, resources: [name, ...], configuration:
 *                [[section, option, value], ...], requests}: together with "hosts", sufficient to
 *                repeat the run
 *   behaviour    {switch: true|false}: Haizea's oddities in effect
 *   settings     the scheduler's settings: suspension, rates, exclusion, overheads, ...
 *   hosts        [{id, capacity: {resource: amount}}], in the engine's order
 *   leases       [{id, kind, terms, origin, priority, user, submit, not_before, deadline,
 *                duration (null: unlimited), state, reason, explanation, riding}], ascending id;
 *                riding lists the indexes in `rrs` of transfers that belong to another lease
 *   withdrawn    [[lease, from, until, [host, ...]], ...]: runs whose work was lost (requeued)
 *
 * Finished leases are serialized to an unlinked file beside the record. Therefore memory is small
 * for runs of any length: 32 bytes per lease, and fixed buffers.
 */
#pragma once

#include "configuration/configuration.h"
#include "core/accounting.h"
#include "core/observer.h"
#include "report/run_ending.h"

struct record; /* opaque */

struct record_options {
    const char *path; /* written at the end of the run; "-": standard output */
    const struct configuration *configuration; /* outlives the record */
    const struct accounting *accounting;       /* with history; observes steps before the record */
};

/* Creates the file at once, to report an unwritable path before the run. Errors: errors of open(),
 * with the path. */
struct record *record_create(const struct record_options *options, struct error *err);

/* The observer for the record, which writes the document and closes the file at the end of the run.
 */
struct observer record_observer(struct record *record);

/* Adds a request of the run, for which the clock stops at `stop` (lwf/trace.h); called in the order
 * of reading. */
void record_note_request(struct record *record, const struct site *site,
                         const struct lease_request *request, int64_t stop);

/* Sets the ending of the run (ENDING_COMPLETE by default) and the number of the engine's steps,
 * before the observer's end. */
void record_set_ending(struct record *record, enum run_ending ending, uint64_t steps);

void record_destroy(struct record *record); /* NULL is allowed; unfinished: the file is empty */
