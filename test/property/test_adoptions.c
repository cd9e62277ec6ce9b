/* A driver may begin a new engine at any time: promises are kept, work is done once and in full.
 *
 * usage: test-property-adoptions [SEED [COUNT]]
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/property/world.h"

enum { LEASES = 30 };

static uint64_t first_seed = 1, seeds = 400;

/* Fails with the fewest leases that still go wrong. */
static void play_world(struct world_wishes wishes, int *n_rebuilds)
{
    char text[512];

    if (world_play(&wishes, text, sizeof text, n_rebuilds))
        return;
    while (wishes.n_leases > 1) {
        wishes.n_leases--;
        if (world_play(&wishes, text, sizeof text, n_rebuilds)) {
            wishes.n_leases++;
            break;
        }
    }
    world_play(&wishes, text, sizeof text, n_rebuilds);
    fail_msg("seed %" PRIu64 ", %d leases: %s", wishes.seed, wishes.n_leases, text);
}

static void play(uint64_t seed, bool rebuilds, int *n_rebuilds)
{
    play_world((struct world_wishes){.seed = seed, .n_leases = LEASES, .rebuilds = rebuilds},
               n_rebuilds);
}

static void play_all(bool rebuilds, int *n_rebuilds)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        play(seed, rebuilds, n_rebuilds);
}

static void one_engine_keeps_its_promises(void **state)
{
    int rebuilds = 0;

    play_all(false, &rebuilds);
    assert_int_equal(rebuilds, 0);
}

static void engines_that_take_over_keep_them(void **state)
{
    int rebuilds = 0;

    play_all(true, &rebuilds);
    assert_true((uint64_t)rebuilds > seeds * 5);
}

/* A deadline lease is resumed on a host after the other, and others run on the later ones until its
 * turn comes: its place is no gap that a search would find. */
static void places_that_no_search_would_find_are_kept(void **state)
{
    static const uint64_t rare[] = {24011, 29722, 39750};
    int rebuilds = 0;

    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        play(rare[i], true, &rebuilds);
    assert_true(rebuilds > 0);
}

/* VMs demand devices, pinned CPUs, pages, or to be apart. */
static void demands_are_met_by_all_engines(void **state)
{
    int rebuilds = 0;

    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        play_world(
            (struct world_wishes){
                .seed = seed, .n_leases = LEASES, .rebuilds = seed % 4, .demands = true},
            &rebuilds);
    assert_true((uint64_t)rebuilds > seeds);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_engine_keeps_its_promises),
        cmocka_unit_test(engines_that_take_over_keep_them),
        cmocka_unit_test(demands_are_met_by_all_engines),
        cmocka_unit_test(places_that_no_search_would_find_are_kept),
    };

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seeds = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
