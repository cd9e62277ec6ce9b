/* Usage and reservations by user or group: reads leases, then their VMs, then their history. */
#include "daemon/control/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/instant.h"
#include "util/map.h"
#include "util/memory.h"

/* A lease, with totals from its history. */
struct part {
    char owner[STORE_NAME_MAX];
    enum lease_phase phase;
    bool in_memory, is_reservation;
    int64_t submit, earliest, start, duration, end;
    int64_t ran; /* seconds, from its record */
    int64_t cpu, memory;
    int64_t open;         /* start of a run in the history that has not ended; INSTANT_NONE */
    int64_t span, inside; /* seconds of running in the history, and their part in the period */
    int64_t first, last;  /* its first start, and last event; INSTANT_NONE */
    bool leaves;          /* its preemption is planned, by the history so far */
    bool is_broken;       /* its promise */
    int64_t preemptions, refusals, late;
};

struct account {
    struct store *store;
    struct account_period period;
    struct map parts; /* struct part, by lease */
    enum { READS_LEASES, READS_VMS, READS_EVENTS } stage;
    size_t n; /* items read in this piece */
    int64_t last_lease, last_event;
    int32_t last_vm;
};

static bool is_in(const struct account_period *period, int64_t at)
{
    return at >= period->from && at < period->until;
}

/* Seconds of [from, until) that are in the period. */
static int64_t overlap(const struct account_period *period, int64_t from, int64_t until)
{
    int64_t begin = from > period->from ? from : period->from;
    int64_t end = until < period->until ? until : period->until;

    return end > begin ? end - begin : 0;
}

static bool is_over(const struct part *part)
{
    return phase_is_final(part->phase);
}

/* --- leases and VMs --------------------------------------------------------------------------- */

static struct part *add_part(struct account *account, const struct lease_record *lease)
{
    struct part *part = map_value(&account->parts, map_add(&account->parts, lease->id));

    *part = (struct part){
        .phase = lease->phase,
        .is_reservation = lease->kind == LEASE_RESERVATION && lease->accepted,
        .submit = lease->submit,
        .earliest = lease->earliest,
        .start = lease->start,
        .duration = lease->duration,
        .end = lease->end,
        .ran = store_has_run(lease, account->period.now),
        .open = INSTANT_NONE,
        .first = INSTANT_NONE,
        .last = INSTANT_NONE,
    };
    snprintf(part->owner, sizeof part->owner, "%s",
             account->period.by_group ? lease->user_group : lease->user);
    return part;
}

/* Skips leases that were in memory at the beginning and have left it since. */
static void add_past_lease(void *context, const struct lease_record *lease)
{
    struct account *account = context;

    account->n++;
    account->last_lease = lease->id;
    if (map_find(&account->parts, lease->id) == MAP_NONE)
        add_part(account, lease);
}

static void add_past_vm(void *context, const struct vm_record *vm)
{
    struct account *account = context;
    struct part *part = map_value(&account->parts, map_find(&account->parts, vm->lease));

    account->n++;
    account->last_vm = vm->id;
    if (!part || part->in_memory)
        return;
    part->cpu += vm->cpu;
    part->memory += vm->memory;
}

static void add_leases_in_memory(struct account *account)
{
    size_t n, n_vms;
    const struct lease_record *const *leases = store_leases(account->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_record *const *vms = store_vms_of(account->store, leases[i]->id, &n_vms);
        struct part *part = add_part(account, leases[i]);

        part->in_memory = true;
        for (size_t vm = 0; vm < n_vms; vm++) {
            part->cpu += vms[vm]->cpu;
            part->memory += vms[vm]->memory;
        }
    }
}

/* --- history ---------------------------------------------------------------------------------- */

static void close_run(const struct account *account, struct part *part, int64_t at)
{
    if (part->open != INSTANT_NONE && at > part->open) {
        part->span += at - part->open;
        part->inside += overlap(&account->period, part->open, at);
    }
    part->open = INSTANT_NONE;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Does the event carry a preemption out? Plans of that change often, and may not come true. */
static bool is_preemption(struct part *part, const char *word)
{
    static const char *const departures[] = {"suspending", "requeued", "gives-way", NULL};
    bool goes = is_one_of(word, departures), planned = part->leaves;

    if (strcmp(word, "preempted") == 0)
        part->leaves = true;
    else if (goes || strcmp(word, "kept") == 0)
        part->leaves = false;
    return goes && planned;
}

/* Does the event break the lease's promise? One that is missed was late before. */
static bool breaks_promise(struct part *part, const char *word)
{
    static const char *const breaches[] = {"late", "missed", NULL};
    bool breaks = !part->is_broken && is_one_of(word, breaches);

    part->is_broken = part->is_broken || breaks;
    return breaks;
}

static void add_event(void *context, const struct store_event *event)
{
    static const char *const stops[] = {"suspended", "stopped",       "requeued",
                                        "parked",    "pending-again", "ended",
                                        "missed",    "given-up",      NULL};
    struct account *account = context;
    struct part *part = map_value(&account->parts, map_find(&account->parts, event->lease));
    bool preempted, broken;

    if (!part)
        return;
    part->last = event->at;
    if (strcmp(event->event, "running") == 0) {
        if (part->open == INSTANT_NONE)
            part->open = event->at;
        if (part->first == INSTANT_NONE)
            part->first = event->at;
    } else if (is_one_of(event->event, stops)) {
        close_run(account, part, event->at);
    }
    preempted = is_preemption(part, event->event);
    broken = breaks_promise(part, event->event);
    if (!is_in(&account->period, event->at))
        return;
    part->preemptions += preempted;
    part->refusals += strcmp(event->event, "refused") == 0;
    part->late += broken;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Seconds that the lease ran in the period. */
static int64_t used(const struct account_period *period, const struct part *part)
{
    int64_t end = part->last != INSTANT_NONE ? part->last : part->end;

    if (part->span > 0)
        return (int64_t)((double)part->ran * (double)part->inside / (double)part->span + 0.5);
    if (end == INSTANT_NONE || end == INSTANT_NEVER)
        return 0;
    return overlap(period, end - part->ran, end);
}

static int64_t reserved(const struct account_period *period, const struct part *part)
{
    int64_t until = INSTANT_NEVER;

    if (!part->is_reservation || part->start == INSTANT_NONE)
        return 0;
    if (part->duration != SPAN_UNLIMITED)
        until = part->start + part->duration;
    if (is_over(part) && part->last != INSTANT_NONE && part->last < until)
        until = part->last;
    return overlap(period, part->start, until);
}

static int64_t latest(int64_t a, int64_t b)
{
    return b != INSTANT_NONE && b > a ? b : a;
}

static void add_to_row(const struct account_period *period, const struct part *part,
                       struct account_row *row)
{
    int64_t ran = used(period, part), begin = part->submit;

    row->leases++;
    row->refused += part->refusals;
    row->late += part->late;
    row->preemptions += part->preemptions;
    row->cpu += ran * part->cpu;
    row->memory += ran * part->memory;
    row->cpu_reserved += reserved(period, part) * part->cpu;
    if (part->is_reservation)
        row->cpu_kept += ran * part->cpu;
    if (part->first == INSTANT_NONE || !is_in(period, part->first))
        return;
    begin = latest(latest(begin, part->earliest), part->start);
    row->waits++;
    row->waited += part->first > begin ? part->first - begin : 0;
}

static bool counts(const struct account_period *period, const struct part *part)
{
    bool over_before = is_over(part) && part->last != INSTANT_NONE && part->last < period->from;

    return part->submit < period->until && !over_before;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct account_row *)a)->name, ((const struct account_row *)b)->name);
}

struct account_row *account_rows(struct account *account, struct account_period *period, size_t *n)
{
    const struct account_period *made = &account->period;
    struct map names;
    struct account_row *rows;

    map_init_copying(&names, sizeof(struct account_row));
    for (uint32_t i = 0; i < account->parts.n; i++) {
        struct part *part = map_value(&account->parts, i);
        struct account_row *row;

        close_run(account, part, made->now);
        if (!counts(made, part))
            continue;
        row = map_value(&names, map_add_text(&names, part->owner));
        memcpy(row->name, part->owner, sizeof row->name);
        add_to_row(made, part, row);
    }
    *period = *made;
    *n = names.n;
    rows = memory_new(names.n, sizeof *rows);
    for (uint32_t i = 0; i < names.n; i++)
        rows[i] = *(const struct account_row *)map_value(&names, i);
    map_finish(&names);
    qsort(rows, *n, sizeof *rows, by_name);
    return rows;
}

/* --- in pieces -------------------------------------------------------------------------------- */

struct account *account_begin(struct store *store, const struct account_period *period)
{
    struct account *account = memory_new(1, sizeof *account);

    account->store = store;
    account->period = *period;
    account->last_lease = INT64_MAX;
    account->last_vm = -1;
    map_init(&account->parts, sizeof(struct part));
    add_leases_in_memory(account);
    return account;
}

void account_destroy(struct account *account)
{
    if (!account)
        return;
    map_finish(&account->parts);
    free(account);
}

int account_go_on(struct account *account, size_t limit, struct error *err)
{
    const struct store_past past = {.limit = limit, .below = &account->last_lease};
    int result;

    account->n = 0;
    if (account->stage == READS_EVENTS)
        return store_next_events(account->store, &account->last_event, limit, add_event, account,
                                 err);
    if (account->stage == READS_LEASES)
        result = store_each_past_lease(account->store, &past, add_past_lease, account, err);
    else
        result =
            store_next_past_vms(account->store, account->last_vm, limit, add_past_vm, account, err);
    if (account->n < limit)
        account->stage++;
    return result < 0 ? -1 : 1;
}
