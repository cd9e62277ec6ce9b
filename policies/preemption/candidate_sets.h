/* candidate_sets.h: sets of leases whose preemption makes enough room (Amini Salehi, Javadi, Buyya:
 * Resource Provisioning based on Lease Preemption in InterGrid).
 *
 * A candidate set is inclusion-minimal: it is enough, but not without any one of its leases. Only
 * the host can test whether a set is enough, and tests are costly: the search is exact if it ends
 * within a given number of tests; otherwise it returns the best set found and reports this. Sets
 * are compared by overhead, number of leases and ids, or by number, overhead and ids, so that equal
 * inputs give equal results.
 *
 * Assumptions: more victims never make less room, and leases that hold less of a resource than the
 * request lacks at its start are not enough, which needs no test.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "galerna_policy.h"

enum sets_order { BY_OVERHEAD, BY_NUMBER };

struct sets_lease {
    size_t place; /* in the batch */
    int64_t overhead, vms;
    int64_t holds; /* of the scarce resource */
};

/* A set of leases: bits in the order of their ids. */
struct sets_set {
    uint64_t *bits;
    int64_t overhead, holds;
    size_t number;
};

/* Bounds for the leases from a place in the search order on. */
struct sets_rest {
    int64_t holds, largest; /* sum, and maximum of one lease */
    double ratio;           /* the least overhead per amount held */
};

enum {
    SETS_TRIAL = 16, /* leases in a tested set that count as one more test */
    SETS_STEPS = 50  /* steps without a test for each test */
};

struct sets_search {
    const struct galerna_victim_batch *batch;
    struct sets_lease *leases; /* leases that may be preempted, by ascending id */
    size_t n, words;
    size_t *order;          /* the order of the search */
    size_t *chosen;         /* room for a test */
    struct sets_rest *rest; /* n + 1, by place in the order */
    int64_t lacks;          /* of the scarce resource; 0 or less: unknown */
    size_t tests, most_tests, steps;
    bool cut;      /* the search ended at the limit of tests */
    bool explored; /* the best set may hold leases that are not needed */

    enum sets_order goal;
    int64_t limit; /* maximum overhead */
    struct sets_set best, path, trial;
    uint64_t *open; /* leases that the search has not left out */
    bool found;     /* best is set */

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
    set->holds += search->leases[i].holds;
    set->number++;
}

static inline void sets_drop(const struct sets_search *search, struct sets_set *set, size_t i)
{
    set->bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
    set->overhead -= search->leases[i].overhead;
    set->holds -= search->leases[i].holds;
    set->number--;
}

static inline void sets_copy(const struct sets_search *search, struct sets_set *to,
                             const struct sets_set *from)
{
    memcpy(to->bits, from->bits, search->words * sizeof *to->bits);
    to->overhead = from->overhead;
    to->holds = from->holds;
    to->number = from->number;
}

static inline void sets_clear(const struct sets_search *search, struct sets_set *set)
{
    memset(set->bits, 0, search->words * sizeof *set->bits);
    set->overhead = 0;
    set->holds = 0;
    set->number = 0;
}

/* Below 0: a comes first. Among equals, the set with the smallest id that the other does not have
 * comes first. */
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

    if (set->holds < search->lacks)
        return false;
    for (size_t word = 0; word < search->words; word++)
        for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1)
            search->chosen[n++] = search->leases[word * 64 + (size_t)__builtin_ctzll(bits)].place;
    search->tests += 1 + n / SETS_TRIAL;
    return search->batch->enough(search->batch, search->chosen, n);
}

static inline bool sets_may_test(struct sets_search *search)
{
    search->cut = search->cut || search->tests >= search->most_tests ||
                  search->steps / SETS_STEPS >= search->most_tests;
    return !search->cut;
}

/* ---- results ---- */

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

/* Is the set not enough without any one of its leases? The last one taken is known to be needed. */
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

/* ---- one minimal set ------------- */

/* Are the kept leases together with the first `length` of the order enough? */
static inline bool sets_beginning_is_enough(struct sets_search *search, const struct sets_set *kept,
                                            size_t length)
{
    sets_copy(search, &search->trial, kept);
    for (size_t i = 0; i < length; i++)
        if (!sets_has(&search->trial, search->order[i]))
            sets_put(search, &search->trial, search->order[i]);
    return sets_enough(search, &search->trial);
}

/* The length of the shortest beginning of the order that is enough together with the kept leases,
 * at most `most`, which is enough. Searches first at the most likely lengths: the first possible
 * one for an empty set, those near `most` for others. */
static inline size_t sets_shortest(struct sets_search *search, const struct sets_set *kept,
                                   size_t most)
{
    size_t least = 0;
    int64_t holds = 0;

    if (kept->number == 0) {
        while (least < most && holds < search->lacks)
            holds += search->leases[search->order[least++]].holds;
        for (size_t step = 1; least + step < most; step *= 2) {
            if (sets_beginning_is_enough(search, kept, least + step - 1)) {
                most = least + step - 1;
                break;
            }
            least += step;
        }
    } else {
        for (size_t back = 1; least == 0 && most > 0; back *= 2) {
            size_t length = back < most ? most - back : 0;

            if (sets_beginning_is_enough(search, kept, length))
                most = length;
            else
                least = length + 1;
        }
    }
    while (least < most) {
        size_t middle = least + (most - least) / 2;

        if (sets_beginning_is_enough(search, kept, middle))
            most = middle;
        else
            least = middle + 1;
    }
    return most;
}

/* The minimal set that comes first when leases early in search->order are preferred: finds the
 * shortest beginning that is enough, keeps its last lease, and repeats this until the kept leases
 * are enough. All leases together must be enough. */
static inline void sets_first(struct sets_search *search, struct sets_set *kept)
{
    size_t most = search->n;

    sets_clear(search, kept);
    while ((most = sets_shortest(search, kept, most)) > 0)
        sets_put(search, kept, search->order[--most]);
}

/* ---- all sets, or the best */

/* Can a set of leases not left out come before the best one by its ids? */
static inline bool sets_has_smaller_ids(const struct sets_search *search)
{
    for (size_t i = 0; i < search->words; i++) {
        uint64_t differ = search->open[i] ^ search->best.bits[i];

        if (differ)
            return search->open[i] & (differ & (~differ + 1));
    }
    return false;
}

/* Can the leases on the path and some of those from `depth` on still be better than the best? The
 * path alone is not enough. */
static inline bool sets_is_hopeful(const struct sets_search *search, size_t depth)
{
    const struct sets_set *path = &search->path, *best = &search->best;
    const struct sets_rest *rest = &search->rest[depth];
    int64_t lacks = search->lacks - path->holds, overhead = path->overhead;
    size_t number = path->number + 1;
    double least;

    if (depth >= search->n || (lacks > 0 && rest->holds < lacks))
        return false;
    if (search->collects)
        return true;
    if (lacks > 0) { /* bounds from the largest lease and the cheapest per amount held */
        number = path->number + (size_t)((lacks + rest->largest - 1) / rest->largest);
        least = (double)lacks * rest->ratio * (1 - 1e-9); /* rounding must not increase the bound */
        overhead += (int64_t)least + ((double)(int64_t)least < least);
    }
    if (overhead > search->limit)
        return false;
    if (!search->found)
        return true;
    if (overhead == best->overhead && number == best->number)
        return sets_has_smaller_ids(search);
    if (search->goal == BY_OVERHEAD)
        return overhead < best->overhead || (overhead == best->overhead && number < best->number);
    return number < best->number || (number == best->number && overhead < best->overhead);
}

/* Are the leases on the path and all from `depth` on enough? */
static inline bool sets_rest_is_enough(struct sets_search *search, size_t depth)
{
    sets_copy(search, &search->trial, &search->path);
    for (size_t i = depth; i < search->n; i++)
        sets_put(search, &search->trial, search->order[i]);
    return sets_enough(search, &search->trial);
}

/* Is neither the path nor any set that contains it better than the best? */
static inline bool sets_is_hopeless(const struct sets_search *search)
{
    if (search->collects)
        return false;
    return search->path.overhead > search->limit ||
           (search->found && sets_compare(search, &search->path, &search->best, search->goal) >= 0);
}

/* Tries each lease in turn, with and without it. The path is not enough; with the rest from `depth`
 * on it is. */
static inline void sets_explore(struct sets_search *search, size_t depth)
{
    size_t begin = depth;

    for (; depth < search->n && sets_may_test(search); depth++) {
        size_t lease = search->order[depth];

        search->steps++;
        sets_put(search, &search->path, lease);
        if (sets_is_hopeless(search)) {
            ; /* continue without it */
        } else if (!sets_enough(search, &search->path)) {
            if (sets_is_hopeful(search, depth + 1))
                sets_explore(search, depth + 1);
        } else if (!search->collects) {
            sets_offer(search, &search->path);
            search->explored = true;
        } else if (sets_is_minimal(search, &search->path, lease)) {
            sets_collect(search, &search->path);
        }
        sets_drop(search, &search->path, lease);
        search->open[lease / 64] &= ~(UINT64_C(1) << (lease % 64));
        if (!sets_is_hopeful(search, depth + 1) || !sets_may_test(search) ||
            !sets_rest_is_enough(search, depth + 1))
            break;
    }
    for (size_t i = begin; i <= depth && i < search->n; i++)
        search->open[search->order[i] / 64] |= UINT64_C(1) << (search->order[i] % 64);
}

/* Explores from an empty path, with no lease left out. */
static inline void sets_explore_all(struct sets_search *search)
{
    sets_clear(search, &search->path);
    for (size_t i = 0; i < search->n; i++)
        search->open[i / 64] |= UINT64_C(1) << (i % 64);
    sets_explore(search, 0);
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
    search->rest[search->n] = (struct sets_rest){0, 0, 0};
    for (size_t i = search->n; i > 0; i--) {
        const struct sets_lease *lease = &search->leases[search->order[i - 1]];
        const struct sets_rest *behind = &search->rest[i];
        double ratio = lease->holds > 0 ? (double)lease->overhead / (double)lease->holds : 0;

        search->rest[i - 1] = (struct sets_rest){
            .holds = behind->holds + lease->holds,
            .largest = lease->holds > behind->largest ? lease->holds : behind->largest,
            .ratio = i == search->n || ratio < behind->ratio ? ratio : behind->ratio,
        };
    }
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
    search->rest = (struct sets_rest *)calloc(n + 1, sizeof *search->rest);
    search->best.bits = (uint64_t *)calloc(words, sizeof(uint64_t));
    search->path.bits = (uint64_t *)calloc(words, sizeof(uint64_t));
    search->trial.bits = (uint64_t *)calloc(words, sizeof(uint64_t));
    search->open = (uint64_t *)calloc(words, sizeof(uint64_t));
    return search->leases && search->order && search->chosen && search->rest && search->best.bits &&
           search->path.bits && search->trial.bits && search->open;
}

static inline void sets_finish(struct sets_search *search)
{
    for (size_t i = 0; i < search->n_sets; i++)
        free(search->sets[i].bits);
    free(search->sets);
    free(search->leases);
    free(search->order);
    free(search->chosen);
    free(search->rest);
    free(search->best.bits);
    free(search->path.bits);
    free(search->trial.bits);
    free(search->open);
}

/* The best set for search->goal within search->limit. All leases together must be enough. False:
 * none is within the limit. */
static inline bool sets_find_best(struct sets_search *search)
{
    /* The preference of the goal itself comes last; it is also the order of the search below. */
    const enum sets_preference mine = search->goal == BY_OVERHEAD ? CHEAP_FIRST : LARGE_FIRST;
    const enum sets_preference others[] = {
        WORTHWHILE_FIRST, search->goal == BY_OVERHEAD ? LARGE_FIRST : CHEAP_FIRST, mine};

    for (int i = 0; i < 3; i++) {
        if (i < 2 && search->tests * 4 > search->most_tests) /* one set is always found */
            continue;
        sets_arrange(search, others[i]);
        sets_first(search, &search->path);
        sets_offer(search, &search->path);
    }
    sets_explore_all(search);
    /* A set of a search that was cut may hold leases that are not needed. */
    for (size_t i = search->n; search->cut && search->explored && search->found && i > 0; i--) {
        size_t lease = search->order[i - 1];

        if (!sets_has(&search->best, lease))
            continue;
        sets_drop(search, &search->best, lease);
        if (!sets_enough(search, &search->best))
            sets_put(search, &search->best, lease);
    }
    return search->found;
}

/* All minimal sets, or some of them if half of the tests do not suffice: then those found first
 * when each lease in turn is preferred. */
static inline void sets_find_all(struct sets_search *search)
{
    size_t most = search->most_tests;

    search->collects = true;
    search->most_tests = most - most / 2;
    sets_arrange(search, CHEAP_FIRST);
    sets_explore_all(search);
    for (int preference = CHEAP_FIRST; search->cut && preference <= WORTHWHILE_FIRST;
         preference++) {
        size_t until = search->tests + most / 6;

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
