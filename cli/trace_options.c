#include "cli/trace_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "configuration/site_text.h"

enum option_letter {
    LETTER_COMPATIBILITY = 256,
    LETTER_SITE,
    LETTER_JSON,
    LETTER_NAME,
    LETTER_LIMIT,
    LETTER_PROCESSORS,
    LETTER_CPU,
    LETTER_MEMORY,
    LETTER_HOSTS,
    LETTER_MISSING_TIME,
    LETTER_SKIP_FAILED,
    LETTER_SKIP_CANCELLED,
    LETTER_FROM_ZERO,
    LETTER_NON_PREEMPTIBLE,
    LETTER_JOBS,
};

static const struct {
    struct option option;
    unsigned needs; /* TRACE_OPTION_..., 0: every command takes it */
} known[] = {
    {{"compatibility", required_argument, NULL, LETTER_COMPATIBILITY}, 0},
    {{"site", required_argument, NULL, LETTER_SITE}, 0},
    {{"json", no_argument, NULL, LETTER_JSON}, TRACE_OPTION_JSON},
    {{"output", required_argument, NULL, 'o'}, TRACE_OPTION_OUTPUT},
    {{"name", required_argument, NULL, LETTER_NAME}, TRACE_OPTION_OUTPUT},
    {{"limit", required_argument, NULL, LETTER_LIMIT}, TRACE_OPTION_FINDINGS},
    {{"processors-per-node", required_argument, NULL, LETTER_PROCESSORS}, 0},
    {{"cpu-per-node", required_argument, NULL, LETTER_CPU}, 0},
    {{"memory-per-node", required_argument, NULL, LETTER_MEMORY}, 0},
    {{"hosts", required_argument, NULL, LETTER_HOSTS}, 0},
    {{"missing-time", required_argument, NULL, LETTER_MISSING_TIME}, 0},
    {{"skip-failed", no_argument, NULL, LETTER_SKIP_FAILED}, 0},
    {{"skip-cancelled", no_argument, NULL, LETTER_SKIP_CANCELLED}, 0},
    {{"from-zero", no_argument, NULL, LETTER_FROM_ZERO}, 0},
    {{"non-preemptible", no_argument, NULL, LETTER_NON_PREEMPTIBLE}, 0},
    {{"jobs", required_argument, NULL, LETTER_JOBS}, 0},
    {{"help", no_argument, NULL, 'h'}, 0},
};

enum { KNOWN = sizeof known / sizeof *known };

void trace_options_help(void)
{
    printf("  --compatibility MODE     haizea-1.0: read LWF as Haizea 1.0 does (no deadlines, no\n"
           "                           attributes of Galerna, times that do not parse are 0);\n"
           "                           default\n"
           "  --site N,cpu=C,memory=M  the site, in place of the trace's own\n"
           "  --help                   print this\n"
           "\n"
           "For logs in SWF:\n"
           "  --processors-per-node N  processors that make a node (1), or 'log': as the header\n"
           "                           tells\n"
           "  --cpu-per-node N         CPU of a node in percent of a processor (100); 0: 100 for\n"
           "                           each of its processors\n"
           "  --memory-per-node MB     memory of a node (1024), or 'log': what each job asked\n"
           "                           for or used, where the log tells\n"
           "  --hosts N                nodes of the site (as the header tells)\n"
           "  --missing-time WHAT      jobs without a requested time get their real one ('real',\n"
           "                           the default), the header's MaxRuntime ('limit'), or no\n"
           "                           lease ('skip')\n"
           "  --skip-failed            no lease for jobs that failed\n"
           "  --skip-cancelled         no lease for jobs that were cancelled while they ran\n"
           "  --from-zero              the trace starts with the first job\n"
           "  --non-preemptible        the leases may not be preempted\n"
           "  --jobs N                 the first N leases only\n");
}

static int parse_number(const char *command, const char *option, const char *text, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(text, &end, 10);
    if (!*text || *end || errno || *number < 0)
        return command_usage_error(command, "--%s %.60s: expected a number, 0 or more", option,
                                   text);
    return -1;
}

static int parse_missing_time(const char *command, const char *text, enum swf_missing_time *what)
{
    static const char *const words[] = {
        [SWF_MISSING_TIME_REAL] = "real",
        [SWF_MISSING_TIME_LIMIT] = "limit",
        [SWF_MISSING_TIME_SKIP] = "skip",
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) {
            *what = (enum swf_missing_time)i;
            return -1;
        }
    return command_usage_error(command, "--missing-time %.60s: expected real, limit or skip", text);
}

static int parse_site(struct trace_arguments *arguments, const char *command, const char *text)
{
    struct error err;

    if (arguments->has_site)
        return command_usage_error(command, "--site is given twice");
    if (site_text_parse(text, &arguments->site, &err) < 0)
        return command_usage_error(command, "--site: %s", err.text);
    arguments->has_site = true;
    arguments->reading.lwf.types = &arguments->site.types;
    return -1;
}

static int parse_compatibility(struct trace_arguments *arguments, const char *command,
                               const char *text)
{
    arguments->reading.lwf.haizea_1_0 = strcmp(text, "haizea-1.0") == 0;
    if (!arguments->reading.lwf.haizea_1_0 && strcmp(text, "default") != 0)
        return command_usage_error(command, "unknown mode '%.60s': haizea-1.0 or default", text);
    return -1;
}

/* One option for SWF; -1: fine. */
static int parse_swf(struct swf_options *swf, const char *command, int letter, const char *text)
{
    switch (letter) {
    case LETTER_PROCESSORS:
        swf->processors_per_node = 0;
        if (strcmp(text, "log") == 0)
            return -1;
        return parse_number(command, "processors-per-node", text, &swf->processors_per_node);
    case LETTER_CPU:
        return parse_number(command, "cpu-per-node", text, &swf->cpu_per_node);
    case LETTER_MEMORY:
        swf->memory_from_log = strcmp(text, "log") == 0;
        if (swf->memory_from_log)
            return -1;
        return parse_number(command, "memory-per-node", text, &swf->memory_per_node);
    case LETTER_HOSTS:
        return parse_number(command, "hosts", text, &swf->hosts);
    case LETTER_JOBS:
        return parse_number(command, "jobs", text, &swf->limit);
    case LETTER_MISSING_TIME:
        return parse_missing_time(command, text, &swf->missing_time);
    case LETTER_SKIP_FAILED:
        swf->skip_failed = true;
        return -1;
    case LETTER_SKIP_CANCELLED:
        swf->skip_cancelled = true;
        return -1;
    case LETTER_FROM_ZERO:
        swf->from_zero = true;
        return -1;
    default:
        swf->preemptible = false;
        return -1;
    }
}

static int parse_limit(struct trace_arguments *arguments, const char *command, const char *text)
{
    int64_t number;
    int code = parse_number(command, "limit", text, &number);

    if (code < 0 && (number < 1 || number > 1000000))
        return command_usage_error(command, "--limit %.60s: expected 1 to 1000000", text);
    arguments->limit = (size_t)number;
    return code;
}

int trace_arguments_parse(struct trace_arguments *arguments, int argc, char **argv, unsigned takes,
                          void (*print_help)(void))
{
    struct option options[KNOWN + 1];
    int letter, n = 0, code = -1;

    for (int i = 0; i < KNOWN; i++)
        if ((known[i].needs & ~takes) == 0)
            options[n++] = known[i].option;
    memset(&options[n], 0, sizeof options[n]);
    memset(arguments, 0, sizeof *arguments);
    trace_options_init(&arguments->reading);
    arguments->limit = 200;
    optind = 0;
    while (code < 0 && (letter = getopt_long(argc, argv, takes & TRACE_OPTION_OUTPUT ? "ho:" : "h",
                                             options, NULL)) != -1) {
        switch (letter) {
        case LETTER_COMPATIBILITY:
            code = parse_compatibility(arguments, argv[0], optarg);
            break;
        case LETTER_SITE:
            code = parse_site(arguments, argv[0], optarg);
            break;
        case LETTER_LIMIT:
            code = parse_limit(arguments, argv[0], optarg);
            break;
        case LETTER_JSON:
            arguments->json = true;
            break;
        case 'o':
            arguments->output = optarg;
            break;
        case LETTER_NAME:
            arguments->name = optarg;
            break;
        case 'h':
            print_help();
            code = EXIT_DONE;
            break;
        case '?':
            fprintf(stderr, "Try '%s --help'.\n", argv[0]);
            code = EXIT_USAGE;
            break;
        default:
            code = parse_swf(&arguments->reading.swf, argv[0], letter, optarg);
            break;
        }
    }
    if (code < 0 && optind == argc)
        code = command_usage_error(argv[0], "no trace is given");
    if (code >= 0)
        trace_arguments_finish(arguments);
    return code;
}

void trace_arguments_finish(struct trace_arguments *arguments)
{
    if (arguments->has_site)
        site_finish(&arguments->site);
    arguments->has_site = false;
}

const struct site *trace_arguments_site(const struct trace_arguments *arguments)
{
    return arguments->has_site ? &arguments->site : NULL;
}
