/* counter.h: a counter made again: entries over time, by the rules of Haizea's probes; internal. */
#pragma once

#include "verify/checker.h"

/* Begins with an entry at 0. Another value of the same second replaces the value; otherwise an
 * entry is added when the value or the lease differs. */
struct series {
    struct schedule_entry *entries;
    size_t n, allocated;
    double area; /* integral of the value until the last entry */
    bool has_average;
    bool failed; /* out of memory */
};

void series_init(struct series *series, bool has_average);
void series_finish(struct series *series);
void series_add(struct series *series, int64_t time, int64_t lease, double value);

/* The run ends. */
void series_close(struct series *series, int64_t end_time);

/* Leave out entries that differ from the one before in the last bits of the value only: how many
 * stay. */
size_t series_forget_last_bits(struct schedule_entry *entries, size_t n);

/* The share of the site's CPU in use; MB on the fullest disk. 1: made, 0: the record does not tell
 * enough (said so), -1: out of memory. */
int series_of_cpu(struct checker *checker, struct series *series);
int series_of_disk(struct checker *checker, struct series *series);
