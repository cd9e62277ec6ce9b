/* Maps by integer, text and bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/map.h"

static void set(struct map *map, int64_t key, int64_t value)
{
    uint32_t number = map_add(map, key);

    *(int64_t *)map_value(map, number) = value;
}

static void an_empty_map_finds_nothing(void **state)
{
    struct map map;

    map_init(&map, 0);
    assert_int_equal(map_find(&map, 5), MAP_NONE);
    assert_int_equal(map_find_text(&map, ""), MAP_NONE);
    assert_null(map_value(&map, MAP_NONE));
    map_finish(&map);
    map_finish(&map);
}

static void a_new_value_is_zero_and_a_known_one_stays(void **state)
{
    struct map map;

    map_init(&map, sizeof(int64_t));
    assert_int_equal(*(int64_t *)map_value(&map, map_add(&map, -7)), 0);
    set(&map, -7, 42);
    assert_int_equal(*(int64_t *)map_value(&map, map_add(&map, -7)), 42);
    assert_int_equal(map.n, 1);
    assert_int_equal(map_find(&map, 7), MAP_NONE);
    map_finish(&map);
}

static void entries_are_numbered_as_they_come(void **state)
{
    static const char *const words[] = {"", "a", "abcdefgh", "abcdefghi", "abcdefgi"};
    struct map map;

    map_init(&map, 0);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(map_add_text(&map, words[i]), i);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(map_add_text(&map, words[i]), i);
        assert_string_equal(map_key_bytes(&map, i), words[i]);
    }
    assert_int_equal(map_find_text(&map, "b"), MAP_NONE);
    map_finish(&map);
}

static void bytes_may_hold_zeros(void **state)
{
    struct map map;

    map_init(&map, 0);
    map_add_bytes(&map, "a\0b", 3);
    assert_int_equal(map_find_bytes(&map, "a\0b", 3), 0);
    assert_int_equal(map_find_bytes(&map, "a\0c", 3), MAP_NONE);
    assert_int_equal(map_find_bytes(&map, "a", 1), MAP_NONE);
    map_finish(&map);
}

static void the_last_entry_takes_the_number_of_a_removed_one(void **state)
{
    struct map map;

    map_init(&map, sizeof(int64_t));
    for (int64_t key = 0; key < 4; key++)
        set(&map, key, 10 * key);
    map_remove(&map, map_find(&map, 1));
    assert_int_equal(map.n, 3);
    assert_int_equal(map_key(&map, 1), 3);
    assert_int_equal(*(int64_t *)map_value(&map, 1), 30);
    assert_int_equal(map_find(&map, 1), MAP_NONE);
    map_remove(&map, map_find(&map, 2));
    assert_int_equal(map_find(&map, 2), MAP_NONE);
    assert_int_equal(map_find(&map, 0), 0);
    assert_int_equal(map_find(&map, 3), 1);
    map_finish(&map);
}

/* Additions, changes and removals in a fixed order, beside an array. */
static void it_agrees_with_an_array(void **state)
{
    enum { KEYS = 600, STEPS = 60000 };
    int64_t values[KEYS] = {0}; /* 0: not in the map */
    uint32_t random = 1;
    size_t n = 0;
    struct map map;

    map_init(&map, sizeof(int64_t));
    for (int64_t step = 1; step <= STEPS; step++) {
        int64_t at = (random = random * 1103515245 + 12345) / 65536 % KEYS;
        uint32_t number = map_find(&map, at - KEYS / 2);

        assert_int_equal(number != MAP_NONE, values[at] != 0);
        if (number != MAP_NONE) {
            assert_int_equal(*(int64_t *)map_value(&map, number), values[at]);
            map_remove(&map, number);
            values[at] = 0;
            n--;
        } else {
            set(&map, at - KEYS / 2, values[at] = step);
            n++;
        }
        assert_int_equal(map.n, n);
    }
    for (uint32_t number = 0; number < map.n; number++)
        assert_int_equal(*(int64_t *)map_value(&map, number),
                         values[map_key(&map, number) + KEYS / 2]);
    map_finish(&map);
}

static void many_texts_are_found(void **state)
{
    enum { TEXTS = 5000 };
    static char texts[TEXTS][20];
    struct map map;

    map_init(&map, sizeof(int));
    for (int i = 0; i < TEXTS; i++) {
        snprintf(texts[i], sizeof texts[i], "text %d", i);
        *(int *)map_value(&map, map_add_text(&map, texts[i])) = i;
    }
    for (int i = 0; i < TEXTS; i += 2)
        map_remove(&map, map_find_text(&map, texts[i]));
    for (int i = 0; i < TEXTS; i++) {
        const int *value = map_value(&map, map_find_text(&map, texts[i]));

        assert_int_equal(value != NULL, i % 2);
        if (value)
            assert_int_equal(*value, i);
    }
    map_finish(&map);
}

static void copied_keys_stay_when_their_source_changes(void **state)
{
    char text[] = "one";
    const char *kept;
    struct map map;

    map_init_copying(&map, 0);
    kept = map_key_bytes(&map, map_add_text(&map, text));
    text[0] = 'O';
    assert_string_equal(kept, "one");
    for (int i = 0; i < 100; i++) {
        text[0] = (char)('A' + i % 50);
        map_add_text(&map, text);
    }
    assert_ptr_equal(map_key_bytes(&map, map_find_text(&map, "one")), kept);
    map_remove(&map, map_find_text(&map, "Ane"));
    assert_int_equal(map_find_text(&map, "Ane"), MAP_NONE);
    map_finish(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(a_new_value_is_zero_and_a_known_one_stays),
        cmocka_unit_test(entries_are_numbered_as_they_come),
        cmocka_unit_test(bytes_may_hold_zeros),
        cmocka_unit_test(the_last_entry_takes_the_number_of_a_removed_one),
        cmocka_unit_test(it_agrees_with_an_array),
        cmocka_unit_test(many_texts_are_found),
        cmocka_unit_test(copied_keys_stay_when_their_source_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
