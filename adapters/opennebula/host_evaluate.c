/* Evaluates expressions for all hosts. */
#include "adapters/opennebula/host_columns_inside.h"

#include <string.h>

#include "util/memory.h"

static void combine(enum expression_operation operation, uint64_t *left, const uint64_t *right,
                    size_t words)
{
    for (size_t word = 0; word < words; word++)
        if (operation == OPERATION_AND)
            left[word] &= right[word];
        else
            left[word] |= right[word];
}

void host_columns_allow(struct host_columns *columns, const struct expression *requirement,
                        uint64_t *bitmap)
{
    size_t words = columns->n_words;
    uint64_t *top;

    host_columns_read(columns);
    MEMORY_GROW(columns->bitmap_stack, columns->bitmap_stack_allocated,
                (requirement->depth + 1) * (words + 1));
    top = columns->bitmap_stack;
    for (size_t i = 0; i < requirement->n; i++) {
        const struct instruction *instruction = &requirement->code[i];

        if (instruction->operation == OPERATION_COMPARE) {
            host_columns_answer(columns, &requirement->comparisons[instruction->comparison], top);
            top += words;
            continue;
        }
        if (instruction->operation == OPERATION_NOT) {
            host_columns_invert(columns, top - words);
            continue;
        }
        top -= words;
        combine(instruction->operation, top - words, top, words);
    }
    if (requirement->n == 0) {
        memset(bitmap, 0, words * sizeof *bitmap);
        host_columns_invert(columns, bitmap);
    } else {
        memcpy(bitmap, columns->bitmap_stack, words * sizeof *bitmap);
    }
}

/* In a rank, CURRENT_VMS is the number of its values. */
static const double *count_vms(struct host_columns *columns, const struct host_attribute *column)
{
    if (columns->counts)
        return columns->counts;
    columns->counts = memory_new(columns->n_hosts, sizeof *columns->counts);
    for (size_t i = 0; i < column->n; i++)
        columns->counts[columns->entries[column->first + i].host] += column->parsed[i].has_number;
    return columns->counts;
}

/* An attribute that no host has is 0. */
static struct rank_step value_of(struct host_columns *columns, const char *name)
{
    uint32_t number = map_find_text(&columns->names, name);
    const struct host_attribute *column;

    if (number == MAP_NONE)
        return (struct rank_step){.operation = RANK_NUMBER};
    column = host_column(columns, number);
    return (struct rank_step){.operation = RANK_COLUMN,
                              .column = strcmp(name, ATTRIBUTE_VMS) ? column->numbers
                                                                    : count_vms(columns, column)};
}

void host_columns_rank(struct host_columns *columns, const struct expression *rank,
                       struct rank_step *steps)
{
    static const enum rank_operation operations[] = {
        [OPERATION_ADD] = RANK_ADD,           [OPERATION_SUBTRACT] = RANK_SUBTRACT,
        [OPERATION_MULTIPLY] = RANK_MULTIPLY, [OPERATION_DIVIDE] = RANK_DIVIDE,
        [OPERATION_NEGATE] = RANK_NEGATE,
    };

    host_columns_read(columns);
    for (size_t i = 0; i < rank->n; i++) {
        const struct instruction *instruction = &rank->code[i];

        if (instruction->operation == OPERATION_ATTRIBUTE)
            steps[i] = value_of(columns, instruction->name);
        else if (instruction->operation == OPERATION_NUMBER)
            steps[i] = (struct rank_step){.operation = RANK_NUMBER, .number = instruction->number};
        else
            steps[i] = (struct rank_step){.operation = operations[instruction->operation]};
    }
}
