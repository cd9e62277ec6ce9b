/* host_private.h: internals of a policy host. */
#pragma once

#include "plugin/chain.h"
#include "plugin/policy_host.h"

enum { CHAINS = 3 };

struct policy_host {
    struct policy_host_settings settings; /* copies: see host_settings_copy() */
    struct policy_host_state state;
    struct policy_hooks hooks;
    struct chain chains[CHAINS]; /* by kind, from GALERNA_KIND_ADMISSION on */

    int64_t *scores; /* of one module of a longer chain */
    size_t scores_allocated;
    struct victim *offered; /* victims that no module of the chain vetoes ... */
    size_t offered_allocated;
    size_t *places; /* ... and their places in the engine's array */
    size_t places_allocated;
    size_t *translated; /* chosen places, as the engine counts */
    size_t translated_allocated;
    unsigned char *seen;
    size_t seen_allocated;
    char refusal[FAULT_TEXT_MAX + MODULE_NAME_MAX]; /* text of the last refusal */
};

static inline struct chain *host_chain(struct policy_host *host, enum galerna_policy_kind kind)
{
    return &host->chains[kind - GALERNA_KIND_ADMISSION];
}

/* Points the hooks at the chains. */
void host_hooks_init(struct policy_host *host);

/* The hooks of struct policy_hooks; context is the policy host. */
bool host_admit(void *context, const struct lease *lease, int64_t now, struct reason *reason);
bool host_may_preempt(void *context, const struct lease *preemptor);
void host_score_victims(void *context, const struct victim_batch *batch, int64_t *scores);
size_t host_choose_victims(void *context, const struct victim_batch *batch,
                           const struct victim_test *test, size_t *chosen);
void host_score_hosts(void *context, const struct host_batch *batch, int64_t *scores);
int64_t host_estimate(void *context, const struct lease_estimate *question);

/* Clamps and counts scores out of range, which are rare. O(n), without branches if all are in
 * range. */
void policy_check_scores(struct instance *instance, int64_t *scores, size_t n);

/* Adds weight * scores to sums; a veto in either stays a veto. */
void policy_add_scores(int64_t *sums, const int64_t *scores, size_t n, unsigned weight);
