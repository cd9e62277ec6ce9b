#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "adapters/simulation/simulation.h"
#include "cli/command.h"
#include "cli/replay.h"
#include "cli/replay_outputs.h"
#include "cli/replay_trace.h"
#include "plugin/configured.h"
#include "plugin/policy_host.h"
#include "util/memory.h"

/* Steps between two looks at the clock and the signals. */
enum { LOOK_EVERY = 16 };

struct watch {
    const struct replay_control *control;
    const struct trace *trace;
    struct replay_outputs *outputs;
    unsigned steps;
};

static bool look(void *context)
{
    struct watch *watch = context;
    const struct replay_control *control = watch->control;

    if (++watch->steps % LOOK_EVERY == 0) {
        double done = trace_progress(watch->trace);

        if (control->done)
            *control->done = done;
        if (control->progress)
            progress_show(control->progress, done, control->title);
    }
    return *control->stop != 0;
}

static void note_ending(void *context, const struct simulation_result *result)
{
    struct watch *watch = context;

    replay_outputs_set_ending(watch->outputs, result->interrupted      ? ENDING_INTERRUPTED
                                              : result->stuck          ? ENDING_STUCK
                                              : result->unfinished > 0 ? ENDING_STOPPED
                                                                       : ENDING_COMPLETE);
}

static void print_policy_message(void *context, enum policy_log_level level, const char *text)
{
    const struct replay_control *control = context;

    if (level <= POLICY_LOG_WARNING || !control->quiet) {
        if (control->progress)
            progress_finish(control->progress);
        if (level <= POLICY_LOG_WARNING)
            fprintf(stderr, "galerna replay: %s\n", text);
    }
}

static struct policy_host *load_policies(const struct configuration *configuration,
                                         const struct site *site,
                                         const struct replay_control *control, struct error *err)
{
    const struct policy_driver driver = {
        .site = site, .log = print_policy_message, .log_context = (void *)control};

    return policy_host_configured(configuration, &driver, err);
}

static int count_best_effort(const struct configuration *configuration, const struct trace *trace,
                             int64_t *count, struct error *err)
{
    struct trace_census census;

    if (configuration->stop_when == STOP_ALL_LEASES_DONE)
        return 0;
    if (trace_take_census(trace, &census, err) < 0)
        return error_prefix(err, "simulation.stop-when needs to know the whole trace");
    *count = census.leases[LEASE_BEST_EFFORT];
    return 0;
}

static void describe_end(const struct simulation_result *result, struct replay_outcome *outcome)
{
    outcome->interrupted = result->interrupted;
    outcome->stuck = result->stuck;
    outcome->code = result->interrupted ? EXIT_INTERRUPTED : EXIT_DONE;
    if (result->stuck)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRId64 " leases wait for ever: nothing is planned and nobody will make room",
                 result->unfinished);
    else if (result->cancels_missed)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRId64 " cancellations were for leases that had not come or were over",
                 result->cancels_missed);
    else if (result->late_requests)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRId64 " requests stand behind later ones in the trace and came late; sort it "
                 "by time of submission",
                 result->late_requests);
}

/* Everything a run needs, made in the order of the members. */
struct stage {
    struct site site;
    bool has_site;
    struct trace *trace;
    struct policy_host *policies;
    struct engine *engine;
    struct replay_outputs outputs;
};

static int64_t world_now(void *context)
{
    return engine_now(context);
}

static bool world_free_at(void *context, uint32_t place, int64_t at, int64_t *amounts)
{
    const struct engine *engine = context;
    const struct site *site = engine_site(engine);

    if (place >= site->n_hosts || at < engine_now(engine))
        return false;
    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        amounts[type] = type < site->types.count ? engine_free(engine, place, type, at) : 0;
    return true;
}

/* What modules ask about time and hosts is answered by the engine. */
static void connect_policies(struct stage *stage)
{
    const struct policy_world world = {
        .context = stage->engine, .now = world_now, .free_at = world_free_at};

    policy_host_set_world(stage->policies, &world);
}

static int set_up(struct stage *stage, const struct replay_run *run,
                  const struct replay_control *control, struct error *err)
{
    const struct configuration *configuration = run->configuration;

    stage->trace = replay_trace_open(configuration, &stage->site, err);
    if (!stage->trace)
        return -1;
    stage->has_site = true;
    /* Modules are tried in a copy of this process: while it is small. */
    stage->policies = load_policies(configuration, &stage->site, control, err);
    if (!stage->policies)
        return -1;
    stage->trace = replay_trace_prepare(stage->trace, configuration, &stage->site, err);
    if (!stage->trace)
        return -1;
    stage->engine = engine_create(&stage->site, &configuration->settings,
                                  policy_host_hooks(stage->policies), err);
    if (!stage->engine)
        return -1;
    connect_policies(stage);
    if (replay_outputs_init(&stage->outputs, run, err) < 0)
        return -1;
    if (policy_host_wants_events(stage->policies))
        stage->outputs.observers[stage->outputs.n_observers++] =
            policy_host_observer(stage->policies);
    return 0;
}

static void take_down(struct stage *stage)
{
    replay_outputs_finish(&stage->outputs);
    engine_destroy(stage->engine);
    policy_host_destroy(stage->policies);
    trace_destroy(stage->trace);
    if (stage->has_site)
        site_finish(&stage->site);
}

static int simulate(struct stage *stage, const struct replay_run *run,
                    const struct replay_control *control, struct replay_outcome *outcome,
                    struct error *err)
{
    const struct configuration *configuration = run->configuration;
    struct watch watch = {.control = control, .trace = stage->trace, .outputs = &stage->outputs};
    struct simulation simulation = {
        .engine = stage->engine,
        .trace = stage->trace,
        .observers = stage->outputs.observers,
        .n_observers = stage->outputs.n_observers,
        .stop_when = (enum stop_when)configuration->stop_when,
        .cancellations = configuration->cancellations,
        .n_cancellations = configuration->n_cancellations,
        .premature_end_plus_one_day = configuration->settings.behaviour.premature_end_plus_one_day,
        .should_stop = look,
        .ending = note_ending,
        .context = &watch,
    };
    struct simulation_result result;

    if (count_best_effort(configuration, stage->trace, &simulation.best_effort_leases, err) < 0 ||
        simulation_run(&simulation, &result, err) < 0)
        return -1;
    describe_end(&result, outcome);
    accounting_summarize(stage->outputs.accounting, &outcome->figures);
    return replay_outputs_commit(&stage->outputs, err);
}

static double cpu_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

void replay_run_perform(const struct replay_run *run, const struct replay_control *control,
                        struct replay_outcome *outcome)
{
    struct stage stage = {0};
    struct error err = {0};
    struct rusage before, after;

    *outcome = (struct replay_outcome){0};
    getrusage(RUSAGE_SELF, &before);
    if (set_up(&stage, run, control, &err) < 0 ||
        simulate(&stage, run, control, outcome, &err) < 0) {
        outcome->code = EXIT_FAILED;
        snprintf(outcome->message, sizeof outcome->message, "%s", err.text);
    }
    take_down(&stage);
    getrusage(RUSAGE_SELF, &after);
    outcome->cpu_seconds = cpu_seconds(&after) - cpu_seconds(&before);
    outcome->peak_memory_kb = after.ru_maxrss;
    if (control->done)
        *control->done = 1;
}
