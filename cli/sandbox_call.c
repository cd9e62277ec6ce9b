/* galerna sandbox call: any method of the daemon, from the command line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/sandbox_client.h"
#include "util/decimal.h"

enum { ARGUMENTS_MAX = 16 };

static struct rpc_argument read_argument(const char *text)
{
    int64_t number;

    if (!strncmp(text, "s:", 2))
        return RPC_TEXT(text + 2);
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return RPC_BOOL(*text == 't');
    if (decimal_parse(text, 0, &number) == 0 && number >= INT32_MIN && number <= INT32_MAX)
        return RPC_INT(number);
    return RPC_TEXT(text);
}

static int call_and_print(const struct call *call, struct error *err)
{
    const struct sandbox_client *client = call->arguments;
    char **words = call->operands;
    int count = call->n;
    struct rpc_argument arguments[ARGUMENTS_MAX];
    const struct rpc_request request = {
        .method = words[0], .arguments = arguments, .n_arguments = (size_t)count - 1};
    struct rpc_reply reply;
    char *text = NULL;

    for (int i = 1; i < count; i++)
        arguments[i - 1] = read_argument(words[i]);
    if (rpc_call_now(client->rpc, &request, &text, &reply, err))
        return -1;
    if (text)
        printf("%s\n", text);
    else
        printf("%" PRId64 "\n", reply.number);
    free(text);
    return 0;
}

int command_sandbox_call(const struct call *call)
{
    return sandbox_client_run(call, call_and_print);
}
