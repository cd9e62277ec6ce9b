/* Policy modules of a live galernad: started, put out of service, reloaded. */
#include "daemon/planner/modules.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/log.h"
#include "daemon/planner/planner.h"
#include "util/memory.h"

enum {
    STRIKES = 2,                    /* ends that no module is to blame for: all are suspected */
    STRIKES_FORGOTTEN = 600 * 1000, /* milliseconds */
    PAUSE_MAX = 60 * 1000,          /* milliseconds between ends and starts */
    PAUSE_FIRST = 250,
};

/* Lines of: module, tab, when, tab, what it did. */
#define FACT "policies-out-of-service"

/* --- what the store has ----------------------------------------------------------------------- */

static void set_outage(struct modules *modules, size_t i, const char *text, int64_t since)
{
    memory_free(modules->modules[i].outage);
    modules->modules[i].outage = memory_text(text);
    modules->since[i] = since;
}

static void recall_line(struct modules *modules, char *line)
{
    char *since = strchr(line, '\t'), *text = since ? strchr(since + 1, '\t') : NULL;

    if (!text)
        return;
    *since++ = *text++ = '\0';
    for (size_t i = 0; i < modules->n; i++)
        if (strcmp(modules->modules[i].name, line) == 0)
            set_outage(modules, i, text, strtoll(since, NULL, 10));
}

static void recall(struct modules *modules)
{
    const char *fact = modules->store ? store_fact(modules->store, FACT) : NULL;
    char *copy = memory_text(fact ? fact : ""), *rest = copy;

    for (char *line; (line = strsep(&rest, "\n"));)
        recall_line(modules, line);
    free(copy);
}

/* Lines of modules that the configuration does not name any more are dropped. */
static void remember(struct modules *modules)
{
    char *text = memory_text("");
    size_t n = 0, allocated = 1;

    for (size_t i = 0; i < modules->n; i++) {
        const struct policy_module *module = &modules->modules[i];
        size_t room = 32;

        if (!module->outage)
            continue;
        room += strlen(module->name) + strlen(module->outage);
        text = memory_grow(text, &allocated, n + room, 1);
        n += (size_t)snprintf(text + n, room, "%s\t%" PRId64 "\t%s\n", module->name,
                              modules->since[i], module->outage);
    }
    if (modules->store)
        store_set_fact(modules->store, FACT, n ? text : NULL);
    free(text);
}

/* --- processes -------------------------------------------------------------------------------- */

static int start(struct modules *modules, struct error *err)
{
    struct policy_host_settings settings = modules->configured.settings;

    settings.modules = modules->modules;
    settings.n_modules = modules->n;
    modules->ready = modules->refused = modules->faulty = false;
    modules->process = planner_process_start(&settings, &modules->limits, err);
    return modules->process ? 0 : -1;
}

static bool take_ready(struct modules *modules, struct wire_reader *reader)
{
    size_t n;

    modules->wants_events = wire_get_bool(reader);
    n = wire_get_count(reader, 2);
    for (size_t i = 0; i < n; i++) {
        wire_get_bool(reader);
        wire_get_text(reader, PROTOCOL_TEXT_MAX);
    }
    modules->ready = wire_is_at_end(reader);
    return modules->ready;
}

static bool take_refusal(struct modules *modules, struct wire_reader *reader)
{
    int code = (int)wire_get(reader, 0, INT32_MAX);
    const char *text = wire_get_text(reader, PROTOCOL_TEXT_MAX);

    if (!wire_is_at_end(reader))
        return false;
    modules->refused = true;
    error_set(&modules->refusal, code ? code : EINVAL, "%s", text ? text : "");
    return true;
}

static bool take_line(struct wire_reader *reader)
{
    enum policy_log_level level =
        (enum policy_log_level)wire_get(reader, POLICY_LOG_ERROR, POLICY_LOG_DEBUG);
    const char *text = wire_get_text(reader, PROTOCOL_TEXT_MAX);

    if (!wire_is_at_end(reader) || !text)
        return false;
    if (level == POLICY_LOG_ERROR)
        log_error("%s", text);
    else if (level == POLICY_LOG_WARNING)
        log_warning("%s", text);
    else
        log_debug("%s", text);
    return true;
}

static bool take_fault(struct modules *modules, struct wire_reader *reader)
{
    int64_t module = wire_get(reader, 0, (int64_t)modules->n - 1);
    const char *text = wire_get_text(reader, PROTOCOL_TEXT_MAX);

    if (!wire_is_at_end(reader))
        return false;
    modules->faulty = true;
    modules->fault.module = module;
    snprintf(modules->fault.text, sizeof modules->fault.text, "%.200s", text ? text : "");
    return true;
}

bool modules_take(struct modules *modules, enum frame kind, struct wire_reader *reader, bool *sound)
{
    switch (kind) {
    case FRAME_READY:
        *sound = take_ready(modules, reader);
        return true;
    case FRAME_REFUSED:
        *sound = take_refusal(modules, reader);
        return true;
    case FRAME_LOG:
        *sound = take_line(reader);
        return true;
    case FRAME_FAULT:
        *sound = take_fault(modules, reader);
        return true;
    default:
        return false;
    }
}

static bool take_at_start(void *context, enum frame kind, struct wire_reader *reader)
{
    bool sound = true;

    return modules_take(context, kind, reader, &sound) && sound;
}

/* Until it is ready or refuses; false: it has ended. */
static bool wait_until_ready(struct modules *modules)
{
    while (!modules->ready && !modules->refused) {
        struct pollfd wait = {.fd = -1};
        int64_t due = planner_process_due(modules->process) - clock_monotonic();

        planner_process_waitfd(modules->process, &wait);
        poll(&wait, 1, due < 0 ? 0 : due > 1000 ? 1000 : (int)due);
        if (!planner_process_serve(modules->process, take_at_start, modules) && !modules->refused)
            return false;
    }
    return true;
}

/* --- blame ------------------------------------------------------------------------------------ */

static void put_out_of_service(struct modules *modules, size_t i, const char *offence)
{
    const struct policy_module *module = &modules->modules[i];

    set_outage(modules, i, offence, clock_now());
    log_error("policy %s is out of service: it %s; %s, and %s is not loaded until "
              "'galerna policy enable %s'",
              module->name, offence,
              module->kind == POLICY_ADMISSION ? "leases are refused for now"
                                               : "the built-in default takes its place",
              module->file, module->name);
    if (modules->store)
        store_history(modules->store, STORE_NO_LEASE, clock_now(), "policy-out-of-service",
                      "%s: it %s", module->name, offence);
    remember(modules);
}

/* The engine or a module did it, long after it was called, perhaps: once may be chance. */
static void strike(struct modules *modules, const char *offence)
{
    int64_t now = clock_monotonic();

    log_error("the planner has ended: it %s", offence);
    if (now - modules->last_strike > STRIKES_FORGOTTEN)
        modules->strikes = 0;
    modules->last_strike = now;
    if (++modules->strikes < STRIKES)
        return;
    for (size_t i = 0; i < modules->n; i++)
        if (!modules->modules[i].outage)
            put_out_of_service(modules, i,
                               "was loaded when the planner crashed repeatedly outside of calls");
}

void modules_ended(struct modules *modules)
{
    struct planner_offence offence =
        modules->faulty ? modules->fault : *planner_process_offence(modules->process);
    int64_t pause = 0;

    modules->n_ended++;
    planner_process_destroy(modules->process);
    modules->process = NULL;
    modules->ready = false;
    if (offence.module >= 0 && offence.module < (int64_t)modules->n) {
        put_out_of_service(modules, (size_t)offence.module, offence.text);
    } else {
        strike(modules, offence.text);
        pause = PAUSE_FIRST << (modules->strikes < 8 ? modules->strikes : 8);
    }
    modules->next_start = clock_monotonic() + (pause < PAUSE_MAX ? pause : PAUSE_MAX);
}

void modules_restart(struct modules *modules)
{
    struct error err = {0};

    if (modules->process || clock_monotonic() < modules->next_start)
        return;
    if (start(modules, &err) == 0)
        return;
    log_error("%s", err.text);
    modules->next_start = clock_monotonic() + PAUSE_MAX;
}

/* --- the whole -------------------------------------------------------------------------------- */

static int find(struct modules *modules, const struct configuration *configuration,
                struct error *err)
{
    const struct live_configuration *live = &configuration->live;

    modules->configuration = configuration;
    modules->limits = (struct planner_limits){.call = live->policy_call_limit * 1000,
                                              .plan = live->plan_limit * 1000,
                                              .memory = live->planner_memory << 20,
                                              .user = live->planner_user};
    policy_configured_init(&modules->configured, configuration);
    if (policy_modules_find(&modules->configured.settings, &modules->modules, &modules->n, err) < 0)
        return -1;
    modules->since = memory_new(modules->n, sizeof *modules->since);
    return 0;
}

/* A module that ends its process is left out of the next one. 0: ready. */
static int begin(struct modules *modules, struct error *err)
{
    for (size_t i = 0; i <= modules->n + STRIKES; i++) {
        if (start(modules, err) < 0)
            return -1;
        if (!wait_until_ready(modules)) {
            modules_ended(modules);
            continue;
        }
        if (modules->ready)
            return 0;
        *err = modules->refusal;
        return -1;
    }
    return error_set(err, ECHILD, "the planner does not start: see what the log says of its end");
}

struct modules *modules_create(const struct configuration *configuration, struct store *store,
                               struct error *err)
{
    struct modules *modules = memory_new(1, sizeof *modules);

    modules->store = store;
    if (find(modules, configuration, err) == 0) {
        recall(modules);
        if (begin(modules, err) == 0)
            return modules;
    }
    modules_destroy(modules);
    return NULL;
}

void modules_destroy(struct modules *modules)
{
    if (!modules)
        return;
    planner_process_destroy(modules->process);
    policy_modules_finish(modules->modules, modules->n);
    policy_configured_finish(&modules->configured);
    free(modules->since);
    free(modules);
}

static int try_once(struct modules *modules, struct error *err)
{
    const struct planner_offence *offence;

    if (start(modules, err) < 0)
        return -1;
    if (wait_until_ready(modules)) {
        if (!modules->ready)
            *err = modules->refusal;
        return modules->ready ? 0 : -1;
    }
    offence = planner_process_offence(modules->process);
    return error_set(err, ECHILD, "%s: in a trial it %s; it is not loaded",
                     offence->module >= 0 && offence->module < (int64_t)modules->n
                         ? modules->modules[offence->module].file
                         : "the planner",
                     offence->text);
}

int modules_check(const struct configuration *configuration, struct error *err)
{
    struct modules modules = {0};
    int result = find(&modules, configuration, err);

    if (result == 0)
        result = try_once(&modules, err);
    planner_process_destroy(modules.process);
    policy_modules_finish(modules.modules, modules.n);
    policy_configured_finish(&modules.configured);
    free(modules.since);
    return result;
}

static int enable(struct modules *modules, const char *name, struct error *err)
{
    for (size_t i = 0; i < modules->n; i++)
        if (strcmp(modules->modules[i].name, name) == 0 && modules->modules[i].outage) {
            set_outage(modules, i, NULL, 0);
            return 0;
        }
    return error_set(err, ENOENT, "policy %.64s is not out of service", name);
}

int modules_reload(struct modules *modules, const char *enabled, struct error *err)
{
    struct modules next = {.store = modules->store};
    int result = find(&next, modules->configuration, err);

    if (result == 0) {
        recall(&next);
        result = enabled ? enable(&next, enabled, err) : 0;
    }
    if (result == 0)
        result = try_once(&next, err);
    if (result == 0) {
        struct modules old = *modules;

        next.n_ended = old.n_ended;
        *modules = next;
        next = old;
        remember(modules);
        if (enabled && modules->store)
            store_history(modules->store, STORE_NO_LEASE, clock_now(), "policy-enabled", "%s",
                          enabled);
    }
    planner_process_destroy(next.process);
    policy_modules_finish(next.modules, next.n);
    policy_configured_finish(&next.configured);
    free(next.since);
    return result;
}

void modules_each(const struct modules *modules,
                  void (*visit)(void *context, const struct planner_module *module), void *context)
{
    static const char *const kinds[POLICY_KINDS] = {[POLICY_ADMISSION] = "admission",
                                                    [POLICY_PREEMPTION] = "preemption",
                                                    [POLICY_HOST_SELECTION] = "host-selection"};

    for (size_t i = 0; i < modules->n; i++)
        visit(context, &(struct planner_module){.name = modules->modules[i].name,
                                                .kind = kinds[modules->modules[i].kind],
                                                .file = modules->modules[i].file,
                                                .offence = modules->modules[i].outage,
                                                .since = modules->since[i]});
}
