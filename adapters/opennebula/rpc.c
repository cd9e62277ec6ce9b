/* Queues and carries out calls to oned within limits. */
#include "adapters/opennebula/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "adapters/opennebula/rpc_call.h"
#include "adapters/opennebula/rpc_sockets.h"
#include "util/clock.h"
#include "util/memory.h"

enum {
    SLOW = 1000,            /* milliseconds, after which a connection is not counted */
    LOOK_FOR_SLOW = 200,    /* milliseconds, while calls wait for a connection */
    TOGETHER = 5,           /* milliseconds, at most, and ... */
    OF_CALL = 3,            /* ... this part of the duration of a call */
    DATE_QUICK = 500 * 1000 /* microseconds */
};

struct call_list {
    struct rpc_call *first, *last;
};

struct rpc {
    struct rpc_line line;
    CURLM *multi;
    struct rpc_sockets sockets;
    CURL **idle; /* handles for reuse, which keep buffers and TLS sessions */
    size_t n_idle, allocated_idle;
    struct call_list waiting;     /* for a free connection; urgent ones first */
    struct rpc_call *last_urgent; /* of the waiting calls; NULL: none */
    struct call_list under_way;
    size_t n_waiting, n_under_way, parallel;
    int64_t date, date_at; /* see rpc_date(); 0: none */
    char date_text[40];    /* as in the answer: the same one often comes again */
    size_t n_of_vm;        /* of the active calls */
    int64_t vm_call_took;  /* milliseconds: the last one of a VM */
};

static void list_insert(struct call_list *list, struct rpc_call *call, struct rpc_call *before)
{
    call->next = before;
    call->previous = before ? before->previous : list->last;
    *(call->previous ? &call->previous->next : &list->first) = call;
    *(before ? &before->previous : &list->last) = call;
}

static void list_remove(struct call_list *list, struct rpc_call *call)
{
    *(call->previous ? &call->previous->next : &list->first) = call->next;
    *(call->next ? &call->next->previous : &list->last) = call->previous;
    call->next = call->previous = NULL;
}

static int init_line(struct rpc_line *line, const struct rpc_settings *settings, struct error *err)
{
    const char *const headers[] = {"Content-Type: text/xml", "Expect:", "User-Agent: galerna"};

    line->timeout = settings->timeout;
    line->connect_timeout = settings->connect_timeout;
    line->answer_limit = settings->answer_limit;
    line->budget = settings->budget;
    line->share = settings->answer_limit / (2 * (settings->parallel > 0 ? settings->parallel : 1));
    line->ca_file = memory_text(settings->ca_file);
    rpc_secret_init(&line->secret, settings->session);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        line->headers = curl_slist_append(line->headers, headers[i]);
    if (rpc_endpoint_init(&line->endpoint, settings->endpoint, settings->allow_plaintext, err) < 0)
        return -1;
    if (line->ca_file && access(line->ca_file, R_OK) < 0)
        return error_errno(err, "%s: cannot read the file with certificates", line->ca_file);
    return 0;
}

struct rpc *rpc_create(const struct rpc_settings *settings, struct error *err)
{
    struct rpc *rpc = memory_new(1, sizeof *rpc);

    curl_global_init(CURL_GLOBAL_DEFAULT);
    rpc->parallel = settings->parallel > 0 ? settings->parallel : 1;
    if (init_line(&rpc->line, settings, err) < 0)
        goto error;
    rpc->multi = curl_multi_init();
    if (!rpc->multi || !rpc_sockets_init(&rpc->sockets, rpc->multi)) {
        error_set(err, ENOMEM, "cannot set up libcurl");
        goto error;
    }
    curl_multi_setopt(rpc->multi, CURLMOPT_MAXCONNECTS, (long)(2 * rpc->parallel));
    return rpc;
error:
    rpc_destroy(rpc);
    return NULL;
}

/* Ignores slow answers, whose date may be the date of their beginning. */
static void note_date(struct rpc *rpc, CURL *easy)
{
    struct curl_header *header;
    curl_off_t took;
    time_t date;

    if (curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &took) != CURLE_OK || took > DATE_QUICK ||
        curl_easy_header(easy, "Date", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return;
    if (strcmp(header->value, rpc->date_text) != 0) {
        date = curl_getdate(header->value, NULL);
        if (date <= 0)
            return;
        rpc->date = date;
        snprintf(rpc->date_text, sizeof rpc->date_text, "%s", header->value);
    }
    rpc->date_at = clock_milliseconds(CLOCK_BOOTTIME);
}

/* Removes a running call from libcurl. */
static void release(struct rpc *rpc, struct rpc_call *call)
{
    curl_multi_remove_handle(rpc->multi, call->easy);
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &call->status);
    curl_easy_reset(call->easy); /* it refers to the call, which is freed */
    MEMORY_GROW(rpc->idle, rpc->allocated_idle, rpc->n_idle + 1);
    rpc->idle[rpc->n_idle++] = call->easy;
    list_remove(&rpc->under_way, call);
    rpc_call_end_turn(call);
    rpc->n_under_way--;
    rpc->n_of_vm -= call->of_vm;
    if (call->of_vm)
        rpc->vm_call_took = clock_milliseconds(CLOCK_MONOTONIC) - call->begun;
}

static void drop(struct rpc_call *call)
{
    if (call->dropped)
        call->dropped(call->context);
    rpc_call_destroy(call);
}

void rpc_destroy(struct rpc *rpc)
{
    struct rpc_call *call;

    if (!rpc)
        return;
    while ((call = rpc->under_way.first)) {
        release(rpc, call);
        drop(call);
    }
    while ((call = rpc->waiting.first)) {
        list_remove(&rpc->waiting, call);
        drop(call);
    }
    for (size_t i = 0; i < rpc->n_idle; i++)
        curl_easy_cleanup(rpc->idle[i]);
    free(rpc->idle);
    if (rpc->multi)
        curl_multi_cleanup(rpc->multi);
    rpc_sockets_finish(&rpc->sockets);
    curl_slist_free_all(rpc->line.headers);
    rpc_endpoint_finish(&rpc->line.endpoint);
    rpc_secret_finish(&rpc->line.secret);
    free(rpc->line.ca_file);
    free(rpc);
    curl_global_cleanup();
}

static struct rpc_call *enqueue(struct rpc *rpc, const struct rpc_request *request)
{
    struct rpc_call *call = rpc_call_create(&rpc->line, request);
    struct rpc_call *before = NULL;

    if (request->urgent) {
        before = rpc->last_urgent ? rpc->last_urgent->next : rpc->waiting.first;
        rpc->last_urgent = call;
    }
    list_insert(&rpc->waiting, call, before);
    rpc->n_waiting++;
    return call;
}

void rpc_call(struct rpc *rpc, const struct rpc_request *request)
{
    enqueue(rpc, request);
}

size_t rpc_pending(const struct rpc *rpc)
{
    return rpc->n_waiting + rpc->n_under_way;
}

static void leave_queue(struct rpc *rpc, struct rpc_call *call)
{
    if (rpc->last_urgent == call)
        rpc->last_urgent = call->previous;
    list_remove(&rpc->waiting, call);
    rpc->n_waiting--;
}

static CURL *take_handle(struct rpc *rpc)
{
    return rpc->n_idle > 0 ? rpc->idle[--rpc->n_idle] : curl_easy_init();
}

/* The number of connections that may be open now; active calls are in the order of their
 * beginnings. */
static size_t connections(const struct rpc *rpc, int64_t now)
{
    size_t n = rpc->parallel;
    const struct rpc_call *call = rpc->under_way.first;

    for (; call && now - call->begun > SLOW && n < 2 * rpc->parallel; call = call->next)
        n++;
    return n;
}

static bool may_begin(const struct rpc *rpc, const struct rpc_call *call)
{
    size_t most = rpc->parallel > 1 ? 2 * rpc->parallel - 2 : 1;

    return call->failure || !call->of_vm || rpc->n_of_vm < most;
}

static void begin_call(struct rpc *rpc, struct rpc_call *call, CURL *easy, int64_t now)
{
    call->begun = now;
    rpc_call_prepare(call, easy);
    curl_multi_add_handle(rpc->multi, easy);
    list_insert(&rpc->under_way, call, NULL);
    rpc->n_under_way++;
    rpc->n_of_vm += call->of_vm;
}

/* The next waiting call that may begin; NULL: none. */
static struct rpc_call *next_call(const struct rpc *rpc)
{
    struct rpc_call *call = rpc->waiting.first;

    while (call && !may_begin(rpc, call))
        call = call->next;
    return call;
}

/* Gives free connections to waiting calls. Returns the number of calls that ended at once because
 * they cannot be sent; `done` may have queued further calls. */
static size_t start_calls(struct rpc *rpc)
{
    size_t n_ended = 0;
    int64_t now = clock_milliseconds(CLOCK_MONOTONIC);
    struct rpc_call *call;

    /* Calls queued by `done` meanwhile have to wait for the next time: the loop ends. */
    for (size_t n = rpc->n_waiting; n > 0 && (call = next_call(rpc)); n--) {
        CURL *easy;

        if (rpc->n_under_way >= connections(rpc, now))
            break;
        rpc_call_expire(call);
        easy = call->failure ? NULL : take_handle(rpc);
        leave_queue(rpc, call);
        if (easy) {
            begin_call(rpc, call, easy, now);
            continue;
        }
        if (!call->failure)
            call->failure = memory_text("libcurl cannot set up another connection");
        rpc_call_report(call, CURLE_FAILED_INIT);
        rpc_call_destroy(call);
        n_ended++;
    }
    return n_ended;
}

/* Reports the ended calls. `done` may call this function recursively. */
static size_t end_calls(struct rpc *rpc)
{
    const CURLMsg *message;
    size_t n_ended = 0;
    int left;

    while ((message = curl_multi_info_read(rpc->multi, &left))) {
        CURLcode code = message->data.result;
        CURL *easy = message->easy_handle;
        struct rpc_call *call = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
        if (code == CURLE_OK)
            note_date(rpc, easy);
        release(rpc, call);
        rpc_call_report(call, code);
        rpc_call_destroy(call);
        n_ended++;
    }
    return n_ended;
}

static void begin_round(struct rpc *rpc)
{
    for (struct rpc_call *call = rpc->under_way.first; call; call = call->next)
        rpc_call_next_round(call);
}

/* Does a call wait for the next round to receive more of its answer? */
static bool has_more(const struct rpc *rpc)
{
    const struct rpc_call *call = rpc->under_way.first;

    while (call && !call->waits_a_round)
        call = call->next;
    return call != NULL;
}

/* Transfers data without waiting. Returns the number of ended calls, -1 with err. */
static int64_t advance(struct rpc *rpc, struct error *err)
{
    size_t n_ended = start_calls(rpc);
    CURLMcode code;

    begin_round(rpc);
    code = rpc_sockets_advance(&rpc->sockets);
    if (code != CURLM_OK)
        return error_set(err, EIO, "calls to OpenNebula: %s", curl_multi_strerror(code));
    n_ended += end_calls(rpc);
    return (int64_t)n_ended;
}

bool rpc_date(const struct rpc *rpc, int64_t *date, int64_t *at)
{
    *date = rpc->date;
    *at = rpc->date_at;
    return rpc->date > 0;
}

/* Without calls, waits without libcurl, at the costs of poll(). */
static int wait_for_caller(struct pollfd *fds, unsigned n, int timeout, struct error *err)
{
    if (poll(fds, n, timeout > 0 ? timeout : 0) < 0 && errno != EINTR)
        return error_errno(err, "waiting");
    return 0;
}

/* Connections and short answers come in pieces, each of which would end a wait: with several calls
 * about VMs under way, those of a moment are handled together. Were there some? */
static bool let_pieces_come(const struct rpc *rpc)
{
    const int64_t moment = rpc->vm_call_took / OF_CALL;

    if (rpc->n_of_vm <= 1 || moment <= 0 || has_more(rpc))
        return false;
    nanosleep(&(struct timespec){.tv_nsec = (moment < TOGETHER ? moment : TOGETHER) * 1000000},
              NULL);
    return true;
}

/* The most milliseconds to wait. Slow connections must be detected, because they make room for
 * others. */
static int64_t patience(const struct rpc *rpc, int64_t end)
{
    int64_t left = has_more(rpc) ? 0 : end - clock_milliseconds(CLOCK_MONOTONIC);

    return rpc->n_waiting > 0 && left > LOOK_FOR_SLOW ? LOOK_FOR_SLOW : left;
}

static bool any_is_ready(const struct pollfd *fds, unsigned n)
{
    while (n > 0 && !fds[n - 1].revents)
        n--;
    return n > 0;
}

int rpc_wait(struct rpc *rpc, struct pollfd *extra, unsigned n_extra, int timeout,
             struct error *err)
{
    int64_t end;
    bool last = false;
    int64_t n_ended;

    if (rpc_pending(rpc) == 0)
        return wait_for_caller(extra, n_extra, timeout, err);
    end = clock_milliseconds(CLOCK_MONOTONIC) + (timeout > 0 ? timeout : 0);
    for (;;) {
        n_ended = advance(rpc, err);
        if (n_ended < 0)
            return -1;
        if (last)
            return 0;
        if (rpc_sockets_wait(&rpc->sockets, extra, n_extra, n_ended > 0 ? 0 : patience(rpc, end)) <
                0 ||
            (let_pieces_come(rpc) && rpc_sockets_wait(&rpc->sockets, extra, n_extra, 0) < 0))
            return error_errno(err, "waiting for OpenNebula");
        /* One more round, to send the calls that `done` queued and to report replies already
         * received. */
        last = n_ended > 0 || any_is_ready(extra, n_extra) ||
               clock_milliseconds(CLOCK_MONOTONIC) >= end;
    }
}

struct answer_now {
    struct rpc_reply reply;
    char *text;
    struct error *err;
    bool arrived;
};

static int error_code(const struct rpc_reply *reply)
{
    if (reply->outcome == RPC_NOT_SENT)
        return ECONNREFUSED;
    if (reply->outcome == RPC_UNKNOWN)
        return EIO;
    if (reply->outcome == RPC_FAULT)
        return EPROTO;
    switch (reply->code) {
    case RPC_CODE_AUTHENTICATION:
        return EACCES;
    case RPC_CODE_AUTHORIZATION:
        return EPERM;
    case RPC_CODE_NO_EXISTS:
        return ENOENT;
    default:
        return EREMOTEIO;
    }
}

static void arrived(void *context, const struct rpc_reply *reply)
{
    struct answer_now *now = context;

    now->arrived = true;
    now->reply = *reply;
    now->reply.message = NULL;
    now->reply.text = NULL;
    if (reply->text) {
        now->text = memory_new(reply->length + 1, 1);
        memcpy(now->text, reply->text, reply->length);
    }
    if (reply->outcome != RPC_DONE)
        error_set(now->err, error_code(reply), "%s", reply->message);
}

/* Abandons a call, which must not write to the caller's answer afterwards. */
static void abandon(struct rpc *rpc, struct rpc_call *call)
{
    if (call->easy)
        release(rpc, call);
    else
        leave_queue(rpc, call);
    rpc_call_destroy(call);
}

int rpc_call_now(struct rpc *rpc, const struct rpc_request *request, char **copy,
                 struct rpc_reply *reply, struct error *err)
{
    struct answer_now now = {.err = err};
    struct rpc_request waited = *request;
    struct rpc_call *call;

    waited.done = arrived;
    waited.context = &now;
    call = enqueue(rpc, &waited);
    while (!now.arrived) {
        if (rpc_wait(rpc, NULL, 0, 1000, err) < 0) {
            if (!now.arrived)
                abandon(rpc, call);
            free(now.text);
            return -1;
        }
    }
    if (reply)
        *reply = now.reply;
    if (copy)
        *copy = now.text;
    else
        free(now.text);
    return now.reply.outcome == RPC_DONE ? 0 : -1;
}
