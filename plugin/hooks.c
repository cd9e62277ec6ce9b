/* The engine's policy hooks over chains of modules. */

#include "plugin/host_private.h"

_Static_assert(GALERNA_SCORE_MAX == POLICY_SCORE_MAX && GALERNA_VETO == POLICY_VETO,
               "scores are passed through");

static unsigned columns_of(const struct chain *chain)
{
    unsigned columns = 0, suffice = HOST_COLUMNS_SUFFICE;

    for (size_t i = 0; i < chain->n; i++) {
        columns |= chain->instances[i]->module->host_selection.columns;
        suffice &= chain->instances[i]->module->host_selection.columns;
    }
    return (columns & ~(unsigned)HOST_COLUMNS_SUFFICE) | suffice;
}

static bool any_chooses(const struct chain *chain)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->instances[i]->module->preemption.choose)
            return true;
    return false;
}

static bool any_estimates(const struct chain *chain)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->instances[i]->module->host_selection.estimate)
            return true;
    return false;
}

void host_hooks_init(struct policy_host *host)
{
    const struct chain *preemption = host_chain(host, GALERNA_KIND_PREEMPTION);
    const struct chain *selection = host_chain(host, GALERNA_KIND_HOST_SELECTION);

    host->hooks = (struct policy_hooks){.context = host};
    if (!chain_is_builtin(host_chain(host, GALERNA_KIND_ADMISSION)))
        host->hooks.admit = host_admit;
    if (!chain_is_builtin(preemption)) {
        host->hooks.may_preempt = host_may_preempt;
        host->hooks.score_victims = host_score_victims;
        if (any_chooses(preemption))
            host->hooks.choose_victims = host_choose_victims;
    }
    if (!chain_is_builtin(selection)) {
        host->hooks.score_hosts = host_score_hosts;
        host->hooks.host_columns = columns_of(selection);
        if (any_estimates(selection))
            host->hooks.estimate = host_estimate;
    }
}
