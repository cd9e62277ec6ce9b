/* stage.h: everything a replay needs, made of a configuration: site, trace, policies, engine. */
#pragma once

#include "adapters/simulation/simulation.h"
#include "adapters/simulation/stage_trace.h"
#include "plugin/configured.h"
#include "plugin/policy_host.h"

struct stage_options {
    const struct configuration *configuration; /* outlives the stage */
    const struct stage_workload *workload;     /* NULL: only the configuration's trace */
    struct policy_driver driver; /* its site is the stage's; stop also ends stage_init(), with
                                  * EINTR */
};

struct stage {
    const struct configuration *configuration;
    struct site site;
    bool has_site;
    struct trace *trace;
    struct policy_host *policies;
    struct engine *engine;
};

/* Make all. Errors: of the configuration's files and modules. stage needs stage_finish() in any
 * case. */
int stage_init(struct stage *stage, const struct stage_options *options, struct error *err);
void stage_finish(struct stage *stage);

/* Observers of the run. Policies observe without being listed. */
struct stage_watch {
    const struct observer *observers;
    size_t n_observers;
    bool (*should_stop)(void *context); /* as in struct simulation; NULL: never */
    void (*ending)(void *context, const struct simulation_result *result); /* or NULL */
    void *context;
};

enum { STAGE_OBSERVERS_MAX = 16 };

/* simulation_run(), once. */
int stage_run(struct stage *stage, const struct stage_watch *watch,
              struct simulation_result *result, struct error *err);
