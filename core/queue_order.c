/* The order of the queue: by priority, so that no lease starts ahead of a waiting lease of higher
 * priority or is displaced at once; by fair share among equals. */
#include "core/queue_order.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/fair_share.h"
#include "core/outputs.h"
#include "core/relief.h"
#include "core/stretches.h"

/* Would the policy preempt `other` for `lease`? */
static bool displaces(const struct engine *engine, const struct lease *lease,
                      const struct lease *other)
{
    const struct policy_hooks *hooks = engine->hooks;
    struct victim victim = {.lease = other, .runs_since = engine->now};
    int64_t score = POLICY_VETO;

    hooks->score_victims(hooks->context, &(struct victim_batch){lease, engine->now, &victim, 1},
                         &score);
    return score != POLICY_VETO;
}

/* Below 0: `a` goes first. */
static int compare_shares(const struct engine *engine, const struct lease *a, const struct lease *b)
{
    return engine->shares
               ? share_compare(engine->shares, a->plan->share, b->plan->share, engine->now)
               : 0;
}

/* Of those that are not stuck; NULL: none. */
static struct lease *most_important(const struct engine *engine, const struct lease_list *queue)
{
    struct lease *most = NULL;
    const bool fair = engine->shares != NULL;

    for (size_t i = 0; i < queue->n; i++) {
        struct lease *lease = queue->items[i];

        if (lease->plan->stuck)
            continue;
        if (!most || lease->request.priority > most->request.priority ||
            (fair && lease->request.priority == most->request.priority &&
             compare_shares(engine, lease, most) < 0))
            most = lease;
    }
    return most;
}

bool queue_outranks(const struct engine *engine, const struct lease *lease,
                    const struct lease *other)
{
    if (lease->request.priority == other->request.priority)
        return compare_shares(engine, lease, other) < 0;
    return lease->request.priority > other->request.priority &&
           !(policy_displaces(engine, other) && displaces(engine, other, lease) &&
             !displaces(engine, lease, other));
}

static bool goes_by_priority(const struct engine *engine, const struct lease_list *queue)
{
    const struct lease *most = queue->items[0], *least = most;

    for (size_t i = 1; i < queue->n; i++) {
        const struct lease *lease = queue->items[i];

        if (lease->request.priority > most->request.priority)
            most = lease;
        else if (lease->request.priority < least->request.priority)
            least = lease;
    }
    return most->request.priority > least->request.priority && queue_outranks(engine, most, least);
}

struct order {
    const struct engine *engine;
    bool by_priority;
};

static int compare(const void *one, const void *other, void *context)
{
    const struct lease *a = *(struct lease *const *)one, *b = *(struct lease *const *)other;
    const struct order *order = context;
    int shares;

    if (order->by_priority && a->request.priority != b->request.priority)
        return a->request.priority > b->request.priority ? -1 : 1;
    shares = compare_shares(order->engine, a, b);
    if (shares)
        return shares;
    if (a->request.submit != b->request.submit)
        return a->request.submit < b->request.submit ? -1 : 1;
    return a->request.id < b->request.id ? -1 : a->request.id > b->request.id;
}

void queue_sort(const struct engine *engine, struct lease **leases, size_t n, bool by_priority)
{
    struct order order = {engine, by_priority};

    if (n > 1)
        qsort_r(leases, n, sizeof(struct lease *), compare, &order);
}

static bool gives_up_its_place(const struct engine *engine, const struct lease *holder,
                               const struct lease *lease)
{
    return (holder->state == LEASE_SCHEDULED || holder->state == LEASE_READY ||
            holder->state == LEASE_SUSPENDED_SCHEDULED) &&
           queue_outranks(engine, lease, holder);
}

struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue,
                                     struct lease_list *holders)
{
    struct lease *most;

    holders->n = 0;
    if (!engine->queues.future.n)
        return NULL;
    most = most_important(engine, queue);
    for (size_t i = engine->queues.future.n; most && i-- > 0;)
        if (gives_up_its_place(engine, engine->queues.future.items[i], most))
            lease_list_append(holders, engine->queues.future.items[i]);
    return holders->n ? most : NULL;
}

void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease_list *holders)
{
    for (size_t i = 0; i < holders->n; i++) {
        struct lease *holder = holders->items[i];
        bool suspended = holder->state == LEASE_SUSPENDED_SCHEDULED;

        unschedule_lease(engine, holder);
        lease_set_state(engine, holder, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
        lease_list_append(queue, holder);
    }
}

bool queue_put_in_order(const struct engine *engine, struct lease_list *queue)
{
    bool by_priority = queue->n > 1 && goes_by_priority(engine, queue);

    if (by_priority || engine->shares)
        queue_sort(engine, queue->items, queue->n, by_priority);
    return by_priority;
}
