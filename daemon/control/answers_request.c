/* lease-request, lease-cancel: requests for new leases, also as dry runs, and the end of leases. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "util/append.h"
#include "util/instant.h"
#include "util/search.h"

json_t *answers_requested(int32_t *vms, size_t n)
{
    json_t *answer = json_object(), *ids = json_array();

    qsort(vms, n, sizeof *vms, search_by_id);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(ids, json_integer(vms[i]));
    json_put(answer, "ok", json_true());
    json_put(answer, "schema", json_string("galerna-lease-request/1"));
    json_put(answer, "lease", json_integer(n ? vms[0] : -1));
    json_put(answer, "vms", ids);
    return answer;
}

enum { TRIAL_TEXT_MAX = STORE_SENTENCE_MAX + VICTIMS_TEXT_MAX };

static void say_findings(const struct planner_trial *trial, char *text, size_t size)
{
    char when[64];
    size_t length = 0;

    lease_time_text(trial->start, when, sizeof when);
    text[0] = '\0';
    if (!trial->accepted)
        store_told_text(&trial->reason, true, text, size);
    else if (trial->waits && trial->start == INSTANT_NONE)
        snprintf(text, size, "It would wait in the queue; its start cannot be estimated.");
    else if (trial->waits && trial->start == INSTANT_NEVER)
        snprintf(text, size,
                 "It would wait in the queue; leases or drains without a planned end hold the "
                 "hosts it may use, or get them first.");
    else if (trial->waits)
        snprintf(text, size, "It would wait in the queue and probably start at %s.", when);
    for (size_t i = 0; i < trial->n_hosts && i < TRIAL_HOSTS; i++)
        length = append_text(text, size, length, "%s%s",
                             i                    ? ", "
                             : trial->n_hosts > 1 ? "It would run on hosts "
                                                  : "It would run on host ",
                             trial->hosts[i].name);
    if (trial->n_hosts > TRIAL_HOSTS)
        append_text(text, size, length, " and %zu more.", trial->n_hosts - TRIAL_HOSTS);
    else if (trial->n_hosts)
        append_text(text, size, length, ".");
    answers_add_victims(text, size, &trial->victims);
}

static json_t *dry_run(const struct question *question, const struct order *order)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct planner_trial trial = {.start = INSTANT_NONE};
    char text[TRIAL_TEXT_MAX];
    json_t *hosts;
    struct error err;
    json_t *answer;

    if (order_unsized(order))
        return answer_error(EINVAL, "%s: required in a dry run, even if the template contains it",
                            order_unsized(order));
    if (daemon->dry_run(daemon->context, order, &trial, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-dry-run/1");
    json_put(answer, "accepted", json_boolean(trial.accepted));
    json_put(answer, "start", json_from_instant(trial.start));
    json_put(answer, "promise",
             trial.start == INSTANT_NONE ? json_null()
                                         : json_string(trial.contract ? "contract" : "estimate"));
    json_put(answer, "preempts", json_integer((json_int_t)trial.victims.n));
    json_put(answer, "word", trial.accepted ? json_null() : json_from_text(trial.reason.word));
    json_put(answer, "reason", json_from_reason(&trial.reason));
    json_put(answer, "waits", json_boolean(trial.waits));
    hosts = json_array();
    for (size_t i = 0; i < trial.n_hosts && i < TRIAL_HOSTS; i++)
        json_array_append_new(hosts, json_integer(trial.hosts[i].id));
    json_put(answer, "hosts", hosts);
    json_put(answer, "host_count", json_integer((json_int_t)trial.n_hosts));
    json_put(answer, "preempted", json_from_victims(&trial.victims));
    say_findings(&trial, text, sizeof text);
    json_put(answer, "text", json_from_text(text));
    return answer;
}

json_t *answer_lease_request(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const json_t *dry = json_object_get(question->request, "dry_run");
    struct order order;
    struct error err;

    if (dry && !json_is_boolean(dry) && !json_is_null(dry))
        return answer_error(EINVAL, "dry_run: expected true or false");
    if (order_read(question->request, question->now, &order, &err) < 0)
        return answers_refused(&err);
    order.user = question->user;
    order.session = question->session;
    if (json_is_true(dry))
        return dry_run(question, &order);
    if (daemon->request(daemon->context, &order, question->peer, &err) < 0)
        return answers_refused(&err);
    return NULL;
}

json_t *answer_lease_cancel(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const struct lease_record *lease;
    int64_t id = 0;
    struct error err;
    char who[96];
    bool there;
    json_t *answer = question_number(question, "lease", INT64_MAX - 1, &id, &there);

    if (answer)
        return answer;
    if (!there)
        return answer_error(EINVAL, "lease: missing");
    lease = store_lease(question->answers->store, id);
    if (!lease)
        return answers_no_lease(question, id, " or has ended");
    if (lease->phase == PHASE_ENDED)
        return answer_error(ENOENT, "lease %" PRId64 " is already %s", id,
                            phase_name(lease->phase));
    answers_peer(question, who, sizeof who);
    if (daemon->cancel(daemon->context, id, who, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-lease-cancel/1");
    json_put(answer, "lease", json_integer(id));
    lease = store_lease(question->answers->store, id);
    json_put(answer, "phase", lease ? json_string(phase_name(lease->phase)) : json_null());
    return answer;
}
