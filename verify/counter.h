/* counter.h: recomputes a counter's entries over time by the rules of Haizea's probes; internal. */
#pragma once

#include "verify/checker.h"

/* Begins with an entry at 0. A later value of the same second replaces the earlier one; otherwise
 * an entry is added if the value or the lease differs. */
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

/* Adds the end of the run. */
void series_close(struct series *series, int64_t end_time);

/* Removes entries whose values differ from the previous one only in the last bits. Returns the
 * number of remaining entries. */
size_t series_forget_last_bits(struct schedule_entry *entries, size_t n);

/* The share of the site's CPU in use; MB on the fullest disk. 1: computed, 0: the record lacks the
 * data (noted in the verification), -1: out of memory. */
int series_of_cpu(struct checker *checker, struct series *series);
int series_of_disk(struct checker *checker, struct series *series);
