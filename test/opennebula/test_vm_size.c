/* VMs whose sizes are absurd or cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"

static struct vm_pool read_text(const char *document)
{
    struct vm_pool pool;
    struct error err;

    if (vm_pool_parse(&pool, document, strlen(document), &err) < 0)
        fail_msg("%s", err.text);
    return pool;
}

static struct vm_pool with_size(const char *cpu, const char *memory)
{
    char document[512];

    snprintf(document, sizeof document,
             "<VM_POOL><VM><ID>7</ID><STATE>1</STATE><TEMPLATE><CPU>%s</CPU><MEMORY>%s</MEMORY>"
             "</TEMPLATE></VM></VM_POOL>",
             cpu, memory);
    return read_text(document);
}

/* oned accepts such amounts, and its sums wrap around: the VM is still seen, but does not fill its
 * host. */
static void absurd_sizes(void **state)
{
    static const char on_host[] =
        "<VM_POOL><VM><ID>7</ID><STATE>8</STATE><TEMPLATE><CPU>1e300</CPU>"
        "<MEMORY>9223372036854775</MEMORY></TEMPLATE><HISTORY_RECORDS><HISTORY><SEQ>0</SEQ>"
        "<HID>1</HID></HISTORY></HISTORY_RECORDS></VM></VM_POOL>";
    struct vm_pool pool = with_size("1", "99999999999999999999999");

    assert_int_equal(pool.n, 1);
    assert_int_equal(pool.items[0].memory, INT64_C(1) << 40);
    vm_pool_finish(&pool);
    pool = with_size("1e99", "1");
    assert_int_equal(pool.n, 1);
    assert_true(pool.items[0].cpu >= INT64_C(1000000000000));
    vm_pool_finish(&pool);
    pool = read_text(on_host);
    assert_int_equal(pool.n, 1);
    assert_int_equal(pool.items[0].history.host, 1);
    assert_int_equal(pool.items[0].memory, 0);
    assert_int_equal(pool.items[0].cpu, 0);
    vm_pool_finish(&pool);
}

/* Such a VM fits on no host, and its room on the host where it is is unknown. */
static void unread_sizes(void **state)
{
    static const struct {
        const char *element, *value, *says;
    } cases[] = {
        {"CPU", "-1", "VM 7: CPU is \"-1\", not a number"},
        {"CPU", "many", "VM 7: CPU is \"many\", not a number"},
        {"CPU", "1,5", "VM 7: CPU is \"1,5\", not a number"},
        {"CPU", "1e", "VM 7: CPU is \"1e\", not a number"},
        {"CPU", "", "VM 7 has no CPU"},
        {"CPU", ".", "VM 7: CPU is \".\", not a number"},
        {"MEMORY", "12x", "VM 7: MEMORY is \"12x\", not a number"},
        {"MEMORY", "-5", "VM 7: MEMORY is \"-5\", not a number"},
        {"MEMORY", "", "VM 7 has no MEMORY"},
    };
    static const char on_host[] =
        "<VM_POOL><VM><ID>7</ID><STATE>3</STATE><LCM_STATE>3</LCM_STATE><TEMPLATE><CPU>x</CPU>"
        "<MEMORY>1</MEMORY></TEMPLATE><HISTORY_RECORDS><HISTORY><SEQ>0</SEQ><HID>1</HID></HISTORY>"
        "</HISTORY_RECORDS></VM></VM_POOL>";
    struct vm_pool pool;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_cpu = strcmp(cases[i].element, "CPU") == 0;

        pool = with_size(is_cpu ? cases[i].value : "1", is_cpu ? "1" : cases[i].value);
        assert_int_equal(pool.n, 1);
        assert_int_equal(pool.errors.n, 0);
        assert_int_equal(pool.errors.n_unsized, 1);
        assert_string_equal(pool.errors.unsized, cases[i].says);
        assert_true(pool.items[0].size_unread);
        assert_true((is_cpu ? pool.items[0].cpu : pool.items[0].memory) >= INT64_C(1) << 39);
        vm_pool_finish(&pool);
    }
    pool = read_text(on_host);
    assert_int_equal(pool.n, 1);
    assert_true(pool.items[0].size_unread);
    assert_int_equal(pool.items[0].cpu, 0);
    assert_int_equal(pool.items[0].memory, 1);
    vm_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_sizes),
        cmocka_unit_test(unread_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
