/* Best-effort leases that have others make room: nobody loses work for a request that can wait, so
 * it begins when those that run have been suspended; and the queue goes in the order in which its
 * leases could displace each other, so that nobody is started to be displaced at once. */
#include <stdlib.h>
#include <string.h>

#include "core/mapper.h"
#include "util/memory.h"

static bool policy_displaces(const struct engine *engine, const struct lease *lease)
{
    const struct policy_hooks *hooks = engine->hooks;

    return hooks->score_victims && !hooks->choose_victims &&
           !engine->settings.behaviour.lease_kinds_of_haizea_1_0 &&
           (!hooks->may_preempt || hooks->may_preempt(hooks->context, lease));
}

/* --- when there can be room ------------------------------------------------------------------- */

struct reliefs {
    struct victim *victims;
    size_t n, allocated;
};

static void gather_running(struct engine *engine, const struct lease *lease,
                           struct reliefs *reliefs)
{
    size_t i = reservation_index_after(&engine->by_end, engine->now);

    for (; i < engine->by_end.n; i++) {
        const struct reservation *r = reservation_index_at(&engine->by_end, i)->reservation;

        if (r->kind != RESERVATION_VM || r->state != RESERVATION_ACTIVE || r->lease == lease ||
            r->lease->request.kind != LEASE_BEST_EFFORT || !may_be_suspended(engine, r->lease))
            continue;
        reliefs->victims = memory_grow(reliefs->victims, &reliefs->allocated, reliefs->n + 1,
                                       sizeof *reliefs->victims);
        reliefs->victims[reliefs->n++] =
            (struct victim){.lease = r->lease, .started = true, .runs_since = r->from};
    }
}

/* Keep the few earliest, each once. */
static size_t add_point(int64_t *points, size_t n, int64_t at)
{
    size_t place = n;

    while (place && points[place - 1] > at)
        place--;
    if (place == RELIEF_POINTS || (place && points[place - 1] == at))
        return n;
    n -= n == RELIEF_POINTS;
    memmove(&points[place + 1], &points[place], (n - place) * sizeof *points);
    points[place] = at;
    return n + 1;
}

size_t relief_points(struct engine *engine, const struct lease *lease, int64_t after,
                     int64_t points[RELIEF_POINTS])
{
    const struct policy_hooks *hooks = engine->hooks;
    struct reliefs reliefs = {0};
    int64_t *scores;
    size_t n = 0;

    if (lease->request.kind != LEASE_BEST_EFFORT || !policy_displaces(engine, lease))
        return 0;
    gather_running(engine, lease, &reliefs);
    scores = memory_new(reliefs.n + 1, sizeof *scores);
    if (reliefs.n)
        hooks->score_victims(hooks->context, lease, after, reliefs.victims, reliefs.n, scores);
    for (size_t i = 0; i < reliefs.n; i++) {
        struct lease *victim = (struct lease *)reliefs.victims[i].lease;
        int64_t at = engine->now + suspend_estimate(engine, victim);
        int64_t worth = reliefs.victims[i].runs_since + scheduling_threshold(engine, victim);

        at = at > worth ? at : worth;
        if (scores[i] != POLICY_VETO && at > after)
            n = add_point(points, n, at);
    }
    free(scores);
    free(reliefs.victims);
    return n;
}

bool loses_work(struct engine *engine, const struct map_request *request, struct lease *victim)
{
    return request->lease->request.kind == LEASE_BEST_EFFORT &&
           !engine->settings.behaviour.lease_kinds_of_haizea_1_0 &&
           (victim->request.terms == TERMS_SUSPENDABLE ||
            victim->request.terms == TERMS_MIGRATABLE) &&
           (victim->state == LEASE_ACTIVE || victim->state == LEASE_RESUMING) &&
           !can_be_suspended_at(engine, victim, request->from, false);
}

/* --- the order of the queue ------------------------------------------------------------------- */

/* Would the policy have one make room for the other? */
static bool displaces(const struct engine *engine, const struct lease *lease,
                      const struct lease *other)
{
    const struct policy_hooks *hooks = engine->hooks;
    struct victim victim = {.lease = other, .runs_since = engine->now};
    int64_t score = POLICY_VETO;

    hooks->score_victims(hooks->context, lease, engine->now, &victim, 1, &score);
    return score != POLICY_VETO;
}

static const struct lease *most_important(const struct lease_list *queue)
{
    const struct lease *most = queue->items[0];

    for (size_t i = 1; i < queue->n; i++)
        if (queue->items[i]->request.priority > most->request.priority)
            most = queue->items[i];
    return most;
}

static bool goes_by_priority(const struct engine *engine, const struct lease_list *queue)
{
    const struct lease *most = most_important(queue), *least = NULL;

    for (size_t i = 0; i < queue->n; i++) {
        const struct lease *lease = queue->items[i];

        if (lease->request.terms != TERMS_NON_PREEMPTABLE &&
            (!least || lease->request.priority < least->request.priority))
            least = lease;
    }
    return least && most->request.priority > least->request.priority &&
           displaces(engine, most, least) && !displaces(engine, least, most);
}

static bool comes_before(const struct lease *a, const struct lease *b)
{
    if (a->request.priority != b->request.priority)
        return a->request.priority > b->request.priority;
    return a->request.submit < b->request.submit;
}

/* Both halves are in order. */
static void merge(struct lease **items, struct lease **room, size_t middle, size_t n)
{
    size_t left = 0, right = middle;

    memcpy(room, items, n * sizeof *room);
    for (size_t i = 0; i < n; i++) {
        bool take_right = left == middle || (right < n && comes_before(room[right], room[left]));

        items[i] = take_right ? room[right++] : room[left++];
    }
}

static void sort_by_priority(struct lease **items, struct lease **room, size_t n)
{
    if (n < 2)
        return;
    sort_by_priority(items, room, n / 2);
    sort_by_priority(items + n / 2, room, n - n / 2);
    merge(items, room, n / 2, n);
}

static bool gives_up_its_place(const struct engine *engine, const struct lease *holder,
                               const struct lease *lease)
{
    return holder->request.priority < lease->request.priority &&
           (holder->state == LEASE_SCHEDULED || holder->state == LEASE_READY ||
            holder->state == LEASE_SUSPENDED_SCHEDULED) &&
           displaces(engine, lease, holder);
}

struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue)
{
    const struct lease *most;

    if (!queue->n || !engine->future.n || !policy_displaces(engine, queue->items[0]))
        return NULL;
    most = most_important(queue);
    for (size_t i = 0; i < engine->future.n; i++)
        if (gives_up_its_place(engine, engine->future.items[i], most))
            return (struct lease *)most;
    return NULL;
}

void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease *lease)
{
    for (size_t i = engine->future.n; i-- > 0;) {
        struct lease *holder = engine->future.items[i];
        bool suspended = holder->state == LEASE_SUSPENDED_SCHEDULED;

        if (!gives_up_its_place(engine, holder, lease))
            continue;
        unschedule_lease(engine, holder);
        lease_set_state(engine, holder, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
        lease_list_append(queue, holder);
    }
}

void queue_put_in_order(const struct engine *engine, struct lease_list *queue)
{
    struct lease **room;

    if (queue->n < 2 || !policy_displaces(engine, queue->items[0]) ||
        !goes_by_priority(engine, queue))
        return;
    room = memory_new(queue->n, sizeof *room);
    sort_by_priority(queue->items, room, queue->n);
    free(room);
}
