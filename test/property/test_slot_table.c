/* The slot table answers every question as a table that looks at everything does, whatever was
 * booked, released and undone before. `test-property-slot-table SEED COUNT` tries other seeds. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/property/slot_table_operations.h"

static uint64_t first_seed = 1, seeds = 10000;

static void answers_are_those_of_the_naive_table(void **state)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        struct operations operations;
        char text[200];

        operations_generate(&operations, seed);
        if (operations_run(&operations, text, sizeof text))
            continue;
        operations_shrink(&operations);
        if (operations_run(&operations, text, sizeof text))
            fail_msg("seed %" PRIu64 ": fails once, but not again", seed);
        operations_print(&operations, stderr);
        fail_msg("seed %" PRIu64 ": %s", seed, text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_naive_table),
    };

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seeds = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
