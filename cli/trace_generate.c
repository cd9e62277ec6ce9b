/* galerna trace generate: synthetic workloads as LWF. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/trace_options.h"
#include "cli/trace_output.h"
#include "lwf/generate.h"
#include "lwf/trace_combine.h"
#include "lwf/trace_open.h"
#include "util/file.h"
#include "util/memory.h"

struct generate_arguments {
    struct generate_stream *streams;
    size_t n_streams, allocated;
    char *description; /* the command's options that matter, for the file */
    int64_t seed;
    struct site_argument site;
    const char *with, *output, *name;
};

static void describe(struct generate_arguments *arguments, const char *stream)
{
    char *longer = memory_format("%s --stream %s",
                                 arguments->description ? arguments->description : "", stream);
    free(arguments->description);
    arguments->description = longer;
}

static int take_stream(const struct command_option *option, void *value, const char *text,
                       struct error *err)
{
    struct generate_arguments *arguments = value;

    (void)option;
    if (arguments->n_streams == GENERATE_STREAMS_MAX)
        return error_set(err, EINVAL, "at most %d streams are possible", GENERATE_STREAMS_MAX);
    MEMORY_GROW(arguments->streams, arguments->allocated, arguments->n_streams + 1);
    if (generate_stream_parse(&arguments->streams[arguments->n_streams], text, err) < 0)
        return -1;
    arguments->n_streams++;
    describe(arguments, text);
    return 0;
}

/* For completion: the names of the models. A stream begins with one. */
static void offer_models(FILE *stream)
{
    FILE *table = tmpfile();
    char line[256];
    bool models = false;

    if (!table)
        return;
    generate_print_keys(table);
    rewind(table);
    while (fgets(line, sizeof line, table)) {
        if (line[0] != ' ')
            models = strncmp(line, "Models", 6) == 0;
        else if (models && line[2] != ' ')
            fprintf(stream, "%.*s,\n", (int)strcspn(line + 2, " "), line + 2);
    }
    fclose(table);
}

#define AT(member) offsetof(struct generate_arguments, member)

static const struct command_option generate_options[] = {
    {"stream", .letter = 's', .type = ARGUMENT_OWN, .argument = "MODEL[,KEY=VALUE]...",
     .take = take_stream, .offer = offer_models,
     .help = "Add requests of one kind, such as typeless,jobs=1000,nodes=32. May be repeated"},
    {"list-keys", .type = ARGUMENT_ANSWER, .answer = generate_print_keys,
     .help = "Print all models, their keys and the classes of leases, and exit"},
    {"seed", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(seed), .otherwise = "1",
     .least = 0, .most = 9e18, .help = "Random seed"},
    {"site", .type = ARGUMENT_OWN, .argument = "N,cpu=C,memory=M", .offset = AT(site),
     .take = site_argument_take, .help = "The site; required by the model 'reservations'"},
    {"with", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(with),
     .help = "Merge the requests into this trace and use its site"},
    {"output", .letter = 'o', .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(output),
     .help = "Write to FILE instead of standard output; it appears when it is complete"},
    {"name", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(name),
     .otherwise = "generated", .help = "Name of the workload"},
};

static void finish_arguments(void *context)
{
    struct generate_arguments *arguments = context;

    if (arguments->site.given)
        site_finish(&arguments->site.site);
    free(arguments->streams);
    free(arguments->description);
}

const struct command_line trace_generate_line = {
    .name = "galerna trace generate",
    .summary = "Generate a synthetic workload",
    .purpose = "Generate a synthetic workload from published models and write it as LWF. The same "
               "streams and seed give the same file on every machine.",
    .groups = {OPTION_GROUP(generate_options)},
    .notes = "Local requests beside grid requests of four kinds on 32 nodes:\n"
             "  galerna trace generate --site 32,cpu=100,memory=1024 \\\n"
             "    --stream typeless,jobs=1000,nodes=32,class=local \\\n"
             "    --stream typeless,jobs=2000,nodes=32,\\\n"
             "        class=cancelable+suspendable+migratable+non-preemptable\n"
             "Reservations of 3 hours that take a tenth of a site, between the jobs of a log:\n"
             "  galerna trace generate --with log.swf \\\n"
             "    --stream reservations,rho=0.1,delta=3h,vms=25:48",
    .codes = {{EXIT_DONE, "Success"}, {EXIT_FAILED, "A file cannot be read or written"}},
    .size = sizeof(struct generate_arguments),
    .finish = finish_arguments,
};

/* The trace of --with, and when its last request is made. */
static struct trace *open_base(const struct generate_arguments *arguments, int64_t *last,
                               struct error *err)
{
    struct trace_options reading;
    struct trace_census census;
    struct trace *base;

    trace_options_init(&reading);
    if (arguments->site.given)
        reading.lwf.types = &arguments->site.site.types;
    base = trace_open(arguments->with, &reading, err);
    if (base && trace_take_census(base, &census, err) < 0) {
        trace_destroy(base);
        return NULL;
    }
    if (base)
        *last = census.last_submit;
    return base;
}

static struct trace *open_all(const struct generate_arguments *arguments, struct error *err)
{
    struct generate_settings settings = {
        .seed = (uint64_t)arguments->seed,
        .site = site_argument_site(&arguments->site),
        .streams = arguments->streams,
        .n_streams = arguments->n_streams,
    };
    struct trace *base, *generated;

    if (!arguments->with)
        return generate_open(&settings, err);
    base = open_base(arguments, &settings.horizon, err);
    if (!base)
        return NULL;
    if (!settings.site)
        settings.site = trace_site(base);
    generated = generate_open(&settings, err);
    if (!generated) {
        trace_destroy(base);
        return NULL;
    }
    return trace_merge(base, generated, err);
}

static int generate(const struct generate_arguments *arguments, struct error *err)
{
    struct trace *trace = open_all(arguments, err);
    struct lwf_description description = {.name = arguments->name};
    const char *slash = arguments->with ? strrchr(arguments->with, '/') : NULL;
    char *text;
    int result;

    if (!trace)
        return -1;
    description.site = arguments->site.given ? &arguments->site.site : trace_site(trace);
    text = memory_format("galerna trace generate --seed %" PRId64 "%s%s%s", arguments->seed,
                         arguments->with ? " --with " : "",
                         slash             ? slash + 1
                         : arguments->with ? arguments->with
                                           : "",
                         arguments->description);
    description.text = text;
    result = trace_output_write(trace, &description, arguments->output, err);
    free(text);
    trace_destroy(trace);
    return result;
}

int command_trace_generate(const struct call *call)
{
    const struct generate_arguments *arguments = call->arguments;
    struct error err;

    if (arguments->n_streams == 0)
        return command_usage_error(call->name, "no --stream is given");
    if (file_keep_input(arguments->output, arguments->with, &err) < 0)
        return command_failed(call->name, &err);
    return generate(arguments, &err) < 0 ? command_failed(call->name, &err) : EXIT_DONE;
}
