/* Booked hosts in a plan: each has a second place for the leases inside the booking, closed while
 * the host is not booked, as the host itself is closed while it is booked. */
#include <stdio.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/planner/planner_inside.h"

/* --- places ----------------------------------------------------------------------------------- */

uint32_t facts_place(const struct facts *facts, const struct lease_record *lease, int32_t host)
{
    uint32_t place = snapshot_place(facts->snapshot, host), inside = HOST_NONE;
    const struct drain *drain;
    int64_t at = facts->now;

    if (!lease || place == HOST_NONE || facts->snapshot->n_insides == 0)
        return place;
    if (lease->phase == PHASE_RESERVED && lease->expected != INSTANT_NONE && lease->expected > at)
        at = lease->expected;
    drain = drains_at(facts->drains, host, at);
    if (store_is_queued(lease) && *lease->booking)
        inside = snapshot_inside(facts->snapshot, place, lease->booking);
    else if (drain && drains_let_in(facts->drains, drain->booking, lease))
        inside = snapshot_inside(facts->snapshot, place, drain->booking);
    return inside == HOST_NONE ? place : inside;
}

void facts_put_insides(const struct facts *facts, struct wire_writer *frame)
{
    const struct snapshot *snapshot = facts->snapshot;

    wire_put(frame, (int64_t)snapshot->n_insides);
    for (size_t i = 0; i < snapshot->n_insides; i++)
        wire_put(frame, snapshot->insides[i].host);
}

/* --- sides ------------------------------------------------------------------------------------ */

static size_t booking_number(const struct facts *facts, const char *name)
{
    return (size_t)(drains_booking(facts->drains, name) - facts->drains->bookings);
}

/* A lease with hosts stays on the side where they are. */
struct sides facts_sides(const struct facts *facts, const struct lease_record *lease, int32_t host)
{
    const struct snapshot *snapshot = facts->snapshot;
    size_t n_hosts = snapshot->hosts->pool.n;
    uint32_t place = facts_place(facts, lease, host);
    struct sides sides = {.outside = true};

    if (snapshot->n_insides == 0)
        return sides;
    if (store_is_queued(lease)) {
        sides.outside = !*lease->booking;
        for (size_t i = 0; i < facts->drains->n_bookings; i++)
            sides.inside[i] = drains_let_in(facts->drains, facts->drains->bookings[i].name, lease);
        return sides;
    }
    sides.outside = place < n_hosts;
    if (!sides.outside && place != HOST_NONE)
        sides.inside[booking_number(facts, snapshot->insides[place - n_hosts].booking)] = true;
    return sides;
}

bool facts_is_on(const struct facts *facts, const struct sides *sides, uint32_t place)
{
    const struct snapshot *snapshot = facts->snapshot;
    size_t n_hosts = snapshot->hosts->pool.n;

    return place < n_hosts
               ? sides->outside
               : sides->inside[booking_number(facts, snapshot->insides[place - n_hosts].booking)];
}

/* --- admission to bookings -------------------------------------------------------------------- */

static bool may_be_cut(const struct lease_record *lease)
{
    return lease->kind == LEASE_BEST_EFFORT &&
           (lease->terms == TERMS_SUSPENDABLE || lease->terms == TERMS_MIGRATABLE);
}

/* Is a host of the booking booked long enough for the lease? */
static bool has_time(const struct facts *facts, const struct lease_record *lease)
{
    for (size_t i = 0; i < facts->drains->n; i++) {
        const struct drain *drain = &facts->drains->items[i];
        int64_t from = drain->from > facts->now ? drain->from : facts->now;
        int64_t until;

        if (strcmp(drain->booking, lease->booking) != 0)
            continue;
        until = drains_end_of_stay(facts->drains, drain);
        if (lease->kind == LEASE_RESERVATION)
            from = drain->from <= lease->start ? lease->start : INSTANT_NEVER;
        if (lease->duration != SPAN_UNLIMITED && from < until && lease->duration <= until - from)
            return true;
    }
    return false;
}

bool facts_are_kept_out(const struct facts *facts, const struct lease_record *lease,
                        char text[STORE_TEXT_MAX])
{
    struct detail why = {
        .id = DETAIL_BOOKING_TOO_SHORT, .n = {lease->start}, .name = lease->booking};

    if (!drains_admit(facts->drains, lease, text, STORE_TEXT_MAX))
        return true;
    if (!*lease->booking || lease->accepted || may_be_cut(lease) || has_time(facts, lease))
        return false;
    if (lease->duration == SPAN_UNLIMITED)
        why.id = DETAIL_NO_END;
    else if (lease->kind == LEASE_RESERVATION)
        why.id = DETAIL_NOT_BOOKED_FROM;
    details_add(text, STORE_TEXT_MAX, &why);
    return true;
}

int64_t facts_begins_inside(const struct facts *facts, const struct lease_record *lease)
{
    int64_t begins = INSTANT_NONE;

    for (size_t i = 0; facts->drains && *lease->booking && i < facts->drains->n; i++) {
        const struct drain *drain = &facts->drains->items[i];

        if (strcmp(drain->booking, lease->booking) == 0 && drain->from <= lease->start &&
            lease->start < drain->until && (begins == INSTANT_NONE || drain->from < begins))
            begins = drain->from;
    }
    return begins;
}

int64_t facts_booking_opens(const struct facts *facts, const struct lease_record *lease)
{
    int64_t opens = INSTANT_NONE;

    for (size_t i = 0; facts->drains && *lease->booking && i < facts->drains->n; i++) {
        const struct drain *drain = &facts->drains->items[i];

        if (strcmp(drain->booking, lease->booking) != 0 || drain->until <= facts->now)
            continue;
        if (drain->from <= facts->now)
            return INSTANT_NONE;
        if (opens == INSTANT_NONE || drain->from < opens)
            opens = drain->from;
    }
    return opens;
}
