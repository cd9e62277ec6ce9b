/* Shared by the client verbs of galerna sandbox. */
#include "cli/sandbox_client.h"

#include "adapters/opennebula/credentials.h"
#include "cli/command.h"

enum { TIMEOUT = 30000, ANSWER_MAX = 1 << 30 };

static int connect_to(struct sandbox_client *client, struct error *err)
{
    struct rpc_settings settings = {
        .timeout = TIMEOUT,
        .connect_timeout = TIMEOUT,
        .parallel = 1,
        .answer_limit = ANSWER_MAX,
    };
    struct credentials credentials;

    if (credentials_find(&credentials, client->endpoint, client->auth, err))
        return -1;
    settings.endpoint = credentials.endpoint;
    settings.session = credentials.session;
    client->rpc = rpc_create(&settings, err);
    credentials_finish(&credentials);
    return client->rpc ? 0 : -1;
}

int sandbox_client_run(const struct call *call,
                       int (*work)(const struct call *call, struct error *err))
{
    struct sandbox_client *client = call->arguments;
    struct error err = {0};
    int result = connect_to(client, &err);

    if (result == 0)
        result = work(call, &err);
    rpc_destroy(client->rpc);
    client->rpc = NULL;
    return result ? command_failed(call->name, &err) : EXIT_DONE;
}
