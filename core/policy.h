/* policy.h: the hooks through which the engine calls its policies.
 *
 * The folder plugin/ fills these hooks from the loaded modules and handles chains, weights, option
 * tables and fault counts; tests fill them directly. A hook never fails: plugin/ replaces a
 * module's invalid result. Results must depend only on the arguments and the module's own state.
 *
 * Costs: each hook states how often it is called, and with how many hosts or leases. h = hosts of
 * the site, n = leases that hold resources and may make room; a mapping is one attempt to find
 * hosts for a lease from one start on, and a lease may take many.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/site.h"

/* Scores are 0 ... POLICY_SCORE_MAX; higher scores are chosen first. The range represents a double
 * between 1/4 and 1 without loss (times 2^54). */
#define POLICY_SCORE_MAX (INT64_C(1) << 54)
#define POLICY_VETO      INT64_C(-1)

/* The host columns a selection policy reads; other columns may be NULL. Per host, `free` costs a
 * slot table query per resource type, the other columns at most one query. */
enum {
    HOST_COLUMN_LEASES = 1u << 0,   /* leases_present */
    HOST_COLUMN_CHANGE = 1u << 1,   /* unchanged_until */
    HOST_COLUMN_FREE = 1u << 2,     /* free */
    HOST_COLUMNS_SUFFICE = 1u << 3, /* hosts with equal capacities and columns get equal scores */
};

/* Hosts on which at least one VM of the lease fits at `at`, in ascending place. */
struct host_batch {
    const struct lease *lease;
    const struct site *site;
    int64_t at;       /* start of the interval */
    int64_t duration; /* seconds left to run; as requested with score_by_whole_duration
                       * (SPAN_UNLIMITED: no end) */
    size_t n_hosts;
    const uint32_t *hosts;          /* places in the site */
    const int32_t *leases_present;  /* distinct leases on the host at `at` */
    const int64_t *unchanged_until; /* next change of its free amounts or leases; INSTANT_NEVER */
    const int64_t *free;            /* n_hosts x site->types.count amounts free at `at` */
};

/* A lease that could make room, a candidate for the preemption policy. */
struct victim {
    const struct lease *lease;
    int64_t overhead;   /* seconds lost by preempting it on its terms, summed over its VMs */
    bool started;       /* runs at the time of preemption (false: only planned) */
    int64_t runs_since; /* start of its current VM reservation */
};

/* Leases that could make room for another one. */
struct victim_batch {
    const struct lease *preemptor;
    int64_t at; /* time of the preemption */
    const struct victim *victims;
    size_t n;
};

/* A callback from a policy to the engine. */
struct victim_test {
    /* Would preempting these victims (indices into the candidates) make enough room? O(n_chosen)
     * plus the bookings of the victims that differ from the last set tested (victim_room.h); a
     * mapping if counting cannot decide. */
    bool (*enough)(const struct victim_test *test, const size_t *chosen, size_t n_chosen);
    void *engine;
};

/* The input for an estimate: the total time of a lease, from its first start to its end, if its VMs
 * run on these hosts from `at` on. */
struct lease_estimate {
    const struct lease *lease;
    const struct site *site;
    int64_t at;
    const uint32_t *hosts; /* places in the site, one per VM */
    const uint32_t *from;  /* current hosts, one per VM; equal to hosts[i]: the VM stays */
    int64_t overhead;      /* seconds the lease does not run because of the move */
};

struct policy_hooks {
    void *context;

    /* May this lease be scheduled at all? Returns true, or false with *reason filled (id
     * REASON_REFUSED_BY_POLICY, or REASON_TEXT if a policy cannot be called; text valid until the
     * next call). NULL: all leases are admitted. Called at most once for each request. */
    bool (*admit)(void *context, const struct lease *lease, int64_t now, struct reason *reason);

    /* scores[i] = preference for preempting batch->victims[i], or POLICY_VETO. The engine preempts
     * the highest score first, and the larger lease id among equals, until there is room. NULL: no
     * lease is preempted (unless choose_victims is set). Called with all n for a mapping, at most
     * ten times, more than once only if victims would miss their deadlines. Also called with all
     * running leases in the search for a start of a best-effort lease, and with single leases of
     * the queue and leases planned for later, for the queue's order. */
    void (*score_victims)(void *context, const struct victim_batch *batch, int64_t *scores);

    /* Chooses the set of victims; called instead of score_victims if not NULL. Fills chosen[] (room
     * for batch->n) and returns the number of victims; 0 = none. The set must pass test->enough.
     * Called as often as score_victims for a mapping, twice as often if hosts it counts on are
     * vetoed. */
    size_t (*choose_victims)(void *context, const struct victim_batch *batch,
                             const struct victim_test *test, size_t *chosen);

    /* A quick check: can a lease of this request ever preempt? If not, the engine need not gather
     * victims. NULL: it can. Called several times for each lease tried. */
    bool (*may_preempt)(void *context, const struct lease *preemptor);

    /* scores[i] for batch->hosts[i], or POLICY_VETO. NULL: all hosts are equal. A mapping scores at
     * most h hosts, and as many again to make room; for a lease that may not use all hosts (or
     * while some are closed), this number per node set, again with each victim. With
     * HOST_COLUMNS_SUFFICE, one host may represent a class of equal hosts, in any order. */
    void (*score_hosts)(void *context, const struct host_batch *batch, int64_t *scores);
    unsigned host_columns; /* HOST_COLUMN_... that score_hosts reads */

    /* Milliseconds; -1: no estimate. NULL: no estimates, and no running lease is moved. Called
     * twice for each movable lease in each search for better hosts. */
    int64_t (*estimate)(void *context, const struct lease_estimate *question);
};

/* May this lease preempt others? */
static inline bool policy_may_preempt(const struct policy_hooks *hooks, const struct lease *lease)
{
    return (hooks->score_victims || hooks->choose_victims) &&
           (!hooks->may_preempt || hooks->may_preempt(hooks->context, lease));
}
