#include "daemon/startup.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "adapters/opennebula/credentials.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/setup.h"
#include "daemon/clock.h"
#include "daemon/control.h"
#include "daemon/daemon.h"
#include "daemon/enactor.h"
#include "daemon/estimates.h"
#include "daemon/guard.h"
#include "daemon/lessons.h"
#include "daemon/log.h"
#include "daemon/messages.h"
#include "daemon/recorder.h"
#include "daemon/services.h"
#include "daemon/signals.h"
#include "daemon/simulated.h"
#include "plugin/configured.h"
#include "util/crash_point.h"
#include "util/memory.h"

enum {
    CONNECT_TIMEOUT = 5 * 1000,   /* milliseconds */
    SITE_INTERVAL = 10 * 1000,    /* milliseconds between looks at datastores, users, rules */
    FIRST_CONTACT = 20 * 1000,    /* milliseconds until an oned that is not there is given up */
    FIRST_CONTACT_PAUSE = 1000,
    CLAIM_TURN = 100, /* milliseconds between looks whether the place is ours */
};

enum { LATER = 1, STOPPED }; /* of what is tried at the start, besides 0 and -1 */

/* Everything there is, in the order in which it is made. */
struct house {
    const struct startup *startup;
    struct configuration *configuration;
    char *state_directory, *socket;
    struct simulated *simulated; /* NULL: a real OpenNebula */
    struct credentials credentials;
    int32_t zone;
    struct policy_host *policies;
    struct lessons *lessons;
    struct answers_daemon services;
    struct daemon daemon;
    int exit_code;
};

static int fail(struct house *house, int code, const struct error *err)
{
    house->exit_code = code;
    log_error("%s", err->text);
    return -1;
}

static void policy_message(void *context, enum policy_log_level level, const char *text)
{
    (void)context;
    if (level <= POLICY_LOG_ERROR)
        log_error("%s", text);
    else if (level <= POLICY_LOG_WARNING)
        log_warning("%s", text);
    else
        log_debug("%s", text);
}

static int reload(void *context, struct error *err)
{
    struct house *house = context;

    if (policy_host_reload(house->policies, err) < 0)
        return -1;
    if (lessons_have_begun(house->lessons))
        lessons_recall(house->lessons);
    return 0;
}

/* Modules can be told of the past when they can ask how large the site is. */
static void site_changed(void *context, const struct site *site)
{
    struct house *house = context;

    policy_host_set_site(house->policies, site);
    if (site && !lessons_have_begun(house->lessons))
        lessons_recall(house->lessons);
}

/* --- parts ------------------------------------------------------------------------------------ */

static int read_configuration(struct house *house)
{
    struct error err = {0};
    const struct configuration_wishes wishes = {0};

    house->configuration = live_configuration_read(house->startup->file, &wishes, &err);
    if (!house->configuration)
        return fail(house, EXIT_CONFIGURATION, &err);
    house->daemon.configuration = house->configuration;
    house->daemon.live = &house->configuration->live;
    log_set_level(house->daemon.live->log_level);
    house->daemon.rights = rights_create(&house->configuration->ini, &err);
    return house->daemon.rights ? 0 : fail(house, EXIT_CONFIGURATION, &err);
}

/* Not one of them is left out: other policies than those asked for would break promises. */
static int load_policies(struct house *house)
{
    const struct policy_driver driver = {.log = policy_message, .replace_slow = true};
    struct error err = {0};

    house->policies = policy_host_configured(house->configuration, &driver, &err);
    if (!house->policies)
        return fail(house, EXIT_CONFIGURATION, &err);
    house->daemon.reload = reload;
    house->daemon.reload_context = house;
    return 0;
}

static int open_book(struct house *house)
{
    struct error err = {0};
    const struct live_configuration *live = house->daemon.live;

    house->state_directory = live_state_directory(live, house->startup->state_directory, &err);
    if (!house->state_directory)
        return fail(house, EXIT_FAILURE, &err);
    house->daemon.state_directory = house->state_directory;
    house->daemon.book = book_open(house->state_directory, &err);
    if (!house->daemon.book)
        return fail(house, err.code == EBUSY ? EXIT_ANOTHER_DAEMON : EXIT_FAILURE, &err);
    return 0;
}

static bool is_simulated(const struct house *house)
{
    return house->startup->simulate || house->configuration->mode == MODE_SIMULATED;
}

/* VMs have the same ids in all OpenNebulas: a book of real ones would take simulated ones for them. */
static int check_mode(struct house *house)
{
    const char *mode = is_simulated(house) ? "simulated" : "opennebula";
    const char *before = book_fact(house->daemon.book, "mode");
    struct error err = {0};

    house->daemon.mode = mode;
    if (before && strcmp(before, mode) != 0) {
        error_set(&err, EINVAL, "%s has the leases of %s: give %s another --state-dir",
                  house->state_directory,
                  is_simulated(house) ? "a real OpenNebula" : "simulated hosts",
                  is_simulated(house) ? "--simulate" : "this galernad");
        return fail(house, EXIT_CONFIGURATION, &err);
    }
    if (!before)
        book_set_fact(house->daemon.book, "mode", mode);
    return book_commit(house->daemon.book, &err) < 0 ? fail(house, EXIT_FAILURE, &err) : 0;
}

static int find_oned(struct house *house)
{
    struct error err = {0};
    const struct live_configuration *live = house->daemon.live;
    struct rpc_settings settings = {.allow_plaintext = live->allow_plaintext,
                                    .ca_file = live->ca_file,
                                    .timeout = live->timeout * 1000,
                                    .connect_timeout = CONNECT_TIMEOUT,
                                    .parallel = (unsigned)live->parallel_calls,
                                    .answer_limit = (size_t)live->answer_limit << 20};
    size_t n_vms;

    if (is_simulated(house)) {
        book_vms(house->daemon.book, &n_vms);
        house->simulated =
            simulated_start(house->configuration, house->state_directory, n_vms > 0, &err);
        if (!house->simulated)
            return fail(house, err.code == EINVAL ? EXIT_CONFIGURATION : EXIT_FAILURE, &err);
    }
    if (credentials_find(&house->credentials,
                         house->simulated ? simulated_endpoint(house->simulated) : live->endpoint,
                         house->simulated ? simulated_auth_file(house->simulated)
                                          : live->auth_file,
                         &err) < 0)
        return fail(house, EXIT_CREDENTIALS, &err);
    if (house->credentials.warning[0])
        log_warning("%s", house->credentials.warning);
    settings.endpoint = house->daemon.endpoint = house->credentials.endpoint;
    settings.session = house->credentials.session;
    house->daemon.rpc = rpc_create(&settings, &err);
    return house->daemon.rpc ? 0 : fail(house, EXIT_FAILURE, &err);
}

/* Milliseconds; calls go on. STOPPED: by a signal. */
static int wait_or_stop(struct house *house, int64_t pause)
{
    int64_t until = clock_monotonic() + pause, left;
    struct curl_waitfd fd;
    struct error err = {0};
    unsigned n = signals_waitfd(&fd);

    while ((left = until - clock_monotonic()) > 0) {
        if (rpc_wait(house->daemon.rpc, &fd, n, (int)left, &err) < 0)
            return fail(house, EXIT_FAILURE, &err);
        if (signals_next() == SIGNAL_STOP)
            return STOPPED;
    }
    return 0;
}

/* oned may be starting at the same time; wrong credentials are not waited out. */
static int greet_oned(struct house *house)
{
    const struct rpc_request request = {.method = "one.system.version"};
    int64_t until = clock_monotonic() + FIRST_CONTACT;
    struct error err = {0};
    bool told = false;
    int waiting;

    for (;;) {
        char *version = NULL;
        struct rpc_reply reply = {0};

        if (rpc_call_now(house->daemon.rpc, &request, &version, &reply, &err) == 0) {
            snprintf(house->daemon.oned_version, sizeof house->daemon.oned_version, "%.31s",
                     version ? version : "");
            free(version);
            return 0;
        }
        free(version);
        if (reply.outcome == RPC_REFUSED && (reply.code == RPC_CODE_AUTHENTICATION ||
                                             reply.code == RPC_CODE_AUTHORIZATION)) {
            error_prefix(&err, "OpenNebula refuses the credentials of %s",
                         house->credentials.session_from);
            return fail(house, EXIT_CREDENTIALS, &err);
        }
        if (clock_monotonic() >= until)
            return LATER;
        if (!told)
            log_warning("%s; trying again", err.text);
        told = true;
        if ((waiting = wait_or_stop(house, FIRST_CONTACT_PAUSE)) != 0)
            return waiting;
    }
}

static int check_credentials(struct house *house)
{
    const struct rpc_argument self = RPC_INT(-1);
    const struct rpc_request request = {
        .method = "one.user.info", .arguments = &self, .n_arguments = 1};
    struct rpc_reply reply = {0};
    struct error err = {0};
    char *document = NULL;

    if (rpc_call_now(house->daemon.rpc, &request, &document, &reply, &err) < 0 &&
        reply.outcome == RPC_REFUSED && reply.code == RPC_CODE_AUTHENTICATION) {
        error_prefix(&err, "OpenNebula refuses the credentials of %s",
                     house->credentials.session_from);
        return fail(house, EXIT_CREDENTIALS, &err);
    }
    free(document);
    return 0;
}

/* Access rules may be for one zone of a federation. Whoever may not read the configuration is taken
 * to be alone. */
static void find_zone(struct house *house)
{
    const struct rpc_request request = {.method = "one.system.config"};
    struct setup_facts facts;
    struct error err = {0};
    char *document = NULL;

    setup_facts_init(&facts);
    if (rpc_call_now(house->daemon.rpc, &request, &document, NULL, &err) == 0 && document &&
        setup_read_config(&facts, document, strlen(document), &err) == 0)
        house->zone = facts.zone;
    else
        log_debug("the zone is not known and taken as 0: %s", err.text);
    free(document);
}

static int fail_or_busy(struct house *house, const struct error *err)
{
    return fail(house, err->code == EBUSY ? EXIT_ANOTHER_DAEMON : EXIT_FAILURE, err);
}

/* Where several oneds make a zone, each may have a galernad beside it; the leader's acts. */
static bool oned_follows(struct house *house)
{
    const struct rpc_request request = {.method = "one.zone.raftstatus"};
    struct error err = {0};
    char *document = NULL, state[32];
    bool leads = true;

    if (house->daemon.live->leader_check &&
        rpc_call_now(house->daemon.rpc, &request, &document, NULL, &err) == 0 && document &&
        raft_status_parse(document, strlen(document), &leads, state, sizeof state, &err) == 0 &&
        !leads)
        log_info("this oned does not lead its zone (%s): waiting until it does", state);
    free(document);
    return !leads;
}

/* Until it is known whether another one acts. An OpenNebula that does not answer is asked again by
 * the loop, which does nothing before it knows. */
static int claim_place(struct house *house)
{
    struct guard *guard = house->daemon.guard;
    struct error err = {0};
    int waiting;

    for (;;) {
        guard_step(guard);
        if (guard_is_settled(guard))
            break;
        if ((waiting = wait_or_stop(house, CLAIM_TURN)) != 0)
            return waiting;
    }
    return guard_check(guard, &err) < 0 ? fail_or_busy(house, &err) : 0;
}

static int take_place(struct house *house)
{
    const struct live_configuration *live = house->daemon.live;
    struct error err = {0};
    int reached = greet_oned(house), claimed = 0;

    if (reached < 0 || reached == STOPPED)
        return reached;
    if (reached == 0 && check_credentials(house) < 0)
        return -1;
    if (reached == 0)
        find_zone(house);
    house->daemon.guard =
        guard_create(house->daemon.rpc, house->credentials.endpoint,
                     book_instance(house->daemon.book),
                     live->exclusive && !live->dry_run && !house->simulated, &err);
    if (!house->daemon.guard)
        return fail_or_busy(house, &err);
    if (reached == 0 && !oned_follows(house))
        claimed = claim_place(house);
    if (claimed != 0)
        return claimed;
    log_info("acting on OpenNebula %s at %s as %s",
             house->daemon.oned_version[0] ? house->daemon.oned_version : "(not reached yet)",
             house->credentials.endpoint, house->credentials.user);
    return 0;
}

static struct planner_settings planner_settings(struct house *house)
{
    const struct live_configuration *live = house->daemon.live;
    struct planner_settings settings = {
        .engine = house->configuration->settings,
        .policies = policy_host_hooks(house->policies),
        .eligibility = {.policy = (enum host_policy)live->host_policy,
                        .rank = live->rank,
                        .memory_scale = live->memory_scale,
                        .zone = house->zone},
        .boot_time = live->boot_time,
        .forecast = live->forecast,
        .site_changed = site_changed,
        .site_context = house,
        .troubles = &house->daemon.troubles,
        .resumes_anywhere = live->suspend_with == SUSPEND_WITH_STOP,
        .submit_on_hold = live->submit_on_hold,
    };

    /* Memory that stop has saved is on storage that every host of its datastore reaches. */
    if (settings.resumes_anywhere)
        settings.engine.migration = MIGRATION_YES_NOTRANSFER;
    settings.engine.preparation = PREPARATION_UNMANAGED; /* images are OpenNebula's business */
    return settings;
}

static int make_loop(struct house *house)
{
    struct daemon *daemon = &house->daemon;
    struct planner_settings settings = planner_settings(house);
    const struct world_settings world = {.rpc = daemon->rpc,
                                         .site_interval = SITE_INTERVAL,
                                         .check_leader = daemon->live->leader_check};
    struct policy_world modules;
    struct error err = {0};

    clocks_boot(daemon->clocks.boot);
    clocks_recall(daemon, clock_now_ms(), clock_awake_or_not());
    daemon->started = clock_now();
    daemon->world = world_create(&world, daemon_polled, daemon);
    daemon->estimates = estimates_create(daemon->book);
    house->lessons = lessons_create(daemon->book, house->policies);
    daemon->planner = planner_create(&settings, daemon->book, daemon->world);
    planner_set_estimates(daemon->planner, daemon->estimates);
    planner_world(daemon->planner, &modules);
    policy_host_set_world(house->policies, &modules);
    daemon->enactor = enactor_create(daemon);
    daemon->messages = messages_create(daemon);
    house->services = services_for(daemon);
    daemon->answers = answers_create(daemon->book, &house->services);
    house->socket = live_control_socket(daemon->live, house->startup->state_directory,
                                        house->state_directory);
    daemon->control = control_create(house->socket, daemon->live->control_group, answers_handle,
                                     daemon->answers, &err);
    if (!daemon->control)
        return fail(house, EXIT_FAILURE, &err);
    return 0;
}

/* --- together --------------------------------------------------------------------------------- */

static int go_to_background(struct house *house)
{
    struct error err = {0};

    if (house->startup->foreground || getenv("NOTIFY_SOCKET"))
        return 0;
    if (daemon(0, 1) < 0) {
        error_set(&err, errno, "cannot go to the background: %s", strerror(errno));
        return fail(house, EXIT_FAILURE, &err);
    }
    return 0;
}

/* 0; -1: it cannot be; else there is nothing to run. */
static int build(struct house *house)
{
    struct error err = {0};
    uint64_t watchdog = 0;
    int placed;

    if (read_configuration(house) < 0)
        return -1;
    /* From here on: who is told to stop while it starts ends as told, not by the signal. */
    if (!house->startup->check_only && signals_catch(&err) < 0)
        return fail(house, EXIT_FAILURE, &err);
    if (load_policies(house) < 0)
        return -1;
    if (house->startup->check_only) {
        puts("The configuration is in order.");
        return 1;
    }
    if (credentials_protect(&err) < 0)
        log_warning("%s", err.text);
    if (go_to_background(house) < 0)
        return -1;
    if (open_book(house) < 0 || check_mode(house) < 0 || find_oned(house) < 0)
        return -1;
    if ((placed = take_place(house)) != 0)
        return placed;
    if (make_loop(house) < 0)
        return -1;
    crash_point("built");
    if (sd_watchdog_enabled(0, &watchdog) > 0)
        house->daemon.watchdog_ms = (int64_t)(watchdog / 1000);
    return 0;
}

static void take_down(struct house *house)
{
    struct daemon *daemon = &house->daemon;
    struct error err = {0};

    control_destroy(daemon->control);
    answers_destroy(daemon->answers);
    if (recorder_close(daemon->recorder, &err) < 0)
        log_error("%s", err.text);
    if (daemon->poll_ok)
        guard_release(daemon->guard);
    rpc_destroy(daemon->rpc);
    messages_destroy(daemon->messages);
    enactor_destroy(daemon->enactor);
    planner_destroy(daemon->planner);
    estimates_destroy(daemon->estimates);
    world_destroy(daemon->world);
    guard_destroy(daemon->guard);
    troubles_finish(&daemon->troubles);
    lessons_destroy(house->lessons);
    policy_host_destroy(house->policies);
    credentials_finish(&house->credentials);
    simulated_stop(house->simulated);
    book_close(daemon->book);
    rights_destroy(daemon->rights);
    configuration_destroy(house->configuration);
    free(house->state_directory);
    free(house->socket);
}

int startup_run(const struct startup *startup)
{
    struct house *house = memory_new(1, sizeof *house);
    struct error err = {0};
    int code;

    house->startup = startup;
    if (build(house) == 0 && daemon_run(&house->daemon, &err) < 0)
        fail_or_busy(house, &err);
    code = house->exit_code ? house->exit_code : house->daemon.exit_code;
    take_down(house);
    free(house);
    return code;
}
