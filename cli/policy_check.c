/* galerna policy check: everything that can be found out about a module before it is trusted. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/policy_conformance.h"
#include "cli/policy_text.h"
#include "plugin/inspect.h"
#include "util/memory.h"

struct check_arguments {
    bool json, haizea;
    char **sets; /* key=value */
    size_t n_sets, allocated;
};

/* What was found out about one module. */
struct findings {
    const char *command;
    const char *written;
    json_t *checks; /* NULL: text */
    bool failed;
};

static void print_help(void)
{
    printf("usage: galerna policy check [OPTION]... NAME|FILE.so...\n\n"
           "Put policy modules to the test: that nobody else can write the file, that it loads\n"
           "and is what it says, that it answers thousands of random calls in range and the same\n"
           "way twice, and that a small trace is scheduled the same way twice with it. Dangerous\n"
           "things happen in a child process. A name with a / is the path of a file.\n\n"
           "  --set KEY=VALUE           an option of the module\n"
           "  --compatibility MODE      default or haizea-1.0\n"
           "  --json                    print one JSON document for each instead\n"
           "  --help                    print this\n\n"
           "Exit code: 0 everything holds, 1 something does not, 64 wrong command line.\n");
}

/* -1: go on, else the exit code. */
static int parse_arguments(int argc, char **argv, struct check_arguments *arguments)
{
    static const struct option options[] = {
        {"set", required_argument, NULL, 's'},
        {"compatibility", required_argument, NULL, 'c'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    optind = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case 's':
            if (!strchr(optarg, '='))
                return command_usage_error(argv[0], "--set %.60s: expected KEY=VALUE", optarg);
            arguments->sets = memory_grow(arguments->sets, &arguments->allocated,
                                          arguments->n_sets + 1, sizeof *arguments->sets);
            arguments->sets[arguments->n_sets++] = optarg;
            break;
        case 'c':
            arguments->haizea = strcmp(optarg, "haizea-1.0") == 0;
            if (!arguments->haizea && strcmp(optarg, "default") != 0)
                return command_usage_error(argv[0], "unknown mode '%.60s': default or haizea-1.0",
                                           optarg);
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
    return optind == argc ? command_usage_error(argv[0], "no policy is named") : -1;
}

static void found(struct findings *findings, const char *check, bool holds, const char *text)
{
    findings->failed |= !holds;
    if (!findings->checks)
        printf("  %-6s %-10s %s\n", holds ? "ok" : "FAILED", check, text);
    else if (json_array_append_new(findings->checks, json_pack("{s:s, s:b, s:s}", "name", check,
                                                               "holds", holds, "text", text)) < 0)
        findings->failed = true;
}

static void found_error(struct findings *findings, const char *check, const struct error *err)
{
    found(findings, check, false, err->text);
}

/* The module's options out of --set, one per line of `options`; keys are cut off in `texts`. */
static void read_sets(const struct check_arguments *arguments, const char *module,
                      struct policy_option *options, char **texts)
{
    for (size_t i = 0; i < arguments->n_sets; i++) {
        char *equals;

        texts[i] = memory_text(arguments->sets[i]);
        equals = strchr(texts[i], '=');
        *equals = '\0';
        options[i] = (struct policy_option){.module = module, .key = texts[i], .value = equals + 1};
    }
}

static void put_in_chain(struct conformance *conformance, const char *path)
{
    switch (conformance->kind) {
    case POLICY_ADMISSION:
        conformance->settings.admission = path;
        break;
    case POLICY_PREEMPTION:
        conformance->settings.preemption = path;
        break;
    default:
        conformance->settings.host_selection = path;
        break;
    }
}

static void tell_figures(struct findings *findings, const struct conformance_figures *figures)
{
    char text[256];

    snprintf(text, sizeof text,
             "%" PRIu64 " random calls answered in range, twice the same way, nothing else "
             "touched; %.2f us each",
             figures->calls, figures->microseconds);
    found(findings, "calls", true, text);
    snprintf(text, sizeof text,
             "%" PRIu64 " leases accepted, %" PRIu64 " refused, %" PRIu64
             " preempted; the same schedule twice",
             figures->accepted, figures->refused, figures->preemptions);
    found(findings, "trace", true, text);
}

static void check_conformance(struct findings *findings, const struct module *module,
                              const struct check_arguments *arguments)
{
    struct policy_option *options = memory_new(arguments->n_sets, sizeof *options);
    char **texts = memory_new(arguments->n_sets, sizeof *texts);
    struct conformance_figures figures = {0};
    struct conformance conformance = {
        .kind = (enum policy_kind)module->policy.kind,
        .file = module->path,
        .figures = &figures,
    };
    struct policy_host *host;
    struct error err;

    policy_host_settings_init(&conformance.settings);
    read_sets(arguments, module->policy.name, options, texts);
    conformance.settings.options = options;
    conformance.settings.n_options = arguments->n_sets;
    conformance.settings.haizea_compatible = arguments->haizea;
    put_in_chain(&conformance, module->path);
    host = policy_host_create(&conformance.settings, &err);
    if (!host) {
        found_error(findings, "instance", &err);
    } else {
        found(findings, "instance", true, "is created with its options, and destroyed");
        if (conformance_run(&conformance, &err) < 0)
            found_error(findings, figures.accepted + figures.refused ? "trace" : "calls", &err);
        else
            tell_figures(findings, &figures);
    }
    policy_host_destroy(host);
    for (size_t i = 0; i < arguments->n_sets; i++)
        free(texts[i]);
    free(texts);
    free(options);
}

static void check_module(struct findings *findings, const struct search_path *path,
                         const struct check_arguments *arguments)
{
    struct error err;
    struct module *module = module_inspect(path, findings->written, &err);
    char text[256];

    if (!module) {
        found_error(findings, "module", &err);
        return;
    }
    snprintf(text, sizeof text,
             "%s %s for %s, ABI %u.%u, %u options; only root and you can write it",
             module->policy.name, module->policy.version, module_kind_name(module->policy.kind),
             module->policy.abi_major, module->policy.abi_minor, module->policy.n_options);
    found(findings, "module", true, text);
    check_conformance(findings, module, arguments);
    module_unload(module);
}

static int check_one(const char *command, const char *written, const struct search_path *path,
                     const struct check_arguments *arguments)
{
    struct findings findings = {.command = command, .written = written};
    int code = EXIT_DONE;

    if (arguments->json)
        findings.checks = json_array();
    else
        printf("%s\n", written);
    check_module(&findings, path, arguments);
    if (arguments->json)
        code = policy_print_json(command, "galerna-policy-check",
                                 json_pack("{s:s, s:b, s:O}", "policy", written, "holds",
                                           !findings.failed, "checks", findings.checks));
    json_decref(findings.checks);
    return findings.failed ? EXIT_FAILED : code;
}

int command_policy_check(int argc, char **argv)
{
    struct check_arguments arguments = {0};
    struct search_path path;
    int code = parse_arguments(argc, argv, &arguments);

    if (code < 0) {
        code = EXIT_DONE;
        search_path_init(&path, NULL, 0);
        for (int i = optind; i < argc; i++) {
            int one = check_one(argv[0], argv[i], &path, &arguments);

            code = one > code ? one : code;
        }
        search_path_finish(&path);
    }
    free(arguments.sets);
    return code;
}
