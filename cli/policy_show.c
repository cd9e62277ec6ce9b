/* galerna policy show: a module's properties and options. */
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/policy_text.h"
#include "plugin/inspect.h"
#include "plugin/module_search.h"

static int show(const char *command, const struct search_path *path, const char *written, bool json)
{
    struct error err;
    struct module *module = module_inspect(path, written, &err);
    int code = EXIT_DONE;

    if (!module)
        return command_failed(command, &err);
    if (json)
        code = policy_print_json(command, "galerna-policy",
                                 json_pack("{s:o}", "policy", policy_json(module)));
    else
        policy_print(module);
    inspect_end(module);
    return code;
}

const struct command_line policy_show_line = {
    .name = "galerna policy show",
    .summary = "Describe a policy module and its options",
    .purpose = "Describe policy modules: kind, file, and the values, default and meaning of every "
               "option. A NAME that contains a '/' is the path of a file.",
    .operands = "NAME|FILE.so...",
    .groups = {{.options = policy_options, .n = POLICY_OPTIONS}},
    .codes = {{EXIT_DONE, "Success"}, {EXIT_FAILED, "A module cannot be loaded"}},
    .offer = policy_offer,
    .size = sizeof(struct policy_arguments),
};

int command_policy_show(const struct call *call)
{
    const struct policy_arguments *arguments = call->arguments;
    struct search_path path;
    int code = EXIT_DONE;

    search_path_init(&path, NULL, 0);
    for (int i = 0; i < call->n; i++) {
        int one;

        if (!arguments->json && i > 0)
            putchar('\n');
        one = show(call->name, &path, call->operands[i], arguments->json);
        code = one > code ? one : code;
    }
    search_path_finish(&path);
    return code;
}
