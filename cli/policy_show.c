/* galerna policy show: what a module is and which options it has. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/policy_text.h"
#include "plugin/inspect.h"

static void print_help(void)
{
    printf("usage: galerna policy show [--json] NAME|FILE.so...\n\n"
           "Describe policy modules: kind, file, and every option with what it takes, its\n"
           "default and its meaning. A name with a / is the path of a file.\n\n"
           "  --json  print one JSON document for each instead\n"
           "  --help  print this\n\n"
           "Exit code: 0 done, 1 a module cannot be loaded, 64 wrong command line.\n");
}

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
    module_unload(module);
    return code;
}

int command_policy_show(int argc, char **argv)
{
    struct search_path path;
    bool json = false;
    int code = policy_parse(argc, argv, print_help, &json);

    if (code < 0 && optind == argc)
        code = command_usage_error(argv[0], "no policy is named");
    if (code >= 0)
        return code;
    code = EXIT_DONE;
    search_path_init(&path, NULL, 0);
    for (int i = optind; i < argc; i++) {
        int one;

        if (!json && i > optind)
            putchar('\n');
        one = show(argv[0], &path, argv[i], json);
        code = one > code ? one : code;
    }
    search_path_finish(&path);
    return code;
}
