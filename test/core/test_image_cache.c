/* The images a host keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/image_cache.h"
#include "util/instant.h"

/* The first VM of a lease. */
static struct image_user vm_of(int64_t lease)
{
    return (struct image_user){.lease = lease};
}

static void an_image_stays_when_its_lease_is_over(void **state)
{
    struct image_cache cache = {0};

    assert_null(image_cache_find(&cache, "a"));
    image_cache_add(&cache, "a", 100, 1000, vm_of(1));
    image_cache_add(&cache, "a", 100, 1000, vm_of(1)); /* once more for the same VM */
    image_cache_add(&cache, "a", 100, 1000, (struct image_user){.lease = 1, .vm = 1});
    image_cache_add(&cache, "a", 100, 1000, vm_of(2));
    assert_int_equal(cache.n, 1);
    assert_int_equal(image_cache_find(&cache, "a")->n_users, 3);
    assert_true(image_cache_find(&cache, "a")->keep_until == INSTANT_NONE);
    image_cache_release(&cache, "a", vm_of(1));
    assert_int_equal(image_cache_find(&cache, "a")->n_users, 2);
    image_cache_release(&cache, "a", (struct image_user){.lease = 1, .vm = 1});
    assert_int_equal(image_cache_find(&cache, "a")->n_users, 1);
    image_cache_release(&cache, "a", vm_of(2));
    assert_non_null(image_cache_find(&cache, "a"));
    image_cache_release(&cache, "b", vm_of(2)); /* not there */
    image_cache_finish(&cache);
}

static void a_use_says_how_long_it_is_kept(void **state)
{
    struct image_cache cache = {0};

    image_cache_use(&cache, "a", vm_of(1), 500); /* not there */
    assert_int_equal(cache.n, 0);
    image_cache_add(&cache, "a", 100, 1000, vm_of(1));
    image_cache_use(&cache, "a", vm_of(2), 500);
    assert_int_equal(image_cache_find(&cache, "a")->keep_until, 500);
    image_cache_use(&cache, "a", vm_of(3), 400); /* for no shorter a time */
    assert_int_equal(image_cache_find(&cache, "a")->keep_until, 500);
    assert_int_equal(image_cache_find(&cache, "a")->n_users, 3);
    image_cache_finish(&cache);
}

static void the_unused_one_to_be_kept_shortest_goes_first(void **state)
{
    struct image_cache cache = {0};

    image_cache_add(&cache, "long", 400, 1000, vm_of(1));
    image_cache_use(&cache, "long", vm_of(1), 900);
    image_cache_add(&cache, "short", 400, 1000, vm_of(2));
    image_cache_use(&cache, "short", vm_of(2), 300);
    image_cache_release(&cache, "long", vm_of(1));
    image_cache_release(&cache, "short", vm_of(2));
    image_cache_add(&cache, "new", 400, 1000, vm_of(3));
    assert_null(image_cache_find(&cache, "short"));
    assert_non_null(image_cache_find(&cache, "long"));
    assert_non_null(image_cache_find(&cache, "new"));
    /* Never used again: before all others. */
    image_cache_release(&cache, "new", vm_of(3));
    image_cache_add(&cache, "newer", 400, 1000, vm_of(4));
    assert_null(image_cache_find(&cache, "new"));
    assert_non_null(image_cache_find(&cache, "long"));
    image_cache_finish(&cache);
}

static void an_image_is_not_cached_when_all_are_in_use(void **state)
{
    struct image_cache cache = {0};

    image_cache_add(&cache, "a", 600, 1000, vm_of(1));
    image_cache_add(&cache, "b", 600, 1000, vm_of(2));
    assert_null(image_cache_find(&cache, "b"));
    assert_non_null(image_cache_find(&cache, "a"));
    image_cache_finish(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_stays_when_its_lease_is_over),
        cmocka_unit_test(a_use_says_how_long_it_is_kept),
        cmocka_unit_test(the_unused_one_to_be_kept_shortest_goes_first),
        cmocka_unit_test(an_image_is_not_cached_when_all_are_in_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
