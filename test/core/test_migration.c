/* A suspended lease may come back elsewhere. Host 1 is reserved from 500 until 2000, host 2 until
 * 501; lease 1 ran on host 1. 1024 MB at 100 Mbit/s take 82 s. */
#include "scenario.h"

static void begin_at(struct scenario *s, enum migration migration, int64_t bandwidth)
{
    scenario_begin(s, 2);
    s->settings.migration = migration;
    s->settings.transfer_bandwidth = bandwidth;
}

static void ask_all(struct scenario *s)
{
    reservation(s, 2, 1, 500, 1500);
    reservation(s, 3, 1, 0, 501);
    settle(s);
    best_effort(s, 1, 1, 1000);
}

static void play_at(struct scenario *s, enum migration migration, int64_t bandwidth)
{
    begin_at(s, migration, bandwidth);
    ask_all(s);
}

static void play(struct scenario *s, enum migration migration)
{
    play_at(s, migration, 100);
}

static void without_migration_it_waits_for_its_host(void **state)
{
    struct scenario s;

    play(&s, MIGRATION_NO);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1; "
                                        "RESUME 2000-2032 on 1; VM 2032-2564 on 1; "
                                        "SHUTDOWN 2564-2564 on 1");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void its_memory_is_moved(void **state)
{
    struct scenario s;

    play(&s, MIGRATION_YES);
    at(&s, 550);
    settle(&s);
    assert_int_equal(engine_free(s.engine, 0, RESOURCE_NET_OUT, 550), 1000000 - 100);
    assert_int_equal(engine_free(s.engine, 1, RESOURCE_NET_IN, 550), 1000000 - 100);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1; "
                                        "MEM_MIGRATION 500-582 on 1,2; RESUME 582-614 on 2; "
                                        "VM 614-1146 on 2; SHUTDOWN 1146-1146 on 2");
    assert_int_equal(lease_of(&s, 1)->accumulated, 1000);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void over_a_faster_network_it_takes_less(void **state)
{
    struct scenario s;

    play_at(&s, MIGRATION_YES, 1000);
    run_to_end(&s);
    assert_int_equal(lease_of(&s, 1)->reservations[2]->until, 500 + 9);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void play_with_networks(struct scenario *s, int64_t out_of_1, int64_t into_2)
{
    begin_at(s, MIGRATION_YES, 100);
    s->site.hosts[0].capacity.of[RESOURCE_NET_OUT] = out_of_1;
    s->site.hosts[1].capacity.of[RESOURCE_NET_IN] = into_2;
    ask_all(s);
    run_to_end(s);
    expect_nothing_left(s);
}

static void the_slower_end_decides(void **state)
{
    static const char slow[] = "VM 0-468 on 1; SUSPEND 468-500 on 1; MEM_MIGRATION 500-664 on 1,2; "
                               "RESUME 664-696 on 2; VM 696-1228 on 2; SHUTDOWN 1228-1228 on 2";
    struct scenario s;

    play_with_networks(&s, 50, 1000);
    assert_string_equal(plan_of(&s, 1), slow);
    scenario_end(&s);
    play_with_networks(&s, 1000, 50);
    assert_string_equal(plan_of(&s, 1), slow);
    scenario_end(&s);
}

static void with_shared_storage_it_takes_no_time(void **state)
{
    struct scenario s;

    play(&s, MIGRATION_YES_NOTRANSFER);
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "VM 0-468 on 1; SUSPEND 468-500 on 1; "
                                        "MEM_MIGRATION 500-500; RESUME 501-533 on 2; "
                                        "VM 533-1065 on 2; SHUTDOWN 1065-1065 on 2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void its_disk_image_goes_first(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    s.settings.migration = MIGRATION_YES;
    s.settings.preparation = PREPARATION_IMAGE_TRANSFER;
    reservation(&s, 2, 1, 500, 1500);
    reservation(&s, 3, 1, 0, 501);
    settle(&s);
    ask(&s, (struct ask){.id = 1, .duration = 1000, .image = "a.img", .image_size = 250});
    run_to_end(&s);
    assert_string_equal(plan_of(&s, 1), "FILE_TRANSFER 0-20 on repository,1; VM 20-468 on 1; "
                                        "SUSPEND 468-500 on 1; DISK_MIGRATION 500-520 on 1,2; "
                                        "MEM_MIGRATION 520-602 on 1,2; RESUME 602-634 on 2; "
                                        "VM 634-1186 on 2; SHUTDOWN 1186-1186 on 2");
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void who_comes_back_to_the_same_host_is_not_moved(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    s.settings.migration = MIGRATION_YES;
    reservation(&s, 2, 1, 500, 100);
    settle(&s);
    best_effort(&s, 1, 1, 1000);
    run_to_end(&s);
    for (size_t i = 0; i < lease_of(&s, 1)->n_reservations; i++)
        assert_int_not_equal(lease_of(&s, 1)->reservations[i]->kind, RESERVATION_MEMORY_MIGRATION);
    expect_nothing_left(&s);
    scenario_end(&s);
}

/* Lease 1 leaves hosts 1 and 2; the VM of host 2 can come back to it. */
static void only_vms_that_change_hosts_are_moved(void **state)
{
    struct scenario s;
    const struct lease *lease;
    uint32_t moved = 0;

    scenario_begin(&s, 3);
    s.settings.migration = MIGRATION_YES;
    reservation(&s, 2, 1, 500, 3000); /* host 1 */
    reservation(&s, 4, 1, 500, 50);   /* host 2 */
    reservation(&s, 3, 1, 0, 501);    /* host 3 */
    settle(&s);
    best_effort(&s, 1, 2, 1000);
    run_to_end(&s);
    lease = lease_of(&s, 1);
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_MEMORY_MIGRATION)
            for (uint32_t k = 0; k < lease->reservations[i]->placement->n_vms; k++) {
                const struct placed_vm *vm = &lease->reservations[i]->placement->vms[k];

                assert_int_not_equal(vm->from, vm->host);
                moved++;
            }
    assert_in_range(moved, 1, 2);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static void cancelled_while_it_is_moved(void **state)
{
    for (int64_t time = 490; time < 1150; time += 11) {
        struct scenario s;

        play(&s, MIGRATION_YES);
        at(&s, time);
        cancel(&s, 1);
        assert_int_equal(state_of(&s, 1), LEASE_CANCELLED);
        run_to_end(&s);
        expect_nothing_left(&s);
        scenario_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_migration_it_waits_for_its_host),
        cmocka_unit_test(its_memory_is_moved),
        cmocka_unit_test(over_a_faster_network_it_takes_less),
        cmocka_unit_test(the_slower_end_decides),
        cmocka_unit_test(with_shared_storage_it_takes_no_time),
        cmocka_unit_test(its_disk_image_goes_first),
        cmocka_unit_test(who_comes_back_to_the_same_host_is_not_moved),
        cmocka_unit_test(only_vms_that_change_hosts_are_moved),
        cmocka_unit_test(cancelled_while_it_is_moved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
