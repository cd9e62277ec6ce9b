/* Evaluates an expression for one host; eligibility.c evaluates by column for all hosts. */
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/expression.h"
#include "util/memory.h"

/* A comparison with the values of one attribute, one by one. */
struct expression_question {
    const struct comparison *comparison;
    bool answered, answer;
};

/* Like OpenNebula, skips values that are not numbers if a number is expected. */
static void ask(struct expression_question *question, const char *value)
{
    const struct comparison *comparison = question->comparison;
    int64_t integer = 0;
    double number = 0;
    bool counts = true, answer = false;

    if (comparison->kind == LITERAL_INTEGER) {
        counts = value_integer(value, &integer);
        answer = counts && compare_integers(comparison->test, integer, comparison->integer);
    } else if (comparison->kind == LITERAL_NUMBER) {
        counts = value_number(value, &number);
        answer = counts && compare_numbers(comparison->test, number, comparison->number);
    } else {
        answer = compare_texts(comparison, value);
    }
    if (!counts)
        return;
    question->answer = answer;
    question->answered = answer || comparison->test != TEST_CONTAINS;
}

static bool has_vm(const struct attributes *attributes, int64_t id)
{
    int64_t present;

    for (size_t i = 0; i < attributes->n; i++)
        if (!strcmp(attributes->items[i].name, ATTRIBUTE_VMS) &&
            value_integer(attributes->items[i].value, &present) && present == id)
            return true;
    return false;
}

static bool holds(const struct comparison *comparison, const struct attributes *attributes)
{
    struct expression_question question = {.comparison = comparison};
    int64_t id;

    if (!strcmp(comparison->name, ATTRIBUTE_VMS))
        return comparison_of_vms(comparison,
                                 comparison_vm(comparison, &id) && has_vm(attributes, id));
    for (size_t i = 0; i < attributes->n && !question.answered; i++)
        if (!strcmp(attributes->items[i].name, comparison->name))
            ask(&question, attributes->items[i].value);
    return question.answer;
}

bool expression_allows(const struct expression *expression, const struct attributes *attributes)
{
    bool *stack = memory_new(expression->depth + 1, sizeof *stack), *top = stack, result = true;

    for (size_t i = 0; i < expression->n; i++) {
        const struct instruction *instruction = &expression->code[i];

        switch (instruction->operation) {
        case OPERATION_COMPARE:
            *top++ = holds(&expression->comparisons[instruction->comparison], attributes);
            break;
        case OPERATION_NOT:
            top[-1] = !top[-1];
            break;
        case OPERATION_AND:
            top--;
            top[-1] = top[-1] && *top;
            break;
        case OPERATION_OR:
            top--;
            top[-1] = top[-1] || *top;
            break;
        default:
            break;
        }
    }
    if (expression->n)
        result = stack[0];
    free(stack);
    return result;
}

/* The first value that is a number; for CURRENT_VMS, the number of values. */
static double number_of(const struct attributes *attributes, const char *name)
{
    bool counts = !strcmp(name, ATTRIBUTE_VMS);
    double number, vms = 0;

    for (size_t i = 0; i < attributes->n; i++) {
        if (strcmp(attributes->items[i].name, name) ||
            !value_number(attributes->items[i].value, &number))
            continue;
        if (!counts)
            return number;
        vms++;
    }
    return vms;
}

static double calculate(enum expression_operation operation, double left, double right)
{
    switch (operation) {
    case OPERATION_ADD:
        return left + right;
    case OPERATION_SUBTRACT:
        return left - right;
    case OPERATION_MULTIPLY:
        return left * right;
    default:
        return left / right;
    }
}

int64_t expression_rank(const struct expression *expression, const struct attributes *attributes)
{
    double *stack = memory_new(expression->depth + 1, sizeof *stack), *top = stack;
    int64_t rank;

    for (size_t i = 0; i < expression->n; i++) {
        const struct instruction *instruction = &expression->code[i];

        switch (instruction->operation) {
        case OPERATION_NUMBER:
            *top++ = instruction->number;
            break;
        case OPERATION_ATTRIBUTE:
            *top++ = number_of(attributes, instruction->name);
            break;
        case OPERATION_NEGATE:
            top[-1] = -top[-1];
            break;
        default:
            top--;
            top[-1] = calculate(instruction->operation, top[-1], *top);
            break;
        }
    }
    rank = rank_of_number(stack[0]);
    free(stack);
    return rank;
}
