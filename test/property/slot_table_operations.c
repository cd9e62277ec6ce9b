/* Random operations on the slot table and on the naive one, side by side. */
#include "test/property/slot_table_operations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_survey.h"
#include "core/lease.h"
#include "core/slot_table.h"
#include "test/property/naive_slot_table.h"
#include "test/support/random.h"

enum { HOSTS_MAX = 4, LEASES = 4, MARKS_MAX = 8, BOOKINGS_MAX = 3 * OPERATIONS_MAX, FREE_FOR = 5 };

static const char *const kind_names[OPERATION_KINDS] = {"book", "add",  "release", "advance",
                                                        "mark", "undo", "keep",    "ask"};

/* A reservation with room for its placement. */
struct booking {
    struct reservation reservation;
    struct placement placement;
    uint32_t hosts[HOSTS_MAX];
    int64_t amounts[HOSTS_MAX * RESOURCE_TYPES_MAX];
    struct blocked_host blocked;
    int64_t blocked_end; /* of the questions for which it holds */
    bool live;
};

struct trial {
    struct site site;
    struct slot_table *table;
    struct surveys *surveys;
    struct naive_slot_table naive;
    struct lease leases[LEASES];
    struct booking bookings[BOOKINGS_MAX];
    size_t n_bookings;
    /* Open marks, and what was live at each. */
    size_t marks[MARKS_MAX];
    bool live_at[MARKS_MAX][BOOKINGS_MAX];
    size_t n_marks;
    char *text;
    size_t size;
};

void operations_generate(struct operations *operations, uint64_t seed)
{
    static const enum operation_kind kinds[] = {
        OPERATION_BOOK,    OPERATION_BOOK,    OPERATION_ADD,  OPERATION_ADD,  OPERATION_ADD,
        OPERATION_RELEASE, OPERATION_ADVANCE, OPERATION_MARK, OPERATION_UNDO, OPERATION_KEEP,
        OPERATION_ASK,     OPERATION_ASK,     OPERATION_ASK,
    };
    struct random random;

    random_init(&random, seed);
    operations->site_seed = random_next(&random);
    operations->n = (size_t)random_between(&random, 4, OPERATIONS_MAX);
    for (size_t i = 0; i < operations->n; i++) {
        operations->items[i].kind =
            kinds[random_between(&random, 0, sizeof kinds / sizeof *kinds - 1)];
        operations->items[i].seed = random_next(&random);
    }
}

static void make_site(struct trial *trial, uint64_t seed)
{
    struct random random;
    struct error err;
    int64_t n;

    random_init(&random, seed);
    site_init(&trial->site);
    if (random_once_in(&random, 3))
        resource_types_add(&trial->site.types, "GPU", &err);
    n = random_between(&random, 1, HOSTS_MAX);
    for (int64_t i = 0; i < n; i++) {
        struct amounts capacity = {{0}};

        for (int type = 0; type < trial->site.types.count; type++)
            capacity.of[type] = random_between(&random, 0, 4) * 100;
        if (site_add_hosts(&trial->site, 1, &capacity, &err) < 0)
            abort();
    }
}

static void random_amounts(struct trial *trial, struct random *random, int64_t *amounts)
{
    for (int type = 0; type < trial->site.types.count; type++)
        amounts[type] = random_once_in(random, 2) ? 0 : random_between(random, 0, 4) * 50;
}

static struct booking *make_booking(struct trial *trial, struct random *random)
{
    struct booking *booking = &trial->bookings[trial->n_bookings++];
    struct reservation *r = &booking->reservation;
    uint32_t first = (uint32_t)random_between(random, 0, (int64_t)trial->site.n_hosts - 1);
    uint32_t n = (uint32_t)random_between(random, 1, (int64_t)trial->site.n_hosts);

    memset(booking, 0, sizeof *booking);
    booking->placement = (struct placement){.references = 1,
                                            .n_hosts = n,
                                            .n_types = (uint32_t)trial->site.types.count,
                                            .hosts = booking->hosts,
                                            .amounts = booking->amounts};
    for (uint32_t i = 0; i < n; i++) {
        booking->hosts[i] = (first + i) % (uint32_t)trial->site.n_hosts;
        random_amounts(trial, random, &booking->amounts[(size_t)i * booking->placement.n_types]);
    }
    r->kind = RESERVATION_VM;
    r->lease = &trial->leases[random_between(random, 0, LEASES - 1)];
    r->from = trial->naive.now + random_between(random, 0, 20);
    r->until = random_once_in(random, 10) ? INSTANT_NEVER : r->from + random_between(random, 0, 20);
    r->placement = &booking->placement;
    return booking;
}

/* A reservation that begins when the last one ends: mostly of the same lease, with the same. */
static struct booking *make_next(struct trial *trial, struct random *random)
{
    const struct booking *last = &trial->bookings[trial->n_bookings - 1];
    struct booking *booking = make_booking(trial, random);
    struct reservation *r = &booking->reservation;
    int64_t length = r->until == INSTANT_NEVER ? 7 : r->until - r->from;

    if (last->reservation.until == INSTANT_NEVER)
        return booking;
    r->from = last->reservation.until;
    r->until = r->from + length;
    if (random_once_in(random, 4))
        return booking;
    r->lease = last->reservation.lease;
    booking->placement.n_hosts = last->placement.n_hosts;
    if (random_once_in(random, 3))
        booking->placement.n_hosts =
            (uint32_t)random_between(random, 1, (int64_t)last->placement.n_hosts);
    memcpy(booking->hosts, last->hosts, sizeof booking->hosts);
    memcpy(booking->amounts, last->amounts, sizeof booking->amounts);
    return booking;
}

static void book_some(struct trial *trial, struct random *random)
{
    struct reservation *list[4];
    size_t n = 0;

    while (n < sizeof list / sizeof *list && trial->n_bookings < BOOKINGS_MAX &&
           (n == 0 || !random_once_in(random, 3))) {
        struct booking *booking = n ? make_next(trial, random) : make_booking(trial, random);

        naive_book(&trial->naive, &booking->reservation);
        booking->live = booking->reservation.from < booking->reservation.until;
        list[n++] = &booking->reservation;
    }
    slot_table_book_all(trial->table, list, n);
}

static bool differs(struct trial *trial, const char *question, int64_t expected, int64_t got)
{
    if (expected == got)
        return false;
    snprintf(trial->text, trial->size, "%s: expected %lld, got %lld", question, (long long)expected,
             (long long)got);
    return true;
}

static bool add_differs(struct trial *trial, struct booking *booking)
{
    struct error err = {0};
    bool empty = booking->reservation.from >= booking->reservation.until;
    bool fits = !empty && naive_fits(&trial->naive, &booking->reservation);
    bool added = slot_table_add(trial->table, &booking->reservation, &err) == 0;

    if (fits != added) {
        snprintf(trial->text, trial->size, "add: expected %s, got %s (%.100s)",
                 fits ? "room" : "no room", added ? "room" : "no room", err.text);
        return true;
    }
    if (added)
        naive_book(&trial->naive, &booking->reservation);
    booking->live = added;
    return false;
}

/* One, or those that were booked after it, too. */
static void release_some(struct trial *trial, struct random *random)
{
    struct reservation *list[3];
    size_t most = random_once_in(random, 2) ? 1 : 3, n = 0;
    size_t start =
        trial->n_bookings ? (size_t)random_between(random, 0, (int64_t)trial->n_bookings - 1) : 0;

    for (size_t i = 0; i < trial->n_bookings && n < most; i++) {
        struct booking *booking = &trial->bookings[(start + i) % trial->n_bookings];

        if (!booking->live || booking->reservation.until <= trial->naive.now)
            continue;
        naive_release(&trial->naive, &booking->reservation);
        booking->live = false;
        list[n++] = &booking->reservation;
    }
    slot_table_release_all(trial->table, list, n);
}

/* As the engine does: what has ended is released before the table forgets it. */
static void advance(struct trial *trial, struct random *random)
{
    int64_t now = trial->naive.now + random_between(random, 0, 15);

    if (trial->n_marks)
        return;
    for (size_t i = 0; i < trial->n_bookings; i++) {
        struct booking *booking = &trial->bookings[i];

        if (!booking->live || booking->reservation.until > now)
            continue;
        slot_table_release(trial->table, &booking->reservation);
        naive_release(&trial->naive, &booking->reservation);
        booking->live = false;
    }
    slot_table_advance(trial->table, now);
    trial->naive.now = now;
}

static void mark(struct trial *trial)
{
    if (trial->n_marks == MARKS_MAX)
        return;
    for (size_t i = 0; i < trial->n_bookings; i++)
        trial->live_at[trial->n_marks][i] = trial->bookings[i].live;
    for (size_t i = trial->n_bookings; i < OPERATIONS_MAX; i++)
        trial->live_at[trial->n_marks][i] = false;
    trial->marks[trial->n_marks++] = slot_table_mark(trial->table);
}

static void undo(struct trial *trial)
{
    if (!trial->n_marks)
        return;
    trial->n_marks--;
    slot_table_undo(trial->table, trial->marks[trial->n_marks]);
    for (size_t i = 0; i < trial->n_bookings; i++) {
        struct booking *booking = &trial->bookings[i];
        bool live = trial->live_at[trial->n_marks][i];

        if (live && !booking->live)
            naive_book(&trial->naive, &booking->reservation);
        else if (!live && booking->live)
            naive_release(&trial->naive, &booking->reservation);
        booking->live = live;
    }
}

static bool host_differs(struct trial *trial, uint32_t host, int64_t at)
{
    char question[80];

    for (int type = 0; type < trial->site.types.count; type++) {
        snprintf(question, sizeof question, "free(host %u, type %d, at %lld)", host, type,
                 (long long)at);
        if (differs(trial, question, naive_free(&trial->naive, host, type, at),
                    slot_table_free(trial->table, host, type, at)))
            return true;
    }
    snprintf(question, sizeof question, "leases(host %u, at %lld)", host, (long long)at);
    if (differs(trial, question, naive_leases(&trial->naive, host, at),
                slot_table_leases(trial->table, host, at)))
        return true;
    snprintf(question, sizeof question, "unchanged_until(host %u, at %lld)", host, (long long)at);
    return differs(trial, question, naive_unchanged_until(&trial->naive, host, at),
                   slot_table_unchanged_until(trial->table, host, at));
}

static bool demand_differs(struct trial *trial, struct random *random, int64_t at)
{
    uint32_t host = (uint32_t)random_between(random, 0, (int64_t)trial->site.n_hosts - 1);
    uint32_t count = (uint32_t)random_between(random, 1, 6);
    int64_t duration = random_once_in(random, 8) ? SPAN_UNLIMITED : random_between(random, 1, 25);
    int64_t until = instant_add(at, duration);
    struct amounts vm = {{0}};
    char question[120];

    random_amounts(trial, random, vm.of);
    /* A VM that asks for nothing has no place in the table's questions about counts. */
    if (vm.of[RESOURCE_CPU] == 0)
        vm.of[RESOURCE_CPU] = 50;
    snprintf(question, sizeof question, "fits_until(host %u, from %lld)", host, (long long)at);
    if (differs(trial, question, naive_fits_until(&trial->naive, host, &vm, at),
                slot_table_fits_until(trial->table, host, &vm, at)))
        return true;
    snprintf(question, sizeof question, "fit_count(host %u, %lld to %lld, limit %u)", host,
             (long long)at, (long long)until, count);
    if (differs(trial, question, naive_fit_count(&trial->naive, host, &vm, at, until, count),
                slot_table_fit_count(trial->table, host, &vm, (struct interval){at, until}, count)))
        return true;
    snprintf(question, sizeof question, "count(%lld to %lld, limit %u)", (long long)at,
             (long long)until, count);
    if (differs(trial, question, naive_count(&trial->naive, &vm, at, until, count),
                slot_table_count(trial->table, &vm, at, until, count)))
        return true;
    snprintf(question, sizeof question, "earliest(%u VMs from %lld for %lld)", count, (long long)at,
             (long long)duration);
    return differs(trial, question, naive_earliest(&trial->naive, &vm, count, at, duration),
                   slot_table_earliest(trial->table, &vm, count, at, duration));
}

/* When what a placement holds at a place is free for long enough, second by second. */
static int64_t free_for(const struct trial *trial, uint32_t host, const struct amounts *share,
                        struct interval within)
{
    for (int64_t t = within.from; t < within.until; t++)
        if (naive_fits_until(&trial->naive, host, share, t) >=
            (t + FREE_FOR < within.until ? t + FREE_FOR : within.until))
            return t;
    return INSTANT_NEVER;
}

/* The first time at which all its hosts agree. */
static bool earliest_differs(struct trial *trial, const struct booking *booking,
                             const struct amounts *shares, struct interval within)
{
    int64_t got =
        slot_table_placement_earliest(trial->table, &booking->placement, within, FREE_FOR);
    uint32_t agreed = 0;

    while (within.from < within.until && agreed < booking->placement.n_hosts) {
        agreed = 0;
        for (uint32_t i = 0; i < booking->placement.n_hosts; i++)
            agreed += free_for(trial, booking->hosts[i], &shares[i], within) == within.from;
        within.from += agreed < booking->placement.n_hosts;
    }
    return differs(trial, "placement_earliest()",
                   within.from < within.until ? within.from : INSTANT_NEVER, got);
}

/* What was found before is remembered from one question to the next, whatever happens meanwhile. */
static bool blocked_differs(struct trial *trial, struct booking *booking,
                            const struct amounts *shares, int64_t at)
{
    int64_t longest = at, got;
    struct interval within;

    if (at >= booking->blocked_end) {
        booking->blocked_end = at + 10;
        booking->blocked = (struct blocked_host){0};
    }
    within = (struct interval){at, booking->blocked_end};
    if (earliest_differs(trial, booking, shares, within))
        return true;
    if (trial->n_marks)
        return false;
    for (uint32_t i = 0; i < booking->placement.n_hosts; i++) {
        int64_t free = free_for(trial, booking->hosts[i], &shares[i], within);

        longest = free > longest ? free : longest;
    }
    got = slot_table_placement_free_from(trial->table, &booking->placement, within, FREE_FOR,
                                         &booking->blocked);
    return differs(trial, "placement_free_from(): later", longest > at, got > at) ||
           (got > longest && differs(trial, "placement_free_from()", longest, got));
}

static bool placement_differs(struct trial *trial, struct random *random, int64_t at)
{
    struct booking *booking;
    int64_t least = at + random_between(random, 0, 10), expected = INSTANT_NEVER, got;
    struct amounts shares[HOSTS_MAX] = {{{0}}};
    uint32_t n, blocked;

    if (!trial->n_bookings)
        return false;
    booking = &trial->bookings[random_between(random, 0, (int64_t)trial->n_bookings - 1)];
    n = booking->placement.n_hosts;
    blocked = (uint32_t)random_between(random, 0, n - 1);
    for (uint32_t i = 0; i < n; i++) {
        int64_t until;

        for (uint32_t type = 0; type < booking->placement.n_types; type++)
            shares[i].of[type] = booking->amounts[(size_t)i * booking->placement.n_types + type];
        until = naive_fits_until(&trial->naive, booking->hosts[i], &shares[i], at);
        expected = until < expected ? until : expected;
    }
    got = slot_table_placement_fits_until(trial->table, &booking->placement, at, least, &blocked);
    if (differs(trial, "placement_fits_until()", expected < least ? INSTANT_NONE : expected, got))
        return true;
    if (got == INSTANT_NONE &&
        naive_fits_until(&trial->naive, booking->hosts[blocked], &shares[blocked], at) >= least)
        return differs(trial, "placement_fits_until(): blocked", 1, 0);
    return blocked_differs(trial, booking, shares, at);
}

/* The least free CPU of the whole site, second by second. */
static int64_t least_cpu(const struct trial *trial, int64_t from, int64_t until)
{
    int64_t least = INT64_MAX;

    for (int64_t t = from; t < until; t++) {
        int64_t cpu = 0;

        for (uint32_t host = 0; host < trial->site.n_hosts; host++)
            cpu += naive_free(&trial->naive, host, RESOURCE_CPU, t);
        least = cpu < least ? cpu : least;
    }
    return least;
}

static bool earliest_cpu_differs(struct trial *trial, struct random *random, int64_t at)
{
    int64_t span = random_between(random, 1, 20), before = at + random_between(random, 1, 40);
    int64_t cpu = 50 * random_between(random, 1, 6), expected = INSTANT_NEVER;
    char question[80];

    for (int64_t t = before - 1; t >= at; t--)
        if (least_cpu(trial, t, t + span < before ? t + span : before) >= cpu)
            expected = t;
    snprintf(question, sizeof question, "earliest_free_cpu(%lld from %lld for %lld before %lld)",
             (long long)cpu, (long long)at, (long long)span, (long long)before);
    return differs(trial, question, expected,
                   slot_table_earliest_free_cpu(trial->table, cpu, at, span, before));
}

static bool total_differs(struct trial *trial, struct random *random, int64_t at)
{
    int64_t until = at + random_between(random, 1, 30), least = least_cpu(trial, at, until);
    char question[80];

    snprintf(question, sizeof question, "least_free_cpu(%lld to %lld)", (long long)at,
             (long long)until);
    return differs(trial, question, least, slot_table_least_free_cpu(trial->table, at, until));
}

/* Surveys are mended from question to question: the same sizes are asked for all the time. */
static bool survey_differs(struct trial *trial, struct random *random, int64_t at)
{
    struct amounts vm = {{0}};
    const struct survey *survey;
    int64_t until;
    uint32_t count = 0;

    vm.of[RESOURCE_CPU] = 50 * random_between(random, 1, 3);
    vm.of[RESOURCE_MEMORY] = random_once_in(random, 2) ? 512 : 0;
    until = at + random_between(random, 1, 30);
    survey = at == trial->naive.now ? survey_now(trial->surveys, trial->table, &vm)
                                    : survey_at(trial->surveys, trial->table, &vm, at);
    for (uint32_t host = 0; host < trial->site.n_hosts; host++) {
        int64_t fits = naive_fits_until(&trial->naive, host, &vm, at);

        if (differs(trial, "survey: fits_until", fits == at ? INSTANT_NONE : fits,
                    survey->looks[host].fits_until))
            return true;
        count += fits >= until && fits > at;
        if (fits > at && (differs(trial, "survey: unchanged_until",
                                  naive_unchanged_until(&trial->naive, host, at),
                                  survey->looks[host].unchanged_until) ||
                          differs(trial, "survey: leases", naive_leases(&trial->naive, host, at),
                                  survey->looks[host].leases)))
            return true;
    }
    return differs(trial, "survey_count_until()", count, survey_count_until(survey, until));
}

static bool answers_differ(struct trial *trial, struct random *random)
{
    int64_t at = trial->naive.now + random_between(random, 0, 45), cpu = 0, now;

    if (random_once_in(random, 3))
        at = trial->naive.now;
    for (uint32_t host = 0; host < trial->site.n_hosts; host++) {
        if (host_differs(trial, host, at))
            return true;
        now = naive_free(&trial->naive, host, RESOURCE_CPU, trial->naive.now);
        cpu += now > 0 ? now : 0;
    }
    return differs(trial, "free_cpu_now()", cpu, slot_table_free_cpu_now(trial->table)) ||
           demand_differs(trial, random, at) || total_differs(trial, random, at) ||
           earliest_cpu_differs(trial, random, at) || placement_differs(trial, random, at) ||
           survey_differs(trial, random, at);
}

static bool goes_wrong(struct trial *trial, const struct operation *operation)
{
    struct random random;

    random_init(&random, operation->seed);
    switch (operation->kind) {
    case OPERATION_BOOK:
        book_some(trial, &random);
        break;
    case OPERATION_ADD:
        return add_differs(trial, make_booking(trial, &random));
    case OPERATION_RELEASE:
        release_some(trial, &random);
        break;
    case OPERATION_ADVANCE:
        advance(trial, &random);
        break;
    case OPERATION_MARK:
        mark(trial);
        break;
    case OPERATION_UNDO:
        undo(trial);
        break;
    case OPERATION_KEEP:
        if (trial->n_marks)
            slot_table_keep(trial->table, trial->marks[--trial->n_marks]);
        break;
    case OPERATION_ASK:
    case OPERATION_KINDS:
        return answers_differ(trial, &random);
    }
    return false;
}

bool operations_run(const struct operations *operations, char *text, size_t size)
{
    struct trial *trial = calloc(1, sizeof *trial);
    bool wrong = false;

    if (!trial)
        abort();
    trial->text = text;
    trial->size = size;
    make_site(trial, operations->site_seed);
    for (int i = 0; i < LEASES; i++)
        trial->leases[i].request.id = i + 1;
    trial->table = slot_table_create(&trial->site);
    trial->surveys = surveys_create(trial->site.n_hosts);
    naive_init(&trial->naive, &trial->site);
    slot_table_advance(trial->table, 0);
    for (size_t i = 0; i < operations->n && !wrong; i++)
        wrong = goes_wrong(trial, &operations->items[i]);
    surveys_destroy(trial->surveys);
    slot_table_destroy(trial->table);
    site_finish(&trial->site);
    free(trial);
    return !wrong;
}

void operations_shrink(struct operations *operations)
{
    char text[200];

    for (size_t part = operations->n / 2; part > 0; part /= 2)
        for (size_t at = 0; at + part <= operations->n;) {
            struct operations fewer = *operations;

            memmove(&fewer.items[at], &fewer.items[at + part],
                    (fewer.n - at - part) * sizeof *fewer.items);
            fewer.n -= part;
            if (operations_run(&fewer, text, sizeof text))
                at += part;
            else
                *operations = fewer;
        }
}

void operations_print(const struct operations *operations, FILE *out)
{
    for (size_t i = 0; i < operations->n; i++)
        fprintf(out, "  %zu: %s (seed %llu)\n", i, kind_names[operations->items[i].kind],
                (unsigned long long)operations->items[i].seed);
}
