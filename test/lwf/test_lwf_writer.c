/* Traces that are written are read back as they were. */
#include "lwf_test.h"

#include <errno.h>

#include "lwf/lwf_writer.h"
#include "lwf/trace_combine.h"

/* Write requests with a site and read them back. */
static struct trace *write_and_read(const struct lwf_description *description,
                                    const struct lease_request *requests, size_t n, char **text)
{
    struct error err = {0};
    size_t size;
    FILE *file = open_memstream(text, &size);
    struct lwf_writer *writer = lwf_writer_create(file, description, &err);

    if (!writer)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++)
        if (lwf_writer_request(writer, &requests[i], &err) < 0)
            fail_msg("%s", err.text);
    assert_int_equal(lwf_writer_end(writer, &err), 0);
    lwf_writer_destroy(writer);
    fclose(file);
    return open_bytes(*text, size, NULL);
}

static void test_every_kind_comes_back(void **state)
{
    struct node_set sets[2] = {{.count = 3, .amounts = {{150, 2048, 7, 0, 0, 2}}},
                               {.count = 1, .amounts = {{0, 0}}}};
    struct lease_request requests[7];
    struct lwf_description description = {.name = "a & \"b\" <c>", .text = "]]> & so on"};
    struct resource_types types;
    struct error err = {0};
    char *text;

    resource_types_init(&types);
    resource_types_add(&types, "GPU", &err);
    description.types = &types;
    for (int i = 0; i < 7; i++)
        requests[i] = simple_request(i + 1, 100000 * i, 50 + i);
    requests[1].kind = LEASE_IMMEDIATE;
    requests[1].preemptible = false;
    requests[1].terms = TERMS_NON_PREEMPTABLE;
    requests[2].kind = LEASE_RESERVATION;
    requests[2].start = 400000;
    requests[2].terms = TERMS_MIGRATABLE;
    requests[2].node_sets = sets;
    requests[2].n_node_sets = 2;
    requests[3].kind = LEASE_DEADLINE;
    requests[3].start = 400000;
    requests[3].deadline = 500000;
    requests[3].origin = ORIGIN_EXTERNAL;
    requests[3].priority = -5 * PRIORITY_ONE - 500;
    requests[3].user = 0;
    requests[4].start = 1000000;
    requests[4].duration = requests[4].duration_original = SPAN_UNLIMITED;
    requests[4].preemptible = false;
    requests[4].terms = TERMS_RESTARTABLE;
    requests[5].image = "a'b\"&amp;<\t\n\xc3\xbc>.img";
    requests[5].image_size = 600;
    requests[5].duration_known = 0;
    requests[6].deadline = 600000;
    requests[6].duration_known = 20;
    expect_same(trace_from_requests(requests, 7, NULL),
                write_and_read(&description, requests, 7, &text));
    /* The usual is not written. */
    assert_null(strstr(text, "terms=\"suspendable\""));
    assert_null(strstr(text, "origin=\"local\""));
    assert_null(strstr(text, "priority=\"0\""));
    assert_null(strstr(text, "user=\"-1\""));
    free(text);
}

static void test_site_comes_back(void **state)
{
    struct lwf_description description = {0};
    struct error err = {0};
    struct site site;
    struct trace *trace;
    char *text;

    site_init(&site);
    resource_types_add(&site.types, "GPU", &err);
    site_add_hosts(&site, 2, &(struct amounts){{100, 1024, 1000000, 1000000, 1000000}}, &err);
    site_add_hosts(&site, 1, &(struct amounts){{400, 4096, 50, 1000000, 1000000, 2}}, &err);
    description.site = &site;
    trace = write_and_read(&description, NULL, 0, &text);
    assert_non_null(strstr(text, "names=\"CPU Memory Disk GPU\""));
    assert_non_null(strstr(text, "numnodes=\"2\""));
    assert_non_null(trace_site(trace));
    assert_int_equal(trace_site(trace)->n_hosts, 3);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(&trace_site(trace)->hosts[i].capacity, &site.hosts[i].capacity,
                            sizeof(struct amounts));
    expect_end(trace);
    trace_destroy(trace);
    site_finish(&site);
    free(text);
}

static void test_real_trace_comes_back(void **state)
{
    struct error err = {0};
    struct lease_request requests[200];
    struct trace *trace =
        lwf_open_source(source_open(LWF_TEST_DATA "/blue-excerpt.lwf", &err), NULL, &err);
    struct trace *copy;
    struct lwf_description description = {.site = trace_site(trace)};
    struct node_set sets[200];
    char *text;
    size_t n = 0;

    while (trace_next(trace, &requests[n], &err) > 0) {
        sets[n] = *requests[n].node_sets;
        requests[n].node_sets = &sets[n];
        n++;
    }
    assert_int_equal(n, 105);
    copy = write_and_read(&description, requests, n, &text);
    trace_destroy(trace);
    expect_same(lwf_open_source(source_open(LWF_TEST_DATA "/blue-excerpt.lwf", &err), NULL, &err),
                copy);
    free(text);
}

static void test_what_cannot_be_written(void **state)
{
    struct lease_request request = simple_request(9, 0, 60);
    struct lwf_description description = {0};
    struct error err = {0};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct lwf_writer *writer = lwf_writer_create(file, &description, &err);

    request.image = "bell \a";
    assert_int_equal(lwf_writer_request(writer, &request, &err), -1);
    assert_string_equal(err.text, "lease 9: the name of the disk image is not UTF-8 text");
    request.image = "latin \xfc";
    assert_int_equal(lwf_writer_request(writer, &request, &err), -1);
    request.image = NULL;
    request.submit = -1;
    assert_int_equal(lwf_writer_request(writer, &request, &err), -1);
    assert_string_equal(err.text, "lease 9: a time is negative or too large for a trace");
    lwf_writer_destroy(writer);
    description.name = "\xff";
    assert_null(lwf_writer_create(file, &description, &err));
    assert_int_equal(err.code, EINVAL);
    fclose(file);
    free(text);
}

static void test_full_disk(void **state)
{
    struct lease_request request = simple_request(1, 0, 60);
    struct lwf_description description = {0};
    struct error err = {0};
    FILE *file = fopen("/dev/full", "we");
    struct lwf_writer *writer;
    int result = 0;

    if (!file)
        skip();
    writer = lwf_writer_create(file, &description, &err);
    assert_non_null(writer);
    for (int i = 0; i < 1000 && result == 0; i++)
        result = lwf_writer_request(writer, &request, &err);
    assert_int_equal(result, -1);
    assert_int_equal(err.code, ENOSPC);
    assert_int_equal(lwf_writer_end(writer, &err), -1);
    lwf_writer_destroy(writer);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_comes_back),
        cmocka_unit_test(test_site_comes_back),
        cmocka_unit_test(test_real_trace_comes_back),
        cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_full_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
