/* rpc_fixture.h: calls against http_server.h, and what they come to. */
#pragma once

#include <stddef.h>

#include "adapters/opennebula/rpc.h"
#include "test/opennebula/http_server.h"

extern struct http_server server;

/* For cmocka, once for all tests of a group. */
int start_server(void **state);
int stop_server(void **state);

/* A client with room for `parallel` calls at a time; the server's count of calls begins at 0. */
struct rpc *connect_to(const char *endpoint, unsigned parallel);

/* What a call came to; the message and text are kept. */
struct outcome {
    struct rpc_reply reply;
    char text[256], message[1200];
    size_t n;
};

/* The `done` of a call whose context is a struct outcome. */
void keep(void *context, const struct rpc_reply *reply);

/* Until no call is under way. */
void wait_all(struct rpc *rpc);

/* Begin a call without arguments; *outcome is emptied first. */
void begin(struct rpc *rpc, const char *method, struct outcome *outcome);

/* The same, and wait for its end. */
struct outcome call(struct rpc *rpc, const char *method);

/* The message has the text in it, stands on one line and holds nothing of the session. */
void assert_says(const struct outcome *outcome, enum rpc_outcome expected, const char *text);
