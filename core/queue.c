/* Waiting leases: the queue, leases not ready yet, and leases that hold a future place. */
#include "core/queue.h"

#include <string.h>

#include "core/engine_state.h"

static void append(struct engine *engine, struct lease *lease)
{
    lease->plan->in_queue = true;
    engine->queues.has_deadlines |= lease->request.deadline != INSTANT_NONE;
    lease_list_append(&engine->queues.queue, lease);
}

/* Moves the item to its place among those before it. */
static void settle(struct lease_list *queue, size_t place)
{
    struct lease *lease = queue->items[place];

    for (; place && queue->items[place - 1]->request.submit > lease->request.submit; place--)
        queue->items[place] = queue->items[place - 1];
    queue->items[place] = lease;
}

static bool may_be_unsorted(const struct engine *engine)
{
    return engine->settings.behaviour.new_leases_queued_last;
}

void queue_insert(struct engine *engine, struct lease *lease)
{
    struct lease_list *queue = &engine->queues.queue;

    append(engine, lease);
    for (size_t i = 1; may_be_unsorted(engine) && i < queue->n; i++)
        settle(queue, i);
    settle(queue, queue->n - 1);
}

void queue_add(struct engine *engine, struct lease *lease)
{
    if (may_be_unsorted(engine))
        append(engine, lease);
    else
        queue_insert(engine, lease);
}

void queue_insert_by_id(struct engine *engine, struct lease *lease)
{
    struct lease_list *queue = &engine->queues.queue;
    size_t low = 0, high = queue->n;

    append(engine, lease);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct lease_request *other = &queue->items[middle]->request;

        if (other->submit < lease->request.submit ||
            (other->submit == lease->request.submit && other->id < lease->request.id))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&queue->items[low + 1], &queue->items[low],
            (queue->n - 1 - low) * sizeof(struct lease *));
    queue->items[low] = lease;
}

void queue_remove(struct engine *engine, struct lease *lease)
{
    lease->plan->in_queue = false;
    lease_list_remove(&engine->queues.queue, lease);
}

void future_remove(struct engine *engine, struct lease *lease)
{
    if (!lease->plan->holds_future)
        return;
    lease->plan->holds_future = false;
    lease_list_remove(&engine->queues.future, lease);
}

bool future_allowed(const struct engine *engine)
{
    return future_allowed_without(engine, 0);
}

bool future_allowed_without(const struct engine *engine, size_t fewer)
{
    const size_t n = engine->queues.future.n - fewer;

    switch (engine->settings.backfilling) {
    case BACKFILLING_AGGRESSIVE:
        return n < 1;
    case BACKFILLING_INTERMEDIATE:
        return (int64_t)n < engine->settings.backfilling_reservations;
    case BACKFILLING_CONSERVATIVE:
        return true;
    default:
        return false;
    }
}

int64_t lease_ready_at(const struct lease *lease)
{
    int64_t ready = lease->plan->not_before;

    if (lease->request.kind == LEASE_BEST_EFFORT && lease->request.start > ready)
        ready = lease->request.start;
    return ready;
}

void keep_early(struct engine *engine, struct lease *lease)
{
    struct lease_list *early = &engine->queues.early;
    int64_t ready = lease_ready_at(lease);
    size_t place;

    lease->reason = (struct reason){.id = REASON_NOT_READY, .n = {ready}};
    lease_list_append(early, lease);
    for (place = early->n - 1; place && lease_ready_at(early->items[place - 1]) > ready; place--)
        early->items[place] = early->items[place - 1];
    early->items[place] = lease;
}
