/* Calls to the server of http_server.h, and their results. */
#include "test/opennebula/rpc_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char session[] = "oneadmin:pass&word<1>";

struct http_server server;

int start_server(void **state)
{
    http_server_start(&server);
    return 0;
}

int stop_server(void **state)
{
    http_server_stop(&server);
    return 0;
}

struct rpc *connect_to(const char *endpoint, unsigned parallel)
{
    const struct rpc_settings settings = {
        .endpoint = endpoint,
        .session = session,
        .timeout = 5000,
        .connect_timeout = 1000,
        .parallel = parallel,
        .answer_limit = 1 << 20,
    };
    struct error err;
    struct rpc *rpc = rpc_create(&settings, &err);

    if (!rpc)
        fail_msg("%s", err.text);
    http_server_calls(&server);
    return rpc;
}

void keep(void *context, const struct rpc_reply *reply)
{
    struct outcome *outcome = context;

    outcome->n++;
    outcome->reply = *reply;
    assert_int_equal(reply->outcome != RPC_DONE, reply->message != NULL);
    if (reply->message)
        snprintf(outcome->message, sizeof outcome->message, "%s", reply->message);
    if (reply->text) {
        assert_int_equal(strlen(reply->text), reply->length);
        snprintf(outcome->text, sizeof outcome->text, "%s", reply->text);
    }
}

void wait_all(struct rpc *rpc)
{
    struct error err;

    while (rpc_pending(rpc) > 0)
        assert_int_equal(rpc_wait(rpc, NULL, 0, 1000, &err), 0);
}

void begin(struct rpc *rpc, const char *method, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    rpc_call(rpc, &(struct rpc_request){.method = method, .done = keep, .context = outcome});
}

struct outcome call(struct rpc *rpc, const char *method)
{
    struct outcome outcome;

    begin(rpc, method, &outcome);
    wait_all(rpc);
    assert_int_equal(outcome.n, 1);
    return outcome;
}

void assert_says(const struct outcome *outcome, enum rpc_outcome expected, const char *text)
{
    assert_int_equal(outcome->reply.outcome, expected);
    if (!strstr(outcome->message, text))
        fail_msg("\"%s\" does not say \"%s\"", outcome->message, text);
    assert_null(strstr(outcome->message, "word"));
    assert_null(strchr(outcome->message, '\n'));
}
