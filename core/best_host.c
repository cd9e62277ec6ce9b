/* Finds the best host of a single VM by classes and values, without a list of hosts. */
#include "core/best_host.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/host_choice.h"
#include "core/host_filter.h"

size_t best_host_score_classes(struct engine *engine, const struct map_request *request,
                               const struct host_classes *classes)
{
    struct mapper *mapper = &engine->mapper;
    int64_t least = mapper_least_until(request);
    size_t n = 0;

    for (size_t i = 0; i < host_classes_count(classes); i++) {
        const struct host_state *state = host_classes_state(classes, i);

        if (state->fits_until < least)
            continue;
        mapper->choices[n].host = (uint32_t)i;
        mapper->batch_hosts[n] = host_classes_first(classes, i);
        mapper->batch_leases[n] = state->leases;
        mapper->batch_until[n++] = state->unchanged_until;
    }
    if (n)
        mapper_score_hosts(engine, request, n);
    for (size_t i = 0; i < n; i++)
        mapper->choices[i].score = mapper->batch_scores[i];
    return n;
}

/* The ranks of the hosts that a VM may use. */
struct ranks {
    const struct host_filter *filter;
    int64_t *of_value; /* NULL: all ranks are 0 */
    int64_t most;      /* the highest one */
};

/* Does one value of a host suffice to rank it? */
static bool ranks_are_of_values(const struct host_filter *filter)
{
    const struct host_rank *rank = filter ? filter->rank : NULL;

    if (filter && filter->rank_per_vm)
        return false;
    return !rank || (rank->values && rank->values->n && !rank->added && !rank->preferences);
}

/* To be freed: of_value. */
static struct ranks ranks_of(const struct host_filter *filter)
{
    const struct host_rank *rank = filter ? filter->rank : NULL;
    struct ranks ranks = {.filter = filter};

    if (!rank)
        return ranks;
    ranks.of_value = host_rank_by_value(rank);
    ranks.most = ranks.of_value[0];
    for (size_t i = 1; i < rank->values->n; i++)
        if (ranks.of_value[i] > ranks.most)
            ranks.most = ranks.of_value[i];
    return ranks;
}

/* The first of the class's hosts with the highest rank that the VM may use; HOST_NONE: none. */
static struct host_choice best_of_class(const struct engine *engine, const struct ranks *ranks,
                                        const uint64_t *hosts, int64_t score)
{
    const struct host_filter *filter = ranks->filter;
    struct host_choice best = {.host = HOST_NONE, .score = score};

    for (size_t word = 0; word < bitmap_words(engine->site.n_hosts); word++) {
        uint64_t left =
            hosts[word] & (filter && filter->allowed ? filter->allowed[word] : ~UINT64_C(0));

        for (; left; left &= left - 1) {
            uint32_t host = (uint32_t)(64 * word + (size_t)__builtin_ctzll(left));
            int64_t rank =
                ranks->of_value ? ranks->of_value[filter->rank->values->value_of[host]] : 0;

            if ((best.host != HOST_NONE && rank <= best.rank) ||
                (engine->closed && engine->closed[host]))
                continue;
            best.rank = rank;
            best.host = host;
            if (rank == ranks->most)
                return best;
        }
    }
    return best;
}

uint32_t best_host(struct engine *engine, const struct map_request *request,
                   const struct node_set *nodes)
{
    const bool possible = nodes->count == 1 && !nodes->demand && ranks_are_of_values(nodes->hosts);
    const struct host_classes *classes =
        possible ? mapper_classes(engine, request, &nodes->amounts) : NULL;
    struct host_choice best = {.host = HOST_NONE};
    struct ranks ranks;
    size_t n;

    if (!classes)
        return HOST_NONE;
    ranks = ranks_of(nodes->hosts);
    n = best_host_score_classes(engine, request, classes);
    for (size_t i = 0; i < n; i++) {
        const struct host_choice *class = &engine->mapper.choices[i];
        struct host_choice other;

        if (class->score == POLICY_VETO ||
            (best.host != HOST_NONE && best.rank == ranks.most && class->score < best.score))
            continue;
        other =
            best_of_class(engine, &ranks, host_classes_hosts(classes, class->host), class->score);
        if (other.host != HOST_NONE && (best.host == HOST_NONE || host_is_better(&other, &best)))
            best = other;
    }
    free(ranks.of_value);
    return best.host;
}
