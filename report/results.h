/* results.h: writes a run as an SQLite database, for queries in SQL.
 *
 * Times are seconds since the start of the run, NULL if not set or without end; user_version is the
 * version of the schema, application_id RESULTS_APPLICATION_ID.
 *
 *   run            one row: name, status, end_time, and the figures of the summary
 *   settings       name, value: the scheduler's settings; switches of its behaviour
 *   hosts          id, cpu, memory, disk, net_in, net_out, others (JSON, NULL if there are none)
 *   leases         id, kind, terms, origin, priority, user, submit, not_before, deadline,
 *                  duration_original, duration, duration_known, duration_actual, accumulated, vms,
 *                  image, image_size, state, start_time, end_time, waiting_time,
 *                  turnaround_time, slowdown, bounded_slowdown, haizea_slowdown, reason,
 *                  explanation
 *   reservations   id, lease, kind, state, start_time, end_time, image, vms: "vm:host ...", for
 *                  migrations "vm:from>to ...", for transfers "lease/vm:host ..."; ends with "..."
 when it is longer than 60,000 characters
 *   reservation_hosts  reservation, host, cpu, memory, disk, net_in, net_out, others
 *   state_log      seq, time, lease, from_state, to_state
 *   preemptions    seq, time, lease, for_lease, at, how (suspend, requeue, cancel)
 *   counters       counter, seq, time, lease, value, average
 *
 * All data are written in one transaction: the database has a whole run or nothing.
 */
#pragma once

#include "core/accounting.h"
#include "core/observer.h"
#include "core/settings.h"
#include "report/run_ending.h"

enum { RESULTS_VERSION = 2, RESULTS_APPLICATION_ID = 0x47616c72 };

struct results; /* opaque */

struct results_options {
    const char
        *path; /* replaced when it holds results already, refused when it holds other things */
    const char *name;                       /* of the run; copied */
    const struct engine_settings *settings; /* copied */
    struct accounting *accounting; /* with history; must observe each step before the results */
    uint32_t counters_left_out;    /* bit per enum accounting_counter */
};

/* Errors: EEXIST (the file is not a database of results), EIO with SQLite's text, ENOMEM. */
struct results *results_create(const struct results_options *options, struct error *err);

/* The observer commits and closes the database at the end of the run. */
struct observer results_observer(struct results *results);

/* Sets the ending of the run (ENDING_COMPLETE by default), before the observer's end. run.status is
 * "ok" for complete runs, otherwise the name of the ending. */
void results_set_ending(struct results *results, enum run_ending ending);

void results_destroy(struct results *results); /* NULL is allowed; unfinished runs are dropped */
