/* galerna trace convert: any trace into LWF. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/trace_options.h"
#include "lwf/lwf_writer.h"

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

static int copy_requests(struct trace *trace, struct lwf_writer *writer, struct error *err)
{
    struct lease_request request;
    int more;

    while ((more = trace_next(trace, &request, err)) > 0)
        if (lwf_writer_request(writer, &request, err) < 0)
            return -1;
    return more < 0 ? -1 : lwf_writer_end(writer, err);
}

static int write_trace(struct trace *trace, enum trace_format format, FILE *file,
                       const struct trace_arguments *arguments, const char *path,
                       struct error *err)
{
    const char *slash = strrchr(path, '/');
    struct lwf_description description = {
        .name = arguments->name ? arguments->name : slash ? slash + 1 : path,
        .site = arguments->has_site ? &arguments->site : trace_site(trace),
        .types = format == TRACE_FORMAT_LWF ? lwf_types(trace) : NULL,
    };
    struct lwf_writer *writer;
    char text[80];
    int result;

    if (format != TRACE_FORMAT_LWF) {
        snprintf(text, sizeof text, "converted from %s", trace_format_name(format));
        description.text = text;
    }
    writer = lwf_writer_create(file, &description, err);
    result = writer ? copy_requests(trace, writer, err) : -1;
    lwf_writer_destroy(writer);
    return result;
}

/* Write beside the output and rename, so that a half-written trace is never taken for a whole one.
 * What is no regular file (a pipe, a terminal) is written directly. */
static int write_file(struct trace *trace, enum trace_format format,
                      const struct trace_arguments *arguments, const char *path,
                      struct error *err)
{
    struct stat status;
    bool direct = stat(arguments->output, &status) == 0 && !S_ISREG(status.st_mode);
    char *partial = NULL;
    const char *target = arguments->output;
    FILE *file;
    int result;

    if (!direct) {
        if (asprintf(&partial, "%s.partial", arguments->output) < 0)
            return error_set(err, ENOMEM, "out of memory");
        target = partial;
    }
    file = fopen(target, "we");
    if (!file) {
        error_set(err, errno, "%s: cannot be written: %s", target, strerror(errno));
        free(partial);
        return -1;
    }
    result = write_trace(trace, format, file, arguments, path, err);
    if (fclose(file) != 0 && result == 0)
        result = error_set(err, errno, "%s: cannot be written: %s", target, strerror(errno));
    if (result == 0 && partial && rename(partial, arguments->output) < 0)
        result = error_set(err, errno, "%s: cannot be written: %s", arguments->output,
                           strerror(errno));
    if (result < 0 && partial)
        unlink(partial);
    free(partial);
    return result;
}

static void tell_counts(const char *path, const struct trace *trace)
{
    struct swf_counts counts;

    swf_counts(trace, &counts);
    fprintf(stderr, "%s: %" PRId64 " jobs, %" PRId64 " leases; without a lease: %" PRId64
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
    if (arguments->output && strcmp(arguments->output, "-") != 0)
        result = write_file(trace, format, arguments, path, err);
    else
        result = write_trace(trace, format, stdout, arguments, path, err);
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
