/* Reservations by a time, equal times as they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/reservation_index.h"

enum { COUNT = 500 };

static void check_order(const struct reservation_index *index)
{
    for (size_t i = 1; i < index->n; i++) {
        const struct index_entry *a = reservation_index_at(index, i - 1);
        const struct index_entry *b = reservation_index_at(index, i);

        assert_true(a->time < b->time || (a->time == b->time && a->order < b->order));
    }
}

static void equal_times_stay_as_they_came(void **state)
{
    struct reservation_index index = {0};
    struct reservation r[4] = {{.order = 1}, {.order = 2}, {.order = 3}, {.order = 4}};

    (void)state;
    reservation_index_insert(&index, 20, &r[0]);
    reservation_index_insert(&index, 10, &r[1]);
    reservation_index_insert(&index, 20, &r[2]);
    reservation_index_insert(&index, 10, &r[3]);
    assert_ptr_equal(reservation_index_at(&index, 0)->reservation, &r[1]);
    assert_ptr_equal(reservation_index_at(&index, 1)->reservation, &r[3]);
    assert_ptr_equal(reservation_index_at(&index, 2)->reservation, &r[0]);
    assert_ptr_equal(reservation_index_at(&index, 3)->reservation, &r[2]);
    assert_int_equal(reservation_index_after(&index, 9), 0);
    assert_int_equal(reservation_index_after(&index, 10), 2);
    assert_int_equal(reservation_index_after(&index, 20), 4);
    reservation_index_remove(&index, 20, &r[0]);
    assert_ptr_equal(reservation_index_at(&index, 2)->reservation, &r[2]);
    reservation_index_finish(&index);
}

static void it_stays_in_order_through_many_changes(void **state)
{
    static struct reservation r[COUNT];
    struct reservation_index index = {0};
    uint32_t x = 1;
    size_t first = 0;

    (void)state;
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
        const struct index_entry *entry = reservation_index_at(&index, 0);

        reservation_index_remove(&index, entry->time, entry->reservation);
        check_order(&index);
    }
    reservation_index_insert(&index, 5, &r[0]);
    assert_int_equal(index.n, 1);
    reservation_index_finish(&index);
    assert_null(index.entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_stay_as_they_came),
        cmocka_unit_test(it_stays_in_order_through_many_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
