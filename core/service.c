/* Distributions of the waiting times, turnarounds and slowdowns of finished leases. */
#include "core/service.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/search.h"

struct served {
    int64_t waiting, turnaround, run_time;
};

struct served_user {
    int64_t user, leases;
    double slowdowns; /* sum of bounded slowdowns */
};

struct service {
    struct served *leases;
    size_t n_leases, leases_allocated;
    struct served_user *users; /* ascending */
    size_t n_users, users_allocated;
};

/* The element at place `wanted` if the values were sorted. Expected O(n). */
static double select_nth(double *values, size_t n, size_t wanted)
{
    size_t low = 0;
    size_t high = n - 1;

    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low;
        size_t k = high;

        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            double other = values[i];

            values[i++] = values[k];
            values[k--] = other;
        }
        if (wanted <= k)
            high = k;
        else
            low = k + 1;
    }
    return values[wanted];
}

static double percentile(double *values, size_t n, unsigned percent)
{
    return select_nth(values, n, (n * percent + 99) / 100 - 1);
}

void distribution_of(double *values, size_t n, struct distribution *distribution)
{
    double sum = 0;

    *distribution = (struct distribution){.count = (int64_t)n};
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    distribution->mean = sum / (double)n;
    distribution->median = percentile(values, n, 50);
    distribution->p95 = percentile(values, n, 95);
    distribution->p99 = percentile(values, n, 99);
    distribution->max = percentile(values, n, 100);
}

double fairness_index(const double *values, size_t n)
{
    double sum = 0;
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : 1;
}

static double ratio(int64_t turnaround, int64_t run_time, int64_t least)
{
    return (double)turnaround / (double)(run_time > least ? run_time : least);
}

double service_slowdown(int64_t turnaround, int64_t run_time)
{
    return ratio(turnaround, run_time, 1);
}

double service_bounded_slowdown(int64_t turnaround, int64_t run_time)
{
    double slowdown = ratio(turnaround, run_time, SERVICE_BOUND);

    return slowdown > 1 ? slowdown : 1;
}

struct service *service_create(void)
{
    return memory_new(1, sizeof(struct service));
}

void service_destroy(struct service *service)
{
    if (!service)
        return;
    free(service->leases);
    free(service->users);
    free(service);
}

static struct served_user *find_user(struct service *service, int64_t user)
{
    size_t place = search_place(&user, service->users, service->n_users, sizeof *service->users,
                                search_by_number);

    if (place < service->n_users && service->users[place].user == user)
        return &service->users[place];
    MEMORY_GROW(service->users, service->users_allocated, service->n_users + 1);
    memmove(&service->users[place + 1], &service->users[place],
            (service->n_users - place) * sizeof *service->users);
    service->n_users++;
    service->users[place] = (struct served_user){.user = user};
    return &service->users[place];
}

void service_add(struct service *service, int64_t waiting, int64_t turnaround, int64_t run_time,
                 int64_t user)
{
    MEMORY_GROW(service->leases, service->leases_allocated, service->n_leases + 1);
    service->leases[service->n_leases++] = (struct served){waiting, turnaround, run_time};
    if (user >= 0) {
        struct served_user *of = find_user(service, user);

        of->leases++;
        of->slowdowns += service_bounded_slowdown(turnaround, run_time);
    }
}

static double waiting_of(const struct served *lease)
{
    return (double)lease->waiting;
}

static double turnaround_of(const struct served *lease)
{
    return (double)lease->turnaround;
}

static double slowdown_of(const struct served *lease)
{
    return service_slowdown(lease->turnaround, lease->run_time);
}

static double bounded_slowdown_of(const struct served *lease)
{
    return service_bounded_slowdown(lease->turnaround, lease->run_time);
}

static void summarize(const struct service *service, double (*measure)(const struct served *lease),
                      double *values, struct distribution *distribution)
{
    for (size_t i = 0; i < service->n_leases; i++)
        values[i] = measure(&service->leases[i]);
    distribution_of(values, service->n_leases, distribution);
}

static double fairness_of(const struct service *service)
{
    double *means = memory_new(service->n_users, sizeof *means);
    double index;

    for (size_t i = 0; i < service->n_users; i++)
        means[i] = service->users[i].slowdowns / (double)service->users[i].leases;
    index = fairness_index(means, service->n_users);
    free(means);
    return index;
}

void service_summarize(const struct service *service, struct service_summary *summary)
{
    double *values = service->n_leases ? memory_new(service->n_leases, sizeof *values) : NULL;

    summarize(service, waiting_of, values, &summary->waiting);
    summarize(service, turnaround_of, values, &summary->turnaround);
    summarize(service, slowdown_of, values, &summary->slowdown);
    summarize(service, bounded_slowdown_of, values, &summary->bounded_slowdown);
    summary->users = (int64_t)service->n_users;
    summary->fairness = service->n_users ? fairness_of(service) : 0;
    free(values);
}
