/* memory_budget.h: limits the total memory of the cloud's answers and of the data kept from them.
 *
 * Each part is counted under a name, which appears in messages. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct memory_budget; /* opaque */

/* The budget must outlive everything counted against it. limit: bytes. */
struct memory_budget *memory_budget_create(size_t limit);
void memory_budget_destroy(struct memory_budget *budget); /* NULL is allowed */

/* In the following functions, NULL is a budget without a limit. */

bool memory_budget_fits(const struct memory_budget *budget, size_t bytes);
/* Counts the bytes. False: they do not fit, and are not counted. */
bool memory_budget_take(struct memory_budget *budget, const char *name, size_t bytes);
void memory_budget_give_back(struct memory_budget *budget, const char *name, size_t bytes);

enum { MEMORY_BUDGET_TEXT = 240 };

/* Writes why an answer of that size does not fit, and the remedy, into text. Returns text. */
const char *memory_budget_explain(const struct memory_budget *budget, size_t bytes,
                                  char text[MEMORY_BUDGET_TEXT]);
