/* external_queue.h: how long external requests take on a site that prefers its local ones.
 *
 * Amini Salehi, Javadi, Buyya: Preemption-aware Admission Control in a Virtualized Grid Federation
 * (AINA 2012). The site works on one external request at a time, which steps back whenever a local
 * one comes; at most K are there, the one under way included (M/G/1/K). The formulas printed have
 * slips; these follow from the same model and were checked against simulations:
 *
 * - an interruption is a busy period of local work, so with rho = local_rate * local_time
 *       E T = w / (1 - rho)        Var T = local_rate w E S^2 / (1 - rho)^3
 * - T is taken for gamma distributed: scale a = Var/E, shape b = E^2/Var. External arrivals in one
 * T are then negative binomial, a_k = C(k+b-1, k) p^b (1-p)^k with p = 1 / (1 + rate a);
 * - the queue as departing requests see it: pi_k = (A_{k-1} pi_0 + sum A_{k-i} pi_i) / a_0 for
 *   k = 1 ... K-1, A_j being the share of more than j arrivals; all terms are positive;
 * - E R = (1/rate) sum k pi_k + (K/rate) (pi_0 + rate E T - 1), the mean response time.
 *
 * Times are in one unit, rates in its inverse.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXTERNAL_QUEUE_MAX = 1000 };

struct external_load {
    double external_rate; /* requests per time, also those refused */
    double local_rate;
    double local_time;    /* mean run time of a local request */
    double local_square;  /* mean of its square */
    double external_time; /* run time of an external request without others */
};

/* The time from the beginning to the end of an external request. */
struct external_service {
    double mean, variance;
    double scale, shape; /* of the gamma distribution; 0 and infinity when there is no variance */
};

/* False when local requests take all of the site: external ones may never end. */
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

/* The queue for K = 1, 2, 3, ... in turn: pi does not depend on K but for its sum. */
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
    /* First the shares themselves: more[j] = a_j; then sums from the far end, where they are small.
     */
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

/* Numbers that grow without limit are made smaller, which changes no ratio. */
static inline void external_queue_rescale(struct external_queue *queue)
{
    const double factor = 1e-200;

    for (size_t k = 0; k < queue->length; k++)
        queue->state[k] *= factor;
    queue->sum *= factor;
    queue->weighted *= factor;
}

/* Make room for one more, up to EXTERNAL_QUEUE_MAX, and return E R of a request that is let in.
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

/* The share of arrivals that find the queue full, and that find k there (k < K); K >= 1. */
static inline double external_queue_blocked(const struct external_queue *queue)
{
    return 1 - 1 / (queue->state[0] / queue->sum + queue->rate * queue->mean);
}

static inline double external_queue_share(const struct external_queue *queue, size_t k)
{
    return queue->state[k] / queue->sum /
           (queue->state[0] / queue->sum + queue->rate * queue->mean);
}

/* The largest K up to `most` at which E R stays below `deadline`; 0 when a request alone on the
 * site already takes longer. *response: E R with one more than that, or with `most`. E R grows with
 * K, so the first that is too long ends the search: O(K^2). */
static inline size_t external_queue_longest(double rate, const struct external_service *service,
                                            double deadline, size_t most, double *response)
{
    struct external_queue queue;

    *response = service->mean;
    if (!(service->mean < deadline))
        return 0;
    if (!(rate > 0)) /* no other request comes */
        return most;
    external_queue_init(&queue, rate, service);
    for (size_t k = 0; k < most && k < EXTERNAL_QUEUE_MAX; k++) {
        *response = external_queue_lengthen(&queue);
        if (!(*response < deadline))
            return k;
    }
    return most;
}
