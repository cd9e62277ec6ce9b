/* Shared by the commands on policy modules. */
#include "cli/policy_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "plugin/module_options.h"
#include "plugin/module_search.h"

const struct command_option policy_options[POLICY_OPTIONS] = {
    {"json", .type = ARGUMENT_FLAG, .offset = offsetof(struct policy_arguments, json),
     .help = "Print a JSON document for each module"},
};

static void offer_one(void *stream, const char *name, const char *file)
{
    (void)file;
    fprintf(stream, "%s\n", name);
}

void policy_offer(FILE *stream)
{
    struct search_path path;

    search_path_init(&path, NULL, 0);
    search_each(&path, offer_one, stream);
    search_path_finish(&path);
    fputs(":files\n", stream);
}

static const char *type_name(uint32_t type)
{
    static const char *const names[] = {
        [GALERNA_BOOLEAN] = "boolean", [GALERNA_INTEGER] = "integer",
        [GALERNA_NUMBER] = "number",   [GALERNA_TEXT] = "text",
        [GALERNA_CHOICE] = "choice",   [GALERNA_DURATION] = "duration",
    };

    return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

static json_t *option_json(const struct galerna_option *option)
{
    char expected[256];

    option_expected(option, expected, sizeof expected);
    return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s}", "name", option->name, "type",
                     type_name(option->type), "expected", expected, "default",
                     option_default(option, false), "default-haizea-1.0",
                     option_default(option, true), "description", option->description);
}

json_t *policy_json(const struct module *module)
{
    const struct galerna_policy *policy = &module->policy;
    json_t *options = json_array();

    for (uint32_t i = 0; i < policy->n_options; i++)
        if (json_array_append_new(options, option_json(&module->options[i])) < 0) {
            json_decref(options);
            return NULL;
        }
    return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:{s:i, s:i}, s:o}", "name", policy->name, "kind",
                     module_kind_name(policy->kind), "version", policy->version, "summary",
                     policy->summary, "file", module->path, "abi", "major", policy->abi_major,
                     "minor", policy->abi_minor, "options", options);
}

static void print_option(const struct galerna_option *option)
{
    const char *usual = option_default(option, false), *haizea = option_default(option, true);
    char expected[256];

    option_expected(option, expected, sizeof expected);
    printf("\n  %s = %s\n", option->name, expected);
    printf("      %s.\n", option->description);
    if (!usual)
        printf("      Required.\n");
    else if (strcmp(usual, haizea) == 0)
        printf("      Default: %s\n", *usual ? usual : "nothing");
    else
        printf("      Default: %s; with compatibility haizea-1.0: %s\n", usual, haizea);
}

void policy_print(const struct module *module)
{
    const struct galerna_policy *policy = &module->policy;

    printf("%s %s: %s\n\n", policy->name, policy->version, policy->summary);
    printf("  kind     %s\n", module_kind_name(policy->kind));
    printf("  file     %s\n", module->path);
    printf("  ABI      %u.%u\n", policy->abi_major, policy->abi_minor);
    if (policy->n_options == 0) {
        printf("  options  none\n");
        return;
    }
    printf("\nOptions:\n");
    for (uint32_t i = 0; i < policy->n_options; i++)
        print_option(&module->options[i]);
}

int policy_print_json(const char *command, const char *schema, json_t *document)
{
    int failed = !document || json_object_set_new(document, "schema", json_string(schema)) < 0 ||
                 json_object_set_new(document, "version", json_integer(1)) < 0 ||
                 json_dumpf(document, stdout, JSON_INDENT(2) | JSON_SORT_KEYS) < 0;

    json_decref(document);
    putchar('\n');
    if (!failed && fflush(stdout) == 0)
        return EXIT_DONE;
    fprintf(stderr, "%s: cannot write the result\n", command);
    return EXIT_FAILED;
}
