/* Answers with texts of documents' size, which are decoded another way than small ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/rpc_answer.h"
#include "util/memory.h"

enum { FILLING = 40000 };

#define HEAD "<?xml version=\"1.0\"?>\n<methodResponse><params><param><value><array><data>\n"
#define TAIL "</data></array></value></param></params></methodResponse>\n"

/* An answer whose text is `text` between much else. */
static char *answer_with(const char *success, const char *text, size_t *length)
{
    char *body = memory_new(FILLING + 1000, 1), *end;

    end = body + sprintf(body, HEAD "<value><boolean>%s</boolean></value>\n<value><string>begin ",
                         success);
    memset(end, 'x', FILLING);
    end += FILLING;
    end += sprintf(end, "%s</string> </value><value><i4>2048</i4></value>" TAIL, text);
    *length = (size_t)(end - body);
    return body;
}

static void large_texts(void **state)
{
    static const struct {
        const char *written, *meant; /* NULL: it is no answer */
    } cases[] = {
        {"", ""},
        {"&lt;VM&gt;a &amp; b&lt;/VM&gt;", "<VM>a & b</VM>"},
        {"&amp;lt;&amp;amp;&amp;#65;", "&lt;&amp;&#65;"},
        {"z\xC3\xBCrich\n", "z\xC3\xBCrich\n"},
        /* For these it takes a parser. */
        {"&quot;&apos;&#65;&#x42;", "\"'AB"},
        {"a&#x0d;\nb\r\nc", "a\r\nb\nc"},
        {"<![CDATA[<&>]]>", "<&>"},
        {"a<!-- comment -->b", "ab"},
        {"bad \x01 byte", "bad ? byte"},
        {"caf\xE9", "caf?"},
        {"&unknown;", NULL},
        {"&", NULL},
        {"&lt", NULL},
        {"<unclosed>", NULL},
    };
    struct rpc_reply answer;
    size_t length;
    char *body;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        body = answer_with("1", cases[i].written, &length);
        rpc_answer_decode(&answer, body, length);
        free(body);
        if (!cases[i].meant) {
            assert_int_equal(answer.outcome, RPC_UNKNOWN);
            assert_null(answer.text);
            assert_non_null(strstr(answer.message, "not XML-RPC"));
        } else {
            assert_int_equal(answer.outcome, RPC_DONE);
            assert_null(answer.message);
            assert_int_equal(answer.length, strlen(answer.text));
            assert_int_equal(answer.length, 6 + FILLING + strlen(cases[i].meant));
            assert_memory_equal(answer.text, "begin xxx", 9);
            assert_string_equal(answer.text + 6 + FILLING, cases[i].meant);
        }
        rpc_answer_finish(&answer);
    }
}

static void large_refusal(void **state)
{
    struct rpc_reply answer;
    size_t length;
    char *body = answer_with("0", "&lt;end&gt;", &length);

    rpc_answer_decode(&answer, body, length);
    assert_int_equal(answer.outcome, RPC_REFUSED);
    assert_int_equal(answer.code, RPC_CODE_ACTION);
    assert_memory_equal(answer.message, "begin xxx", 9);
    assert_string_equal(answer.message + 6 + FILLING, "<end>");
    assert_null(answer.text);
    rpc_answer_finish(&answer);
    free(body);
}

/* The large text must be the second element's. */
static void large_elsewhere(void **state)
{
    char *body = memory_new(FILLING + 1000, 1), *end;
    struct rpc_reply answer;

    end = body + sprintf(body, HEAD "<value><boolean>1</boolean></value><value><i4>7</i4></value>"
                                    "<value><string>");
    memset(end, 'x', FILLING);
    strcpy(end + FILLING, "</string></value>" TAIL);
    rpc_answer_decode(&answer, body, strlen(body));
    assert_int_equal(answer.outcome, RPC_DONE);
    assert_int_equal(answer.number, 7);
    assert_null(answer.text);
    rpc_answer_finish(&answer);
    free(body);
}

static void odd_values(void **state)
{
    static const struct {
        const char *values;
        enum rpc_outcome outcome;
        int64_t number;
        const char *text;
    } cases[] = {
        {"<value><i4>1</i4></value><value><i8>-9000000000</i8></value>", RPC_DONE, -9000000000,
         NULL},
        {"<value><int>1</int></value><value><int> 12 </int></value>", RPC_DONE, 12, NULL},
        {"<value> <boolean>1</boolean> </value> <value> <string>a</string> </value>", RPC_DONE, 0,
         "a"},
        {"<value><boolean>1</boolean></value><value/>", RPC_DONE, 0, ""},
        {"<value><boolean>1</boolean></value><value> a </value>", RPC_DONE, 0, " a "},
        {"<value><boolean>1</boolean></value><value><string/></value>", RPC_DONE, 0, ""},
        {"<value><boolean>1</boolean></value><value><i4>12x</i4></value>", RPC_UNKNOWN, 0, NULL},
        {"<value><boolean>1</boolean></value><value><i4/></value>", RPC_UNKNOWN, 0, NULL},
        {"<value><boolean>1</boolean></value><value><i8>- </i8></value>", RPC_UNKNOWN, 0, NULL},
        {"<value><boolean>yes</boolean></value><value>a</value>", RPC_UNKNOWN, 0, NULL},
        {"<value>1</value><value>a</value>", RPC_UNKNOWN, 0, NULL},
        {"<value><boolean>1</boolean></value><value><array><data><value><i4>4</i4></value></data>"
         "</array></value>",
         RPC_UNKNOWN, 0, NULL},
        {"<value><array><data><value><boolean>1</boolean></value></data></array></value>"
         "<value>a</value>",
         RPC_UNKNOWN, 0, NULL},
    };
    struct rpc_reply answer;
    char body[1000];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(body, sizeof body, HEAD "%s" TAIL, cases[i].values);
        rpc_answer_decode(&answer, body, strlen(body));
        assert_int_equal(answer.outcome, cases[i].outcome);
        assert_int_equal(answer.number, cases[i].number);
        if (cases[i].text)
            assert_string_equal(answer.text, cases[i].text);
        else
            assert_null(answer.text);
        rpc_answer_finish(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_texts),
        cmocka_unit_test(large_refusal),
        cmocka_unit_test(large_elsewhere),
        cmocka_unit_test(odd_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
