/* galerna policy check: test a module before it is trusted. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/policy_conformance.h"
#include "cli/policy_text.h"
#include "plugin/inspect.h"
#include "plugin/module_search.h"
#include "util/memory.h"
#include "util/standard_output.h"

enum { LEAK = 8 /* bytes for each call, as rarely needed for good */ };

struct check_arguments {
    bool json;
    int compatibility;     /* 1: haizea-1.0 */
    struct text_list sets; /* key=value */
};

/* Findings about one module. */
struct check_findings {
    const char *command;
    const char *written;
    json_t *checks; /* NULL: text */
    bool failed;
};

static int take_set(const struct command_option *option, void *value, const char *text,
                    struct error *err)
{
    (void)option;
    if (!strchr(text, '='))
        return error_set(err, EINVAL, "expected KEY=VALUE");
    text_list_add(value, text);
    return 0;
}

static const struct command_option check_options[] = {
    {"set", .type = ARGUMENT_OWN, .argument = "KEY=VALUE",
     .offset = offsetof(struct check_arguments, sets), .take = take_set,
     .help = "Set an option of the module. May be repeated"},
    {"compatibility", .type = ARGUMENT_CHOICE, .argument = "MODE",
     .offset = offsetof(struct check_arguments, compatibility), .words = "default|haizea-1.0",
     .otherwise = "default", .help = "default or haizea-1.0: which defaults options have"},
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct check_arguments, json),
     .help = "Print a JSON document for each module"},
};

static void finish_arguments(void *arguments)
{
    text_list_finish(&((struct check_arguments *)arguments)->sets);
}

static void found(struct check_findings *findings, const char *check, bool holds, const char *text)
{
    findings->failed |= !holds;
    if (!findings->checks)
        printf("  %-6s %-10s %s\n", holds ? "ok" : "FAILED", check, text);
    else if (json_array_append_new(findings->checks, json_pack("{s:s, s:b, s:s}", "name", check,
                                                               "holds", holds, "text", text)) < 0)
        findings->failed = true;
}

static void found_error(struct check_findings *findings, const char *check, const struct error *err)
{
    found(findings, check, false, err->text);
}

/* The module's options given with --set, one per line of `options`; keys are cut off in `texts`. */
static void read_sets(const struct check_arguments *arguments, const char *module,
                      struct policy_option *options, char **texts)
{
    for (size_t i = 0; i < arguments->sets.n; i++) {
        char *equals;

        texts[i] = memory_text(arguments->sets.items[i]);
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

static void tell_figures(struct check_findings *findings, const struct conformance_figures *figures)
{
    char text[256], growth[96] = "";

    if (figures->growth >= LEAK)
        snprintf(growth, sizeof growth, "; each call leaves %.0f bytes allocated, probably a leak",
                 figures->growth);
    snprintf(text, sizeof text,
             "%" PRIu64 " random calls: answers within range, reproducible, without side effects; "
             "%.2f us each%s",
             figures->calls, figures->microseconds, growth);
    found(findings, "calls", true, text);
    snprintf(text, sizeof text,
             "called %" PRIu64 " time%s: %" PRIu64 " lease%s accepted, %" PRIu64
             " refused, %" PRIu64 " preempted; the schedule is reproducible",
             figures->decisions, figures->decisions == 1 ? "" : "s", figures->accepted,
             figures->accepted == 1 ? "" : "s", figures->refused, figures->preemptions);
    found(findings, "trace", true, text);
}

static void check_conformance(struct check_findings *findings, const struct module *module,
                              const struct check_arguments *arguments)
{
    struct policy_option *options = memory_new(arguments->sets.n, sizeof *options);
    char **texts = memory_new(arguments->sets.n, sizeof *texts);
    struct conformance_figures figures = {0};
    struct conformance conformance = {
        .kind = (enum policy_kind)module->policy.kind,
        .file = module->path,
        .figures = &figures,
    };
    struct policy_host *host;
    struct error err;
    int saved;

    policy_host_settings_init(&conformance.settings);
    read_sets(arguments, module->policy.name, options, texts);
    conformance.settings.options = options;
    conformance.settings.n_options = arguments->sets.n;
    conformance.settings.haizea_compatible = arguments->compatibility == 1;
    put_in_chain(&conformance, module->path);
    saved = standard_output_divert();
    host = policy_host_create(&conformance.settings, &err);
    standard_output_restore(saved);
    if (!host) {
        found_error(findings, "instance", &err);
    } else {
        found(findings, "instance", true, "is created with its options, and destroyed");
        if (conformance_run(&conformance, &err) < 0)
            found_error(findings, figures.accepted + figures.refused ? "trace" : "calls", &err);
        else
            tell_figures(findings, &figures);
    }
    saved = standard_output_divert();
    policy_host_destroy(host);
    standard_output_restore(saved);
    for (size_t i = 0; i < arguments->sets.n; i++)
        free(texts[i]);
    free(texts);
    free(options);
}

static void check_module(struct check_findings *findings, const struct search_path *path,
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
             "%s %s for %s, ABI %u.%u, %u option%s; only root and you can write it",
             module->policy.name, module->policy.version, module_kind_name(module->policy.kind),
             module->policy.abi_major, module->policy.abi_minor, module->policy.n_options,
             module->policy.n_options == 1 ? "" : "s");
    found(findings, "module", true, text);
    check_conformance(findings, module, arguments);
    inspect_end(module);
}

static int check_one(const char *command, const char *written, const struct search_path *path,
                     const struct check_arguments *arguments)
{
    struct check_findings findings = {.command = command, .written = written};
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

const struct command_line policy_check_line = {
    .name = "galerna policy check",
    .summary = "Load a policy module and test it",
    .purpose = "Test policy modules: the file is writable only by you and root, it loads and "
               "matches its declaration, it answers thousands of random calls within range and "
               "reproducibly, writes only its answer and gives reasons for refusals, a host "
               "selection policy reads only the columns that it declares and does not veto every "
               "host, and the module schedules a small trace reproducibly. The module runs in a "
               "child process. A NAME that contains a '/' is the path of a file.",
    .operands = "NAME|FILE.so...",
    .groups = {OPTION_GROUP(check_options)},
    .codes = {{EXIT_DONE, "All checks passed"}, {EXIT_FAILED, "A check failed"}},
    .offer = policy_offer,
    .size = sizeof(struct check_arguments),
    .finish = finish_arguments,
};

int command_policy_check(const struct call *call)
{
    struct search_path path;
    int code = EXIT_DONE;

    search_path_init(&path, NULL, 0);
    for (int i = 0; i < call->n; i++) {
        int one = check_one(call->name, call->operands[i], &path, call->arguments);

        code = one > code ? one : code;
    }
    search_path_finish(&path);
    return code;
}
