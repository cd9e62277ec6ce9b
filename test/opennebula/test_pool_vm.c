/* VMs as 6.10 and 7.4 describe them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/pool_states.h"
#include "test/opennebula/recordings.h"

static struct vm_pool read_recorded(const char *version, const char *name)
{
    struct vm_pool pool;
    struct error err;
    size_t length;
    char *document = recorded_document(version, name, &length);

    if (vm_pool_parse(&pool, document, length, &err) < 0)
        fail_msg("%s", err.text);
    /* Nothing points into the document. */
    memset(document, 'x', length);
    free(document);
    return pool;
}

static struct vm_pool read_text(const char *document)
{
    struct vm_pool pool;
    struct error err;

    if (vm_pool_parse(&pool, document, strlen(document), &err) < 0)
        fail_msg("%s", err.text);
    return pool;
}

static void short_form(void **state)
{
    struct vm_pool pool;
    const struct vm *vm;

    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];

        pool = read_recorded(version, "vmpool.info.filter-2");
        assert_int_equal(pool.n, 23);
        for (size_t i = 1; i < pool.n; i++)
            assert_true(pool.items[i - 1].id < pool.items[i].id);
        vm = vm_pool_find(&pool, 3);
        assert_non_null(vm);
        assert_string_equal(vm->user, "alice");
        assert_string_equal(vm->group, "users");
        assert_string_equal(vm->name, "alice-pending");
        assert_int_equal(vm->uid, 2);
        assert_int_equal(vm->gid, 1);
        assert_int_equal(vm->cpu, 100);
        assert_int_equal(vm->memory, 1024);
        assert_int_equal(vm->state, VM_RUNNING);
        assert_string_equal(vm->state_name, "RUNNING");
        assert_int_equal(vm->stime, 1795197194);
        assert_int_equal(vm->etime, 0);
        assert_int_equal(vm->history.sequence, 0);
        assert_int_equal(vm->history.host, 1);
        assert_int_equal(vm->history.datastore, 0);
        assert_int_equal(vm->history.rstime, 0);
        assert_false(vm->is_extended);
        assert_int_equal(vm->template.n, 0);
        vm = vm_pool_find(&pool, 0);
        assert_int_equal(vm->history.sequence, -1);
        assert_int_equal(vm->history.host, -1);
        assert_int_equal(vm->n_records, 0);
        assert_null(vm_pool_find(&pool, 18)); /* DONE */
        assert_null(vm_pool_find(&pool, -1));
        vm_pool_finish(&pool);
    }
}

static void pools_of_one_state(void **state)
{
    static const struct {
        const char *name;
        size_t n;
    } cases[] = {
        {"vmpool.info.state0", 0},    {"vmpool.info.state2", 1}, {"vmpool.info.state6", 1},
        {"vmpool.info.state8", 1},    {"vmpool.info.state9", 1}, {"vmpool.info.as-alice", 1},
        {"vmpool.info.range-ids", 4},
    };
    struct vm_pool pool;

    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];

        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            pool = read_recorded(version, cases[i].name);
            assert_int_equal(pool.n, cases[i].n);
            vm_pool_finish(&pool);
        }
    }
}

static void haizea_attributes(void **state)
{
    struct vm_pool pool;
    const struct vm *vm;

    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];

        pool = read_recorded(version, "vm.info.pending-haizea-im");
        vm = &pool.items[0];
        assert_true(vm->is_extended);
        assert_string_equal(attributes_find(&vm->user_template, "HAIZEA/START"), "now");
        assert_string_equal(attributes_find(&vm->user_template, "HAIZEA/DURATION"), "unlimited");
        assert_string_equal(attributes_find(&vm->user_template, "HAIZEA/PREEMPTIBLE"), "no");
        assert_string_equal(attributes_find(&vm->user_template, "SCHED_REQUIREMENTS"),
                            "CLUSTER_ID=0 & RACK=\"r1\"");
        assert_string_equal(attributes_find(&vm->user_template, "USER_PRIORITY"), "50");
        assert_null(attributes_find(&vm->user_template, "HAIZEA"));
        assert_non_null(attributes_find(&vm->template, "AUTOMATIC_REQUIREMENTS"));
        assert_string_equal(attributes_find(&vm->template, "VCPU"), "1");
        assert_null(attributes_find(&vm->template, "OS/UUID"));
        assert_int_equal(vm->needs, 0);
        assert_int_equal(vm->n_records, 0);
        vm_pool_finish(&pool);

        pool = read_recorded(version, "vm.info.pending-haizea-ar");
        vm = &pool.items[0];
        assert_string_equal(attributes_find(&vm->user_template, "HAIZEA/GROUP"), "g1");
        assert_null(attributes_find(&vm->template, "SCHED_ACTION/ACTION"));
        vm_pool_finish(&pool);
    }
}

static void history(void **state)
{
    struct vm_pool pool;
    const struct vm *vm;

    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];

        pool = read_recorded(version, "vm.info.migrated");
        assert_int_equal(pool.n, 1);
        vm = &pool.items[0];
        assert_int_equal(vm->id, 19);
        assert_int_equal(vm->n_records, 4);
        assert_int_equal(vm->history.sequence, 3);
        assert_int_equal(vm->history.host, 0);
        assert_int_equal(vm->history.pstime, 0);
        assert_int_equal(vm->history.rstime, 1795197198);
        assert_int_equal(vm->history.retime, 0);
        assert_false(vm->history.recreated);
        assert_int_equal(vm->ran_for, 1);
        vm_pool_finish(&pool);

        pool = read_recorded(version, "vm.info.suspended");
        vm = &pool.items[0];
        assert_int_equal(vm->state, VM_SUSPENDED);
        assert_false(vm->history.recreated);
        assert_int_equal(vm->history.retime, 1795197196);
        assert_int_equal(vm->history.eetime, 0);
        vm_pool_finish(&pool);

        pool = read_recorded(version, "vm.info.resched");
        assert_true(pool.items[0].resched);
        vm_pool_finish(&pool);
    }
}

static void time_in_running(void **state)
{
    struct vm_pool pool = read_text(
        "<VM><ID>4</ID><STATE>4</STATE><TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY></TEMPLATE>"
        "<HISTORY_RECORDS>"
        "<HISTORY><SEQ>0</SEQ><HID>7</HID><RSTIME>1000</RSTIME><RETIME>1250</RETIME></HISTORY>"
        "<HISTORY><SEQ>1</SEQ><HID>8</HID><RSTIME>0</RSTIME><RETIME>5000</RETIME></HISTORY>"
        "<HISTORY><SEQ>2</SEQ><HID>9</HID><RSTIME>2000</RSTIME><RETIME>1999</RETIME></HISTORY>"
        "<HISTORY><SEQ>3</SEQ><HID>3</HID><RSTIME>3000</RSTIME><RETIME>3007</RETIME></HISTORY>"
        "<HISTORY><SEQ>4</SEQ><RSTIME>4000</RSTIME><RETIME>0</RETIME></HISTORY>"
        "</HISTORY_RECORDS></VM>");
    const struct vm *vm = &pool.items[0];

    assert_int_equal(vm->n_records, 5);
    assert_int_equal(vm->ran_for, 257);
    assert_int_equal(vm->history.sequence, 4);
    assert_int_equal(vm->history.host, -1); /* not that of the record before */
    assert_int_equal(vm->history.rstime, 4000);
    vm_pool_finish(&pool);
}

/* The short form has no times, and says nothing of that. */
static void a_migration_begins_with_the_record_of_the_new_host(void **state)
{
    static const struct {
        const char *times, *permissions;
        bool arriving;
    } cases[] = {
        {"<RSTIME>0</RSTIME>", "<PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>", true},
        {"<RSTIME>1300</RSTIME>", "<PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>", false},
        {"", "", false}};

    for (int i = 0; i < 3; i++) {
        char text[512];
        struct vm_pool pool;

        snprintf(text, sizeof text,
                 "<VM><ID>4</ID>%s<STATE>3</STATE><LCM_STATE>3</LCM_STATE><RESCHED>1</RESCHED>"
                 "<TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY></TEMPLATE><HISTORY_RECORDS><HISTORY>"
                 "<SEQ>1</SEQ><HID>8</HID>%s</HISTORY></HISTORY_RECORDS></VM>",
                 cases[i].permissions, cases[i].times);
        pool = read_text(text);
        assert_int_equal(pool.items[0].state, VM_RUNNING);
        assert_int_equal(pool.items[0].arriving, cases[i].arriving);
        vm_pool_finish(&pool);
    }
}

static void what_ran_before_it_was_made_anew_is_lost(void **state)
{
    struct vm_pool pool = read_text(
        "<VM><ID>4</ID><STATE>3</STATE><TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY></TEMPLATE>"
        "<HISTORY_RECORDS>"
        "<HISTORY><SEQ>0</SEQ><HID>7</HID><RSTIME>1000</RSTIME><RETIME>1250</RETIME></HISTORY>"
        "<HISTORY><SEQ>1</SEQ><HID>8</HID><RSTIME>2000</RSTIME><RETIME>2100</RETIME>"
        "<ACTION>14</ACTION></HISTORY>"
        "<HISTORY><SEQ>2</SEQ><HID>9</HID><RSTIME>3000</RSTIME><RETIME>3007</RETIME></HISTORY>"
        "</HISTORY_RECORDS></VM>");

    assert_int_equal(pool.items[0].ran_for, 7);
    vm_pool_finish(&pool);
}

static void disks(void **state)
{
    struct vm_pool pool;

    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];

        /* 1024 of an image that is cloned, 2048 of a file system, 512 of swap. */
        pool = read_recorded(version, "vm.info.disks-running");
        assert_int_equal(pool.items[0].disk, 3584);
        assert_int_equal(pool.items[0].needs, 0);
        assert_int_equal(pool.items[0].n_nics, 0); /* chosen already */
        assert_null(attributes_find(&pool.items[0].template, "DISK/SIZE"));
        assert_null(attributes_find(&pool.items[0].template, "NIC/NETWORK"));
        vm_pool_finish(&pool);
    }
}

static void where_disks_go(void **state)
{
    static const struct {
        const char *disk;
        int64_t need;
    } cases[] = {
        {"<TYPE>fs</TYPE>", 107},
        {"<TYPE>swap</TYPE>", 107},
        {"<TYPE>FILE</TYPE>", 0},
        {"<TYPE>FILE</TYPE><CLONE>YES</CLONE><CLONE_TARGET>SYSTEM</CLONE_TARGET>", 107},
        {"<TYPE>FILE</TYPE><CLONE>YES</CLONE><CLONE_TARGET>SELF</CLONE_TARGET>", 0},
        {"<TYPE>FILE</TYPE><CLONE>NO</CLONE><CLONE_TARGET>SYSTEM</CLONE_TARGET>"
         "<LN_TARGET>NONE</LN_TARGET>",
         0},
        {"<TYPE>FILE</TYPE><CLONE>NO</CLONE><LN_TARGET>SYSTEM</LN_TARGET>", 107},
    };
    char document[1024];
    struct vm_pool pool;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(document, sizeof document,
                 "<VM><ID>4</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE>"
                 "<TEMPLATE><CPU>1</CPU><DISK><SIZE>100</SIZE><DISK_SNAPSHOT_TOTAL_SIZE>7"
                 "</DISK_SNAPSHOT_TOTAL_SIZE>%s</DISK><MEMORY>1</MEMORY></TEMPLATE></VM>",
                 cases[i].disk);
        pool = read_text(document);
        assert_int_equal(pool.items[0].disk, cases[i].need);
        vm_pool_finish(&pool);
    }
}

/* Disks that are cloned or linked in the datastore of their image, together for each datastore. */
static void room_on_image_datastores(void **state)
{
    static const char document[] =
        "<VM><ID>4</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE><TEMPLATE>"
        "<CPU>1</CPU><MEMORY>1</MEMORY>"
        "<DISK><CLONE>YES</CLONE><CLONE_TARGET>SELF</CLONE_TARGET><DATASTORE_ID>1</DATASTORE_ID>"
        "<SIZE>100</SIZE><DISK_SNAPSHOT_TOTAL_SIZE>7</DISK_SNAPSHOT_TOTAL_SIZE></DISK>"
        "<DISK><CLONE>NO</CLONE><LN_TARGET>self</LN_TARGET><DATASTORE_ID>3</DATASTORE_ID>"
        "<SIZE>30</SIZE></DISK>"
        "<DISK><CLONE>YES</CLONE><CLONE_TARGET>SELF</CLONE_TARGET><DATASTORE_ID>1</DATASTORE_ID>"
        "<SIZE>10</SIZE></DISK>"
        "<DISK><CLONE>YES</CLONE><CLONE_TARGET>SYSTEM</CLONE_TARGET><DATASTORE_ID>1</DATASTORE_ID>"
        "<SIZE>5</SIZE></DISK>"
        "<DISK><TYPE>swap</TYPE><CLONE>YES</CLONE><CLONE_TARGET>SELF</CLONE_TARGET>"
        "<DATASTORE_ID>1</DATASTORE_ID><SIZE>2</SIZE></DISK>"
        "<DISK><CLONE>YES</CLONE><CLONE_TARGET>NONE</CLONE_TARGET><DATASTORE_ID>2</DATASTORE_ID>"
        "<SIZE>50</SIZE></DISK>"
        "</TEMPLATE></VM>";
    struct vm_pool pool = read_text(document);
    const struct vm *vm = &pool.items[0];

    assert_int_equal(vm->disk, 7);
    assert_int_equal(vm->n_images, 3);
    assert_int_equal(vm->images[0].datastore, 1);
    assert_int_equal(vm->images[0].amount, 117);
    assert_int_equal(vm->images[1].datastore, 3);
    assert_int_equal(vm->images[1].amount, 30);
    assert_int_equal(vm->images[2].datastore, 2);
    assert_int_equal(vm->images[2].amount, 0);
    vm_pool_finish(&pool);
}

/* Those that have no network yet, ascending. */
static void automatic_nics(void **state)
{
    static const char document[] =
        "<VM><ID>4</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE><TEMPLATE>"
        "<CPU>1</CPU><MEMORY>1</MEMORY>"
        "<NIC><NETWORK_MODE>AUTO</NETWORK_MODE><NIC_ID>3</NIC_ID><SCHED_RANK>-ID</SCHED_RANK></NIC>"
        "<NIC><NETWORK>lab</NETWORK><NETWORK_ID>0</NETWORK_ID><NIC_ID>0</NIC_ID></NIC>"
        "<NIC><NETWORK_ID>7</NETWORK_ID><NETWORK_MODE>auto</NETWORK_MODE><NIC_ID>1</NIC_ID></NIC>"
        "<NIC><NETWORK_MODE>auto</NETWORK_MODE><NIC_ID>2</NIC_ID>"
        "<SCHED_REQUIREMENTS>A=1</SCHED_REQUIREMENTS></NIC>"
        "</TEMPLATE></VM>";
    struct vm_pool pool = read_text(document);
    const struct vm *vm = &pool.items[0];

    assert_int_equal(vm->n_nics, 2);
    assert_int_equal(vm->nics[0].id, 2);
    assert_string_equal(vm->nics[0].requirement, "A=1");
    assert_null(vm->nics[0].rank);
    assert_int_equal(vm->nics[1].id, 3);
    assert_null(vm->nics[1].requirement);
    assert_string_equal(vm->nics[1].rank, "-ID");
    assert_int_equal(vm->n_networks, 2);
    assert_int_equal(vm->networks[0], 0);
    assert_int_equal(vm->networks[1], 7);
    assert_null(attributes_find(&vm->template, "NIC/NETWORK"));
    vm_pool_finish(&pool);
}

static void needs(void **state)
{
    struct vm_pool pool;
    const struct vm *vm;

    for (size_t v = 0; v < 2; v++) {
        const char *version = recorded_versions[v];

        pool = read_recorded(version, "vmpool.infoextended.all");
        for (int32_t id = 5; id <= 7; id++)
            assert_true(vm_pool_find(&pool, id)->in_vmgroup);
        assert_false(vm_pool_find(&pool, 8)->in_vmgroup);
        assert_int_equal(vm_pool_find(&pool, 13)->needs, 0);
        vm_pool_finish(&pool);
    }
    pool = read_text("<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE>"
                     "<TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY><TOPOLOGY><PIN_POLICY>NONE"
                     "</PIN_POLICY></TOPOLOGY></TEMPLATE><USER_TEMPLATE>"
                     "<SCHED_DS_RANK>FREE_MB</SCHED_DS_RANK></USER_TEMPLATE></VM>");
    vm = &pool.items[0];
    assert_int_equal(vm->needs, VM_NEEDS_DATASTORE);
    vm_pool_finish(&pool);
}

static void names_with_colons(void **state)
{
    struct vm_pool pool = read_text("<VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>"
                                    "<STATE>1</STATE><TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY>"
                                    "</TEMPLATE><USER_TEMPLATE><A:B>1</A:B></USER_TEMPLATE></VM>");
    const struct attributes *attributes = &pool.items[0].user_template;

    assert_string_equal(attributes_find(attributes, "A:B"), "1");
    assert_null(attributes_find(attributes, "B"));
    vm_pool_finish(&pool);
}

static struct vm_pool with_value(const char *element, const char *value)
{
    char document[512], cpu[64] = "1", memory[64] = "1", id[64] = "7", state[64] = "1";
    const struct {
        const char *name;
        char *place;
    } places[] = {{"CPU", cpu}, {"MEMORY", memory}, {"ID", id}, {"STATE", state}};

    for (size_t i = 0; i < 4; i++)
        if (strcmp(places[i].name, element) == 0)
            snprintf(places[i].place, 64, "%s", value);
    snprintf(document, sizeof document,
             "<VM_POOL><VM><ID>%s</ID><STATE>%s</STATE><TEMPLATE><CPU>%s</CPU><MEMORY>%s</MEMORY>"
             "</TEMPLATE></VM></VM_POOL>",
             id, state, cpu, memory);
    return read_text(document);
}

static void processors(void **state)
{
    static const struct {
        const char *text;
        int64_t hundredths;
    } cases[] = {
        {"1", 100},
        {"0.59", 59},
        {"0.1", 10},
        {"0.005", 1},
        {"0.0049", 0},
        {".5", 50},
        {"2.", 200},
        {"+1.5", 150},
        {"1e2", 10000},
        {"1.5E+01", 1500},
        {"25e-2", 25},
        {"400", 40000},
        {" 1 ", 100},
        {"0.999", 100},
        {"1e-9", 0},
        {"0.10000000000000000001", 10},
        {"100000000", 10000000000},
    };
    struct vm_pool pool;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pool = with_value("CPU", cases[i].text);
        assert_int_equal(pool.n, 1);
        assert_int_equal(pool.items[0].cpu, cases[i].hundredths);
        vm_pool_finish(&pool);
    }
}

static void senseless_values(void **state)
{
    static const struct {
        const char *element, *value, *says;
    } cases[] = {
        {"ID", "", "a VM has no ID"},
        {"ID", "-3", "ID is \"-3\""},
        {"ID", "2147483648", "ID is \"2147483648\""},
        {"STATE", "", "VM 7 has no STATE"},
        {"STATE", "x\ny", "VM 7: STATE is \"x y\""},
    };
    struct vm_pool pool;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pool = with_value(cases[i].element, cases[i].value);
        assert_int_equal(pool.n, 0);
        assert_int_equal(pool.errors.n, 1);
        if (!strstr(pool.errors.first, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", pool.errors.first, cases[i].says);
        vm_pool_finish(&pool);
    }
}

#define VM(id, cpu)                                                                                \
    "<VM><ID>" id "</ID><STATE>1</STATE><TEMPLATE><CPU>" cpu                                       \
    "</CPU><MEMORY>1</MEMORY></TEMPLATE></VM>"

static void others_are_read(void **state)
{
    struct vm_pool pool = read_text("<VM_POOL>" VM("9", "1") "<VM><ID>5</ID></VM>" VM("7", "2")
                                        VM("x", "1") VM("7", "3") VM("1", "4") "</VM_POOL>");

    assert_int_equal(pool.n, 3);
    assert_int_equal(pool.items[0].id, 1);
    assert_int_equal(pool.items[1].id, 7);
    assert_int_equal(pool.items[2].id, 9);
    assert_int_equal(pool.errors.n, 3);
    assert_string_equal(pool.errors.first, "VM 5 has no STATE");
    vm_pool_finish(&pool);
}

static void locks(void **state)
{
    struct vm_pool pool =
        read_text("<VM><ID>1</ID><STATE>1</STATE><LOCK><LOCKED>1</LOCKED><OWNER>0</OWNER></LOCK>"
                  "<TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY></TEMPLATE></VM>");

    assert_true(pool.items[0].locked);
    vm_pool_finish(&pool);
    pool = read_text(VM("1", "1"));
    assert_false(pool.items[0].locked);
    vm_pool_finish(&pool);
}

static void expect_state(int32_t state, int32_t lcm_state, enum vm_state wanted, const char *name)
{
    const char *given;

    assert_int_equal(pool_vm_state(state, lcm_state, &given), wanted);
    assert_string_equal(given, name);
}

static void states_and_their_names(void **state)
{
    const char *name;

    expect_state(1, 0, VM_PENDING, "PENDING");
    expect_state(2, 0, VM_HOLD, "HOLD");
    expect_state(3, 1, VM_PREPARING, "PROLOG");
    expect_state(3, 2, VM_BOOTING, "BOOT");
    expect_state(3, 3, VM_RUNNING, "RUNNING");
    expect_state(3, 4, VM_LIVE_MIGRATING, "MIGRATE");
    expect_state(3, 5, VM_CHANGING, "SAVE_STOP");
    expect_state(3, 7, VM_MIGRATING, "SAVE_MIGRATE");
    expect_state(3, 11, VM_LEAVING, "EPILOG");
    expect_state(3, 16, VM_UNKNOWN, "UNKNOWN");
    expect_state(3, 35, VM_BOOTING_MOVED, "BOOT_MIGRATE");
    expect_state(3, 36, VM_BOOT_FAILED, "BOOT_FAILURE");
    expect_state(3, 59, VM_OCCUPIED, "DISK_SNAPSHOT_DELETE");
    expect_state(3, 71, VM_CHANGING, "RESTORE");
    expect_state(4, 0, VM_STOPPED, "STOPPED");
    expect_state(5, 0, VM_SUSPENDED, "SUSPENDED");
    expect_state(6, 0, VM_DONE, "DONE");
    expect_state(8, 3, VM_POWEROFF, "POWEROFF");
    expect_state(9, 0, VM_UNDEPLOYED, "UNDEPLOYED");
    expect_state(3, 9999, VM_CHANGING, "an unknown state");
    expect_state(7, 0, VM_OTHER, "an unknown state");
    expect_state(-1, -1, VM_OTHER, "an unknown state");
    assert_int_equal(pool_host_state(1, &name), HOST_ON);
    assert_int_equal(pool_host_state(2, &name), HOST_ON);
    assert_string_equal(name, "MONITORED");
    assert_int_equal(pool_host_state(8, &name), HOST_OFFLINE);
    assert_string_equal(name, "OFFLINE");
    assert_int_equal(pool_host_state(99, &name), HOST_INIT);
    assert_string_equal(name, "an unknown state");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_form),
        cmocka_unit_test(pools_of_one_state),
        cmocka_unit_test(haizea_attributes),
        cmocka_unit_test(history),
        cmocka_unit_test(time_in_running),
        cmocka_unit_test(a_migration_begins_with_the_record_of_the_new_host),
        cmocka_unit_test(what_ran_before_it_was_made_anew_is_lost),
        cmocka_unit_test(disks),
        cmocka_unit_test(where_disks_go),
        cmocka_unit_test(room_on_image_datastores),
        cmocka_unit_test(automatic_nics),
        cmocka_unit_test(needs),
        cmocka_unit_test(names_with_colons),
        cmocka_unit_test(processors),
        cmocka_unit_test(senseless_values),
        cmocka_unit_test(others_are_read),
        cmocka_unit_test(locks),
        cmocka_unit_test(states_and_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
