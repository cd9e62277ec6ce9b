/* lease-list: the leases that pass a filter: all, or those that have changed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/store/awake.h"
#include "daemon/store/words.h"
#include "util/append.h"
#include "util/memory.h"
#include "util/words.h"

enum {
    PAST_LIMIT = 1000, /* finished leases listed by default */
    PAST_LIMIT_MAX = 10000,
};

struct filter {
    bool phases[PHASES];
    const char *user, *series;
    bool on_host;
    struct wanted_host host;
    bool all; /* include finished leases */
    int64_t limit;
};

static json_t *unknown_phase(const char *word)
{
    char known[256] = "";
    size_t n = 0;

    for (int i = 0; i < PHASES; i++)
        n = append_text(known, sizeof known, n, "%s%s", i ? ", " : "", store_phase_words[i]);
    return answer_error(EINVAL, "phase: '%.40s' is not a phase of a lease (%s)",
                        word ? word : "that", known);
}

static json_t *add_phase(struct filter *filter, const char *word)
{
    int phase = word ? words_find(store_phase_words, PHASES, word) : -1;

    if (phase < 0)
        return unknown_phase(word);
    filter->phases[phase] = true;
    filter->all = filter->all || phase >= PHASE_ENDED;
    return NULL;
}

static json_t *read_filter(const struct question *question, struct filter *filter)
{
    const json_t *phases = json_object_get(question->request, "phase"), *word;
    const json_t *host = json_object_get(question->request, "host");
    bool there, any = json_array_size(phases) > 0;
    json_t *wrong;
    size_t i;

    *filter = (struct filter){.limit = PAST_LIMIT};
    filter->all = json_is_true(json_object_get(question->request, "all"));
    if ((wrong = question_text(question, "user", &filter->user)) ||
        (wrong = question_text(question, "series", &filter->series)) ||
        (wrong = question_number(question, "limit", PAST_LIMIT_MAX, &filter->limit, &there)))
        return wrong;
    filter->on_host = !json_is_null(host) && host;
    if (filter->on_host && (wrong = answers_match_host(question, host, &filter->host)))
        return wrong;
    if (phases && !json_is_null(phases) && !json_is_array(phases))
        return answer_error(EINVAL, "phase: expected an array of phases");
    json_array_foreach(phases, i, word)
        if ((wrong = add_phase(filter, json_string_value(word))))
            return wrong;
    for (i = 0; i < PHASES && !any; i++)
        filter->phases[i] = filter->all || i < PHASE_ENDED;
    return NULL;
}

static bool passes(const struct filter *filter, const struct lease_record *lease)
{
    return filter->phases[lease->phase] && (!filter->user || !strcmp(filter->user, lease->user)) &&
           (!filter->series || !strcmp(filter->series, lease->series));
}

/* Writes a lease that passes the rest of the filter if one of its VMs is on the wanted host. */
static bool write_on_host(const struct question *question, const struct filter *filter,
                          const struct shown_lease *view, struct json_writer *writer)
{
    bool is_there = !filter->on_host || json_lease_uses(view, filter->host.id);

    if (is_there)
        json_write_lease(writer, view, question->now);
    return is_there;
}

static bool write_lease(const struct question *question, const struct filter *filter,
                        const struct lease_record *lease, size_t position,
                        struct json_writer *writer)
{
    struct shown_lease view = answers_view(question, lease, position);

    return write_on_host(question, filter, &view, writer);
}

struct past_list {
    const struct question *question;
    const struct filter *filter;
    struct json_writer *writer;
    struct error *err;
    bool failed;
};

static void write_past(const struct past_list *past, const struct lease_record *lease,
                       const struct past_members *vms)
{
    struct shown_lease view = answers_view(past->question, lease, 0);

    view.vms = vms->pointers;
    view.n_vms = vms->n;
    write_on_host(past->question, past->filter, &view, past->writer);
}

/* A finished lease's VMs and history take two more queries, about 30 us. */
static void add_past(void *context, const struct lease_record *lease)
{
    struct past_list *past = context;

    struct past_members vms;

    if (past->failed || !passes(past->filter, lease))
        return;
    if (past_members_read(&vms, past->question, lease->id, past->err) < 0)
        past->failed = true;
    else
        write_past(past, lease, &vms);
    past_members_finish(&vms);
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
    const struct answered_queue *queue = answers_queue(question);

    for (size_t i = 0; i < queue->n; i++) {
        const struct lease_record *const *found =
            bsearch(&queue->ids[i], leases, n, sizeof(void *), by_id);

        if (found && !queue_lets_others_pass(*found))
            positions[found - leases] = i + 1;
    }
    return positions;
}

/* -1 with err: the archive cannot be read. */
static int write_leases(const struct question *question, const struct filter *filter,
                        struct json_writer *writer, struct error *err)
{
    struct store *store = question->answers->store;
    struct past_list past = {question, filter, writer, err, false};
    size_t n;
    const struct lease_record *const *all = store_leases(store, &n);
    size_t *positions = NULL; /* allocated for the first lease that passes */

    for (size_t i = 0; i < n; i++) {
        if (!passes(filter, all[i]))
            continue;
        if (!positions)
            positions = positions_of(question, all, n);
        write_lease(question, filter, all[i], positions[i], writer);
    }
    free(positions);
    if (!filter->all)
        return 0;
    return store_each_past_lease(
               store, &(struct store_past){.user = filter->user, .limit = (size_t)filter->limit},
               add_past, &past, err) < 0 ||
                   past.failed
               ? -1
               : 0;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* When the lease is displayed differently although nothing happens: at these times, or a second
 * later. */
static int64_t shown_until(const struct lease_record *lease, int64_t now)
{
    const int64_t times[] = {lease->start, lease->earliest, lease->expected, lease->retry,
                             lease->unused_until};
    int64_t until = INSTANT_NEVER;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t at = times[i] + (times[i] == now);

        if (times[i] != INSTANT_NONE && times[i] != INSTANT_NEVER && at > now && at < until)
            until = at;
    }
    return until;
}

/* For noting how leases are displayed now. */
struct revision_notes {
    const struct question *question;
    struct revised_leases *leases;
    struct output *shown;
};

static void note(const struct revision_notes *notes, const struct lease_record *lease)
{
    int64_t now = notes->question->now, until = shown_until(lease, now);
    struct shown_lease view = answers_view(notes->question, lease, 0);
    struct json_writer writer;
    const char *text;
    size_t n;

    view.lasting = true;
    output_rewind(notes->shown);
    json_writer_init(&writer, notes->shown);
    json_write_lease(&writer, &view, now);
    text = output_held(notes->shown, &n);
    revisions_note(&notes->leases->revisions, lease->id, text, n, until);
    if (until < notes->leases->due)
        notes->leases->due = until;
}

static void note_changed(const struct revision_notes *notes, const struct store *store)
{
    size_t n;
    const struct lease_record *const *all = store_leases(store, &n);

    for (size_t i = 0; i < n; i++)
        if (store_noted(all[i]) > notes->leases->stirs)
            note(notes, all[i]);
    notes->leases->stirs = store_stirs(store);
}

/* Notes leases whose display has changed with time, and leases that have left memory. */
static void note_others(const struct revision_notes *notes, const struct store *store)
{
    struct revisions *revisions = &notes->leases->revisions;

    notes->leases->due = INSTANT_NEVER;
    for (uint32_t i = (uint32_t)revisions->items.n; i-- > 0;) {
        int64_t id = map_key(&revisions->items, i);
        const struct revised *item = map_value(&revisions->items, i);
        const struct lease_record *lease = store_lease(store, id);

        if (item->gone || id == QUEUE_ITEM)
            continue;
        if (!lease)
            revisions_drop(revisions, id);
        else if (item->until <= notes->question->now)
            note(notes, lease);
        else if (item->until < notes->leases->due)
            notes->leases->due = item->until;
    }
}

static void note_leases(const struct question *question)
{
    const struct store *store = question->answers->store;
    struct revised_leases *leases = question->answers->leases;
    const struct answered_queue *queue = answers_queue(question);
    struct revision_notes notes = {question, leases, output_create_memory()};
    size_t n;

    store_leases(store, &n);
    if (question->now < leases->now) /* the clock was set back: times that had passed come again */
        leases->stirs = 0;
    leases->now = question->now;
    if (store_stirs(store) != leases->stirs)
        note_changed(&notes, store);
    revisions_note(&leases->revisions, QUEUE_ITEM, (const char *)queue->ids,
                   queue->n * sizeof *queue->ids, INSTANT_NEVER);
    if (leases->due <= question->now || revisions_count(&leases->revisions) > n + 1)
        note_others(&notes, store);
    revisions_tidy(&leases->revisions);
    output_destroy(notes.shown);
}

/* Writes a lease that has left memory and may have changed before, if the filter includes finished
 * leases. */
static bool write_archived(const struct question *question, const struct filter *filter, int64_t id,
                           struct json_writer *writer)
{
    const struct lease_record *lease;
    struct error err;
    struct past_list past = {question, filter, writer, &err, false};

    if (!filter->all || store_past_lease(question->answers->store, id, &lease, &err) <= 0 ||
        !passes(filter, lease))
        return false;
    add_past(&past, lease);
    return !past.failed;
}

/* Writes the changed leases that pass the filter to `list`, and the ids of those that do not. */
static void write_changes(const struct question *question, const struct filter *filter,
                          uint64_t since, struct json_writer *list, struct json_writer *gone)
{
    const struct map *items = &question->answers->leases->revisions.items;

    json_open_array(gone, "gone");
    for (uint32_t i = 0; i < items->n; i++) {
        const struct revised *item = map_value(items, i);
        int64_t id = map_key(items, i);
        const struct lease_record *lease;

        if (item->revision <= since || id == QUEUE_ITEM)
            continue;
        lease = store_lease(question->answers->store, id);
        if (lease && passes(filter, lease) && write_lease(question, filter, lease, 0, list))
            continue;
        if (lease || !write_archived(question, filter, id, list))
            json_write_integer(gone, id);
    }
    json_end_array(gone);
}

static void write_queue(const struct answered_queue *queue, struct json_writer *writer)
{
    json_open_array(writer, "queue");
    for (size_t i = 0; i < queue->n; i++)
        json_write_integer(writer, queue->ids[i]);
    json_end_array(writer);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* For a question with `since`. True: the answer lists only changes. */
static bool put_revision(const struct question *question, const char *text,
                         struct json_writer *writer, uint64_t *since)
{
    struct revisions *revisions = &question->answers->leases->revisions;
    bool known = revisions_read(revisions, text, since);

    if (!known)
        *since = 0;
    note_leases(question);
    answers_put_revision(writer, revisions, known ? text : NULL);
    if (revisions_changed(revisions, QUEUE_ITEM, *since))
        write_queue(answers_queue(question), writer);
    return known;
}

json_t *answer_lease_list(const struct question *question)
{
    struct json_writer writer, list;
    struct filter filter;
    json_t *wrong = read_filter(question, &filter);
    const char *text = NULL;
    struct error err;
    uint64_t since;

    if (wrong || (wrong = question_text(question, "since", &text)))
        return wrong;
    answer_text_begin(&writer, question, "galerna-lease-list/1");
    json_writer_init(&list, output_create_memory());
    if (text && put_revision(question, text, &writer, &since)) {
        write_changes(question, &filter, since, &list, &writer);
    } else if (write_leases(question, &filter, &list, &err) < 0) {
        output_destroy(list.out);
        return answer_text_fail(&writer, &err);
    }
    json_put_list(&writer, "leases", list.out);
    return answer_text_end(&writer);
}
