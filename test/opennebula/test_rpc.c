/* Calls against a server that answers well, badly and not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/opennebula/rpc_fixture.h"

static void values(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome;

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

    outcome = call(rpc, "test.two-elements");
    assert_string_equal(outcome.text, "old");
    outcome = call(rpc, "test.seven-elements");
    assert_int_equal(outcome.reply.number, 7);
    outcome = call(rpc, "test.no-value");
    assert_says(&outcome, RPC_UNKNOWN, "test.no-value: ");
    outcome = call(rpc, "test.empty-array");
    assert_says(&outcome, RPC_UNKNOWN, "unexpected answer");
    outcome = call(rpc, "test.struct");
    assert_says(&outcome, RPC_UNKNOWN, "neither a string nor a number");
    outcome = call(rpc, "test.refused-short");
    assert_says(&outcome, RPC_REFUSED, "without a reason");
    rpc_destroy(rpc);
}

static void bytes_xml_forbids(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome = call(rpc, "test.control");

    assert_int_equal(outcome.reply.outcome, RPC_DONE);
    assert_string_equal(outcome.text, "a?b?c");
    rpc_destroy(rpc);
}

static void refusals_and_faults(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct outcome outcome;

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
        {"test.drop", "no complete answer"},
        {"test.truncated", "no complete answer"},
        {"test.truncated-xml", "not XML-RPC: byte"},
        {"test.unclosed-xml", "not XML-RPC"},
        {"test.garbled", "not XML-RPC"},
        {"test.empty", "not XML-RPC: it is empty"},
        {"test.html", "unexpected answer"},
        {"test.bomb", "unexpected DOCTYPE"},
        {"test.deep", "more than 32 nested elements"},
        {"test.500", "HTTP status 500"},
        {"test.404", "HTTP status 404 (does oned"},
        {"test.redirect", "HTTP status 302 (redirects are not followed"},
        {"test.huge", "longer than 1048576 bytes"},
        {"test.endless", "longer than 1048576 bytes"},
    };
    struct rpc *rpc = connect_to(server.endpoint, 1);

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

    assert_int_equal(http_server_calls(&server), 1);
    outcome = call(rpc, "test.drop");
    assert_says(&outcome, RPC_UNKNOWN, "no complete answer came: the connection broke");
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

static void arguments(void **state)
{
    const struct rpc_argument given[] = {
        RPC_INT(-1),    RPC_BOOL(1),        RPC_TEXT("SCHED_MESSAGE=\"a<b & Zürich\"\n"),
        RPC_TEXT(NULL), RPC_INT(INT32_MAX),
    };
    struct rpc *rpc = connect_to(server.endpoint, 1);
    struct error err;
    char *body = NULL;

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
        {{RPC_STRING, 0, "bell\a"}, "argument 2: the text is not UTF-8 or contains control"},
        {{RPC_INTEGER, INT64_C(1) << 31, NULL}, "argument 2: 2147483648 does not fit"},
    };
    struct rpc *rpc = connect_to(server.endpoint, 1);

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

    for (size_t i = 0; i < 2; i++) {
        struct outcome outcome = call(rpc, methods[i]);

        /* The call is repeated in the message, all but the session. */
        assert_non_null(strstr(outcome.message, "***"));
        assert_non_null(strstr(outcome.message, "</methodCall>"));
        assert_null(strstr(outcome.message, "word"));
    }
    rpc_destroy(rpc);
}

static void call_now_errors(void **state)
{
    struct rpc *rpc = connect_to(server.endpoint, 1);
    const struct rpc_request refused = {.method = "test.refused"};
    struct rpc_reply reply;
    struct error err;
    char *copy = NULL;

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
        cmocka_unit_test(arguments),
        cmocka_unit_test(unsayable_arguments),
        cmocka_unit_test(secrets_stay_inside),
        cmocka_unit_test(call_now_errors),
        cmocka_unit_test(proxies_are_for_others),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
