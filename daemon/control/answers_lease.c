/* lease-show, lease-why, lease-history. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/lease_json.h"

enum {
    HISTORY_LIMIT = 1000,
    HISTORY_LIMIT_MAX = 100000,
    AHEAD_MAX = 10, /* leases named in lease-why; the count includes all */
    MESSAGES_MAX = 5,
};

json_t *answers_no_lease(const struct question *question, int64_t id, const char *otherwise)
{
    const struct vm_record *vm =
        id <= INT32_MAX ? store_vm(question->answers->store, (int32_t)id) : NULL;

    if (vm && vm->lease != id)
        return answer_error(ENOENT,
                            "lease %" PRId64 " does not exist, but VM %" PRId64
                            " belongs to lease %" PRId64,
                            id, id, vm->lease);
    return answer_error(ENOENT, "lease %" PRId64 " does not exist%s", id, otherwise);
}

/* Finds the lease that the request names, in memory or in the file. NULL: *wrong is the answer. */
static const struct lease_record *find_lease(const struct question *question, json_t **wrong)
{
    struct store *store = question->answers->store;
    const struct lease_record *lease;
    struct error err;
    int64_t id = 0;
    bool there;
    int found;

    *wrong = question_number(question, "lease", INT64_MAX - 1, &id, &there);
    if (!*wrong && !there)
        *wrong = answer_error(EINVAL, "lease: missing");
    if (*wrong)
        return NULL;
    lease = store_lease(store, id);
    if (lease)
        return lease;
    found = store_past_lease(store, id, &lease, &err);
    if (found > 0)
        return lease;
    if (found < 0)
        *wrong = answers_refused(&err);
    else
        *wrong = answers_no_lease(question, id, "");
    return NULL;
}

/* Writes the VM that a starting, stopping, ending or late lease waits for. */
static void write_waits_for(const struct question *question, const struct lease_record *lease,
                            struct json_writer *writer)
{
    static const char *const words[] = {
        [AWAITED_LEAVES] = "leaves", [AWAITED_RUNS] = "runs", [AWAITED_ATTEMPT] = "next-attempt"};
    const struct answers_daemon *daemon = question->answers->daemon;
    const struct awaited awaited = daemon->waits_for
                                       ? daemon->waits_for(daemon->context, lease, question->now)
                                       : (struct awaited){0};
    char text[STORE_TEXT_MAX];

    if (awaited.what == AWAITED_NOTHING) {
        json_put_string(writer, "waits_for", NULL);
        json_put_string(writer, "awaited", NULL);
        return;
    }
    awaited_text(&awaited, text, sizeof text);
    json_put_string(writer, "waits_for", text);
    json_open_object(writer, "awaited");
    json_put_string(writer, "what", words[awaited.what]);
    json_put_integer(writer, "vm", awaited.vm);
    json_put_string(writer, "state", awaited.state);
    json_put_id(writer, "host", awaited.host);
    json_put_instant(writer, "overdue_since", awaited.stuck);
    json_put_instant(writer, "at", awaited.at);
    json_end_object(writer);
}

json_t *answer_lease_show(const struct question *question)
{
    struct past_members past = {0};
    json_t *wrong;
    const struct lease_record *lease = find_lease(question, &wrong);
    struct shown_lease view;
    struct json_writer writer;
    struct error err;

    if (!lease)
        return wrong;
    view = answers_view(question, lease, 0);
    if (!store_lease(question->answers->store, lease->id)) {
        if (past_members_read(&past, question, lease->id, &err) < 0) {
            past_members_finish(&past);
            return answers_refused(&err);
        }
        view.vms = past.pointers;
        view.n_vms = past.n;
    }
    answer_text_begin(&writer, question, "galerna-lease/1");
    json_write_key(&writer, "lease");
    json_begin_lease(&writer, &view, question->now);
    write_waits_for(question, lease, &writer);
    json_open_array(&writer, "members");
    for (size_t i = 0; i < view.n_vms; i++)
        json_write_vm(&writer, lease, view.vms[i]);
    json_end_array(&writer);
    json_end_object(&writer);
    past_members_finish(&past);
    return answer_text_end(&writer);
}

/* The position of a lease in the queue; 0: not queued. */
static size_t position_of(const struct question *question, const struct lease_record *lease)
{
    const struct answered_queue *queue;

    if (lease->phase != PHASE_WAITING || queue_lets_others_pass(lease))
        return 0;
    queue = answers_queue(question);
    for (size_t i = 0; i < queue->n; i++)
        if (queue->ids[i] == lease->id)
            return i + 1;
    return 0;
}

/* Writes the first leases of the queue up to a position. */
static void write_ahead(const struct question *question, size_t position,
                        struct json_writer *writer)
{
    const struct store *store = question->answers->store;
    const struct answered_queue *queue = position ? answers_queue(question) : NULL;

    json_open_array(writer, "ahead");
    for (size_t i = 0; i + 1 < position && i < AHEAD_MAX; i++) {
        struct shown_lease view = answers_view(question, store_lease(store, queue->ids[i]), 0);

        json_write_lease(writer, &view, question->now);
    }
    json_end_array(writer);
}

/* Writes the messages of the lease's VMs, each sentence once. */
static void write_messages(const struct question *question, const struct lease_record *lease,
                           struct json_writer *writer)
{
    size_t n, n_written = 0;
    const struct vm_record *const *vms = store_vms_of(question->answers->store, lease->id, &n);

    json_open_array(writer, "messages");
    for (size_t i = 0; i < n && n_written < MESSAGES_MAX; i++) {
        bool known = !*vms[i]->message;

        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(vms[i]->message, vms[j]->message) == 0;
        if (known)
            continue;
        json_begin_object(writer);
        json_put_integer(writer, "vm", vms[i]->id);
        json_put_string(writer, "text", vms[i]->message);
        json_end_object(writer);
        n_written++;
    }
    json_end_array(writer);
}

/* Writes the lease; while it waits, with its owner's share. */
static void explain_lease(const struct question *question, const struct lease_record *lease,
                          struct json_writer *writer)
{
    struct queue_order order = {.shares = NULL};
    struct shown_lease view = answers_view(question, lease, 0);
    struct share_view share;

    if (lease->phase == PHASE_WAITING)
        order = queue_order_begin(question);
    if (order.shares) {
        share = share_look(order.shares, queue_share_of(&order, lease), order.now);
        view.share = &share;
    }
    json_write_key(writer, "lease");
    json_begin_lease(writer, &view, question->now);
    write_waits_for(question, lease, writer);
    json_end_object(writer);
    fair_share_destroy(order.shares);
}

static void write_position(size_t position, struct json_writer *writer)
{
    json_write_key(writer, "position");
    if (position)
        json_write_integer(writer, (int64_t)position);
    else
        json_write_null(writer);
    json_put_integer(writer, "n_ahead", position ? (int64_t)position - 1 : 0);
}

static void write_trace(const json_t *trace, struct json_writer *writer)
{
    char *text = json_dumps(trace, JSON_COMPACT);

    if (!text)
        abort(); /* out of memory */
    json_write_key(writer, "trace");
    json_write_raw(writer);
    output_text(writer->out, text);
    free(text);
}

/* trace: NULL: none; takes the reference. */
static json_t *explain(const struct question *question, json_t *trace)
{
    json_t *wrong;
    const struct lease_record *lease = find_lease(question, &wrong);
    struct json_writer writer;
    size_t position;

    if (!lease) {
        json_decref(trace);
        return wrong;
    }
    position = position_of(question, lease);
    answer_text_begin(&writer, question, "galerna-lease-why/1");
    write_position(position, &writer);
    write_messages(question, lease, &writer);
    if (trace)
        write_trace(trace, &writer);
    json_decref(trace);
    explain_lease(question, lease, &writer);
    write_ahead(question, position, &writer);
    return answer_text_end(&writer);
}

json_t *answer_lease_why(const struct question *question)
{
    return explain(question, NULL);
}

json_t *answer_lease_trace(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct error err;
    json_t *trace, *wrong;
    const struct lease_record *lease = find_lease(question, &wrong);

    if (!lease)
        return wrong;
    trace = json_object();
    if (daemon->trace(daemon->context, lease->id, trace, &err) < 0) {
        json_decref(trace);
        return answers_refused(&err);
    }
    return explain(question, trace);
}

static void add_event(void *context, const struct store_event *event)
{
    struct json_writer *writer = context;

    json_begin_object(writer);
    json_put_instant(writer, "at", event->at);
    json_put_id(writer, "lease", event->lease);
    json_put_string(writer, "event", event->event);
    json_put_string(writer, "text", event->text);
    json_end_object(writer);
}

json_t *answer_lease_history(const struct question *question)
{
    struct store *store = question->answers->store;
    const struct lease_record *lease = NULL;
    int64_t limit = HISTORY_LIMIT;
    struct json_writer writer;
    struct error err;
    json_t *wrong;
    bool there;

    wrong = question_number(question, "limit", HISTORY_LIMIT_MAX, &limit, &there);
    if (wrong)
        return wrong;
    if (json_object_get(question->request, "lease")) {
        lease = find_lease(question, &wrong);
        if (!lease)
            return wrong;
    }
    if (limit == 0)
        limit = HISTORY_LIMIT_MAX;
    answer_text_begin(&writer, question, "galerna-lease-history/1");
    json_open_array(&writer, "events");
    if (store_each_event(store, lease ? lease->id : STORE_NO_LEASE, (size_t)limit, add_event,
                         &writer, &err) < 0)
        return answer_text_fail(&writer, &err);
    json_end_array(&writer);
    return answer_text_end(&writer);
}
