/* modules.h: the policy modules of a live galernad: their process, and which are out of service.
 *
 * A module that ends a planner process (it crashes, hangs, ends it, does what it must not do, or
 * gives too many broken answers) is out of service until the operator says otherwise, over restarts
 * too: that is a fact in the store, a line in the daemon's history and in the log. The next process
 * begins at once, with the built-in default in its place.
 */
#ifndef GALERNA_DAEMON_PLANNER_MODULES_H
#define GALERNA_DAEMON_PLANNER_MODULES_H

#include "configuration/configuration.h"
#include "daemon/planner/process.h"
#include "daemon/store/store.h"
#include "plugin/configured.h"

struct planner_module;
struct pollfd;

/* Modules as they were found. */
struct module_list {
    struct policy_configured configured;
    struct policy_module *modules;
    int64_t *since; /* out of service since then */
    size_t n;
};

/* A process with modules. */
struct modules_process {
    struct planner_process *process; /* NULL: none at present */
    bool ready, wants_events;
    bool faulty; /* one gave too many broken answers: to be ended */
    struct planner_offence fault;
    bool refused; /* it cannot have its modules */
    struct error refusal;
};

/* err: NULL, the modules were loaded; else the old ones stay. */
typedef void modules_loaded(void *context, const struct error *err);

struct modules {
    const struct configuration *configuration;
    struct store *store; /* NULL: nothing is remembered */
    struct planner_limits limits;
    struct module_list list;

    struct modules_process current; /* plans are made by it */
    uint64_t held;                  /* built-in defaults are in it in the place of these modules, */
    int64_t held_since;           /* since then (seconds since 1970), as `next` still loads them */
    struct modules_process next;  /* being loaded: it takes the place of `current` when ready */
    int64_t began;                /* monotonic milliseconds: the last process was started */
    struct module_list *reloaded; /* of `next` when it is a reload; NULL: those of `list` */
    char *enabled;                /* it brings this module back into service; NULL: none */
    modules_loaded *loaded;
    void *loaded_context;
    struct planner_process *ending[8]; /* killed, and not gone yet */
    size_t n_ending;

    int64_t next_start; /* monotonic milliseconds: not before */
    int strikes;        /* ends in a row that no module was to blame for */
    int64_t last_strike;
    int64_t suspect; /* the module that was called last before that; -1 */
    uint64_t n_ended;
};

enum { MODULES_FDS = 2 * PLANNER_PROCESS_FDS };

/* Find the modules of the configuration, those that the store has out of service excepted, start a
 * process and wait until it is ready. Modules that end it are out of service. NULL with err. */
struct modules *modules_create(const struct configuration *configuration, struct store *store,
                               struct error *err);
void modules_destroy(struct modules *modules);
/* The same as a trial: also what ends a process is an error. */
int modules_check(const struct configuration *configuration, struct error *err);

/* At most MODULES_FDS entries. */
unsigned modules_waitfds(const struct modules *modules, struct pollfd *fds);
/* When they must be served though nothing came: monotonic milliseconds; INSTANT_NEVER. */
int64_t modules_due(const struct modules *modules);

/* What is new for who plans with the current process. */
enum modules_news {
    MODULES_NOTHING,
    MODULES_READY,  /* the current process can plan from now on */
    MODULES_ENDED,  /* it has ended: who was to blame is noted, and another one is started */
    MODULES_LOADED, /* another process has taken its place, and is ready */
};

/* Take what has come, watch deadlines, start processes; never waits. `take` is called with frames
 * of the current process that are not about modules. Plans do not wait for a module that takes more
 * than half a second to load: until it is ready, the built-in default takes its place (in that of
 * an admission policy leases are refused for now). */
enum modules_news modules_serve(struct modules *modules,
                                bool (*take)(void *context, enum frame kind,
                                             struct wire_reader *reader),
                                void *context);

/* Load the modules as they are on disk into another process, which takes the place of the current
 * one when it is ready; `loaded` is called then, or when it fails, from modules_serve(). `enabled`:
 * of those out of service, this one is tried; NULL: none. -1: it does not begin, and `loaded` is
 * not called; EAGAIN: modules are being loaded. */
int modules_reload(struct modules *modules, const char *enabled, modules_loaded *loaded,
                   void *context, struct error *err);
/* galernad stops: a reload that is under way ends, and `loaded` is called. */
void modules_abandon(struct modules *modules);

void modules_each(const struct modules *modules,
                  void (*visit)(void *context, const struct planner_module *module), void *context);

#endif
