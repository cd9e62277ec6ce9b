/* The document in an answer comes out the same, wherever the answer is cut into pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/rpc_answer.h"
#include "adapters/opennebula/rpc_text.h"

#define ANSWER(boolean, text)                                                                      \
    "<?xml "                                                                                       \
    "version=\"1.0\"?><methodResponse><params><param><value><array><data><value><boolean>" boolean \
    "</boolean></value><value><string>" text                                                       \
    "</string></value><value><i4>0</i4></value></data></array></value></param></params>"           \
    "</methodResponse>"

struct sink {
    char text[4096];
    size_t length;
};

static void take(void *context, const char *text, size_t length)
{
    struct sink *sink = context;

    assert_true(sink->length + length < sizeof sink->text);
    memcpy(sink->text + sink->length, text, length);
    sink->length += length;
    sink->text[sink->length] = '\0';
}

/* Cut in two at `cut`, and the rest byte by byte when asked for. */
static void read_cut(struct rpc_text *text, const char *answer, size_t cut, bool bytewise)
{
    size_t length = strlen(answer);

    rpc_text_take(text, answer, cut);
    if (!bytewise) {
        rpc_text_take(text, answer + cut, length - cut);
        return;
    }
    for (size_t i = cut; i < length; i++)
        rpc_text_take(text, answer + i, 1);
}

static void expect_text(const char *answer, const char *wanted)
{
    for (size_t cut = 0; cut <= strlen(answer); cut++)
        for (int bytewise = 0; bytewise < 2; bytewise++) {
            struct sink sink = {0};
            struct rpc_text text;
            struct rpc_reply decoded;

            rpc_text_init(&text, take, NULL, &sink);
            read_cut(&text, answer, cut, bytewise);
            rpc_answer_decode(&decoded, text.around, text.n_around);
            assert_int_equal(decoded.outcome, RPC_DONE);
            assert_int_equal(decoded.length, 0);
            assert_false(text.broken);
            assert_string_equal(sink.text, wanted);
            rpc_answer_finish(&decoded);
            rpc_text_finish(&text);
        }
}

static void it_is_the_same_wherever_it_is_cut(void **state)
{
    expect_text(ANSWER("1", "&lt;A&gt;x &amp;amp; y&lt;/A&gt;"), "<A>x &amp; y</A>");
    expect_text(ANSWER("1", "\xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80."),
                "\xC3\xBC \xE2\x82\xAC \xF0\x9F\x98\x80.");
    expect_text(ANSWER("1", "&quot;&#65;&#x42;&apos;"), "\"AB'");
    expect_text(ANSWER("1", "a\x01"
                            "b\xFF"
                            "c"),
                "a?b?c");
    expect_text(ANSWER("1", ""), "");
}

static void a_refusal_has_no_document(void **state)
{
    const char *answer = ANSWER("0", "[one.vmpool.info] Not authorized");
    struct sink sink = {0};
    struct rpc_text text;
    struct rpc_reply decoded;

    rpc_text_init(&text, take, NULL, &sink);
    read_cut(&text, answer, 0, true);
    rpc_answer_decode(&decoded, text.around, text.n_around);
    assert_int_equal(decoded.outcome, RPC_REFUSED);
    assert_int_equal(sink.length, 0);
    assert_non_null(strstr(decoded.message, "Not authorized"));
    rpc_answer_finish(&decoded);
    rpc_text_finish(&text);
}

static void what_no_parser_understands_is_told(void **state)
{
    const char *answer = ANSWER("1", "a &nonsense; b");
    struct sink sink = {0};
    struct rpc_text text;

    rpc_text_init(&text, take, NULL, &sink);
    read_cut(&text, answer, 0, false);
    assert_true(text.broken);
    rpc_text_finish(&text);
}

/* --- VMs in batches --------------------------------------------------------------------------- */

struct counted {
    size_t n, batches;
    int32_t last;
    const char *state;
};

static void count(void *context, struct vm_pool *pool)
{
    struct counted *counted = context;

    counted->batches++;
    for (size_t i = 0; i < pool->n; i++) {
        counted->last = pool->items[i].id;
        counted->state = pool->items[i].state_name;
        assert_string_equal(pool->items[i].name, "one");
    }
    counted->n += pool->n;
}

static void feed_vms(struct vm_batches *batches, int n)
{
    char vm[256];

    vm_batches_feed(batches, "<VM_POOL>", strlen("<VM_POOL>"));
    for (int i = 0; i < n; i++) {
        snprintf(vm, sizeof vm,
                 "<VM><ID>%d</ID><NAME>one</NAME><STATE>3</STATE><LCM_STATE>3</LCM_STATE>"
                 "<TEMPLATE><CPU>1</CPU><MEMORY>64</MEMORY></TEMPLATE></VM>",
                 i);
        vm_batches_feed(batches, vm, strlen(vm));
    }
}

static void vms_come_in_batches(void **state)
{
    struct counted counted = {0};
    struct vm_batches batches = {.batch = count, .context = &counted};
    struct error err = {0};

    vm_batches_begin(&batches);
    feed_vms(&batches, 1000);
    vm_batches_feed(&batches, "</VM_POOL>", strlen("</VM_POOL>"));
    assert_int_equal(vm_batches_end(&batches, &err), 0);
    assert_int_equal(counted.n, 1000);
    assert_int_equal(counted.batches, 4);
    assert_int_equal(counted.last, 999);
    assert_string_equal(counted.state, "RUNNING");
}

static void a_document_that_ends_too_early_is_refused(void **state)
{
    struct counted counted = {0};
    struct vm_batches batches = {.batch = count, .context = &counted};
    struct error err = {0};

    vm_batches_begin(&batches);
    feed_vms(&batches, 300);
    assert_int_equal(vm_batches_end(&batches, &err), -1);
    vm_batches_begin(&batches);
    vm_batches_feed(&batches, "<!DOCTYPE x><VM_POOL/>", strlen("<!DOCTYPE x><VM_POOL/>"));
    assert_int_equal(vm_batches_end(&batches, &err), -1);
    assert_non_null(strstr(err.text, "DOCTYPE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_wherever_it_is_cut),
        cmocka_unit_test(a_refusal_has_no_document),
        cmocka_unit_test(what_no_parser_understands_is_told),
        cmocka_unit_test(vms_come_in_batches),
        cmocka_unit_test(a_document_that_ends_too_early_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
