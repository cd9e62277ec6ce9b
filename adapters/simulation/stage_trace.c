/* Opens the trace of a replay and applies its configuration. */
#include "adapters/simulation/stage_trace.h"

#include <errno.h>
#include <string.h>

#include "configuration/site_text.h"
#include "lwf/trace_open.h"

/* Reads the configuration's site; 0: the configuration uses the trace's. */
static int configured_site(const struct configuration *configuration, struct site *site,
                           struct error *err)
{
    const char *text = configuration->resources;
    char where[256];

    if (!text || !strcmp(text, "in-tracefile"))
        return 0;
    if (site_text_parse(text, site, err) < 0)
        return error_prefix(err, "%s",
                            ini_where(ini_find(&configuration->ini, "simulation", "resources"),
                                      where, sizeof where));
    return 1;
}

static struct trace *open_file(const struct configuration *configuration, const char *file,
                               const struct resource_types *types, struct error *err)
{
    const struct behaviour *behaviour = &configuration->settings.behaviour;
    struct trace_options options;

    trace_options_init(&options);
    options.lwf.quirks =
        (struct lwf_quirks){.no_extensions = behaviour->traces_without_extensions,
                            .unreadable_times = behaviour->traces_with_unreadable_times,
                            .misplaced_elements = behaviour->traces_with_misplaced_elements,
                            .longer_runs = behaviour->traces_with_longer_runs};
    options.lwf.types = types;
    return trace_open(file, &options, err);
}

static struct trace *combine(const struct configuration *configuration, struct trace *trace,
                             const struct site *site, struct error *err)
{
    struct trace *injection;

    if (!configuration->injectionfile)
        return trace;
    injection = open_file(configuration, configuration->injectionfile, &site->types, err);
    if (injection)
        return trace_merge(trace, injection, err);
    trace_destroy(trace);
    return NULL;
}

struct trace_overheads stage_trace_overheads(const struct configuration *configuration)
{
    return (struct trace_overheads){
        .leases = (enum trace_overhead_leases)configuration->add_overhead,
        .slowdown_percent = configuration->slowdown_overhead,
        .boot_seconds = configuration->bootshutdown_overhead,
        .rounded_up = configuration->settings.behaviour.slowdowns_rounded_up,
        .of_actual_durations = configuration->settings.behaviour.slowdowns_of_actual_durations,
    };
}

struct trace *stage_trace_prepare(struct trace *trace, const struct configuration *configuration,
                                  const struct site *site, struct error *err)
{
    struct trace_overheads overheads = stage_trace_overheads(configuration);

    trace = combine(configuration, trace, site, err);
    if (trace && configuration->imagefile)
        trace = trace_with_images(trace, configuration->imagefile, err);
    if (trace && configuration->add_overhead != OVERHEAD_NONE)
        trace = trace_with_overheads(trace, &overheads, err);
    if (trace && configuration->override_memory >= 0)
        trace = trace_with_memory(trace, configuration->override_memory, err);
    if (trace && configuration->settings.behaviour.traces_in_file_order)
        trace = trace_ordered(trace, err);
    return trace;
}

/* Finds the site, by default the trace's own. */
static int find_site(const struct configuration *configuration, const struct trace *trace,
                     struct site *site, struct error *err)
{
    const struct site *own = trace_site(trace);

    if (!own)
        return error_set(err, EINVAL,
                         "%s: the trace does not describe a site; specify one, as in --site "
                         "144,cpu=100,memory=1024",
                         configuration->tracefile);
    site_copy(site, own);
    return 0;
}

static struct trace *open_workload(const struct stage_workload *workload, struct trace *base,
                                   const struct site *site, struct error *err)
{
    struct generate_settings settings = {
        .seed = workload->seed,
        .site = site,
        .streams = workload->streams,
        .n_streams = workload->n_streams,
    };
    struct trace_census census;
    struct trace *generated;

    if (base && trace_take_census(base, &census, err) < 0)
        goto error;
    if (base)
        settings.horizon = census.last_submit;
    generated = generate_open(&settings, err);
    if (!generated)
        goto error;
    return base ? trace_merge(base, generated, err) : generated;

error:
    trace_destroy(base);
    return NULL;
}

/* Opens the configuration's trace, and uses its site if none is configured. On errors, the caller
 * must finish site only if it was configured. */
static struct trace *open_with_site(const struct configuration *configuration, bool configured,
                                    struct site *site, struct error *err)
{
    struct trace *trace =
        open_file(configuration, configuration->tracefile, configured ? &site->types : NULL, err);

    if (trace && !configured && find_site(configuration, trace, site, err) < 0) {
        trace_destroy(trace);
        return NULL;
    }
    return trace;
}

struct trace *stage_trace_open(const struct configuration *configuration,
                               const struct stage_workload *workload, struct site *site,
                               struct error *err)
{
    int configured = configured_site(configuration, site, err);
    struct trace *trace = NULL;

    if (configured < 0)
        return NULL;
    if (!configured && !configuration->tracefile)
        return error_null(err, EINVAL,
                          "generated requests need a site; set simulation.resources, as in "
                          "144,cpu=100,memory=1024");
    if (configuration->tracefile) {
        trace = open_with_site(configuration, configured, site, err);
        if (!trace && configured)
            site_finish(site);
        if (!trace)
            return NULL;
    }
    if (!workload)
        return trace;
    trace = open_workload(workload, trace, site, err);
    if (!trace)
        site_finish(site);
    return trace;
}
