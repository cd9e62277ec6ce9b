/* replay_outputs.h: the output files of a replay, and the observers that write them.
 *
 * Each file gets its name at the end of the run (util/new_file.h): readers find either the old file
 * or the complete new one. A database is written in one transaction to the same effect. */
#pragma once

#include "cli/replay.h"
#include "core/observer.h"
#include "report/run_ending.h"

/* The accounting and one observer per output, and one for the policies. */
enum { REPLAY_OBSERVERS_MAX = REPLAY_OUTPUTS + 2 };

struct replay_outputs {
    const struct replay_run *run;
    struct accounting *accounting;
    void *writers[REPLAY_OUTPUTS]; /* NULL: not requested */
    struct observer observers[REPLAY_OBSERVERS_MAX];
    size_t n_observers;
};

/* Opens all outputs of the run. Errors have the file's name. Call replay_outputs_finish() in any
 * case. */
int replay_outputs_init(struct replay_outputs *outputs, const struct replay_run *run,
                        struct error *err);

/* Passes a request of the run on this site, and the stop of the clock for it (lwf/trace.h), to the
 * outputs. */
void replay_outputs_note_request(struct replay_outputs *outputs, const struct site *site,
                                 const struct lease_request *request, int64_t stop);

/* Notes the ending and the number of steps in the documents that contain them. */
void replay_outputs_set_ending(struct replay_outputs *outputs, enum run_ending ending,
                               uint64_t steps);

/* Closes all outputs; drops files of an unfinished run. */
void replay_outputs_finish(struct replay_outputs *outputs);
