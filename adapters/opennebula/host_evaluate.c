/* Expressions, for all hosts at once. */
#include "adapters/opennebula/host_columns_inside.h"

#include <string.h>

#include "util/memory.h"

void host_columns_invert(const struct host_columns *columns, uint64_t *bitmap)
{
    for (size_t i = 0; i < columns->n_words; i++)
        bitmap[i] = ~bitmap[i];
    if (columns->n_hosts % 64)
        bitmap[columns->n_words - 1] &= ((uint64_t)1 << (columns->n_hosts % 64)) - 1;
}

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

    columns->bitmap_stack =
        memory_grow(columns->bitmap_stack, &columns->bitmap_stack_allocated,
                    (requirement->depth + 1) * (words + 1), sizeof *columns->bitmap_stack);
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

static void push_attribute(struct host_columns *columns, const char *name, double *top)
{
    uint32_t number = map_find_text(&columns->names, name);
    const struct host_attribute *column;

    memset(top, 0, columns->n_hosts * sizeof *top);
    if (number == MAP_NONE)
        return;
    column = host_column(columns, number);
    if (strcmp(name, ATTRIBUTE_VMS)) {
        memcpy(top, column->numbers, columns->n_hosts * sizeof *top);
        return;
    }
    for (size_t i = 0; i < column->n; i++) {
        const struct entry *entry = &columns->entries[column->first + i];

        top[entry->host] += entry->has_number;
    }
}

static void calculate(enum expression_operation operation, double *left, const double *right,
                      size_t n)
{
    switch (operation) {
    case OPERATION_ADD:
        for (size_t i = 0; i < n; i++)
            left[i] += right[i];
        break;
    case OPERATION_SUBTRACT:
        for (size_t i = 0; i < n; i++)
            left[i] -= right[i];
        break;
    case OPERATION_MULTIPLY:
        for (size_t i = 0; i < n; i++)
            left[i] *= right[i];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            left[i] /= right[i];
        break;
    }
}

void host_columns_rank(struct host_columns *columns, const struct expression *rank, int64_t *ranks)
{
    size_t n = columns->n_hosts;
    double *top;

    columns->stack = memory_grow(columns->stack, &columns->stack_allocated,
                                 (rank->depth + 1) * (n + 1), sizeof *columns->stack);
    top = columns->stack;
    if (rank->n == 0)
        memset(top, 0, n * sizeof *top);
    for (size_t i = 0; i < rank->n; i++) {
        const struct instruction *instruction = &rank->code[i];

        if (instruction->operation == OPERATION_ATTRIBUTE) {
            push_attribute(columns, instruction->name, top);
            top += n;
        } else if (instruction->operation == OPERATION_NUMBER) {
            for (size_t host = 0; host < n; host++)
                top[host] = instruction->number;
            top += n;
        } else if (instruction->operation == OPERATION_NEGATE) {
            double *value = top - n;

            for (size_t host = 0; host < n; host++)
                value[host] = -value[host];
        } else {
            top -= n;
            calculate(instruction->operation, top - n, top, n);
        }
    }
    for (size_t host = 0; host < n; host++)
        ranks[host] = rank_of_number(columns->stack[host]);
}
