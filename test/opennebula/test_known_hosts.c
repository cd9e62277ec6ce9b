/* Hosts whose document has not changed are not parsed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/known_hosts.h"
#include "adapters/opennebula/pool.h"

#define HOST(id, name, cpu)                                                                        \
    "<HOST><ID>" id "</ID><NAME>" name "</NAME><STATE>2</STATE><CLUSTER_ID>0</CLUSTER_ID>"         \
    "<HOST_SHARE><MAX_CPU>" cpu "</MAX_CPU></HOST_SHARE><VMS><ID>7</ID></VMS></HOST>"
#define POOL(hosts) "<HOST_POOL>" hosts "</HOST_POOL>"

static const char two[] = POOL(HOST("2", "b", "400") HOST("1", "a", "200"));
static const char other[] = POOL(HOST("1", "a", "200") HOST("2", "b", "800"));

static int parse(struct known_hosts *known, struct host_pool *pool, const char *document)
{
    struct error err;

    return known_hosts_parse(known, pool, document, strlen(document), &err);
}

static void equal_documents_are_read_once(void **state)
{
    struct known_hosts *known = known_hosts_create();
    struct host_pool first, second, third;

    assert_int_equal(parse(known, &first, two), 0);
    assert_int_equal(parse(known, &second, two), 0);
    assert_int_equal(parse(known, &third, other), 0);
    assert_int_equal(first.n, 2);
    assert_int_equal(second.n, 2);
    assert_ptr_equal(first.items[0].name, second.items[0].name);
    assert_int_equal(second.items[1].cpu, 400);
    assert_int_equal(third.items[1].cpu, 800);
    /* In any order: each keeps what it shares. */
    known_hosts_destroy(known);
    host_pool_finish(&first);
    assert_string_equal(second.items[1].name, "b");
    assert_int_equal(second.items[1].vms[0], 7);
    host_pool_finish(&second);
    host_pool_finish(&third);
}

static void figures_are_those_of_one_pool(void **state)
{
    static const char figures[] =
        "<MONITORING_DATA><MONITORING><ID>1</ID><CAPACITY><FREE_CPU>50</FREE_CPU></CAPACITY>"
        "</MONITORING></MONITORING_DATA>";
    struct known_hosts *known = known_hosts_create();
    struct host_monitoring_pool monitoring;
    struct host_pool first, second;
    struct error err;

    assert_int_equal(host_monitoring_parse(&monitoring, figures, strlen(figures), &err), 0);
    assert_int_equal(parse(known, &first, two), 0);
    host_monitoring_merge(&first, &monitoring);
    assert_int_equal(parse(known, &second, two), 0);
    assert_string_equal(host_attribute(&first.items[0], "FREE_CPU"), "50");
    assert_null(host_attribute(&second.items[0], "FREE_CPU"));
    host_monitoring_finish(&monitoring);
    host_pool_finish(&second);
    host_pool_finish(&first);
    known_hosts_destroy(known);
}

static void a_broken_document_is_no_former_one(void **state)
{
    struct known_hosts *known = known_hosts_create();
    struct host_pool pool;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(parse(known, &pool, "<HOST_POOL><HOST>"), -1);
        assert_int_equal(pool.n, 0);
        host_pool_finish(&pool);
    }
    assert_int_equal(parse(known, &pool, "<HOST_POOL></HOST_POOL>"), 0);
    assert_int_equal(pool.n, 0);
    host_pool_finish(&pool);
    assert_int_equal(parse(known, &pool, two), 0);
    assert_int_equal(pool.n, 2);
    host_pool_finish(&pool);
    known_hosts_destroy(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_documents_are_read_once),
        cmocka_unit_test(figures_are_those_of_one_pool),
        cmocka_unit_test(a_broken_document_is_no_former_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
