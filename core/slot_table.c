#include "core/slot_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/lease.h"
#include "core/profile.h"
#include "util/memory.h"

struct journal_entry {
    const struct reservation *reservation;
    int sign; /* what was done: -1 booked, +1 released */
};

struct slot_table {
    const struct site *site;
    struct profile *profiles; /* one per host */
    struct profile total;     /* free CPU of all hosts together, for quick refusals */
    struct amounts total_capacity;
    int64_t now;
    uint64_t version;
    bool ever_negative[RESOURCE_TYPES_MAX];

    /* The state of every host now, in columns, for questions about now. */
    int64_t *now_free[RESOURCE_TYPES_MAX];
    int64_t *now_until; /* when it changes next */
    int64_t free_cpu_now;

    struct journal_entry *journal;
    size_t n_journal, journal_allocated;
    size_t marks; /* open ones */
};

static void refresh(struct slot_table *table, uint32_t host)
{
    struct profile *profile = &table->profiles[host];
    uint32_t head;

    /* A change that begins now has put a point behind the head. */
    profile_advance(profile, table->now);
    head = profile->head;
    table->free_cpu_now -= table->now_free[RESOURCE_CPU][host];
    for (int type = 0; type < table->site->types.count; type++)
        table->now_free[type][host] = profile_free(profile, type, head);
    table->free_cpu_now += table->now_free[RESOURCE_CPU][host];
    table->now_until[host] = head + 1 < profile->n ? profile->times[head + 1] : INSTANT_NEVER;
}

struct slot_table *slot_table_create(const struct site *site)
{
    struct slot_table *table = memory_new(1, sizeof *table);

    table->site = site;
    table->now = INT64_MIN;
    table->profiles = memory_new(site->n_hosts, sizeof *table->profiles);
    table->now_until = memory_new(site->n_hosts, sizeof *table->now_until);
    for (int type = 0; type < site->types.count; type++)
        table->now_free[type] = memory_new(site->n_hosts, sizeof(int64_t));
    for (size_t host = 0; host < site->n_hosts; host++) {
        profile_init(&table->profiles[host], &site->hosts[host].capacity);
        refresh(table, (uint32_t)host);
    }
    for (size_t host = 0; host < site->n_hosts; host++)
        table->total_capacity.of[RESOURCE_CPU] += site->hosts[host].capacity.of[RESOURCE_CPU];
    profile_init(&table->total, &table->total_capacity);
    return table;
}

void slot_table_destroy(struct slot_table *table)
{
    if (!table)
        return;
    for (size_t host = 0; host < table->site->n_hosts; host++)
        profile_finish(&table->profiles[host]);
    profile_finish(&table->total);
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        free(table->now_free[type]);
    free(table->now_until);
    free(table->profiles);
    free(table->journal);
    free(table);
}

void slot_table_advance(struct slot_table *table, int64_t now)
{
    size_t n_hosts = table->site->n_hosts;

    if (now <= table->now)
        return;
    table->now = now;
    table->version++;
    profile_advance(&table->total, now);
    for (uint32_t host = 0; host < n_hosts; host++)
        if (table->now_until[host] <= now) {
            profile_advance(&table->profiles[host], now);
            refresh(table, host);
        }
}

int64_t slot_table_now(const struct slot_table *table)
{
    return table->now;
}

uint64_t slot_table_version(const struct slot_table *table)
{
    return table->version;
}

int64_t slot_table_free_cpu_now(const struct slot_table *table)
{
    return table->free_cpu_now;
}

/* --- booking --------------------------------------------------------------------------------- */

static const int64_t *share_of(const struct placement *placement, uint32_t host)
{
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        if (placement->hosts[i] == host)
            return &placement->amounts[(size_t)i * placement->n_types];
    return NULL;
}

static bool overlaps(const struct reservation *a, const struct reservation *b)
{
    return a->from < b->until && b->from < a->until;
}

/* Does another booked reservation of the lease overlap r at all? Hardly ever. */
static bool has_overlapping_sibling(const struct reservation *r)
{
    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked)
        if (s != r && overlaps(s, r))
            return true;
    return false;
}

static bool sibling_covers(const struct reservation *r, uint32_t host, int64_t at)
{
    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked)
        if (s != r && s->from <= at && at < s->until && share_of(s->placement, host))
            return true;
    return false;
}

/* The next time after `at` at which a sibling begins or ends. */
static int64_t next_sibling_edge(const struct reservation *r, int64_t at)
{
    int64_t edge = INSTANT_NEVER;

    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked) {
        if (s == r)
            continue;
        if (s->from > at && s->from < edge)
            edge = s->from;
        if (s->until > at && s->until < edge)
            edge = s->until;
    }
    return edge;
}

/* A lease counts once on a host, however many of its reservations overlap there. */
static void apply_piecewise(struct profile *profile, const struct reservation *r, uint32_t host,
                            struct profile_change change)
{
    int64_t end = change.until;

    for (int64_t at = change.from; at < end; at = change.until) {
        int64_t edge = next_sibling_edge(r, at);

        change.from = at;
        change.until = edge < end ? edge : end;
        change.mark = sibling_covers(r, host, at) ? 0 : profile_mark(r->lease->request.id);
        profile_apply(profile, &change);
    }
}

static void note_negative(struct slot_table *table, const int64_t *amounts, uint32_t host,
                          const struct profile_change *change)
{
    const struct profile *profile = &table->profiles[host];

    for (int type = 0; type < change->n_types; type++) {
        uint32_t i;

        if (amounts[type] == 0 || table->ever_negative[type] || !profile->free[type])
            continue;
        i = profile_find(profile, change->from);
        for (; i < profile->n && profile->times[i] < change->until; i++)
            if (profile->free[type][i] < 0)
                table->ever_negative[type] = true;
    }
}

static void apply(struct slot_table *table, const struct reservation *r, int sign)
{
    const struct placement *placement = r->placement;
    bool piecewise = has_overlapping_sibling(r);
    int64_t cpu = 0;
    struct profile_change change = {
        .from = r->from > table->now ? r->from : table->now,
        .until = r->until,
        .n_types = (int)placement->n_types,
        .sign = sign,
        .mark = profile_mark(r->lease->request.id),
    };

    if (change.from >= change.until)
        return;
    table->version++;
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        uint32_t host = placement->hosts[i];

        if (host == HOST_REPOSITORY)
            continue;
        change.amounts = &placement->amounts[(size_t)i * placement->n_types];
        if (piecewise)
            apply_piecewise(&table->profiles[host], r, host, change);
        else
            profile_apply(&table->profiles[host], &change);
        if (sign < 0)
            note_negative(table, change.amounts, host, &change);
        refresh(table, host);
        cpu += change.amounts[RESOURCE_CPU];
    }
    if (cpu) {
        change.amounts = &cpu;
        change.n_types = 1;
        change.mark = 0;
        profile_apply(&table->total, &change);
        profile_advance(&table->total, table->now);
    }
}

static void link_booked(struct reservation *r)
{
    r->next_booked = r->lease->booked;
    r->lease->booked = r;
}

static void unlink_booked(struct reservation *r)
{
    struct reservation **link = &r->lease->booked;

    while (*link && *link != r)
        link = &(*link)->next_booked;
    if (*link)
        *link = r->next_booked;
    r->next_booked = NULL;
}

static void do_book(struct slot_table *table, const struct reservation *r)
{
    if (r->from >= r->until)
        return;
    link_booked((struct reservation *)r);
    apply(table, r, -1);
}

static void do_release(struct slot_table *table, const struct reservation *r)
{
    if (r->from >= r->until)
        return;
    apply(table, r, +1);
    unlink_booked((struct reservation *)r);
}

static void journal(struct slot_table *table, const struct reservation *r, int sign)
{
    if (!table->marks)
        return;
    table->journal = memory_grow(table->journal, &table->journal_allocated, table->n_journal + 1,
                                 sizeof *table->journal);
    table->journal[table->n_journal++] = (struct journal_entry){r, sign};
}

void slot_table_book(struct slot_table *table, const struct reservation *r)
{
    do_book(table, r);
    journal(table, r, -1);
}

void slot_table_release(struct slot_table *table, const struct reservation *r)
{
    do_release(table, r);
    journal(table, r, +1);
}

size_t slot_table_mark(struct slot_table *table)
{
    table->marks++;
    return table->n_journal;
}

void slot_table_undo(struct slot_table *table, size_t mark)
{
    while (table->n_journal > mark) {
        struct journal_entry entry = table->journal[--table->n_journal];

        if (entry.sign < 0)
            do_release(table, entry.reservation);
        else
            do_book(table, entry.reservation);
    }
    table->marks--;
}

void slot_table_keep(struct slot_table *table, size_t mark)
{
    (void)mark;
    if (--table->marks == 0)
        table->n_journal = 0;
}

static int check_fits(const struct slot_table *table, const struct reservation *r,
                      struct error *err)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++) {
        uint32_t host = r->placement->hosts[i];
        struct amounts need = {{0}};
        int64_t from = r->from > table->now ? r->from : table->now;
        int64_t until;

        if (host == HOST_REPOSITORY)
            continue;
        if (host >= table->site->n_hosts)
            return error_set(err, EINVAL, "lease %lld: host place %u; the site has %zu hosts",
                             (long long)r->lease->request.id, host, table->site->n_hosts);
        memcpy(need.of, &r->placement->amounts[(size_t)i * r->placement->n_types],
               r->placement->n_types * sizeof *need.of);
        until = slot_table_fits_until(table, host, &need, from);
        if (until >= r->until)
            continue;
        for (int type = 0; type < table->site->types.count; type++) {
            int64_t room = slot_table_free(table, host, type, until);

            if (need.of[type] > room)
                return error_set(err, ENOSPC,
                                 "lease %lld: host %d has %lld %s free at %lld, %lld are missing",
                                 (long long)r->lease->request.id, table->site->hosts[host].id,
                                 (long long)room, table->site->types.names[type],
                                 (long long)until, (long long)(need.of[type] - room));
        }
    }
    return 0;
}

int slot_table_add(struct slot_table *table, const struct reservation *r, struct error *err)
{
    if (r->from >= r->until)
        return error_set(err, EINVAL, "lease %lld: reservation from %lld until %lld is empty",
                         (long long)r->lease->request.id, (long long)r->from,
                         (long long)r->until);
    if (check_fits(table, r, err) < 0)
        return -1;
    slot_table_book(table, r);
    return 0;
}

/* --- questions ------------------------------------------------------------------------------- */

int64_t slot_table_free(const struct slot_table *table, uint32_t host, int type, int64_t at)
{
    const struct profile *profile = &table->profiles[host];

    return profile_free(profile, type, profile_find(profile, at));
}

int32_t slot_table_leases(const struct slot_table *table, uint32_t host, int64_t at)
{
    const struct profile *profile = &table->profiles[host];

    return (int32_t)(profile->presence[profile_find(profile, at)] & 0xffff);
}

int64_t slot_table_unchanged_until(const struct slot_table *table, uint32_t host, int64_t at)
{
    const struct profile *profile = &table->profiles[host];
    uint32_t next = profile_find(profile, at) + 1;

    return next < profile->n ? profile->times[next] : INSTANT_NEVER;
}

/* One demand on one host, from the point that holds at the start; INSTANT_NONE: not even there. */
static int64_t fits_until_from_point(const struct slot_table *table, const struct profile *profile,
                                     const struct amounts *need, uint32_t first)
{
    uint32_t end = profile->n;

    for (int type = 0; type < table->site->types.count && end > first; type++) {
        if (need->of[type] == 0 && !table->ever_negative[type])
            continue;
        if (profile->free[type])
            end = profile_first_below(profile->free[type], first, end, need->of[type]);
        else if (need->of[type] > profile->capacity->of[type])
            end = first;
    }
    if (end == first)
        return INSTANT_NONE;
    return end == profile->n ? INSTANT_NEVER : profile->times[end];
}

int64_t slot_table_fits_until(const struct slot_table *table, uint32_t host,
                              const struct amounts *need, int64_t from)
{
    const struct profile *profile = &table->profiles[host];
    int64_t until = fits_until_from_point(table, profile, need, profile_find(profile, from));

    return until == INSTANT_NONE ? from : until;
}

static struct amounts times_amounts(const struct amounts *vm, uint32_t count)
{
    struct amounts product;

    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        product.of[type] = vm->of[type] * count;
    return product;
}

/* The most VMs of this size that the empty host holds, at most limit. */
static uint32_t capacity_count(const struct amounts *capacity, const struct amounts *vm,
                               uint32_t limit)
{
    int64_t count = limit;

    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        if (vm->of[type] > 0 && capacity->of[type] / vm->of[type] < count)
            count = capacity->of[type] / vm->of[type];
    return (uint32_t)count;
}

uint32_t slot_table_fit_count(const struct slot_table *table, uint32_t host,
                              const struct amounts *vm, int64_t from, int64_t until, uint32_t limit)
{
    const struct profile *profile = &table->profiles[host];
    uint32_t count = capacity_count(profile->capacity, vm, limit);
    uint32_t first = profile_find(profile, from);

    for (int type = 0; type < table->site->types.count && count; type++) {
        const int64_t *column = profile->free[type];
        int64_t least;

        if (!column || (vm->of[type] == 0 && !table->ever_negative[type]))
            continue;
        least = column[first];
        for (uint32_t i = first + 1; i < profile->n && profile->times[i] < until; i++)
            if (column[i] < least)
                least = column[i];
        if (least < vm->of[type])
            return 0;
        if (vm->of[type] > 0 && least / vm->of[type] < count)
            count = (uint32_t)(least / vm->of[type]);
    }
    return count;
}

/* Does one VM fit on the host at this instant? */
static bool fits_now(const struct slot_table *table, size_t host, const struct amounts *vm)
{
    for (int type = 0; type < table->site->types.count; type++)
        if ((vm->of[type] || table->ever_negative[type]) &&
            table->now_free[type][host] < vm->of[type])
            return false;
    return true;
}

uint32_t slot_table_count(const struct slot_table *table, const struct amounts *vm, int64_t from,
                          int64_t until, uint32_t limit)
{
    uint32_t count = 0;

    for (uint32_t host = 0; host < table->site->n_hosts && count < limit; host++) {
        if (from == table->now && !fits_now(table, host, vm))
            continue;
        count += slot_table_fit_count(table, host, vm, from, until, limit - count);
    }
    return count;
}

uint32_t slot_table_most_on_a_host(const struct slot_table *table, const struct amounts *vm,
                                   uint32_t limit)
{
    uint32_t most = 0;

    for (size_t host = 0; host < table->site->n_hosts && most < limit; host++) {
        uint32_t count = capacity_count(&table->site->hosts[host].capacity, vm, limit);

        most = count > most ? count : most;
    }
    return most;
}

int64_t slot_table_least_free_cpu(const struct slot_table *table, int64_t from, int64_t until)
{
    const struct profile *total = &table->total;
    uint32_t i = profile_find(total, from);
    int64_t least = profile_free(total, RESOURCE_CPU, i);

    for (i++; i < total->n && total->times[i] < until; i++)
        if (profile_free(total, RESOURCE_CPU, i) < least)
            least = profile_free(total, RESOURCE_CPU, i);
    return least;
}

void slot_table_survey(const struct slot_table *table, const struct amounts *vm, int64_t from,
                       struct slot_survey *survey)
{
    size_t n = 0;

    for (uint32_t host = 0; host < table->site->n_hosts; host++) {
        const struct profile *profile = &table->profiles[host];
        uint32_t point;
        int64_t until;

        if (from == table->now && !fits_now(table, host, vm))
            continue;
        point = profile_find(profile, from);
        until = fits_until_from_point(table, profile, vm, point);
        if (until == INSTANT_NONE)
            continue;
        survey->hosts[n] = host;
        survey->fits_until[n] = until;
        survey->unchanged_until[n] = point + 1 < profile->n ? profile->times[point + 1]
                                                            : INSTANT_NEVER;
        survey->leases[n] = (int32_t)(profile->presence[point] & 0xffff);
        n++;
    }
    survey->n = n;
}

/* --- earliest -------------------------------------------------------------------------------- */

/* One more VM on a host that already holds level-1 of them: fits at every start in [from, last]. */
struct window {
    int64_t from, last;
    uint32_t host, level;
    bool reopened; /* not the first window of its host and level */
};

struct window_heap {
    struct window *items;
    size_t n, allocated;
    bool by_last;
};

static int64_t heap_key(const struct window_heap *heap, const struct window *window)
{
    return heap->by_last ? window->last : window->from;
}

static void heap_push(struct window_heap *heap, struct window window)
{
    size_t i = heap->n++;

    heap->items = memory_grow(heap->items, &heap->allocated, heap->n, sizeof *heap->items);
    for (; i && heap_key(heap, &heap->items[(i - 1) / 2]) > heap_key(heap, &window);
         i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = window;
}

static struct window heap_pop(struct window_heap *heap)
{
    struct window top = heap->items[0], last = heap->items[--heap->n];
    size_t i = 0;

    for (size_t child = 1; child < heap->n; child = 2 * i + 1) {
        if (child + 1 < heap->n &&
            heap_key(heap, &heap->items[child + 1]) < heap_key(heap, &heap->items[child]))
            child++;
        if (heap_key(heap, &heap->items[child]) >= heap_key(heap, &last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    if (heap->n)
        heap->items[i] = last;
    return top;
}

struct earliest_search {
    const struct slot_table *table;
    const struct amounts *vm;
    int64_t duration;
    struct window_heap waiting; /* windows that begin later, by their begin */
    struct window_heap open;    /* windows that have begun, by their last start */
};

/* The first window of this host and level that begins at `from` or later, but before `bound`. */
static bool next_window(const struct earliest_search *search, struct window *window, int64_t bound)
{
    const struct profile *profile = &search->table->profiles[window->host];
    struct amounts need = times_amounts(search->vm, window->level);

    while (window->from < bound) {
        int64_t blocked = slot_table_fits_until(search->table, window->host, &need, window->from);
        uint32_t point;

        if (blocked == INSTANT_NEVER) {
            window->last = INSTANT_NEVER;
            return true;
        }
        if (search->duration != SPAN_UNLIMITED &&
            blocked >= instant_add(window->from, search->duration)) {
            window->last = blocked - search->duration;
            return true;
        }
        point = profile_find(profile, blocked);
        do {
            if (++point == profile->n)
                return false;
        } while (slot_table_fits_until(search->table, window->host, &need,
                                       profile->times[point]) == profile->times[point]);
        window->from = profile->times[point];
    }
    return false;
}

static int64_t earliest_single(struct earliest_search *search, int64_t from)
{
    int64_t best = INSTANT_NEVER;

    for (uint32_t host = 0; host < search->table->site->n_hosts && best > from; host++) {
        struct window window = {.from = from, .host = host, .level = 1};

        if (next_window(search, &window, best))
            best = window.from;
    }
    return best;
}

static void open_window(struct earliest_search *search, struct window window, uint32_t count)
{
    const struct amounts *capacity = &search->table->site->hosts[window.host].capacity;
    struct window next = {.from = window.from, .host = window.host, .level = window.level + 1};

    heap_push(&search->open, window);
    /* One more VM on the same host is looked for once, when the level below opens first. */
    if (!window.reopened && next.level <= capacity_count(capacity, search->vm, count) &&
        next_window(search, &next, INSTANT_NEVER))
        heap_push(&search->waiting, next);
}

static int64_t earliest_many(struct earliest_search *search, uint32_t count, int64_t from)
{
    int64_t answer = INSTANT_NEVER;

    for (uint32_t host = 0; host < search->table->site->n_hosts; host++) {
        struct window window = {.from = from, .host = host, .level = 1};

        if (next_window(search, &window, INSTANT_NEVER))
            heap_push(&search->waiting, window);
    }
    while (search->waiting.n) {
        int64_t at = search->waiting.items[0].from;

        if (search->open.n && search->open.items[0].last < at) {
            struct window window = heap_pop(&search->open);

            window.from = window.last + 1;
            window.reopened = true;
            if (next_window(search, &window, INSTANT_NEVER))
                heap_push(&search->waiting, window);
            continue;
        }
        open_window(search, heap_pop(&search->waiting), count);
        if (search->open.n >= count) {
            answer = at;
            break;
        }
    }
    return answer;
}

int64_t slot_table_earliest(const struct slot_table *table, const struct amounts *vm,
                            uint32_t count, int64_t from, int64_t duration)
{
    struct earliest_search search = {.table = table, .vm = vm, .duration = duration};
    int64_t answer;

    search.open.by_last = true;
    answer = count == 1 ? earliest_single(&search, from) : earliest_many(&search, count, from);
    free(search.waiting.items);
    free(search.open.items);
    return answer;
}
