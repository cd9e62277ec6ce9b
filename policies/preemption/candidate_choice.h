/* candidate_choice.h: shared by mov, mlip and moml: the rules for preemptors and victims, and the
 * choice among the candidate sets.
 */
#pragma once

#include "candidate_sets.h"

/* Options, in this order; a module may append more. */
enum { CHOICE_PREEMPTORS, CHOICE_VICTIMS, CHOICE_TESTS, CHOICE_OPTIONS };

#define CHOICE_OPTION_TABLE                                                                        \
    [CHOICE_PREEMPTORS] = {.name = "preemptors",                                                   \
                           .type = GALERNA_CHOICE,                                                 \
                           .choices = "local|any",                                                 \
                           .default_value = "local",                                               \
                           .description =                                                          \
                               "Requests that may preempt; best-effort requests never do"},        \
    [CHOICE_VICTIMS] =                                                                             \
        {.name = "victims",                                                                        \
         .type = GALERNA_CHOICE,                                                                   \
         .choices = "external|any",                                                                \
         .default_value = "external",                                                              \
         .description =                                                                            \
             "Leases that may be preempted, on their terms; non-preemptable ones never are"},      \
    [CHOICE_TESTS] = {                                                                             \
        .name = "tests",                                                                           \
        .type = GALERNA_INTEGER,                                                                   \
        .default_value = "100",                                                                    \
        .minimum = 1,                                                                              \
        .maximum = 1e9,                                                                            \
        .description =                                                                             \
            "Trials whether some leases are enough (one of many leases counts for more): when "    \
            "these do not suffice for an exact answer, the best set found is taken"}

struct choice {
    const struct galerna_host *host;
    bool local_only;    /* preemptors */
    bool external_only; /* victims */
    size_t tests;
    uint64_t cut; /* number of inexact choices */
};

static inline void choice_init(struct choice *choice, const struct galerna_host *host,
                               const union galerna_value *values)
{
    *choice = (struct choice){.host = host,
                              .local_only = values[CHOICE_PREEMPTORS].choice == 0,
                              .external_only = values[CHOICE_VICTIMS].choice == 0,
                              .tests = (size_t)values[CHOICE_TESTS].integer};
}

/* The module's may_preempt(); its policy begins with a struct choice. */
static inline bool choice_may_preempt(void *self, const struct galerna_lease *preemptor)
{
    const struct choice *choice = (const struct choice *)self;

    if (choice->local_only && choice->host->lease_origin(preemptor) != GALERNA_ORIGIN_LOCAL)
        return false;
    return choice->host->lease_kind(preemptor) != GALERNA_LEASE_BEST_EFFORT;
}

static inline bool choice_may_be_victim(const struct choice *choice,
                                        const struct galerna_lease *lease)
{
    if (choice->external_only && choice->host->lease_origin(lease) != GALERNA_ORIGIN_EXTERNAL)
        return false;
    return choice->host->lease_terms(lease) != GALERNA_TERMS_NON_PREEMPTABLE;
}

static inline int64_t choice_sum(const struct galerna_host *host, const struct galerna_lease *lease,
                                 uint32_t type)
{
    int64_t sum = 0;

    for (uint32_t vm = 0; vm < host->lease_vms(lease); vm++)
        sum += host->lease_amount(lease, vm, type);
    return sum;
}

/* The amount of a resource that the request lacks at its start; 0: unknown, or none. */
static inline int64_t choice_lacks(const struct galerna_host *host,
                                   const struct galerna_victim_batch *batch, uint32_t type)
{
    int64_t lacks = choice_sum(host, batch->preemptor, type), free_amounts[64];

    if (host->type_count(host) > 64)
        return 0;
    for (uint32_t place = 0; place < host->host_count(host); place++) {
        if (!host->host_free(host, place, batch->at, free_amounts))
            return 0;
        if (free_amounts[type] > 0)
            lacks -= free_amounts[type];
    }
    return lacks > 0 && host->host_count(host) > 0 ? lacks : 0;
}

/* Finds the scarcest resource at the start, and each lease's amount of it. */
static inline void choice_measure(const struct choice *choice, struct sets_search *search)
{
    const struct galerna_host *host = choice->host;
    int64_t cpu = choice_lacks(host, search->batch, GALERNA_CPU);
    int64_t memory = choice_lacks(host, search->batch, GALERNA_MEMORY);
    int64_t all_cpu = choice_sum(host, search->batch->preemptor, GALERNA_CPU);
    int64_t all_memory = choice_sum(host, search->batch->preemptor, GALERNA_MEMORY);
    bool by_memory =
        memory > 0 && (double)memory * (double)all_cpu > (double)cpu * (double)all_memory;

    search->lacks = by_memory ? memory : cpu;
    for (size_t i = 0; i < search->n && search->lacks > 0; i++)
        search->leases[i].holds =
            choice_sum(host, galerna_victim(search->batch, search->leases[i].place)->lease,
                       by_memory ? GALERNA_MEMORY : GALERNA_CPU);
}

/* Collects the leases that may be preempted. False: there are none, or all together are not enough.
 */
static inline bool choice_begin(const struct choice *choice, struct sets_search *search)
{
    const struct galerna_victim_batch *batch = search->batch;

    for (size_t i = 0; i < batch->n_victims; i++) {
        const struct galerna_victim *victim = galerna_victim(batch, i);

        if (choice_may_be_victim(choice, victim->lease))
            search->leases[search->n++] = (struct sets_lease){
                .place = i,
                .overhead = victim->overhead < 0 ? 0 : victim->overhead,
                .vms = choice->host->lease_vms(victim->lease),
            };
    }
    search->words = search->n / 64 + 1;
    if (search->n == 0)
        return false;
    choice_measure(choice, search);
    for (size_t i = 0; i < search->n; i++)
        sets_put(search, &search->best, i);
    return sets_enough(search, &search->best);
}

static inline void choice_tell(struct choice *choice, const struct sets_search *search)
{
    if (!search->cut)
        return;
    choice->cut++;
    if ((choice->cut & (choice->cut - 1)) == 0) /* the 1st, 2nd, 4th, ... time */
        choice->host->log(choice->host, GALERNA_LOG_INFO,
                          "lease %lld: %zu leases may make room, and after %zu trials better sets "
                          "of them are possible; %llu choices so far were not exact (option tests)",
                          (long long)choice->host->lease_id(search->batch->preemptor), search->n,
                          search->tests, (unsigned long long)choice->cut);
}

/* Returns a set to the host; NULL: no lease is preempted. */
static inline void choice_answer(const struct sets_search *search, const struct sets_set *set,
                                 size_t *chosen, size_t *n_chosen)
{
    *n_chosen = 0;
    for (size_t i = 0; set && i < search->n; i++)
        if (sets_has(set, i))
            chosen[(*n_chosen)++] = search->leases[i].place;
}

/* The arguments of choose(). */
struct choice_question {
    const struct galerna_victim_batch *batch;
    size_t *chosen, *n_chosen;
    struct galerna_result *result;
};

/* choose() by one goal: the least overhead, or the fewest leases. `limit`: maximum overhead; if all
 * sets exceed it, the one with the least overhead is taken. */
static inline enum galerna_verdict choice_by_goal(struct choice *choice, enum sets_order goal,
                                                  int64_t limit,
                                                  const struct choice_question *question)
{
    struct sets_search search;
    bool found = false;

    *question->n_chosen = 0;
    if (!choice_may_preempt(choice, question->batch->preemptor))
        return GALERNA_OK;
    if (!sets_init(&search, question->batch, choice->tests)) {
        sets_finish(&search);
        return choice->host->answer(question->result, GALERNA_ERROR, "no-memory", "out of memory");
    }
    search.goal = goal;
    search.limit = limit;
    if (choice_begin(choice, &search)) {
        found = sets_find_best(&search);
        if (!found) {
            search.goal = BY_OVERHEAD;
            search.limit = GALERNA_NEVER;
            search.tests = search.steps = 0;
            search.cut = false;
            found = sets_find_best(&search);
        }
        choice_tell(choice, &search);
    }
    choice_answer(&search, found ? &search.best : NULL, question->chosen, question->n_chosen);
    sets_finish(&search);
    return GALERNA_OK;
}

/* create() of modules without further state. */
static inline enum galerna_verdict choice_create(const struct galerna_host *host,
                                                 const union galerna_value *values, void **self,
                                                 struct galerna_result *result)
{
    struct choice *choice = (struct choice *)malloc(sizeof *choice);

    if (!choice)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    choice_init(choice, host, values);
    *self = choice;
    return GALERNA_OK;
}
