/* rpc_call.h: one call with its body, connection handle and answer.
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
    size_t share;                 /* bytes of an answer that need not wait for a turn */
    const struct rpc_call *large; /* the call whose turn it is for a longer answer; NULL: none */
    struct curl_slist *headers;
};

struct rpc_call {
    struct rpc_line *line;
    struct rpc_call *next, *previous; /* in one of rpc.c's lists */
    char *method;
    struct rpc_secret *secret; /* of a separate session; NULL: the line's */
    int64_t timeout;
    int64_t send_by; /* as in rpc_request */
    bool too_late;   /* expired, without being sent */
    bool of_vm;      /* one.vm.*: may wait for the VM inside oned */
    int64_t begun;   /* monotonic milliseconds of leaving the queue */
    rpc_done *done;
    void (*dropped)(void *context);
    void *context;

    char *body; /* NULL: encoding failed, with the cause in `failure` */
    size_t length;
    bool sent; /* to oned, possibly in part */
    char *failure;

    CURL *easy;  /* of an active call */
    long status; /* of HTTP, after the end */
    char curl_error[CURL_ERROR_SIZE];
    char *answer;
    size_t received, allocated;
    bool in_pieces;
    struct rpc_text text; /* if in_pieces */
    bool too_long;
    size_t counted;     /* bytes in the budget */
    bool does_not_fit;  /* in the budget */
    bool paused;        /* until its turn */
    size_t this_round;  /* bytes of the answer */
    bool waits_a_round; /* until the next round */
};

struct rpc_call *rpc_call_create(struct rpc_line *line, const struct rpc_request *request);
void rpc_call_destroy(struct rpc_call *call); /* not the easy handle; NULL is allowed */

/* Ends the call with a `failure` if it is too late to send it. */
void rpc_call_expire(struct rpc_call *call);

/* Prepares a new or reset easy handle for the call. */
void rpc_call_prepare(struct rpc_call *call, CURL *easy);

/* Ends the call's turn. */
void rpc_call_end_turn(const struct rpc_call *call);

/* Begins a round, in which the call may receive more of its answer in its turn. */
void rpc_call_next_round(struct rpc_call *call);

/* Reports the outcome through the call's `done`. */
void rpc_call_report(struct rpc_call *call, CURLcode code);
