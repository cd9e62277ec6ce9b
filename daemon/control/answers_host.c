/* Answers about hosts: their load, planned operations, drains and quarantines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason.h"
#include "core/reason_details.h"
#include "daemon/control/answers_private.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/words.h"

/* Another lease gets the VM's room before the host is drained. */
static bool is_gone_before(const struct lease_record *lease, const struct drain_times *drain)
{
    return store_is_preempted(lease) && !store_moves_away(lease) &&
           store_leaves_at(lease) <= drain->from;
}

/* Is the VM unable to leave its host, by the reason of its lease? */
static bool cannot_leave(const struct lease_record *lease, const struct vm_record *vm,
                         const struct drain_times *drain)
{
    return lease && store_is_leaving(lease) && lease->reason_id != REASON_LEAVES &&
           store_suspended_at(lease) == INSTANT_NONE && !is_gone_before(lease, drain) &&
           (lease->reason_id != REASON_NO_OTHER_HOST || lease->reason_n[0] == vm->id);
}

/* Writes the VMs that cannot leave a drained host, with the reasons. */
static void write_staying(const struct question *question, struct json_writer *writer,
                          const struct host_view *host)
{
    const struct store *store = question->answers->store;
    size_t n = 0;
    const struct vm_record *const *vms = NULL;

    json_open_array(writer, "staying");
    if (host->n_drains)
        vms = store_vms(store, &n);
    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = store_lease(store, vms[i]->lease);
        char text[STORE_SENTENCE_MAX];
        const char *why = text;

        if (vms[i]->gone || vms[i]->host != host->id ||
            !cannot_leave(lease, vms[i], &host->drains[0]))
            continue;
        if (lease->reason_id == REASON_NO_OTHER_HOST) /* the sentence names the VM and the host */
            why = details_text(lease->reason, text, sizeof text, lease_time_text);
        else
            store_reason_text(lease, true, question->now, text, sizeof text);
        json_begin_object(writer);
        json_put_integer(writer, "vm", vms[i]->id);
        json_put_integer(writer, "lease", lease->id);
        json_put_string(writer, "why", why);
        json_put_reason(writer, lease, question->now);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void write_drains(struct json_writer *writer, const struct host_view *host)
{
    json_open_array(writer, "drains");
    for (size_t i = 0; i < host->n_drains; i++) {
        const char *booking = host->drains[i].booking;

        json_begin_object(writer);
        json_put_instant(writer, "from", host->drains[i].from);
        json_put_instant(writer, "until", host->drains[i].until);
        json_put_string(writer, "booking", *booking ? booking : NULL);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void write_facts(const struct question *question, struct json_writer *writer,
                        const struct host_view *host)
{
    bool drained = host->n_drains > 0;

    json_put_integer(writer, "host", host->id);
    json_put_string(writer, "name", host->name);
    json_put_string(writer, "cluster", host->cluster);
    json_put_string(writer, "state", host->state);
    json_put_bool(writer, "usable", host->usable);
    json_put_hundredths(writer, "cpu", host->cpu);
    json_put_hundredths(writer, "cpu_used", host->cpu_used);
    json_put_integer(writer, "memory", host->memory);
    json_put_integer(writer, "memory_used", host->memory_used);
    json_put_integer(writer, "vms", host->vms);
    json_put_integer(writer, "unread_vms", host->unread);
    json_put_hundredths(writer, "unread_cpu", host->unread_cpu);
    json_put_integer(writer, "unread_memory", host->unread_memory);
    json_put_instant(writer, "quarantined_until", host->quarantined_until);
    json_put_instant(writer, "drain_from", drained ? host->drains[0].from : INSTANT_NONE);
    json_put_instant(writer, "drain_until", drained ? host->drains[0].until : INSTANT_NONE);
    write_drains(writer, host);
    write_staying(question, writer, host);
}

static void write_host(const struct question *question, struct json_writer *writer,
                       const struct host_view *host)
{
    json_begin_object(writer);
    write_facts(question, writer, host);
    json_end_object(writer);
}

/* Hosts written for an answer. */
struct host_list {
    const struct question *question;
    struct json_writer writer;
    struct output *shown; /* NULL: write all hosts; otherwise only those that have changed since: */
    uint64_t since;
    size_t n; /* number of hosts in total */
};

/* Collects the displayed facts of a host that is not drained. */
static void put_facts(struct output *shown, const struct host_view *host)
{
    const char *const texts[] = {host->name, host->cluster, host->state};
    const int64_t numbers[] = {
        host->usable, host->cpu,    host->memory,     host->cpu_used,      host->memory_used,
        host->vms,    host->unread, host->unread_cpu, host->unread_memory, host->quarantined_until};

    output_bytes(shown, numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            output_bytes(shown, texts[i], strlen(texts[i]) + 1);
}

/* Compares the facts of most hosts without writing them, which would take ten times as long. */
static bool has_changed(const struct host_list *list, const struct host_view *host)
{
    struct revisions *revisions = list->question->answers->hosts;
    struct json_writer writer;
    const char *text;
    size_t n;

    output_rewind(list->shown);
    json_writer_init(&writer, list->shown);
    if (host->n_drains > 0)
        write_host(list->question, &writer, host);
    else
        put_facts(list->shown, host);
    text = output_held(list->shown, &n);
    revisions_note(revisions, host->id, text, n, INSTANT_NEVER);
    return revisions_changed(revisions, host->id, list->since);
}

static void add_host(void *context, const struct host_view *host)
{
    struct host_list *list = context;

    list->n++;
    if (!list->shown || has_changed(list, host))
        write_host(list->question, &list->writer, host);
}

json_t *answers_drains(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct output *text = output_create_memory();
    struct host_list list = {.question = question};

    json_writer_init(&list.writer, text);
    json_begin_array(&list.writer);
    daemon->each_host(daemon->context, HOSTS_DRAINED, add_host, &list);
    json_end_array(&list.writer);
    return json_from_output(text);
}

/* Notes hosts that no longer exist. */
static void note_gone_hosts(const struct host_list *list)
{
    const struct answers_daemon *daemon = list->question->answers->daemon;
    struct revisions *revisions = list->question->answers->hosts;

    for (uint32_t i = 0; i < revisions->items.n; i++) {
        int64_t id = map_key(&revisions->items, i);

        if (revisions_count(revisions) > list->n && !daemon->host_name(daemon->context, NULL, &id))
            revisions_drop(revisions, id);
    }
}

/* Writes the ids of hosts that have gone since list->since. */
static void write_gone_hosts(const struct host_list *list, struct json_writer *writer)
{
    const struct map *items = &list->question->answers->hosts->items;

    json_open_array(writer, "gone");
    for (uint32_t i = 0; i < items->n; i++) {
        const struct revised *item = map_value(items, i);

        if (item->gone && item->revision > list->since)
            json_write_integer(writer, map_key(items, i));
    }
    json_end_array(writer);
}

json_t *answer_host_list(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct revisions *revisions = question->answers->hosts;
    struct host_list list = {.question = question};
    struct json_writer writer;
    const char *since = NULL;
    json_t *wrong = question_text(question, "since", &since);
    bool changes;

    if (wrong)
        return wrong;
    json_writer_init(&list.writer, output_create_memory());
    changes = since && revisions_read(revisions, since, &list.since);
    list.shown = since ? output_create_memory() : NULL;
    daemon->each_host(daemon->context, HOSTS_ALL, add_host, &list);
    output_destroy(list.shown);
    answer_text_begin(&writer, question, "galerna-host-list/1");
    if (since) {
        note_gone_hosts(&list);
        answers_put_revision(&writer, revisions, changes ? since : NULL);
    }
    if (changes)
        write_gone_hosts(&list, &writer);
    json_put_list(&writer, "hosts", list.writer.out);
    return answer_text_end(&writer);
}

struct timeline {
    const struct question *question;
    struct json_writer writer;
};

/* The current or planned user of the capacity of an operation. */
static const char *use_word(const struct operation_view *operation,
                            const struct lease_record *lease)
{
    static const char *const words[] = {"drain", "booking", "parked", "unknown"};

    if (WORDS_HAVE(words, operation->what))
        return operation->what;
    if (strcmp(operation->what, "hold") == 0)
        return "held";
    if (operation->lease < 0)
        return "other";
    if (!operation->planned)
        return "running";
    return lease && lease->accepted && lease->kind == LEASE_RESERVATION ? "reserved" : "planned";
}

static void add_facts(void *context, const struct host_view *host)
{
    struct timeline *timeline = context;

    write_facts(timeline->question, &timeline->writer, host);
}

static void add_operation(void *context, const struct operation_view *operation)
{
    struct timeline *timeline = context;
    const struct lease_record *lease =
        store_lease(timeline->question->answers->store, operation->lease);
    struct json_writer *writer = &timeline->writer;

    json_begin_object(writer);
    json_put_id(writer, "lease", operation->lease);
    json_put_id(writer, "vm", operation->vm);
    json_put_string(writer, "what", operation->what);
    json_put_string(writer, "use", use_word(operation, lease));
    json_put_instant(writer, "from", operation->from);
    json_put_instant(writer, "until", operation->until);
    json_put_hundredths(writer, "cpu", operation->cpu);
    json_put_integer(writer, "memory", operation->memory);
    json_put_bool(writer, "planned", operation->planned);
    json_put_string(writer, "user", lease ? lease->user : NULL);
    json_put_string(writer, "name", lease ? lease->name : NULL);
    json_end_object(writer);
}

json_t *answers_match_host(const struct question *question, const json_t *host,
                           struct wanted_host *wanted)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const char *name = json_string_value(host);

    wanted->id = json_integer_value(host);
    if (!json_is_integer(host) && !json_is_string(host))
        return answer_error(EINVAL, "host: expected an id or a name");
    wanted->name = daemon->host_name(daemon->context, name, &wanted->id);
    if (!wanted->name && name)
        return answer_error(ENOENT, "host '%.80s' does not exist", name);
    if (!wanted->name)
        return answer_error(ENOENT, "host %" PRId64 " does not exist", wanted->id);
    return NULL;
}

static json_t *find_host(const struct question *question, struct wanted_host *wanted)
{
    return answers_match_host(question, json_object_get(question->request, "host"), wanted);
}

static json_t *answer_of_host(const struct question *question, const struct wanted_host *wanted,
                              const char *schema)
{
    json_t *answer = answer_begin(question, schema);

    json_put(answer, "host", json_integer(wanted->id));
    json_put(answer, "name", json_from_text(wanted->name));
    return answer;
}

json_t *answer_host_release(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct wanted_host wanted = {.name = ""};
    struct error err;
    char who[96];
    json_t *wrong = find_host(question, &wanted);

    if (wrong)
        return wrong;
    answers_peer(question, who, sizeof who);
    if (daemon->release_host(daemon->context, (int32_t)wanted.id, who, &err) < 0)
        return answers_refused(&err);
    return answer_of_host(question, &wanted, "galerna-host-release/1");
}

/* Reads the number of any hosts to drain or book. */
static json_t *read_count(const struct question *question, struct drain_order *order)
{
    int64_t count = 0;
    json_t *wrong = question_number(question, "count", DRAIN_COUNT_MOST, &count, &order->any);

    if (!wrong)
        wrong = question_text(question, "cluster", &order->cluster);
    if (!wrong && order->any && count < 1)
        wrong =
            answer_error(EINVAL, "count: expected a whole number from 1 to %d", DRAIN_COUNT_MOST);
    if (!wrong && order->any == (json_array_size(json_object_get(question->request, "hosts")) > 0))
        wrong = answer_error(EINVAL, "expected hosts or count");
    if (!wrong && order->cluster && !order->any)
        wrong = answer_error(EINVAL, "cluster: requires count");
    order->n_hosts = (size_t)count;
    return wrong;
}

/* Fills in the ids; a host named twice counts once. */
static json_t *read_hosts(const struct question *question, int32_t *ids, size_t *n)
{
    const json_t *hosts = json_object_get(question->request, "hosts"), *host;
    size_t i, known;

    json_array_foreach(hosts, i, host) {
        struct wanted_host wanted = {.name = ""};
        json_t *wrong = answers_match_host(question, host, &wanted);

        if (wrong)
            return wrong;
        for (known = 0; known < *n && ids[known] != wanted.id; known++)
            continue;
        ids[known] = (int32_t)wanted.id;
        *n += known == *n;
    }
    return *n ? NULL : answer_error(EINVAL, "hosts: expected a list of ids or names");
}

static json_t *read_drain(const struct question *question, struct drain_order *order)
{
    const json_t *dry = json_object_get(question->request, "dry_run");
    json_t *wrong = question_time(question, "from", &order->from);

    if (!wrong)
        wrong = question_time(question, "until", &order->until);
    if (!wrong && dry && !json_is_boolean(dry) && !json_is_null(dry))
        wrong = answer_error(EINVAL, "dry_run: expected true or false");
    order->dry_run = json_is_true(dry);
    if (order->from < question->now)
        order->from = question->now;
    if (!wrong && order->until <= order->from)
        wrong = answer_error(EINVAL, "until: must be later than %s",
                             order->from > question->now ? "from" : "now");
    return wrong;
}

/* The context of show_drain(). */
struct drain_answer {
    const struct drain_order *order;
    json_t *answer;
};

static void show_drain(void *context, const struct drain_result *result)
{
    const struct drain_answer *shown = context;
    const struct drain_order *order = shown->order;
    json_t *instead = json_null();

    answers_put_drains(shown->answer, result);
    json_put(shown->answer, "accepted", json_boolean(result->accepted));
    json_put(shown->answer, "word", *result->word ? json_from_text(result->word) : json_null());
    json_put(shown->answer, "text", *result->text ? json_from_text(result->text) : json_null());
    if (result->instead_from != INSTANT_NONE) {
        instead = json_object();
        json_put(instead, "from", json_from_instant(result->instead_from));
        json_put(instead, "until",
                 json_from_instant(result->instead_from + (order->until - order->from)));
        json_put(instead, "hosts", answers_ids(result->instead, result->n_instead));
    }
    json_put(shown->answer, "alternative", instead);
}

static json_t *drain(const struct question *question, const struct drain_order *order)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    json_t *answer = answer_begin(question, "galerna-host-drain/1");
    struct drain_answer shown = {order, answer};
    const struct drain_viewer viewer = {show_drain, &shown};
    struct error err;
    char who[96];

    answers_peer(question, who, sizeof who);
    if (daemon->drain(daemon->context, order, who, &viewer, &err) < 0) {
        json_decref(answer);
        return answers_refused(&err);
    }
    json_put(answer, "from", json_from_instant(order->from));
    json_put(answer, "until", json_from_instant(order->until));
    json_put(answer, "dry_run", json_boolean(order->dry_run));
    json_put(answer, "booking",
             order->booking ? json_from_text(order->booking->name) : json_null());
    return answer;
}

json_t *answer_host_drain(const struct question *question)
{
    size_t n = json_array_size(json_object_get(question->request, "hosts"));
    int32_t *ids = memory_new(n + 1, sizeof *ids);
    struct drain_order order = {
        .from = question->now, .until = INSTANT_NEVER, .user = answers_plain_user(question)};
    struct booking booking = {.users = NULL};
    json_t *answer = read_count(question, &order);

    if (!answer && !order.any) {
        order.hosts = ids;
        answer = read_hosts(question, ids, &order.n_hosts);
    }
    if (!answer)
        answer = read_drain(question, &order);
    if (!answer)
        answer = answers_read_booking(question, &booking);
    if (*booking.name)
        order.booking = &booking;
    if (!answer && order.user && !order.booking)
        answer = answer_error(EPERM, "only operators drain hosts");
    if (!answer && order.booking && order.until == INSTANT_NEVER)
        answer = answer_error(EINVAL, "until: missing; a booking must have an end");
    if (!answer && order.any && order.until == INSTANT_NEVER)
        answer = answer_error(EINVAL, "until: missing; count finds hosts that are free until then");
    if (!answer)
        answer = drain(question, &order);
    booking_finish(&booking);
    free(ids);
    return answer;
}

json_t *answer_host_book(const struct question *question)
{
    if (json_is_object(json_object_get(question->request, "booking")))
        return answer_host_drain(question);
    return answer_error(EINVAL, "booking: expected an object with a name");
}

json_t *answer_host_undrain(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const json_t *all = json_object_get(question->request, "all");
    struct undrain_order order = {.at = INSTANT_NONE, .all = json_is_true(all)};
    struct wanted_host wanted = {.name = ""};
    json_t *wrong = question_time(question, "at", &order.at);
    struct error err;
    char who[96];

    if (!wrong && all && !json_is_boolean(all) && !json_is_null(all))
        wrong = answer_error(EINVAL, "all: expected true or false");
    if (!wrong && order.all && order.at != INSTANT_NONE)
        wrong = answer_error(EINVAL, "at: cannot be combined with all");
    if (!wrong)
        wrong = find_host(question, &wanted);
    if (wrong)
        return wrong;
    order.host = (int32_t)wanted.id;
    answers_peer(question, who, sizeof who);
    if (daemon->undrain(daemon->context, &order, who, &err) < 0)
        return answers_refused(&err);
    return answer_of_host(question, &wanted, "galerna-host-undrain/1");
}

/* The host's facts are written after its operations, for which the planner may have to be
 * queried. */
json_t *answer_host_timeline(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct timeline operations = {.question = question}, answer = {.question = question};
    struct wanted_host wanted = {.name = ""};
    struct error err;
    json_t *refusal = find_host(question, &wanted);

    if (refusal)
        return refusal;
    json_writer_init(&operations.writer, output_create_memory());
    if (daemon->each_operation(daemon->context, (int32_t)wanted.id, add_operation, &operations,
                               &err) < 0)
        return answer_text_fail(&operations.writer, &err);
    answer_text_begin(&answer.writer, question, "galerna-host-timeline/1");
    daemon->each_host(daemon->context, (int32_t)wanted.id, add_facts, &answer);
    json_put_list(&answer.writer, "operations", operations.writer.out);
    return answer_text_end(&answer.writer);
}
