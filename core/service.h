/* service.h: distributions of the times of finished leases.
 *
 * Slowdown is the turnaround divided by the run time. Bounded slowdown counts a run time below
 * SERVICE_BOUND as SERVICE_BOUND and is never less than 1, so that leases of a few seconds do not
 * dominate a mean (Feitelson, Rudolph 1998).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SERVICE_BOUND = 10 /* seconds */ };

/* A percentile is the smallest value not exceeded by at least that share of the values (nearest
 * rank), and so always one of the values. The median is the 50th percentile. */
struct distribution {
    int64_t count;
    double mean, median, p95, p99, max; /* 0 without values */
};

/* Reorders the values. Expected O(n). */
void distribution_of(double *values, size_t n, struct distribution *distribution);

/* Jain's index of fairness of n values, 1/n ... 1: 1 if all are equal, 1/n if all but one are 0.
 * 1 without values above 0. */
double fairness_index(const double *values, size_t n);

/* Times in seconds. run_time: of the VMs; less than a second counts as one in the slowdown. */
double service_slowdown(int64_t turnaround, int64_t run_time);
double service_bounded_slowdown(int64_t turnaround, int64_t run_time);

/* The distributions over all added leases. Times in seconds. */
struct service_summary {
    struct distribution waiting, turnaround, slowdown, bounded_slowdown;
    int64_t users;   /* users with leases here */
    double fairness; /* Jain's index of the users' mean bounded slowdowns; 0 without users */
};

struct service; /* opaque: 24 bytes per lease, and 24 per user */

struct service *service_create(void);
void service_destroy(struct service *service); /* NULL is allowed */

/* user: -1 if unknown; the lease then does not count for the fairness. O(log users), and O(users)
 * for the first lease of a user. */
void service_add(struct service *service, int64_t waiting, int64_t turnaround, int64_t run_time,
                 int64_t user);

/* Expected O(leases). */
void service_summarize(const struct service *service, struct service_summary *summary);
