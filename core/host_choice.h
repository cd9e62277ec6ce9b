/* host_choice.h: candidate hosts: those with room, scored by the policy, best first.
 *
 * Costs: h = hosts. Ordering: O(h) if the scores are already in order, else O(h log h) to take all
 * hosts. Surveys: host_survey.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/host_survey.h"
#include "core/mapper.h"

struct host_choice {
    int64_t rank;
    int64_t score;
    uint32_t host;
};

/* Hosts to choose from, as columns. */
struct ranked_hosts {
    uint32_t *hosts;
    int64_t *ranks, *scores;
    size_t n;
};

struct host_order {
    struct host_choice *choices; /* a heap, best first, or a sorted array */
    size_t n;
    bool in_order;
    const struct ranked_hosts *ranked;  /* of these, only the best is in choices so far; NULL: all
                                         * are */
    size_t next;                        /* in a sorted array: the best remaining host */
    const struct host_classes *classes; /* a choice stands for its class from that host on; NULL:
                                         * for its host only */
};

/* Higher rank, then higher score, then site order. */
static inline bool host_is_better(const struct host_choice *a, const struct host_choice *b)
{
    if (a->rank != b->rank)
        return a->rank > b->rank;
    return a->score != b->score ? a->score > b->score : a->host < b->host;
}

/* Better hosts first. */
void host_order_make(struct host_order *order);
/* Finds the best host in O(n) and reorders the columns, which must remain valid. The other hosts
 * become a heap when the best one is settled or dropped. order->choices has room for all. */
void host_order_begin(struct host_order *order, const struct ranked_hosts *ranked);
/* Reorders after the first host has become worse; drops the first host. */
void host_order_settle(struct host_order *order);
void host_order_drop(struct host_order *order);
size_t host_order_left(const struct host_order *order);
/* Removes and returns the best host; there must be one. */
uint32_t host_order_take(struct host_order *order);

/* Is the request a reservation for later? Its hosts are ranked by mapper_rank_ahead(), for the
 * least obstruction of unlimited leases that start before it. */
bool mapper_is_ahead(const struct engine *engine, const struct map_request *request);
/* Ranks hosts with less free CPU at the start higher. O(log n). */
int64_t mapper_rank_ahead(const struct engine *engine, const struct map_request *request,
                          uint32_t host);

/* Lets the host selection policy score the first n hosts of batch_hosts; fills batch_scores. The
 * other batch columns must be filled already. */
void mapper_score_hosts(struct engine *engine, const struct map_request *request, size_t n);

/* The hosts with room for a VM of this size now, by state. NULL: there are too many classes. Valid
 * until the next call. */
const struct host_classes *mapper_classes_now(struct engine *engine, const struct amounts *vm);
/* The hosts with room for a VM of this size at the request's start, by the properties that the
 * policy reads. NULL: not possible for this request, or too many classes. Valid until the next
 * call. */
const struct host_classes *mapper_classes(struct engine *engine, const struct map_request *request,
                                          const struct amounts *vm);
/* Orders hosts by classes, with the same result as host by host, in O(classes + log classes for
 * each host taken). False: not possible for this request. */
bool mapper_order_classes(struct engine *engine, const struct map_request *request,
                          struct host_order *order);

const struct survey *mapper_survey(struct engine *engine, const struct amounts *vm, int64_t from);
/* The most VMs of this size that one empty host holds; O(1) when called again with the same
 * size. */
uint32_t mapper_most_on_a_host(struct engine *engine, const struct amounts *vm);
/* A quick check: does the site's free CPU suffice until then? O(1) for now, else O(log n). */
bool mapper_has_enough_cpu(const struct engine *engine, const struct map_request *request,
                           int64_t until);
/* The same for the lease's remaining run time, from now on, without regard to moves to other hosts.
 */
bool mapper_has_enough_cpu_now(const struct engine *engine, struct lease *lease);

/* The earliest time until which all hosts of a mapping must be free. */
int64_t mapper_least_until(const struct map_request *request);
bool mapper_long_enough(const struct map_request *request, const struct mapping *mapping);
