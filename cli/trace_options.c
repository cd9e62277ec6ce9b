/* Options for reading a trace, shared by several commands. */
#include "cli/trace_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "configuration/site_text.h"
#include "util/append.h"
#include "util/decimal.h"

static int take_count(const char *text, int64_t *number, struct error *err)
{
    if (decimal_parse(text, 0, number) < 0 || *number < 1)
        return error_set(err, EINVAL, "expected a whole number, 1 or more, or 'log'");
    return 0;
}

static int take_processors(const struct command_option *option, void *value, const char *text,
                           struct error *err)
{
    int64_t *processors = value;

    (void)option;
    *processors = 0;
    return strcmp(text, "log") == 0 ? 0 : take_count(text, processors, err);
}

/* value: the options for SWF */
static int take_memory(const struct command_option *option, void *value, const char *text,
                       struct error *err)
{
    struct swf_options *swf = value;

    (void)option;
    swf->memory_from_log = strcmp(text, "log") == 0;
    return swf->memory_from_log ? 0 : take_count(text, &swf->memory_per_node, err);
}

static int take_non_preemptible(const struct command_option *option, void *value, const char *text,
                                struct error *err)
{
    (void)option;
    (void)text;
    (void)err;
    *(bool *)value = false; /* `preemptible` */
    return 0;
}

static int take_compatibility(const struct command_option *option, void *value, const char *text,
                              struct error *err)
{
    bool haizea = strcmp(text, "haizea-1.0") == 0;

    (void)option;
    *(struct lwf_quirks *)value = haizea ? LWF_QUIRKS_OF_HAIZEA_1_0 : (struct lwf_quirks){0};
    if (haizea || strcmp(text, "default") == 0)
        return 0;
    return error_set(err, EINVAL, "expected default or haizea-1.0");
}

int site_argument_take(const struct command_option *option, void *value, const char *text,
                       struct error *err)
{
    struct site_argument *argument = value;

    (void)option;
    if (argument->given)
        return error_set(err, EINVAL, "the site is given twice; join different hosts with '+'");
    if (site_text_parse(text, &argument->site, err) < 0)
        return -1;
    argument->given = true;
    return 0;
}

const struct site *site_argument_site(const struct site_argument *argument)
{
    return argument->given ? &argument->site : NULL;
}

#define AT(member) offsetof(struct trace_arguments, member)

const struct command_option trace_reading_options[TRACE_READING_OPTIONS] = {
    {"compatibility", .type = ARGUMENT_OWN, .argument = "MODE", .offset = AT(reading.lwf.quirks),
     .words = "default|haizea-1.0", .otherwise = "default", .take = take_compatibility,
     .help = "haizea-1.0: read LWF as Haizea 1.0 does, without deadlines and attributes of "
             "Galerna, and with times that do not parse as 0"},
    {"site", .type = ARGUMENT_OWN, .argument = "N,cpu=C,memory=M", .offset = AT(site),
     .take = site_argument_take, .help = "The site, instead of the trace's own"},
};

const struct command_option trace_swf_options[TRACE_SWF_OPTIONS] = {
    {"processors-per-node", .type = ARGUMENT_OWN, .argument = "N",
     .offset = AT(reading.swf.processors_per_node), .words = "log", .otherwise = "1",
     .take = take_processors, .help = "Processors of a node, or 'log': as the header says"},
    {"cpu-per-node", .type = ARGUMENT_INTEGER, .argument = "N",
     .offset = AT(reading.swf.cpu_per_node), .otherwise = "100", .least = 0, .most = 1e12,
     .help = "CPU of a node in percent of a processor; 0: 100 for each of its processors"},
    {"memory-per-node", .type = ARGUMENT_OWN, .argument = "MB", .offset = AT(reading.swf),
     .words = "log", .otherwise = "1024", .take = take_memory,
     .help = "Memory of a node, or 'log': what each job requested or used, where the log says so"},
    {"hosts", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(reading.swf.hosts),
     .least = 1, .most = SITE_TEXT_HOSTS_MAX,
     .help = "Nodes of the site; as many as the header says by default"},
    {"missing-time", .type = ARGUMENT_CHOICE, .argument = "WHAT",
     .offset = AT(reading.swf.missing_time), .words = "real|limit|skip", .otherwise = "real",
     .help = "For jobs without a requested time, use their run time (real) or MaxRuntime of the "
             "header (limit), or skip them (skip)"},
    {"skip-failed", .type = ARGUMENT_FLAG, .offset = AT(reading.swf.skip_failed),
     .help = "Skip jobs that failed"},
    {"skip-cancelled", .type = ARGUMENT_FLAG, .offset = AT(reading.swf.skip_cancelled),
     .help = "Skip jobs that were cancelled while running"},
    {"from-zero", .type = ARGUMENT_FLAG, .offset = AT(reading.swf.from_zero),
     .help = "Start the trace at the first job"},
    {"non-preemptible", .type = ARGUMENT_OWN, .offset = AT(reading.swf.preemptible),
     .take = take_non_preemptible, .help = "Create leases that cannot be preempted"},
    {"jobs", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(reading.swf.limit), .least = 1,
     .most = 1e15, .help = "Read only the first N leases"},
};

void trace_arguments_init(void *arguments)
{
    trace_options_init(&((struct trace_arguments *)arguments)->reading);
}

const struct trace_options *trace_arguments_reading(struct trace_arguments *arguments)
{
    if (arguments->site.given)
        arguments->reading.lwf.types = &arguments->site.site.types;
    return &arguments->reading;
}

void trace_arguments_finish(void *arguments)
{
    struct site_argument *site = &((struct trace_arguments *)arguments)->site;

    if (site->given)
        site_finish(&site->site);
}

const char *trace_jobs_text(const struct swf_counts *counts, char text[TRACE_JOBS_TEXT_MAX])
{
    const struct {
        int64_t n;
        const char *what;
    } causes[] = {
        {counts->partial, counts->partial == 1 ? "partial execution" : "partial executions"},
        {counts->never_started, "never started"},
        {counts->failed, "failed"},
        {counts->cancelled, "cancelled"},
        {counts->without_time, "without requested time"},
        {counts->without_processors, "without processors"},
    };
    const char *separator = "; without a lease: ";
    size_t used = append_text(text, TRACE_JOBS_TEXT_MAX, 0, "%" PRId64 " job%s", counts->jobs,
                              counts->jobs == 1 ? "" : "s");

    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (causes[i].n == 0)
            continue;
        used = append_text(text, TRACE_JOBS_TEXT_MAX, used, "%s%" PRId64 " %s", separator,
                           causes[i].n, causes[i].what);
        separator = ", ";
    }
    return text;
}
