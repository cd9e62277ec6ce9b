/* The status of the daemon, its log, its policy modules, and waking it. */
#include <errno.h>

#include "daemon/control/answers_private.h"
#include "daemon/store/words.h"

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
