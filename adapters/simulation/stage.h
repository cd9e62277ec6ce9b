/* stage.h: the site, trace, policies and engine of a replay, from a configuration. Site and trace
 * may also come from a record. */
#pragma once

#include "adapters/simulation/recorded.h"
#include "adapters/simulation/simulation.h"
#include "adapters/simulation/stage_trace.h"
#include "plugin/configured.h"
#include "plugin/policy_host.h"

struct stage_options {
    const struct configuration *configuration; /* outlives the stage */
    const struct stage_workload *workload;     /* NULL: only the configuration's trace */
    struct recorded_run *recorded;             /* takes over its site and trace; NULL: none */
    struct policy_driver driver; /* its site is replaced by the stage's; stop also ends
                                  * stage_init(), with EINTR */
};

struct stage {
    const struct configuration *configuration;
    struct site site;
    bool has_site;
    enum stop_when stop_when;
    struct trace *trace;
    struct policy_host *policies;
    struct engine *engine;
};

/* Creates all parts. Errors: errors of the configuration's files and modules. Call stage_finish()
 * in any case. */
int stage_init(struct stage *stage, const struct stage_options *options, struct error *err);
void stage_finish(struct stage *stage);

/* Observers of the run, in addition to the policies. */
struct stage_watch {
    const struct observer *observers;
    size_t n_observers;
    /* As in struct simulation; may be NULL. */
    void (*reads)(void *context, const struct lease_request *request);
    bool (*should_stop)(void *context);
    void (*ending)(void *context, const struct simulation_result *result);
    void *context;
};

enum { STAGE_OBSERVERS_MAX = 16 };

/* Calls simulation_run(); may be called once. */
int stage_run(struct stage *stage, const struct stage_watch *watch,
              struct simulation_result *result, struct error *err);
