/* "lease-change": changes the times, kind, terms or size of a lease, or answers why this is
 * impossible. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/json_term.h"
#include "util/instant.h"
#include "util/time_text.h"
#include "util/words.h"

#define SPAN_MOST INT64_C(3153600000) /* 100 years */

/* Reads a span in seconds; NULL: valid. */
static json_t *read_span(const struct question *question, const char *field, int64_t least,
                         int64_t *span, bool *there)
{
    const json_t *value = json_object_get(question->request, field);

    *there = value && !json_is_null(value);
    if (!*there)
        return NULL;
    *span = json_integer_value(value);
    if (json_is_integer(value) && *span >= least && *span <= SPAN_MOST)
        return NULL;
    return answer_error(EINVAL, "%s: expected seconds from %" PRId64 " to %" PRId64, field, least,
                        SPAN_MOST);
}

static bool is_unlimited(const struct question *question)
{
    const char *text = json_string_value(json_object_get(question->request, "duration"));

    return text && strcmp(text, "unlimited") == 0;
}

/* Reads at most one of duration, extend and shorten; NULL: valid. */
static json_t *read_duration(const struct question *question, const struct lease_record *lease,
                             struct lease_change *change)
{
    int64_t duration = 0, extend = 0, shorten = 0;
    char text[TIME_TEXT_MAX];
    bool there = is_unlimited(question), longer, shorter;
    json_t *wrong = NULL;

    if (there)
        duration = SPAN_UNLIMITED;
    else
        wrong = read_span(question, "duration", 1, &duration, &there);
    if (!wrong)
        wrong = read_span(question, "extend", 1, &extend, &longer);
    if (!wrong)
        wrong = read_span(question, "shorten", 1, &shorten, &shorter);
    if (wrong)
        return wrong;
    if (there + longer + shorter > 1)
        return answer_error(EINVAL, "duration, extend and shorten are mutually exclusive");
    if (there)
        change->duration = duration;
    if (!longer && !shorter)
        return NULL;
    if (lease->duration == SPAN_UNLIMITED)
        return answer_error(EALREADY,
                            "lease %" PRId64 " has no duration to extend or shorten; set one with "
                            "duration",
                            lease->id);
    if (shorten >= lease->duration) {
        time_text_exact(lease->duration, text, sizeof text);
        return answer_error(EINVAL, "shorten: the duration of lease %" PRId64 " is only %s",
                            lease->id, text);
    }
    change->duration = lease->duration + extend - shorten;
    return NULL;
}

/* Reads either start or shift; NULL: valid. */
static json_t *read_start(const struct question *question, const struct lease_record *lease,
                          struct lease_change *change)
{
    int64_t from = lease->kind == LEASE_RESERVATION ? lease->start : lease->earliest;
    int64_t shift = 0;
    bool there = false;
    json_t *wrong = question_time(question, "start", &change->start);

    if (!wrong)
        wrong = read_span(question, "shift", -SPAN_MOST, &shift, &there);
    if (wrong || !there)
        return wrong;
    if (change->start != INSTANT_NONE)
        return answer_error(EINVAL, "start and shift are mutually exclusive");
    if (from == INSTANT_NONE)
        return answer_error(EALREADY, "lease %" PRId64 " has no start to shift", lease->id);
    change->start = from + shift;
    return NULL;
}

/* Reads the size of each VM; NULL: valid. */
static json_t *read_size(const struct question *question, struct lease_change *change)
{
    struct error err;

    if (order_read_size(question->request, &change->cpu, &change->memory, &err) == 0)
        return NULL;
    return answer_error(EINVAL, "%s", err.text);
}

static json_t *read_kind(const struct question *question, struct lease_change *change)
{
    const json_t *value = json_object_get(question->request, "kind");
    const char *word = json_string_value(value);
    int kind = word ? words_find(lease_kind_words, LEASE_KINDS, word) : -1;

    if (!value || json_is_null(value))
        return NULL;
    if (kind < 0)
        return answer_error(EINVAL, "kind: expected best-effort, reservation or deadline");
    change->changes_kind = true;
    change->kind = (enum lease_kind)kind;
    return NULL;
}

static json_t *read_terms(const struct question *question, struct lease_change *change)
{
    struct error err;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const json_t *value = json_object_get(question->request, lease_terms[i].name);

        if (!value || json_is_null(value))
            continue;
        if (json_to_term(value, &lease_terms[i], &change->term_values, &err) < 0)
            return answer_error(EINVAL, "%s", err.text);
        change->given |= 1U << i;
    }
    return NULL;
}

static json_t *read_change(const struct question *question, const struct lease_record *lease,
                           struct lease_change *change)
{
    json_t *wrong;

    *change = (struct lease_change){
        .duration = SPAN_NONE, .start = INSTANT_NONE, .deadline = INSTANT_NONE};
    wrong = read_duration(question, lease, change);
    if (!wrong)
        wrong = read_start(question, lease, change);
    if (!wrong)
        wrong = question_time(question, "deadline", &change->deadline);
    if (!wrong)
        wrong = read_kind(question, change);
    if (!wrong)
        wrong = read_terms(question, change);
    if (!wrong)
        wrong = read_size(question, change);
    if (!wrong && change->duration == SPAN_NONE && change->start == INSTANT_NONE &&
        change->deadline == INSTANT_NONE && !change->changes_kind && !change->given &&
        !change->cpu && !change->memory)
        wrong =
            answer_error(EINVAL, "nothing to change: expected duration, extend, shorten, start, "
                                 "shift, deadline, kind, cpu, memory or a term");
    return wrong;
}

static json_t *json_from_alternative(const struct lease_trial *trial)
{
    json_t *alternative;

    if (trial->start == INSTANT_NONE && trial->duration == SPAN_NONE)
        return json_null();
    alternative = json_object();
    json_put(alternative, "start",
             trial->start == INSTANT_NONE ? json_null() : json_from_instant(trial->start));
    json_put(alternative, "duration",
             trial->duration == SPAN_NONE ? json_null() : json_integer(trial->duration));
    return alternative;
}

static json_t *change_lease(const struct question *question, const struct lease_record *lease,
                            const struct lease_change *change)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    char who[96];
    const struct change_order order = {
        .lease = lease->id,
        .change = change,
        .dry_run = json_is_true(json_object_get(question->request, "dry_run")),
        .who = who};
    struct lease_trial trial = {0};
    struct error err;
    json_t *answer;

    answers_peer(question, who, sizeof who);
    if (daemon->change(daemon->context, &order, &trial, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-lease-change/1");
    json_put(answer, "lease", json_integer(order.lease));
    json_put(answer, "dry_run", json_boolean(order.dry_run));
    json_put(answer, "accepted", json_boolean(trial.accepted));
    json_put(answer, "text", json_from_text(trial.text));
    answers_put_victims(answer, &trial.victims);
    json_put(answer, "word", trial.accepted ? json_null() : json_from_text(trial.word));
    json_put(answer, "reason", json_from_reason(&trial.reason));
    json_put(answer, "in_the_way",
             trial.in_the_way < 0 ? json_null() : json_integer(trial.in_the_way));
    json_put(answer, "alternative", json_from_alternative(&trial));
    return answer;
}

/* Finds the lease of a request for a change; NULL: *wrong is the answer. */
static const struct lease_record *read_lease(const struct question *question, json_t **wrong)
{
    const json_t *dry = json_object_get(question->request, "dry_run");
    const struct lease_record *lease;
    int64_t id = 0;
    bool there;

    *wrong = question_number(question, "lease", INT64_MAX - 1, &id, &there);
    if (*wrong)
        return NULL;
    lease = there ? store_lease(question->answers->store, id) : NULL;
    if (!there)
        *wrong = answer_error(EINVAL, "lease: missing");
    else if (dry && !json_is_boolean(dry) && !json_is_null(dry))
        *wrong = answer_error(EINVAL, "dry_run: expected true or false");
    else if (!lease || lease->phase == PHASE_ENDED)
        *wrong = answers_no_lease(question, id, " or has ended");
    return *wrong ? NULL : lease;
}

json_t *answer_lease_change(const struct question *question)
{
    struct lease_change change;
    json_t *wrong;
    const struct lease_record *lease = read_lease(question, &wrong);

    if (!lease)
        return wrong;
    wrong = read_change(question, lease, &change);
    return wrong ? wrong : change_lease(question, lease, &change);
}

json_t *answer_lease_release(const struct question *question)
{
    const struct lease_change release = {
        .duration = SPAN_NONE, .start = INSTANT_NONE, .deadline = INSTANT_NONE, .releases = true};
    json_t *wrong;
    const struct lease_record *lease = read_lease(question, &wrong);

    return lease ? change_lease(question, lease, &release) : wrong;
}

json_t *answer_lease_hold(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct error err;
    char who[96];
    json_t *answer;
    const struct lease_record *lease = read_lease(question, &answer);

    if (!lease)
        return answer;
    answers_peer(question, who, sizeof who);
    if (daemon->hold(daemon->context, lease->id, who, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-lease-hold/1");
    json_put(answer, "lease", json_integer(lease->id));
    json_put(answer, "phase", json_string(phase_name(lease->phase)));
    return answer;
}
