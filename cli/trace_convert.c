/* galerna trace convert: any trace into LWF. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/trace_options.h"
#include "cli/trace_output.h"

static void print_help(void)
{
    printf("usage: galerna trace convert [OPTION]... FILE\n\n"
           "Write a trace (SWF, Haizea's old ten columns, or LWF) as LWF that Haizea reads too.\n"
           "What the log's lines became is told on standard error.\n\n"
           "  -o, --output FILE        where to write (standard output); the file appears when\n"
           "                           it is complete\n"
           "  --name NAME              name of the workload (the file's name)\n");
    trace_options_help();
    printf("\nExit code: 0 done, 1 the trace is wrong or a file cannot be read or written,\n"
           "64 wrong command line.\n");
}

static int write_trace(struct trace *trace, enum trace_format format,
                       const struct trace_arguments *arguments, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    struct lwf_description description = {
        .name = arguments->name ? arguments->name
                : slash         ? slash + 1
                                : path,
        .site = arguments->has_site ? &arguments->site : trace_site(trace),
        .types = format == TRACE_FORMAT_LWF ? lwf_types(trace) : NULL,
    };
    char text[80];

    if (format != TRACE_FORMAT_LWF) {
        snprintf(text, sizeof text, "converted from %s", trace_format_name(format));
        description.text = text;
    }
    return trace_output_write(trace, &description, arguments->output, err);
}

static void tell_counts(const char *path, const struct trace *trace)
{
    struct swf_counts counts;

    swf_counts(trace, &counts);
    fprintf(stderr,
            "%s: %" PRId64 " jobs, %" PRId64 " leases; without a lease: %" PRId64
            " partial executions, %" PRId64 " never started, %" PRId64 " failed, %" PRId64
            " cancelled, %" PRId64 " without requested time, %" PRId64 " without processors\n",
            path, counts.jobs, counts.leases, counts.partial, counts.never_started, counts.failed,
            counts.cancelled, counts.without_time, counts.without_processors);
}

static int convert(const char *path, const struct trace_arguments *arguments, struct error *err)
{
    struct source *source = source_open(path, err);
    int format = source ? trace_format_of(source, err) : -1;
    struct trace *trace;
    int result;

    if (format < 0) {
        source_close(source);
        return -1;
    }
    trace = trace_open_source(source, &arguments->reading, err);
    if (!trace)
        return -1;
    result = write_trace(trace, format, arguments, path, err);
    if (result == 0 && format == TRACE_FORMAT_SWF)
        tell_counts(path, trace);
    trace_destroy(trace);
    return result;
}

int command_trace_convert(int argc, char **argv)
{
    struct trace_arguments arguments;
    struct error err;
    int code = trace_arguments_parse(&arguments, argc, argv, TRACE_OPTION_OUTPUT, print_help);

    if (code >= 0)
        return code;
    if (optind + 1 < argc)
        code = command_usage_error(argv[0], "one trace at a time: '%.60s' is one too many",
                                   argv[optind + 1]);
    else if (convert(argv[optind], &arguments, &err) < 0)
        code = command_failed(argv[0], &err);
    else
        code = EXIT_DONE;
    trace_arguments_finish(&arguments);
    return code;
}
