/* memory_budget.h: how much memory answers of the cloud, and what is kept of them, take in all.
 *
 * Each part is counted under a name, which a message can tell. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct memory_budget; /* opaque */

/* It must outlive what is counted against it. limit: bytes. */
struct memory_budget *memory_budget_create(size_t limit);
void memory_budget_destroy(struct memory_budget *budget); /* NULL is allowed */

/* Below, NULL is a budget without a limit. */

bool memory_budget_fits(const struct memory_budget *budget, size_t bytes);
/* Count them. False: they do not fit, and are not counted. */
bool memory_budget_take(struct memory_budget *budget, const char *name, size_t bytes);
void memory_budget_give_back(struct memory_budget *budget, const char *name, size_t bytes);

enum { MEMORY_BUDGET_TEXT = 240 };

/* What an answer of that size does not fit into, and what to do about it. Returns text. */
const char *memory_budget_explain(const struct memory_budget *budget, size_t bytes,
                                  char text[MEMORY_BUDGET_TEXT]);
