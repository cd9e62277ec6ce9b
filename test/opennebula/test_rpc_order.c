/* When calls begin and end: side by side, in which order, in time, one out of another. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/opennebula/rpc_fixture.h"
#include "util/clock.h"

static void timeouts(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 2);
    const char *const methods[] = {"test.slow", "test.trickle"};
    struct outcome outcomes[2] = {0};
    int64_t begun = clock_milliseconds(CLOCK_MONOTONIC);

    for (size_t i = 0; i < 2; i++)
        rpc_call(rpc,
                 &(struct rpc_request){
                     .method = methods[i], .timeout = 150, .done = keep, .context = &outcomes[i]});
    wait_all(rpc);
    assert_in_range(clock_milliseconds(CLOCK_MONOTONIC) - begun, 140, 4000);
    for (size_t i = 0; i < 2; i++)
        assert_says(&outcomes[i], RPC_UNKNOWN, "within 0.15 s");
    rpc_destroy(rpc);
}

static void in_parallel(void **state)
{
    enum { N = 8 };
    struct rpc *rpc = connect_to(server.endpoint, N);
    struct outcome outcomes[N];
    int64_t begun = clock_milliseconds(CLOCK_MONOTONIC);

    for (int i = 0; i < N; i++)
        begin(rpc, "test.slow", &outcomes[i]);
    assert_int_equal(rpc_pending(rpc), N);
    wait_all(rpc);
    /* One by one they would take 8 x 0.4 s. */
    assert_in_range(clock_milliseconds(CLOCK_MONOTONIC) - begun, 390, 2800);
    for (int i = 0; i < N; i++)
        assert_int_equal(outcomes[i].reply.outcome, RPC_DONE);
    rpc_destroy(rpc);
}

/* In which order the calls ended. */
struct order {
    char marks[16];
    size_t n;
};

struct marked {
    struct order *order;
    char mark;
};

static void mark(void *context, const struct rpc_reply *reply)
{
    const struct marked *marked = context;

    assert_int_equal(reply->outcome, RPC_DONE);
    marked->order->marks[marked->order->n++] = marked->mark;
}

/* As after this process was stopped: the call was queued in time, its turn comes too late. */
static void a_call_that_is_too_late_is_not_sent(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome slow = {0}, late = {0}, in_time = {0};
    size_t connections;
    int64_t boot;

    http_server_calls(&server);
    connections = server.connections;
    boot = clock_milliseconds(CLOCK_BOOTTIME);
    begin(rpc, "test.slow", &slow);
    rpc_call(rpc,
             &(struct rpc_request){
                 .method = "test.slow", .send_by = boot + 100, .done = keep, .context = &late});
    rpc_call(rpc, &(struct rpc_request){.method = "test.slow",
                                        .send_by = boot + 60000,
                                        .done = keep,
                                        .context = &in_time});
    wait_all(rpc);
    assert_int_equal(slow.reply.outcome, RPC_DONE);
    assert_says(&late, RPC_NOT_SENT, "too late");
    assert_int_equal(in_time.reply.outcome, RPC_DONE);
    assert_int_equal(http_server_calls(&server), 2);
    assert_int_equal(server.connections - connections, 1); /* the late one took, and cut, none */
    rpc_destroy(rpc);
}

static void urgent_ones_first(void **state)
{
    static const char marks[] = "abUcV";
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct order order = {0};
    struct marked marked[5];

    for (size_t i = 0; i < 5; i++) {
        marked[i] = (struct marked){&order, marks[i]};
        rpc_call(rpc, &(struct rpc_request){.method = "test.number",
                                            .urgent = marks[i] < 'a',
                                            .done = mark,
                                            .context = &marked[i]});
    }
    wait_all(rpc);
    assert_string_equal(order.marks, "UVabc");
    rpc_destroy(rpc);
}

/* Calls about VMs that do not come to an end keep nobody from looking, and leave room for it. */
static void slow_calls_give_way(void **state)
{
    static const char marks[] = "vvvL";
    struct rpc *rpc = connect_to(server.endpoint, 2);
    struct order order = {0};
    struct marked marked[4];

    for (size_t i = 0; i < 4; i++) {
        marked[i] = (struct marked){&order, marks[i]};
        rpc_call(rpc, &(struct rpc_request){.method = i < 3 ? "one.vm.stuck" : "test.number",
                                            .done = mark,
                                            .context = &marked[i]});
    }
    wait_all(rpc);
    assert_string_equal(order.marks, "Lvvv");
    rpc_destroy(rpc);
}

struct chain {
    struct rpc *rpc;
    int left;
};

static void call_again(void *context, const struct rpc_reply *reply)
{
    struct chain *chain = context;

    assert_int_equal(reply->number, 13);
    if (--chain->left > 0)
        rpc_call(chain->rpc, &(struct rpc_request){
                                 .method = "test.number", .done = call_again, .context = chain});
}

static void calls_from_done(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct chain chain = {rpc, 50};

    rpc_call(rpc,
             &(struct rpc_request){.method = "test.number", .done = call_again, .context = &chain});
    wait_all(rpc);
    assert_int_equal(chain.left, 0);
    assert_int_equal(http_server_calls(&server), 50);
    rpc_destroy(rpc);
}

static void ask_inside(void *context, const struct rpc_reply *reply)
{
    struct chain *chain = context;
    struct rpc_reply inner;
    struct error err;

    assert_int_equal(reply->outcome, RPC_DONE);
    assert_int_equal(rpc_call_now(chain->rpc, &(struct rpc_request){.method = "test.number"}, NULL,
                                  &inner, &err),
                     0);
    assert_int_equal(inner.number, 13);
    chain->left--;
}

static void call_now_inside_done(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 2);
    struct chain chain = {rpc, 4};

    for (int i = 0; i < 4; i++)
        rpc_call(rpc, &(struct rpc_request){
                          .method = "test.boolean", .done = ask_inside, .context = &chain});
    wait_all(rpc);
    assert_int_equal(chain.left, 0);
    rpc_destroy(rpc);
}

static void descriptors_of_the_caller(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct pollfd extra = {.events = POLLIN};
    struct outcome outcome;
    struct error err;
    int64_t begun = clock_milliseconds(CLOCK_MONOTONIC);
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    extra.fd = ends[0];
    assert_int_equal(rpc_wait(rpc, &extra, 1, 100, &err), 0);
    assert_in_range(clock_milliseconds(CLOCK_MONOTONIC) - begun, 95, 3000);
    assert_int_equal(extra.revents, 0);
    /* It wakes rpc_wait() while a call is under way. */
    begin(rpc, "test.trickle", &outcome);
    assert_int_equal(write(ends[1], "x", 1), 1);
    begun = clock_milliseconds(CLOCK_MONOTONIC);
    assert_int_equal(rpc_wait(rpc, &extra, 1, 4000, &err), 0);
    assert_in_range(clock_milliseconds(CLOCK_MONOTONIC) - begun, 0, 3000);
    assert_int_equal(extra.revents, POLLIN);
    assert_int_equal(outcome.n, 0);
    assert_int_equal(rpc_pending(rpc), 1);
    close(ends[0]);
    close(ends[1]);
    rpc_destroy(rpc);
}

static void never_done(void *context, const struct rpc_reply *reply)
{
    fail_msg("a call was reported that had been taken back");
}

static void count_dropped(void *context)
{
    ++*(int *)context;
}

static void destroyed_with_calls(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct error err;
    int dropped = 0;

    for (int i = 0; i < 3; i++)
        rpc_call(rpc, &(struct rpc_request){.method = "test.slow",
                                            .done = never_done,
                                            .dropped = count_dropped,
                                            .context = &dropped});
    assert_int_equal(rpc_wait(rpc, NULL, 0, 10, &err), 0);
    assert_int_equal(rpc_pending(rpc), 3);
    rpc_destroy(rpc);
    assert_int_equal(dropped, 3);
    rpc_destroy(NULL);
}

enum { LARGE = 4, LARGE_SIZE = 600 * 1024, SHARE = (1 << 20) / (2 * LARGE) };

struct large {
    struct outcome outcome;
    size_t received;
    const struct large *all;
};

static void count_piece(void *context, const char *text, size_t length)
{
    struct large *large = context;
    size_t n_held = 0;

    large->received += length;
    for (size_t i = 0; i < LARGE; i++)
        n_held += large->all[i].received > SHARE && large->all[i].outcome.n == 0 &&
                  large->all[i].received < LARGE_SIZE;
    assert_in_range(n_held, 0, 1);
}

static void count_part(void *context, const char *text, size_t length)
{
    ((struct large *)context)->received += length;
}

/* However many come at once, memory for one is enough. */
static void large_answers_take_turns(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, LARGE);
    struct large calls[LARGE] = {0};

    for (size_t i = 0; i < LARGE; i++) {
        calls[i].all = calls;
        rpc_call(rpc, &(struct rpc_request){.method = "test.large",
                                            .done = keep,
                                            .context = &calls[i],
                                            .piece = count_piece});
    }
    wait_all(rpc);
    for (size_t i = 0; i < LARGE; i++) {
        assert_int_equal(calls[i].outcome.n, 1);
        assert_int_equal(calls[i].outcome.reply.outcome, RPC_DONE);
        assert_int_equal(calls[i].received, LARGE_SIZE);
    }
    rpc_destroy(rpc);
}

/* However quickly an answer comes, those who ask the caller are served meanwhile. */
static void large_answers_leave_time(void **state)
{
    enum { MOST = 160 * 1024 };
    struct rpc *rpc = connect_to(server.endpoint, LARGE);
    struct large call = {0};
    struct pollfd extra = {.events = POLLIN};
    struct error err;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    extra.fd = ends[0];
    assert_int_equal(write(ends[1], "x", 1), 1);
    rpc_call(rpc, &(struct rpc_request){
                      .method = "test.large", .done = keep, .context = &call, .piece = count_part});
    while (rpc_pending(rpc) > 0) {
        size_t before = call.received;

        usleep(20 * 1000); /* all that there is room for has come */
        assert_int_equal(rpc_wait(rpc, &extra, 1, 4000, &err), 0);
        assert_int_equal(extra.revents, POLLIN);
        assert_in_range(call.received - before, 0, MOST);
    }
    assert_int_equal(call.outcome.reply.outcome, RPC_DONE);
    assert_int_equal(call.received, LARGE_SIZE);
    close(ends[0]);
    close(ends[1]);
    rpc_destroy(rpc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeouts),
        cmocka_unit_test(in_parallel),
        cmocka_unit_test(slow_calls_give_way),
        cmocka_unit_test(a_call_that_is_too_late_is_not_sent),
        cmocka_unit_test(urgent_ones_first),
        cmocka_unit_test(calls_from_done),
        cmocka_unit_test(call_now_inside_done),
        cmocka_unit_test(descriptors_of_the_caller),
        cmocka_unit_test(destroyed_with_calls),
        cmocka_unit_test(large_answers_take_turns),
        cmocka_unit_test(large_answers_leave_time),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
