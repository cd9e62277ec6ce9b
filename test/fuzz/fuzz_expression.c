/* Requirements and ranks as a VM's owner may write them: both evaluators must survive them and
 * agree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/host_columns.h"
#include "util/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOSTS = 3 };

static struct attribute first[] = {{"RACK", "r1"}, {"NUM", "5"},         {"TAG", "a"},
                                   {"TAG", "b"},   {"CURRENT_VMS", "3"}, {"A", ""}};
static struct attribute second[] = {
    {"RACK", "[r]*"}, {"NUM", "-2.5 GB"}, {"A", "99999999999999999999"}, {"RUNNING_VMS", "7"}};

static void evaluate(const struct expression *expression, const struct host_pool *hosts,
                     struct host_columns *columns)
{
    uint64_t bitmap = 0;
    struct rank_step *steps = memory_new(expression->n, sizeof *steps);
    const struct host_rank rank = {.steps = steps, .n = expression->n, .depth = expression->depth};

    if (expression->is_rank)
        host_columns_rank(columns, expression, steps);
    else
        host_columns_allow(columns, expression, &bitmap);
    for (size_t i = 0; i < HOSTS; i++) {
        const struct attributes *attributes = &hosts->items[i].attributes;

        if (expression->is_rank
                ? host_rank_of(&rank, (uint32_t)i) != expression_rank(expression, attributes)
                : bitmap_has(&bitmap, i) != expression_allows(expression, attributes))
            abort();
    }
    free(steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host items[HOSTS] = {{.attributes = {first, sizeof first / sizeof *first, 0}},
                                {.attributes = {second, sizeof second / sizeof *second, 0}}};
    const struct host_pool hosts = {.items = items, .n = HOSTS};
    struct host_columns *columns = host_columns_create(&hosts, NULL);
    char *text = memory_new(size + 1, 1);
    struct expression *both[2];

    if (size)
        memcpy(text, data, size);
    both[0] = expression_parse_requirement(text, NULL);
    both[1] = expression_parse_rank(text, NULL);
    for (int i = 0; i < 2; i++) {
        if (both[i])
            evaluate(both[i], &hosts, columns);
        expression_destroy(both[i]);
    }
    free(text);
    host_columns_destroy(columns);
    return 0;
}
