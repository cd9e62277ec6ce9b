/* galerna trace convert: any trace into LWF. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/trace_options.h"
#include "cli/trace_output.h"
#include "util/file.h"
#include "util/words.h"

static int write_trace(struct trace *trace, enum trace_format format,
                       const struct trace_arguments *arguments, const char *path, struct error *err)
{
    struct lwf_description description = {
        .name = arguments->name      ? arguments->name
                : !strcmp(path, "-") ? "standard-input"
                                     : words_file_name(path),
        .site = arguments->site.given ? &arguments->site.site : trace_site(trace),
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
    char text[TRACE_JOBS_TEXT_MAX];
    struct swf_counts counts;

    if (swf_counts(trace, &counts))
        fprintf(stderr, "%s: %" PRId64 " lease%s of %s\n", path, counts.leases,
                counts.leases == 1 ? "" : "s", trace_jobs_text(&counts, text));
}

static int convert(const char *path, struct trace_arguments *arguments, struct error *err)
{
    struct source *source = source_open(path, err);
    int format = source ? trace_format_of(source, err) : -1;
    struct trace *trace;
    int result;

    if (format < 0) {
        source_close(source);
        return -1;
    }
    trace = trace_open_source(source, trace_arguments_reading(arguments), err);
    if (!trace)
        return -1;
    result = write_trace(trace, format, arguments, path, err);
    if (result == 0)
        tell_counts(path, trace);
    trace_destroy(trace);
    return result;
}

static const struct command_option convert_options[] = {
    {"output", .letter = 'o', .type = ARGUMENT_TEXT, .argument = "FILE",
     .offset = offsetof(struct trace_arguments, output),
     .help = "Write to FILE instead of standard output; it appears when it is complete"},
    {"name", .type = ARGUMENT_TEXT, .argument = "NAME",
     .offset = offsetof(struct trace_arguments, name),
     .help = "Name of the workload; the name of the file by default"},
};

const struct command_line trace_convert_line = {
    .name = "galerna trace convert",
    .summary = "Convert SWF and Haizea's old traces to LWF",
    .purpose = "Write a trace (SWF, Haizea's old ten columns, or LWF) as LWF that Haizea reads, "
               "too. Counts of the jobs of a log, and of those that make no lease, go to "
               "standard error.",
    .operands = "FILE",
    .groups = {{.options = convert_options, .n = 2}, TRACE_READING_GROUPS},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The trace has errors, or a file cannot be read or written"}},
    .size = sizeof(struct trace_arguments),
    .init = trace_arguments_init,
    .finish = trace_arguments_finish,
};

int command_trace_convert(const struct call *call)
{
    const struct trace_arguments *arguments = call->arguments;
    struct error err;

    if (file_keep_input(arguments->output, call->operands[0], &err) < 0 ||
        convert(call->operands[0], call->arguments, &err) < 0)
        return command_failed(call->name, &err);
    return EXIT_DONE;
}
