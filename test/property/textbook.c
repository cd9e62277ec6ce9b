/* FCFS, EASY and conservative backfilling by counting processors. */
#include "test/property/textbook.h"

#include <stdbool.h>
#include <stdlib.h>

#define NEVER (INT64_MAX / 4)

struct machine {
    enum textbook textbook;
    int64_t processors, now;
    struct job *jobs;
    int64_t *planned; /* conservative: the start of each job; NEVER: not submitted */
    bool *started;
    size_t n;
};

static bool is_waiting(const struct machine *machine, size_t i)
{
    return machine->jobs[i].submit <= machine->now && !machine->started[i];
}

static bool is_running(const struct machine *machine, size_t i)
{
    const struct job *job = &machine->jobs[i];

    return machine->started[i] && machine->now < job->start + job->runs;
}

static int64_t expected_end(const struct job *job)
{
    return job->start + job->estimate;
}

/* Processors free at `at`, now or later, if running jobs take as long as estimated and no other
 * starts. */
static int64_t free_at(const struct machine *machine, int64_t at)
{
    int64_t left = machine->processors;

    for (size_t i = 0; i < machine->n; i++)
        if (is_running(machine, i) && (at == machine->now || at < expected_end(&machine->jobs[i])))
            left -= machine->jobs[i].processors;
    return left;
}

static void start(struct machine *machine, size_t i)
{
    machine->started[i] = true;
    machine->jobs[i].start = machine->now;
}

/* --- FCFS and EASY ---------------------------------------------------------------------------- */

/* When the first job in the queue will have its processors, by the estimates. */
static int64_t shadow_time(const struct machine *machine, const struct job *first)
{
    int64_t earliest = NEVER;

    for (size_t i = 0; i < machine->n; i++) {
        int64_t end = expected_end(&machine->jobs[i]);

        if (is_running(machine, i) && end < earliest && free_at(machine, end) >= first->processors)
            earliest = end;
    }
    return earliest;
}

static void backfill(struct machine *machine, size_t first)
{
    int64_t shadow = shadow_time(machine, &machine->jobs[first]);
    int64_t extra = free_at(machine, shadow) - machine->jobs[first].processors;

    for (size_t i = first + 1; i < machine->n; i++) {
        const struct job *job = &machine->jobs[i];
        bool ends_before = machine->now + job->estimate <= shadow;

        if (!is_waiting(machine, i) || job->processors > free_at(machine, machine->now) ||
            (!ends_before && job->processors > extra))
            continue;
        if (!ends_before)
            extra -= job->processors;
        start(machine, i);
    }
}

static void pass_over_queue(struct machine *machine)
{
    for (size_t i = 0; i < machine->n; i++) {
        if (!is_waiting(machine, i))
            continue;
        if (machine->jobs[i].processors > free_at(machine, machine->now)) {
            if (machine->textbook == TEXTBOOK_EASY)
                backfill(machine, i);
            return;
        }
        start(machine, i);
    }
}

/* --- conservative ----------------------------------------------------------------------------- */

/* Processors free at `at` beside all jobs that run or have a place. */
static int64_t free_beside_places(const struct machine *machine, int64_t at)
{
    int64_t left = free_at(machine, at);

    for (size_t i = 0; i < machine->n; i++)
        if (!machine->started[i] && machine->planned[i] <= at &&
            at < machine->planned[i] + machine->jobs[i].estimate)
            left -= machine->jobs[i].processors;
    return left;
}

static bool fits_from(const struct machine *machine, const struct job *job, int64_t from)
{
    int64_t until = from + job->estimate;

    if (free_beside_places(machine, from) < job->processors)
        return false;
    for (size_t i = 0; i < machine->n; i++)
        if (!machine->started[i] && machine->planned[i] > from && machine->planned[i] < until &&
            free_beside_places(machine, machine->planned[i]) < job->processors)
            return false;
    return true;
}

/* Now, or when a job or a place ends. */
static void place_earliest(struct machine *machine, size_t i)
{
    int64_t earliest = NEVER;

    machine->planned[i] = NEVER;
    if (fits_from(machine, &machine->jobs[i], machine->now))
        earliest = machine->now;
    for (size_t k = 0; k < machine->n && earliest > machine->now; k++) {
        int64_t at = NEVER;

        if (is_running(machine, k))
            at = expected_end(&machine->jobs[k]);
        else if (!machine->started[k] && machine->planned[k] < NEVER)
            at = machine->planned[k] + machine->jobs[k].estimate;
        if (at > machine->now && at < earliest && fits_from(machine, &machine->jobs[i], at))
            earliest = at;
    }
    machine->planned[i] = earliest;
}

static void plan_all(struct machine *machine, bool ended_early)
{
    for (size_t i = 0; i < machine->n && ended_early; i++)
        if (!machine->started[i] && machine->planned[i] < NEVER)
            place_earliest(machine, i);
    for (size_t i = 0; i < machine->n; i++)
        if (is_waiting(machine, i) && machine->planned[i] == NEVER)
            place_earliest(machine, i);
    for (size_t i = 0; i < machine->n; i++)
        if (!machine->started[i] && machine->planned[i] == machine->now)
            start(machine, i);
}

/* --- the clock -------------------------------------------------------------------------------- */

static int64_t next_event(const struct machine *machine)
{
    int64_t next = NEVER;

    for (size_t i = 0; i < machine->n; i++) {
        const struct job *job = &machine->jobs[i];
        int64_t times[] = {job->submit, NEVER, NEVER};

        if (machine->started[i])
            times[1] = job->start + job->runs;
        else
            times[2] = machine->planned[i];
        for (size_t k = 0; k < 3; k++)
            if (times[k] > machine->now && times[k] < next)
                next = times[k];
    }
    return next;
}

static bool ended_early_now(const struct machine *machine)
{
    for (size_t i = 0; i < machine->n; i++) {
        const struct job *job = &machine->jobs[i];

        if (machine->started[i] && job->start + job->runs == machine->now &&
            job->runs < job->estimate)
            return true;
    }
    return false;
}

void textbook_schedule(enum textbook textbook, int64_t processors, struct job *jobs, size_t n)
{
    struct machine machine = {
        .textbook = textbook, .processors = processors, .now = -1, .jobs = jobs, .n = n};

    machine.started = calloc(n + 1, sizeof *machine.started);
    machine.planned = calloc(n + 1, sizeof *machine.planned);
    for (size_t i = 0; i < n; i++)
        machine.planned[i] = NEVER;
    while ((machine.now = next_event(&machine)) != NEVER) {
        if (textbook == TEXTBOOK_CONSERVATIVE)
            plan_all(&machine, ended_early_now(&machine));
        else
            pass_over_queue(&machine);
    }
    free(machine.started);
    free(machine.planned);
}
