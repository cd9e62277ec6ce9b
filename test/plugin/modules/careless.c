/* Admission that refuses leases of more than ten VMs, in the way that its option names, or does to
 * its process what a policy must not do. */
#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "galerna_policy.h"
#include "util/unqualified.h"

enum {
    EXPLAINS,
    NO_ID,
    NO_TEXT,
    BAD_ID,
    WRITES,
    LEAKS,
    CLOSES,
    IGNORES,
    MOVES,
    MASKS,
    ROUNDS,
    TIMES,
    FORKS,
    ENDS,
    TALKS
};

static const struct galerna_option options[] = {
    {.name = "does",
     .type = GALERNA_CHOICE,
     .choices = "explains|no-id|no-text|bad-id|writes|leaks|closes|ignores|moves|masks|rounds|"
                "times|forks|ends|talks",
     .default_value = "explains",
     .description = "What it does"},
};

static void *volatile kept; /* else the compiler would leave malloc() out */

struct policy {
    const struct galerna_host *host;
    uint32_t does;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = malloc(sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    *policy = (struct policy){host, values[0].choice};
    *self = policy;
    return GALERNA_OK;
}

static void destroy(void *self)
{
    free(self);
}

static void do_harm(uint32_t what)
{
    switch (what) {
    case LEAKS:
        kept = malloc(100);
        break;
    case CLOSES:
        close(STDERR_FILENO);
        break;
    case IGNORES:
        signal(SIGINT, SIG_IGN);
        break;
    case MOVES:
        if (chdir("/tmp") < 0)
            abort();
        break;
    case MASKS:
        umask(0777);
        break;
    case ROUNDS:
        fesetround(FE_UPWARD);
        break;
    case TIMES:
        alarm(1000);
        break;
    case FORKS:
        if (!kept && fork() == 0)
            _exit(0);
        kept = unqualified(options); /* once: it is slow */
        break;
    case ENDS:
        exit(0);
    default:
        break;
    }
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    const struct policy *policy = self;
    const struct galerna_host *host = policy->host;

    do_harm(policy->does);
    if (host->lease_vms(request->lease) <= 10)
        return GALERNA_OK;
    switch (policy->does) {
    case NO_ID:
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "", "%d VMs are too many", 11);
    case NO_TEXT:
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "too-many", "%s", "");
    case BAD_ID:
        return host->answer(result, GALERNA_REFUSED_FOR_NOW, "Too many", "%d VMs are too many", 11);
    case WRITES:
        ((struct galerna_admission_request *)unqualified(request))->now++;
        break;
    case TALKS:
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "too-many",
                            "caf\xe9\n\x1b[31mred %300s", "end");
    default:
        break;
    }
    return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "too-many", "%u VMs are too many",
                        host->lease_vms(request->lease));
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(careless) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "careless",
    .version = "1.0",
    .summary = "Refuses without reasons",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = destroy,
    .admission = &operations,
};
