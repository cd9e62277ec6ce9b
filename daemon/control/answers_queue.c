/* queue: the waiting leases in the order of the queue. */
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/lease_json.h"
#include "util/memory.h"

struct queue_order queue_order_begin(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;

    return (struct queue_order){
        .store = question->answers->store,
        .shares = daemon->shares ? daemon->shares(daemon->context, question->now) : NULL,
        .now = question->now};
}

struct share *queue_share_of(const struct queue_order *order, const struct lease_record *lease)
{
    return fair_share_of(order->shares, lease->uid, lease->gid);
}

bool queue_lets_others_pass(const struct lease_record *lease)
{
    switch (lease->reason_id) {
    case REASON_TOO_BIG:
    case REASON_NO_HOST_ALLOWED:
    case REASON_HOSTS_TOO_SMALL:
    case REASON_NO_DEVICE:
    case REASON_NO_TOPOLOGY:
    case REASON_HOSTS_EXCLUDED:
    case REASON_QUARANTINED:
    case REASON_DRAINED:
    case REASON_LOCKED:
    case REASON_MALFORMED:
    case REASON_NOT_UNDERSTOOD:
    case REASON_NOT_SUPPORTED:
    case REASON_REQUIREMENT_MALFORMED:
        return true;
    default:
        return false;
    }
}

/* Orders by priority, fair share and age; those that no host can hold at present are last. */
static int compare_queued(const void *one, const void *two, void *context)
{
    const struct queue_order *order = context;
    const struct lease_record *a = store_lease(order->store, *(const int64_t *)one);
    const struct lease_record *b = store_lease(order->store, *(const int64_t *)two);
    int shares = 0;

    if (queue_lets_others_pass(a) != queue_lets_others_pass(b))
        return queue_lets_others_pass(a) ? 1 : -1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (order->shares)
        shares = share_compare(order->shares, queue_share_of(order, a), queue_share_of(order, b),
                               order->now);
    if (shares)
        return shares;
    if (a->submit != b->submit)
        return a->submit < b->submit ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

const struct answered_queue *answers_queue(const struct question *question)
{
    const struct store *store = question->answers->store;
    struct answered_queue *queue = question->answers->queue;
    struct queue_order order;
    size_t n_leases;
    const struct lease_record *const *leases = store_leases(store, &n_leases);
    bool known = queue->ids && queue->changes == store_changes(store);

    if (known && queue->now == question->now)
        return queue;
    order = queue_order_begin(question);
    if (known && !queue->by_shares && !order.shares)
        return queue; /* the order does not depend on the time */
    MEMORY_GROW(queue->ids, queue->allocated, n_leases + 1);
    queue->n = 0;
    for (size_t i = 0; i < n_leases; i++)
        if (leases[i]->phase == PHASE_WAITING)
            queue->ids[queue->n++] = leases[i]->id;
    qsort_r(queue->ids, queue->n, sizeof *queue->ids, compare_queued, &order);
    queue->by_shares = order.shares;
    fair_share_destroy(order.shares);
    queue->changes = store_changes(store);
    queue->now = question->now;
    return queue;
}

json_t *answer_queue(const struct question *question)
{
    struct json_writer writer;
    const struct answered_queue *queue = answers_queue(question);
    struct queue_order order = queue_order_begin(question);

    answer_text_begin(&writer, question, "galerna-queue/1");
    json_open_array(&writer, "leases");
    for (size_t i = 0; i < queue->n; i++) {
        struct shown_lease view =
            answers_view(question, store_lease(order.store, queue->ids[i]), 0);
        struct share_view share;

        view.position = queue_lets_others_pass(view.lease) ? 0 : i + 1;
        if (order.shares) {
            share = share_look(order.shares, queue_share_of(&order, view.lease), order.now);
            view.share = &share;
        }
        json_write_lease(&writer, &view, question->now);
    }
    json_end_array(&writer);
    fair_share_destroy(order.shares);
    return answer_text_end(&writer);
}
