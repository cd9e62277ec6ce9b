/* usage.h: CPU time that counts half as much after each half-life.
 *
 * Amounts are in 1/100 of a processor times seconds. As usage in Slurm's multifactor plugin, but
 * decayed continuously: what was used x seconds ago counts 2^(-x / half-life) of it. The results
 * have the same bits on every machine: only + - * /, sqrt() and the exact functions of floating
 * point are used, in a fixed order. All functions are O(1).
 */
#pragma once

#include <stdint.h>

struct usage {
    double used;  /* what was used before `at`, as it counts at `at` */
    int64_t at;   /* seconds */
    int64_t rate; /* CPU in use since then */
};

/* The decayed usage at a time; times before usage->at count as usage->at. half_life: seconds,
 * 1 or more. */
double usage_until(const struct usage *usage, int64_t half_life, int64_t at);

/* From `at` on so much more CPU is in use (less: negative). */
void usage_change(struct usage *usage, int64_t half_life, int64_t at, int64_t cpu);

/* CPU was in use in [from, until). */
void usage_add(struct usage *usage, int64_t half_life, int64_t cpu, int64_t from, int64_t until);
