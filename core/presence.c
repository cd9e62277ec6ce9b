#include "core/presence.h"

#include "core/lease.h"

static bool uses(const struct placement *placement, uint32_t host)
{
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        if (placement->hosts[i] == host)
            return true;
    return false;
}

static bool overlaps(const struct reservation *a, const struct reservation *b)
{
    return a->from < b->until && b->from < a->until;
}

bool presence_overlaps(const struct reservation *r)
{
    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked)
        if (s != r && overlaps(s, r))
            return true;
    return false;
}

static bool sibling_covers(const struct reservation *r, uint32_t host, int64_t at)
{
    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked)
        if (s != r && s->from <= at && at < s->until && uses(s->placement, host))
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

uint32_t presence_apply(struct profile *profile, const struct reservation *r, uint32_t host,
                        struct profile_change change)
{
    int64_t end = change.until;
    uint32_t negative = 0;

    for (int64_t at = change.from; at < end; at = change.until) {
        int64_t edge = next_sibling_edge(r, at);

        change.from = at;
        change.until = edge < end ? edge : end;
        change.mark = sibling_covers(r, host, at) ? 0 : profile_mark(r->lease->request.id);
        negative |= profile_apply(profile, &change);
    }
    return negative;
}
