/* Finds records by id, whatever ids are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "daemon/store/index.h"

enum { IDS = 400, TURNS = 3000 };

/* Compares the index with a table of the ids that are in it. */
static void expect_same(const struct store_index *index, char *const *there)
{
    size_t n = 0;

    for (int64_t id = 0; id < IDS; id++) {
        assert_ptr_equal(store_index_find(index, id), there[id]);
        if (!there[id])
            continue;
        assert_int_equal(index->ids[n], id);
        assert_ptr_equal(index->records[n++], there[id]);
    }
    assert_int_equal(index->n, n);
    assert_null(store_index_find(index, IDS));
    assert_null(store_index_find(index, INT64_MAX));
}

static void an_index_has_what_was_added_and_not_removed(void **state)
{
    static char records[IDS];
    char *there[IDS] = {0};
    struct store_index index;

    srandom(1);
    store_index_init(&index);
    expect_same(&index, there);
    for (int turn = 0; turn < TURNS; turn++) {
        /* The range of ids grows, and shrinks from below. */
        int64_t from = turn > TURNS / 2 ? IDS / 4 : 0, range = IDS * (turn % 100 + 1) / 100 - from;
        int64_t id = from + (range > 0 ? random() % range : 0);

        if (there[id] && random() % 4 > 0) {
            store_index_remove(&index, id);
            there[id] = NULL;
        } else if (!there[id]) {
            there[id] = &records[id];
            store_index_add(&index, id, there[id]);
        }
        expect_same(&index, there);
    }
    store_index_remove(&index, INT64_MAX);
    expect_same(&index, there);
    store_index_finish(&index);
}

static void all_ids_of_a_range_are_found(void **state)
{
    static char records[IDS];
    char *there[IDS] = {0};
    struct store_index index;

    store_index_init(&index);
    for (int64_t id = 7; id < IDS; id++)
        store_index_add(&index, id, there[id] = &records[id]);
    expect_same(&index, there);
    store_index_finish(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_has_what_was_added_and_not_removed),
        cmocka_unit_test(all_ids_of_a_range_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
