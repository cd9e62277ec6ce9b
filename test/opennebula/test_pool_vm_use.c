/* What VMs use, by their monitoring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "test/opennebula/recordings.h"

static void parse(struct vm_use_pool *pool, const char *records)
{
    char document[4096];
    struct error err;
    int length =
        snprintf(document, sizeof document, "<MONITORING_DATA>%s</MONITORING_DATA>", records);

    if (vm_use_parse(pool, document, (size_t)length, &err) < 0)
        fail_msg("%s", err.text);
}

static void a_recording(void **state)
{
    struct vm_use_pool pool;
    struct error err;
    size_t length;
    char *document = recorded_document("6.10", "vmpool.monitoring", &length);

    assert_int_equal(vm_use_parse(&pool, document, length, &err), 0);
    free(document);
    assert_int_equal(pool.errors.n, 0);
    assert_int_equal(vm_use_pool_find(&pool, 3)->cpu, 91);
    assert_int_equal(vm_use_pool_find(&pool, 3)->net, -1); /* one record only */
    assert_int_equal(vm_use_pool_find(&pool, 3)->cpu_forecast, -1);
    assert_null(vm_use_pool_find(&pool, 4));
    vm_use_pool_finish(&pool);
}

/* Nothing has been measured yet. */
static void no_records_at_all(void **state)
{
    struct vm_use_pool pool;

    parse(&pool, "");
    assert_int_equal(pool.n, 0);
    assert_null(vm_use_pool_find(&pool, 4));
    vm_use_pool_finish(&pool);
}

static void counters_become_rates(void **state)
{
    struct vm_use_pool pool;

    parse(&pool,
          "<MONITORING><ID>7</ID><TIMESTAMP>160</TIMESTAMP><CPU>12.6</CPU><NETRX>7000</NETRX>"
          "<NETTX>500</NETTX><DISKRDBYTES>5</DISKRDBYTES></MONITORING>"
          "<MONITORING><ID>5</ID><TIMESTAMP>100</TIMESTAMP><NETRX>9</NETRX><NETTX>9</NETTX>"
          "</MONITORING>"
          "<MONITORING><ID>7</ID><TIMESTAMP>100</TIMESTAMP><CPU>80</CPU><NETRX>1000</NETRX>"
          "<NETTX>500</NETTX></MONITORING>"
          "<MONITORING><ID>5</ID><TIMESTAMP>130</TIMESTAMP><NETRX>5</NETRX><NETTX>5</NETTX>"
          "</MONITORING>");
    assert_int_equal(pool.n, 2);
    assert_int_equal(vm_use_pool_find(&pool, 7)->cpu, 13);
    assert_int_equal(vm_use_pool_find(&pool, 7)->net, 100);
    assert_int_equal(vm_use_pool_find(&pool, 7)->disk, -1); /* one direction is missing */
    assert_int_equal(vm_use_pool_find(&pool, 5)->net, -1);  /* its counters began again */
    vm_use_pool_finish(&pool);
}

static void reported_rates_and_forecasts(void **state)
{
    struct vm_use_pool pool;

    parse(&pool, "<MONITORING><ID>1</ID><TIMESTAMP>100</TIMESTAMP><NETRX>0</NETRX><NETTX>0</NETTX>"
                 "</MONITORING>"
                 "<MONITORING><ID>1</ID><TIMESTAMP>110</TIMESTAMP><CPU>50</CPU>"
                 "<CPU_FORECAST>70.2</CPU_FORECAST><NETRX>1000</NETRX><NETTX>0</NETTX>"
                 "<NETRX_BW>20</NETRX_BW><NETTX_BW>30.5</NETTX_BW>"
                 "<NETRX_BW_FORECAST>40</NETRX_BW_FORECAST><NETTX_BW_FORECAST>2</NETTX_BW_FORECAST>"
                 "<DISKRDBYTES_BW>1e300</DISKRDBYTES_BW><DISKWRBYTES_BW>nan</DISKWRBYTES_BW>"
                 "</MONITORING>");
    assert_int_equal(pool.n, 1);
    assert_int_equal(pool.items[0].cpu, 50);
    assert_int_equal(pool.items[0].cpu_forecast, 70);
    assert_int_equal(pool.items[0].net, 51);
    assert_int_equal(pool.items[0].net_forecast, 42);
    assert_int_equal(pool.items[0].disk, -1);
    vm_use_pool_finish(&pool);
}

static void without_an_id(void **state)
{
    struct vm_use_pool pool;

    parse(&pool, "<MONITORING><CPU>1</CPU></MONITORING><MONITORING><ID>2</ID></MONITORING>");
    assert_int_equal(pool.n, 1);
    assert_int_equal(pool.items[0].cpu, -1);
    assert_int_equal(pool.errors.n, 1);
    vm_use_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording), cmocka_unit_test(no_records_at_all),
        cmocka_unit_test(counters_become_rates), cmocka_unit_test(reported_rates_and_forecasts),
        cmocka_unit_test(without_an_id)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
