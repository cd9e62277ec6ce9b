/* textbook.h: the schedulers of the literature, as short and as slow as they can be: processors are
 * counted, jobs run until they end, and estimates are upper bounds.
 *
 * FCFS starts jobs in the order of submission. EASY (Lifka 1995; Mu'alem and Feitelson 2001) lets a
 * later job start if it does not delay the first one in the queue, by the estimates. Conservative
 * backfilling gives every job its earliest place when it is submitted; when a job ends early, the
 * waiting ones are taken out in the order of submission, each put at its earliest place
 * (compression).
 *
 * Times are seconds. Costs: O(n^3) for n jobs.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct job {
    int64_t submit;
    int64_t processors;
    int64_t estimate; /* >= runs */
    int64_t runs;
    int64_t start; /* the answer */
};

enum textbook { TEXTBOOK_FCFS, TEXTBOOK_EASY, TEXTBOOK_CONSERVATIVE };

/* Fills in the starts. Jobs are in the order of submission, none larger than the machine. */
void textbook_schedule(enum textbook textbook, int64_t processors, struct job *jobs, size_t n);
