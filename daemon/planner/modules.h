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

struct modules {
    const struct configuration *configuration;
    struct store *store; /* NULL: nothing is remembered */
    struct policy_configured configured;
    struct policy_module *modules;
    int64_t *since; /* out of service since then */
    size_t n;
    struct planner_limits limits;

    struct planner_process *process; /* NULL: none at present */
    bool ready, wants_events;
    bool faulty; /* one gave too many broken answers: to be ended */
    struct planner_offence fault;
    bool refused;
    struct error refusal;
    int64_t next_start; /* monotonic milliseconds: not before; 0: there is a process */
    int strikes;        /* ends in a row that no module was to blame for */
    int64_t last_strike;
    uint64_t n_ended;
};

/* Find the modules of the configuration, those that the store has out of service excepted, start a
 * process and wait until it is ready. Modules that end it are out of service. NULL with err. */
struct modules *modules_create(const struct configuration *configuration, struct store *store,
                               struct error *err);
void modules_destroy(struct modules *modules);
/* The same as a trial: also what ends a process is an error. */
int modules_check(const struct configuration *configuration, struct error *err);

/* A frame of the process that is about the modules: true, it was taken. */
bool modules_take(struct modules *modules, enum frame kind, struct wire_reader *reader,
                  bool *sound);
/* The process has ended: note who was to blame. A new one is started by modules_restart(). */
void modules_ended(struct modules *modules);
/* If there is none and it is time. */
void modules_restart(struct modules *modules);

/* Start another process with the modules as they are on disk, wait until it is ready and take it
 * instead of the old one. -1: the old one stays. `enabled`: of those out of service, this one is
 * tried; NULL: none. */
int modules_reload(struct modules *modules, const char *enabled, struct error *err);

void modules_each(const struct modules *modules,
                  void (*visit)(void *context, const struct planner_module *module), void *context);

#endif
