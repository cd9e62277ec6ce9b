/* galerna verify: checks that recorded schedules keep Galerna's guarantees. */
#include "verify/verify.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/verify_repeat.h"
#include "util/unqualified.h"
#include "verify/compare.h"
#include "verify/print.h"
#include "verify/read.h"

struct verify_arguments {
    struct verify_options options;
    struct replay_options again;
    const char *trace, *policy_path;
    json_t *repeated; /* with -c: the record of the repeated run */
    bool json, no_repeat;
    int64_t limit; /* most violations shown for each record */
};

#define AGAIN(member) offsetof(struct verify_arguments, again.member)

static const struct command_option again_options[] = {
    {"no-repeat", .type = ARGUMENT_FLAG, .offset = offsetof(struct verify_arguments, no_repeat),
     .help = "Do not repeat the run, which takes as long as the run did. Without this option, a "
             "run that cannot be repeated is a violation"},
    {"policy-path", .type = ARGUMENT_TEXT, .argument = "FOLDER[:FOLDER]...",
     .offset = offsetof(struct verify_arguments, policy_path),
     .help = "Folders with policy modules of the run that are not Galerna's own; folders named in "
             "a record are never used"},
    {"configuration", .letter = 'c', .type = ARGUMENT_LIST, .argument = "FILE",
     .offset = AGAIN(configurations),
     .help = "The configuration of the run: take the inputs from it, instead of from the record"},
    {"trace", .type = ARGUMENT_TEXT, .argument = "FILE",
     .offset = offsetof(struct verify_arguments, trace),
     .help = "The trace of the run, by default that of the configuration"},
    {"site", .type = ARGUMENT_TEXT, .argument = "HOSTS", .offset = AGAIN(site),
     .help = "The site, as for galerna replay"},
    {"set", .type = ARGUMENT_LIST, .argument = "SECTION.OPTION=VALUE", .offset = AGAIN(set),
     .help = "Set an option of the configuration, as for galerna replay. May be repeated"},
};

static const struct command_option own_options[] = {
    {"compatibility", .type = ARGUMENT_CHOICE, .argument = "MODE",
     .offset = offsetof(struct verify_arguments, options.compatibility),
     .words = "as-recorded|default|haizea-1.0", .otherwise = "as-recorded",
     .help = "Rules to apply: haizea-1.0 (differences of Haizea 1.0 are counted, not reported), "
             "default, or as-recorded (the rules named in the record)"},
    {"complete", .type = ARGUMENT_FLAG,
     .offset = offsetof(struct verify_arguments, options.complete),
     .help = "Report leases that have not ended"},
    {"partial", .type = ARGUMENT_FLAG, .offset = offsetof(struct verify_arguments, options.partial),
     .help = "Accept incomplete records: of Haizea itself, of older versions, or without some "
             "counters (accounting.probes); list the checks that were skipped"},
    {"limit", .type = ARGUMENT_INTEGER, .argument = "N",
     .offset = offsetof(struct verify_arguments, limit), .otherwise = "20", .least = 0,
     .most = VERIFY_KEPT_MAX, .help = "Print at most N violations of each record"},
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct verify_arguments, json),
     .help = "Print a JSON document"},
};

static void print_checks(FILE *stream)
{
    fprintf(stream, "Checks:\n");
    for (int i = 0; i < CHECKS; i++) {
        fprintf(stream, "  %-12s", verify_check_name((enum verify_check)i));
        command_line_wrap(verify_check_promise((enum verify_check)i), 14, 14, stream);
    }
}

static int compare_with_run(json_t *record, const char *path,
                            const struct verify_arguments *arguments,
                            struct verification *verification, struct error *err)
{
    if (arguments->repeated)
        verify_compare(record, arguments->repeated, REPEATED_FROM_CONFIGURATION, verification);
    else if (arguments->no_repeat)
        verify_not_repeated(verification, "--no-repeat");
    else if (arguments->options.partial && !verify_has_inputs(record))
        verify_not_repeated(verification, "the record does not contain its inputs (--partial)");
    else
        return verify_repeat_recorded(record, path, arguments->policy_path, verification, err);
    return 0;
}

static int verify_path(const char *path, const struct verify_arguments *arguments,
                       struct verification *verification, struct error *err)
{
    json_t *record = schedule_load(path, err);
    struct schedule schedule;
    int result = -1;

    if (record && schedule_read_json(&schedule, record, path, err) == 0) {
        result = verify_schedule(&schedule, &arguments->options, verification, err);
        schedule_finish(&schedule);
    }
    if (result == 0 && compare_with_run(record, path, arguments, verification, err) < 0) {
        verification_finish(verification);
        result = -1;
    }
    json_decref(record);
    return result;
}

/* Verifies one record and returns its exit code. results: receives the JSON; NULL: text output. */
static int verify_record(const char *command, const char *path,
                         const struct verify_arguments *arguments, json_t *results)
{
    struct verification verification;
    struct error err;
    int code;

    if (verify_path(path, arguments, &verification, &err) < 0) {
        if (results)
            json_array_append_new(results, json_pack("{s:s, s:b, s:s}", "record", path, "clean", 0,
                                                     "error", err.text));
        return command_failed(command, &err);
    }
    code = verification.n_violations ? EXIT_FAILED : EXIT_DONE;
    if (!results) {
        verification_print(&verification, path, (size_t)arguments->limit, stdout);
    } else if (json_array_append_new(results, verification_json(&verification, path)) < 0) {
        error_set(&err, ENOMEM, "%s: out of memory", path);
        code = command_failed(command, &err);
    }
    verification_finish(&verification);
    return code;
}

static int print_json(const char *command, json_t *results)
{
    json_t *document = json_pack("{s:s, s:i, s:O}", "schema", "galerna-verification", "version", 1,
                                 "records", results);
    int failed = !document || json_dumpf(document, stdout, JSON_INDENT(2)) < 0;

    json_decref(document);
    if (failed) {
        fprintf(stderr, "%s: cannot write the result\n", command);
        return EXIT_FAILED;
    }
    putchar('\n');
    return EXIT_DONE;
}

const struct command_line verify_line = {
    .name = "galerna verify",
    .summary = "Verify that a recorded schedule is correct",
    .purpose = "Verify that a schedule written by 'galerna replay --record' keeps all promises of "
               "Galerna. RECORD '-' is standard input. Each violation is printed with the name of "
               "its check, the lease, the host and the time.\n\nThe run is then repeated and its "
               "record compared value by value: with the inputs that the record contains, or those "
               "of -c and --trace.",
    .operands = "RECORD...",
    .groups = {OPTION_GROUP(own_options),
               {.title = "Repeating the run",
                .options = again_options,
                .n = sizeof again_options / sizeof *again_options}},
    .more = print_checks,
    .codes = {{EXIT_DONE, "No violations"},
              {EXIT_FAILED, "A record has violations or cannot be read"}},
    .size = sizeof(struct verify_arguments),
};

static bool is_to_repeat(const struct verify_arguments *arguments)
{
    return arguments->again.configurations.n || arguments->trace;
}

static json_t *repeat(struct verify_arguments *arguments, struct error *err)
{
    static const char *const modes[] = {[VERIFY_AS_RECORDED] = NULL,
                                        [VERIFY_DEFAULT] = "default",
                                        [VERIFY_HAIZEA_1_0] = "haizea-1.0"};
    char *traces[] = {unqualified(arguments->trace)};

    arguments->again.compatibility = modes[arguments->options.compatibility];
    arguments->again.parallel = 1;
    arguments->again.traces = traces;
    arguments->again.n_traces = arguments->trace ? 1 : 0;
    return verify_repeat(&arguments->again, err);
}

int command_verify(const struct call *call)
{
    struct verify_arguments *arguments = call->arguments;
    json_t *results = arguments->json ? json_array() : NULL;
    bool told = is_to_repeat(arguments);
    struct error err = {0};
    int code = EXIT_DONE;

    if (!told && (arguments->again.site || arguments->again.set.n))
        return command_usage_error(call->name, "--site and --set require -c or --trace");
    if (arguments->no_repeat && (told || arguments->policy_path))
        return command_usage_error(
            call->name, "--no-repeat cannot be combined with -c, --trace or --policy-path");
    if (told && !(arguments->repeated = repeat(arguments, &err)))
        code = command_failed(call->name, &err);
    for (int i = 0; i < call->n && (arguments->repeated || !told); i++) {
        int failed = verify_record(call->name, call->operands[i], arguments, results);

        if (failed)
            code = failed;
    }
    if (results && print_json(call->name, results) != EXIT_DONE)
        code = EXIT_FAILED;
    json_decref(results);
    json_decref(arguments->repeated);
    return code;
}
