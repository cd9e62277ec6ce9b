/* workers.h: pieces of work in child processes, several at a time.
 *
 * Each piece runs in a process of its own, which begins as a copy of this one, and sends a result
 * of a fixed size back. Children are in process groups of their own: Ctrl-C on the terminal reaches
 * the parent, who passes it on. They get SIGTERM when the parent dies.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

struct workers {
    size_t n_pieces, parallel; /* parallel: at least 1 */
    size_t result_size;
    void *context;

    /* In the child: fill in the result (all 0 before) and say from time to time how much is *done,
     * 0 ... 1. -1 with err: the piece has failed. */
    int (*perform)(void *context, size_t piece, void *result, volatile double *done,
                   struct error *err);

    /* In the parent, as pieces end. `result` is NULL when a piece has failed or its process was
     * ended; err (never NULL) then says why. -1 with err: no further pieces begin, and
     * workers_run() fails. Not called for a piece that a stop interrupted. */
    int (*ended)(void *context, size_t piece, const void *result, struct error *err);

    /* In the parent, ten times a second: pieces that have ended, and the share of all work that is
     * done. NULL is allowed. */
    void (*progress)(void *context, size_t n_ended, double share);

    /* Not 0: stop; children get SIGTERM, and SIGKILL once it is above 1. NULL is allowed. */
    const volatile sig_atomic_t *stop;

    /* Children keep the handler of SIGTERM and end in order, and a failure leaves the others to
     * complete. Otherwise SIGTERM ends them at once, and a failure ends the others. */
    bool in_order;
};

/* Run all pieces; no child is left when it returns. Errors: the first that `ended` returned; EINTR
 * when it was stopped before all pieces had ended; those of pipe(), fork(), mmap() and poll(). */
int workers_run(const struct workers *workers, struct error *err);

/* The processors of this machine that are in service, at least 1. */
size_t workers_processors(void);
