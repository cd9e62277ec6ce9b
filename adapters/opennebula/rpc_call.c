/* Sends one call and receives its answer. */
#include "adapters/opennebula/rpc_call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/rpc_answer.h"
#include "adapters/opennebula/rpc_request.h"
#include "util/clock.h"
#include "util/memory.h"

/* oned closes connections that are idle for 15 s (KEEPALIVE_TIMEOUT); connections about to be
 * closed are not used. */
enum { IDLE_MAX = 10 };

enum {
    /* Bytes of an answer in a round: libcurl goes on as long as bytes come, and a call could keep
     * all others, and the caller's descriptors, waiting. */
    ROUND = 48 * 1024,
    /* All of it is taken before a call pauses: libcurl would copy the rest. */
    BUFFER = 32 * 1024,
    /* Copies of an answer while it is decoded: its text, and one whose bytes were mended. */
    DECODING = 2,
};

static const struct rpc_secret *secret_of(const struct rpc_call *call)
{
    return call->secret ? call->secret : &call->line->secret;
}

struct rpc_call *rpc_call_create(struct rpc_line *line, const struct rpc_request *request)
{
    struct rpc_call *call = memory_new(1, sizeof *call);
    struct error err;

    call->line = line;
    call->method = memory_text(request->method);
    call->timeout = request->timeout > 0 ? request->timeout : line->timeout;
    call->send_by = request->send_by;
    call->of_vm = strncmp(request->method, "one.vm.", strlen("one.vm.")) == 0;
    call->done = request->done;
    call->dropped = request->dropped;
    call->context = request->context;
    call->in_pieces = request->piece != NULL;
    rpc_text_init(&call->text, request->piece, request->part, request->context);
    if (request->session) {
        call->secret = memory_new(1, sizeof *call->secret);
        rpc_secret_init(call->secret, request->session);
    }
    call->body = rpc_request_encode(request, secret_of(call)->session, &call->length, &err);
    if (!call->body)
        call->failure = memory_text(err.text);
    return call;
}

void rpc_call_destroy(struct rpc_call *call)
{
    if (!call)
        return;
    rpc_request_forget(call->body, call->length);
    if (call->secret)
        rpc_secret_finish(call->secret);
    free(call->secret);
    memory_budget_give_back(call->line->budget, call->method, call->counted);
    free(call->method);
    free(call->failure);
    free(call->answer);
    rpc_text_finish(&call->text);
    free(call);
}

static bool is_too_late(const struct rpc_call *call)
{
    return call->send_by && clock_milliseconds(CLOCK_BOOTTIME) > call->send_by;
}

#define TOO_LATE "%s: not sent: too late"

void rpc_call_expire(struct rpc_call *call)
{
    if (!call->failure && is_too_late(call))
        call->failure = memory_format(TOO_LATE, call->method);
}

/* Called on each connection, before the header and the body leave, together: this process may have
 * been stopped since the call was made. libcurl would repeat a call on a second connection when the
 * first one broke: oned might carry it out twice. */
static int may_leave(void *context, char *to, char *from, int to_port, int from_port)
{
    struct rpc_call *call = context;

    (void)to, (void)from, (void)to_port, (void)from_port;
    call->too_late = !call->sent && is_too_late(call);
    if (call->sent || call->too_late)
        return CURL_PREREQFUNC_ABORT;
    call->sent = true;
    return CURL_PREREQFUNC_OK;
}

void rpc_call_end_turn(const struct rpc_call *call)
{
    if (call->line->large == call)
        call->line->large = NULL;
}

void rpc_call_next_round(struct rpc_call *call)
{
    call->this_round = 0;
    if (!call->waits_a_round && (!call->paused || call->line->large))
        return;
    call->paused = call->waits_a_round = false;
    curl_easy_pause(call->easy, CURLPAUSE_CONT);
}

/* Long answers are received one after the other, which bounds the memory of all calls. */
static bool has_turn(struct rpc_call *call, size_t more)
{
    struct rpc_line *line = call->line;

    if (call->received + more <= line->share || line->large == call)
        return true;
    call->paused = line->large != NULL;
    if (!call->paused)
        line->large = call;
    return !call->paused;
}

static size_t size_of(const struct rpc_call *call)
{
    return call->in_pieces ? call->text.n_around : call->received;
}

static bool count(struct rpc_call *call)
{
    size_t more = size_of(call) - call->counted;

    call->does_not_fit = !memory_budget_take(call->line->budget, call->method, more);
    call->counted += call->does_not_fit ? 0 : more;
    return !call->does_not_fit;
}

static size_t take_answer(char *from, size_t size, size_t n, void *context)
{
    struct rpc_call *call = context;
    size_t more = size * n;

    if (more > call->line->answer_limit - call->received) {
        call->too_long = true;
        return 0;
    }
    if (!has_turn(call, more))
        return CURL_WRITEFUNC_PAUSE;
    call->this_round += more;
    if (call->this_round >= ROUND && !call->waits_a_round) {
        call->waits_a_round = true;
        curl_easy_pause(call->easy, CURLPAUSE_RECV);
    }
    if (call->in_pieces) {
        rpc_text_take(&call->text, from, more);
    } else {
        call->answer = memory_grow(call->answer, &call->allocated, call->received + more, 1);
        memcpy(call->answer + call->received, from, more);
    }
    call->received += more;
    return count(call) ? more : 0;
}

static void prepare_security(const struct rpc_line *line, CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, line->endpoint.encrypted ? "https" : "http");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (line->ca_file)
        curl_easy_setopt(easy, CURLOPT_CAINFO, line->ca_file);
    if (line->endpoint.loopback)
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
}

void rpc_call_prepare(struct rpc_call *call, CURL *easy)
{
    const struct rpc_line *line = call->line;

    call->easy = easy;
    prepare_security(line, easy);
    curl_easy_setopt(easy, CURLOPT_URL, line->endpoint.url);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, line->headers);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->curl_error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)call->timeout);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)line->connect_timeout);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)IDLE_MAX);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)BUFFER);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->length);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, may_leave);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, call);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
}

/* Reports to `done`, with the method and without secrets. */
__attribute__((format(printf, 3, 4))) static void
report(struct rpc_call *call, struct rpc_reply *reply, const char *format, ...)
{
    char line[RPC_MESSAGE_MAX];
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = memory_vformat(format, arguments);
    va_end(arguments);
    rpc_secret_line(secret_of(call), text, line, sizeof line);
    free(text);
    reply->message = line;
    call->done(call->context, reply);
}

static void report_size(struct rpc_call *call)
{
    struct rpc_reply reply = {.outcome = RPC_UNKNOWN};
    char text[MEMORY_BUDGET_TEXT];

    report(call, &reply, "%s: %s", call->method,
           memory_budget_explain(call->line->budget, call->received, text));
}

static void report_failure(struct rpc_call *call, CURLcode code)
{
    struct rpc_reply reply = {.outcome = call->sent ? RPC_UNKNOWN : RPC_NOT_SENT};
    const char *why = code == CURLE_ABORTED_BY_CALLBACK ? "the connection broke"
                      : call->curl_error[0]             ? call->curl_error
                                                        : curl_easy_strerror(code);
    const char *url = call->line->endpoint.url;

    reply.timed_out = reply.outcome == RPC_UNKNOWN && code == CURLE_OPERATION_TIMEDOUT;
    if (call->too_long)
        report(call, &reply, "%s: the answer of %s is longer than %zu bytes (answer-limit)",
               call->method, url, call->line->answer_limit);
    else if (call->does_not_fit)
        report_size(call);
    else if (call->too_late)
        report(call, &reply, TOO_LATE, call->method);
    else if (reply.outcome == RPC_NOT_SENT)
        report(call, &reply, "%s: no connection to %s: %s", call->method, url, why);
    else if (reply.timed_out)
        report(call, &reply, "%s: no answer from %s within %.3g s", call->method, url,
               (double)call->timeout / 1000);
    else
        report(call, &reply, "%s: sent to %s, but no complete answer came: %s", call->method, url,
               why);
}

static void report_status(struct rpc_call *call)
{
    struct rpc_reply reply = {.outcome = RPC_UNKNOWN};
    long status = call->status;
    const char *hint = "";

    if (status >= 300 && status < 400)
        hint = " (redirects are not followed: set the final endpoint)";
    else if (status == 404 || status == 405)
        hint = " (does oned listen there? Its path is /RPC2)";
    report(call, &reply, "%s: %s answered with HTTP status %ld%s", call->method,
           call->line->endpoint.url, status, hint);
}

/* Removes the method from oned's message: "[one.vm.deploy] ...". */
static const char *without_method(const char *message, const char *method)
{
    size_t length = strlen(method);

    if (message[0] == '[' && strncmp(message + 1, method, length) == 0 &&
        strncmp(message + 1 + length, "] ", 2) == 0)
        return message + length + 3;
    return message;
}

static void report_answer(struct rpc_call *call)
{
    struct rpc_reply answer;

    if (call->in_pieces)
        rpc_answer_decode(&answer, call->text.around ? call->text.around : "", call->text.n_around);
    else
        rpc_answer_decode(&answer, call->answer ? call->answer : "", call->received);
    /* The raw body can be ten times the size of the part the caller keeps. */
    free(call->answer);
    call->answer = NULL;
    if (answer.outcome != RPC_DONE)
        report(call, &(struct rpc_reply){.outcome = answer.outcome, .code = answer.code}, "%s: %s",
               call->method, without_method(answer.message, call->method));
    else if (call->text.broken)
        report(call, &(struct rpc_reply){.outcome = RPC_UNKNOWN}, "%s: the answer is not XML-RPC",
               call->method);
    else
        call->done(call->context, &answer);
    rpc_answer_finish(&answer);
}

void rpc_call_report(struct rpc_call *call, CURLcode code)
{
    struct rpc_reply reply = {.outcome = RPC_NOT_SENT};

    if (call->failure)
        report(call, &reply, "%s", call->failure);
    else if (code != CURLE_OK)
        report_failure(call, code);
    else if (call->status != 200)
        report_status(call);
    else if (!memory_budget_fits(call->line->budget, DECODING * size_of(call)))
        report_size(call);
    else
        report_answer(call);
}
