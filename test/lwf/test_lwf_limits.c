/* Input that is made to hurt: everything gets an error with its place, soon, in little memory. */
#include "lwf_test.h"

#include <sys/resource.h>
#include <time.h>

#define HEAD "<lease-workload><lease-requests>"
#define GOOD BEST_EFFORT("00:00:00", "00:10:00")

struct text {
    char *bytes;
    size_t size;
    FILE *file;
};

static FILE *text_begin(struct text *text)
{
    text->bytes = NULL;
    text->file = open_memstream(&text->bytes, &text->size);
    assert_non_null(text->file);
    return text->file;
}

static void text_expect(struct text *text, const char *error)
{
    clock_t before = clock();

    fclose(text->file);
    expect_error_in_bytes(text->bytes, text->size, error);
    assert_true(clock() - before < 5 * CLOCKS_PER_SEC);
    free(text->bytes);
}

static void test_doctype(void **state)
{
    expect_error("<!DOCTYPE lease-workload>\n" WORKLOAD("", GOOD),
                 "1:1: a DOCTYPE is not allowed; remove it", NULL);
    expect_error(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE w SYSTEM \"http://localhost:1/x.dtd\">\n" WORKLOAD(
            "", GOOD),
        "2:1: a DOCTYPE is not allowed; remove it", NULL);
}

static void test_entity_bomb(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a0 \"ha\">", file);
    for (int i = 1; i < 60; i++)
        fprintf(file, "<!ENTITY a%d \"&a%d;&a%d;\">", i, i - 1, i - 1);
    fputs("]><lease-workload name=\"&a59;\"><lease-requests/></lease-workload>", file);
    text_expect(&text, ":2:1: a DOCTYPE is not allowed");
}

static void test_entity_without_doctype(void **state)
{
    expect_error("<lease-workload name=\"&bomb;\"><lease-requests/></lease-workload>",
                 "1:29: not well-formed XML: Entity 'bomb' not defined", NULL);
}

static void test_deep_nesting(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs("<lease-workload>\n", file);
    for (int i = 0; i < 1000000; i++)
        fputs("<a>", file);
    text_expect(&text, ":2:94: elements are nested more than 32 deep");
}

static void test_truncated_everywhere(void **state)
{
    static const char text[] = WORKLOAD(SITE_TEXT, GOOD GOOD);
    size_t size = strlen(text) - strlen("</lease-workload>\n");

    for (size_t n = 0; n < size; n++)
        expect_error_in_bytes(text, n, ": ");
}

static void test_nul_bytes(void **state)
{
    static const char inside[] = "<lease-workload>\n<lease-requests>\0</lease-requests>"
                                 "</lease-workload>";
    static const char in_value[] = "<lease-workload name=\"a\0b\"><lease-requests/>"
                                   "</lease-workload>";
    static const char zeros[20000];

    expect_error_in_bytes(inside, sizeof inside - 1, "not well-formed XML");
    expect_error_in_bytes(in_value, sizeof in_value - 1, "not well-formed XML");
    expect_error_in_bytes(zeros, sizeof zeros, "not well-formed XML");
}

static void test_bad_utf8(void **state)
{
    expect_error_in_bytes("<lease-workload>\n <description>\xff\xfe</description>"
                          "<lease-requests/></lease-workload>",
                          80, ":2:");
    expect_error_in_bytes("\x80<lease-workload/>", 18, "not well-formed XML");
    expect_error("<?xml version=\"1.0\" encoding=\"klingon\"?><lease-workload/>",
                 "1:39: not well-formed XML: Unsupported encoding klingon", NULL);
}

static void test_huge_attribute(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs(HEAD "<lease-request arrival=\"00:00\"><lease preemptible=\"true\"><software>"
               "<disk-image size=\"1\" id=\"",
          file);
    for (int i = 0; i < 1000000; i++)
        putc('x', file);
    fputs("\"/>", file);
    text_expect(&text, "the name of the disk image has 1000000 bytes: expected 1 to 1024");
}

static void test_endless_attribute(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs("<lease-workload name=\"", file);
    for (int i = 0; i < 30000000; i++)
        putc('x', file);
    text_expect(&text, "not well-formed XML");
}

static void test_too_many_node_sets(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs(HEAD "\n<lease-request arrival=\"00:00\"><lease preemptible=\"true\"><nodes>\n", file);
    for (int i = 0; i < 100000; i++)
        fputs("<node-set numnodes=\"1\"/>", file);
    text_expect(&text, "the lease has more than 1000000 VMs or 16384 node sets");
}

static void test_too_many_hosts(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs("<lease-workload><site><resource-types names=\"CPU Memory\"/><nodes>", file);
    for (int i = 0; i < 3; i++)
        fputs("<node-set numnodes=\"262144\"/>", file);
    text_expect(&text, "the site has more than 262144 hosts");
}

static void test_too_many_resource_types(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);

    fputs("<lease-workload><site><resource-types names=\"CPU Memory", file);
    for (int i = 0; i < 1000; i++)
        fprintf(file, " type-%d", i);
    fputs("\"/>", file);
    text_expect(&text, "test.lwf:1:");
}

static void test_garbage_behind_the_end(void **state)
{
    expect_error("<lease-workload><lease-requests/></lease-workload>\nmore",
                 "2:1: not well-formed XML: Extra content at the end of the document", NULL);
}

/* A hundred thousand leases take no more memory than two thousand. */
static void test_memory_does_not_grow(void **state)
{
    struct text text;
    FILE *file = text_begin(&text);
    struct rusage before, after;
    struct lease_request request;
    struct error err = {0};
    struct trace *trace;
    int64_t n = 0;

    fputs(HEAD, file);
    for (int i = 0; i < 100000; i++)
        fputs(GOOD, file);
    fputs("</lease-requests></lease-workload>", file);
    fclose(file);
    trace = open_bytes(text.bytes, text.size, NULL);
    for (; n < 2000; n++)
        next_request(trace);
    getrusage(RUSAGE_SELF, &before);
    while (trace_next(trace, &request, &err) > 0)
        n++;
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(n, 100000);
    assert_true(after.ru_maxrss - before.ru_maxrss < 2048);
    trace_destroy(trace);
    free(text.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_does_not_grow),
        cmocka_unit_test(test_doctype),
        cmocka_unit_test(test_entity_bomb),
        cmocka_unit_test(test_entity_without_doctype),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_truncated_everywhere),
        cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_bad_utf8),
        cmocka_unit_test(test_huge_attribute),
        cmocka_unit_test(test_endless_attribute),
        cmocka_unit_test(test_too_many_node_sets),
        cmocka_unit_test(test_too_many_hosts),
        cmocka_unit_test(test_too_many_resource_types),
        cmocka_unit_test(test_garbage_behind_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
