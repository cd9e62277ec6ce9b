/* Splits a requirement into the parts that must all be true. */
#include "adapters/opennebula/expression.h"

/* The begin of the operand that ends before `end`. */
static size_t operand_begins(const struct expression *expression, size_t end)
{
    size_t operands = 1;

    while (operands > 0) {
        enum expression_operation operation = expression->code[--end].operation;

        if (operation == OPERATION_COMPARE)
            operands--;
        else if (operation != OPERATION_NOT)
            operands++;
    }
    return end;
}

static struct expression_part part_of(const struct expression *expression, size_t first, size_t end)
{
    struct expression_part part = {.first = first, .n = end - first, .changes = false};
    size_t from = (size_t)-1;

    part.negated = expression->code[end - 1].operation == OPERATION_NOT;
    for (size_t i = first; i < end; i++) {
        const struct instruction *instruction = &expression->code[i];
        const struct comparison *comparison = &expression->comparisons[instruction->comparison];

        if (instruction->operation != OPERATION_COMPARE)
            continue;
        from = from == (size_t)-1 ? comparison->from : from;
        part.to = comparison->to;
        part.changes = part.changes || eligibility_changes_all_the_time(comparison->name);
    }
    part.from = from;
    return part;
}

size_t expression_parts(const struct expression *expression, struct expression_part *parts,
                        size_t most)
{
    size_t end = expression->n, n = 0;

    while (end > 0 && n < most) {
        bool joined = expression->code[end - 1].operation == OPERATION_AND && n + 1 < most;
        size_t operand_end = joined ? end - 1 : end;
        size_t first = joined ? operand_begins(expression, operand_end) : 0;

        parts[n++] = part_of(expression, first, operand_end);
        end = first;
    }
    return n;
}
