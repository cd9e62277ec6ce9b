/* modules.h: the policy modules of a live galernad: their process, and which are out of service.
 *
 * A module that ends a planner process (by a crash, a hang, an exit, a forbidden call, or too many
 * broken answers) is out of service until the operator enables it, even after a restart: the store,
 * the daemon's history and the log record the outage. The next process starts at once, with the
 * built-in default in place of the module.
 */
#pragma once

#include "configuration/configuration.h"
#include "daemon/planner/planner_process.h"
#include "daemon/store/store.h"
#include "plugin/configured.h"

struct planner_module;
struct pollfd;

/* Modules as found on disk. */
struct module_list {
    struct policy_configured configured;
    struct policy_module *modules;
    struct module_outage {
        struct planner_offence offence;
        int64_t since; /* when it was taken out of service; INSTANT_NONE: it is in service */
    } * outages;       /* of each */
    size_t n;
};

/* A process with modules. */
struct modules_process {
    struct planner_process *process; /* NULL: none at present */
    bool ready, wants_events;
    bool faulty; /* a module gave too many broken answers: the process must end */
    struct planner_offence fault;
    bool refused; /* the modules cannot be loaded, or the program is of another version */
    struct error refusal;
    int64_t lines_since; /* monotonic milliseconds; lines that its modules have logged since then */
    unsigned n_lines;
};

/* err: NULL if the modules were loaded; otherwise the old ones remain in use. */
typedef void modules_loaded(void *context, const struct error *err);

/* Modules and options to load; NULL: unchanged. */
struct modules_wanted {
    const struct configuration *policies; /* names the modules and has their options; must outlive
                                             the modules, or the next reload with another */
    const char *enabled;                  /* a module out of service to be tried again */
};

struct modules {
    const struct configuration *configuration;
    const struct configuration *policies; /* source of `list` */
    struct store *store;                  /* NULL: outages are not stored */
    struct planner_limits limits;
    struct module_list list;

    struct modules_process current; /* makes the plans */
    uint64_t held;                  /* modules that built-in defaults replace in `current` */
    int64_t held_since;             /* seconds since 1970: when this began; `next` loads the
                                       modules */
    struct modules_process next;    /* being loaded: replaces `current` when ready */
    int64_t began;                  /* monotonic milliseconds: start of the last process */
    struct module_list *reloaded; /* the modules of `next` during a reload; NULL: those of `list` */
    const struct configuration *reloaded_from;
    char *enabled; /* the module to bring back into service; NULL: none */
    modules_loaded *loaded;
    void *loaded_context;
    struct planner_process *ending[8]; /* killed, but not reaped yet */
    size_t n_ending;

    int64_t next_start; /* monotonic milliseconds: no process starts before */
    int strikes;        /* consecutive ends without a module to blame */
    int64_t last_strike;
    int64_t suspect; /* the last module called before the last strike; -1: none */
    uint64_t n_ended;
    int unusable; /* processes that ended by a fault of the program, one soon after the other */
    int64_t last_unusable;
    char unusable_why[ERROR_TEXT_MAX]; /* how the last of them ended; "": none */
};

enum { MODULES_FDS = 2 * PLANNER_PROCESS_FDS };

/* Find the configured modules, start a process without those out of service and wait until the
 * process is ready; modules that end the process are put out of service. A module may take half a
 * second to be created; then the function returns anyway, and modules_serve() reports when the
 * process is ready. NULL with err. */
struct modules *modules_create(const struct configuration *configuration, struct store *store,
                               struct error *err);
void modules_destroy(struct modules *modules); /* NULL is allowed */
/* Try the modules: one that ends its process is an error. `patient`: also wait for modules that
 * hang, until they exceed their limit. */
int modules_check(const struct configuration *configuration, bool patient, struct error *err);

/* At most MODULES_FDS entries. */
unsigned modules_waitfds(const struct modules *modules, struct pollfd *fds);
/* When to call modules_serve() at the latest: monotonic milliseconds; INSTANT_NEVER. */
int64_t modules_due(const struct modules *modules);

/* Why no process is ready. */
const char *modules_delay(const struct modules *modules);

/* State of the current process. */
enum modules_event {
    MODULES_NOTHING,
    MODULES_READY,  /* the current process can plan from now on */
    MODULES_ENDED,  /* the process ended; the module to blame was recorded, and another process is
                       started */
    MODULES_LOADED, /* another process is ready and has replaced it */
};

/* Receive frames, check deadlines, start processes; never blocks. `take` is called with frames of
 * the current process that are not about modules. A module that is still loading delays plans by
 * half a second at most; then the built-in default replaces it until it is ready (for an admission
 * policy, leases are refused for now). */
enum modules_event modules_serve(struct modules *modules,
                                 bool (*take)(void *context, enum frame kind,
                                              struct wire_reader *reader),
                                 void *context);

/* Load the modules from disk in another process, which replaces the current one when ready;
 * modules_serve() then calls `loaded`, as it does on failure. -1: not started, and `loaded` is not
 * called: EAGAIN (modules are already being loaded), ENOENT (the module to enable is not out of
 * service), or as module_list_find(). */
int modules_reload(struct modules *modules, const struct modules_wanted *wanted,
                   modules_loaded *loaded, void *context, struct error *err);
/* Cancel a reload in progress, calling `loaded`, because galernad stops. */
void modules_abandon(struct modules *modules);

void modules_each(const struct modules *modules,
                  void (*visit)(void *context, const struct planner_module *module), void *context);
