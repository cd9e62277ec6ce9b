/* rpc_call.h: one call on its way: body, connection handle and what came back.
 *
 * Private to rpc.c and rpc_call.c.
 */
#pragma once

#include <curl/curl.h>

#include "adapters/opennebula/rpc.h"
#include "adapters/opennebula/rpc_endpoint.h"
#include "adapters/opennebula/rpc_secret.h"

enum { RPC_MESSAGE_MAX = 1024 };

/* State shared by all calls. */
struct rpc_line {
    struct rpc_endpoint endpoint;
    struct rpc_secret secret;
    char *ca_file;
    int64_t timeout, connect_timeout;
    size_t answer_limit;
    struct memory_budget *budget;
    size_t share;                 /* bytes of an answer that need no turn */
    const struct rpc_call *large; /* whose turn it is to have a longer one; NULL: none */
    struct curl_slist *headers;
};

struct rpc_call {
    struct rpc_line *line;
    struct rpc_call *next, *previous; /* in one of rpc.c's lists */
    char *method;
    struct rpc_secret *secret; /* of a session of its own; NULL: the line's */
    int64_t timeout;
    int64_t send_by; /* as in rpc_request */
    bool too_late;   /* it was later, and oned has not seen the call */
    bool of_vm;      /* one.vm.*: it may have to wait for that VM, inside oned */
    int64_t begun;   /* monotonic milliseconds, when it left the queue */
    rpc_done *done;
    void (*dropped)(void *context);
    void *context;

    char *body; /* NULL: it could not be encoded, `failure` says why */
    size_t length;
    size_t taken; /* of the body, by libcurl: 0 means that oned cannot have seen the call */
    char *failure;

    CURL *easy;  /* while under way */
    long status; /* HTTP's, when it has ended */
    char curl_error[CURL_ERROR_SIZE];
    char *answer;
    size_t received, allocated;
    bool in_pieces;
    struct rpc_text text; /* in pieces */
    bool too_long;
    size_t counted;     /* bytes, in the budget */
    bool does_not_fit;  /* there */
    bool paused;        /* until it is its turn */
    size_t this_round;  /* bytes of the answer */
    bool waits_a_round; /* for the next one */
};

struct rpc_call *rpc_call_create(struct rpc_line *line, const struct rpc_request *request);
void rpc_call_destroy(struct rpc_call *call); /* not the easy handle; NULL is allowed */

/* If it is too late to send the call, it ends with a `failure`, and needs no connection. */
void rpc_call_expire(struct rpc_call *call);

/* Make a new or reset easy handle ready to carry out the call. */
void rpc_call_prepare(struct rpc_call *call, CURL *easy);

/* End the rest of the call's turn. */
void rpc_call_end_turn(const struct rpc_call *call);

/* A new round: the call may take some of its answer again, if it is its turn. */
void rpc_call_next_round(struct rpc_call *call);

/* Report how it ended through the call's `done`. */
void rpc_call_report(struct rpc_call *call, CURLcode code);
