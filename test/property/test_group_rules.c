/* Rules of VM groups are never broken, whatever happens to the cloud: an obvious checker looks at
 * every pair of VMs after each event and each command; VMs that migrate count on both hosts.
 *
 * usage: test-property-group-rules [SEED [COUNT]], or SEED EVENTS tell to print one day
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/property/group_story.h"

enum { EVENTS = 50 };

static uint64_t first_seed = 1, seeds = 18;

/* Fails with the fewest events that still go wrong. */
static void play(uint64_t seed, struct group_figures *figures)
{
    struct group_story story = {.seed = seed, .events = EVENTS};
    struct group_figures ignored;
    char text[512], less[512];

    if (group_story_play(&story, figures, text, sizeof text))
        return;
    for (int events = 1; events < EVENTS; events++) {
        story.events = events;
        if (!group_story_play(&story, &ignored, less, sizeof less))
            fail_msg("seed %" PRIu64 ", %d events: %s", seed, events, less);
    }
    fail_msg("seed %" PRIu64 ", %d events: %s", seed, EVENTS, text);
}

static void rules_are_kept(void **state)
{
    struct group_figures figures = {0};

    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        play(seed, &figures);
    print_message("%" PRIu64 " starts, %" PRIu64 " migrations (%" PRIu64
                  " of VMs that must be together), %" PRIu64 " suspensions, %" PRIu64
                  " drains, %" PRIu64 " moves to rebalance\n",
                  figures.starts, figures.migrations, figures.together, figures.suspensions,
                  figures.drains, figures.rebalanced);
    assert_true(figures.starts > seeds);
    assert_true(figures.migrations > seeds);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_are_kept)};

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seeds = strtoull(argv[2], NULL, 10);
    if (argc > 3) {
        struct group_story story = {.seed = first_seed, .events = (int)seeds, .told = true};
        struct group_figures figures;
        char text[512] = "nothing went wrong";

        group_story_play(&story, &figures, text, sizeof text);
        printf("%s\n", text);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
