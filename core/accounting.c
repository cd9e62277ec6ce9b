/* Figures of a run: counters over time, waiting times, totals. */
#include "core/accounting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/memory.h"
#include "util/search.h"

/* One value over time. The last entry is still open: later events of the same instant change it. */
struct counter {
    struct counter_entry last;
    double area;                   /* integral of the value over [0, last.time) */
    struct counter_entry *entries; /* with history: all closed entries */
    size_t n_entries, allocated;
};

struct accounting {
    bool history;
    struct counter counters[ACCOUNTING_COUNTERS];
    struct accounting_summary figures; /* service, utilization, queue and totals are filled at the
                                        * end */
    struct service *service;           /* of completed best-effort leases */
    double slowdown_sum;               /* sum of Haizea's slowdowns */
    int64_t n_slowdowns;
    int64_t *refused; /* ids refused by admission in this step, ascending */
    size_t n_refused, refused_allocated;
};

static const struct {
    const char *name;
    bool average;
} counter_facts[ACCOUNTING_COUNTERS] = {
    [COUNTER_ACCEPTED_RESERVATIONS] = {"Accepted AR", false},
    [COUNTER_REJECTED_RESERVATIONS] = {"Rejected AR", false},
    [COUNTER_ACCEPTED_IMMEDIATE] = {"Accepted Immediate", false},
    [COUNTER_REJECTED_IMMEDIATE] = {"Rejected Immediate", false},
    [COUNTER_BEST_EFFORT_COMPLETED] = {"Best-effort completed", false},
    [COUNTER_QUEUE_SIZE] = {"Queue size", true},
    [COUNTER_CPU_UTILIZATION] = {"CPU utilization", true},
    [COUNTER_DISK_USAGE] = {"Disk usage", false},
};

const char *accounting_counter_name(enum accounting_counter counter)
{
    return counter_facts[counter].name;
}

bool accounting_counter_has_average(enum accounting_counter counter)
{
    return counter_facts[counter].average;
}

struct accounting *accounting_create(bool history)
{
    struct accounting *accounting = memory_new(1, sizeof *accounting);

    accounting->history = history;
    accounting->service = service_create();
    for (int i = 0; i < ACCOUNTING_COUNTERS; i++)
        accounting->counters[i].last.lease = COUNTER_NO_LEASE;
    accounting->figures.first_submit = INSTANT_NONE;
    accounting->figures.last_end = INSTANT_NONE;
    return accounting;
}

void accounting_destroy(struct accounting *accounting)
{
    int saved = errno;

    if (!accounting)
        return;
    for (int i = 0; i < ACCOUNTING_COUNTERS; i++)
        free(accounting->counters[i].entries);
    service_destroy(accounting->service);
    free(accounting->refused);
    free(accounting);
    errno = saved;
}

static double counter_area(const struct counter *counter, int64_t time)
{
    return counter->area + counter->last.value * (double)(time - counter->last.time);
}

/* Mean over [0, time); the value itself if no time has passed. */
static double counter_average(const struct counter *counter, int64_t time)
{
    return time > 0 ? counter_area(counter, time) / (double)time : counter->last.value;
}

static void counter_keep_last(struct counter *counter)
{
    MEMORY_GROW(counter->entries, counter->allocated, counter->n_entries + 1);
    counter->entries[counter->n_entries++] = counter->last;
    if (counter->n_entries == 1)
        counter->entries[0].average = counter->last.value;
}

/* Haizea's rule: an event of the same instant changes only the value; other events add an entry if
 * the value or the lease differs. */
static void append(struct accounting *accounting, enum accounting_counter which,
                   const struct counter_entry *entry)
{
    struct counter *counter = &accounting->counters[which];

    if (entry->time == counter->last.time) {
        counter->last.value = entry->value;
        return;
    }
    if (entry->value == counter->last.value && entry->lease == counter->last.lease)
        return;
    if (accounting->history)
        counter_keep_last(counter);
    counter->area = counter_area(counter, entry->time);
    counter->last = *entry;
    counter->last.average = counter->area / (double)entry->time;
}

static void count_one(struct accounting *accounting, enum accounting_counter which,
                      const struct engine_output *output)
{
    struct counter_entry entry = {
        .time = output->time,
        .lease = output->lease->request.id,
        .value = accounting->counters[which].last.value + 1,
    };

    append(accounting, which, &entry);
}

static void sample(struct accounting *accounting, enum accounting_counter which, int64_t now,
                   double value)
{
    struct counter_entry entry = {.time = now, .lease = COUNTER_NO_LEASE, .value = value};

    append(accounting, which, &entry);
}

static void count_rejected(struct accounting *accounting, const struct engine_output *output)
{
    enum lease_kind kind = output->lease->request.kind;

    accounting->figures.kinds[kind].rejected++;
    accounting->figures.refused[output->lease->reason.id]++;
    if (kind == LEASE_RESERVATION)
        count_one(accounting, COUNTER_REJECTED_RESERVATIONS, output);
    else if (kind == LEASE_IMMEDIATE)
        count_one(accounting, COUNTER_REJECTED_IMMEDIATE, output);
}

static void note_refused(struct accounting *accounting, int64_t id)
{
    size_t place;

    MEMORY_GROW(accounting->refused, accounting->refused_allocated, accounting->n_refused + 1);
    for (place = accounting->n_refused++; place && accounting->refused[place - 1] > id; place--)
        accounting->refused[place] = accounting->refused[place - 1];
    accounting->refused[place] = id;
}

static bool was_refused(const struct accounting *accounting, int64_t id)
{
    return accounting->n_refused > 0 &&
           bsearch(&id, accounting->refused, accounting->n_refused, sizeof id, search_by_number);
}

static void requested(struct accounting *accounting, const struct engine_output *output)
{
    const struct lease_request *request = &output->lease->request;
    struct accounting_summary *figures = &accounting->figures;

    figures->kinds[request->kind].requested++;
    if (figures->first_submit == INSTANT_NONE || request->submit < figures->first_submit)
        figures->first_submit = request->submit;
    if (!output->accepted) {
        note_refused(accounting, request->id);
        count_rejected(accounting, output);
    } else if (request->kind == LEASE_RESERVATION)
        count_one(accounting, COUNTER_ACCEPTED_RESERVATIONS, output);
    else if (request->kind == LEASE_IMMEDIATE)
        count_one(accounting, COUNTER_ACCEPTED_IMMEDIATE, output);
}

static void best_effort_done(struct accounting *accounting, const struct engine_output *output)
{
    const struct lease *lease = output->lease;
    int64_t waited = accounting_waiting_time(lease);
    double slowdown = accounting_haizea_slowdown(lease);

    if (waited != SPAN_NONE)
        service_add(accounting->service, waited, accounting_turnaround(lease), lease->accumulated,
                    lease->request.user);
    if (!isnan(slowdown)) {
        accounting->slowdown_sum += slowdown;
        accounting->n_slowdowns++;
    }
    if (lease->end > accounting->figures.best_effort_end)
        accounting->figures.best_effort_end = lease->end;
    count_one(accounting, COUNTER_BEST_EFFORT_COMPLETED, output);
}

static void finished(struct accounting *accounting, const struct engine_output *output)
{
    const struct lease *lease = output->lease;
    struct accounting_kind *kind = &accounting->figures.kinds[lease->request.kind];

    switch (lease->state) {
    case LEASE_REJECTED:
        if (!was_refused(accounting, lease->request.id))
            count_rejected(accounting, output);
        return;
    case LEASE_CANCELLED:
        kind->cancelled++;
        return;
    case LEASE_FAILED:
        kind->failed++;
        return;
    default:
        break;
    }
    kind->completed++;
    if (lease->end != INSTANT_NONE && lease->end > accounting->figures.last_end)
        accounting->figures.last_end = lease->end;
    if (lease->request.kind == LEASE_BEST_EFFORT)
        best_effort_done(accounting, output);
}

static void count_migrations(struct accounting *accounting, const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        if (placement->vms[i].host != placement->vms[i].from)
            accounting->figures.migrations++;
    }
}

/* Haizea adds the shares of the kinds of operations; the result may differ in the last bit from the
 * share of the sum, which adds an entry to the counter. Haizea's order of addition depends on
 * memory addresses; the order here agrees with all but two of its records. */
static double utilization(const struct engine *engine)
{
    static const enum reservation_kind order[] = {RESERVATION_VM, RESERVATION_RESUME,
                                                  RESERVATION_SUSPEND, RESERVATION_SHUTDOWN};
    double total = (double)engine_cpu_total(engine);
    double sum = 0;

    if (total <= 0)
        return 0;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        sum += (double)engine_cpu_used(engine, order[i]) / total;
    return sum;
}

static void look_at(struct accounting *accounting, const struct engine_output *output)
{
    switch (output->kind) {
    case OUTPUT_REQUESTED:
        requested(accounting, output);
        break;
    case OUTPUT_FINISHED:
        finished(accounting, output);
        break;
    case OUTPUT_PREEMPTED:
        accounting->figures.preemptions[output->how]++;
        break;
    case OUTPUT_STATE:
        accounting->figures.suspensions += output->to == LEASE_SUSPENDING;
        accounting->figures.resumptions += output->to == LEASE_RESUMING;
        break;
    case OUTPUT_OPERATION_STARTED:
        if (output->reservation->kind == RESERVATION_MEMORY_MIGRATION)
            count_migrations(accounting, output->reservation->placement);
        break;
    case OUTPUT_CONVERTED: /* in the step of its request, which counts as best-effort */
    case OUTPUT_VM_WITHDRAWN:
    case OUTPUT_OPERATION_ENDED:
    case OUTPUT_VM_INTERVAL:
        break;
    }
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    struct accounting *accounting = context;

    (void)err;
    accounting->n_refused = 0;
    for (size_t i = 0; i < outputs->n_items; i++)
        look_at(accounting, &outputs->items[i]);
    accounting->figures.steps++;
    accounting->figures.end_time = now;
    accounting->figures.attempts = engine_attempts(engine);
    sample(accounting, COUNTER_QUEUE_SIZE, now, (double)engine_queue_length(engine));
    sample(accounting, COUNTER_CPU_UTILIZATION, now, utilization(engine));
    /* Disk usage needs a pass over all hosts and appears only in the history. */
    if (accounting->history)
        sample(accounting, COUNTER_DISK_USAGE, now, (double)engine_disk_used_most(engine));
    return 0;
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct accounting *accounting = context;

    (void)err;
    accounting->figures.end_time = end_time;
    accounting->figures.attempts = engine_attempts(engine);
    for (int i = 0; i < ACCOUNTING_COUNTERS; i++) {
        sample(accounting, (enum accounting_counter)i, end_time,
               accounting->counters[i].last.value);
        if (accounting->history)
            counter_keep_last(&accounting->counters[i]);
    }
    return 0;
}

struct observer accounting_observer(struct accounting *accounting)
{
    return (struct observer){.context = accounting, .step = step, .end = end};
}

void accounting_totals(const struct accounting *accounting, struct accounting_summary *summary)
{
    const struct counter *counters = accounting->counters;
    const struct accounting_summary *figures = &accounting->figures;

    *summary = *figures;
    if (accounting->n_slowdowns > 0)
        summary->haizea_slowdown_mean = accounting->slowdown_sum / (double)accounting->n_slowdowns;
    for (int i = 0; i < 4; i++)
        summary->kinds[i].accepted = summary->kinds[i].requested - summary->kinds[i].rejected;
    summary->utilization = counter_average(&counters[COUNTER_CPU_UTILIZATION], figures->end_time);
    summary->queue_mean = counter_average(&counters[COUNTER_QUEUE_SIZE], figures->end_time);
    summary->all_best_effort = counters[COUNTER_BEST_EFFORT_COMPLETED].last.time;
    if (figures->last_end != INSTANT_NONE && figures->first_submit != INSTANT_NONE)
        summary->makespan = figures->last_end - figures->first_submit;
    for (int i = 0; i < 5; i++)
        summary->totals[i] = (int64_t)counters[i].last.value;
}

void accounting_summarize(struct accounting *accounting, struct accounting_summary *summary)
{
    accounting_totals(accounting, summary);
    service_summarize(accounting->service, &summary->service);
}

size_t accounting_history(const struct accounting *accounting, enum accounting_counter counter,
                          const struct counter_entry **entries)
{
    *entries = accounting->counters[counter].entries;
    return accounting->counters[counter].n_entries;
}

int64_t accounting_waiting_time(const struct lease *lease)
{
    if (lease->start_actual == INSTANT_NONE)
        return SPAN_NONE;
    return lease->start_actual - lease->request.submit;
}

int64_t accounting_turnaround(const struct lease *lease)
{
    if (lease->state != LEASE_DONE || lease->end == INSTANT_NONE)
        return SPAN_NONE;
    return lease->end - lease->request.submit;
}

double accounting_haizea_slowdown(const struct lease *lease)
{
    int64_t asked = lease->request.duration_original;

    if (lease->end == INSTANT_NONE || asked == SPAN_UNLIMITED)
        return NAN;
    return (double)(lease->end - lease->request.submit) / (double)(asked > 10 ? asked : 10);
}
