/* candidate_sets.h: sets of leases whose preemption makes enough room (Amini Salehi, Javadi, Buyya:
 * Resource Provisioning based on Lease Preemption in InterGrid).
 *
 * A candidate set is inclusion-minimal: enough, and without any of its leases not enough. Whether a
 * set is enough only the host can tell, and each such test costs: the search is exact as long as it
 * ends within a number of tests, and else gives the best set found so far and says so. Sets are
 * compared by overhead, number of leases and ids, or by number, overhead and ids, so that equal
 * questions have equal answers.
 *
 * It is assumed that more victims never make less room.
 */
#ifndef GALERNA_POLICIES_CANDIDATE_SETS_H
#define GALERNA_POLICIES_CANDIDATE_SETS_H

#include <stdlib.h>
#include <string.h>

#include "galerna_policy.h"

enum sets_order { BY_OVERHEAD, BY_NUMBER };

struct sets_lease {
    size_t place; /* in the batch */
    int64_t overhead, vms;
};

/* Bits of leases, in the order of their ids. */
struct sets_set {
    uint64_t *bits;
    int64_t overhead;
    size_t number;
};

struct sets_search {
    const struct galerna_victim_batch *batch;
    struct sets_lease *leases; /* that may be preempted, ascending ids */
    size_t n, words;
    size_t *order;  /* in which the search goes through them */
    size_t *chosen; /* room for a test */
    size_t tests, most_tests;
    bool cut; /* the tests were not enough to be sure */

    enum sets_order goal;
    int64_t limit; /* of overhead */
    struct sets_set best, path, trial;
    bool found; /* there is a best one */

    bool collects; /* all minimal sets, instead of the best */
    struct sets_set *sets;
    size_t n_sets, allocated_sets;
    bool out_of_memory;
};

static inline bool sets_has(const struct sets_set *set, size_t i)
{
    return set->bits[i / 64] >> (i % 64) & 1;
}

static inline void sets_put(const struct sets_search *search, struct sets_set *set, size_t i)
{
    set->bits[i / 64] |= UINT64_C(1) << (i % 64);
    set->overhead += search->leases[i].overhead;
    set->number++;
}

static inline void sets_drop(const struct sets_search *search, struct sets_set *set, size_t i)
{
    set->bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
    set->overhead -= search->leases[i].overhead;
    set->number--;
}

static inline void sets_copy(const struct sets_search *search, struct sets_set *to,
                             const struct sets_set *from)
{
    memcpy(to->bits, from->bits, search->words * sizeof *to->bits);
    to->overhead = from->overhead;
    to->number = from->number;
}

static inline void sets_clear(const struct sets_search *search, struct sets_set *set)
{
    memset(set->bits, 0, search->words * sizeof *set->bits);
    set->overhead = 0;
    set->number = 0;
}

/* Below 0: a comes first. Of equal ones the one with the smallest id that the other has not. */
static inline int sets_compare(const struct sets_search *search, const struct sets_set *a,
                               const struct sets_set *b, enum sets_order order)
{
    int by_overhead = (a->overhead > b->overhead) - (a->overhead < b->overhead);
    int by_number = (a->number > b->number) - (a->number < b->number);
    int first = order == BY_OVERHEAD ? by_overhead : by_number;
    int second = order == BY_OVERHEAD ? by_number : by_overhead;

    if (first || second)
        return first ? first : second;
    for (size_t i = 0; i < search->words; i++) {
        uint64_t differ = a->bits[i] ^ b->bits[i];

        if (differ)
            return a->bits[i] & (differ & (~differ + 1)) ? -1 : 1;
    }
    return 0;
}

static inline bool sets_enough(struct sets_search *search, const struct sets_set *set)
{
    size_t n = 0;

    for (size_t word = 0; word < search->words; word++)
        for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1)
            search->chosen[n++] = search->leases[word * 64 + (size_t)__builtin_ctzll(bits)].place;
    search->tests++;
    return search->batch->enough(search->batch, search->chosen, n);
}

static inline bool sets_may_test(struct sets_search *search)
{
    search->cut = search->cut || search->tests >= search->most_tests;
    return !search->cut;
}

/* ---- what is found ---- */

static inline void sets_collect(struct sets_search *search, const struct sets_set *set)
{
    struct sets_set *copy;

    for (size_t i = 0; i < search->n_sets; i++)
        if (sets_compare(search, &search->sets[i], set, BY_OVERHEAD) == 0)
            return;
    if (search->n_sets == search->allocated_sets) {
        size_t more = search->allocated_sets ? 2 * search->allocated_sets : 64;
        void *sets = realloc(search->sets, more * sizeof *search->sets);

        search->out_of_memory = search->out_of_memory || !sets;
        if (!sets)
            return;
        search->sets = (struct sets_set *)sets;
        search->allocated_sets = more;
    }
    copy = &search->sets[search->n_sets];
    copy->bits = (uint64_t *)calloc(search->words, sizeof *copy->bits);
    search->out_of_memory = search->out_of_memory || !copy->bits;
    if (!copy->bits)
        return;
    sets_copy(search, copy, set);
    search->n_sets++;
}

static inline void sets_offer(struct sets_search *search, const struct sets_set *set)
{
    if (set->overhead > search->limit)
        return;
    if (search->found && sets_compare(search, set, &search->best, search->goal) >= 0)
        return;
    sets_copy(search, &search->best, set);
    search->found = true;
}

/* Is it enough without one of its leases? The last one taken is known to be needed. */
static inline bool sets_is_minimal(struct sets_search *search, struct sets_set *set, size_t last)
{
    for (size_t i = 0; i < search->n; i++) {
        bool enough;

        if (i == last || !sets_has(set, i))
            continue;
        if (!sets_may_test(search))
            return false;
        sets_drop(search, set, i);
        enough = sets_enough(search, set);
        sets_put(search, set, i);
        if (enough)
            return false;
    }
    return true;
}

/* ---- one minimal set, quickly ---- */

/* The minimal set that comes first when leases early in search->order are preferred: find the
 * shortest beginning that is enough, keep its last lease, and again with that one, until those kept
 * are enough. Number of leases x log n tests. All leases together must be enough. */
static inline void sets_first(struct sets_search *search, struct sets_set *kept)
{
    size_t most = search->n;

    sets_clear(search, kept);
    for (;;) {
        size_t least = 0;

        while (least < most) { /* the beginning of length `most` is enough with those kept */
            size_t middle = least + (most - least) / 2;

            sets_copy(search, &search->trial, kept);
            for (size_t i = 0; i < middle; i++)
                if (!sets_has(&search->trial, search->order[i]))
                    sets_put(search, &search->trial, search->order[i]);
            if (sets_enough(search, &search->trial))
                most = middle;
            else
                least = middle + 1;
        }
        if (most == 0)
            return;
        sets_put(search, kept, search->order[most - 1]);
        most--;
    }
}

/* ---- all, or the best ---- */

/* Can a set that holds these leases and at least one more still be taken? */
static inline bool sets_is_hopeful(const struct sets_search *search)
{
    const struct sets_set *path = &search->path;

    if (search->collects)
        return true;
    if (path->overhead > search->limit)
        return false;
    if (!search->found)
        return true;
    if (search->goal == BY_OVERHEAD)
        return path->overhead < search->best.overhead ||
               (path->overhead == search->best.overhead && path->number + 1 <= search->best.number);
    return path->number + 1 < search->best.number ||
           (path->number + 1 == search->best.number && path->overhead <= search->best.overhead);
}

/* Those on the path and all from `depth` on. */
static inline bool sets_rest_is_enough(struct sets_search *search, size_t depth)
{
    sets_copy(search, &search->trial, &search->path);
    for (size_t i = depth; i < search->n; i++)
        sets_put(search, &search->trial, search->order[i]);
    return sets_enough(search, &search->trial);
}

/* Neither the path nor any set that holds it is better than the best. */
static inline bool sets_is_hopeless(const struct sets_search *search)
{
    if (search->collects)
        return false;
    return search->path.overhead > search->limit ||
           (search->found && sets_compare(search, &search->path, &search->best, search->goal) >= 0);
}

/* With or without each lease in turn. The path is not enough, with the rest from `depth` on it is.
 */
static inline void sets_explore(struct sets_search *search, size_t depth)
{
    for (; depth < search->n && sets_may_test(search); depth++) {
        size_t lease = search->order[depth];

        sets_put(search, &search->path, lease);
        if (sets_is_hopeless(search)) {
            ; /* without it, then */
        } else if (!sets_enough(search, &search->path)) {
            if (depth + 1 < search->n && sets_is_hopeful(search))
                sets_explore(search, depth + 1);
        } else if (!search->collects) {
            sets_offer(search, &search->path);
        } else if (sets_is_minimal(search, &search->path, lease)) {
            sets_collect(search, &search->path);
        }
        sets_drop(search, &search->path, lease);
        if (depth + 1 == search->n || !sets_is_hopeful(search) || !sets_may_test(search) ||
            !sets_rest_is_enough(search, depth + 1))
            return;
    }
}

/* ---- orders of leases ---- */

enum sets_preference { CHEAP_FIRST, LARGE_FIRST, WORTHWHILE_FIRST };

/* Below 0: lease a comes first. */
static inline int sets_prefer(const struct sets_lease *a, const struct sets_lease *b,
                              enum sets_preference preference)
{
    int cheap = (a->overhead > b->overhead) - (a->overhead < b->overhead);
    int large = (a->vms < b->vms) - (a->vms > b->vms);
    /* by overhead per VM */
    double left = (double)a->overhead * (double)b->vms,
           right = (double)b->overhead * (double)a->vms;
    int worthwhile = (left > right) - (left < right);

    switch (preference) {
    case CHEAP_FIRST:
        return cheap ? cheap : large;
    case LARGE_FIRST:
        return large ? large : cheap;
    default:
        return worthwhile ? worthwhile : large;
    }
}

/* A stable merge of sorted halves; `room` holds n. */
static inline void sets_sort(const struct sets_search *search, size_t *order, size_t n,
                             size_t *room, enum sets_preference preference)
{
    size_t half = n / 2, left = 0, right = half;

    if (n < 2)
        return;
    sets_sort(search, order, half, room, preference);
    sets_sort(search, order + half, n - half, room, preference);
    for (size_t i = 0; i < n; i++) {
        bool take_left = left < half && (right == n || sets_prefer(&search->leases[order[left]],
                                                                   &search->leases[order[right]],
                                                                   preference) <= 0);

        room[i] = take_left ? order[left++] : order[right++];
    }
    memcpy(order, room, n * sizeof *order);
}

static inline void sets_arrange(struct sets_search *search, enum sets_preference preference)
{
    for (size_t i = 0; i < search->n; i++)
        search->order[i] = i;
    sets_sort(search, search->order, search->n, search->chosen, preference);
}

/* ---- the whole search ---- */

static inline bool sets_init(struct sets_search *search, const struct galerna_victim_batch *batch,
                             size_t most_tests)
{
    size_t n = batch->n_victims, words = n / 64 + 1;

    *search = (struct sets_search){
        .batch = batch, .words = words, .most_tests = most_tests, .limit = GALERNA_NEVER};
    search->leases = (struct sets_lease *)calloc(n, sizeof *search->leases);
    search->order = (size_t *)calloc(n, sizeof *search->order);
    search->chosen = (size_t *)calloc(n, sizeof *search->chosen);
    search->best.bits = (uint64_t *)calloc(words, sizeof(uint64_t));
    search->path.bits = (uint64_t *)calloc(words, sizeof(uint64_t));
    search->trial.bits = (uint64_t *)calloc(words, sizeof(uint64_t));
    return search->leases && search->order && search->chosen && search->best.bits &&
           search->path.bits && search->trial.bits;
}

static inline void sets_finish(struct sets_search *search)
{
    for (size_t i = 0; i < search->n_sets; i++)
        free(search->sets[i].bits);
    free(search->sets);
    free(search->leases);
    free(search->order);
    free(search->chosen);
    free(search->best.bits);
    free(search->path.bits);
    free(search->trial.bits);
}

/* The best set for search->goal within search->limit. All leases together must be enough. False:
 * none is within the limit. */
static inline bool sets_find_best(struct sets_search *search)
{
    /* What the goal likes comes last, and is the order of the search. */
    const enum sets_preference mine = search->goal == BY_OVERHEAD ? CHEAP_FIRST : LARGE_FIRST;
    const enum sets_preference others[] = {
        WORTHWHILE_FIRST, search->goal == BY_OVERHEAD ? LARGE_FIRST : CHEAP_FIRST, mine};

    for (int i = 0; i < 3; i++) {
        if (i < 2 && search->tests * 4 > search->most_tests) /* one set is made in any case */
            continue;
        sets_arrange(search, others[i]);
        sets_first(search, &search->path);
        sets_offer(search, &search->path);
    }
    sets_clear(search, &search->path);
    sets_explore(search, 0);
    /* A set of a search that was cut may hold leases that are not needed. */
    for (size_t i = search->n; search->cut && search->found && i > 0; i--) {
        size_t lease = search->order[i - 1];

        if (!sets_has(&search->best, lease))
            continue;
        sets_drop(search, &search->best, lease);
        if (!sets_enough(search, &search->best))
            sets_put(search, &search->best, lease);
    }
    return search->found;
}

/* All minimal sets, or when the tests do not suffice some of them: those that come first when each
 * lease in turn is liked most. */
static inline void sets_find_all(struct sets_search *search)
{
    search->collects = true;
    sets_arrange(search, CHEAP_FIRST);
    sets_clear(search, &search->path);
    sets_explore(search, 0);
    if (!search->cut)
        return;
    for (int preference = CHEAP_FIRST; preference <= WORTHWHILE_FIRST; preference++) {
        size_t until = search->tests + search->most_tests / 3;

        sets_arrange(search, (enum sets_preference)preference);
        for (size_t i = 0; i < search->n && (i == 0 || search->tests < until); i++) {
            size_t lease = search->order[i];

            memmove(search->order + 1, search->order, i * sizeof *search->order);
            search->order[0] = lease;
            sets_first(search, &search->path);
            sets_collect(search, &search->path);
        }
    }
}

#endif
