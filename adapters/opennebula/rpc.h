/* rpc.h: calls to one OpenNebula daemon (oned) over XML-RPC.
 *
 * Calls are asynchronous and parallel, on persistent connections. xmlrpc-c encodes calls, libxml2
 * decodes answers (doc/decisions), and libcurl transports them. The session secret is kept in
 * memory only, not in messages, logs or errors. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/memory_budget.h"
#include "adapters/opennebula/rpc_text.h"
#include "util/error.h"

struct rpc; /* opaque; one oned */
struct pollfd;

struct rpc_settings {
    const char *endpoint;         /* "http://localhost:2633/RPC2" */
    const char *session;          /* "user:password" or "user:token" */
    bool allow_plaintext;         /* allow http to other machines */
    const char *ca_file;          /* NULL: the system's */
    int64_t timeout;              /* milliseconds for one call, from sending to the last byte */
    int64_t connect_timeout;      /* milliseconds */
    unsigned parallel;            /* concurrent connections, > 0; see rpc_call() */
    size_t answer_limit;          /* most bytes of an answer's body; twice as much for all */
    struct memory_budget *budget; /* answers are counted against it; NULL: none */
};

/* Outcomes of calls, which distinguish whether oned may have carried out the call. */
enum rpc_outcome {
    RPC_DONE,
    RPC_REFUSED,  /* refused by oned, not carried out: code and text */
    RPC_FAULT,    /* unknown call (-501, -503, -506), not carried out: code and text */
    RPC_NOT_SENT, /* no connection: not carried out */
    RPC_UNKNOWN,  /* sent, but no complete, valid answer: may have been carried out */
};

/* OpenNebula's error codes, in rpc_reply.code for RPC_REFUSED. */
enum {
    RPC_CODE_AUTHENTICATION = 0x0100,
    RPC_CODE_AUTHORIZATION = 0x0200,
    RPC_CODE_NO_EXISTS = 0x0400,
    RPC_CODE_ACTION = 0x0800,
    RPC_CODE_API = 0x1000,
    RPC_CODE_INTERNAL = 0x2000,
    RPC_CODE_ALLOCATE = 0x4000,
    RPC_CODE_LOCKED = 0x8000,
    RPC_CODE_REPLICATION = 0x10000,
};

struct rpc_reply {
    enum rpc_outcome outcome;
    int64_t code;        /* REFUSED: oned's code; FAULT: the fault's; UNKNOWN, NOT_SENT: 0 */
    bool timed_out;      /* UNKNOWN: no complete answer came in time */
    const char *message; /* not DONE: the cause in one line, with the method, without secrets */
    /* DONE: the value, one of: */
    const char *text; /* a string of `length` bytes, 0-terminated; NULL: not a string */
    size_t length;
    int64_t number; /* an integer or boolean */
};

/* Called exactly once for each call, from within rpc_wait(); the reply is valid during it. May make
 * new calls. */
typedef void rpc_done(void *context, const struct rpc_reply *reply);

struct rpc_argument {
    enum { RPC_INTEGER, RPC_BOOLEAN, RPC_STRING } type;
    int64_t number;
    const char *text; /* UTF-8 */
};

#define RPC_INT(value)  ((struct rpc_argument){.type = RPC_INTEGER, .number = (value)})
#define RPC_BOOL(value) ((struct rpc_argument){.type = RPC_BOOLEAN, .number = (value)})
#define RPC_TEXT(value) ((struct rpc_argument){.type = RPC_STRING, .text = (value)})

struct rpc_request {
    const char *method;                   /* "one.vm.deploy" */
    const char *session;                  /* of another user; NULL: the settings'. Copied */
    const struct rpc_argument *arguments; /* the arguments after the session */
    size_t n_arguments;
    int64_t timeout; /* milliseconds; 0: the settings' */
    int64_t send_by; /* milliseconds of CLOCK_BOOTTIME: NOT_SENT if later; 0: any time */
    bool urgent;     /* precedes calls that wait for a free connection */
    rpc_done *done;
    /* NULL, or called in place of `done` by rpc_destroy(): frees the context. */
    void (*dropped)(void *context);
    void *context;
    /* NULL, or receives the document of a successful answer in pieces, as they arrive; `done` then
     * has a text of length 0. Not called for an answer that is wrong from the start; an answer
     * found to be wrong later ends as RPC_UNKNOWN. Must not make calls. */
    rpc_piece *piece;
    rpc_part *part; /* NULL, or selects parts to leave out */
};

/* Errors: EINVAL (no valid URL, scheme other than http or https), EPERM (plaintext to another
 * machine: says how to allow it). Does not connect. */
struct rpc *rpc_create(const struct rpc_settings *settings, struct error *err);
/* For open calls, calls `dropped` instead of `done`. NULL is allowed. */
void rpc_destroy(struct rpc *rpc);

/* Queues a call. Arguments are copied. There are `parallel` concurrent calls, plus one for each
 * that takes longer than a second, up to twice `parallel`; calls about one VM (one.vm.*) leave two
 * of these connections to other calls. A call that cannot be queued (text is not UTF-8, ...)
 * reports RPC_NOT_SENT through done at the next rpc_wait(). */
void rpc_call(struct rpc *rpc, const struct rpc_request *request);

/* Waits until a call ends, one of the descriptors is ready, or timeout (milliseconds) expires; runs
 * the `done` of all ended calls. With several calls about VMs, may take up to 5 ms longer, to handle
 * more at once. extra may be NULL; its revents are filled. Returns -1 with err if waiting itself
 * fails; a failed call is not an error. */
int rpc_wait(struct rpc *rpc, struct pollfd *extra, unsigned n_extra, int timeout,
             struct error *err);

/* The date in the last quick answer: seconds of oned's clock, and the time of arrival (milliseconds
 * of CLOCK_BOOTTIME). False: no date yet. */
bool rpc_date(const struct rpc *rpc, int64_t *date, int64_t *at);

/* The number of open calls. */
size_t rpc_pending(const struct rpc *rpc);

/* Makes one call and waits for it; other calls continue meanwhile. `copy` (may be NULL) gets the
 * text, to be freed. 0, or -1 with the reply's message in err. reply may be NULL; its texts are not
 * valid. */
int rpc_call_now(struct rpc *rpc, const struct rpc_request *request, char **copy,
                 struct rpc_reply *reply, struct error *err);
