/* Host selection that breaks a promise `galerna policy check` looks for: FORGETFUL keeps a variable
 * of its own, SCRIBBLER writes to what it is given (the member of the batch, or "capacity"), CRASH
 * crashes while it scores, LEAVES calls exit() there, PRINTS prints (also when it is loaded and
 * unloaded), UNDECLARED reads a column that it does not declare, ESTIMATES estimates
 * less than no time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "galerna_policy.h"
#include "util/unqualified.h"

#ifdef PRINTS
__attribute__((constructor)) static void loaded(void)
{
    puts("loaded");
}

__attribute__((destructor)) static void unloaded(void)
{
    puts("unloaded");
}
#endif

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
#ifdef FORGETFUL
    static int64_t calls;

    calls++;
#else
    const int64_t calls = 1;
#endif

    (void)self, (void)result;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = calls;
#ifdef UNDECLARED
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] += batch->leases_present[i];
#endif
#ifdef SCRIBBLER
    if (batch->n_hosts > 0)
        SCRIBBLER;
#endif
#ifdef PRINTS
    puts("scores");
#endif
#ifdef LEAVES
    exit(0);
#endif
#ifdef CRASH
    raise(SIGSEGV);
#endif
    return GALERNA_OK;
}

#ifdef ESTIMATES
static enum galerna_verdict no_time(void *self, const struct galerna_estimate *question,
                                    int64_t *milliseconds, struct galerna_result *result)
{
    (void)self, (void)question, (void)result;
    *milliseconds = -5;
    return GALERNA_OK;
}
#endif

static const struct galerna_host_selection operations = {
    .size = sizeof operations,
    .columns = GALERNA_COLUMN_CHANGE,
    .score = score,
#ifdef ESTIMATES
    .estimate = no_time,
#endif
};

#define EXPORT(symbol) GALERNA_POLICY(symbol)
EXPORT(SYMBOL) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = NAME,
    .version = "1.0",
    .summary = "Misbehaves",
    .host_selection = &operations,
};
