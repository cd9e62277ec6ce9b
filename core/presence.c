/* Which leases are present on a host over time. */
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

/* The lease's other reservations on a host at a given time. */
struct siblings {
    bool cover;    /* one of them holds the host */
    int64_t until; /* the next time at which one of them begins or ends there */
};

/* Only reservations that hold the host matter: a gang that is suspended VM by VM has as many
 * reservations as hosts, and each overlaps most others. */
static struct siblings siblings_at(const struct reservation *r, uint32_t host, int64_t at)
{
    struct siblings siblings = {.until = INSTANT_NEVER};

    for (const struct reservation *s = r->lease->booked; s; s = s->next_booked) {
        int64_t edge = s->from > at ? s->from : s->until;

        if (s == r || s->until <= at || s->from >= r->until || !uses(s->placement, host))
            continue;
        siblings.cover |= s->from <= at;
        siblings.until = edge < siblings.until ? edge : siblings.until;
    }
    return siblings;
}

uint32_t presence_apply(struct profile *profile, const struct reservation *r, uint32_t host,
                        struct profile_change change)
{
    int64_t end = change.until;
    uint32_t negative = 0;

    for (int64_t at = change.from; at < end; at = change.until) {
        struct siblings siblings = siblings_at(r, host, at);

        change.from = at;
        change.until = siblings.until < end ? siblings.until : end;
        change.mark = siblings.cover ? 0 : profile_mark(r->lease->request.id);
        negative |= profile_apply(profile, &change);
    }
    return negative;
}
