/* instance.h: a module at work in a chain: its options, its self, and how it behaves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plugin/galerna_policy.h"
#include "plugin/module.h"
#include "plugin/module_options.h"
#include "plugin/policy_host.h"

enum { FAULT_TEXT_MAX = 320 };

/* State shared by all instances of a policy host, and read by the functions of struct
 * galerna_host. */
struct policy_host_state {
    const struct site *site; /* NULL: not known yet */
    struct policy_world world;
    int64_t now;
    bool haizea_compatible;
    uint64_t seed;
    unsigned faults_allowed;
    int64_t slow_call;                /* microseconds */
    const struct policy_watch *watch; /* NULL: none */
    bool silent;                      /* in a trial: report nothing */
    void (*log)(void *context, enum policy_log_level level, const char *text);
    void *log_context;
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

    /* The functions called: the module's, or the built-in default's after too many faults. */
    const struct galerna_admission *admission;
    const struct galerna_preemption *preemption;
    const struct galerna_host_selection *host_selection;
    void *active_self;

    char *name;
    size_t number; /* of the module among all */
    uint64_t calls, faults, slow_calls;
    bool replaced;
    char *outage; /* why it is out of service; NULL: it is in service */
    char last_fault[FAULT_TEXT_MAX];
};

struct instance_place {
    const char *name; /* of the module */
    size_t in_chain, number;
    unsigned weight;
    const char *outage; /* the module is the built-in default, in the place of one that is out of
                           service for this; NULL: it is not */
};

/* Read the options and create an instance; module becomes the instance's, also on failure.
 * The place in its chain is part of the random seed. */
struct instance *instance_create(struct module *module, struct policy_host_state *state,
                                 const struct policy_host_settings *settings,
                                 const struct instance_place *place, struct error *err);
void instance_destroy(struct instance *instance); /* NULL is allowed */

/* Make the result ready for a call. */
static inline struct galerna_result *instance_result(struct instance *instance)
{
    instance->result.size = sizeof instance->result;
    instance->result.verdict = GALERNA_OK;
    instance->result.reason[0] = '\0';
    instance->result.text[0] = '\0';
    return &instance->result;
}

/* Count a broken answer and remember the text; the first one is logged. After too many the built-in
 * default takes the module's place. */
void instance_fault(struct instance *instance, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The text of a verdict that should not have been given: GALERNA_ERROR or an unknown number. */
void instance_fault_verdict(struct instance *instance, const char *function,
                            enum galerna_verdict verdict);

/* The time, in microseconds. */
int64_t instance_clock(void);

static inline void instance_watch(const struct instance *instance, enum policy_call call)
{
    const struct policy_watch *watch = instance->state->watch;

    if (watch)
        watch->calls(watch->context, instance->number, call);
}

static inline void instance_watched(const struct instance *instance)
{
    const struct policy_watch *watch = instance->state->watch;

    if (watch)
        watch->returned(watch->context);
}

/* Count a call that begins; its time when it is one of those measured (one in `every`, a power of
 * two), else 0. */
static inline int64_t instance_call_begins(struct instance *instance, enum policy_call call,
                                           uint64_t every)
{
    int64_t began = (instance->calls++ & (every - 1)) == 0 ? instance_clock() : 0;

    instance_watch(instance, call);
    return began;
}

/* Count a call as slow when it was. began: not 0. */
void instance_call_measured(struct instance *instance, int64_t began, const char *function);

/* began: of instance_call_begins(). */
static inline void instance_call_ended(struct instance *instance, int64_t began,
                                       const char *function)
{
    instance_watched(instance);
    if (began != 0)
        instance_call_measured(instance, began, function);
}

/* Fill the table that a module sees. */
void host_api_init(struct galerna_host *api, struct instance *instance);

void host_log(const struct policy_host_state *state, enum policy_log_level level,
              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The built-in default for a kind. */
const struct galerna_policy *builtin_policy(enum galerna_policy_kind kind);
