/* Starts of leases without an end in front of reservations (in_front.h), for the forecast.
 *
 * Who may start so is decided by may_start_in_front(), as in the engine. Where is decided on
 * profiles: in_front.c and rebooking.c plan moves of leases in the slot table at the present time,
 * and neither leases nor the table exist for the times of a forecast. It moves at most one
 * reservation, to one host. */
#include "core/forecast_inside.h"

#include "core/in_front.h"

enum { LOOKED_AT = 256 /* planned reservations */ };

/* A type with amount 0 is also relevant: it may be overbooked. */
struct demand forecast_demand(const struct forecast *forecast, const struct amounts *amounts)
{
    struct demand demand;

    demand_init(&demand, amounts->of, forecast->n_types, ~UINT32_C(0));
    return demand;
}

int64_t forecast_earliest(const struct forecast *forecast, const struct part *part, int64_t from,
                          int64_t span)
{
    const struct earliest_request request = {.profiles = forecast->profiles,
                                             .n_hosts = forecast->n_hosts,
                                             .allowed = part->allowed,
                                             .vm = forecast_demand(forecast, &part->amounts),
                                             .count = part->count,
                                             .from = from,
                                             .duration = span};

    return earliest_find(&request);
}

bool forecast_fits(const struct forecast *forecast, const struct demand *demand, uint32_t host,
                   int64_t start, int64_t span)
{
    const struct profile *profile = &forecast->profiles[host];
    uint32_t first = profile_find(profile, start);
    uint32_t last =
        profile_first_reaching(profile->times, first + 1, profile->n, instant_add(start, span));

    return profile_first_block(profile, demand, first, last) == last;
}

int64_t forecast_next_change(const struct forecast *forecast, int64_t after)
{
    int64_t next = INSTANT_NEVER;

    for (size_t host = 0; host < forecast->n_hosts; host++) {
        const struct profile *profile = &forecast->profiles[host];
        uint32_t point = profile_find(profile, after) + 1;

        if (point < profile->n && profile->times[point] < next)
            next = profile->times[point];
    }
    return next;
}

size_t forecast_planned(const struct engine *engine,
                        const struct lease *leases[FORECAST_PLANNED_MOST])
{
    struct index_walk walk = reservation_index_after(&engine->bookings.by_start, engine->now);
    const struct index_entry *entry;
    size_t n = 0;

    if (!engine->settings.in_front_least || !engine->figures.unfinished[LEASE_RESERVATION])
        return 0;
    for (int i = 0; i < LOOKED_AT && n < FORECAST_PLANNED_MOST && (entry = index_walk_next(&walk));
         i++) {
        const struct reservation *r = entry->reservation;

        if (r->kind == RESERVATION_VM && r->state == RESERVATION_SCHEDULED &&
            r->lease->plan->n_vms == 1 && may_start_in_front(engine, r->lease))
            leases[n++] = r->lease;
    }
    return n;
}

static void change(struct forecast *forecast, uint32_t host, const struct movable *movable,
                   int sign)
{
    struct profile *profile = &forecast->profiles[host];
    const struct profile_change profile_change = {.from = movable->from,
                                                  .until = movable->until,
                                                  .amounts = movable->amounts.of,
                                                  .n_types = forecast->n_types,
                                                  .sign = sign};

    profile_apply(profile, &profile_change, profile_find(profile, profile_change.from));
}

/* Moves a reservation to another host with room. */
static bool move(struct forecast *forecast, struct movable *movable)
{
    const struct demand demand = forecast_demand(forecast, &movable->amounts);
    int64_t span =
        movable->until == INSTANT_NEVER ? SPAN_UNLIMITED : movable->until - movable->from;

    for (uint32_t host = 0; host < forecast->n_hosts; host++)
        if (host != movable->host && (!movable->allowed || movable->allowed[host]) &&
            forecast_fits(forecast, &demand, host, movable->from, span)) {
            change(forecast, host, movable, -1);
            movable->host = host;
            return true;
        }
    return false;
}

/* Has the host room for the VM after one reservation has moved away? */
static bool fits_without_one(struct forecast *forecast, const struct demand *vm, uint32_t host,
                             int64_t at, int64_t span)
{
    for (size_t i = 0; i < forecast->n_movable; i++) {
        struct movable *movable = &forecast->movable[i];

        if (movable->host != host || movable->from <= at)
            continue;
        change(forecast, host, movable, +1);
        if (forecast_fits(forecast, vm, host, at, span) && move(forecast, movable))
            return true;
        change(forecast, host, movable, -1);
    }
    return false;
}

int64_t forecast_in_front(struct forecast *forecast, const struct waiter *waiter, int64_t planned)
{
    const struct part *vm = &waiter->parts[0];
    const struct demand demand = forecast_demand(forecast, &vm->amounts);
    int64_t at = waiter->from, least = forecast->in_front_least;

    for (int attempt = 0; attempt < FORECAST_ATTEMPTS && planned != INSTANT_NEVER; attempt++) {
        at = forecast_earliest(forecast, vm, at, least);
        if (at > planned - least)
            break;
        for (uint32_t host = 0; host < forecast->n_hosts; host++) {
            const struct movable stay = {.from = at, .until = planned, .amounts = vm->amounts};

            if ((vm->allowed && !vm->allowed[host]) ||
                !forecast_fits(forecast, &demand, host, at, least) ||
                (!forecast_fits(forecast, &demand, host, at, planned - at) &&
                 !fits_without_one(forecast, &demand, host, at, planned - at)))
                continue;
            change(forecast, host, &stay, -1);
            return at;
        }
        at = forecast_next_change(forecast, at);
    }
    return INSTANT_NONE;
}
