/* lease-list, lease-show, lease-why, lease-history, queue. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/answers_text.h"
#include "daemon/store/words.h"
#include "util/memory.h"

enum {
    PAST_LIMIT = 1000, /* finished leases in a list by default */
    PAST_LIMIT_MAX = 10000,
    HISTORY_LIMIT = 1000,
    HISTORY_LIMIT_MAX = 100000,
    AHEAD_MAX = 10, /* leases named in lease-why; the count includes all */
    MESSAGES_MAX = 5,
};

/* Finds when a lease first ran, in its history: its record has only the current run. */
static void note_begin(void *context, const struct store_event *event)
{
    int64_t *began = context;

    if (*began == INSTANT_NONE &&
        (!strcmp(event->event, "running") || !strcmp(event->event, "found-running") ||
         !strcmp(event->event, "started-by-others")))
        *began = event->at;
}

/* INSTANT_NONE also if the history is unreadable: other requests report that. */
static int64_t begin_of(const struct question *question, const struct lease_record *lease)
{
    int64_t began = INSTANT_NONE;

    if (lease->phase >= PHASE_ENDED && lease->phase != PHASE_REFUSED)
        store_each_event(question->answers->store, lease->id, 0, note_begin, &began, NULL);
    return began;
}

/* A lease in memory. */
static struct shown_lease view_of(const struct question *question, const struct lease_record *lease,
                                  size_t position)
{
    struct shown_lease view = {
        .lease = lease, .position = position, .began = begin_of(question, lease)};

    view.vms = store_vms_of(question->answers->store, lease->id, &view.n_vms);
    return view;
}

/* The VMs of a lease that is no longer in memory, by ascending id. */
struct past_members {
    struct vm_record *items;
    const struct vm_record **pointers; /* to them */
    size_t n, allocated;
};

static void keep_past_vm(void *context, const struct vm_record *vm)
{
    struct past_members *vms = context;

    vms->items = memory_grow(vms->items, &vms->allocated, vms->n + 1, sizeof *vms->items);
    vms->items[vms->n] = *vm;
    vms->items[vms->n].message = memory_text(vm->message);
    vms->items[vms->n++].asked = "";
}

static int past_vms_read(struct past_members *vms, const struct question *question, int64_t lease,
                         struct error *err)
{
    *vms = (struct past_members){0};
    if (store_each_past_vm(question->answers->store, lease, keep_past_vm, vms, err) < 0)
        return -1;
    vms->pointers = memory_new(vms->n, sizeof *vms->pointers);
    for (size_t i = 0; i < vms->n; i++)
        vms->pointers[i] = &vms->items[i];
    return 0;
}

static void past_vms_finish(struct past_members *vms)
{
    for (size_t i = 0; i < vms->n; i++)
        memory_free(vms->items[i].message);
    free(vms->pointers);
    free(vms->items);
}

/* A lease of the store, as lists show it. */
static json_t *question_lease(const struct question *question, const struct lease_record *lease)
{
    struct shown_lease view = view_of(question, lease, 0);

    return json_from_lease(&view, question->now);
}

/* --- the queue --- */

struct queue_order {
    const struct store *store;
    struct fair_share *shares; /* NULL: none */
    int64_t now;
};

static struct queue_order order_begin(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;

    return (struct queue_order){
        .store = question->answers->store,
        .shares = daemon->shares ? daemon->shares(daemon->context, question->now) : NULL,
        .now = question->now};
}

static struct share *share_of(const struct queue_order *order, const struct lease_record *lease)
{
    return fair_share_of(order->shares, lease->uid, lease->gid);
}

/* By priority, fair share, and age. */
static int compare_queued(const void *one, const void *two, void *context)
{
    const struct queue_order *order = context;
    const struct lease_record *a = store_lease(order->store, *(const int64_t *)one);
    const struct lease_record *b = store_lease(order->store, *(const int64_t *)two);
    int shares = 0;

    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (order->shares)
        shares = share_compare(order->shares, share_of(order, a), share_of(order, b), order->now);
    if (shares)
        return shares;
    if (a->submit != b->submit)
        return a->submit < b->submit ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Sorted once for all who ask in this second, unless something changes. */
static const struct answered_queue *question_queue(const struct question *question)
{
    const struct store *store = question->answers->store;
    struct answered_queue *queue = question->answers->queue;
    struct queue_order order;
    size_t n_leases;
    const struct lease_record *const *leases = store_leases(store, &n_leases);

    if (queue->ids && queue->changes == store_changes(store) && queue->now == question->now)
        return queue;
    queue->ids = memory_grow(queue->ids, &queue->allocated, n_leases + 1, sizeof *queue->ids);
    queue->n = 0;
    for (size_t i = 0; i < n_leases; i++)
        if (leases[i]->phase == PHASE_WAITING)
            queue->ids[queue->n++] = leases[i]->id;
    order = order_begin(question);
    qsort_r(queue->ids, queue->n, sizeof *queue->ids, compare_queued, &order);
    fair_share_destroy(order.shares);
    queue->changes = store_changes(store);
    queue->now = question->now;
    return queue;
}

static void write_lease(const struct question *question, struct json_writer *writer,
                        const struct lease_record *lease, size_t position)
{
    struct shown_lease view = view_of(question, lease, position);

    json_write_lease(writer, &view, question->now);
}

json_t *answer_queue(const struct question *question)
{
    struct output *list = output_create_memory();
    struct json_writer writer;
    const struct answered_queue *queue = question_queue(question);
    struct queue_order order = order_begin(question);

    json_writer_init(&writer, list);
    for (size_t i = 0; i < queue->n; i++) {
        struct shown_lease view = view_of(question, store_lease(order.store, queue->ids[i]), i + 1);
        struct share_view share;

        if (order.shares) {
            share = share_look(order.shares, share_of(&order, view.lease), order.now);
            view.share = &share;
        }
        json_write_lease(&writer, &view, question->now);
    }
    fair_share_destroy(order.shares);
    return answer_with_list(answer_begin(question, "galerna-queue/1"), "leases", list);
}

/* --- lists --- */

struct filter {
    bool phases[PHASES];
    const char *user, *series;
    bool all; /* include finished leases */
    int64_t limit;
};

static json_t *add_phase(struct filter *filter, const char *word)
{
    for (int i = 0; i < PHASES; i++)
        if (word && strcmp(word, store_phase_words[i]) == 0) {
            filter->phases[i] = true;
            filter->all = filter->all || i >= PHASE_ENDED;
            return NULL;
        }
    return answer_error(EINVAL, "phase: '%.40s' is not a phase of a lease", word ? word : "that");
}

static json_t *read_filter(const struct question *question, struct filter *filter)
{
    const json_t *phases = json_object_get(question->request, "phase"), *word;
    bool there, any = json_array_size(phases) > 0;
    json_t *wrong;
    size_t i;

    *filter = (struct filter){.limit = PAST_LIMIT};
    filter->all = json_is_true(json_object_get(question->request, "all"));
    if ((wrong = question_text(question, "user", &filter->user)) ||
        (wrong = question_text(question, "series", &filter->series)) ||
        (wrong = question_number(question, "limit", PAST_LIMIT_MAX, &filter->limit, &there)))
        return wrong;
    if (phases && !json_is_null(phases) && !json_is_array(phases))
        return answer_error(EINVAL, "phase: expected an array of phases");
    json_array_foreach(phases, i,
                       word) if ((wrong = add_phase(filter, json_string_value(word)))) return wrong;
    for (i = 0; i < PHASES && !any; i++)
        filter->phases[i] = filter->all || i < PHASE_ENDED;
    return NULL;
}

static bool passes(const struct filter *filter, const struct lease_record *lease)
{
    return filter->phases[lease->phase] && (!filter->user || !strcmp(filter->user, lease->user)) &&
           (!filter->series || !strcmp(filter->series, lease->series));
}

struct past_list {
    const struct question *question;
    const struct filter *filter;
    struct json_writer *writer;
    struct error *err;
    bool failed;
};

/* Reading a finished lease's VMs and history takes two more queries, about 30 us. */
static void add_past(void *context, const struct lease_record *lease)
{
    struct past_list *past = context;

    struct past_members vms;

    if (past->failed || !passes(past->filter, lease))
        return;
    if (past_vms_read(&vms, past->question, lease->id, past->err) < 0)
        past->failed = true;
    else
        json_write_lease(past->writer,
                         &(struct shown_lease){.lease = lease,
                                               .vms = vms.pointers,
                                               .n_vms = vms.n,
                                               .began = begin_of(past->question, lease)},
                         past->question->now);
    past_vms_finish(&vms);
}

static int by_id(const void *id, const void *lease)
{
    int64_t a = *(const int64_t *)id, b = (*(const struct lease_record *const *)lease)->id;

    return a < b ? -1 : a > b;
}

/* The queue position of each lease in memory, 0 for those not queued; to be freed. */
static size_t *positions_of(const struct question *question,
                            const struct lease_record *const *leases, size_t n)
{
    size_t *positions = memory_new(n + 1, sizeof *positions);
    const struct answered_queue *queue = question_queue(question);

    for (size_t i = 0; i < queue->n; i++) {
        const struct lease_record *const *found =
            bsearch(&queue->ids[i], leases, n, sizeof(void *), by_id);

        if (found)
            positions[found - leases] = i + 1;
    }
    return positions;
}

static json_t *list_leases(const struct question *question)
{
    struct store *store = question->answers->store;
    struct json_writer writer;
    struct output *list;
    struct filter filter;
    json_t *wrong = read_filter(question, &filter);
    struct error err;
    struct past_list past = {question, &filter, &writer, &err, false};
    const struct lease_record *const *all;
    size_t n, *positions;

    if (wrong)
        return wrong;
    list = output_create_memory();
    json_writer_init(&writer, list);
    all = store_leases(store, &n);
    positions = positions_of(question, all, n);
    for (size_t i = 0; i < n; i++)
        if (passes(&filter, all[i]))
            write_lease(question, &writer, all[i], positions[i]);
    free(positions);
    if (filter.all &&
        (store_each_past_lease(
             store, &(struct store_past){.user = filter.user, .limit = (size_t)filter.limit},
             add_past, &past, &err) < 0 ||
         past.failed)) {
        output_destroy(list);
        return answers_refused(&err);
    }
    return answer_with_list(answer_begin(question, "galerna-lease-list/1"), "leases", list);
}

json_t *answer_lease_list(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct answered_list *last = question->answers->list;
    uint64_t changes = store_changes(question->answers->store);
    char why[ERROR_TEXT_MAX];
    int64_t since;

    if (daemon->outdated(daemon->context, why, sizeof why, &since)) /* it says so, and how long */
        return list_leases(question);
    if (last->changes != changes || last->now != question->now ||
        !json_equal(last->request, question->request)) {
        json_decref(last->request);
        json_decref(last->answer);
        *last = (struct answered_list){changes, question->now, json_deep_copy(question->request),
                                       list_leases(question)};
    }
    return json_incref(last->answer);
}

/* --- one lease --- */

/* The lease named by the request, in memory or copied from the file to *room. NULL: *wrong. */
static const struct lease_record *find_lease(const struct question *question,
                                             struct lease_record *room, json_t **wrong)
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
    found = store_past_lease(store, id, room, &err);
    if (found > 0)
        return room;
    if (found < 0)
        *wrong = answers_refused(&err);
    else if (id <= INT32_MAX && store_vm(store, (int32_t)id))
        *wrong = answer_error(ENOENT,
                              "lease %" PRId64 " does not exist, but VM %" PRId64
                              " belongs to lease %" PRId64,
                              id, id, store_vm(store, (int32_t)id)->lease);
    else
        *wrong = answer_error(ENOENT, "lease %" PRId64 " does not exist", id);
    return NULL;
}

/* Adds what a starting, stopping, ending or late lease waits for. */
static void put_waits_for(const struct question *question, const struct lease_record *lease,
                          json_t *object)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    char text[STORE_TEXT_MAX] = "";

    if (daemon->waits_for)
        daemon->waits_for(daemon->context, lease, question->now, text, sizeof text);
    json_put(object, "waits_for", text[0] ? json_from_text(text) : json_null());
}

json_t *answer_lease_show(const struct question *question)
{
    struct lease_record room;
    json_t *answer, *wrong, *members, *shown;
    const struct lease_record *lease = find_lease(question, &room, &wrong);
    struct past_members past = {0};
    struct shown_lease view;
    struct error err;

    if (!lease)
        return wrong;
    view = view_of(question, lease, 0);
    if (lease == &room) {
        if (past_vms_read(&past, question, lease->id, &err) < 0) {
            past_vms_finish(&past);
            return answers_refused(&err);
        }
        view.vms = past.pointers;
        view.n_vms = past.n;
    }
    members = json_array();
    for (size_t i = 0; i < view.n_vms; i++)
        json_array_append_new(members, json_from_vm(view.vms[i]));
    answer = answer_begin(question, "galerna-lease/1");
    shown = json_from_lease(&view, question->now);
    past_vms_finish(&past);
    put_waits_for(question, lease, shown);
    json_put(shown, "members", members);
    json_put(answer, "lease", shown);
    return answer;
}

/* Adds the leases ahead in the queue. */
static void put_ahead(const struct question *question, const struct lease_record *lease,
                      json_t *answer)
{
    json_t *ahead = json_array();
    const struct answered_queue *queue = question_queue(question);
    size_t position = 0;

    for (size_t i = 0; i < queue->n && lease->phase == PHASE_WAITING && !position; i++)
        if (queue->ids[i] == lease->id)
            position = i + 1;
    for (size_t i = 0; i + 1 < position && i < AHEAD_MAX; i++)
        json_array_append_new(
            ahead, question_lease(question, store_lease(question->answers->store, queue->ids[i])));
    json_put(answer, "position", position ? json_integer((json_int_t)position) : json_null());
    json_put(answer, "ahead", ahead);
    json_put(answer, "n_ahead", json_integer(position ? (json_int_t)position - 1 : 0));
}

/* The messages of the lease's VMs, each sentence once. */
static json_t *messages_of(const struct question *question, const struct lease_record *lease)
{
    json_t *messages = json_array();
    size_t n;
    const struct vm_record *const *vms = store_vms_of(question->answers->store, lease->id, &n);

    for (size_t i = 0; i < n && json_array_size(messages) < MESSAGES_MAX; i++) {
        bool known = false;

        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(vms[i]->message, vms[j]->message) == 0;
        if (*vms[i]->message && !known)
            json_array_append_new(messages, json_pack("{s:i, s:o}", "vm", vms[i]->id, "text",
                                                      json_from_text(vms[i]->message)));
    }
    return messages;
}

/* With its owner's share while it waits. */
static json_t *explained_lease(const struct question *question, const struct lease_record *lease)
{
    struct queue_order order = order_begin(question);
    struct shown_lease view = view_of(question, lease, 0);
    struct share_view share;
    json_t *shown;

    if (order.shares && lease->phase == PHASE_WAITING) {
        share = share_look(order.shares, share_of(&order, lease), order.now);
        view.share = &share;
    }
    shown = json_from_lease(&view, question->now);
    fair_share_destroy(order.shares);
    return shown;
}

json_t *answer_lease_why(const struct question *question)
{
    struct lease_record room;
    json_t *answer, *wrong, *shown;
    const struct lease_record *lease = find_lease(question, &room, &wrong);

    if (!lease)
        return wrong;
    answer = answer_begin(question, "galerna-lease-why/1");
    shown = explained_lease(question, lease);
    put_waits_for(question, lease, shown);
    json_put(answer, "lease", shown);
    put_ahead(question, lease, answer);
    json_put(answer, "messages", messages_of(question, lease));
    return answer;
}

json_t *answer_lease_trace(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct lease_record room;
    struct error err;
    json_t *answer, *trace, *wrong;
    const struct lease_record *lease = find_lease(question, &room, &wrong);

    if (!lease)
        return wrong;
    trace = json_object();
    if (daemon->trace(daemon->context, lease->id, trace, &err) < 0) {
        json_decref(trace);
        return answers_refused(&err);
    }
    answer = answer_lease_why(question);
    json_put(answer, "trace", trace);
    return answer;
}

static void add_event(void *context, const struct store_event *event)
{
    json_t *line = json_object();

    json_put(line, "at", json_from_instant(event->at));
    json_put(line, "lease", event->lease < 0 ? json_null() : json_integer(event->lease));
    json_put(line, "event", json_from_text(event->event));
    json_put(line, "text", json_from_text(event->text));
    json_array_append_new(context, line);
}

json_t *answer_lease_history(const struct question *question)
{
    struct store *store = question->answers->store;
    struct lease_record room;
    const struct lease_record *lease = NULL;
    int64_t limit = HISTORY_LIMIT;
    json_t *answer, *events, *wrong;
    struct error err;
    bool there;

    wrong = question_number(question, "limit", HISTORY_LIMIT_MAX, &limit, &there);
    if (wrong)
        return wrong;
    if (json_object_get(question->request, "lease")) {
        lease = find_lease(question, &room, &wrong);
        if (!lease)
            return wrong;
    }
    if (limit == 0)
        limit = HISTORY_LIMIT_MAX;
    events = json_array();
    if (store_each_event(store, lease ? lease->id : STORE_NO_LEASE, (size_t)limit, add_event,
                         events, &err) < 0) {
        json_decref(events);
        return answers_refused(&err);
    }
    answer = answer_begin(question, "galerna-lease-history/1");
    json_put(answer, "events", events);
    return answer;
}
