/* Counts the memory of answers and of the data kept from them. */
#include "adapters/cloud/memory_budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/append.h"
#include "util/memory.h"

enum { MB = 1 << 20 };

struct part {
    char *name;
    size_t bytes;
};

struct memory_budget {
    size_t limit, used;
    struct part *parts;
    size_t n, allocated;
};

struct memory_budget *memory_budget_create(size_t limit)
{
    struct memory_budget *budget = memory_new(1, sizeof *budget);

    budget->limit = limit;
    return budget;
}

void memory_budget_destroy(struct memory_budget *budget)
{
    if (!budget)
        return;
    for (size_t i = 0; i < budget->n; i++)
        free(budget->parts[i].name);
    free(budget->parts);
    free(budget);
}

static struct part *part_of(struct memory_budget *budget, const char *name)
{
    for (size_t i = 0; i < budget->n; i++)
        if (strcmp(budget->parts[i].name, name) == 0)
            return &budget->parts[i];
    MEMORY_GROW(budget->parts, budget->allocated, budget->n + 1);
    budget->parts[budget->n] = (struct part){.name = memory_text(name)};
    return &budget->parts[budget->n++];
}

bool memory_budget_fits(const struct memory_budget *budget, size_t bytes)
{
    return !budget || bytes <= budget->limit - budget->used;
}

bool memory_budget_take(struct memory_budget *budget, const char *name, size_t bytes)
{
    if (!memory_budget_fits(budget, bytes))
        return false;
    if (budget) {
        budget->used += bytes;
        part_of(budget, name)->bytes += bytes;
    }
    return true;
}

void memory_budget_give_back(struct memory_budget *budget, const char *name, size_t bytes)
{
    if (!budget)
        return;
    budget->used -= bytes;
    part_of(budget, name)->bytes -= bytes;
}

const char *memory_budget_explain(const struct memory_budget *budget, size_t bytes,
                                  char text[MEMORY_BUDGET_TEXT])
{
    const struct part *largest = NULL;
    size_t length;

    for (size_t i = 0; i < budget->n; i++)
        if (!largest || budget->parts[i].bytes > largest->bytes)
            largest = &budget->parts[i];
    length =
        append_text(text, MEMORY_BUDGET_TEXT, 0,
                    "the answer is too large (%zu MB): all answers may take %zu MB (memory-limit)",
                    bytes / MB, budget->limit / MB);
    if (largest && largest->bytes >= MB)
        length = append_text(text, MEMORY_BUDGET_TEXT, length, ", of which %.40s takes %zu MB",
                             largest->name, largest->bytes / MB);
    append_text(text, MEMORY_BUDGET_TEXT, length, "; raise it, and MemoryMax of galernad.service");
    return text;
}
