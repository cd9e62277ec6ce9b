/* compare.h: is a record the same as the expected one? The rule: every key of the expected record
 * up to `stats`, integers exact, other numbers to 1e-9, nothing missing, nothing more. */
#ifndef GALERNA_TEST_GOLDEN_COMPARE_H
#define GALERNA_TEST_GOLDEN_COMPARE_H

#include <jansson.h>
#include <stdio.h>

enum { DIFFERENCES_SHOWN = 8 };

/* Writes up to DIFFERENCES_SHOWN differences, a line each, and returns how many it found up to
 * there. */
int compare_records(json_t *expected, json_t *got, FILE *out);

/* Drop the entries of the counter "CPU utilization" whose value differs from the entry before by less
 * than 1e-12: Haizea sums the shares of the kinds of operations in the order of a dictionary that
 * follows memory addresses, and the last bit of the sum decides whether there is an entry. */
void compare_forget_last_bits(json_t *record);

#endif
