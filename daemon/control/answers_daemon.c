/* Answers from the daemon's other parts: requests, status. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "daemon/store/words.h"
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

static json_t *dry_run(const struct question *question, const struct order *order)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct planner_trial trial = {.start = INSTANT_NONE};
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
    json_put(answer, "preempts", json_integer((json_int_t)trial.n_victims));
    json_put(answer, "word", *trial.word ? json_from_text(trial.word) : json_null());
    json_put(answer, "text", json_from_text(trial.text));
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
        return answer_error(ENOENT, "lease %" PRId64 " does not exist or has ended", id);
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

json_t *answer_status(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const struct store *store = question->answers->store;
    json_t *answer = answer_begin(question, "galerna-status/1");
    json_t *phases = json_object(), *facts = json_object();
    const struct overview *overview = overview_look(question);
    size_t n;

    for (int i = 0; i < PHASES; i++)
        json_put(phases, store_phase_words[i], json_integer((json_int_t)overview->in_phase[i]));
    store_vms(store, &n);
    json_put(answer, "instance", json_from_text(store_instance(store)));
    json_put(
        answer, "changes",
        json_integer(store_commits(store) + (json_int_t)daemon->host_changes(daemon->context)));
    json_put(answer, "leases", phases);
    json_put(answer, "suspended", json_integer((json_int_t)overview->suspended));
    json_put(answer, "late", json_integer((json_int_t)overview->late));
    json_put(answer, "vms", json_integer((json_int_t)n));
    json_put(answer, "drains", answers_drains(question));
    json_put(answer, "bookings", answers_bookings(question));
    json_put(answer, "far_reservations", json_incref(overview->far));
    daemon->status(daemon->context, facts);
    json_put(answer, "daemon", facts);
    return answer;
}

json_t *answer_wake(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    int64_t vm;
    bool there;
    json_t *wrong = question_number(question, "vm", INT32_MAX, &vm, &there);

    if (wrong)
        return wrong;
    daemon->wake(daemon->context);
    return answer_begin(question, "galerna-wake/1");
}

json_t *answer_log_levels(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    json_t *answer = answer_begin(question, "galerna-log-levels/1"), *levels = json_object();

    daemon->log_levels(daemon->context, levels);
    json_put(answer, "levels", levels);
    return answer;
}

json_t *answer_log_set(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const char *level = NULL, *subsystem = NULL;
    json_t *wrong = question_text(question, "level", &level);
    struct error err;

    if (!wrong)
        wrong = question_text(question, "subsystem", &subsystem);
    if (wrong)
        return wrong;
    if (!level)
        return answer_error(EINVAL, "level: missing");
    if (daemon->log_set(daemon->context, level, subsystem, &err) < 0)
        return answers_refused(&err);
    return answer_log_levels(question);
}

json_t *answer_reload_policies(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct error err;

    if (!daemon->reload_policies)
        return answer_error(ENOTSUP, "this daemon has no policy modules to reload");
    if (daemon->reload_policies(daemon->context, &err) < 0)
        return answers_refused(&err);
    return answer_begin(question, "galerna-reload-policies/1");
}

json_t *answer_enable_policy(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const char *module = NULL;
    struct error err;
    json_t *wrong = question_text(question, "policy", &module);

    if (wrong)
        return wrong;
    if (!module)
        return answer_error(EINVAL, "policy: expected the name of a policy module");
    if (!daemon->enable_policy)
        return answer_error(ENOTSUP, "this daemon has no policy modules");
    if (daemon->enable_policy(daemon->context, module, &err) < 0)
        return answers_refused(&err);
    return answer_begin(question, "galerna-enable-policy/1");
}
