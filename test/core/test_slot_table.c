/* The slot table, word by word of its header. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/lease.h"
#include "core/slot_table.h"

enum { CPU = 100, MEMORY = 1024 };

struct bench {
    struct site site;
    struct slot_table *table;
    struct lease leases[4];
    struct reservation r[128];
    size_t n;
};

static void set_up(struct bench *b, size_t n_hosts)
{
    struct amounts capacity = {{CPU, MEMORY, 1000, 1000, 1000}};

    memset(b, 0, sizeof *b);
    site_init(&b->site);
    assert_int_equal(site_add_hosts(&b->site, n_hosts, &capacity, NULL), 0);
    b->table = slot_table_create(&b->site);
    slot_table_advance(b->table, 0);
    for (int i = 0; i < 4; i++)
        b->leases[i].request.id = i + 1;
}

static void tear_down(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->r[i].placement);
    slot_table_destroy(b->table);
    site_finish(&b->site);
}

/* A reservation of one lease on hosts first ... last. */
static struct reservation *make(struct bench *b, int lease, int64_t from, int64_t until,
                                uint32_t first, uint32_t last, int64_t cpu)
{
    uint32_t n = last - first + 1;
    struct placement *placement =
        calloc(1, sizeof *placement + n * (2 * sizeof(int64_t)) + n * sizeof(uint32_t));
    struct reservation *r = &b->r[b->n++];

    assert_in_range(b->n, 1, 128);
    placement->n_hosts = n;
    placement->n_types = 2;
    placement->amounts = (int64_t *)(placement + 1);
    placement->hosts = (uint32_t *)(placement->amounts + 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        placement->hosts[i] = first + i;
        placement->amounts[2 * i] = cpu;
        placement->amounts[2 * i + 1] = cpu * 10;
    }
    *r = (struct reservation){
        .lease = &b->leases[lease - 1], .from = from, .until = until, .placement = placement};
    return r;
}

static void it_fits(void **state)
{
    struct bench b;

    set_up(&b, 2);
    assert_int_equal(slot_table_add(b.table, make(&b, 1, 10, 20, 0, 1, 60), NULL), 0);
    for (uint32_t host = 0; host < 2; host++) {
        assert_int_equal(slot_table_free(b.table, host, RESOURCE_CPU, 9), 100);
        assert_int_equal(slot_table_free(b.table, host, RESOURCE_CPU, 10), 40);
        assert_int_equal(slot_table_free(b.table, host, RESOURCE_MEMORY, 19), 424);
        assert_int_equal(slot_table_free(b.table, host, RESOURCE_CPU, 20), 100);
        assert_int_equal(slot_table_leases(b.table, host, 15), 1);
        assert_int_equal(slot_table_leases(b.table, host, 20), 0);
        assert_int_equal(slot_table_unchanged_until(b.table, host, 0), 10);
        assert_int_equal(slot_table_unchanged_until(b.table, host, 10), 20);
        assert_true(slot_table_unchanged_until(b.table, host, 20) == INSTANT_NEVER);
    }
    tear_down(&b);
}

static void it_does_not_fit_and_nothing_changed(void **state)
{
    struct bench b;
    struct error err = {0};

    set_up(&b, 3);
    assert_int_equal(slot_table_add(b.table, make(&b, 1, 15, 20, 2, 2, 60), NULL), 0);
    assert_int_equal(slot_table_add(b.table, make(&b, 2, 10, 20, 0, 2, 41), &err), -1);
    assert_int_equal(err.code, ENOSPC);
    assert_string_equal(err.text, "lease 2: host 3 has 40 CPU free at 15, 1 more are needed");
    assert_null(b.leases[1].booked);
    for (uint32_t host = 0; host < 3; host++) {
        assert_int_equal(slot_table_free(b.table, host, RESOURCE_CPU, 15), host < 2 ? 100 : 40);
        assert_int_equal(slot_table_leases(b.table, host, 15), host == 2);
        assert_int_equal(slot_table_unchanged_until(b.table, host, 0),
                         host < 2 ? INSTANT_NEVER : 15);
    }
    tear_down(&b);
}

static void overbooking_is_remembered(void **state)
{
    struct bench b;
    struct reservation *more;

    (void)state;
    set_up(&b, 1);
    more = make(&b, 1, 10, 20, 0, 0, 101);
    assert_int_equal(slot_table_add(b.table, more, NULL), -1);
    assert_false(slot_table_was_overbooked(b.table, RESOURCE_CPU));
    slot_table_book(b.table, more);
    slot_table_release(b.table, more);
    assert_true(slot_table_was_overbooked(b.table, RESOURCE_CPU));
    assert_false(slot_table_was_overbooked(b.table, RESOURCE_MEMORY));
    tear_down(&b);
}

static void it_fits_again_after_removal(void **state)
{
    struct bench b;
    struct reservation *first;

    set_up(&b, 1);
    first = make(&b, 1, 10, 20, 0, 0, 60);
    assert_int_equal(slot_table_add(b.table, first, NULL), 0);
    assert_int_equal(slot_table_add(b.table, make(&b, 2, 19, 30, 0, 0, 60), NULL), -1);
    assert_int_equal(slot_table_add(b.table, make(&b, 2, 20, 30, 0, 0, 60), NULL), 0);
    slot_table_release(b.table, first);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 15), 100);
    assert_int_equal(slot_table_add(b.table, make(&b, 3, 5, 20, 0, 0, 60), NULL), 0);
    tear_down(&b);
}

/* A lease's second stretch is released while its first, which is over, stays in its plan. */
static void what_is_not_booked_is_not_released(void **state)
{
    struct bench b;
    struct reservation *first, *second;
    size_t mark;

    set_up(&b, 1);
    first = make(&b, 1, 0, 10, 0, 0, 60);
    second = make(&b, 1, 10, 20, 0, 0, 60);
    slot_table_book(b.table, first);
    slot_table_book(b.table, second);
    slot_table_release(b.table, first);
    mark = slot_table_mark(b.table);
    slot_table_release(b.table, first);
    assert_ptr_equal(b.leases[0].booked, second);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 5), 100);
    slot_table_release(b.table, second);
    slot_table_undo(b.table, mark);
    assert_ptr_equal(b.leases[0].booked, second);
    assert_null(second->next_booked);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 5), 100);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 15), 40);
    tear_down(&b);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct bench b;
    struct error err = {0};

    set_up(&b, 1);
    assert_int_equal(slot_table_add(b.table, make(&b, 1, 10, 10, 0, 0, 60), &err), -1);
    assert_int_equal(err.code, EINVAL);
    assert_int_equal(slot_table_add(b.table, make(&b, 1, 10, 20, 1, 1, 60), &err), -1);
    assert_int_equal(err.code, EINVAL);
    tear_down(&b);
}

static void marks_nest_and_are_undone(void **state)
{
    struct bench b;
    struct reservation *first, *second, *third;
    size_t outer, inner;

    set_up(&b, 1);
    first = make(&b, 1, 0, 100, 0, 0, 10);
    second = make(&b, 2, 0, 100, 0, 0, 20);
    third = make(&b, 3, 0, 100, 0, 0, 40);
    slot_table_book(b.table, first);
    outer = slot_table_mark(b.table);
    slot_table_book(b.table, second);
    inner = slot_table_mark(b.table);
    slot_table_release(b.table, first);
    slot_table_book(b.table, third);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 50), 40);
    slot_table_undo(b.table, inner);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 50), 70);
    assert_int_equal(slot_table_leases(b.table, 0, 50), 2);
    slot_table_undo(b.table, outer);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 50), 90);
    assert_int_equal(slot_table_leases(b.table, 0, 50), 1);
    assert_ptr_equal(b.leases[0].booked, first);
    assert_null(b.leases[1].booked);
    tear_down(&b);
}

static void what_is_kept_inside_is_undone_outside(void **state)
{
    struct bench b;
    size_t outer, inner;

    set_up(&b, 1);
    outer = slot_table_mark(b.table);
    inner = slot_table_mark(b.table);
    slot_table_book(b.table, make(&b, 1, 0, 100, 0, 0, 10));
    slot_table_keep(b.table, inner);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 50), 90);
    slot_table_undo(b.table, outer);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 50), 100);
    outer = slot_table_mark(b.table);
    slot_table_book(b.table, make(&b, 1, 0, 100, 0, 0, 30));
    slot_table_keep(b.table, outer);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 50), 70);
    tear_down(&b);
}

static void one_lease_counts_once_on_a_host(void **state)
{
    struct bench b;
    struct reservation *first, *second;

    set_up(&b, 2);
    first = make(&b, 1, 0, 50, 0, 0, 10);
    second = make(&b, 1, 20, 80, 0, 0, 10);
    slot_table_book(b.table, first);
    slot_table_book(b.table, second);
    slot_table_book(b.table, make(&b, 1, 20, 40, 1, 1, 10)); /* on another host */
    slot_table_book(b.table, make(&b, 2, 30, 40, 0, 0, 10));
    assert_int_equal(slot_table_leases(b.table, 0, 10), 1);
    assert_int_equal(slot_table_leases(b.table, 0, 25), 1);
    assert_int_equal(slot_table_leases(b.table, 0, 35), 2);
    assert_int_equal(slot_table_leases(b.table, 0, 60), 1);
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 35), 70);
    slot_table_release(b.table, first);
    assert_int_equal(slot_table_leases(b.table, 0, 10), 0);
    assert_int_equal(slot_table_leases(b.table, 0, 25), 1);
    assert_int_equal(slot_table_leases(b.table, 0, 35), 2);
    slot_table_release(b.table, second);
    assert_int_equal(slot_table_leases(b.table, 0, 25), 0);
    assert_int_equal(slot_table_leases(b.table, 1, 25), 1);
    tear_down(&b);
}

static void a_change_of_leases_is_a_change_though_amounts_stay(void **state)
{
    struct bench b;

    set_up(&b, 1);
    slot_table_book(b.table, make(&b, 1, 0, 50, 0, 0, 10));
    slot_table_book(b.table, make(&b, 2, 50, 80, 0, 0, 10));
    slot_table_book(b.table, make(&b, 2, 80, 90, 0, 0, 10)); /* the same lease goes on */
    assert_int_equal(slot_table_unchanged_until(b.table, 0, 0), 50);
    assert_int_equal(slot_table_unchanged_until(b.table, 0, 50), 90);
    tear_down(&b);
}

static void how_long_and_how_many_fit(void **state)
{
    struct bench b;
    struct amounts vm = {{30, 100}}, whole = {{100, 0}}, too_much = {{101, 0}};

    set_up(&b, 2);
    slot_table_book(b.table, make(&b, 1, 10, 20, 0, 0, 80));
    slot_table_book(b.table, make(&b, 2, 15, 30, 1, 1, 40));
    assert_int_equal(slot_table_fits_until(b.table, 0, &vm, 0), 10);
    assert_int_equal(slot_table_fits_until(b.table, 0, &vm, 10), 10);
    assert_true(slot_table_fits_until(b.table, 0, &vm, 20) == INSTANT_NEVER);
    assert_int_equal(slot_table_fits_until(b.table, 0, &too_much, 0), 0);
    assert_int_equal(slot_table_fit_count(b.table, 0, &vm, (struct interval){0, 10}, 9), 3);
    assert_int_equal(slot_table_fit_count(b.table, 0, &vm, (struct interval){0, 11}, 9), 0);
    assert_int_equal(slot_table_fit_count(b.table, 1, &vm, (struct interval){0, 16}, 9), 2);
    assert_int_equal(slot_table_fit_count(b.table, 1, &vm, (struct interval){0, 16}, 1), 1);
    assert_int_equal(slot_table_count(b.table, &vm, 0, 10, 99), 6);
    assert_int_equal(slot_table_count(b.table, &vm, 0, 10, 4), 4);
    assert_int_equal(slot_table_count(b.table, &vm, 12, 18, 99), 2);
    assert_int_equal(slot_table_most_on_a_host(b.table, &vm, 99), 3);
    assert_int_equal(slot_table_earliest(b.table, &whole, 1, 0, 10), 0);
    assert_int_equal(slot_table_earliest(b.table, &whole, 1, 0, 16), 20);
    assert_int_equal(slot_table_earliest(b.table, &whole, 2, 0, 16), 30);
    assert_int_equal(slot_table_earliest(b.table, &vm, 6, 5, 5), 5);
    assert_true(slot_table_earliest(b.table, &vm, 7, 0, 5) == INSTANT_NEVER);
    assert_int_equal(slot_table_earliest(b.table, &whole, 2, 0, SPAN_UNLIMITED), 30);
    assert_int_equal(slot_table_least_free_cpu(b.table, 0, 10), 200);
    assert_int_equal(slot_table_least_free_cpu(b.table, 0, 16), 80);
    assert_int_equal(slot_table_earliest_free_cpu(b.table, 200, 2, 8, INSTANT_NEVER), 2);
    assert_int_equal(slot_table_earliest_free_cpu(b.table, 200, 2, 9, INSTANT_NEVER), 30);
    assert_int_equal(slot_table_earliest_free_cpu(b.table, 200, 2, 9, 10), 2);
    assert_true(slot_table_earliest_free_cpu(b.table, 200, 2, 9, 30) == INSTANT_NEVER);
    assert_true(slot_table_earliest_free_cpu(b.table, 201, 2, 1, INSTANT_NEVER) == INSTANT_NEVER);
    tear_down(&b);
}

/* Among many change points, only the first of which block. */
static void a_long_time_is_found_at_its_first_point(void **state)
{
    const struct amounts vm = {{80, 0}};
    struct bench b;

    set_up(&b, 1);
    for (int at = 1; at < 200; at += 2)
        slot_table_book(b.table, make(&b, 1 + at / 2 % 4, at, at + 1, 0, 0, at < 28 ? 100 : 10));
    assert_int_equal(slot_table_earliest(b.table, &vm, 1, 0, 100), 28);
    assert_int_equal(slot_table_earliest(b.table, &vm, 1, 0, 1), 0);
    tear_down(&b);
}

static void a_look_says_what_a_scheduler_asks(void **state)
{
    static const uint32_t some[] = {2, 1};
    struct host_look looks[3];
    struct amounts vm = {{50, 0}};
    struct bench b;

    set_up(&b, 3);
    slot_table_book(b.table, make(&b, 1, 0, 40, 0, 0, 60));
    slot_table_book(b.table, make(&b, 1, 0, 30, 1, 1, 20));
    slot_table_book(b.table, make(&b, 2, 60, 70, 1, 2, 70));
    for (int64_t from = 0; from <= 1; from++) {
        slot_table_look(b.table, &vm, from, NULL, 3, looks);
        assert_true(looks[0].fits_until == INSTANT_NONE);
        assert_int_equal(looks[1].fits_until, 60);
        assert_int_equal(looks[1].unchanged_until, 30);
        assert_int_equal(looks[1].leases, 1);
        assert_int_equal(looks[2].unchanged_until, 60);
        assert_int_equal(looks[2].leases, 0);
    }
    looks[2].leases = 77;
    slot_table_look(b.table, &vm, 65, some, 2, looks); /* fills the looks of these hosts */
    assert_true(looks[1].fits_until == INSTANT_NONE);
    assert_true(looks[2].fits_until == INSTANT_NONE);
    assert_true(looks[0].fits_until == INSTANT_NONE);
    tear_down(&b);
}

static void a_blocked_host_is_remembered_until_something_of_that_time_is_released(void **state)
{
    const int64_t asked_from[] = {30, 10};
    struct bench b;
    struct reservation *early, *late, *wish;
    struct blocked_host blocked = {0};

    set_up(&b, 1);
    early = make(&b, 1, 10, 20, 0, 0, 60);
    late = make(&b, 2, 20, 50, 0, 0, 60);
    wish = make(&b, 3, 0, 5, 0, 0, 60);
    slot_table_book(b.table, early);
    slot_table_book(b.table, late);
    assert_int_equal(slot_table_placement_free_from(b.table, wish->placement,
                                                    (struct interval){10, 100}, 5, &blocked),
                     50);
    slot_table_release(b.table, early);
    /* An answer for later says nothing about the time before. */
    for (int i = 0; i < 2; i++)
        assert_int_equal(slot_table_placement_free_from(b.table, wish->placement,
                                                        (struct interval){asked_from[i], 100}, 5,
                                                        &blocked),
                         i == 0 ? 50 : 10);
    tear_down(&b);
}

static void the_past_is_dropped(void **state)
{
    struct bench b;
    struct reservation *long_one;

    set_up(&b, 1);
    long_one = make(&b, 1, 0, 100, 0, 0, 30);
    slot_table_book(b.table, long_one);
    assert_int_equal(slot_table_free_cpu_now(b.table), 70);
    slot_table_advance(b.table, 50);
    assert_int_equal(slot_table_now(b.table), 50);
    slot_table_release(b.table, long_one);
    assert_int_equal(slot_table_free_cpu_now(b.table), 100);
    assert_true(slot_table_unchanged_until(b.table, 0, 50) == INSTANT_NEVER);
    slot_table_advance(b.table, 40); /* never backwards */
    assert_int_equal(slot_table_now(b.table), 50);
    slot_table_book(b.table, make(&b, 2, 50, INSTANT_NEVER, 0, 0, 30));
    slot_table_advance(b.table, 1000000);
    assert_int_equal(slot_table_free_cpu_now(b.table), 70);
    tear_down(&b);
}

static void booking_blindly_may_go_below_zero(void **state)
{
    struct bench b;
    struct amounts nothing = {{0}}, some = {{10, 0}};

    set_up(&b, 1);
    slot_table_book(b.table, make(&b, 1, 0, 50, 0, 0, 80));
    slot_table_book(b.table, make(&b, 2, 0, 50, 0, 0, 80));
    assert_int_equal(slot_table_free(b.table, 0, RESOURCE_CPU, 0), -60);
    assert_int_equal(slot_table_fits_until(b.table, 0, &some, 0), 0);
    assert_int_equal(slot_table_fits_until(b.table, 0, &nothing, 0), 0);
    assert_int_equal(slot_table_fit_count(b.table, 0, &nothing, (struct interval){0, 10}, 5), 0);
    assert_true(slot_table_fits_until(b.table, 0, &nothing, 50) == INSTANT_NEVER);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_fits),
        cmocka_unit_test(it_does_not_fit_and_nothing_changed),
        cmocka_unit_test(overbooking_is_remembered),
        cmocka_unit_test(it_fits_again_after_removal),
        cmocka_unit_test(what_is_not_booked_is_not_released),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(marks_nest_and_are_undone),
        cmocka_unit_test(what_is_kept_inside_is_undone_outside),
        cmocka_unit_test(one_lease_counts_once_on_a_host),
        cmocka_unit_test(a_change_of_leases_is_a_change_though_amounts_stay),
        cmocka_unit_test(how_long_and_how_many_fit),
        cmocka_unit_test(a_long_time_is_found_at_its_first_point),
        cmocka_unit_test(a_look_says_what_a_scheduler_asks),
        cmocka_unit_test(a_blocked_host_is_remembered_until_something_of_that_time_is_released),
        cmocka_unit_test(the_past_is_dropped),
        cmocka_unit_test(booking_blindly_may_go_below_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
