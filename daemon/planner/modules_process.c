/* Processes with policy modules: start, replacement, end. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/planner/modules_inside.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_POLICIES

enum {
    PATIENCE = 500, /* milliseconds that plans wait for a module to load */
    HELD_MAX = 64,
    LINES_MAX = 1000, /* that modules may log in a minute, lest they fill the disk */
    MINUTE = 60 * 1000,
};

/* --- processes -------------------------------------------------------------------------------- */

static bool is_held(uint64_t held, size_t i)
{
    return i < HELD_MAX && (held & UINT64_C(1) << i);
}

/* `held`: bits of the modules that built-in defaults replace. */
static int start(struct modules *modules, struct modules_process *which,
                 const struct module_list *list, uint64_t held, struct error *err)
{
    struct policy_host_settings settings = list->configured.settings;
    struct policy_module *asked = memory_copy(list->modules, list->n * sizeof *asked);

    for (size_t i = 0; i < list->n; i++)
        if (!asked[i].outage && is_held(held, i))
            asked[i].outage = MODULE_LOADING;
    settings.modules = asked;
    settings.n_modules = list->n;
    *which = (struct modules_process){.process =
                                          planner_process_start(&settings, &modules->limits, err)};
    free(asked);
    return which->process ? 0 : -1;
}

static int start_next(struct modules *modules, const struct module_list *list, struct error *err)
{
    modules->began = clock_monotonic();
    return start(modules, &modules->next, list, 0, err);
}

static void bury_ended(struct modules *modules)
{
    size_t left = 0;

    for (size_t i = 0; i < modules->n_ending; i++)
        if (!planner_process_bury(modules->ending[i]))
            modules->ending[left++] = modules->ending[i];
    modules->n_ending = left;
}

static void end(struct modules *modules, struct modules_process *which)
{
    const size_t most = sizeof modules->ending / sizeof *modules->ending;

    if (which->process && !planner_process_bury(which->process)) {
        if (modules->n_ending == most)
            planner_process_destroy(modules->ending[--modules->n_ending]);
        modules->ending[modules->n_ending++] = which->process;
    }
    *which = (struct modules_process){0};
}

/* --- frames ----------------------------------------------------------------------------------- */

struct taking {
    struct modules *modules;
    struct modules_process *from;
    bool (*take)(void *context, enum frame kind, struct wire_reader *reader);
    void *context;
};

static bool take_ready(struct modules_process *from, struct wire_reader *reader)
{
    from->wants_events = wire_get_bool(reader);
    from->ready = wire_is_at_end(reader);
    return from->ready;
}

static bool take_refusal(struct modules_process *from, struct wire_reader *reader)
{
    int code = (int)wire_get(reader, 0, INT32_MAX);
    const char *text = wire_get_text(reader, PROTOCOL_TEXT_MAX);

    if (!wire_is_at_end(reader))
        return false;
    from->refused = true;
    error_set(&from->refusal, code ? code : EINVAL, "%s", text ? text : "");
    return true;
}

/* Has the process neither loaded nor called a module? Then none is to blame for its end: a library
 * of the program may be missing. */
static bool has_not_begun(const struct modules_process *which)
{
    return !which->ready && planner_process_last_called(which->process) < 0;
}

/* The program was replaced while galernad runs. A process that has called a module has accepted the
 * version: then a module has sent this. */
static bool take_other_version(struct modules_process *from, struct wire_reader *reader)
{
    const char *version;

    wire_get(reader, 0, 0);
    version = wire_get_text(reader, PROTOCOL_TEXT_MAX);
    if (!wire_is_at_end(reader) || !has_not_begun(from))
        return false;
    from->refused = true;
    error_set(&from->refusal, EPROTO,
              "galerna-planner is version %.64s, this galernad is %s: restart galernad",
              version ? version : "", protocol_version());
    return true;
}

/* May modules log another line, such as this one of the module? Says once a minute that they may
 * not. */
static bool may_log(struct modules_process *from, const char *module)
{
    int64_t now = clock_monotonic();

    if (from->n_lines == 0 || now - from->lines_since >= MINUTE) {
        from->lines_since = now;
        from->n_lines = 0;
    }
    if (from->n_lines > LINES_MAX)
        return false;
    if (++from->n_lines <= LINES_MAX)
        return true;
    log_warning("policy modules logged %d lines within a minute, the last one in a call of '%s': "
                "further lines are dropped until the minute is over",
                LINES_MAX, module);
    return false;
}

static bool take_line(const struct modules *modules, struct modules_process *from,
                      struct wire_reader *reader)
{
    const struct module_list *list =
        from == &modules->next && modules->reloaded ? modules->reloaded : &modules->list;
    static const int levels[] = {[POLICY_LOG_ERROR] = LOG_LEVEL_ERROR,
                                 [POLICY_LOG_WARNING] = LOG_LEVEL_WARNING,
                                 [POLICY_LOG_INFO] = LOG_LEVEL_INFO,
                                 [POLICY_LOG_DEBUG] = LOG_LEVEL_DEBUG};
    enum policy_log_level level =
        (enum policy_log_level)wire_get(reader, POLICY_LOG_ERROR, POLICY_LOG_DEBUG);
    int64_t module = wire_get(reader, 0, (int64_t)list->n) - 1;
    const char *text = wire_get_text(reader, PROTOCOL_TEXT_MAX);

    if (!wire_is_at_end(reader) || !text)
        return false;
    if (levels[level] <= log_subsystem_level(LOG_SUBSYSTEM) &&
        may_log(from, module < 0 ? "galerna-planner" : list->modules[module].name))
        LOG_LINE(levels[level], -1, -1, "%s", text);
    return true;
}

static bool take_fault(const struct modules *modules, struct modules_process *from,
                       struct wire_reader *reader)
{
    struct planner_offence *fault = &from->fault;
    const char *text;

    *fault = (struct planner_offence){.kind = OFFENCE_ANSWERS};
    fault->module = wire_get(reader, 0, (int64_t)modules->list.n - 1);
    fault->number = wire_get(reader, 0, INT64_MAX);
    text = wire_get_text(reader, PROTOCOL_TEXT_MAX);
    if (!wire_is_at_end(reader))
        return false;
    from->faulty = true;
    snprintf(fault->quote, sizeof fault->quote, "%.200s", text ? text : "");
    return true;
}

static bool take_frame(void *context, enum frame kind, struct wire_reader *reader)
{
    const struct taking *taking = context;

    switch (kind) {
    case FRAME_READY:
        return take_ready(taking->from, reader);
    case FRAME_OTHER_VERSION:
        return take_other_version(taking->from, reader);
    case FRAME_REFUSED:
        return take_refusal(taking->from, reader);
    case FRAME_LOG:
        return take_line(taking->modules, taking->from, reader);
    case FRAME_FAULT:
        return take_fault(taking->modules, taking->from, reader);
    default:
        return taking->take && taking->take(taking->context, kind, reader);
    }
}

/* --- blame ------------------------------------------------------------------------------------ */

static struct planner_offence offence_of(const struct modules_process *which)
{
    struct planner_offence offence = *planner_process_offence(which->process);

    if (which->faulty)
        return which->fault;
    offence.of_program |= has_not_begun(which);
    if (which->refused) {
        offence.module = offence.last = planner_process_last_called(which->process);
        offence.kind = OFFENCE_REFUSED;
        snprintf(offence.quote, sizeof offence.quote, "%.300s", which->refusal.text);
    }
    return offence;
}

/* --- loading ---------------------------------------------------------------------------------- */

/* Reports the end of a reload; err: it failed. */
static void tell_loaded(struct modules *modules, const struct error *err)
{
    modules_loaded *loaded = modules->loaded;

    if (modules->reloaded) {
        module_list_finish(modules->reloaded);
        free(modules->reloaded);
        free(modules->enabled);
        modules->reloaded = NULL;
        modules->enabled = NULL;
    }
    modules->loaded = NULL;
    if (loaded)
        loaded(modules->loaded_context, err);
}

/* The next process is ready and replaces the current one. */
static void adopt_next(struct modules *modules)
{
    end(modules, &modules->current);
    modules->current = modules->next;
    modules->next = (struct modules_process){0};
    modules->held = 0;
    modules->unusable_why[0] = '\0';
    if (modules->reloaded) {
        const struct module_list old = modules->list;

        modules->list = *modules->reloaded;
        modules->policies = modules->reloaded_from;
        *modules->reloaded = old;
        modules_remember(modules);
    }
    if (modules->enabled && modules->store)
        store_history(modules->store, STORE_NO_LEASE, clock_now(), "policy-enabled", "%s",
                      modules->enabled);
    tell_loaded(modules, NULL);
}

static void describe_failure(const struct modules *modules, const struct module_list *list,
                             struct error *err)
{
    const struct modules_process *next = &modules->next;
    struct planner_offence offence = *planner_process_offence(next->process);
    bool known = offence.module >= 0 && offence.module < (int64_t)list->n;
    char text[OFFENCE_TEXT_MAX];

    offence.of_program = false;
    offence_text(&offence, text, sizeof text);
    if (next->refused)
        *err = next->refusal;
    else
        error_set(err, ECHILD, "%s: in a trial it %s; it is not loaded",
                  known ? list->modules[offence.module].file : "the planner", text);
}

static void next_failed(struct modules *modules)
{
    struct error err = {0};

    if (modules->reloaded) {
        describe_failure(modules, modules->reloaded, &err);
        end(modules, &modules->next);
        tell_loaded(modules, &err);
    } else {
        const struct planner_offence offence = offence_of(&modules->next);

        end(modules, &modules->next);
        modules_find_offender(modules, &offence);
    }
}

/* True: the next process replaced the current one, which has first finished its answers. */
static bool serve_next(struct modules *modules)
{
    const struct planner_process *current = modules->current.process;
    struct modules_process *next = &modules->next;
    struct taking taking = {.modules = modules, .from = next};
    bool lives;

    if (!next->process)
        return false;
    lives = planner_process_serve(next->process, take_frame, &taking);
    if (lives && next->ready && !(current && planner_process_is_busy(current))) {
        adopt_next(modules);
        return true;
    }
    if (!lives || next->refused)
        next_failed(modules);
    return false;
}

/* --- the current process ---------------------------------------------------------------------- */

static void current_ended(struct modules *modules)
{
    struct planner_offence offence = offence_of(&modules->current);
    struct error err = {0};

    end(modules, &modules->current);
    end(modules, &modules->next); /* may have the same module loaded */
    modules->held = 0;
    modules_find_offender(modules, &offence);
    error_set(&err, EAGAIN, "the planner ended during the reload; try again");
    tell_loaded(modules, &err);
}

static enum modules_event serve_current(struct modules *modules, struct taking *taking)
{
    struct modules_process *current = &modules->current;
    bool was_ready = current->ready;

    taking->from = current;
    if (!current->process)
        return MODULES_NOTHING;
    if (planner_process_serve(current->process, take_frame, taking) && !current->faulty &&
        !current->refused)
        return current->ready && !was_ready ? MODULES_READY : MODULES_NOTHING;
    current_ended(modules);
    return MODULES_ENDED;
}

/* The process that delays plans because a module is still loading; NULL: none. */
static const struct modules_process *stuck(const struct modules *modules)
{
    const struct modules_process *current = &modules->current, *next = &modules->next;
    const struct modules_process *waits = current->process ? current : next;
    int64_t module = waits->process ? planner_process_last_called(waits->process) : -1;

    if (modules->reloaded || !waits->process || waits->ready || module < 0 || module >= HELD_MAX ||
        is_held(modules->held, (size_t)module))
        return NULL;
    return waits;
}

/* Starts a process with the built-in default in place of the module that is stuck loading. */
static int start_stopgap(struct modules *modules, struct error *err)
{
    size_t module = (size_t)planner_process_last_called(stuck(modules)->process);
    const struct policy_module *held = &modules->list.modules[module];

    log_warning("policy %s is still being loaded; until it is, %s", held->name,
                held->kind == POLICY_ADMISSION ? "leases are refused for now"
                                               : "the built-in default takes its place");
    end(modules, &modules->current);
    modules->held |= UINT64_C(1) << module;
    modules->held_since = clock_now();
    modules->began = clock_monotonic();
    return start(modules, &modules->current, &modules->list, modules->held, err);
}

static void start_what_is_due(struct modules *modules)
{
    bool is_missing = !modules->current.process || modules->held;
    int64_t now = clock_monotonic();
    struct error err = {0};
    int started = 0;

    if (is_missing && !modules->next.process && now >= modules->next_start)
        started = start_next(modules, &modules->list, &err);
    else if (stuck(modules) && now >= modules->began + PATIENCE)
        started = start_stopgap(modules, &err);
    if (started < 0) {
        log_error("%s", err.text);
        snprintf(modules->unusable_why, sizeof modules->unusable_why, "%s", err.text);
        modules->next_start = now + PAUSE_MAX;
    }
}

/* There are at most two processes: the current one plans, and the next one loads modules and then
 * replaces it. The next one is started by a reload, when the current one has ended, and while a
 * built-in default replaces a module that hangs while loading (start_stopgap()). */
enum modules_event modules_serve(struct modules *modules,
                                 bool (*take)(void *context, enum frame kind,
                                              struct wire_reader *reader),
                                 void *context)
{
    struct taking taking = {.modules = modules, .take = take, .context = context};
    enum modules_event event;

    bury_ended(modules);
    event = serve_current(modules, &taking);
    if (serve_next(modules))
        event = MODULES_LOADED;
    start_what_is_due(modules);
    return event;
}

unsigned modules_waitfds(const struct modules *modules, struct pollfd *fds)
{
    unsigned n = 0;

    if (modules->current.process)
        n += planner_process_waitfds(modules->current.process, fds);
    if (modules->next.process)
        n += planner_process_waitfds(modules->next.process, fds + n);
    return n;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t modules_due(const struct modules *modules)
{
    const struct planner_process *current = modules->current.process, *next = modules->next.process;
    int64_t due = INSTANT_NEVER;

    if (current)
        due = least(due, planner_process_due(current));
    if (next)
        due = least(due, planner_process_due(next));
    if (stuck(modules))
        due = least(due, modules->began + PATIENCE);
    if (!next && (!current || modules->held))
        due = least(due, modules->next_start);
    return due;
}

/* --- starting and stopping -------------------------------------------------------------------- */

static int init(struct modules *modules, const struct configuration *configuration,
                struct store *store, struct error *err)
{
    const struct live_configuration *live = &configuration->live;

    modules->configuration = modules->policies = configuration;
    modules->store = store;
    modules->limits = (struct planner_limits){.call = live->policy_call_limit * 1000,
                                              .plan = live->plan_limit * 1000,
                                              .memory = live->planner_memory << 20,
                                              .user = live->planner_user};
    if (module_list_find(&modules->list, modules, configuration, err) < 0)
        return -1;
    return planner_limits_find_user(&modules->limits, err);
}

/* Waits until the process is ready or refuses its modules. A module that hangs ends the wait while
 * it is still loading, unless `patient`. False: the process has ended. */
static bool await_next(struct modules *modules, bool patient)
{
    struct modules_process *next = &modules->next;
    struct taking taking = {.modules = modules, .from = next};

    while (!next->ready && !next->refused) {
        struct pollfd fds[PLANNER_PROCESS_FDS];
        unsigned n = planner_process_waitfds(next->process, fds);
        int64_t now = clock_monotonic(), due = planner_process_due(next->process) - now;

        if (!patient && now >= modules->began + PATIENCE && stuck(modules))
            return true;
        poll(fds, n, due < 0 ? 0 : due > PATIENCE / 5 ? PATIENCE / 5 : (int)due);
        if (!planner_process_serve(next->process, take_frame, &taking) && !next->refused)
            return false;
    }
    return true;
}

/* Starts processes, each without the modules that ended the last one. 0: a process is ready or
 * still loading modules. */
static int begin(struct modules *modules, struct error *err)
{
    struct planner_offence last = {0};
    char text[OFFENCE_TEXT_MAX];

    for (size_t i = 0; i <= modules->list.n + STRIKES; i++) {
        if (start_next(modules, &modules->list, err) < 0)
            return -1;
        if (!await_next(modules, false)) {
            last = offence_of(&modules->next);
            next_failed(modules);
            offence_text(&last, text, sizeof text);
            if (last.of_program)
                return error_set(err, ECHILD, "%s", text);
        } else if (modules->next.refused) {
            *err = modules->next.refusal;
            return -1;
        } else {
            if (modules->next.ready)
                adopt_next(modules);
            return 0;
        }
    }
    return error_set(err, ECHILD, "the planner does not start: it %s", text);
}

static void finish(struct modules *modules)
{
    modules_abandon(modules);
    end(modules, &modules->current);
    while (modules->n_ending)
        planner_process_destroy(modules->ending[--modules->n_ending]);
    module_list_finish(&modules->list);
}

struct modules *modules_create(const struct configuration *configuration, struct store *store,
                               struct error *err)
{
    struct modules *modules = memory_new(1, sizeof *modules);

    if (init(modules, configuration, store, err) == 0 && begin(modules, err) == 0)
        return modules;
    modules_destroy(modules);
    return NULL;
}

void modules_destroy(struct modules *modules)
{
    if (!modules)
        return;
    finish(modules);
    free(modules);
}

int modules_check(const struct configuration *configuration, bool patient, struct error *err)
{
    struct modules modules = {0};
    int result = init(&modules, configuration, NULL, err);

    if (result == 0)
        result = start_next(&modules, &modules.list, err);
    if (result == 0 && (!await_next(&modules, patient) || modules.next.refused)) {
        describe_failure(&modules, &modules.list, err);
        result = -1;
    }
    finish(&modules);
    return result;
}

int modules_reload(struct modules *modules, const struct modules_wanted *wanted,
                   modules_loaded *loaded, void *context, struct error *err)
{
    const struct configuration *policies = wanted->policies ? wanted->policies : modules->policies;
    const char *enabled = wanted->enabled;
    struct module_list *list;

    if (modules->next.process)
        return error_set(err, EAGAIN, "policy modules are being loaded; try again in a moment");
    list = memory_new(1, sizeof *list);
    if (module_list_find(list, modules, policies, err) < 0 ||
        (enabled && module_list_enable(list, enabled, err) < 0) ||
        start_next(modules, list, err) < 0) {
        module_list_finish(list);
        free(list);
        return -1;
    }
    modules->reloaded = list;
    modules->reloaded_from = policies;
    modules->enabled = enabled ? memory_text(enabled) : NULL;
    modules->loaded = loaded;
    modules->loaded_context = context;
    return 0;
}

void modules_abandon(struct modules *modules)
{
    struct error err = {0};

    end(modules, &modules->next);
    error_set(&err, EAGAIN, "galernad is stopping");
    tell_loaded(modules, &err);
}
