/* galerna policy list: the modules that can be loaded, and why the others cannot. */
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/policy_text.h"
#include "plugin/inspect.h"
#include "plugin/module_search.h"

struct listing {
    const char *command;
    const struct search_path *path;
    json_t *policies; /* NULL: a table */
    bool any, broken, no_memory;
};

static void list_one(void *context, const char *name, const char *file)
{
    struct listing *listing = context;
    struct error err;
    struct module *module = module_inspect(listing->path, file, &err);
    json_t *line;

    if (!module) {
        listing->broken = true;
        command_failed(listing->command, &err);
        line = listing->policies
                   ? json_pack("{s:s, s:s, s:s}", "name", name, "file", file, "error", err.text)
                   : NULL;
    } else {
        if (!listing->policies && !listing->any)
            printf("%-15s %-24s %-9s %s\n", "KIND", "NAME", "VERSION", "SUMMARY");
        if (!listing->policies)
            printf("%-15s %-24s %-9s %s\n", module_kind_name(module->policy.kind),
                   module->policy.name, module->policy.version, module->policy.summary);
        listing->any = true;
        line = listing->policies ? policy_json(module) : NULL;
    }
    if (listing->policies && json_array_append_new(listing->policies, line) < 0)
        listing->no_memory = true;
    inspect_end(module);
}

const struct command_line policy_list_line = {
    .name = "galerna policy list",
    .summary = "List the available policy modules",
    .purpose = "List the policy modules that can be loaded by name: those in the directories of "
               "$GALERNA_POLICY_PATH, of the build tree galerna runs from, and of the "
               "installation. Modules that cannot be loaded are reported on standard error.",
    .groups = {{.options = policy_options, .n = POLICY_OPTIONS}},
    .codes = {{EXIT_DONE, "Success"}, {EXIT_FAILED, "A module cannot be loaded"}},
    .size = sizeof(struct policy_arguments),
};

int command_policy_list(const struct call *call)
{
    const struct policy_arguments *arguments = call->arguments;
    struct search_path path;
    struct listing listing = {.command = call->name, .path = &path};
    int code = EXIT_DONE;

    listing.policies = arguments->json ? json_array() : NULL;
    search_path_init(&path, NULL, 0);
    search_each(&path, list_one, &listing);
    if (arguments->json)
        code = policy_print_json(
            call->name, "galerna-policies",
            listing.no_memory ? NULL : json_pack("{s:O}", "policies", listing.policies));
    else if (!listing.any) {
        printf("There are no policy modules in:\n");
        for (size_t i = 0; i < path.n; i++)
            printf("  %s\n", path.directories[i]);
    }
    json_decref(listing.policies);
    search_path_finish(&path);
    return listing.broken ? EXIT_FAILED : code;
}
