/* compare.h: is a record the same as the expected one? The rule: every key of the expected record
 * up to `stats`, integers exact, other numbers to 1e-9, nothing missing, nothing more. Entries of
 * the counter "CPU utilization" that repeat the value before them are left out of both. */
#pragma once

#include <jansson.h>
#include <stdio.h>

enum { DIFFERENCES_SHOWN = 8 };

/* Drops the repeated entries, writes up to DIFFERENCES_SHOWN differences, a line each, and returns
 * how many it found up to there. */
int compare_records(json_t *expected, json_t *got, FILE *out);
