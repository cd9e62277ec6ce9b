/* instance.h: an instance of a module in a chain: its options, its self, and its faults. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plugin/galerna_policy.h"
#include "plugin/module.h"
#include "plugin/module_options.h"
#include "plugin/policy_host.h"
#include "util/clock.h"

enum { FAULT_TEXT_MAX = 320 };

/* State shared by all instances of a policy host, and read by the functions of struct
 * galerna_host. */
struct policy_host_state {
    const struct policy_host_settings *settings; /* the host's copy */
    const struct site *site;                     /* NULL: still unknown */
    struct policy_world world;
    int64_t now;
    bool silent; /* in a trial: report nothing */
};

struct instance {
    struct module *module; /* owned */
    struct policy_host_state *state;
    struct galerna_host api;
    struct option_values values;
    void *self;
    unsigned weight;
    uint64_t random;
    struct galerna_result result; /* of the call under way */

    /* The operations in use: the module's, or the built-in default's after too many faults. */
    const struct galerna_admission *admission;
    const struct galerna_preemption *preemption;
    const struct galerna_host_selection *host_selection;
    void *active_self;

    char *name;
    size_t number; /* of the module among all modules */
    uint64_t calls, faults, slow_calls;
    uint64_t unexplained; /* refusals without a reason */
    bool replaced;
    char *outage; /* why it is out of service; NULL: it is in service */
    char last_fault[FAULT_TEXT_MAX];
};

struct instance_place {
    const char *name; /* of the module */
    size_t in_chain, number;
    unsigned weight;
    const char *outage; /* not NULL: the module is the built-in default, replacing a module that is
                         * out of service for this reason */
};

/* Reads the options and creates an instance, which takes ownership of the module, also on failure.
 * The place in the chain is part of the random seed. */
struct instance *instance_create(struct module *module, struct policy_host_state *state,
                                 const struct instance_place *place, struct error *err);
void instance_destroy(struct instance *instance); /* NULL is allowed */

/* Resets the result for a call. */
static inline struct galerna_result *instance_result(struct instance *instance)
{
    instance->result.size = sizeof instance->result;
    instance->result.verdict = GALERNA_OK;
    instance->result.reason[0] = '\0';
    instance->result.text[0] = '\0';
    return &instance->result;
}

/* The text of the last call's result, or `otherwise`. The module may have left it without an end.
 */
const char *instance_text(struct instance *instance, const char *otherwise);
/* The reason of that result, or NULL: none, or not a word as galerna_policy.h describes it. */
const char *instance_reason(const struct instance *instance);

/* Counts an invalid result and stores the text; the first one is logged. After too many, the
 * built-in default replaces the module. */
void instance_fault(struct instance *instance, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Counts a fault if the module has changed the structure that it got, and restores it. */
void instance_check_input(struct instance *instance, const char *function, void *input,
                          const void *kept, size_t size);

/* Counts a refusal if its result lacks the id or the text of a reason. */
void instance_note_refusal(struct instance *instance);

/* Records the fault of a verdict GALERNA_ERROR or an unknown verdict. */
void instance_fault_verdict(struct instance *instance, const char *function,
                            enum galerna_verdict verdict);

static inline void instance_watch(const struct instance *instance, enum policy_call call)
{
    const struct policy_watch *watch = instance->state->settings->watch;

    if (watch)
        watch->calls(watch->context, instance->number, call);
}

static inline void instance_watched(const struct instance *instance)
{
    const struct policy_watch *watch = instance->state->settings->watch;

    if (watch)
        watch->returned(watch->context);
}

/* Counts a call that begins. Returns its time if it is measured (one call in `every`, a power of
 * two), else 0. */
static inline int64_t instance_call_begins(struct instance *instance, enum policy_call call,
                                           uint64_t every)
{
    int64_t began =
        (instance->calls++ & (every - 1)) == 0 ? clock_microseconds(CLOCK_MONOTONIC) : 0;

    instance_watch(instance, call);
    return began;
}

/* Counts the call as slow if it was. began: not 0. */
void instance_call_measured(struct instance *instance, int64_t began, const char *function);

/* began: from instance_call_begins(). */
static inline void instance_call_ended(struct instance *instance, int64_t began,
                                       const char *function)
{
    instance_watched(instance);
    if (began != 0)
        instance_call_measured(instance, began, function);
}

/* Fills the table of functions for a module. */
void host_api_init(struct galerna_host *api, struct instance *instance);

void host_log(const struct policy_host_state *state, enum policy_log_level level,
              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The built-in default for a kind. */
const struct galerna_policy *builtin_policy(enum galerna_policy_kind kind);
