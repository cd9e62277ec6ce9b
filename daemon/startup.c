/* Builds the daemon from a command line, and takes it down. */
#include "daemon/startup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "adapters/opennebula/credentials.h"
#include "adapters/opennebula/opennebula.h"
#include "configuration/difference.h"
#include "daemon/background.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/control/control.h"
#include "daemon/http/http.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/live/guard.h"
#include "daemon/live/messages.h"
#include "daemon/loop.h"
#include "daemon/metrics/metrics.h"
#include "daemon/notify/notices.h"
#include "daemon/notify/settings.h"
#include "daemon/planner/lessons.h"
#include "daemon/planner/modules.h"
#include "daemon/record/recorder.h"
#include "daemon/reload.h"
#include "daemon/services/services.h"
#include "daemon/services/services_question.h"
#include "daemon/signals.h"
#include "daemon/simulate.h"
#include "daemon/state/learned.h"
#include "daemon/store/promise_key.h"
#include "daemon/store/repair.h"
#include "util/crash_point.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

enum {
    CONNECT_TIMEOUT = 5 * 1000, /* milliseconds */
    SITE_INTERVAL = 10 * 1000,  /* milliseconds between polls of datastores, users, ACLs */
    FIRST_CONTACT = 20 * 1000,  /* milliseconds until galernad stops waiting for oned at startup */
    FIRST_CONTACT_PAUSE = 1000,
    CLAIM_TURN = 100, /* milliseconds between checks of the claim */
};

enum { LATER = 1, STOPPED }; /* additional results of startup steps (0: done, -1: failed) */

/* All parts, in the order of their creation. */
struct app {
    const struct startup *startup;
    struct configuration *configuration;
    char *state_directory, *socket;
    struct credentials credentials;
    struct memory_budget *budget; /* for answers, which outlive the cloud */
    struct cloud_greeting greeting;
    struct answers_daemon services;
    struct daemon daemon;
    int ready; /* pipe to the process waiting in the foreground; -1: none */
    int exit_code;
};

static int fail(struct app *app, int code, const struct error *err)
{
    app->exit_code = code;
    log_error("%s", err->text);
    return -1;
}

/* Modules get past events as soon as they can request the size of the site. */
static void begins(void *context)
{
    lessons_recall(((struct daemon *)context)->lessons);
}

static bool wants_lessons(void *context)
{
    const struct daemon *daemon = context;

    return daemon->planner && planner_wants_events(daemon->planner);
}

static void tell_lesson(void *context, const struct policy_event *event)
{
    planner_tell(((struct daemon *)context)->planner, event);
}

/* --- parts ------------------------------------------------------------------------------------ */

static int read_configuration(struct app *app)
{
    struct error err = {0};
    const struct configuration_overrides overrides = {0};

    app->configuration = live_configuration_read(app->startup->file, &overrides, &err);
    if (!app->configuration)
        return fail(app, EXIT_CONFIGURATION, &err);
    app->daemon.configuration = app->configuration;
    app->daemon.live = &app->configuration->live;
    log_set_level(app->daemon.live->log_level);
    log_set_format(app->daemon.live->log_format);
    app->daemon.rights = rights_create(&app->configuration->ini, &err);
    if (app->daemon.rights)
        app->daemon.notify = notify_settings_create(&app->configuration->ini, &err);
    return app->daemon.notify ? 0 : fail(app, EXIT_CONFIGURATION, &err);
}

/* Temporary failures to start a process are not configuration errors. */
static int fail_policies(struct app *app, const struct error *err)
{
    bool later =
        err->code == EAGAIN || err->code == ENOMEM || err->code == EMFILE || err->code == ENFILE;

    return fail(app, later ? EXIT_FAILURE : EXIT_CONFIGURATION, err);
}

/* All policies must load, since galernad would break promises without one of them. An existing
 * store lists policies out of service, so modules are loaded only after it is open. */
static int check_policies(struct app *app)
{
    const struct live_configuration *live = app->daemon.live;
    char *directory = live_state_directory(live, app->startup->state_directory, NULL), *store;
    struct error err = {0};
    bool there = false;

    if (directory) {
        store = memory_format("%s/store.db", directory);
        there = access(store, F_OK) == 0;
        free(store);
    }
    free(directory);
    if (there && !app->startup->check_only)
        return 0;
    if (modules_check(app->configuration, app->startup->check_only, &err) == 0 ||
        (err.code == ECHILD && !app->startup->check_only))
        return 0;
    return fail_policies(app, &err);
}

static int fail_by_cause(struct app *app, const struct error *err)
{
    return fail(app,
                err->code == EBUSY     ? EXIT_ANOTHER_DAEMON
                : err->code == EBADMSG ? EXIT_DAMAGED_STORE
                                       : EXIT_FAILURE,
                err);
}

static int find_state_directory(struct app *app)
{
    struct error err = {0};
    const struct live_configuration *live = app->daemon.live;

    app->state_directory = live_state_directory(live, app->startup->state_directory, &err);
    return app->state_directory ? 0 : fail(app, EXIT_FAILURE, &err);
}

static int open_store(struct app *app)
{
    struct error err = {0};

    if (find_state_directory(app) < 0)
        return -1;
    app->daemon.store = store_open(app->state_directory, &err);
    if (!app->daemon.store)
        return fail_by_cause(app, &err);
    drains_load(&app->daemon.drains, app->daemon.store);
    quarantine_load(&app->daemon.quarantine, app->daemon.store);
    rebalancing_resume(&app->daemon);
    return 0;
}

static void print_line(void *context, const char *line)
{
    ++*(size_t *)context;
    puts(line);
}

/* 1: done, do not run. */
static int repair(struct app *app)
{
    struct error err = {0};
    size_t lines = 0;

    if (find_state_directory(app) < 0)
        return -1;
    if (store_repair(app->state_directory, print_line, &lines, &err) < 0)
        return fail_by_cause(app, &err);
    puts(lines ? "The store is repaired. At its next start galernad adopts the VMs that run in "
                 "OpenNebula."
               : "The store is intact.");
    return 1;
}

static bool is_simulated(const struct app *app)
{
    return app->startup->simulate || app->configuration->mode == MODE_SIMULATED;
}

/* Every OpenNebula has the same VM ids: a store of real VMs would match simulated ones. */
static int check_mode(struct app *app)
{
    const char *mode = is_simulated(app) ? "simulated" : "opennebula";
    const char *before = store_fact(app->daemon.store, "mode");
    struct error err = {0};

    app->daemon.mode = mode;
    if (before && strcmp(before, mode) != 0) {
        error_set(&err, EINVAL, "%s has the leases of %s: give %s another --state-dir",
                  app->state_directory, is_simulated(app) ? "a real OpenNebula" : "simulated hosts",
                  is_simulated(app) ? "--simulate" : "this galernad");
        return fail(app, EXIT_CONFIGURATION, &err);
    }
    return 0;
}

static int find_opennebula(struct app *app)
{
    struct error err = {0};
    const struct live_configuration *live = app->daemon.live;
    struct rpc_settings settings = {.allow_plaintext = live->allow_plaintext,
                                    .ca_file = live->ca_file,
                                    .timeout = live->timeout * 1000,
                                    .connect_timeout = CONNECT_TIMEOUT,
                                    .parallel = (unsigned)live->parallel_calls,
                                    .answer_limit = (size_t)live->answer_limit << 20};

    if (credentials_find(&app->credentials, live->endpoint, live->auth_file, &err) < 0)
        return fail(app, EXIT_OPENNEBULA, &err);
    if (app->credentials.warning[0])
        log_warning("%s", app->credentials.warning);
    settings.budget = app->budget = memory_budget_create((size_t)live->memory_limit << 20);
    settings.endpoint = app->daemon.endpoint = app->credentials.endpoint;
    app->daemon.account = app->credentials.user;
    settings.session = app->credentials.session;
    app->daemon.cloud = opennebula_create(&settings, live->leader_check, &err);
    return app->daemon.cloud ? 0 : fail(app, EXIT_FAILURE, &err);
}

static int find_cloud(struct app *app)
{
    struct error err = {0};
    size_t n_vms;

    if (!is_simulated(app))
        return find_opennebula(app);
    store_vms(app->daemon.store, &n_vms);
    app->daemon.endpoint = app->state_directory;
    app->daemon.cloud = simulated_cloud(app->configuration, app->state_directory, n_vms > 0, &err);
    if (!app->daemon.cloud)
        return fail(app, err.code == EINVAL ? EXIT_CONFIGURATION : EXIT_FAILURE, &err);
    return 0;
}

/* Waits for `pause` milliseconds while calls continue. STOPPED: by a signal. */
static int wait_or_stop(struct app *app, int64_t pause)
{
    int64_t until = clock_monotonic() + pause, left;
    struct pollfd fd;
    struct error err = {0};
    unsigned n = signals_waitfd(&fd);

    while ((left = until - clock_monotonic()) > 0) {
        if (cloud_wait(app->daemon.cloud, &fd, n, (int)left, &err) < 0)
            return fail(app, EXIT_FAILURE, &err);
        if (signals_next() == SIGNAL_STOP)
            return STOPPED;
    }
    return 0;
}

/* Retries, since the cloud may be starting at the same time, unless the credentials are wrong. */
static int greet_cloud(struct app *app)
{
    int64_t until = clock_monotonic() + FIRST_CONTACT;
    struct error err = {0};
    bool told = false;
    int waiting;

    for (;;) {
        enum cloud_refusal refusal = CLOUD_NO_SERVICE;
        enum cloud_outcome outcome = cloud_greet(app->daemon.cloud, &app->greeting, &refusal, &err);

        if (outcome == CLOUD_DONE) {
            snprintf(app->daemon.oned_version, sizeof app->daemon.oned_version, "%.31s",
                     app->greeting.version);
            return 0;
        }
        if (outcome == CLOUD_REFUSED &&
            (refusal == CLOUD_NO_CREDENTIALS || refusal == CLOUD_NO_PERMISSION)) {
            error_prefix(&err, "OpenNebula rejects the credentials of %s",
                         app->credentials.session_from);
            return fail(app, EXIT_OPENNEBULA, &err);
        }
        if (clock_monotonic() >= until && app->ready < 0)
            return LATER;
        if (clock_monotonic() >= until) { /* the waiting process reports the result */
            error_prefix(&err, "OpenNebula does not answer (--foreground keeps trying)");
            return fail(app, EXIT_OPENNEBULA, &err);
        }
        if (!told)
            log_warning("%s; trying again", err.text);
        told = true;
        if ((waiting = wait_or_stop(app, FIRST_CONTACT_PAUSE)) != 0)
            return waiting;
    }
}

/* In a zone with several oneds, each may have a galernad; only the leader's galernad acts. */
static bool follows(const struct app *app)
{
    if (!app->greeting.leadership.leads)
        log_info("this oned does not lead its zone (%s): waiting until it does",
                 app->greeting.leadership.role);
    return !app->greeting.leadership.leads;
}

/* Waits, at most for the timeout of a call, until it is known whether another galernad acts. If
 * OpenNebula does not answer, the loop tries again, and sends no commands before that. */
static int claim_place(struct app *app)
{
    int64_t until = clock_monotonic() + app->daemon.live->timeout * 1000;
    struct guard *guard = app->daemon.guard;
    struct error err = {0};
    int waiting;

    for (;;) {
        guard_step(guard);
        if (guard_is_settled(guard) || clock_monotonic() >= until)
            break;
        if ((waiting = wait_or_stop(app, CLAIM_TURN)) != 0)
            return waiting;
    }
    return guard_check(guard, &err) < 0 ? fail_by_cause(app, &err) : 0;
}

/* Simulated hosts are lost with their state directory, so they have no promises. */
static int find_promise_key(struct app *app, struct error *err)
{
    struct promises *promises = &app->daemon.promises;
    char *path = live_promise_key(app->daemon.live, app->state_directory);
    bool made = false;
    int result = 0;

    if (!is_simulated(app)) {
        result = promise_key_load(path, &promises->key, &made, err);
        promises->has_key = result == 0;
    }
    if (made)
        log_info("%s: created a key that signs the promises in VMs' templates; copy it to the "
                 "other front-ends",
                 path);
    free(path);
    return result;
}

/* For simulated hosts, the lock of the state directory is enough. */
static int make_guard(struct app *app, struct error *err)
{
    const struct live_configuration *live = app->daemon.live;
    char *directory = is_simulated(app) ? NULL : live_lock_directory(err);
    char key[PROMISE_KEY_NAME_MAX], configuration[CONFIGURATION_FINGERPRINT_MAX];
    struct guard_settings settings = {.cloud = app->daemon.cloud,
                                      .endpoint = app->daemon.endpoint,
                                      .instance = store_instance(app->daemon.store),
                                      .directory = directory,
                                      .key = key,
                                      .configuration = configuration,
                                      .marked =
                                          live->exclusive && !live->dry_run && !is_simulated(app)};

    promise_key_name(&app->daemon.promises.key, key);
    configuration_fingerprint(app->daemon.configuration, configuration);
    if (directory || is_simulated(app))
        app->daemon.guard = guard_create(&settings, err);
    front_end_init(&app->daemon.front_end, settings.marked ? settings.cloud : NULL, key,
                   app->daemon.configuration);
    free(directory);
    return app->daemon.guard ? 0 : -1;
}

static int take_place(struct app *app)
{
    struct error err = {0};
    int reached = greet_cloud(app), claimed = 0;

    if (reached < 0 || reached == STOPPED)
        return reached;
    if (find_promise_key(app, &err) < 0)
        return fail(app, EXIT_CONFIGURATION, &err);
    if (make_guard(app, &err) < 0)
        return fail_by_cause(app, &err);
    if (reached == 0 && !follows(app)) {
        guard_lead(app->daemon.guard, &app->greeting.leadership);
        claimed = claim_place(app);
    }
    if (claimed != 0)
        return claimed;
    if (!is_simulated(app))
        log_info("scheduling OpenNebula %s at %s as %s",
                 app->daemon.oned_version[0] ? app->daemon.oned_version : "(not reached yet)",
                 app->credentials.endpoint, app->credentials.user);
    return 0;
}

static struct planner_settings planner_settings(struct app *app)
{
    const struct live_configuration *live = app->daemon.live;
    struct planner_settings settings = {
        .engine = app->configuration->settings,
        .configuration = app->configuration,
        .eligibility = {.policy = (enum host_policy)live->host_policy,
                        .rank = live->rank,
                        .datastore_policy = (enum placement_policy)live->datastore_policy,
                        .datastore_rank = live->datastore_rank,
                        .network_policy = (enum placement_policy)live->network_policy,
                        .network_rank = live->network_rank,
                        .different_networks = live->different_networks,
                        .memory_scale = live->memory_scale,
                        .zone = app->greeting.zone},
        .boot_time = live->boot_time,
        .forecast = live->forecast,
        .context = &app->daemon,
        .planned = daemon_planned,
        .changed = daemon_planner_ready,
        .begins = begins,
        .quarantine = &app->daemon.quarantine,
        .drains = &app->daemon.drains,
        .moves_per_host = live->actions_per_host,
        .rebalance_threshold = llround(live->rebalance_threshold / 100 * USE_WHOLE),
        .live_rescheds = live->live_rescheds,
        .moves_off = live->cold_moves == COLD_MOVES_POWEROFF,
        .resumes_anywhere = live->suspend_with == SUSPEND_WITH_STOP,
    };

    settings.engine.in_front_least = live->start_in_front;
    /* Memory saved by "stop" is on storage that all hosts of the datastore can access. */
    if (settings.resumes_anywhere)
        settings.engine.migration = MIGRATION_YES_NOTRANSFER;
    settings.engine.preparation = PREPARATION_UNMANAGED; /* OpenNebula transfers the images */
    return settings;
}

static int open_sockets(struct app *app)
{
    struct daemon *daemon = &app->daemon;
    const struct live_configuration *live = daemon->live;
    struct error err = {0};

    app->services = services_for(daemon);
    daemon->answers = answers_create(daemon->store, &app->services);
    app->socket = live_control_socket(live, app->startup->state_directory, app->state_directory);
    daemon->control =
        control_create(app->socket, live->control_group, services_handle, daemon, &err);
    if (daemon->control && control_share(daemon->control, services_state, &err) < 0)
        return fail(app, EXIT_FAILURE, &err);
    if (daemon->control && live->http_listen)
        daemon->http = http_create(live->http_listen, metrics_handle, daemon->metrics, &err);
    if (!daemon->control || (live->http_listen && !daemon->http))
        return fail(app, EXIT_FAILURE, &err);
    return 0;
}

static int make_loop(struct app *app)
{
    struct daemon *daemon = &app->daemon;
    struct planner_settings settings = planner_settings(app);
    const struct lesson_listener listener = {
        .context = daemon, .wants = wants_lessons, .tell = tell_lesson};
    const struct world_settings world = {.cloud = daemon->cloud,
                                         .site_interval = SITE_INTERVAL,
                                         .check_leader = daemon->live->leader_check};
    struct error err = {0};

    daemon->promises.zone = app->greeting.zone;
    clocks_boot(daemon->clocks.boot);
    clocks_recall(daemon, clock_now_ms(), clock_monotonic());
    daemon->started = clock_now();
    daemon->follows_since = INSTANT_NONE;
    daemon->world = world_create(&world, daemon_polled, daemon);
    world_recall_promises(daemon->world, daemon->store);
    daemon->learned = learned_create(daemon->store, daemon->live->estimate_margin);
    daemon->metrics = metrics_create(daemon);
    daemon->lessons = lessons_create(daemon->store, &listener);
    daemon->planner = planner_create(&settings, daemon->store, daemon->world, &err);
    if (!daemon->planner)
        return fail_policies(app, &err);
    planner_set_learned(daemon->planner, daemon->learned);
    daemon->enactor = enactor_create(daemon);
    daemon->messages = messages_create(daemon);
    daemon->notices = notices_create(daemon);
    daemon->reload = reload_create(daemon, app->startup->file, app->configuration);
    return open_sockets(app);
}

/* --- the whole daemon ------------------------------------------------------------------------- */

/* 0: ready; -1: failed; otherwise there is nothing to run. */
static int build(struct app *app)
{
    struct error err = {0};
    uint64_t watchdog = 0;
    int placed;

    if (read_configuration(app) < 0)
        return -1;
    /* From here on, a stop signal during startup ends galernad properly. */
    if (!app->startup->check_only && signals_catch(&err) < 0)
        return fail(app, EXIT_FAILURE, &err);
    if (app->startup->repair)
        return repair(app);
    if (check_policies(app) < 0)
        return -1;
    if (app->startup->check_only) {
        puts("The configuration is valid.");
        return 1;
    }
    if (credentials_protect(&err) < 0)
        log_warning("%s", err.text);
    if (!app->startup->foreground &&
        (placed = background_enter(&app->ready, &app->exit_code, &err)) != 0)
        return placed < 0 ? fail(app, EXIT_FAILURE, &err) : placed;
    if (open_store(app) < 0 || check_mode(app) < 0 || find_cloud(app) < 0)
        return -1;
    if ((placed = take_place(app)) != 0)
        return placed;
    if (make_loop(app) < 0)
        return -1;
    crash_point("built");
    if (sd_watchdog_enabled(0, &watchdog) > 0)
        app->daemon.watchdog_ms = (int64_t)(watchdog / 1000);
    return 0;
}

static void take_down(struct app *app)
{
    struct daemon *daemon = &app->daemon;
    struct error err = {0};

    if (daemon->planner)
        planner_stop(daemon->planner);
    control_destroy(daemon->control);
    http_destroy(daemon->http);
    answers_destroy(daemon->answers);
    if (recorder_close(daemon->recorder, &err) < 0)
        log_error("%s", err.text);
    if (daemon->poll_ok)
        guard_release(daemon->guard);
    cloud_destroy(daemon->cloud);
    promises_finish(&daemon->promises);
    messages_destroy(daemon->messages);
    enactor_destroy(daemon->enactor);
    planner_destroy(daemon->planner);
    reload_destroy(daemon->reload);
    learned_destroy(daemon->learned);
    world_destroy(daemon->world);
    guard_destroy(daemon->guard);
    services_finish(daemon);
    drains_finish(&daemon->drains);
    rebalancing_finish(&daemon->rebalancing);
    quarantine_finish(&daemon->quarantine);
    map_finish(&daemon->broken_rules);
    map_finish(&daemon->waiting_users);
    map_finish(&daemon->grown);
    lessons_destroy(daemon->lessons);
    metrics_destroy(daemon->metrics);
    notices_destroy(daemon->notices);
    credentials_finish(&app->credentials);
    store_close(daemon->store);
    notify_settings_destroy(daemon->notify);
    rights_destroy(daemon->rights);
    configuration_destroy(app->configuration);
    free(app->state_directory);
    free(app->socket);
    memory_budget_destroy(app->budget);
}

int startup_run(const struct startup *startup)
{
    struct app *app = memory_new(1, sizeof *app);
    struct error err = {0};
    int code;

    app->startup = startup;
    app->ready = -1;
    if (build(app) == 0) {
        background_say_ready(app->ready, app->state_directory);
        if (daemon_run(&app->daemon, &err) < 0)
            fail_by_cause(app, &err);
    }
    code = app->exit_code;
    take_down(app);
    log_count_repeats();
    free(app);
    return code;
}
