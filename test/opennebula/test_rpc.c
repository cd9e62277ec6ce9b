/* Calls against a server that answers well, badly, late and not at all. */
#include <curl/curl.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "adapters/opennebula/rpc.h"
#include "test/opennebula/http_server.h"
#include "util/memory.h"

static const char session[] = "oneadmin:pass&word<1>";

static struct http_server server;

static int start_server(void **state)
{
    (void)state;
    http_server_start(&server);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    http_server_stop(&server);
    return 0;
}

static struct rpc *connect_to(const char *endpoint, unsigned parallel)
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

/* What a call came to; the message and text are kept. */
struct outcome {
    struct rpc_reply reply;
    char text[256], message[1200];
    size_t n;
};

static void keep(void *context, const struct rpc_reply *reply)
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

static void wait_all(struct rpc *rpc)
{
    struct error err;

    while (rpc_pending(rpc) > 0)
        assert_int_equal(rpc_wait(rpc, NULL, 0, 1000, &err), 0);
}

static void begin(struct rpc *rpc, const char *method, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    rpc_call(rpc, &(struct rpc_request){.method = method, .done = keep, .context = outcome});
}

static struct outcome call(struct rpc *rpc, const char *method)
{
    struct outcome outcome;

    begin(rpc, method, &outcome);
    wait_all(rpc);
    assert_int_equal(outcome.n, 1);
    return outcome;
}

static void assert_says(const struct outcome *outcome, enum rpc_outcome expected, const char *text)
{
    assert_int_equal(outcome->reply.outcome, expected);
    if (!strstr(outcome->message, text))
        fail_msg("\"%s\" does not say \"%s\"", outcome->message, text);
    assert_null(strstr(outcome->message, "word"));
    assert_null(strchr(outcome->message, '\n'));
}

static void values(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome;

    (void)state;
    outcome = call(rpc, "test.number");
    assert_int_equal(outcome.reply.outcome, RPC_DONE);
    assert_int_equal(outcome.reply.number, 13);
    assert_null(outcome.reply.text);
    outcome = call(rpc, "test.boolean");
    assert_int_equal(outcome.reply.number, 1);
    outcome = call(rpc, "test.text");
    assert_string_equal(outcome.text, "two words & a <tag>");
    outcome = call(rpc, "test.untyped");
    assert_string_equal(outcome.text, "plain");
    rpc_destroy(rpc);
}

static void any_number_of_elements(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome;

    (void)state;
    outcome = call(rpc, "test.two-elements");
    assert_string_equal(outcome.text, "old");
    outcome = call(rpc, "test.seven-elements");
    assert_int_equal(outcome.reply.number, 7);
    outcome = call(rpc, "test.no-value");
    assert_says(&outcome, RPC_UNKNOWN, "test.no-value: ");
    outcome = call(rpc, "test.empty-array");
    assert_says(&outcome, RPC_UNKNOWN, "none of OpenNebula's");
    outcome = call(rpc, "test.struct");
    assert_says(&outcome, RPC_UNKNOWN, "neither text nor number");
    outcome = call(rpc, "test.refused-short");
    assert_says(&outcome, RPC_REFUSED, "without a reason");
    rpc_destroy(rpc);
}

static void bytes_xml_forbids(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome = call(rpc, "test.control");

    (void)state;
    assert_int_equal(outcome.reply.outcome, RPC_DONE);
    assert_string_equal(outcome.text, "a?b?c");
    rpc_destroy(rpc);
}

static void refusals_and_faults(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome;

    (void)state;
    outcome = call(rpc, "test.refused");
    assert_says(&outcome, RPC_REFUSED, "test.refused: Not enough CPU: 1500/1400");
    assert_int_equal(outcome.reply.code, RPC_CODE_ACTION);
    outcome = call(rpc, "test.fault501");
    assert_says(&outcome, RPC_FAULT, "test.fault501: fault -501: Not enough parameters");
    assert_int_equal(outcome.reply.code, -501);
    outcome = call(rpc, "test.fault500");
    assert_says(&outcome, RPC_UNKNOWN, "fault -500: Something went wrong inside");
    assert_int_equal(outcome.reply.code, 0);
    rpc_destroy(rpc);
}

static void broken_answers(void **state)
{
    static const struct {
        const char *method, *says;
    } cases[] = {
        {"test.drop", "no whole answer"},
        {"test.truncated", "no whole answer"},
        {"test.truncated-xml", "no XML-RPC: byte"},
        {"test.unclosed-xml", "no XML-RPC"},
        {"test.garbled", "no XML-RPC"},
        {"test.empty", "no XML-RPC: it is empty"},
        {"test.html", "none of OpenNebula's"},
        {"test.bomb", "a DOCTYPE"},
        {"test.deep", "more than 32 elements inside each other"},
        {"test.500", "HTTP status 500"},
        {"test.404", "HTTP status 404 (is it oned"},
        {"test.redirect", "HTTP status 302 (redirects are not followed"},
        {"test.huge", "longer than 1048576 bytes"},
        {"test.endless", "longer than 1048576 bytes"},
    };
    struct rpc *rpc = connect_to(server.endpoint, 1);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = call(rpc, cases[i].method);

        assert_says(&outcome, RPC_UNKNOWN, cases[i].says);
        assert_memory_equal(outcome.message, cases[i].method, strlen(cases[i].method));
        assert_int_equal(http_server_calls(&server), 1);
        /* The next call is not affected. */
        outcome = call(rpc, "test.number");
        assert_int_equal(outcome.reply.number, 13);
        assert_int_equal(http_server_calls(&server), 1);
    }
    rpc_destroy(rpc);
}

/* A library that repeats a call on a new connection when the kept one breaks would have it carried
 * out twice. */
static void never_sent_twice(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome = call(rpc, "test.number");

    (void)state;
    assert_int_equal(http_server_calls(&server), 1);
    outcome = call(rpc, "test.drop");
    assert_int_equal(outcome.reply.outcome, RPC_UNKNOWN);
    assert_int_equal(http_server_calls(&server), 1);
    rpc_destroy(rpc);
}

static void not_sent(void **state)
{
    static const struct {
        const char *endpoint, *says;
    } cases[] = {
        {"http://127.0.0.1:1/RPC2", "no connection to http://127.0.0.1:1/RPC2"},
        {"https://nowhere.invalid/RPC2", "no connection to https://nowhere.invalid/RPC2"},
    };
    char encrypted[64];
    struct outcome outcome;
    struct rpc *rpc;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rpc = connect_to(cases[i].endpoint, 1);
        outcome = call(rpc, "one.vm.deploy");
        assert_says(&outcome, RPC_NOT_SENT, cases[i].says);
        rpc_destroy(rpc);
    }
    /* The server speaks no TLS. */
    snprintf(encrypted, sizeof encrypted, "https://127.0.0.1:%d/RPC2", server.port);
    rpc = connect_to(encrypted, 1);
    outcome = call(rpc, "one.vm.deploy");
    assert_says(&outcome, RPC_NOT_SENT, "no connection");
    assert_int_equal(http_server_calls(&server), 0);
    rpc_destroy(rpc);
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

static void timeouts(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 2);
    const char *const methods[] = {"test.slow", "test.trickle"};
    struct outcome outcomes[2] = {0};
    int64_t begun = now();

    (void)state;
    for (size_t i = 0; i < 2; i++)
        rpc_call(rpc,
                 &(struct rpc_request){
                     .method = methods[i], .timeout = 150, .done = keep, .context = &outcomes[i]});
    wait_all(rpc);
    assert_in_range(now() - begun, 140, 4000);
    for (size_t i = 0; i < 2; i++)
        assert_says(&outcomes[i], RPC_UNKNOWN, "within 0.15 s");
    rpc_destroy(rpc);
}

static void in_parallel(void **state)
{
    enum { N = 8 };
    struct rpc *rpc = connect_to(server.endpoint, N);
    struct outcome outcomes[N];
    int64_t begun = now();

    (void)state;
    for (int i = 0; i < N; i++)
        begin(rpc, "test.slow", &outcomes[i]);
    assert_int_equal(rpc_pending(rpc), N);
    wait_all(rpc);
    /* One by one they would take 8 x 0.4 s. */
    assert_in_range(now() - begun, 390, 2800);
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

static void urgent_ones_first(void **state)
{
    static const char marks[] = "abUcV";
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct order order = {0};
    struct marked marked[5];

    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
    for (int i = 0; i < 4; i++)
        rpc_call(rpc, &(struct rpc_request){
                          .method = "test.boolean", .done = ask_inside, .context = &chain});
    wait_all(rpc);
    assert_int_equal(chain.left, 0);
    rpc_destroy(rpc);
}

static void arguments(void **state)
{
    const struct rpc_argument given[] = {
        RPC_INT(-1),    RPC_BOOL(1),        RPC_TEXT("SCHED_MESSAGE=\"a<b & Zürich\"\n"),
        RPC_TEXT(NULL), RPC_INT(INT32_MAX),
    };
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct error err;
    char *body = NULL;

    (void)state;
    assert_int_equal(
        rpc_call_now(
            rpc, &(struct rpc_request){.method = "test.echo", .arguments = given, .n_arguments = 5},
            &body, NULL, &err),
        0);
    assert_non_null(strstr(body, "<methodName>test.echo</methodName>"));
    assert_non_null(strstr(body, "<string>oneadmin:pass&amp;word&lt;1&gt;</string>"));
    assert_non_null(strstr(body, "<i4>-1</i4>"));
    assert_non_null(strstr(body, "<boolean>1</boolean>"));
    assert_non_null(strstr(body, "SCHED_MESSAGE=\"a&lt;b &amp; Zürich\"\n"));
    assert_non_null(strstr(body, "<string></string>"));
    assert_non_null(strstr(body, "<i4>2147483647</i4>"));
    free(body);
    rpc_destroy(rpc);
}

static void unsayable_arguments(void **state)
{
    static const struct {
        struct rpc_argument argument;
        const char *says;
    } cases[] = {
        {{RPC_STRING, 0, "caf\xE9"}, "one.vm.update: argument 2: the text is not UTF-8"},
        {{RPC_STRING, 0, "bell\a"}, "argument 2: the text is not UTF-8 or holds control"},
        {{RPC_INTEGER, INT64_C(1) << 31, NULL}, "argument 2: 2147483648 does not fit"},
    };
    struct rpc *rpc = connect_to(server.endpoint, 1);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rpc_argument given[] = {RPC_INT(1), cases[i].argument};
        struct outcome outcome = {0};
        struct error err;

        rpc_call(rpc, &(struct rpc_request){.method = "one.vm.update",
                                            .arguments = given,
                                            .n_arguments = 2,
                                            .done = keep,
                                            .context = &outcome});
        assert_int_equal(outcome.n, 0);
        assert_int_equal(rpc_wait(rpc, NULL, 0, 1000, &err), 0);
        assert_int_equal(outcome.n, 1);
        assert_says(&outcome, RPC_NOT_SENT, cases[i].says);
    }
    assert_int_equal(http_server_calls(&server), 0);
    rpc_destroy(rpc);
}

static void secrets_stay_inside(void **state)
{
    static const char *const methods[] = {"test.echo-refused", "test.echo-fault"};
    struct rpc *rpc = connect_to(server.endpoint, 1);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct outcome outcome = call(rpc, methods[i]);

        /* The call is repeated in the message, all but the session. */
        assert_non_null(strstr(outcome.message, "***"));
        assert_non_null(strstr(outcome.message, "</methodCall>"));
        assert_null(strstr(outcome.message, "word"));
    }
    rpc_destroy(rpc);
}

static void descriptors_of_the_caller(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct curl_waitfd extra = {.events = CURL_WAIT_POLLIN};
    struct outcome outcome;
    struct error err;
    int64_t begun = now();
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    extra.fd = ends[0];
    assert_int_equal(rpc_wait(rpc, &extra, 1, 100, &err), 0);
    assert_in_range(now() - begun, 95, 3000);
    assert_int_equal(extra.revents, 0);
    /* It wakes rpc_wait() while a call is under way. */
    begin(rpc, "test.trickle", &outcome);
    assert_int_equal(write(ends[1], "x", 1), 1);
    begun = now();
    assert_int_equal(rpc_wait(rpc, &extra, 1, 4000, &err), 0);
    assert_in_range(now() - begun, 0, 3000);
    assert_int_equal(extra.revents, CURL_WAIT_POLLIN);
    assert_int_equal(outcome.n, 0);
    assert_int_equal(rpc_pending(rpc), 1);
    close(ends[0]);
    close(ends[1]);
    rpc_destroy(rpc);
}

static void never_done(void *context, const struct rpc_reply *reply)
{
    (void)context, (void)reply;
    fail_msg("a call was reported that had been taken back");
}

static void destroyed_with_calls(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct error err;

    (void)state;
    for (int i = 0; i < 3; i++)
        rpc_call(rpc, &(struct rpc_request){.method = "test.slow", .done = never_done});
    assert_int_equal(rpc_wait(rpc, NULL, 0, 10, &err), 0);
    assert_int_equal(rpc_pending(rpc), 3);
    rpc_destroy(rpc);
    rpc_destroy(NULL);
}

static void call_now_errors(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    const struct rpc_request refused = {.method = "test.refused"};
    struct rpc_reply reply;
    struct error err;
    char *copy = NULL;

    (void)state;
    assert_int_equal(rpc_call_now(rpc, &refused, &copy, &reply, &err), -1);
    assert_null(copy);
    assert_int_equal(reply.outcome, RPC_REFUSED);
    assert_int_equal(reply.code, RPC_CODE_ACTION);
    assert_string_equal(err.text, "test.refused: Not enough CPU: 1500/1400");
    assert_int_equal(rpc_call_now(rpc, &refused, NULL, NULL, NULL), -1);
    rpc_destroy(rpc);
}

static void proxies_are_for_others(void **state)
{
    struct rpc *rpc;
    struct outcome outcome;

    (void)state;
    setenv("http_proxy", "http://127.0.0.1:1/", 1);
    setenv("all_proxy", "http://127.0.0.1:1/", 1);
    rpc = connect_to(server.endpoint, 1);
    outcome = call(rpc, "test.number");
    assert_int_equal(outcome.reply.number, 13);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    rpc_destroy(rpc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(any_number_of_elements),
        cmocka_unit_test(bytes_xml_forbids),
        cmocka_unit_test(refusals_and_faults),
        cmocka_unit_test(broken_answers),
        cmocka_unit_test(never_sent_twice),
        cmocka_unit_test(not_sent),
        cmocka_unit_test(timeouts),
        cmocka_unit_test(in_parallel),
        cmocka_unit_test(slow_calls_give_way),
        cmocka_unit_test(urgent_ones_first),
        cmocka_unit_test(calls_from_done),
        cmocka_unit_test(call_now_inside_done),
        cmocka_unit_test(arguments),
        cmocka_unit_test(unsayable_arguments),
        cmocka_unit_test(secrets_stay_inside),
        cmocka_unit_test(descriptors_of_the_caller),
        cmocka_unit_test(destroyed_with_calls),
        cmocka_unit_test(call_now_errors),
        cmocka_unit_test(proxies_are_for_others),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
