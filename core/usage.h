/* usage.h: CPU time that decays by half after each half-life.
 *
 * Amounts are in 1/100 of a processor times seconds. Like usage in Slurm's multifactor plugin, but
 * with continuous decay: usage x seconds ago is weighted by 2^(-x / half-life). The results have
 * the same bits on every machine: the code uses only + - * /, sqrt() and exact floating-point
 * functions, in a fixed order. All functions are O(1).
 */
#pragma once

#include <stdint.h>

struct usage {
    double used;  /* usage before `at`, decayed to `at` */
    int64_t at;   /* seconds */
    int64_t rate; /* CPU in use since then */
};

/* The decayed usage at a time; times before usage->at count as usage->at. half_life: seconds,
 * 1 or more. */
double usage_until(const struct usage *usage, int64_t half_life, int64_t at);

/* Adds `cpu` to the CPU in use from `at` on (negative: less). */
void usage_change(struct usage *usage, int64_t half_life, int64_t at, int64_t cpu);

/* Adds the usage of `cpu` during [from, until). */
void usage_add(struct usage *usage, int64_t half_life, int64_t cpu, int64_t from, int64_t until);
