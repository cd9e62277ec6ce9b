/* record.h: the whole schedule of a run as one JSON document.
 *
 * The keys up to "stats" are the ones compared with Haizea's schedules: status, end_time, site,
 * leases (with every reservation and mapping), state_log, preemptions, counters, lease_stats,
 * stats. Galerna's additional data is under the key "galerna":
 *
 *   schema       "galerna-record"
 *   version      of the schema, an integer
 *   ending       complete, stopped (by the rule for stopping), stuck (leases wait forever), or
 *                interrupted; "status" is "interrupted" for the last one and "ok" for all others
 *   inputs       what the run was made of: {steps, resources: [name, ...], configuration:
 * [[section, option, value], ...], requests}: with "hosts", all that it takes to repeat it
 *   behaviour    {switch: true|false}: the oddities of Haizea that were followed
 *   settings     the scheduler's settings: suspension, rates, exclusion, overheads, ...
 *   hosts        [{id, capacity: {resource: amount}}], in the engine's order
 *   leases       [{id, kind, terms, origin, priority, user, submit, not_before, deadline,
 *                duration (null: unlimited), state, reason, explanation, riding}], ascending id;
 *                riding lists the places in `rrs` of transfers that belong to another lease
 *   withdrawn    [[lease, from, until, [host, ...]], ...]: runs whose work was lost (requeued)
 *
 * A lease is serialized when it is finished and set aside in an unlinked file beside the record, so
 * memory stays small however long the run: 32 bytes per lease and fixed buffers.
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
    const struct accounting *accounting; /* with history; told about each step before the record */
};

/* The file is created at once, so that a path that cannot be written is known before the run.
 * Errors: those of open(), with the path. */
struct record *record_create(const struct record_options *options, struct error *err);

/* The observer that feeds it. Its end writes the document and closes the file. */
struct observer record_observer(struct record *record);

/* A request as it is read for the run, in this order. */
void record_note_request(struct record *record, const struct site *site,
                         const struct lease_request *request);

/* How the run ended (ENDING_COMPLETE by default), and after how many steps of the engine. Called
 * before the observer's end. */
void record_set_ending(struct record *record, enum run_ending ending, uint64_t steps);

void record_destroy(struct record *record); /* NULL is allowed; without an end the file is empty */
