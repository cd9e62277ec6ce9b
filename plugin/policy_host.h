/* policy_host.h: loads the configured policy modules and calls them.
 *
 * A driver creates one policy host per engine, passes policy_host_hooks() to the engine, and
 * destroys the policy host after the engine. Modules are found by name (case-insensitive) or by
 * path, checked, tried in a child process and only then loaded; galerna_policy.h is the contract of
 * a module. A policy host is used by one thread at a time; several may exist.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/observer.h"
#include "core/policy.h"
#include "core/site.h"
#include "util/error.h"
#include "util/words.h"

/* The word of the reason for refusals while an admission policy is out of service. */
#define POLICY_OUT_OF_SERVICE "policy-out-of-service"

struct policy_host; /* opaque */

enum policy_kind { POLICY_ADMISSION = 1, POLICY_PREEMPTION, POLICY_HOST_SELECTION, POLICY_KINDS };

enum policy_log_level { POLICY_LOG_ERROR, POLICY_LOG_WARNING, POLICY_LOG_INFO, POLICY_LOG_DEBUG };

/* An option as configured: [module] key = value in line `line` of `file` (NULL: from the command
 * line or a program). */
struct policy_option {
    const char *module;
    const char *key;
    const char *value;
    const char *file;
    int line;
};

/* Calls of modules, for a watch. */
#define POLICY_CALL_ROWS(ROW)                                                                      \
    ROW(POLICY_CALL_NONE, "was not called")                                                        \
    ROW(POLICY_CALL_LOAD, "was loaded")                                                            \
    ROW(POLICY_CALL_CREATE, "was created")                                                         \
    ROW(POLICY_CALL_ADMIT, "was called for admit")                                                 \
    ROW(POLICY_CALL_MAY_PREEMPT, "was called for may_preempt")                                     \
    ROW(POLICY_CALL_SCORE_LEASES, "was called for score")                                          \
    ROW(POLICY_CALL_CHOOSE, "was called for choose")                                               \
    ROW(POLICY_CALL_SCORE_HOSTS, "was called for score")                                           \
    ROW(POLICY_CALL_ESTIMATE, "was called for estimate")                                           \
    ROW(POLICY_CALL_EVENT, "was told of an event")

enum policy_call { POLICY_CALL_ROWS(WORDS_ENUMERATOR) POLICY_CALLS };

/* "was loaded", "was called for admit", ...: to follow "when it". */
const char *policy_call_text(enum policy_call call);

/* Called before and after each call of a module. `module`: its place in the list of
 * policy_modules_find(). */
struct policy_watch {
    void *context;
    void (*calls)(void *context, size_t module, enum policy_call call);
    void (*returned)(void *context);
    /* The module returned too many invalid results and is out of service from now on. */
    void (*failed)(void *context, size_t module, uint64_t faults, const char *last);
};

/* A module of a chain, found and trusted, not yet loaded. */
struct policy_module {
    enum policy_kind kind;
    const char *name;
    const char *file; /* absolute */
    unsigned weight;
    const char *outage; /* not NULL: why it is not loaded. The built-in default replaces it; in
                         * place of an admission policy, all requests are refused for now */
};

/* Settings of policy_host_create(), which copies them. Start from
 * policy_host_settings_init(). */
struct policy_host_settings {
    /* Chains: module names or paths separated by commas, with `*weight` (1 to 100) for higher
     * weights of their scores: "greedy", "greedy*2,pack", "accept-all,./mine.so". NULL or "": the
     * built-in default (accept everything, preempt nothing, all hosts equal). */
    const char *admission;
    const char *preemption;
    const char *host_selection;
    /* Alternatively, the modules from policy_modules_find(); chains and directories are then
     * ignored. */
    const struct policy_module *modules;
    size_t n_modules;

    /* Directories searched first, in order. $GALERNA_POLICY_PATH (separated by colons), the build
     * tree of the program, and the installed directory follow. */
    const char *const *directories;
    size_t n_directories;

    const struct policy_option *options;
    size_t n_options;

    bool haizea_compatible; /* modules default to Haizea 1.0's rules */
    uint64_t seed;          /* of the modules' random numbers */

    const struct site *site; /* the hosts that modules see; must outlive the policy host. NULL:
                              * taken from the first batch of hosts scored */

    /* Receives messages for the operator; NULL: they are dropped. */
    void (*log)(void *context, enum policy_log_level level, const char *text);
    void *log_context;

    bool preflight;          /* try modules in a child process first; true by default */
    int64_t preflight_limit; /* milliseconds for all of them; 10,000 by default, for busy machines
                              */
    const volatile sig_atomic_t *stop; /* not 0: stops the trial with EINTR; NULL: never */

    unsigned faults_allowed; /* after this many invalid results the built-in default takes over (for
                              * an admission policy, all requests are refused for now); 10 */
    int64_t slow_call;       /* microseconds; slower calls are counted and logged once; 100000 */
    const struct policy_watch *watch; /* NULL: none */
};

void policy_host_settings_init(struct policy_host_settings *settings);

/* The modules in the chains of the settings, in the order admission, preemption, host selection.
 * Checks that each file exists and can be trusted, and that each option belongs to an existing
 * module. Errors: ENOENT, EACCES, EINVAL, as policy_host_create(). */
int policy_modules_find(const struct policy_host_settings *settings, struct policy_module **modules,
                        size_t *n, struct error *err);
void policy_modules_finish(struct policy_module *modules, size_t n);

/* Loads all chains and creates their instances. Takes less than 1 ms for three modules.
 * Errors: ENOENT (no such module; the text has the directories searched and the existing modules),
 * EINVAL (bad chain, module or option; the text has file and line, or both ABI versions, or the
 * loader's message), EACCES (other users may write the module or its directory), ETIMEDOUT (the
 * module hangs), ECHILD (it crashes), ENOMEM. */
struct policy_host *policy_host_create(const struct policy_host_settings *settings,
                                       struct error *err);
void policy_host_destroy(struct policy_host *host); /* NULL is allowed; keeps errno */

/* The same pointer for the life of the host. */
const struct policy_hooks *policy_host_hooks(const struct policy_host *host);

/* The relation of the driver's times to local time. */
enum policy_clock {
    POLICY_CLOCK_NONE,  /* unknown */
    POLICY_CLOCK_START, /* `start` is the local time, as seconds since 1970, at time 0 */
    POLICY_CLOCK_ZONE,  /* Unix times, in the zone of this process; tzset() was called */
};

/* The driver's functions for modules' queries. Every member may be NULL or 0. */
struct policy_world {
    void *context;
    /* The time of the decision under way. */
    int64_t (*now)(void *context);
    /* Fills amounts[RESOURCE_TYPES_MAX] with the free amounts on a host (its place) at a time. */
    bool (*free_at)(void *context, uint32_t place, int64_t at, int64_t *amounts);
    /* An attribute of a host (its place), for example "NAME"; NULL: none of that name. */
    const char *(*host_attribute)(void *context, uint32_t place, const char *name);
    /* Calls visit for each lease in the engine, by ascending id. */
    void (*each_lease)(void *context, void (*visit)(void *, const struct lease *), void *visitor);
    enum policy_clock clock;
    int64_t start;
};

void policy_host_set_world(struct policy_host *host, const struct policy_world *world);

/* Sets the hosts that modules see from now on; NULL: none. The site must remain valid until the
 * next call. */
void policy_host_set_site(struct policy_host *host, const struct site *site);

/* An observer that passes events to modules (those that have `event`), and the time. Its context is
 * the policy host. */
struct observer policy_host_observer(struct policy_host *host);

/* Events from a driver without an engine to observe; kinds as in galerna_policy.h. */
enum policy_event_kind {
    POLICY_EVENT_REQUESTED,
    POLICY_EVENT_STARTED,
    POLICY_EVENT_PREEMPTED,
    POLICY_EVENT_RESUMED,
    POLICY_EVENT_FINISHED,
    POLICY_EVENT_PARKED,
    POLICY_EVENT_RELEASED,
    POLICY_EVENT_KINDS
};

struct policy_event {
    enum policy_event_kind kind;
    int64_t time;
    const struct lease *lease; /* for the call only; need not belong to an engine */
    int64_t other;             /* PREEMPTED: the lease it makes room for */
    bool accepted;             /* REQUESTED */
};

/* Passes the event to the modules that want events. */
void policy_host_tell(struct policy_host *host, const struct policy_event *event);

/* Does any loaded module want events? Otherwise the observer need not be called. */
bool policy_host_wants_events(const struct policy_host *host);

/* One instance of a chain, as loaded. */
struct policy_status {
    enum policy_kind kind;
    const char *name, *version, *path; /* path is NULL for a built-in default */
    unsigned weight;
    uint64_t calls, faults, slow_calls;
    uint64_t unexplained;   /* refusals without a reason */
    bool replaced;          /* by the built-in default, after too many faults */
    const char *last_fault; /* "" if there was none */
};

size_t policy_host_count(const struct policy_host *host);
/* i < policy_host_count(); texts are valid until destroy. */
void policy_host_status(const struct policy_host *host, size_t i, struct policy_status *status);
