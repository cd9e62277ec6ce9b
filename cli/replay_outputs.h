/* replay_outputs.h: the files a replay writes, and the observers that write them.
 *
 * Each file gets its name when the run is over (util/new_file.h): a reader finds the old file or
 * the complete new one. A database does the same in one transaction.
 */
#pragma once

#include "cli/replay.h"
#include "core/observer.h"
#include "report/run_ending.h"

/* The accounting and one observer per output, and one for the policies. */
enum { REPLAY_OBSERVERS_MAX = REPLAY_OUTPUTS + 2 };

struct replay_outputs {
    const struct replay_run *run;
    struct accounting *accounting;
    void *writers[REPLAY_OUTPUTS]; /* NULL: not asked for */
    struct observer observers[REPLAY_OBSERVERS_MAX];
    size_t n_observers;
};

/* Opens all outputs of the run. Errors: with the file's name. outputs needs replay_outputs_finish()
 * in any case. */
int replay_outputs_init(struct replay_outputs *outputs, const struct replay_run *run,
                        struct error *err);

/* A request was read for the run on this site. */
void replay_outputs_note_request(struct replay_outputs *outputs, const struct site *site,
                                 const struct lease_request *request);

/* Notes how the run ended, after how many steps, in the documents that contain this. */
void replay_outputs_set_ending(struct replay_outputs *outputs, enum run_ending ending,
                               uint64_t steps);

/* Close all; files of a run that is not over are dropped. */
void replay_outputs_finish(struct replay_outputs *outputs);
