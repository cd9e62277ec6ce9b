/* The order of the queue: by priority, so that no lease starts ahead of a more important waiting
 * one, or only to be displaced at once. */
#include "core/queue_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/outputs.h"
#include "core/relief.h"
#include "core/stretches.h"
#include "util/memory.h"

/* Would the policy preempt the one for the other? */
static bool displaces(const struct engine *engine, const struct lease *lease,
                      const struct lease *other)
{
    const struct policy_hooks *hooks = engine->hooks;
    struct victim victim = {.lease = other, .runs_since = engine->now};
    int64_t score = POLICY_VETO;

    hooks->score_victims(hooks->context, lease, engine->now, &victim, 1, &score);
    return score != POLICY_VETO;
}

static struct lease *most_important(const struct lease_list *queue)
{
    struct lease *most = queue->items[0];

    for (size_t i = 1; i < queue->n; i++)
        if (queue->items[i]->request.priority > most->request.priority)
            most = queue->items[i];
    return most;
}

/* More important, unless the policy disagrees: it may favor leases that have waited long. */
static bool outranks(const struct engine *engine, const struct lease *lease,
                     const struct lease *other)
{
    return lease->request.priority > other->request.priority &&
           !(policy_displaces(engine, other) && displaces(engine, other, lease) &&
             !displaces(engine, lease, other));
}

static bool goes_by_priority(const struct engine *engine, const struct lease_list *queue)
{
    const struct lease *least = queue->items[0];

    for (size_t i = 1; i < queue->n; i++)
        if (queue->items[i]->request.priority < least->request.priority)
            least = queue->items[i];
    return outranks(engine, most_important(queue), least);
}

static bool comes_before(const struct lease *a, const struct lease *b)
{
    if (a->request.priority != b->request.priority)
        return a->request.priority > b->request.priority;
    if (a->request.submit != b->request.submit)
        return a->request.submit < b->request.submit;
    return a->request.id < b->request.id;
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
    return (holder->state == LEASE_SCHEDULED || holder->state == LEASE_READY ||
            holder->state == LEASE_SUSPENDED_SCHEDULED) &&
           outranks(engine, lease, holder);
}

struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue)
{
    struct lease *most;

    if (!queue->n || !engine->queues.future.n)
        return NULL;
    most = most_important(queue);
    for (size_t i = 0; i < engine->queues.future.n; i++)
        if (gives_up_its_place(engine, engine->queues.future.items[i], most))
            return most;
    return NULL;
}

void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease *lease)
{
    for (size_t i = engine->queues.future.n; i-- > 0;) {
        struct lease *holder = engine->queues.future.items[i];
        bool suspended = holder->state == LEASE_SUSPENDED_SCHEDULED;

        if (!gives_up_its_place(engine, holder, lease))
            continue;
        unschedule_lease(engine, holder);
        lease_set_state(engine, holder, suspended ? LEASE_SUSPENDED_QUEUED : LEASE_QUEUED);
        lease_list_append(queue, holder);
    }
}

bool queue_put_in_order(const struct engine *engine, struct lease_list *queue)
{
    struct lease **room;

    if (queue->n < 2 || !goes_by_priority(engine, queue))
        return false;
    room = memory_new(queue->n, sizeof *room);
    sort_by_priority(queue->items, room, queue->n);
    free(room);
    return true;
}
