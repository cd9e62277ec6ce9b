/* galerna verify: prove that recorded schedules keep what Galerna promises. */
#include "verify/verify.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "verify/print.h"

struct verify_arguments {
    struct verify_options options;
    bool json;
    size_t limit; /* violations shown of each record */
};

static void print_help(void)
{
    printf("usage: galerna verify [OPTION]... RECORD...\n\n"
           "Prove that a schedule written by 'galerna replay --record' keeps what Galerna\n"
           "promises. RECORD '-' is standard input. Each violation is printed with the name of\n"
           "its check, the lease, the host and the time.\n\n"
           "  --compatibility MODE  rules to apply: haizea-1.0 (what Haizea 1.0 does otherwise\n"
           "                        is counted, not reported), default, or as-recorded (what\n"
           "                        the record says; the default)\n"
           "  --complete            every lease must have come to an end\n"
           "  --limit N             violations to print of each record (20)\n"
           "  --json                print one JSON document instead\n"
           "  --help                print this\n\n"
           "Checks:\n");
    for (int i = 0; i < CHECKS; i++)
        printf("  %-12s%s\n", verify_check_name((enum verify_check)i),
               verify_check_promise((enum verify_check)i));
    printf("\nExit code: 0 all records are clean, 1 a record has violations or cannot be read,\n"
           "64 wrong command line.\n");
}

static bool parse_compatibility(const char *word, enum verify_compatibility *compatibility)
{
    static const char *const words[] = {
        [VERIFY_AS_RECORDED] = "as-recorded",
        [VERIFY_DEFAULT] = "default",
        [VERIFY_HAIZEA_1_0] = "haizea-1.0",
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *compatibility = (enum verify_compatibility)i;
            return true;
        }
    return false;
}

static bool parse_limit(const char *word, size_t *limit)
{
    char *end;
    long number = strtol(word, &end, 10);

    *limit = (size_t)number;
    return *word && !*end && number >= 0 && number <= VERIFY_KEPT_MAX;
}

/* -1: go on, else the exit code. */
static int parse_arguments(int argc, char **argv, struct verify_arguments *arguments)
{
    static const struct option options[] = {
        {"compatibility", required_argument, NULL, 'c'},
        {"complete", no_argument, NULL, 'a'},
        {"limit", required_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    *arguments = (struct verify_arguments){.limit = 20};
    optind = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            if (!parse_compatibility(optarg, &arguments->options.compatibility))
                return command_usage_error(argv[0],
                                           "unknown mode '%.60s': haizea-1.0, default "
                                           "or as-recorded",
                                           optarg);
            break;
        case 'a':
            arguments->options.complete = true;
            break;
        case 'n':
            if (!parse_limit(optarg, &arguments->limit))
                return command_usage_error(argv[0], "--limit %.60s: a number from 0 to %d", optarg,
                                           VERIFY_KEPT_MAX);
            break;
        case 'j':
            arguments->json = true;
            break;
        case 'h':
            print_help();
            return EXIT_DONE;
        default:
            return command_usage_hint(argv[0]);
        }
    }
    if (optind == argc)
        return command_usage_error(argv[0], "no record is given");
    return -1;
}

static int verify_path(const char *path, const struct verify_options *options,
                       struct verification *verification, struct error *err)
{
    struct schedule schedule;
    int result;

    if (schedule_read_path(&schedule, path, err) < 0)
        return -1;
    result = verify_schedule(&schedule, options, verification, err);
    schedule_finish(&schedule);
    return result;
}

/* One record: its exit code. results: where its JSON goes, or NULL for text. */
static int verify_record(const char *command, const char *path,
                         const struct verify_arguments *arguments, json_t *results)
{
    struct verification verification;
    struct error err;
    int code;

    if (verify_path(path, &arguments->options, &verification, &err) < 0) {
        if (results)
            json_array_append_new(results, json_pack("{s:s, s:b, s:s}", "record", path, "clean", 0,
                                                     "error", err.text));
        return command_failed(command, &err);
    }
    code = verification.n_violations ? EXIT_FAILED : EXIT_DONE;
    if (!results) {
        verification_print(&verification, path, arguments->limit, stdout);
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

int command_verify(int argc, char **argv)
{
    struct verify_arguments arguments;
    int code = parse_arguments(argc, argv, &arguments);
    json_t *results = NULL;

    if (code >= 0)
        return code;
    if (arguments.json && !(results = json_array())) {
        fprintf(stderr, "%s: out of memory\n", argv[0]);
        return EXIT_FAILED;
    }
    code = EXIT_DONE;
    for (int i = optind; i < argc; i++) {
        int failed = verify_record(argv[0], argv[i], &arguments, results);

        if (failed)
            code = failed;
    }
    if (results && print_json(argv[0], results) != EXIT_DONE)
        code = EXIT_FAILED;
    json_decref(results);
    return code;
}
