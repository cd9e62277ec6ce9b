/* The daemon's services for the answers of the control socket. */
#include "daemon/services/services.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/control/jansson_values.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/live/guard.h"
#include "daemon/live/promises.h"
#include "daemon/live/reconcile.h"
#include "daemon/planner/modules.h"
#include "daemon/services/services_question.h"
#include "daemon/state/quarantine.h"
#include "daemon/state/user_usage.h"
#include "daemon/state/vm_state.h"

#define LOG_SUBSYSTEM LOG_OF_CONTROL

static int64_t now_of(void *context)
{
    (void)context;
    return clock_now();
}

/* Reports when this machine's clock was last set, since galernad started. */
static void put_clock(const struct clocks *clocks, json_t *object)
{
    static const char *const words[][2] = {
        [CLOCKS_RUNNING] = {"running", "galernad was running"},
        [CLOCKS_DOWN] = {"stopped", "galernad was not running"},
        [CLOCKS_DOWN_AT_LEAST] = {"machine-down", "the machine was down (or earlier)"},
    };
    json_t *clock;

    if (!clocks->set_at)
        return;
    clock = json_object();
    json_object_set_new(clock, "set_by", json_integer(clocks->set_by));
    json_object_set_new(clock, "noticed", json_from_instant(clocks->set_at));
    json_object_set_new(clock, "word", json_string(words[clocks->set_when][0]));
    json_object_set_new(clock, "while", json_string(words[clocks->set_when][1]));
    json_object_set_new(object, "clock", clock);
}

static void put_restored(const struct store *store, json_t *object)
{
    char text[STORE_TEXT_MAX], when[64];
    int64_t at;
    size_t n = promises_restored_last(store, &at);

    if (!n)
        return;
    lease_time_text(at, when, sizeof when);
    promises_lost_text(n, text, sizeof text);
    json_object_set_new(object, "restored", json_sprintf("%s: %s", when, text));
    json_object_set_new(object, "restored_at", json_from_instant(at));
    json_object_set_new(object, "restored_leases", json_integer((json_int_t)n));
}

static json_t *problems_of(const struct daemon *daemon)
{
    json_t *problems = json_array();

    for (size_t i = 0; i < PROBLEMS; i++) {
        const struct problem *problem = &daemon->problems[i];
        json_t *line;

        if (!problem->text[0])
            continue;
        line = json_object();
        json_object_set_new(line, "of", json_string(problem_words[i]));
        json_object_set_new(line, "text", json_from_text(problem->text));
        json_object_set_new(line, "since", json_from_instant(problem->since));
        json_array_append_new(problems, line);
    }
    return problems;
}

static json_t *json_from_offence(const struct planner_offence *offence)
{
    bool is_inside = offence->call != POLICY_CALL_NONE;

    return json_pack("{s:s, s:I, s:o, s:o}", "word", offence_words[offence->kind], "number",
                     (json_int_t)offence->number, "call",
                     is_inside ? json_string(offence_call_words[offence->call]) : json_null(),
                     "quote", json_from_text(offence->quote));
}

static void put_module(void *context, const struct planner_module *module)
{
    const struct planner_offence *offence = module->offence;
    json_t *policy = json_object();
    char text[OFFENCE_TEXT_MAX];

    if (offence)
        offence_text(offence, text, sizeof text);
    json_object_set_new(policy, "name", json_string(module->name));
    json_object_set_new(policy, "kind", json_string(module->kind));
    json_object_set_new(policy, "file", json_string(module->file));
    json_object_set_new(policy, "out_of_service", offence ? json_from_text(text) : json_null());
    json_object_set_new(policy, "offence", offence ? json_from_offence(offence) : json_null());
    json_object_set_new(policy, "since", offence ? json_from_instant(module->since) : json_null());
    json_array_append_new(context, policy);
}

static int by_usage(const void *one, const void *other)
{
    const struct used *a = one, *b = other;

    return (b->used > a->used) - (b->used < a->used);
}

static const struct user *user_of(const struct daemon *daemon, int32_t uid)
{
    const struct site_seen *site = world_site(daemon->world);

    return site ? user_pool_find(&site->users, uid) : NULL;
}

/* Names the user and the group, or their ids if a name is unknown or not text. */
static void put_used(const struct daemon *daemon, const struct used *used, json_t *usage)
{
    enum { CPU_HOUR = 3600 };
    const struct user *user = user_of(daemon, used->uid);
    json_t *hours = json_real(round(used->used / CPU_HOUR) / 100);
    char name[320];

    snprintf(name, sizeof name, "of user %d in group %d", used->uid, used->gid);
    if (user && user->gid == used->gid && user->name && user->group)
        snprintf(name, sizeof name, "of %.150s in %.150s", user->name, user->group);
    else if (user && user->name)
        snprintf(name, sizeof name, "of %.150s in group %d", user->name, used->gid);
    if (json_object_set(usage, name, hours)) {
        snprintf(name, sizeof name, "of user %d in group %d", used->uid, used->gid);
        json_object_set(usage, name, hours);
    }
    json_decref(hours);
}

/* With fair share: the users who have used the most, in CPU-hours. */
static void put_usage(const struct daemon *daemon, json_t *object)
{
    enum { SHOWN_MOST = 20 };
    const struct fair_share_settings *settings = &daemon->configuration->settings.fair_share;
    json_t *usage;
    struct used *all;
    size_t n;

    if (settings->by == FAIR_SHARE_NO)
        return;
    usage = json_object();
    all = usage_now(daemon->store, settings, clock_now(), &n);
    qsort(all, n, sizeof *all, by_usage);
    for (size_t i = 0; i < n && i < SHOWN_MOST; i++)
        put_used(daemon, &all[i], usage);
    free(all);
    json_object_set_new(object, "cpu_hours", usage);
}

/* Reports the front-end whose galernad acts, which the others know from the mark. While its oned
 * cannot be read, another front-end may have been elected: neither is known. */
static void put_leadership(const struct daemon *daemon, json_t *oned)
{
    const struct cloud_leadership *leadership = world_leadership(daemon->world);
    const struct cloud_mark *acting = guard_acting(daemon->guard);
    bool known = daemon->poll_ok || leadership->server < 0;
    bool acts = known && daemon->fence.held && !daemon->live->dry_run;

    json_object_set_new(oned, "role",
                        known && leadership->role[0] ? json_string(leadership->role) : json_null());
    if (leadership->server >= 0) {
        json_object_set_new(oned, "server", json_integer(leadership->server));
        json_object_set_new(oned, "raft_term", json_integer((json_int_t)leadership->term));
    }
    json_object_set_new(oned, "dry_run", json_boolean(daemon->live->dry_run));
    json_object_set_new(oned, "acts", json_boolean(acts));
    if (!known || !acting->instance[0] || acting->beat < 0 ||
        (!acts && !guard_acts_elsewhere(daemon->guard))) /* the own mark could not be renewed */
        return;
    json_object_set_new(oned, "acting_on", json_from_text(acting->host));
    if (acting->term > 0) {
        json_object_set_new(oned, "acting_server", json_integer(acting->server));
        json_object_set_new(oned, "acting_raft_term", json_integer((json_int_t)acting->term));
    }
}

static void status(void *context, json_t *object)
{
    struct daemon *daemon = context;
    json_t *oned = json_object(), *figures = json_object(), *policies;
    int64_t age = (clock_monotonic() - daemon->polled) / 1000;

    json_object_set_new(object, "version", json_string(GALERNA_VERSION));
    json_object_set_new(object, "mode", json_string(daemon->mode));
    json_object_set_new(object, "started", json_from_instant(daemon->started));
    json_object_set_new(oned, "endpoint", json_string(daemon->endpoint));
    json_object_set_new(oned, "version", json_string(daemon->oned_version));
    json_object_set_new(oned, "leader", json_boolean(world_leads(daemon->world)));
    put_leadership(daemon, oned);
    json_object_set_new(oned, "reached", json_boolean(daemon->poll_ok));
    json_object_set_new(oned, "last_poll",
                        daemon->polled ? json_from_instant(clock_now() - age) : json_null());
    if (daemon->clocks.known)
        json_object_set_new(oned, "clock_ahead", json_integer(daemon->clocks.ahead));
    json_object_set_new(object, "opennebula", oned);
    json_object_set_new(object, "planner",
                        json_string(planner_is_starting(daemon->planner) ? "starting" : "running"));
    put_clock(&daemon->clocks, object);
    json_object_set_new(object, "promises", json_boolean(!daemon->problems[PROBLEM_STORE].text[0]));
    put_restored(daemon->store, object);
    json_object_set_new(figures, "cycles", json_integer((json_int_t)daemon->n_cycles));
    json_object_set_new(figures, "plans", json_integer((json_int_t)daemon->n_replans));
    json_object_set_new(figures, "commands_under_way",
                        json_integer((json_int_t)enactor_in_flight(daemon->enactor)));
    json_object_set_new(figures, "planners_ended",
                        json_integer((json_int_t)planner_ended(daemon->planner)));
    json_object_set_new(figures, "vms_breaking_rules",
                        json_integer((json_int_t)daemon->broken_rules.n));
    json_object_set_new(object, "figures", figures);
    put_usage(daemon, object);
    policies = json_array();
    planner_each_module(daemon->planner, put_module, policies);
    json_object_set_new(object, "policies", policies);
    json_object_set_new(object, "problems", problems_of(daemon));
}

static const char *outdated(void *context, char *text, size_t size, int64_t *since)
{
    struct problem why;
    const char *word = daemon_is_outdated(context, &why);

    if (!word)
        return NULL;
    snprintf(text, size, "%s", why.text);
    *since = why.since;
    return word;
}

static uint64_t readings(void *context)
{
    return ((const struct daemon *)context)->n_readings;
}

uint64_t services_state(void *context)
{
    return answers_state(((const struct daemon *)context)->answers);
}

static uint64_t host_changes(void *context)
{
    return ((const struct daemon *)context)->n_host_changes;
}

static struct awaited waits_for(void *context, const struct lease_record *lease, int64_t now)
{
    return reconcile_waits_for(context, lease, now);
}

/* --- actions ---------------------------------------------------------------------------------- */

static int cancel(void *context, int64_t lease, const char *who, struct error *err)
{
    struct daemon *daemon = context;

    if (services_check_store(daemon, err) < 0 || reconcile_cancel(daemon, lease, who, err) < 0)
        return -1;
    daemon_wake(daemon);
    return services_commit(daemon, err);
}

static int dry_run(void *context, const struct order *order, struct planner_trial *trial,
                   struct error *err)
{
    struct daemon *daemon = context;
    const struct planner_trial *found = daemon->question->trial;

    if (services_judge_order(daemon, order, &trial->reason) == VERDICT_NO)
        return 0;
    if (!daemon->question->is_answered)
        return services_try_order(daemon, order, err);
    if (!found) {
        *err = daemon->question->err;
        return -1;
    }
    *trial = *found;
    return 0;
}

/* VMs that failed on the host may be tried there again. */
static int release_host(void *context, int32_t host, const char *who, struct error *err)
{
    struct daemon *daemon = context;
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    if (services_check_store(daemon, err) < 0)
        return -1;
    if (!quarantine_has(&daemon->quarantine, host, clock_now()))
        return error_set(err, EALREADY, "host %d is not quarantined", host);
    quarantine_clear(&daemon->quarantine, host);
    for (size_t i = 0; i < n; i++)
        vm_stop_avoiding(daemon->store, vms[i], host);
    store_history(daemon->store, STORE_NO_LEASE, clock_now(), "host-released", "host %d, by %s",
                  host, who);
    daemon_replan(daemon, "host %d was released by %s", host, who);
    daemon_wake(daemon);
    return services_commit(daemon, err);
}

static void wake(void *context)
{
    daemon_notice(context);
}

static void loaded(void *context, const struct error *err)
{
    services_handle_again(context, err);
}

/* 0: the modules are loaded. */
static int load_policies(struct daemon *daemon, const char *enabled, struct error *err)
{
    const struct services_question *asked = daemon->question;

    if (!asked->is_answered) {
        struct services_question *question = services_put_off(asked);
        const struct modules_wanted wanted = {.enabled = enabled};

        return services_later(question,
                              planner_reload(daemon->planner, &wanted, loaded, question, err), err);
    }
    if (asked->err.code) {
        *err = asked->err;
        return -1;
    }
    daemon_modules_loaded(daemon);
    return 0;
}

static int reload_policies(void *context, struct error *err)
{
    return load_policies(context, NULL, err);
}

static int enable_policy(void *context, const char *module, struct error *err)
{
    struct daemon *daemon = context;

    if (load_policies(daemon, module, err) < 0)
        return -1;
    log_info("policy %s is in service again", module);
    return services_commit(daemon, err);
}

static struct fair_share *shares_of(void *context, int64_t now)
{
    const struct daemon *daemon = context;
    const struct fair_share_settings *settings = &daemon->configuration->settings.fair_share;

    return settings->by == FAIR_SHARE_NO ? NULL : usage_shares(daemon->store, settings, now);
}

struct answers_daemon services_for(struct daemon *daemon)
{
    return (struct answers_daemon){.context = daemon,
                                   .now = now_of,
                                   .status = status,
                                   .outdated = outdated,
                                   .readings = readings,
                                   .host_changes = host_changes,
                                   .each_host = services_each_host,
                                   .host_name = services_host_name,
                                   .each_operation = services_each_operation,
                                   .shares = shares_of,
                                   .waits_for = waits_for,
                                   .trace = services_trace,
                                   .usage = services_usage,
                                   .cancel = cancel,
                                   .change = services_change,
                                   .hold = services_hold,
                                   .dry_run = dry_run,
                                   .request = services_request,
                                   .drain = services_drain,
                                   .undrain = services_undrain,
                                   .unbook = services_unbook,
                                   .each_booking = services_each_booking,
                                   .rebalance = services_rebalance,
                                   .release_host = release_host,
                                   .log_levels = services_log_levels,
                                   .log_set = services_log_set,
                                   .wake = wake,
                                   .reload_policies = reload_policies,
                                   .enable_policy = enable_policy};
}

void services_finish(struct daemon *daemon)
{
    services_requests_forget(daemon);
    services_templates_forget(daemon);
    services_usage_forget(daemon);
    services_hosts_forget(daemon);
}
