/* Leases present on a host over time. */
#include "core/presence.h"

#include <stdlib.h>

#include "core/lease.h"
#include "util/memory.h"

/* Leases with more booked reservations are kept by host. */
enum { FEW = 16 };

/* A lease's booked reservations on one host. */
struct stays {
    const struct reservation **items;
    size_t n, allocated;
};

struct presence {
    struct map leases; /* by id: struct map of struct stays, by host */
};

struct presence *presence_create(void)
{
    struct presence *presence = memory_new(1, sizeof *presence);

    map_init(&presence->leases, sizeof(struct map));
    return presence;
}

static void by_host_finish(struct map *by_host)
{
    for (uint32_t i = 0; i < by_host->n; i++)
        free(((struct stays *)map_value(by_host, i))->items);
    map_finish(by_host);
}

void presence_destroy(struct presence *presence)
{
    for (uint32_t i = 0; i < presence->leases.n; i++)
        by_host_finish(map_value(&presence->leases, i));
    map_finish(&presence->leases);
    free(presence);
}

static struct map *find(const struct presence *presence, const struct lease *lease)
{
    return map_value(&presence->leases, map_find(&presence->leases, lease->request.id));
}

static void by_host_add(struct map *by_host, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++) {
        struct stays *stays = map_value(by_host, map_add(by_host, r->placement->hosts[i]));

        MEMORY_GROW(stays->items, stays->allocated, stays->n + 1);
        stays->items[stays->n++] = r;
    }
}

static void by_host_remove(const struct map *by_host, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++) {
        struct stays *stays = map_value(by_host, map_find(by_host, r->placement->hosts[i]));
        size_t k = 0;

        while (stays->items[k] != r)
            k++;
        stays->items[k] = stays->items[--stays->n];
    }
}

void presence_add(struct presence *presence, struct reservation *r)
{
    struct map *by_host = find(presence, r->lease);

    r->previous_booked = NULL;
    r->next_booked = r->lease->booked;
    if (r->next_booked)
        r->next_booked->previous_booked = r;
    r->lease->booked = r;
    if (by_host)
        by_host_add(by_host, r);
}

bool presence_has(const struct reservation *r)
{
    return r->previous_booked || r->lease->booked == r;
}

void presence_remove(struct presence *presence, struct reservation *r)
{
    struct map *by_host = find(presence, r->lease);

    if (r->next_booked)
        r->next_booked->previous_booked = r->previous_booked;
    if (r->previous_booked)
        r->previous_booked->next_booked = r->next_booked;
    else
        r->lease->booked = r->next_booked;
    r->next_booked = r->previous_booked = NULL;
    if (!by_host)
        return;
    by_host_remove(by_host, r);
    if (!r->lease->booked) {
        by_host_finish(by_host);
        map_remove(&presence->leases, map_find(&presence->leases, r->lease->request.id));
    }
}

static bool overlaps(const struct reservation *a, const struct reservation *b)
{
    return a->from < b->until && b->from < a->until;
}

/* Do other reservations of the lease overlap r, or are there too many to check? */
static bool is_kept_by_host(const struct reservation *r)
{
    const struct reservation *s = r->lease->booked;
    int n = 0;

    for (; s && n < FEW; s = s->next_booked, n++)
        if (s != r && overlaps(s, r))
            return true;
    return s != NULL;
}

const struct map *presence_by_host(struct presence *presence, const struct reservation *r)
{
    struct map *by_host = find(presence, r->lease);

    if (by_host || !is_kept_by_host(r))
        return by_host;
    by_host = map_value(&presence->leases, map_add(&presence->leases, r->lease->request.id));
    map_init(by_host, sizeof(struct stays));
    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked)
        by_host_add(by_host, s);
    return by_host;
}

/* The lease's other reservations on a host at a given time. */
struct siblings {
    bool cover;    /* one of them holds the host */
    int64_t until; /* the next time at which one of them begins or ends there */
};

static struct siblings siblings_at(const struct stays *stays, const struct reservation *r,
                                   int64_t at)
{
    struct siblings siblings = {.until = INSTANT_NEVER};

    for (size_t i = 0; i < stays->n; i++) {
        const struct reservation *s = stays->items[i];
        int64_t edge = s->from > at ? s->from : s->until;

        if (s == r || s->until <= at || s->from >= r->until)
            continue;
        siblings.cover |= s->from <= at;
        siblings.until = edge < siblings.until ? edge : siblings.until;
    }
    return siblings;
}

uint32_t presence_apply(const struct map *by_host, struct profile *profile,
                        const struct reservation *r, uint32_t host, struct profile_change change)
{
    const struct stays *stays = map_value(by_host, map_find(by_host, host));
    int64_t end = change.until;
    uint32_t negative = 0;

    for (int64_t at = change.from; at < end; at = change.until) {
        struct siblings siblings = siblings_at(stays, r, at);

        change.from = at;
        change.until = siblings.until < end ? siblings.until : end;
        change.mark = siblings.cover ? 0 : profile_mark(r->lease->request.id);
        negative |= profile_apply(profile, &change, profile_find(profile, at));
    }
    return negative;
}
