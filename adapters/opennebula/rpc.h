/* rpc.h: calls to one OpenNebula daemon (oned) over XML-RPC.
 *
 * Calls are asynchronous and go out in parallel on kept connections. Calls are encoded by xmlrpc-c,
 * answers decoded by libxml2 (doc/decisions), transport is libcurl's. The session secret is in
 * memory only: never in a message, a log or an error. Not thread-safe.
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
    const char *endpoint;    /* "http://localhost:2633/RPC2" */
    const char *session;     /* "user:password" or "user:token" */
    bool allow_plaintext;    /* http to another machine than this one */
    const char *ca_file;     /* NULL: the system's */
    int64_t timeout;         /* milliseconds for one call, from sending to the last byte */
    int64_t connect_timeout; /* milliseconds */
    unsigned parallel;       /* connections at once, > 0; see rpc_call() */
    size_t answer_limit; /* bytes of an answer's body at most; of all under way, twice as much */
    struct memory_budget *budget; /* answers are counted against it; NULL: none */
};

/* How a call ended. What matters to the caller is whether oned may have carried it out. */
enum rpc_outcome {
    RPC_DONE,
    RPC_REFUSED,  /* oned said no: code and text; nothing was done */
    RPC_FAULT,    /* not a call oned knows (-501, -503, -506): code and text; nothing was done */
    RPC_NOT_SENT, /* no connection: nothing was done */
    RPC_UNKNOWN,  /* sent, but no (whole, valid) answer: it may have been done */
};

/* OpenNebula's error codes, in rpc_reply.code when RPC_REFUSED. */
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
    const char *message; /* not DONE: one line saying what happened, method named, no secret */
    /* DONE: the value, one of: */
    const char *text; /* a string of `length` bytes, 0-terminated; NULL when it is none */
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
    const struct rpc_argument *arguments; /* after the session, which is put in front */
    size_t n_arguments;
    int64_t timeout; /* milliseconds; 0: the settings' */
    int64_t send_by; /* milliseconds of CLOCK_BOOTTIME: NOT_SENT when it is later; 0: any time */
    bool urgent;     /* goes in front of those that wait for a free connection */
    rpc_done *done;
    /* NULL, or called in place of `done` by rpc_destroy(): frees the context. */
    void (*dropped)(void *context);
    void *context;
    /* NULL, or told the document of an answer that says yes piece by piece, as it comes; `done`
     * then has a text of length 0. Not told of an answer that is wrong from the start; one that
     * turns out to be wrong later ends as RPC_UNKNOWN. Must not make calls. */
    rpc_piece *piece;
    rpc_part *part; /* NULL, or what of it is not told */
};

/* Errors: EINVAL (no valid URL, scheme other than http or https), EPERM (plaintext to another
 * machine: says how to allow it). Does not connect. */
struct rpc *rpc_create(const struct rpc_settings *settings, struct error *err);
/* Calls under way end without their `done`, but with their `dropped`. NULL is allowed. */
void rpc_destroy(struct rpc *rpc);

/* Queue a call. Arguments are copied. `parallel` calls are under way at once, and one more for each
 * that takes longer than a second, up to twice `parallel` in all; calls about one VM (one.vm.*)
 * leave two of these connections to the other calls. A call that cannot even be queued (text is not
 * UTF-8, ...) reports RPC_NOT_SENT through done at the next rpc_wait(). */
void rpc_call(struct rpc *rpc, const struct rpc_request *request);

/* Wait until a call ends, one of the descriptors is ready, or timeout (milliseconds) is over; run
 * the `done` of every call that ended. extra may be NULL; its revents are filled. Returns -1 with
 * err when waiting itself fails (never because of a call). */
int rpc_wait(struct rpc *rpc, struct pollfd *extra, unsigned n_extra, int timeout,
             struct error *err);

/* The date of the last answer that came quickly: seconds of oned's clock, and when it came
 * (milliseconds of CLOCK_BOOTTIME). False: none had one. */
bool rpc_date(const struct rpc *rpc, int64_t *date, int64_t *at);

/* Calls queued or under way. */
size_t rpc_pending(const struct rpc *rpc);

/* Makes one call and waits for it; other calls continue in the meantime. `copy` (may be NULL) gets
 * the text, to be freed. 0, or -1 with err holding the reply's message. reply may be NULL; its
 * texts are not valid. */
int rpc_call_now(struct rpc *rpc, const struct rpc_request *request, char **copy,
                 struct rpc_reply *reply, struct error *err);
