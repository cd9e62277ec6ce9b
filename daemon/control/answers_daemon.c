/* Answers from the daemon's other parts: requests, hosts, status. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/store/words.h"

json_t *answers_requested(const int32_t *vms, size_t n)
{
    json_t *answer = json_object(), *ids = json_array();
    int32_t lowest = n ? vms[0] : -1;

    for (size_t i = 0; i < n; i++) {
        json_array_append_new(ids, json_integer(vms[i]));
        if (vms[i] < lowest)
            lowest = vms[i];
    }
    json_put(answer, "ok", json_true());
    json_put(answer, "schema", json_string("galerna-lease-request/1"));
    json_put(answer, "lease", json_integer(lowest));
    json_put(answer, "vms", ids);
    return answer;
}

static json_t *dry_run(const struct question *question, const struct order *order)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct order_trial trial = {.start = INSTANT_NONE};
    struct error err;
    json_t *answer;

    if (order->cpu == 0 || order->memory == 0)
        return answer_error(EINVAL, "%s: a dry run must know it, whatever the template says",
                            order->cpu == 0 ? "cpu" : "memory");
    if (daemon->dry_run(daemon->context, order, &trial, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-dry-run/1");
    json_put(answer, "accepted", json_boolean(trial.accepted));
    json_put(answer, "start", json_from_instant(trial.start));
    json_put(answer, "promise",
             trial.start == INSTANT_NONE ? json_null()
                                         : json_string(trial.contract ? "contract" : "estimate"));
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
    if (json_is_true(dry))
        return dry_run(question, &order);
    if (daemon->request(daemon->context, &order, question->peer, &err) < 0)
        return answers_refused(&err);
    return NULL;
}

/* "anna (uid 1000)" for the history. */
static void describe_peer(const struct control_peer *peer, char *text, size_t size)
{
    const struct passwd *user = getpwuid(peer->uid);

    if (user)
        snprintf(text, size, "%s (uid %ld)", user->pw_name, (long)peer->uid);
    else
        snprintf(text, size, "uid %ld", (long)peer->uid);
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
        return answer_error(EINVAL, "lease: is missing");
    lease = store_lease(question->answers->store, id);
    if (!lease)
        return answer_error(ENOENT, "lease %" PRId64 " does not exist or is over", id);
    if (lease->phase == PHASE_ENDED)
        return answer_error(ENOENT, "lease %" PRId64 " is %s already", id,
                            phase_name(lease->phase));
    describe_peer(question->peer, who, sizeof who);
    if (daemon->cancel(daemon->context, id, who, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-lease-cancel/1");
    json_put(answer, "lease", json_integer(id));
    lease = store_lease(question->answers->store, id);
    json_put(answer, "phase", lease ? json_string(phase_name(lease->phase)) : json_null());
    return answer;
}

static void add_host(void *context, const struct host_view *host)
{
    json_t *line = json_object();

    json_put(line, "host", json_integer(host->id));
    json_put(line, "name", json_from_text(host->name));
    json_put(line, "cluster", host->cluster ? json_from_text(host->cluster) : json_null());
    json_put(line, "state", json_from_text(host->state));
    json_put(line, "usable", json_boolean(host->usable));
    json_put(line, "cpu", json_real((double)host->cpu / 100));
    json_put(line, "cpu_used", json_real((double)host->cpu_used / 100));
    json_put(line, "memory", json_integer(host->memory));
    json_put(line, "memory_used", json_integer(host->memory_used));
    json_put(line, "vms", json_integer(host->vms));
    json_put(line, "quarantined_until", json_from_instant(host->quarantined_until));
    json_array_append_new(context, line);
}

json_t *answer_host_list(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    json_t *answer = answer_begin(question, "galerna-host-list/1"), *hosts = json_array();

    daemon->each_host(daemon->context, add_host, hosts);
    json_put(answer, "hosts", hosts);
    return answer;
}

struct timeline {
    const struct question *question;
    json_t *operations;
};

static void add_operation(void *context, const struct operation_view *operation)
{
    struct timeline *timeline = context;
    const struct lease_record *lease =
        store_lease(timeline->question->answers->store, operation->lease);
    json_t *line = json_object();

    json_put(line, "lease", json_integer(operation->lease));
    json_put(line, "vm", operation->vm < 0 ? json_null() : json_integer(operation->vm));
    json_put(line, "what", json_from_text(operation->what));
    json_put(line, "from", json_from_instant(operation->from));
    json_put(line, "until", json_from_instant(operation->until));
    json_put(line, "cpu", json_real((double)operation->cpu / 100));
    json_put(line, "memory", json_integer(operation->memory));
    json_put(line, "planned", json_boolean(operation->planned));
    json_put(line, "user", lease ? json_from_text(lease->user) : json_null());
    json_put(line, "name", lease ? json_from_text(lease->name) : json_null());
    json_array_append_new(timeline->operations, line);
}

struct wanted_host {
    const char *name;
    int64_t id;
    int found;
    char found_name[STORE_NAME_MAX];
};

static void match_host(void *context, const struct host_view *host)
{
    struct wanted_host *wanted = context;

    if (wanted->name ? strcmp(host->name, wanted->name) != 0 : host->id != wanted->id)
        return;
    wanted->found = 1;
    wanted->id = host->id;
    snprintf(wanted->found_name, sizeof wanted->found_name, "%s", host->name);
}

/* The host named by the request; else the answer with the error. */
static json_t *find_host(const struct question *question, struct wanted_host *wanted)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const json_t *host = json_object_get(question->request, "host");

    *wanted = (struct wanted_host){.name = json_string_value(host), .id = json_integer_value(host)};
    if (!json_is_integer(host) && !json_is_string(host))
        return answer_error(EINVAL, "host: expected an id or a name");
    daemon->each_host(daemon->context, match_host, wanted);
    if (!wanted->found && wanted->name)
        return answer_error(ENOENT, "host '%.80s' does not exist", wanted->name);
    if (!wanted->found)
        return answer_error(ENOENT, "host %" PRId64 " does not exist", wanted->id);
    return NULL;
}

json_t *answer_host_release(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct wanted_host wanted;
    struct error err;
    char who[96];
    json_t *answer = find_host(question, &wanted);

    if (answer)
        return answer;
    describe_peer(question->peer, who, sizeof who);
    if (daemon->release_host(daemon->context, (int32_t)wanted.id, who, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-host-release/1");
    json_put(answer, "host", json_integer(wanted.id));
    json_put(answer, "name", json_from_text(wanted.found_name));
    return answer;
}

json_t *answer_host_timeline(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct wanted_host wanted;
    struct timeline timeline = {.question = question};
    struct error err;
    json_t *answer = find_host(question, &wanted);

    if (answer)
        return answer;
    timeline.operations = json_array();
    if (daemon->each_operation(daemon->context, (int32_t)wanted.id, add_operation, &timeline,
                               &err) < 0) {
        json_decref(timeline.operations);
        return answers_refused(&err);
    }
    answer = answer_begin(question, "galerna-host-timeline/1");
    json_put(answer, "host", json_integer(wanted.id));
    json_put(answer, "name", json_from_text(wanted.found_name));
    json_put(answer, "operations", timeline.operations);
    return answer;
}

json_t *answer_status(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const struct store *store = question->answers->store;
    json_t *answer = answer_begin(question, "galerna-status/1");
    json_t *phases = json_object(), *facts = json_object();
    size_t counts[PHASES] = {0}, n, late = 0;
    const struct lease_record *const *leases = store_leases(store, &n);

    for (size_t i = 0; i < n; i++) {
        counts[leases[i]->phase]++;
        late += leases[i]->late ? 1 : 0;
    }
    for (int i = 0; i < PHASES; i++)
        json_put(phases, store_phase_words[i], json_integer((json_int_t)counts[i]));
    store_vms(store, &n);
    json_put(answer, "instance", json_from_text(store_instance(store)));
    json_put(answer, "leases", phases);
    json_put(answer, "late", json_integer((json_int_t)late));
    json_put(answer, "vms", json_integer((json_int_t)n));
    daemon->status(daemon->context, facts);
    json_put(answer, "daemon", facts);
    return answer;
}

json_t *answer_wake(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;

    daemon->wake(daemon->context);
    return answer_begin(question, "galerna-wake/1");
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
