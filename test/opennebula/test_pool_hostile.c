/* Documents that lie, break or do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "test/opennebula/recordings.h"
#include "util/memory.h"

static void assert_refused(const char *document, size_t length, const char *says)
{
    struct vm_pool pool = {.n = 77};
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, document, length, &err), -1);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    assert_int_equal(pool.n, 0);
    assert_null(pool.items);
    vm_pool_finish(&pool);
}

#define VALUES "<STATE>1</STATE><TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY></TEMPLATE>"

static void refused(void **state)
{
    static const struct {
        const char *document, *says;
    } cases[] = {
        {"", "it has 0 bytes"},
        {"no XML", "not well-formed XML"},
        {"<VM_POOL>", "not well-formed XML"},
        {"<VM_POOL></VM>", "not well-formed XML"},
        {"<VM_POOL/><VM_POOL/>", "not well-formed XML"},
        {"<HOST_POOL/>", "its root is <HOST_POOL>, not <VM_POOL> or <VM>"},
        {"<VM_POOL><VM><ID>1</ID>" VALUES "</VM>", "not well-formed XML"},
        {"<!DOCTYPE VM_POOL><VM_POOL/>", "DOCTYPE"},
        {"<!DOCTYPE VM_POOL SYSTEM \"file:///etc/passwd\"><VM_POOL/>", "DOCTYPE"},
        {"<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><VM_POOL><VM><ID>1</ID><NAME>&a;"
         "</NAME>" VALUES "</VM></VM_POOL>",
         "DOCTYPE"},
        {"<VM_POOL><VM><NAME>&unknown;</NAME></VM></VM_POOL>", "not well-formed XML"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].document);
        /* Of its exact length: reading on is caught. */
        char *copy = memory_copy(cases[i].document, length);

        assert_refused(copy, length, cases[i].says);
        free(copy);
    }
}

static void too_deep(void **state)
{
    enum { LEVELS = 100000 };
    char *document = memory_new(LEVELS * 3 + 100, 1), *end = document;

    end = stpcpy(end, "<VM_POOL><VM>");
    for (int i = 0; i < LEVELS; i++)
        end = stpcpy(end, "<a>");
    assert_refused(document, (size_t)(end - document), "more than 32 nested elements");
    free(document);
}

static void cut_anywhere(void **state)
{
    struct vm_pool pool;
    struct error err;
    size_t length;
    char *document = recorded_document("6.10", "vm.info.pending-haizea-ar", &length), *part;

    for (size_t n = 0; n < length; n++) {
        part = memory_copy(document, n);
        assert_int_equal(vm_pool_parse(&pool, part, n, &err), -1);
        assert_null(pool.items);
        free(part);
    }
    free(document);
}

/* A template in another encoding, with control characters or a NUL, hides nobody. */
static void forbidden_bytes(void **state)
{
    static const char document[] =
        "<VM_POOL><VM><ID>1</ID><NAME>caf\xE9 \x01\xC0\xAF\xED\xA0\x80</NAME>" VALUES
        "</VM><VM><ID>2</ID><NAME>z\xC3\xBCrich</NAME>" VALUES "</VM></VM_POOL>";
    struct vm_pool pool;
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    assert_int_equal(pool.n, 2);
    assert_string_equal(pool.items[0].name, "caf? ??????");
    assert_string_equal(pool.items[1].name, "z\xC3\xBCrich");
    vm_pool_finish(&pool);
}

static void markup_in_values(void **state)
{
    static const char document[] =
        "<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>"
        "<NAME>a &lt;b&gt; &amp; c</NAME>" VALUES
        "<USER_TEMPLATE><DEVICE><![CDATA[C79 [GeForce 9400M]]]></DEVICE>"
        "<TEXT><![CDATA[</VM><VM><ID>0</ID>]]></TEXT><TWO><![CDATA[a]]>b<![CDATA[c]]></TWO>"
        "<lower>x</lower><EMPTY/><BLANK> </BLANK></USER_TEMPLATE></VM>";
    const struct attributes *attributes;
    struct vm_pool pool;
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    assert_int_equal(pool.n, 1);
    assert_string_equal(pool.items[0].name, "a <b> & c");
    attributes = &pool.items[0].user_template;
    assert_string_equal(attributes_find(attributes, "DEVICE"), "C79 [GeForce 9400M]");
    assert_string_equal(attributes_find(attributes, "TEXT"), "</VM><VM><ID>0</ID>");
    assert_string_equal(attributes_find(attributes, "TWO"), "abc");
    assert_string_equal(attributes_find(attributes, "LOWER"), "x");
    assert_null(attributes_find(attributes, "EMPTY"));
    assert_string_equal(attributes_find(attributes, "BLANK"), " ");
    vm_pool_finish(&pool);
}

/* Objects without content take more memory than their text. */
static void small_text_for_large_objects(void **state)
{
    enum { HOSTS = 100000, LENGTH = 50 };
    char *document = memory_new((HOSTS + 1) * LENGTH, 1), *end = document;
    struct host_pool pool;
    struct error err;

    end = stpcpy(end, "<HOST_POOL>");
    for (int i = 0; i < HOSTS; i++)
        end += sprintf(end, "<HOST><ID>%d</ID><STATE>2</STATE></HOST>", i);
    end = stpcpy(end, "</HOST_POOL>");
    assert_int_equal(host_pool_parse(&pool, document, (size_t)(end - document), &err), -1);
    assert_non_null(strstr(err.text, "describes more than fits into 2 times its length"));
    assert_null(pool.items);
    free(document);
}

/* Values are cut, but stay longer than what anybody accepts. */
static void long_values(void **state)
{
    enum { LENGTH = 300000 };
    char *document = memory_new(LENGTH + 1000, 1), *end;
    struct vm_pool pool;
    const char *value;
    struct error err;

    end = stpcpy(document, "<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>" VALUES
                           "<USER_TEMPLATE><LONG>");
    memset(end, 'x', LENGTH);
    end = stpcpy(end + LENGTH, "</LONG><SHORT>y</SHORT></USER_TEMPLATE></VM>");
    assert_int_equal(vm_pool_parse(&pool, document, (size_t)(end - document), &err), 0);
    free(document);
    value = attributes_find(&pool.items[0].user_template, "LONG");
    assert_in_range(strlen(value), 65537, 66000);
    assert_string_equal(attributes_find(&pool.items[0].user_template, "SHORT"), "y");
    vm_pool_finish(&pool);
}

/* An owner's attributes cannot pose as the object's own values. */
static void imposture(void **state)
{
    static const char document[] =
        "<VM_POOL><VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>" VALUES
        "<USER_TEMPLATE><ID>7</ID><STATE>3</STATE><CPU>99</CPU><HISTORY><SEQ>9</SEQ><HID>4</HID>"
        "</HISTORY><VM><ID>8</ID><STATE>1</STATE></VM><DISK><SIZE>5</SIZE><TYPE>fs</TYPE></DISK>"
        "<LOCK><LOCKED>1</LOCKED></LOCK></USER_TEMPLATE></VM></VM_POOL>";
    struct vm_pool pool;
    const struct vm *vm;
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    assert_int_equal(pool.n, 1);
    vm = &pool.items[0];
    assert_int_equal(vm->id, 1);
    assert_int_equal(vm->state, VM_PENDING);
    assert_int_equal(vm->cpu, 100);
    assert_int_equal(vm->n_records, 0);
    assert_int_equal(vm->history.sequence, -1);
    assert_int_equal(vm->disk, 0);
    assert_false(vm->locked);
    vm_pool_finish(&pool);
}

/* More names than there is room at first. */
static void many_names(void **state)
{
    enum { N = 5000 };
    char *document = memory_new(N * 40 + 1000, 1), *end, name[32];
    struct vm_pool pool;
    struct error err;

    end = stpcpy(document, "<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>" VALUES
                           "<USER_TEMPLATE>");
    for (int i = 0; i < N; i++)
        end += sprintf(end, "<V%d><A>%d</A></V%d>", i % (N / 2), i, i % (N / 2));
    end = stpcpy(end, "</USER_TEMPLATE></VM>");
    assert_int_equal(vm_pool_parse(&pool, document, (size_t)(end - document), &err), 0);
    free(document);
    assert_int_equal(pool.items[0].user_template.n, N);
    for (int i = 0; i < N; i++) {
        const struct attribute *attribute = &pool.items[0].user_template.items[i];

        snprintf(name, sizeof name, "V%d/A", i % (N / 2));
        assert_string_equal(attribute->name, name);
        assert_int_equal(atoi(attribute->value), i);
    }
    vm_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),          cmocka_unit_test(too_deep),
        cmocka_unit_test(cut_anywhere),     cmocka_unit_test(forbidden_bytes),
        cmocka_unit_test(markup_in_values), cmocka_unit_test(small_text_for_large_objects),
        cmocka_unit_test(long_values),      cmocka_unit_test(imposture),
        cmocka_unit_test(many_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
