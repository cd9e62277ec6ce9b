/* The loop of galernad, and its cycle. */
#include "daemon/loop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/control/control.h"
#include "daemon/due.h"
#include "daemon/http/http.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/live/guard.h"
#include "daemon/live/intake.h"
#include "daemon/live/messages.h"
#include "daemon/live/reconcile.h"
#include "daemon/metrics/metrics.h"
#include "daemon/notify/commit.h"
#include "daemon/notify/notices.h"
#include "daemon/record/records.h"
#include "daemon/reload.h"
#include "daemon/services/services_question.h"
#include "daemon/signals.h"
#include "daemon/state/user_usage.h"
#include "util/crash_point.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

enum {
    LOOK_INTERVAL = 700,         /* milliseconds between polls of VMs in transition */
    ANSWERS_WAIT = 10,           /* times the duration of the last cycle: the wait for more
                                  * answers */
    WATCHED_MAX = 400,           /* VMs polled together */
    COUNT_INTERVAL = 60 * 1000,  /* milliseconds between counts of repeated log lines */
    REPLAN_WHEN_OLD = 60 * 1000, /* milliseconds: maximum age of the plan for placing new VMs */
    FAILURES_MAX = 5,            /* doublings of the pause after failed polls and plans */
};

/* Leases change only in cycles, so these times hold until the next one. */
static void note_times(struct daemon *daemon)
{
    int64_t now = clock_monotonic(), wait = (now - daemon->cycle_began) * ANSWERS_WAIT;

    daemon->answers_wait = now + (wait < LOOK_INTERVAL ? wait : LOOK_INTERVAL);
    daemon->reconcile_due = reconcile_next_time(daemon, daemon->reconciled);
    daemon->reconcile_next = reconcile_next_time(daemon, clock_now());
}

/* The pause in milliseconds after consecutive failures. */
static int64_t pause_after(const struct daemon *daemon, int failures)
{
    int64_t pause = 1000 << (failures < FAILURES_MAX ? failures : FAILURES_MAX);
    int64_t interval = daemon->live->poll_interval * 1000;

    return pause < interval ? pause : interval;
}

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Schedules a retry after a pause. A planner that is starting or was replaced is a problem only if
 * the next attempt also fails. */
static void plan_failed(struct daemon *daemon, const struct error *err)
{
    bool again = daemon->plan_failures > 0;

    if (again && strcmp(daemon->problems[PROBLEM_PLAN].text, err->text) != 0)
        log_error("planning failed: %s", err->text);
    else
        log_line(&(const struct log_head){LOG_LEVEL_DEBUG, LOG_OF_PLANNER, -1, -1},
                 "planning failed: %s", err->text);
    if (again)
        daemon_problem(daemon, PROBLEM_PLAN, err->text);
    daemon->next_plan = clock_monotonic() + pause_after(daemon, daemon->plan_failures++);
    daemon_replan(daemon, "the last plan failed");
    daemon->cycle_due = false;
}

/* 0: a plan is in progress; finish_cycle() follows when it is ready. */
static int plan(struct daemon *daemon, int64_t now)
{
    bool rebuild = daemon->replan || !planner_is_ready(daemon->planner);
    struct error err = {0};

    daemon->plan_began = clock_monotonic();
    if (daemon->plan_began < daemon->next_plan) {
        daemon->cycle_due = false;
        return -1;
    }
    if (rebuild) {
        log_line(&(const struct log_head){LOG_LEVEL_DEBUG, LOG_OF_PLANNER, -1, -1},
                 "rebuilding the plan: %s",
                 daemon->replan ? daemon->replan_why : "nothing planned yet");
        daemon->replan = false;
        daemon->n_replans++;
        reconcile_before_replan(daemon);
    }
    if (planner_plan(daemon->planner, rebuild, now, &err) == 0)
        return 0;
    plan_failed(daemon, &err);
    return -1;
}

/* The rest of a cycle, after the plan: commit, then act. */
static void finish_cycle(struct daemon *daemon)
{
    size_t n_sent = 0;
    int64_t now = clock_now();
    struct error err = {0};
    bool may_act = due_may_act(daemon) && !daemon->fence.waits;

    if (may_act) {
        n_sent += enactor_prepare(daemon->enactor, now);
        n_sent += messages_prepare(daemon->messages, now);
        n_sent += kept_drains_prepare(daemon);
    }
    usage_charge(daemon->store, &daemon->configuration->settings.fair_share, now);
    if (daemon_commit(daemon, &err) < 0) {
        if (n_sent > 0)
            fence_withdraw(daemon);
        return;
    }
    if (n_sent > 0)
        fence_send(daemon);
    records_update(daemon);
    daemon_want_forms(daemon);
    if (may_act)
        sleep_end(daemon);
}

/* A request waits for newer access rules: at most one additional poll in each interval, however
 * many requests users send. */
static void look_at_rules(struct daemon *daemon)
{
    const int64_t age = clock_monotonic() - world_site_asked(daemon->world);

    if (world_want_site(daemon->world) && age >= daemon->live->poll_interval * 1000)
        world_poll(daemon->world, POLL_FULL);
}

void daemon_planned(void *context, bool made)
{
    struct daemon *daemon = context;
    const struct error failure = {.code = EIO, .text = "the planner ended without a plan"};

    metrics_planned(daemon->metrics, clock_monotonic() - daemon->plan_began, made);
    if (!made) {
        plan_failed(daemon, &failure);
    } else {
        daemon->plan_failures = 0;
        daemon_problem(daemon, PROBLEM_PLAN, NULL);
    }
    if (made && planner_is_outdated(daemon->planner))
        daemon_replan(daemon, "leases deviate from the plan");
    if (planner_doubts_rules(daemon->planner))
        look_at_rules(daemon);
    if (made && intake_can_go_on(daemon))
        daemon_wake(daemon);
    finish_cycle(daemon);
    note_times(daemon);
}

/* The cycle of a follower, which may last for months: what it has observed must not accumulate in
 * memory until it leads, nor delay its first commands. */
static void keep_observed(struct daemon *daemon)
{
    struct error err = {0};

    if (daemon_commit(daemon, &err) == 0)
        records_update(daemon);
}

static void cycle(struct daemon *daemon)
{
    int64_t now = clock_now();

    daemon->cycle_due = daemon->answers_due = false;
    daemon->cycle_began = clock_monotonic();
    daemon->n_cycles++;
    if (!daemon->polled)
        return;
    if (daemon->poll_ok) {
        sleep_begin(daemon, now); /* the steps below examine the present observations */
        intake(daemon, now);
        messages_see(daemon->messages, now); /* first, for promises by another front-end */
        reconcile(daemon, now);
        if (fence_catch_up(daemon)) {
            reconcile_withdraw(daemon, now);
            reconcile(daemon, now);
        }
        if (due_may_act(daemon))
            services_attributes(daemon, now);
        daemon_want_forms(daemon);
        if (!planner_is_asked(daemon->planner)) /* the answer may need the forms */
            world_drop_forms(daemon->world);
    }
    if (daemon_follows(daemon))
        keep_observed(daemon);
    if (!daemon_acts(daemon))
        return;
    if (!planner_sees_same_hosts(daemon->planner)) {
        daemon->n_host_changes++;
        daemon_replan(daemon, "the hosts changed");
    }
    if (!planner_sees_same_vmgroups(daemon->planner))
        daemon_replan(daemon, "the VM groups changed");
    if (planner_is_outdated(daemon->planner))
        daemon_replan(daemon, "leases deviate from the plan");
    if (plan(daemon, now) < 0)
        finish_cycle(daemon);
}

/* --- polling ---------------------------------------------------------------------------------- */

static void poll_failed(struct daemon *daemon, const char *error)
{
    if (daemon->failures == 0) {
        log_error("cannot read OpenNebula: %s", error);
        daemon->unread_from = clock_now();
    }
    daemon->poll_ok = false;
    daemon_problem(daemon, PROBLEM_OPENNEBULA, error);
    daemon->next_poll = clock_monotonic() + pause_after(daemon, ++daemon->failures);
    services_templates_read(daemon);
}

static void note_full_poll(struct daemon *daemon)
{
    if (!daemon->polled) {
        size_t n = world_hosts(daemon->world)->pool.n;

        if (strcmp(daemon->mode, "simulated") == 0)
            log_info("scheduling %zu simulated host%s", n, n == 1 ? "" : "s");
        else
            log_info("connected to OpenNebula: %zu host%s", n, n == 1 ? "" : "s");
        store_set_fact(daemon->store, "mode", daemon->mode);
    }
    daemon->polled = clock_monotonic();
    daemon->poll_asked = world_asked(daemon->world);
    daemon->next_poll = daemon->polled + daemon->live->poll_interval * 1000;
    daemon->poll_ok = true;
}

/* Replans if a full poll has found relevant changes, or if quarantines or drains have ended. */
static void replan_if_changed(struct daemon *daemon)
{
    int64_t now = clock_now();

    if (world_unread_digest(daemon->world) != daemon->unread) {
        daemon->unread = world_unread_digest(daemon->world);
        daemon_replan(daemon, "the capacity of VMs that cannot be read has changed");
    }
    if (world_site(daemon->world)->digest != daemon->site) {
        daemon->site = world_site(daemon->world)->digest;
        daemon_replan(daemon, "datastores, networks, clusters, users or access rules changed");
    }
    if (quarantine_expire(&daemon->quarantine, now)) {
        daemon->n_host_changes++;
        daemon_replan(daemon, "the quarantine of a host ended");
    }
    if (drains_expire(&daemon->drains, now)) {
        drains_keep(&daemon->drains, daemon->store);
        daemon_replan(daemon, "the drain of a host ended");
    }
    if (planner_unplaced(daemon->planner))
        daemon_replan(daemon, "leases could not be placed");
}

/* The next cycle processes the observations. A poll after a notice only causes a new plan if the
 * plan is old. */
void daemon_polled(void *context, enum poll_kind kind, bool ok, const char *error)
{
    struct daemon *daemon = context;

    if (!ok) {
        poll_failed(daemon, error);
        return;
    }
    daemon->n_readings++;
    crash_point("polled");
    if (daemon->failures) {
        log_info("OpenNebula can be read again");
        daemon->unread_until = clock_now();
    }
    daemon->failures = 0;
    daemon_problem(daemon, PROBLEM_OPENNEBULA, NULL);
    broken_rules_find(&daemon->broken_rules, daemon->world);
    if (kind == POLL_FULL) {
        note_full_poll(daemon);
        kept_drains_see(daemon, clock_now());
        replan_if_changed(daemon);
        services_templates_read(daemon);
        rebalancing_follow(daemon);
    } else if (clock_monotonic() - planner_built(daemon->planner) > REPLAN_WHEN_OLD) {
        daemon_replan(daemon, "the plan is outdated");
    }
    if (!world_leads(daemon->world))
        log_debug("oned is not the leader (%s): no commands sent",
                  world_leadership(daemon->world)->role);
    daemon->cycle_due = true;
}

static void looked(void *context, bool ok)
{
    struct daemon *daemon = context;

    crash_point("looked");
    daemon->looking = false;
    daemon->n_readings++;
    daemon->next_look = clock_monotonic() + LOOK_INTERVAL;
    daemon->cycle_due = daemon->cycle_due || ok;
}

static void look_at_watched(struct daemon *daemon)
{
    int32_t ids[WATCHED_MAX];
    size_t n = enactor_watched(daemon->enactor, ids, WATCHED_MAX);

    if (daemon->looking || clock_monotonic() < daemon->next_look || !n || !daemon->poll_ok)
        return;
    daemon->looking = true;
    world_look(daemon->world, ids, n, looked, daemon);
}

/* --- time ------------------------------------------------------------------------------------- */

/* Starts a cycle when a due time has come. */
static void watch_time(struct daemon *daemon)
{
    int64_t now = clock_now();

    if (due_next(daemon, daemon->reconcile_due) <= now ||
        (daemon->answers_due && clock_monotonic() >= daemon->answers_wait) ||
        (due_plan_again(daemon) && clock_monotonic() >= daemon->next_plan))
        daemon->cycle_due = true;
    if (!daemon->replan && planner_retry_time(daemon->planner) <= now)
        daemon_replan(daemon, "the delay after a failed start is over");
    if (!world_polling(daemon->world) && clock_monotonic() >= daemon->next_poll)
        world_poll(daemon->world, POLL_FULL);
}

/* Sets or clears a problem, and logs it once. */
static void watch_problem(struct daemon *daemon, enum problem_of of, const char *text)
{
    if (text[0] && !daemon->problems[of].text[0])
        log_error("%s", text);
    daemon_problem(daemon, of, text);
}

/* Reports differences between front-ends before they cause trouble in a failover. */
static void watch_front_ends(struct daemon *daemon)
{
    char text[ERROR_TEXT_MAX] = "";

    guard_differs(daemon->guard, text, sizeof text);
    watch_problem(daemon, PROBLEM_FRONT_ENDS, text);
    text[0] = '\0';
    if (daemon->promises.n_unreadable)
        snprintf(
            text, sizeof text,
            "%zu VM%s not scheduled here, because a newer Galerna wrote %s: upgrade this front-end",
            daemon->promises.n_unreadable, daemon->promises.n_unreadable == 1 ? " is" : "s are",
            daemon->promises.n_unreadable == 1 ? "its promise" : "their promises");
    watch_problem(daemon, PROBLEM_PROMISES, text);
}

/* Watches for other daemons. -1: another galernad acts. */
static int watch_guard(struct daemon *daemon, struct error *err)
{
    static const char waits[] =
        "commands suspended until OpenNebula has the mark of this galernad again";
    bool follows = daemon_follows(daemon), holds;

    if (world_leads(daemon->world))
        guard_lead(daemon->guard, world_leadership(daemon->world));
    if (follows != (daemon->follows_since != INSTANT_NONE))
        daemon->follows_since = follows ? clock_now() : INSTANT_NONE;
    holds = guard_holds(daemon->guard);
    if (!holds && daemon->guarded && !follows)
        log_warning("%s", waits);
    daemon->guarded = holds;
    daemon_problem(daemon, PROBLEM_MARK, holds || follows ? NULL : waits);
    watch_front_ends(daemon);
    front_end_step(&daemon->front_end, world_leadership(daemon->world)->server);
    if (follows)
        guard_rest(daemon->guard);
    if (!world_leads(daemon->world)) /* or not yet known; a following oned may lag behind */
        return 0;
    guard_step(daemon->guard);
    return guard_check(daemon->guard, err);
}

/* Starts a forecast when idle; changed estimates start a cycle. */
static void look_ahead(struct daemon *daemon)
{
    if (daemon->cycle_due || daemon->replan || !due_plans(daemon) ||
        planner_forecast_due(daemon->planner) > clock_monotonic())
        return;
    planner_forecast(daemon->planner);
}

/* --- the loop --------------------------------------------------------------------------------- */

static void count_log_lines(struct daemon *daemon)
{
    int64_t now = clock_monotonic();

    if (now < daemon->next_count)
        return;
    log_count_repeats();
    daemon->next_count = now + COUNT_INTERVAL;
}

static bool any_is_ready(const struct pollfd *fds, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (fds[i].revents)
            return true;
    return false;
}

static void serve_notices(struct daemon *daemon)
{
    struct error err = {0};

    if (notices_mark(daemon->notices))
        notices_hand_over(daemon->notices, daemon_commit(daemon, &err) < 0 ? err.text : NULL);
}

/* Waits once, `wait` milliseconds at most, and serves what is ready. 1: only questions on the
 * control socket and the planner's answers to them, which changed nothing. */
static int wait_and_serve(struct daemon *daemon, int64_t wait, struct error *err)
{
    struct pollfd fds[CONTROL_CLIENTS_MAX + 3 + PLANNER_FDS + NOTICES_FDS];
    uint64_t state = answers_state(daemon->answers);
    bool busy = cloud_pending(daemon->cloud) || planner_is_planning(daemon->planner);
    bool only_questions;
    unsigned n = 0, n_control, n_questions;

    if (daemon->control)
        n += control_waitfds(daemon->control, fds, CONTROL_CLIENTS_MAX + 1);
    n_control = n;
    n += planner_waitfds(daemon->planner, &fds[n]);
    n_questions = n;
    n += signals_waitfd(&fds[n]);
    n += notices_waitfds(daemon->notices, &fds[n]);
    if (daemon->http)
        n += http_waitfds(daemon->http, &fds[n]);
    if (cloud_wait(daemon->cloud, fds, n, (int)wait, err) < 0)
        return -1;
    only_questions = !busy && any_is_ready(fds, n_questions) &&
                     !any_is_ready(fds + n_questions, n - n_questions);
    if (!only_questions || any_is_ready(fds + n_control, n_questions - n_control))
        planner_serve(daemon->planner);
    if (daemon->control)
        control_serve(daemon->control);
    if (only_questions)
        return answers_state(daemon->answers) == state;
    if (daemon->http)
        http_serve(daemon->http);
    serve_notices(daemon);
    return 0;
}

/* Questions are answered without a turn of the loop, which would cost as much as most answers. A
 * question to the planner may be due earlier than all else. */
static int wait_for_something(struct daemon *daemon, struct error *err)
{
    int64_t patience = daemon->watchdog_ms > 0 ? daemon->watchdog_ms / 3 : INT32_MAX;
    int64_t began = clock_monotonic(), wait = due_in(daemon), left = patience;
    int served;

    do {
        served = wait_and_serve(daemon, wait < left ? wait : left, err);
        wait = due_in(daemon);
        left = began + patience - clock_monotonic();
    } while (served > 0 && wait > 0 && left > 0);
    return served < 0 ? -1 : 0;
}

static void handle_signals(struct daemon *daemon)
{
    int number;

    while ((number = signals_next())) {
        if (number == SIGNAL_STOP) {
            log_info("stopping; VMs stay as they are");
            daemon->stopping = true;
        } else if (number == SIGNAL_RELOAD) {
            daemon->reload_due = true;
        }
    }
    if (!daemon->reload_due)
        return;
    daemon->reload_due = false;
    reload_begin(daemon->reload);
}

/* Notifies systemd now and then only: one notification takes as long as answering a short request,
 * for systemd as well. */
static void tell_watchdog(struct daemon *daemon)
{
    int64_t now = clock_monotonic();

    if (daemon->watchdog_ms == 0 || now < daemon->next_watchdog)
        return;
    sd_notify(0, "WATCHDOG=1");
    daemon->next_watchdog = now + daemon->watchdog_ms / 6;
}

int daemon_run(struct daemon *daemon, struct error *err)
{
    note_times(daemon);
    while (!daemon->stopping) {
        clocks_step(daemon);
        watch_time(daemon);
        if (watch_guard(daemon, err) < 0)
            return -1;
        fence_step(daemon);
        if (daemon->cycle_due && !planner_is_planning(daemon->planner)) {
            cycle(daemon);
            note_times(daemon);
        }
        look_at_watched(daemon);
        look_ahead(daemon);
        services_answer_requests(daemon);
        services_usage_go_on(daemon);
        if (wait_for_something(daemon, err) < 0)
            return -1;
        handle_signals(daemon);
        count_log_lines(daemon);
        tell_watchdog(daemon);
    }
    sd_notify(0, "STOPPING=1");
    clocks_remember(daemon);
    notices_end(daemon->notices);
    return store_commit(daemon->store, err);
}
