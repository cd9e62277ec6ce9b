/* Reservations by a time, equal times as they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/reservation_index.h"

enum { COUNT = 2000 };

/* What the walk finds from a place on: all of it in order, and as many entries as there are. */
static void check_order(const struct reservation_index *index)
{
    struct index_walk walk = reservation_index_first(index);
    const struct index_entry *a = NULL, *b;
    size_t n = 0;

    for (; (b = index_walk_next(&walk)); a = b, n++)
        assert_true(!a || a->time < b->time || (a->time == b->time && a->order < b->order));
    assert_int_equal(n, index->n);
}

static const struct reservation *next_after(const struct reservation_index *index, int64_t time)
{
    struct index_walk walk = reservation_index_after(index, time);
    const struct index_entry *entry = index_walk_next(&walk);

    return entry ? entry->reservation : NULL;
}

static void equal_times_stay_as_they_came(void **state)
{
    struct reservation_index index = {0};
    struct reservation r[4] = {{.order = 1}, {.order = 2}, {.order = 3}, {.order = 4}};
    const struct reservation *in_order[] = {&r[1], &r[3], &r[0], &r[2]};
    struct index_walk walk;

    reservation_index_insert(&index, 20, &r[0]);
    reservation_index_insert(&index, 10, &r[1]);
    reservation_index_insert(&index, 20, &r[2]);
    reservation_index_insert(&index, 10, &r[3]);
    walk = reservation_index_first(&index);
    for (size_t i = 0; i < 4; i++)
        assert_ptr_equal(index_walk_next(&walk)->reservation, in_order[i]);
    assert_null(index_walk_next(&walk));
    assert_ptr_equal(next_after(&index, 9), &r[1]);
    assert_ptr_equal(next_after(&index, 10), &r[0]);
    assert_null(next_after(&index, 20));
    assert_int_equal(reservation_index_first_time(&index), 10);
    reservation_index_remove(&index, 20, &r[0]);
    assert_ptr_equal(next_after(&index, 10), &r[2]);
    reservation_index_finish(&index);
}

static void it_stays_in_order_through_many_changes(void **state)
{
    static struct reservation r[COUNT];
    struct reservation_index index = {0};
    uint32_t x = 1;
    size_t first = 0;

    for (size_t i = 0; i < COUNT; i++) {
        x = x * 1664525 + 1013904223;
        r[i] = (struct reservation){.order = i + 1, .from = (int64_t)(x >> 16) % 100};
        reservation_index_insert(&index, r[i].from, &r[i]);
        if (i % 3 == 2) {
            reservation_index_remove(&index, r[first].from, &r[first]);
            first++;
        }
        assert_int_equal(index.n, i + 1 - first);
    }
    check_order(&index);
    while (index.n) { /* from the front, as time passes */
        struct index_walk walk = reservation_index_first(&index);
        const struct index_entry *entry = index_walk_next(&walk);

        assert_int_equal(reservation_index_first_time(&index), entry->time);
        reservation_index_remove(&index, entry->time, entry->reservation);
        check_order(&index);
    }
    reservation_index_insert(&index, 5, &r[0]);
    assert_int_equal(index.n, 1);
    reservation_index_finish(&index);
    assert_null(index.pieces);
    assert_int_equal(reservation_index_first_time(&index), INSTANT_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_stay_as_they_came),
        cmocka_unit_test(it_stays_in_order_through_many_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
