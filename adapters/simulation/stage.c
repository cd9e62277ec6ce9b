/* Builds the parts of a replay from a configuration. */
#include "adapters/simulation/stage.h"

#include <errno.h>

#include "plugin/engine_world.h"
#include "util/standard_output.h"

static int count_best_effort(const struct stage *stage, int64_t *count, struct error *err)
{
    struct trace_census census;

    if (stage->stop_when == STOP_ALL_LEASES_DONE)
        return 0;
    if (trace_take_census(stage->trace, &census, err) < 0)
        return error_prefix(err, "simulation.stop-when needs to know the whole trace");
    *count = census.leases[LEASE_BEST_EFFORT];
    return 0;
}

/* A record has the requests read before the end of its run; therefore the rule for stopping did not
 * end an interrupted run. */
static void take_recorded(struct stage *stage, struct recorded_run *recorded)
{
    stage->site = recorded->site;
    stage->trace = recorded->trace;
    site_init(&recorded->site);
    recorded->trace = NULL;
    if (recorded->interrupted)
        stage->stop_when = STOP_ALL_LEASES_DONE;
}

static int open_trace(struct stage *stage, const struct stage_options *options, struct error *err)
{
    if (options->recorded)
        take_recorded(stage, options->recorded);
    else
        stage->trace =
            stage_trace_open(options->configuration, options->workload, &stage->site, err);
    stage->has_site = stage->trace != NULL;
    return stage->trace ? 0 : -1;
}

int stage_init(struct stage *stage, const struct stage_options *options, struct error *err)
{
    const struct configuration *configuration = options->configuration;
    struct policy_driver driver = options->driver;
    int saved;

    driver.site = &stage->site;
    *stage = (struct stage){.configuration = configuration,
                            .stop_when = (enum stop_when)configuration->stop_when};
    if (open_trace(stage, options, err) < 0)
        return -1;
    /* Modules are tried in a copy of this process, which is still small here. */
    saved = standard_output_divert();
    stage->policies = policy_host_configured(configuration, &driver, err);
    standard_output_restore(saved);
    if (!stage->policies)
        return -1;
    if (!options->recorded)
        stage->trace = stage_trace_prepare(stage->trace, configuration, &stage->site, err);
    if (!stage->trace)
        return -1;
    stage->engine = engine_create(&stage->site, &configuration->settings,
                                  policy_host_hooks(stage->policies), err);
    if (!stage->engine)
        return -1;
    engine_world_set(stage->policies, stage->engine, configuration->start_time);
    return 0;
}

void stage_finish(struct stage *stage)
{
    int saved = standard_output_divert();

    engine_destroy(stage->engine);
    policy_host_destroy(stage->policies);
    standard_output_restore(saved);
    trace_destroy(stage->trace);
    if (stage->has_site)
        site_finish(&stage->site);
    *stage = (struct stage){0};
}

int stage_run(struct stage *stage, const struct stage_watch *watch,
              struct simulation_result *result, struct error *err)
{
    const struct configuration *configuration = stage->configuration;
    struct observer observers[STAGE_OBSERVERS_MAX + 1];
    struct simulation simulation = {
        .engine = stage->engine,
        .trace = stage->trace,
        .observers = observers,
        .n_observers = watch->n_observers,
        .stop_when = stage->stop_when,
        .cancellations = configuration->cancellations,
        .n_cancellations = configuration->n_cancellations,
        .behaviour = &configuration->settings.behaviour,
        .reads = watch->reads,
        .should_stop = watch->should_stop,
        .ending = watch->ending,
        .context = watch->context,
    };
    int saved, outcome;

    if (watch->n_observers > STAGE_OBSERVERS_MAX)
        return error_set(err, EINVAL, "more than %d observers of a replay", STAGE_OBSERVERS_MAX);
    for (size_t i = 0; i < watch->n_observers; i++)
        observers[i] = watch->observers[i];
    if (policy_host_wants_events(stage->policies))
        observers[simulation.n_observers++] = policy_host_observer(stage->policies);
    if (count_best_effort(stage, &simulation.best_effort_leases, err) < 0)
        return -1;
    saved = standard_output_divert();
    outcome = simulation_run(&simulation, result, err);
    standard_output_restore(saved);
    return outcome;
}
