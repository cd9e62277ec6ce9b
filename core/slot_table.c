/* Free resources of all hosts over time, with a journal to undo trials. */
#include "core/slot_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/lease.h"
#include "core/occupancy.h"
#include "core/presence.h"
#include "core/profile.h"
#include "core/slot_table_state.h"
#include "util/memory.h"

enum { BLOCK = 64, AHEAD = 16 }; /* hosts */

static void note_change(struct slot_table *table, uint32_t host)
{
    table->changed_hosts[table->n_changes++ % SLOT_TABLE_CHANGES_KEPT] = host;
}

/* An overbooked host does not reduce the free CPU of other hosts. */
static int64_t free_cpu(const struct slot_table *table, uint32_t host)
{
    int64_t cpu = table->now_free[RESOURCE_CPU][host];

    return cpu > 0 ? cpu : 0;
}

static void refresh(struct slot_table *table, uint32_t host)
{
    struct profile *profile = &table->profiles[host];
    uint32_t head;

    /* A change that began at `now` has put a point behind the head. */
    profile_advance(profile, table->now);
    head = profile->head;
    table->free_cpu_now -= free_cpu(table, host);
    for (int i = 0; i < profile->n_booked; i++)
        table->now_free[profile->booked[i]][host] = profile->free[profile->booked[i]][head];
    table->free_cpu_now += free_cpu(table, host);
    table->now_until[host] = head + 1 < profile->n ? profile->times[head + 1] : INSTANT_NEVER;
    if (table->now_until[host] < table->block_until[host / BLOCK])
        table->block_until[host / BLOCK] = table->now_until[host];
}

struct slot_table *slot_table_create(const struct site *site)
{
    struct slot_table *table = memory_new(1, sizeof *table);
    int64_t cpu = 0;

    table->site = site;
    table->now = INT64_MIN;
    table->occupancy = occupancy_create(site);
    table->presence = presence_create();
    table->profiles = memory_new(site->n_hosts, sizeof *table->profiles);
    table->released = memory_new(site->n_hosts, sizeof *table->released);
    table->hold_of = memory_new(site->n_hosts, sizeof *table->hold_of);
    table->now_until = memory_new(site->n_hosts, sizeof *table->now_until);
    table->block_until = memory_new(site->n_hosts / BLOCK + 1, sizeof *table->block_until);
    for (int type = 0; type < site->types.count; type++) {
        table->now_free[type] = memory_new(site->n_hosts, sizeof(int64_t));
        for (size_t host = 0; host < site->n_hosts; host++)
            table->now_free[type][host] = site->hosts[host].capacity.of[type];
    }
    for (size_t host = 0; host < site->n_hosts; host++) {
        profile_init(&table->profiles[host], &site->hosts[host].capacity);
        table->now_until[host] = INSTANT_NEVER;
        table->free_cpu_now += free_cpu(table, (uint32_t)host);
        cpu += site->hosts[host].capacity.of[RESOURCE_CPU];
    }
    total_init(&table->total, cpu);
    return table;
}

void slot_table_destroy(struct slot_table *table)
{
    if (!table)
        return;
    for (size_t host = 0; host < table->site->n_hosts; host++)
        profile_finish(&table->profiles[host]);
    total_finish(&table->total);
    occupancy_destroy(table->occupancy);
    presence_destroy(table->presence);
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        free(table->now_free[type]);
    free(table->now_until);
    free(table->block_until);
    free(table->profiles);
    free(table->released);
    free(table->holds);
    free(table->hold_of);
    free(table->journal);
    free(table);
}

/* Advances the hosts of a block that change until now. */
static void advance_block(struct slot_table *table, size_t block)
{
    const size_t first = block * BLOCK;
    const size_t end = first + BLOCK < table->site->n_hosts ? first + BLOCK : table->site->n_hosts;
    int64_t until = INSTANT_NEVER;

    for (size_t host = first; host < end; host++) {
        if (table->now_until[host] <= table->now) {
            refresh(table, (uint32_t)host);
            note_change(table, (uint32_t)host);
        }
        if (table->now_until[host] < until)
            until = table->now_until[host];
    }
    table->block_until[block] = until;
}

void slot_table_advance(struct slot_table *table, int64_t now)
{
    size_t n_blocks = (table->site->n_hosts + BLOCK - 1) / BLOCK;

    assert(table->marks == 0);
    if (now <= table->now)
        return;
    table->now = now;
    table->version++;
    table->advances++;
    total_advance(&table->total, now);
    for (size_t block = 0; block < n_blocks; block++)
        if (table->block_until[block] <= now)
            advance_block(table, block);
}

int64_t slot_table_now(const struct slot_table *table)
{
    return table->now;
}

uint64_t slot_table_version(const struct slot_table *table)
{
    return table->version;
}

uint64_t slot_table_bookings(const struct slot_table *table)
{
    return table->version - table->advances;
}

struct occupancy *slot_table_occupancy(const struct slot_table *table)
{
    return table->occupancy;
}

const struct profile *slot_table_profile(const struct slot_table *table, uint32_t host)
{
    return &table->profiles[host];
}

int64_t slot_table_free_cpu_now(const struct slot_table *table)
{
    return table->free_cpu_now;
}

/* --- booking ---------------------------------------------------------------------------------- */

/* A reservation that begins now starts at the head; queries never reach back, so no point is
 * needed. */
static uint32_t apply_here(const struct slot_table *table, uint32_t host,
                           struct profile_change change, uint32_t point)
{
    if (change.from == table->now)
        change.from = table->profiles[host].times[table->profiles[host].head];
    return profile_apply(&table->profiles[host], &change, point);
}

static void note_applied(struct slot_table *table, uint32_t host, int64_t from)
{
    /* A change after the host's next change does not affect the columns of now. */
    if (from <= table->now_until[host])
        refresh(table, host);
    note_change(table, host);
}

/* Consecutive reservations of a lease, each beginning at the end of the previous one, with the same
 * amounts on the same hosts: one change of the table. */
struct run {
    struct reservation *const *items;
    size_t n;
};

static bool holds_the_same(const struct placement *a, const struct placement *b)
{
    return a->n_hosts == b->n_hosts && a->unbound_cpu == b->unbound_cpu &&
           (a->n_hosts == 0 || (memcmp(a->hosts, b->hosts, a->n_hosts * sizeof *a->hosts) == 0 &&
                                memcmp(a->amounts, b->amounts,
                                       (size_t)a->n_hosts * a->n_types * sizeof *a->amounts) == 0));
}

static bool goes_on(const struct reservation *r, const struct reservation *next)
{
    return next->from == r->until && next->lease == r->lease && takes_time(r) && takes_time(next) &&
           presence_has(next) == presence_has(r) && holds_the_same(r->placement, next->placement);
}

/* The run at the start of a list. Either all of it is booked, or none. */
static struct run run_of(struct reservation *const *list, size_t n)
{
    size_t k = 1;

    while (k < n && goes_on(list[k - 1], list[k]))
        k++;
    return (struct run){list, k};
}

/* Finds the points at `from` of AHEAD hosts before the first of them changes: the searches overlap,
 * each of which mostly waits for memory. */
static void find_ahead(const struct slot_table *table, const struct placement *placement,
                       uint32_t i, int64_t from, uint32_t *points)
{
    for (uint32_t k = 0; k < AHEAD && i + k < placement->n_hosts; k++)
        if (placement->hosts[i + k] != HOST_REPOSITORY)
            points[k] = profile_find(&table->profiles[placement->hosts[i + k]], from);
}

/* Returns the types of which a negative amount is left somewhere (1 << type). siblings: the
 * reservations of r's lease by host, if others overlap r. */
static uint32_t apply(struct slot_table *table, const struct reservation *r, int64_t until,
                      const struct map *siblings, int sign)
{
    const struct placement *placement = r->placement;
    int64_t cpu = placement->unbound_cpu;
    uint32_t negative = 0, points[AHEAD];
    struct profile_change change = {
        .from = r->from > table->now ? r->from : table->now,
        .until = until,
        .n_types = (int)placement->n_types,
        .sign = sign,
        .mark = profile_mark(r->lease->request.id),
    };

    if (change.from >= change.until)
        return 0;
    table->version++;
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        uint32_t host = placement->hosts[i];

        if (i % AHEAD == 0 && !siblings)
            find_ahead(table, placement, i, change.from, points);
        if (host == HOST_REPOSITORY)
            continue;
        change.amounts = &placement->amounts[(size_t)i * placement->n_types];
        negative |= siblings ? presence_apply(siblings, &table->profiles[host], r, host, change)
                             : apply_here(table, host, change, points[i % AHEAD]);
        note_applied(table, host, change.from);
        cpu += change.amounts[RESOURCE_CPU];
    }
    if (cpu && !r->closes) /* the total is an upper bound */
        total_apply(&table->total, change.from, change.until, cpu * sign);
    return negative;
}

/* Applies the run reservation by reservation if others of the lease overlap. */
static uint32_t apply_run(struct slot_table *table, struct run run, int sign)
{
    const struct map *siblings = NULL;
    uint32_t negative = 0;

    if (run.items[run.n - 1]->until <= table->now)
        return 0;
    for (size_t i = 0; i < run.n && !siblings; i++)
        siblings = presence_by_host(table->presence, run.items[i]);
    if (!siblings)
        return apply(table, run.items[0], run.items[run.n - 1]->until, NULL, sign);
    for (size_t i = 0; i < run.n; i++)
        negative |= apply(table, run.items[i], run.items[i]->until, siblings, sign);
    return negative;
}

static struct stay stay_of(const struct reservation *r, size_t i)
{
    return (struct stay){r->from, r->until, r->placement->held->items[i], r->lease};
}

static void book_units(struct slot_table *table, const struct reservation *r, int sign)
{
    for (size_t i = 0; i < r->placement->held->n; i++) {
        const struct stay stay = stay_of(r, i);

        if (sign < 0)
            occupancy_book(table->occupancy, &stay);
        else
            occupancy_release(table->occupancy, &stay);
    }
}

/* Books the units that r holds and adds r to its lease's reservations; or the reverse. */
static void keep_account(struct slot_table *table, struct reservation *r, int sign)
{
    if (r->placement->held)
        book_units(table, r, sign);
    if (sign < 0)
        presence_add(table->presence, r);
    else
        presence_remove(table->presence, r);
}

static uint32_t do_book(struct slot_table *table, struct run run)
{
    if (!takes_time(run.items[0]))
        return 0;
    for (size_t i = 0; i < run.n; i++)
        keep_account(table, run.items[i], -1);
    return apply_run(table, run, -1);
}

/* False: the run is not booked, because it takes no time or is over. */
static bool do_release(struct slot_table *table, struct run run)
{
    if (!takes_time(run.items[0]) || !presence_has(run.items[0]))
        return false;
    apply_run(table, run, +1);
    for (size_t i = 0; i < run.n; i++)
        keep_account(table, run.items[i], +1);
    return true;
}

/* --- lists of reservations -------------------------------------------------------------------- */

/* Returns the types of which a negative amount is left somewhere. */
static uint32_t apply_holds(struct slot_table *table, const struct lease *lease, int sign)
{
    uint32_t negative = 0;
    int64_t cpu = 0;

    table->version++;
    for (size_t i = 0; i < table->n_holds; i++) {
        const struct hold *hold = &table->holds[i];
        const struct profile_change change = {
            .from = hold->from > table->now ? hold->from : table->now,
            .until = hold->until,
            .amounts = hold->amounts,
            .n_types = table->site->types.count,
            .sign = sign,
            .mark = profile_mark(lease->request.id),
        };

        if (change.from >= change.until)
            continue;
        negative |= apply_here(table, hold->host, change,
                               profile_find(&table->profiles[hold->host], change.from));
        note_applied(table, hold->host, change.from);
        cpu += hold->amounts[RESOURCE_CPU];
        if (i + 1 < table->n_holds && hold[1].from == hold->from && hold[1].until == hold->until)
            continue;
        if (cpu)
            total_apply(&table->total, change.from, change.until, cpu * sign);
        cpu = 0;
    }
    return negative;
}

/* Changes a list that is not a single run, at once if possible. Returns the types of which a
 * negative amount is left somewhere. */
static uint32_t change_list(struct slot_table *table, struct reservation *const *list, size_t n,
                            int sign)
{
    struct run run = n ? run_of(list, n) : (struct run){0};
    uint32_t negative = 0;

    if (run.n < n && slot_table_gather_holds(table, list, n, sign)) {
        negative = apply_holds(table, list[0]->lease, sign);
        for (size_t i = 0; i < n; i++)
            if (is_open(list[i], sign))
                keep_account(table, list[i], sign);
        return negative;
    }
    for (; n; list += run.n, n -= run.n) {
        run = run_of(list, n);
        if (sign < 0)
            negative |= do_book(table, run);
        else
            do_release(table, run);
    }
    return negative;
}

/* Records the next change. */
static void journal(struct slot_table *table, struct reservation *const *list, size_t n, int sign)
{
    if (!table->marks)
        return;
    MEMORY_GROW(table->journal, table->journal_allocated, table->n_journal + n);
    for (size_t i = 0; i < n; i++)
        if (is_open(list[i], sign))
            table->journal[table->n_journal++] = (struct journal_entry){list[i], sign};
}

void slot_table_book(struct slot_table *table, struct reservation *r)
{
    slot_table_book_all(table, &r, 1);
}

void slot_table_book_all(struct slot_table *table, struct reservation *const *list, size_t n)
{
    uint32_t negative;

    journal(table, list, n, -1);
    negative = change_list(table, list, n, -1) & ~table->ever_negative;
    /* Negative amounts now also block VMs that request none of it: all hosts are marked as
     * changed. */
    if (negative) {
        table->ever_negative |= negative;
        table->n_changes += SLOT_TABLE_CHANGES_KEPT + 1;
    }
}

/* Releases at one version, the stretches of a lease, form one entry. */
static void note_release_on(struct slot_table *table, uint32_t host, struct interval during)
{
    struct release *last = table->released[host];

    if (last->version != table->version) {
        memmove(last + 1, last, (RELEASES_KEPT - 1) * sizeof *last);
        *last = (struct release){table->version, during};
        return;
    }
    last->during.from = during.from < last->during.from ? during.from : last->during.from;
    last->during.until = during.until > last->during.until ? during.until : last->during.until;
}

static void note_release(struct slot_table *table, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++)
        if (r->placement->hosts[i] != HOST_REPOSITORY)
            note_release_on(table, r->placement->hosts[i], (struct interval){r->from, r->until});
}

void slot_table_release(struct slot_table *table, struct reservation *r)
{
    slot_table_release_all(table, &r, 1);
}

void slot_table_release_all(struct slot_table *table, struct reservation *const *list, size_t n)
{
    const uint64_t version = table->version;

    journal(table, list, n, +1);
    change_list(table, list, n, +1);
    for (size_t i = 0; i < n && !table->marks && table->version != version; i++)
        note_release(table, list[i]);
}

size_t slot_table_mark(struct slot_table *table)
{
    table->marks++;
    return table->n_journal;
}

/* Undoes the last changes to reservations of one lease at once. */
static size_t undo_last(struct slot_table *table, size_t mark)
{
    const struct journal_entry *last = &table->journal[table->n_journal - 1];
    struct reservation **list;
    size_t n = 1;

    while (table->n_journal - n > mark && last[-(ptrdiff_t)n].sign == last->sign &&
           last[-(ptrdiff_t)n].reservation->lease == last->reservation->lease)
        n++;
    list = memory_new(n, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = last[-(ptrdiff_t)(n - 1 - i)].reservation;
    change_list(table, list, n, -last->sign);
    free(list);
    return n;
}

void slot_table_undo(struct slot_table *table, size_t mark)
{
    while (table->n_journal > mark)
        table->n_journal -= undo_last(table, mark);
    table->marks--;
}

void slot_table_keep(struct slot_table *table, size_t mark)
{
    (void)mark;
    if (--table->marks)
        return;
    for (; table->n_journal; table->n_journal--) {
        const struct journal_entry *entry = &table->journal[table->n_journal - 1];

        if (entry->sign > 0)
            note_release(table, entry->reservation);
    }
}

/* ENOSPC: names the first type with too little free at a point. */
static int refuse(const struct slot_table *table, const struct reservation *r, uint32_t i,
                  uint32_t point, struct error *err)
{
    const uint32_t host = r->placement->hosts[i];
    const struct profile *profile = &table->profiles[host];
    const int64_t *amounts = &r->placement->amounts[(size_t)i * r->placement->n_types];
    int64_t at = profile->times[point] > r->from ? profile->times[point] : r->from;

    for (int type = 0; type < (int)r->placement->n_types; type++) {
        int64_t room = profile_free(profile, type, point);

        if (amounts[type] > room)
            return error_set(
                err, ENOSPC, "lease %lld: host %d has %lld %s free at %lld, %lld more are needed",
                (long long)r->lease->request.id, table->site->hosts[host].id, (long long)room,
                table->site->types.names[type], (long long)(at > table->now ? at : table->now),
                (long long)(amounts[type] - room));
    }
    return 0;
}

static int check_hosts(const struct slot_table *table, const struct reservation *r,
                       struct error *err)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++) {
        const uint32_t host = r->placement->hosts[i];

        if (host != HOST_REPOSITORY && host >= table->site->n_hosts)
            return error_set(err, EINVAL, "lease %lld: host index %u; the site has %zu hosts",
                             (long long)r->lease->request.id, host, table->site->n_hosts);
    }
    return 0;
}

static int check_fits(const struct slot_table *table, const struct reservation *r,
                      struct error *err)
{
    const struct placement *placement = r->placement;
    const int64_t from = r->from > table->now ? r->from : table->now;

    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        const uint32_t host = placement->hosts[i];
        const struct profile *profile;
        struct demand demand;
        uint32_t first, last, block;

        if (host == HOST_REPOSITORY)
            continue;
        profile = &table->profiles[host];
        demand_init(&demand, &placement->amounts[(size_t)i * placement->n_types],
                    (int)placement->n_types, table->ever_negative);
        first = profile_find(profile, from);
        last = profile_first_reaching(profile->times, first + 1, profile->n, r->until);
        block = profile_first_block(profile, &demand, first, last);
        if (block < last && refuse(table, r, i, block, err) < 0)
            return -1;
    }
    return 0;
}

/* Checks that the units of the VMs are free and the rules of their roles hold. */
static int check_units(const struct slot_table *table, const struct reservation *r,
                       struct error *err)
{
    int64_t *limits = memory_new(table->site->n_hosts, sizeof *limits);
    int result = 0;

    for (size_t i = 0; i < r->placement->held->n && result == 0; i++) {
        const struct stay stay = stay_of(r, i);

        occupancy_rules_until(table->occupancy, stay.held->demand, r->from, r->until, limits);
        if (limits[stay.held->host] < r->until || !occupancy_units_free(table->occupancy, &stay))
            result = error_set(
                err, ENOSPC, "lease %lld: host %d does not meet the demand of VM %u from %lld on",
                (long long)r->lease->request.id, table->site->hosts[stay.held->host].id,
                stay.held->vm + 1, (long long)r->from);
    }
    free(limits);
    return result;
}

int slot_table_add(struct slot_table *table, struct reservation *r, struct error *err)
{
    if (r->from >= r->until)
        return error_set(err, EINVAL, "lease %lld: reservation from %lld until %lld is empty",
                         (long long)r->lease->request.id, (long long)r->from, (long long)r->until);
    if (check_hosts(table, r, err) < 0)
        return -1;
    if (r->placement->held && check_units(table, r, err) < 0)
        return -1;
    /* Most reservations fit: booking first and then checking for negative amounts is faster. */
    if (table->ever_negative == 0) {
        const struct run run = {&r, 1};

        journal(table, &r, 1, -1);
        if (do_book(table, run) == 0)
            return 0;
        do_release(table, run);
        table->n_journal -= table->marks > 0;
    }
    if (check_fits(table, r, err) < 0)
        return -1;
    slot_table_book(table, r);
    return 0;
}
