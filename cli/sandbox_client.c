/* Shared by the client verbs of galerna sandbox. */
#include "cli/sandbox_client.h"

#include "adapters/opennebula/credentials.h"

enum { TIMEOUT = 30000, ANSWER_MAX = 1 << 30 };

int sandbox_client_open(struct sandbox_client *client, struct error *err)
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

void sandbox_client_close(struct sandbox_client *client)
{
    rpc_destroy(client->rpc);
    client->rpc = NULL;
}
