/* galerna sandbox call: any method of the daemon, from the command line. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/sandbox.h"
#include "cli/sandbox_client.h"

enum { ARGUMENTS_MAX = 16 };

static const char command[] = "galerna sandbox call";

static void print_help(void)
{
    printf("usage: galerna sandbox call [OPTION]... METHOD [ARGUMENT]...\n\n"
           "Call a method of the stand-in for OpenNebula, or of a real daemon, and print what it\n"
           "answers. The session is put in front of the arguments. Whole numbers, true and false\n"
           "are sent as such, all else as text; so is what follows 's:'.\n\n"
           "  --endpoint URL   the daemon; else as OpenNebula's own tools find it\n"
           "  --auth FILE      name:password; else as OpenNebula's own tools find it\n\n"
           "  galerna sandbox call one.vm.action suspend 7\n"
           "  galerna sandbox call sandbox.fault 'FAULT=[KIND=fail,PHASE=boot,HOST=2]'\n\n"
           "Exit code: 0 done, 1 refused or no answer, 64 wrong command line.\n");
}

static struct rpc_argument read_argument(const char *text)
{
    char *end;
    long long number;

    if (!strncmp(text, "s:", 2))
        return RPC_TEXT(text + 2);
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return RPC_BOOL(*text == 't');
    errno = 0;
    number = strtoll(text, &end, 10);
    if (errno == 0 && end != text && !*end && number >= INT32_MIN && number <= INT32_MAX)
        return RPC_INT(number);
    return RPC_TEXT(text);
}

static int parse(struct sandbox_client *client, int argc, char **argv)
{
    static const struct option options[] = {
        {"endpoint", required_argument, NULL, 'e'},
        {"auth", required_argument, NULL, 'a'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1)
        switch (option) {
        case 'e':
            client->endpoint = optarg;
            break;
        case 'a':
            client->auth = optarg;
            break;
        case 'h':
            print_help();
            return EXIT_DONE;
        default:
            return command_usage_hint(command); /* getopt has said what is wrong */
        }
    if (optind == argc)
        return command_usage_error(command, "the method is missing");
    if (argc - optind - 1 > ARGUMENTS_MAX)
        return command_usage_error(command, "more than %d arguments", ARGUMENTS_MAX);
    return -1;
}

static int call_and_print(struct sandbox_client *client, char **words, int count, struct error *err)
{
    struct rpc_argument arguments[ARGUMENTS_MAX];
    char *text = NULL;
    int64_t number = 0;

    for (int i = 1; i < count; i++)
        arguments[i - 1] = read_argument(words[i]);
    if (sandbox_client_call(client, words[0], arguments, (size_t)count - 1, &text, &number, err))
        return -1;
    if (text)
        printf("%s\n", text);
    else
        printf("%" PRId64 "\n", number);
    free(text);
    return 0;
}

int sandbox_call(int argc, char **argv)
{
    struct sandbox_client client = {0};
    struct error err = {0};
    int code = parse(&client, argc, argv);

    if (code >= 0)
        return code;
    if (sandbox_client_open(&client, &err))
        return command_failed(command, &err);
    code = call_and_print(&client, argv + optind, argc - optind, &err)
               ? command_failed(command, &err)
               : EXIT_DONE;
    sandbox_client_close(&client);
    return code;
}
