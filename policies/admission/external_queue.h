/* external_queue.h: the response time of external requests on a site that prefers local ones.
 *
 * Amini Salehi, Javadi, Buyya: Preemption-aware Admission Control in a Virtualized Grid Federation
 * (AINA 2012). The site serves one external request at a time, which is interrupted by each local
 * one; at most K are present, including the one in service (M/G/1/K). The printed formulas have
 * errors; these follow from the same model and were checked against simulations:
 *
 * - an interruption is a busy period of local work, so with rho = local_rate * local_time
 *       E T = w / (1 - rho)        Var T = local_rate w E S^2 / (1 - rho)^3
 * - T is approximated by a gamma distribution: scale a = Var/E, shape b = E^2/Var. External
 * arrivals in one T are then negative binomial, a_k = C(k+b-1, k) p^b (1-p)^k with p = 1 / (1 +
 * rate a);
 * - the queue seen by departing requests: pi_k = (A_{k-1} pi_0 + sum A_{k-i} pi_i) / a_0 for
 *   k = 1 ... K-1, with A_j the share of more than j arrivals; all terms are positive;
 * - E R = (1/rate) sum k pi_k + (K/rate) (pi_0 + rate E T - 1), the mean response time.
 *
 * Times have a common unit, rates its inverse.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXTERNAL_QUEUE_MAX = 1000 };

struct external_load {
    double external_rate; /* requests per time, including refused ones */
    double local_rate;
    double local_time;    /* mean run time of a local request */
    double local_square;  /* mean of its square */
    double external_time; /* run time of an uninterrupted external request */
};

/* The time from the beginning to the end of an external request. */
struct external_service {
    double mean, variance;
    double scale, shape; /* of the gamma distribution; 0 and infinity if there is no variance */
};

/* False if local requests use the whole site: external ones may never end. */
static inline bool external_service_find(const struct external_load *load,
                                         struct external_service *service)
{
    double idle = 1 - load->local_rate * load->local_time;

    if (!(idle > 0))
        return false;
    service->mean = load->external_time / idle;
    service->variance =
        load->local_rate * load->external_time * load->local_square / (idle * idle * idle);
    service->scale = service->mean > 0 ? service->variance / service->mean : 0;
    service->shape = service->scale > 0 ? service->mean / service->scale : INFINITY;
    return true;
}

/* The queue for K = 1, 2, 3, ... in turn: pi depends on K only by its sum. */
struct external_queue {
    double rate, mean;
    double none;                         /* a_0: no arrival in one service */
    double more[EXTERNAL_QUEUE_MAX + 1]; /* A_j: more than j arrivals */
    double state[EXTERNAL_QUEUE_MAX];    /* pi_k, not normalized */
    size_t length;                       /* K so far */
    double sum, weighted;                /* of pi_k and k pi_k, k < K */
};

/* The share of k + 1 arrivals over the share of k. */
static inline double external_queue_step(const struct external_service *service, double rate,
                                         double k)
{
    double p = 1 / (1 + rate * service->scale);

    if (isinf(service->shape))
        return rate * service->mean / (k + 1);
    return (service->shape + k) / (k + 1) * (1 - p);
}

static inline void external_queue_init(struct external_queue *queue, double rate,
                                       const struct external_service *service)
{
    double total;

    *queue = (struct external_queue){.rate = rate, .mean = service->mean};
    queue->none = isinf(service->shape) ? exp(-rate * service->mean)
                                        : exp(-service->shape * log1p(rate * service->scale));
    /* First more[j] = a_j, the shares themselves; then sums from the end, where they are small. */
    total = queue->more[0] = queue->none;
    for (size_t k = 0; k < EXTERNAL_QUEUE_MAX; k++)
        total += queue->more[k + 1] =
            queue->more[k] * external_queue_step(service, rate, (double)k);
    total = 1 - total > 1e-12 ? 1 - total : 0;
    for (size_t k = EXTERNAL_QUEUE_MAX + 1; k > 0; k--) {
        double share = queue->more[k - 1];

        queue->more[k - 1] = total;
        total += share;
    }
}

/* Scales down numbers that would overflow; ratios do not change. */
static inline void external_queue_rescale(struct external_queue *queue)
{
    const double factor = 1e-200;

    for (size_t k = 0; k < queue->length; k++)
        queue->state[k] *= factor;
    queue->sum *= factor;
    queue->weighted *= factor;
}

/* Lengthens the queue by one, up to EXTERNAL_QUEUE_MAX, and returns E R of an admitted request.
 * O(K). */
static inline double external_queue_lengthen(struct external_queue *queue)
{
    size_t k = queue->length;
    double next = k == 0 ? 1 : queue->more[k - 1] * queue->state[0];

    /* The service almost never ends before the next request arrives: a request that is admitted is
     * the last in the queue. */
    if (queue->none < 1e-100) {
        queue->length++;
        return (double)queue->length * queue->mean - 1 / queue->rate;
    }
    for (size_t i = 1; i < k; i++)
        next += queue->more[k - i] * queue->state[i];
    if (k > 0)
        next /= queue->none;
    if (next > 1e200) {
        external_queue_rescale(queue);
        next *= 1e-200;
    }
    queue->state[k] = next;
    queue->length++;
    queue->sum += next;
    queue->weighted += (double)k * next;
    return queue->weighted / queue->sum / queue->rate +
           (double)queue->length / queue->rate *
               (queue->state[0] / queue->sum + queue->rate * queue->mean - 1);
}

/* The shares of arrivals that find the queue full, and that find k requests (k < K); K >= 1. */
static inline double external_queue_blocked(const struct external_queue *queue)
{
    return 1 - 1 / (queue->state[0] / queue->sum + queue->rate * queue->mean);
}

static inline double external_queue_share(const struct external_queue *queue, size_t k)
{
    return queue->state[k] / queue->sum /
           (queue->state[0] / queue->sum + queue->rate * queue->mean);
}

/* The largest K up to `most` for which E R is below `deadline`; 0 if a request alone on the site
 * already takes longer. *response: E R for K + 1, or for `most`. E R grows with K, so the search
 * ends at the first E R that is too long: O(K^2). */
static inline size_t external_queue_longest(double rate, const struct external_service *service,
                                            double deadline, size_t most, double *response)
{
    struct external_queue queue;

    *response = service->mean;
    if (!(service->mean < deadline))
        return 0;
    if (!(rate > 0)) /* there are no other requests */
        return most;
    external_queue_init(&queue, rate, service);
    for (size_t k = 0; k < most && k < EXTERNAL_QUEUE_MAX; k++) {
        *response = external_queue_lengthen(&queue);
        if (!(*response < deadline))
            return k;
    }
    return most;
}
