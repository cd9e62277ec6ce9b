/* galerna trace check: everything that is wrong with a trace. */
#include "lwf/trace_check.h"

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/trace_options.h"

static const char *severity_name(enum lwf_severity severity)
{
    return severity == LWF_ERROR ? "error" : "warning";
}

static void print_finding(const char *path, const struct trace_finding *finding)
{
    if (finding->place.line > 0)
        printf("%s:%ld:%ld: %s: %s\n", path, finding->place.line, finding->place.column,
               severity_name(finding->severity), finding->text);
    else
        printf("%s: %s: %s\n", path, severity_name(finding->severity), finding->text);
}

static void print_check(const char *path, const struct trace_check *check)
{
    char text[TRACE_JOBS_TEXT_MAX];

    for (size_t i = 0; i < check->n_findings; i++)
        print_finding(path, &check->findings[i]);
    printf("%s: %s, %" PRId64 " lease%s, %" PRId64 " error%s, %" PRId64 " warning%s%s\n", path,
           trace_format_name(check->format), check->census.total,
           check->census.total == 1 ? "" : "s", check->n_errors, check->n_errors == 1 ? "" : "s",
           check->n_warnings, check->n_warnings == 1 ? "" : "s",
           check->stopped ? "; stopped there, see --limit" : "");
    if (strchr(trace_jobs_text(&check->jobs, text), ';'))
        printf("%s: %s\n", path, text);
}

static json_t *check_to_json(const char *path, const struct trace_check *check)
{
    json_t *findings = json_array();

    for (size_t i = 0; i < check->n_findings; i++) {
        const struct trace_finding *finding = &check->findings[i];

        json_array_append_new(findings,
                              json_pack("{s:s, s:I, s:I, s:s}", "severity",
                                        severity_name(finding->severity), "line",
                                        (json_int_t)finding->place.line, "column",
                                        (json_int_t)finding->place.column, "text", finding->text));
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:o}", "file", path, "format",
                     trace_format_name(check->format), "leases", (json_int_t)check->census.total,
                     "jobs", (json_int_t)check->jobs.jobs, "errors", (json_int_t)check->n_errors,
                     "warnings", (json_int_t)check->n_warnings, "stopped", check->stopped,
                     "findings", findings);
}

static int check_file(const char *command, const char *path, struct trace_arguments *arguments,
                      json_t *results)
{
    struct trace_check check;
    struct error err;
    int code;

    if (trace_check_file(&check, path, trace_arguments_reading(arguments), (size_t)arguments->limit,
                         &err) < 0) {
        if (results)
            json_array_append_new(results,
                                  json_pack("{s:s, s:s}", "file", path, "failure", err.text));
        return command_failed(command, &err);
    }
    code = check.n_errors > 0 ? EXIT_FAILED : EXIT_DONE;
    if (results)
        json_array_append_new(results, check_to_json(path, &check));
    else
        print_check(path, &check);
    trace_check_finish(&check);
    return code;
}

static const struct command_option check_options[] = {
    {"limit", .type = ARGUMENT_INTEGER, .argument = "N",
     .offset = offsetof(struct trace_arguments, limit), .otherwise = "200", .least = 1,
     .most = 1000000, .help = "Report at most N findings of each file"},
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct trace_arguments, json),
     .help = "Print a JSON document"},
};

const struct command_line trace_check_line = {
    .name = "galerna trace check",
    .summary = "Report every error of a trace, with line and column",
    .purpose =
        "Report every error of a trace (LWF, SWF, or Haizea's old format) as FILE:LINE:COLUMN: "
        "error: what was found and what was expected. Warnings report valid content that is "
        "probably a mistake: leases that are not sorted by arrival or larger than the site, "
        "deadlines that cannot be met, equal ids, unknown elements and attributes.",
    .operands = "FILE...",
    .groups = {{.options = check_options, .n = 2}, TRACE_READING_GROUPS},
    .codes = {{EXIT_DONE, "No errors; there may be warnings"},
              {EXIT_FAILED, "A trace has errors or cannot be read"}},
    .size = sizeof(struct trace_arguments),
    .init = trace_arguments_init,
    .finish = trace_arguments_finish,
};

int command_trace_check(const struct call *call)
{
    struct trace_arguments *arguments = call->arguments;
    json_t *results = arguments->json ? json_array() : NULL;
    int code = EXIT_DONE;

    for (int i = 0; i < call->n; i++)
        if (check_file(call->name, call->operands[i], arguments, results) != EXIT_DONE)
            code = EXIT_FAILED;
    if (results) {
        json_t *document = json_pack("{s:s, s:i, s:o}", "schema", "galerna-trace-check", "version",
                                     1, "files", results);

        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(document);
    }
    return code;
}
