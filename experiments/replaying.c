/* One replay inside an experiment, and its counts. */
#include "experiments/replaying.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/simulation/simulation.h"
#include "configuration/configuration.h"
#include "configuration/site_text.h"
#include "core/engine.h"
#include "plugin/configured.h"
#include "plugin/engine_world.h"
#include "util/memory.h"
#include "util/standard_output.h"

void replaying_set(struct replaying *replaying, const char *format, ...)
{
    char *setting = replaying->settings[replaying->n_settings++];
    va_list args;

    va_start(args, format);
    vsnprintf(setting, sizeof *replaying->settings, format, args);
    va_end(args);
}

struct replaying_stage {
    const struct replaying *replaying;
    struct replayed *replayed;
    struct configuration_list configurations;
    struct site site;
    bool has_site;
    struct trace *trace;
    struct policy_host *policies, *rival_hosts[RIVALS_MAX];
    struct rivals rivals;
    struct engine *engine;
    struct accounting *accounting;
};

static struct replayed_class *class_of(const struct replaying_stage *stage,
                                       const struct lease *lease)
{
    const struct replaying *replaying = stage->replaying;

    return &stage->replayed->classes[replaying->class_of
                                         ? replaying->class_of(replaying->context, &lease->request)
                                         : 0];
}

static void count_finished(struct replaying_stage *stage, const struct lease *lease)
{
    const struct replaying *replaying = stage->replaying;
    struct replayed_class *class = class_of(stage, lease);

    if (lease->state == LEASE_REJECTED) {
        class->refused++;
    } else if (lease->state == LEASE_DONE) {
        class->completed++;
        class->wait += (double)accounting_waiting_time(lease);
        class->turnaround += (double)(lease->end - lease->request.submit);
        class->vm_seconds += (double)lease->n_vms * (double)lease->duration_actual;
        class->late +=
            replaying->due && lease->end > replaying->due(replaying->context, &lease->request);
    } else {
        class->cancelled++;
        class->cut_vm_seconds += (double)lease->n_vms * (double)lease->accumulated;
        class->cut_wall_time += (double)lease->n_vms * (double)lease->request.duration;
    }
}

/* The first suspension and resumption, over all their reservations. */
static void note_span(struct replayed *replayed, const struct reservation *r)
{
    if (r->kind == RESERVATION_SUSPEND && replayed->resume_span == 0) {
        int64_t from = replayed->suspended_until - replayed->suspend_span;

        if (replayed->suspend_span == 0 || r->from < from)
            from = r->from;
        if (r->until > replayed->suspended_until)
            replayed->suspended_until = r->until;
        replayed->suspend_span = replayed->suspended_until - from;
    } else if (r->kind == RESERVATION_RESUME) {
        if (replayed->resume_span == 0)
            replayed->resumed_from = r->from;
        if (r->until - replayed->resumed_from > replayed->resume_span)
            replayed->resume_span = r->until - replayed->resumed_from;
    }
}

static int count(void *context, const struct engine *engine, int64_t now,
                 const struct engine_outputs *outputs, struct error *err)
{
    struct replaying_stage *stage = context;

    (void)engine, (void)now, (void)err;
    for (size_t i = 0; i < outputs->n_items; i++) {
        const struct engine_output *output = &outputs->items[i];

        if (output->kind == OUTPUT_REQUESTED) {
            class_of(stage, output->lease)->requested++;
        } else if (output->kind == OUTPUT_PREEMPTED) {
            class_of(stage, output->lease)->preemptions++;
            stage->replayed->preemptions++;
            if (stage->replaying->overhead_of)
                stage->replayed->overhead += stage->replaying->overhead_of(
                    stage->replaying->context, &output->lease->request);
        } else if (output->kind == OUTPUT_FINISHED) {
            count_finished(stage, output->lease);
        } else if (output->kind == OUTPUT_OPERATION_STARTED) {
            note_span(stage->replayed, output->reservation);
            if (output->reservation->kind == RESERVATION_MEMORY_MIGRATION)
                stage->replayed->moved_to =
                    (int32_t)output->reservation->placement->vms[0].host + 1;
        }
    }
    return 0;
}

static void complain(void *context, enum policy_log_level level, const char *text)
{
    (void)context;
    if (level == POLICY_LOG_ERROR)
        fprintf(stderr, "galerna experiment: %s\n", text);
}

/* The hooks for the engine: those of the configured policies, with rivals where there are some. */
static const struct policy_hooks *hooks_of(struct replaying_stage *stage,
                                           const struct policy_driver *driver, struct error *err)
{
    const struct replaying *replaying = stage->replaying;
    const struct policy_hooks *decider = policy_host_hooks(stage->policies), *others[RIVALS_MAX];

    if (!decider->choose_victims)
        return decider;
    for (size_t i = 0; i < replaying->n_rivals && i < RIVALS_MAX; i++) {
        struct configuration other = *stage->configurations.items[0];
        char *name = memory_text(replaying->rivals[i]);

        other.policy_preemption = name;
        stage->rival_hosts[i] = policy_host_configured(&other, driver, err);
        free(name);
        if (!stage->rival_hosts[i])
            return NULL;
        others[i] = policy_host_hooks(stage->rival_hosts[i]);
    }
    rivals_init(&stage->rivals, decider, others, replaying->n_rivals, &stage->replayed->chosen);
    return &stage->rivals.hooks;
}

static void tell_of_the_world(struct replaying_stage *stage)
{
    engine_world_set(stage->policies, stage->engine, INSTANT_NONE);
    for (size_t i = 0; i < RIVALS_MAX && stage->rival_hosts[i]; i++)
        engine_world_set(stage->rival_hosts[i], stage->engine, INSTANT_NONE);
}

static int set_up(struct replaying_stage *stage, struct error *err)
{
    const char *set[REPLAYING_SETTINGS_MAX];
    const struct configuration_overrides overrides = {.set = set,
                                                      .n_set = stage->replaying->n_settings};
    struct policy_driver driver = {.site = &stage->site, .log = complain};
    const struct configuration *configuration;
    const struct policy_hooks *hooks;

    for (size_t i = 0; i < overrides.n_set; i++)
        set[i] = stage->replaying->settings[i];
    if (configuration_read(NULL, &overrides, &stage->configurations, err) < 0)
        return -1;
    configuration = stage->configurations.items[0];
    if (!configuration->resources)
        return error_set(err, EINVAL, "the experiment names no simulation.resources");
    if (site_text_parse(configuration->resources, &stage->site, err) < 0)
        return -1;
    stage->has_site = true;
    stage->trace = stage->replaying->open(stage->replaying->context, &stage->site, err);
    if (!stage->trace)
        return -1;
    stage->policies = policy_host_configured(configuration, &driver, err);
    if (!stage->policies)
        return -1;
    hooks = hooks_of(stage, &driver, err);
    if (!hooks)
        return -1;
    stage->engine = engine_create(&stage->site, &configuration->settings, hooks, err);
    if (!stage->engine)
        return -1;
    tell_of_the_world(stage);
    stage->accounting = accounting_create(false);
    return 0;
}

static int carry_out(struct replaying_stage *stage, struct error *err)
{
    const struct configuration *configuration = stage->configurations.items[0];
    struct observer observers[3] = {accounting_observer(stage->accounting),
                                    {.context = stage, .step = count}};
    struct simulation simulation = {
        .engine = stage->engine,
        .trace = stage->trace,
        .observers = observers,
        .n_observers = 2,
        .stop_when = STOP_ALL_LEASES_DONE,
        .behaviour = &configuration->settings.behaviour,
    };
    struct simulation_result result;

    if (policy_host_wants_events(stage->policies))
        observers[simulation.n_observers++] = policy_host_observer(stage->policies);
    if (simulation_run(&simulation, &result, err) < 0)
        return -1;
    accounting_summarize(stage->accounting, &stage->replayed->figures);
    if (result.stuck)
        return error_set(err, EDEADLK, "%" PRId64 " lease%s forever", result.unfinished,
                         result.unfinished == 1 ? " waits" : "s wait");
    return 0;
}

int replaying_perform(const struct replaying *replaying, struct replayed *replayed,
                      struct error *err)
{
    struct replaying_stage stage = {.replaying = replaying, .replayed = replayed};
    int saved = standard_output_divert(), result;

    memset(replayed, 0, sizeof *replayed);
    result = set_up(&stage, err) < 0 || carry_out(&stage, err) < 0 ? -1 : 0;
    engine_destroy(stage.engine);
    policy_host_destroy(stage.policies);
    for (size_t k = 0; k < RIVALS_MAX; k++)
        policy_host_destroy(stage.rival_hosts[k]);
    standard_output_restore(saved);
    accounting_destroy(stage.accounting);
    trace_destroy(stage.trace);
    if (stage.has_site)
        site_finish(&stage.site);
    configuration_list_finish(&stage.configurations);
    return result;
}
