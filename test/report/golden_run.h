/* golden_run.h: a recorded schedule played to observers, with a stand-in for the engine.
 *
 * The expected records under test/golden/data hold everything an engine would have told: the leases
 * as they ended, the order of their states, the preemptions, and the figures of each instant.
 */
#pragma once

#include <jansson.h>

#include "core/observer.h"

struct golden_run;

/* Exits with a message when the file is not as expected. */
struct golden_run *golden_run_load(const char *path);
void golden_run_destroy(struct golden_run *run);

/* 0, or -1 as soon as an observer fails. */
int golden_run_play(struct golden_run *run, const struct observer *observers, size_t n_observers,
                    struct error *err);

json_t *golden_run_document(const struct golden_run *run);
struct engine *golden_run_engine(struct golden_run *run);
int64_t golden_run_end(const struct golden_run *run);

/* The lease at that place of the record, to be changed by a test before it is played. */
struct lease *golden_run_lease(struct golden_run *run, size_t place);
