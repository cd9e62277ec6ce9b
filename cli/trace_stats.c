/* galerna trace stats: a trace in figures. */
#include "lwf/trace_stats.h"

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/trace_options.h"

static void print_distribution(const char *what, const struct distribution *d)
{
    if (d->n > 0)
        printf("  %-22s %10" PRId64 " %10" PRId64 " %12.1f %10" PRId64 " %10" PRId64 "\n", what,
               d->minimum, d->median, d->mean, d->p95, d->maximum);
    else
        printf("  %-22s %10s\n", what, "none");
}

static void print_load(const struct trace_stats *stats)
{
    if (stats->hosts > 0)
        printf("  site: %" PRId64 " host%s, %.2f processors\n", stats->hosts,
               stats->hosts == 1 ? "" : "s", (double)stats->cpu_total / 100);
    else
        printf("  site: none in the trace (see --site)\n");
    if (stats->requested_load >= 0)
        printf("  load: %.2f %% of the site requested, %.2f %% really used\n",
               100 * stats->requested_load, 100 * stats->real_load);
}

struct trace_figures {
    struct trace_stats stats;
    struct swf_counts jobs; /* of a log in SWF */
};

static void print_stats(const char *path, const struct trace_figures *figures)
{
    const struct trace_stats *stats = &figures->stats;
    char text[TRACE_JOBS_TEXT_MAX];

    printf("%s\n  leases: %" PRId64 " (", path, stats->census.total);
    for (int kind = LEASE_BEST_EFFORT; kind < LEASE_KINDS; kind++)
        printf("%s%" PRId64 " %s", kind == 0 ? "" : ", ", stats->census.leases[kind],
               lease_kind_words[kind]);
    printf(")\n");
    if (figures->jobs.jobs > 0)
        printf("  log: %s\n", trace_jobs_text(&figures->jobs, text));
    printf("  arrivals: %" PRId64 " s to %" PRId64 " s%s\n", stats->first_submit,
           stats->last_submit, stats->census.sorted ? "" : ", not sorted");
    printf("  preemptable: %" PRId64 ", with a disk image: %" PRId64 ", with a deadline: %" PRId64
           ", with an earliest start: %" PRId64 ", unlimited: %" PRId64 ", users: %" PRId64 "\n",
           stats->preemptible, stats->with_image, stats->with_deadline, stats->with_earliest_start,
           stats->unlimited, stats->users);
    print_load(stats);
    printf("\n  %-22s %10s %10s %12s %10s %10s\n", "", "minimum", "median", "mean", "p95",
           "maximum");
    print_distribution("VMs of a lease", &stats->vms);
    print_distribution("requested duration, s", &stats->duration);
    print_distribution("real duration, s", &stats->real_duration);
    print_distribution("between arrivals, s", &stats->interarrival);
    print_distribution("CPU of a VM, %", &stats->cpu);
    print_distribution("memory of a VM, MB", &stats->memory);
}

static json_t *distribution_to_json(const struct distribution *d)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:I, s:I}", "count", (json_int_t)d->n, "minimum",
                     (json_int_t)d->minimum, "median", (json_int_t)d->median, "mean", d->mean,
                     "p95", (json_int_t)d->p95, "maximum", (json_int_t)d->maximum);
}

static json_t *share_to_json(double share)
{
    return share < 0 ? json_null() : json_real(share);
}

static json_t *stats_to_json(const char *path, const struct trace_figures *figures)
{
    const struct trace_stats *stats = &figures->stats;
    json_t *leases = json_object();
    json_t *document = json_pack(
        "{s:s, s:I, s:o, s:b, s:I, s:I}", "file", path, "leases", (json_int_t)stats->census.total,
        "kinds", leases, "sorted", stats->census.sorted, "first_arrival",
        (json_int_t)stats->first_submit, "last_arrival", (json_int_t)stats->last_submit);
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {
        {"jobs", figures->jobs.jobs},
        {"preemptible", stats->preemptible},
        {"with_image", stats->with_image},
        {"with_deadline", stats->with_deadline},
        {"with_earliest_start", stats->with_earliest_start},
        {"unlimited", stats->unlimited},
        {"users", stats->users},
        {"hosts", stats->hosts},
        {"cpu", stats->cpu_total},
    };
    const struct {
        const char *name;
        const struct distribution *distribution;
    } distributions[] = {
        {"vms", &stats->vms},
        {"duration", &stats->duration},
        {"real_duration", &stats->real_duration},
        {"interarrival", &stats->interarrival},
        {"cpu_of_vm", &stats->cpu},
        {"memory_of_vm", &stats->memory},
    };

    for (int kind = LEASE_BEST_EFFORT; kind < LEASE_KINDS; kind++)
        json_object_set_new(leases, lease_kind_words[kind],
                            json_integer(stats->census.leases[kind]));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(document, counts[i].name, json_integer(counts[i].value));
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
        json_object_set_new(document, distributions[i].name,
                            distribution_to_json(distributions[i].distribution));
    json_object_set_new(document, "requested_load", share_to_json(stats->requested_load));
    json_object_set_new(document, "real_load", share_to_json(stats->real_load));
    return document;
}

static int take_stats(const char *path, struct trace_arguments *arguments,
                      struct trace_figures *figures, struct error *err)
{
    struct trace *trace = trace_open(path, trace_arguments_reading(arguments), err);
    int result;

    if (!trace)
        return -1;
    result = trace_stats_take(&figures->stats, trace, site_argument_site(&arguments->site), err);
    swf_counts(trace, &figures->jobs);
    trace_destroy(trace);
    return result;
}

static const struct command_option stats_options[] = {
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct trace_arguments, json),
     .help = "Print a JSON document"},
};

const struct command_line trace_stats_line = {
    .name = "galerna trace stats",
    .summary = "Describe a trace: leases, sizes, load",
    .purpose = "Describe traces (LWF, SWF, or Haizea's old format): the number of leases of each "
               "kind, their distributions, and how much of the site they request. Load is CPU x "
               "time requested (and really used), as a share of what the site has between the "
               "first and the last arrival.",
    .operands = "FILE...",
    .groups = {{.options = stats_options, .n = 1}, TRACE_READING_GROUPS},
    .codes = {{EXIT_DONE, "Success"}, {EXIT_FAILED, "A trace has errors or cannot be read"}},
    .size = sizeof(struct trace_arguments),
    .init = trace_arguments_init,
    .finish = trace_arguments_finish,
};

int command_trace_stats(const struct call *call)
{
    struct trace_arguments *arguments = call->arguments;
    json_t *results = json_array();
    int code = EXIT_DONE;

    for (int i = 0; i < call->n; i++) {
        const char *path = call->operands[i];
        struct trace_figures figures;
        struct error err;

        if (take_stats(path, arguments, &figures, &err) < 0) {
            code = command_failed(call->name, &err);
            continue;
        }
        if (arguments->json)
            json_array_append_new(results, stats_to_json(path, &figures));
        else
            print_stats(path, &figures);
    }
    if (arguments->json) {
        json_t *document = json_pack("{s:s, s:i, s:O}", "schema", "galerna-trace-stats", "version",
                                     1, "traces", results);

        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(document);
    }
    json_decref(results);
    return code;
}
