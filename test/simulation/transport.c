/* The transport of calls (adapters/opennebula/rpc.h) without HTTP: calls reach the stand-in in this
 * process after some milliseconds of virtual time, and fail as the seed says. */
#include <poll.h>
#include <stdlib.h>

#include "adapters/opennebula/rpc.h"
#include "adapters/opennebula/rpc_call.h"
#include "simulation.h"
#include "util/memory.h"
#include "virtual_clock.h"

/* A call on its way, first to oned, then back. */
struct flight {
    struct rpc_call *call;
    enum call_fate fate;
    bool has_arrived, times_out;
    int64_t at; /* milliseconds: when it arrives there, or here */
    uint64_t number;
    struct flight *next;
};

struct rpc {
    struct rpc_line line;
    struct flight *flights; /* by the time at which they arrive */
    size_t n;
    uint64_t numbers;
    int64_t date, date_at;
};

static struct rpc *open_line; /* of the galernad that lives */

struct rpc *rpc_create(const struct rpc_settings *settings, struct error *err)
{
    struct rpc *rpc = memory_new(1, sizeof *rpc);

    rpc->line.timeout = settings->timeout;
    rpc->line.answer_limit = settings->answer_limit;
    rpc->line.share = settings->answer_limit;
    rpc_secret_init(&rpc->line.secret, settings->session);
    if (rpc_endpoint_init(&rpc->line.endpoint, settings->endpoint, true, err) < 0)
        abort();
    open_line = rpc;
    return rpc;
}

/* In the order in which they arrive; of those that arrive together the earlier call first. */
static void fly(struct rpc *rpc, struct flight *flight)
{
    struct flight **link = &rpc->flights;

    while (*link && ((*link)->at < flight->at ||
                     ((*link)->at == flight->at && (*link)->number < flight->number)))
        link = &(*link)->next;
    flight->next = *link;
    *link = flight;
}

static struct flight *enqueue(struct rpc *rpc, const struct rpc_request *request)
{
    struct flight *flight = memory_new(1, sizeof *flight);

    flight->call = rpc_call_create(&rpc->line, request);
    rpc_call_expire(flight->call);
    flight->fate = disturbance_fate(request->method);
    flight->at = simulation_now() + disturbance_latency();
    flight->number = rpc->numbers++;
    rpc->n++;
    fly(rpc, flight);
    return flight;
}

void rpc_call(struct rpc *rpc, const struct rpc_request *request)
{
    enqueue(rpc, request);
}

static void finish(struct rpc *rpc, struct flight *flight)
{
    rpc->n--;
    rpc_call_destroy(flight->call);
    free(flight);
}

void rpc_destroy(struct rpc *rpc)
{
    struct flight *flight;

    while (rpc && (flight = rpc->flights)) {
        rpc->flights = flight->next;
        if (flight->call->dropped)
            flight->call->dropped(flight->call->context);
        finish(rpc, flight);
    }
    if (!rpc)
        return;
    rpc_endpoint_finish(&rpc->line.endpoint);
    rpc_secret_finish(&rpc->line.secret);
    open_line = NULL;
    free(rpc);
}

/* --- at oned ---------------------------------------------------------------------------------- */

static void carry_out(struct rpc_call *call)
{
    size_t size;
    char *answer = oned_call(simulation()->oned, call->body, call->length, &size);

    simulation()->n_calls++;
    judge_call(&(struct judged_call){call->method, call->body, answer, call->length, size});
    free(call->answer);
    call->answer = answer;
    call->received = size;
}

/* The answer is on its way; milliseconds until it is here. */
static int64_t answer_takes(const struct flight *flight)
{
    if (flight->fate == CALL_LOST || flight->fate == CALL_UNANSWERED)
        return flight->call->timeout;
    if (flight->fate == CALL_LATE)
        return flight->call->timeout - 2000 + random_between(&simulation()->calls_random, 0, 3000);
    return disturbance_latency();
}

static void arrive_there(struct rpc *rpc, struct flight *flight)
{
    struct rpc_call *call = flight->call;
    bool is_write = disturbance_is_write(call->method);
    int64_t takes;

    flight->has_arrived = true;
    call->status = 200;
    if (!call->failure && flight->fate != CALL_NOT_SENT) {
        call->sent = true;
        if (is_write)
            disturbance_at_write(false);
        if (flight->fate != CALL_LOST)
            carry_out(call);
        if (flight->fate == CALL_TWICE)
            carry_out(call);
        if (is_write && flight->fate != CALL_LOST)
            disturbance_at_write(true);
    }
    takes = answer_takes(flight);
    flight->times_out = takes >= call->timeout;
    flight->at = simulation_now() + (flight->times_out ? call->timeout : takes);
    fly(rpc, flight);
}

/* --- here ------------------------------------------------------------------------------------- */

static CURLcode result_of(const struct flight *flight)
{
    if (flight->fate == CALL_NOT_SENT)
        return CURLE_COULDNT_CONNECT;
    return flight->times_out ? CURLE_OPERATION_TIMEDOUT : CURLE_OK;
}

static void arrive_here(struct rpc *rpc, struct flight *flight)
{
    struct rpc_call *call = flight->call;
    CURLcode code = result_of(flight);

    if (code == CURLE_OK && call->answer && call->in_pieces)
        rpc_text_take(&call->text, call->answer, call->received);
    if (code == CURLE_OK) {
        rpc->date = oned_seconds(simulation()->oned);
        rpc->date_at = virtual_clock_monotonic();
    }
    rpc_call_report(call, code);
    finish(rpc, flight);
}

/* Returns how many calls ended. */
static size_t land(struct rpc *rpc)
{
    struct flight *flight;
    size_t n_ended = 0;

    while ((flight = rpc->flights) && flight->at <= simulation_now()) {
        rpc->flights = flight->next;
        if (!flight->has_arrived) {
            arrive_there(rpc, flight);
            continue;
        }
        arrive_here(rpc, flight);
        n_ended++;
    }
    return n_ended;
}

int rpc_wait(struct rpc *rpc, struct pollfd *extra, unsigned n_extra, int timeout,
             struct error *err)
{
    int64_t end = simulation_now() + (timeout > 0 ? timeout : 0);

    poll(extra, n_extra, 0);
    while (land(rpc) == 0 && simulation_now() < end) {
        int64_t next = rpc->flights && rpc->flights->at < end ? rpc->flights->at : end;

        simulation_pass(next);
    }
    return 0;
}

bool rpc_date(const struct rpc *rpc, int64_t *date, int64_t *at)
{
    *date = rpc->date;
    *at = rpc->date_at;
    return rpc->date > 0;
}

size_t rpc_pending(const struct rpc *rpc)
{
    return rpc->n;
}

struct answer_now {
    struct rpc_reply reply;
    char *text;
    struct error *err;
    bool arrived;
};

static void arrived(void *context, const struct rpc_reply *reply)
{
    struct answer_now *now = context;

    now->arrived = true;
    now->reply = *reply;
    now->text = memory_text(reply->text);
    if (reply->outcome != RPC_DONE)
        error_set(now->err, 1, "%s", reply->message);
}

int rpc_call_now(struct rpc *rpc, const struct rpc_request *request, char **copy,
                 struct rpc_reply *reply, struct error *err)
{
    struct answer_now now = {.err = err};
    struct rpc_request waited = *request;

    waited.done = arrived;
    waited.context = &now;
    enqueue(rpc, &waited);
    while (!now.arrived)
        rpc_wait(rpc, NULL, 0, 1000, err);
    now.reply.message = now.reply.text = NULL;
    if (reply)
        *reply = now.reply;
    if (copy)
        *copy = now.text;
    else
        free(now.text);
    return now.reply.outcome == RPC_DONE ? 0 : -1;
}

/* Their memory is the dead galernad's. */
void transport_forget(void)
{
    struct flight *flight;

    while (open_line && (flight = open_line->flights)) {
        open_line->flights = flight->next;
        if (!flight->has_arrived && flight->fate == CALL_DONE && !flight->call->failure &&
            random_once_in(&simulation()->calls_random, 2))
            carry_out(flight->call);
    }
    open_line = NULL;
}
