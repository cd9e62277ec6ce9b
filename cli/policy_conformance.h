/* policy_conformance.h: tests a policy module in a child process.
 *
 * Two instances get the same random calls: their answers must be in range and equal, their
 * arguments must be untouched, columns that a module does not declare must not be read, and some
 * host must be left. Then the engine schedules the same small trace twice with it, in which every
 * kind of decision is due, and both schedules must be the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plugin/policy_host.h"
#include "plugin/preflight.h"
#include "util/error.h"

struct conformance_figures {
    uint64_t calls;                          /* random calls answered */
    double growth;                           /* bytes that each leaves allocated */
    double microseconds;                     /* mean time of one */
    bool allows_a_host;                      /* some answer did not veto every host */
    uint64_t decisions;                      /* of the trace */
    uint64_t accepted, refused, preemptions; /* in the trace */
};

struct conformance {
    struct policy_host_settings settings; /* with the module in its chain */
    enum policy_kind kind;
    const char *file;
    struct conformance_figures *figures; /* shared with the child */
};

/* Runs the whole test. Errors: EINVAL (the text says which rule is broken), and those of a trial.
 */
int conformance_run(struct conformance *conformance, struct error *err);

/* The part with random calls; in the child process. */
int conformance_calls(const struct conformance *conformance, struct preflight *preflight,
                      struct error *err);

/* The part with a trace; in the child process. */
int conformance_trace(const struct conformance *conformance, struct error *err);

/* A sequence of random numbers: the next one, below limit. */
uint64_t conformance_random(uint64_t *state, uint64_t limit);

/* Fails if the module has given broken answers so far. */
int conformance_faults(const struct conformance *conformance, const struct policy_host *host,
                       struct error *err);
