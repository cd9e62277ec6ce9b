/* Queries of free resources by host and time; they do not change the table. */
#include <string.h>

#include "core/earliest.h"
#include "core/profile.h"
#include "core/slot_table_state.h"

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

static struct demand demand_of(const struct slot_table *table, const struct amounts *need)
{
    struct demand demand;

    demand_init(&demand, need->of, table->site->types.count, table->ever_negative);
    return demand;
}

int64_t slot_table_fits_until(const struct slot_table *table, uint32_t host,
                              const struct amounts *need, int64_t from)
{
    const struct profile *profile = &table->profiles[host];
    const struct demand demand = demand_of(table, need);
    int64_t until = profile_fits_until(profile, &demand, profile_find(profile, from));

    return until == INSTANT_NONE ? from : until;
}

int64_t slot_table_placement_fits_until(const struct slot_table *table,
                                        const struct placement *placement, int64_t from,
                                        int64_t least, uint32_t *blocked)
{
    const size_t bytes = placement->n_types * sizeof *placement->amounts;
    const int64_t *amounts = NULL;
    int64_t until = INSTANT_NEVER;
    uint32_t i = *blocked < placement->n_hosts ? *blocked : 0;
    struct demand demand;

    for (uint32_t left = placement->n_hosts; left; left--) {
        const struct profile *profile = &table->profiles[placement->hosts[i]];
        const int64_t *share = &placement->amounts[(size_t)i * placement->n_types];
        int64_t fits_until;

        if (!amounts || memcmp(amounts, share, bytes) != 0)
            demand_init(&demand, share, (int)placement->n_types, table->ever_negative);
        amounts = share;
        fits_until = profile_fits_until(profile, &demand, profile_find(profile, from));
        if (fits_until == INSTANT_NONE)
            fits_until = from;
        if (fits_until < least) {
            *blocked = i;
            return INSTANT_NONE;
        }
        until = fits_until < until ? fits_until : until;
        i = i + 1 < placement->n_hosts ? i + 1 : 0;
    }
    return until;
}

static struct demand demand_at(const struct slot_table *table, const struct placement *placement,
                               uint32_t place)
{
    struct demand demand;

    demand_init(&demand, &placement->amounts[(size_t)place * placement->n_types],
                (int)placement->n_types, table->ever_negative);
    return demand;
}

enum { SCAN_POINTS = 8 }; /* points examined together */

/* The first point from i on at which the demand is free, or the end. */
static uint32_t first_free(const struct profile *profile, const struct demand *demand, uint32_t i)
{
    for (; i < profile->n; i += SCAN_POINTS) {
        const uint32_t count = profile->n - i < SCAN_POINTS ? profile->n - i : SCAN_POINTS;
        const uint64_t blocked = profile_blocked(profile, demand, 1, i, count);
        const uint32_t first = ~blocked ? (uint32_t)__builtin_ctzll(~blocked) : count;

        if (first < count)
            return i + first;
    }
    return profile->n;
}

/* The first time at which the host has room for `span` seconds, or until the interval ends. */
static int64_t free_for(const struct profile *profile, const struct demand *demand,
                        struct interval within, int64_t span)
{
    uint32_t i = profile_find(profile, within.from), block;
    int64_t at = within.from;

    for (;;) {
        block = profile_first_block(profile, demand, i, profile->n);
        if (block == profile->n || profile->times[block] >= within.until ||
            profile->times[block] >= instant_add(at, span))
            return at;
        i = first_free(profile, demand, block);
        if (i == profile->n || profile->times[i] >= within.until)
            return INSTANT_NEVER;
        at = profile->times[i];
    }
}

int64_t slot_table_placement_earliest(const struct slot_table *table,
                                      const struct placement *placement, struct interval within,
                                      int64_t span)
{
    /* Visits the hosts in turn until all agree on a time. */
    for (uint32_t place = 0, agreed = 0; agreed < placement->n_hosts; agreed++) {
        const struct demand demand = demand_at(table, placement, place);
        const int64_t at =
            free_for(&table->profiles[placement->hosts[place]], &demand, within, span);

        if (at == INSTANT_NEVER)
            return INSTANT_NEVER;
        if (at > within.from)
            agreed = 0;
        within.from = at;
        place = place + 1 < placement->n_hosts ? place + 1 : 0;
    }
    return within.from;
}

/* Has no booking been released on the host in the blocked time since then? */
static bool is_still_blocked(const struct release *released, const struct blocked_host *blocked)
{
    for (int i = 0; i < RELEASES_KEPT; i++) {
        if (released[i].version <= blocked->version)
            return true;
        if (released[i].during.from < blocked->until && blocked->from < released[i].during.until)
            return false;
    }
    return false;
}

int64_t slot_table_placement_free_from(const struct slot_table *table,
                                       const struct placement *placement, struct interval within,
                                       int64_t span, struct blocked_host *blocked)
{
    const int64_t from = within.from;
    uint32_t place = blocked->place;

    if (blocked->from <= from && from < blocked->until &&
        is_still_blocked(table->released[placement->hosts[place]], blocked)) {
        blocked->version = table->version;
        return blocked->until;
    }
    for (uint32_t left = placement->n_hosts; left; left--) {
        const struct demand demand = demand_at(table, placement, place);
        const int64_t until =
            free_for(&table->profiles[placement->hosts[place]], &demand, within, span);

        *blocked = (struct blocked_host){from, until, table->version, place};
        if (until > from)
            return until;
        place = place + 1 < placement->n_hosts ? place + 1 : 0;
    }
    return from;
}

uint32_t slot_table_fit_count(const struct slot_table *table, uint32_t host,
                              const struct amounts *vm, struct interval interval, uint32_t limit)
{
    const struct profile *profile = &table->profiles[host];
    const struct demand demand = demand_of(table, vm);
    uint32_t first = profile_find(profile, interval.from);
    uint32_t last = profile_first_reaching(profile->times, first + 1, profile->n, interval.until);

    return profile_count(profile, &demand, first, last, limit);
}

/* Does one VM fit on the host at this instant? */
static bool fits_now(const struct slot_table *table, size_t host, const struct demand *vm)
{
    for (int k = 0; k < vm->n; k++)
        if (table->now_free[vm->types[k]][host] < vm->needs[k])
            return false;
    return true;
}

uint32_t slot_table_count(const struct slot_table *table, const struct amounts *vm, int64_t from,
                          int64_t until, uint32_t limit)
{
    const struct demand demand = demand_of(table, vm);
    uint32_t count = 0;

    for (uint32_t host = 0; host < table->site->n_hosts && count < limit; host++) {
        const struct profile *profile = &table->profiles[host];
        uint32_t first;

        if (from == table->now && !fits_now(table, host, &demand))
            continue;
        first = profile_find(profile, from);
        if (profile_first_block(profile, &demand, first, first + 1) == first)
            continue;
        count += profile_count(profile, &demand, first,
                               profile_first_reaching(profile->times, first + 1, profile->n, until),
                               limit - count);
    }
    return count;
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

uint32_t slot_table_most_on_a_host(const struct slot_table *table, const struct amounts *vm,
                                   uint32_t limit)
{
    const struct site_host *hosts = table->site->hosts;
    uint32_t most = 0;

    for (size_t host = 0; host < table->site->n_hosts && most < limit; host++) {
        uint32_t count;

        /* Neighboring hosts are mostly alike. */
        if (host && memcmp(&hosts[host].capacity, &hosts[host - 1].capacity,
                           sizeof hosts[host].capacity) == 0)
            continue;
        count = capacity_count(&hosts[host].capacity, vm, limit);
        most = count > most ? count : most;
    }
    return most;
}

int64_t slot_table_least_free_cpu(const struct slot_table *table, int64_t from, int64_t until)
{
    return total_least(&table->total, from, until);
}

int64_t slot_table_earliest_free_cpu(const struct slot_table *table, int64_t cpu, int64_t from,
                                     int64_t span, int64_t before)
{
    return total_earliest(&table->total, cpu, from, span, before);
}

bool slot_table_was_overbooked(const struct slot_table *table, int type)
{
    return table->ever_negative >> type & 1;
}

static struct host_look look_at(const struct slot_table *table, const struct demand *demand,
                                int64_t from, uint32_t host)
{
    const struct profile *profile = &table->profiles[host];
    struct host_look look = {.fits_until = INSTANT_NONE};
    uint32_t point;

    if (from == table->now && !fits_now(table, host, demand))
        return look;
    point = profile_find(profile, from);
    look.fits_until = profile_fits_until(profile, demand, point);
    look.unchanged_until = point + 1 < profile->n ? profile->times[point + 1] : INSTANT_NEVER;
    look.leases = (int32_t)(profile->presence[point] & 0xffff);
    return look;
}

void slot_table_look(const struct slot_table *table, const struct amounts *vm, int64_t from,
                     const uint32_t *hosts, size_t n, struct host_look *looks)
{
    const struct demand demand = demand_of(table, vm);

    for (size_t i = 0; i < n; i++) {
        uint32_t host = hosts ? hosts[i] : (uint32_t)i;

        looks[host] = look_at(table, &demand, from, host);
    }
}

uint64_t slot_table_changes(const struct slot_table *table)
{
    return table->n_changes;
}

uint32_t slot_table_changed_host(const struct slot_table *table, uint64_t change)
{
    return table->changed_hosts[change % SLOT_TABLE_CHANGES_KEPT];
}

int64_t slot_table_earliest(const struct slot_table *table, const struct amounts *vm,
                            uint32_t count, int64_t from, int64_t duration)
{
    const struct earliest_request request = {
        .profiles = table->profiles,
        .n_hosts = table->site->n_hosts,
        .vm = demand_of(table, vm),
        .count = count,
        .from = from,
        .duration = duration,
    };

    if (count == 0 || duration <= 0)
        return from;
    /* The result is often `from`, which a count of few hosts shows. */
    if (count > 1 && slot_table_count(table, vm, from, instant_add(from, duration), count) >= count)
        return from;
    return earliest_find(&request);
}
