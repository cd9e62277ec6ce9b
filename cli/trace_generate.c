/* galerna trace generate: made-up workloads as LWF. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/trace_output.h"
#include "configuration/site_text.h"
#include "lwf/generate.h"
#include "lwf/trace_combine.h"
#include "lwf/trace_open.h"
#include "util/memory.h"

struct arguments {
    struct generate_stream *streams;
    size_t n_streams, allocated;
    char *description; /* the command's options that matter, for the file */
    uint64_t seed;
    struct site site;
    bool has_site;
    const char *with, *output, *name;
};

enum letter { LETTER_SEED = 256, LETTER_SITE, LETTER_WITH, LETTER_NAME, LETTER_LIST_KEYS };

static const struct option options[] = {
    {"stream", required_argument, NULL, 's'},
    {"seed", required_argument, NULL, LETTER_SEED},
    {"site", required_argument, NULL, LETTER_SITE},
    {"with", required_argument, NULL, LETTER_WITH},
    {"output", required_argument, NULL, 'o'},
    {"name", required_argument, NULL, LETTER_NAME},
    {"list-keys", no_argument, NULL, LETTER_LIST_KEYS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    printf("usage: galerna trace generate --stream MODEL[,KEY=VALUE]... [OPTION]...\n\n"
           "Make up a workload and write it as LWF. The same streams and seed give the same file\n"
           "everywhere.\n\n"
           "  -s, --stream STREAM      requests of one kind, such as typeless,jobs=1000,nodes=32;\n"
           "                           may be repeated\n"
           "  --list-keys              print all models, their keys and the classes of leases\n"
           "  --seed N                 another N gives another workload of the same kind (1)\n"
           "  --site N,cpu=C,memory=M  the site; reservations need one\n"
           "  --with FILE              put the requests between those of a trace, whose site they\n"
           "                           get\n"
           "  -o, --output FILE        where to write (standard output); the file appears when\n"
           "                           it is complete\n"
           "  --name NAME              name of the workload (generated)\n"
           "  --help                   print this\n"
           "\n"
           "Local requests beside grid requests of four kinds on 32 nodes:\n"
           "  galerna trace generate --site 32,cpu=100,memory=1024 \\\n"
           "    --stream typeless,jobs=1000,nodes=32,class=local \\\n"
           "    --stream typeless,jobs=2000,nodes=32,\\\n"
           "class=cancelable+suspendable+migratable+non-preemptable\n"
           "Reservations of 3 hours that take a tenth of a site, between the jobs of a log:\n"
           "  galerna trace generate --with log.swf --stream reservations,rho=0.1,delta=3h,"
           "vms=25:48\n"
           "\nExit code: 0 done, 1 a file cannot be read or written, 64 wrong command line.\n");
}

static void describe(struct arguments *arguments, const char *stream)
{
    char *longer;

    if (asprintf(&longer, "%s --stream %s", arguments->description ? arguments->description : "",
                 stream) < 0)
        abort();
    free(arguments->description);
    arguments->description = longer;
}

/* The parsers return -1: go on, else the exit code. */
static int parse_stream(struct arguments *arguments, const char *command, const char *text)
{
    struct error err;

    if (arguments->n_streams == GENERATE_STREAMS_MAX)
        return command_usage_error(command, "more than %d streams", GENERATE_STREAMS_MAX);
    arguments->streams = memory_grow(arguments->streams, &arguments->allocated,
                                     arguments->n_streams + 1, sizeof *arguments->streams);
    if (generate_stream_parse(&arguments->streams[arguments->n_streams], text, &err) < 0)
        return command_usage_error(command, "--stream %.80s: %s", text, err.text);
    arguments->n_streams++;
    describe(arguments, text);
    return -1;
}

static int parse_seed(struct arguments *arguments, const char *command, const char *text)
{
    char *end;

    errno = 0;
    arguments->seed = strtoull(text, &end, 10);
    if (!*text || *end || errno || strchr(text, '-'))
        return command_usage_error(command, "--seed %.60s: expected a number, 0 or more", text);
    return -1;
}

static int parse_site(struct arguments *arguments, const char *command, const char *text)
{
    struct error err;

    if (arguments->has_site)
        return command_usage_error(command, "--site is given twice");
    if (site_text_parse(text, &arguments->site, &err) < 0)
        return command_usage_error(command, "--site: %s", err.text);
    arguments->has_site = true;
    return -1;
}

static int parse_option(struct arguments *arguments, const char *command, int letter)
{
    switch (letter) {
    case 's':
        return parse_stream(arguments, command, optarg);
    case LETTER_SEED:
        return parse_seed(arguments, command, optarg);
    case LETTER_SITE:
        return parse_site(arguments, command, optarg);
    case LETTER_WITH:
        arguments->with = optarg;
        return -1;
    case LETTER_NAME:
        arguments->name = optarg;
        return -1;
    case 'o':
        arguments->output = optarg;
        return -1;
    case LETTER_LIST_KEYS:
        generate_print_keys(stdout);
        return EXIT_DONE;
    case 'h':
        print_help();
        return EXIT_DONE;
    default:
        return command_usage_hint(command);
    }
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int letter, code = -1;

    optind = 0;
    while (code < 0 && (letter = getopt_long(argc, argv, "hs:o:", options, NULL)) != -1)
        code = parse_option(arguments, argv[0], letter);
    if (code < 0 && optind < argc)
        code = command_usage_error(argv[0],
                                   "unexpected argument '%.60s': streams are given with "
                                   "--stream",
                                   argv[optind]);
    if (code < 0 && arguments->n_streams == 0)
        code = command_usage_error(argv[0], "no --stream is given");
    return code;
}

/* The trace of --with, and when its last request is made. */
static struct trace *open_base(const struct arguments *arguments, int64_t *last, struct error *err)
{
    struct trace_options reading;
    struct trace_census census;
    struct trace *base;

    trace_options_init(&reading);
    if (arguments->has_site)
        reading.lwf.types = &arguments->site.types;
    base = trace_open(arguments->with, &reading, err);
    if (base && trace_take_census(base, &census, err) < 0) {
        trace_destroy(base);
        return NULL;
    }
    if (base)
        *last = census.last_submit;
    return base;
}

static struct trace *open_all(const struct arguments *arguments, struct error *err)
{
    struct generate_settings settings = {
        .seed = arguments->seed,
        .site = arguments->has_site ? &arguments->site : NULL,
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

static int generate(const struct arguments *arguments, struct error *err)
{
    struct trace *trace = open_all(arguments, err);
    struct lwf_description description = {
        .name = arguments->name ? arguments->name : "generated",
    };
    const char *slash = arguments->with ? strrchr(arguments->with, '/') : NULL;
    char *text;
    int result;

    if (!trace)
        return -1;
    description.site = arguments->has_site ? &arguments->site : trace_site(trace);
    if (asprintf(&text, "galerna trace generate --seed %" PRIu64 "%s%s%s", arguments->seed,
                 arguments->with ? " --with " : "",
                 slash             ? slash + 1
                 : arguments->with ? arguments->with
                                   : "",
                 arguments->description) < 0)
        abort();
    description.text = text;
    result = trace_output_write(trace, &description, arguments->output, err);
    free(text);
    trace_destroy(trace);
    return result;
}

int command_trace_generate(int argc, char **argv)
{
    struct arguments arguments = {.seed = 1};
    struct error err;
    int code = parse(&arguments, argc, argv);

    if (code < 0)
        code = generate(&arguments, &err) < 0 ? command_failed(argv[0], &err) : EXIT_DONE;
    if (arguments.has_site)
        site_finish(&arguments.site);
    free(arguments.streams);
    free(arguments.description);
    return code;
}
