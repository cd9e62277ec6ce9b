/* slot_table_operations.h: random operations on the slot table and on the naive one, side by side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum operation_kind {
    OPERATION_BOOK, /* whether it fits or not */
    OPERATION_ADD,  /* if it fits */
    OPERATION_RELEASE,
    OPERATION_ADVANCE,
    OPERATION_MARK,
    OPERATION_UNDO,
    OPERATION_KEEP,
    OPERATION_ASK, /* every question, with random arguments */
    OPERATION_KINDS
};

/* Means something whatever came before it, so that any part of a list can be run. */
struct operation {
    enum operation_kind kind;
    uint64_t seed; /* of its arguments */
};

enum { OPERATIONS_MAX = 64 };

struct operations {
    uint64_t site_seed;
    struct operation items[OPERATIONS_MAX];
    size_t n;
};

void operations_generate(struct operations *operations, uint64_t seed);

/* True when both tables gave the same answers; else what went wrong is in text. */
bool operations_run(const struct operations *operations, char *text, size_t size);

/* Leave out operations as long as it still goes wrong. */
void operations_shrink(struct operations *operations);

void operations_print(const struct operations *operations, FILE *out);
