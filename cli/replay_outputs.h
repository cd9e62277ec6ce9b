/* replay_outputs.h: the files a replay writes, and the observers that write them.
 *
 * Each file is written under a temporary name beside its own and renamed at the end: whoever reads
 * it sees the old one or the whole new one. A database does the same in one transaction.
 */
#ifndef GALERNA_CLI_REPLAY_OUTPUTS_H
#define GALERNA_CLI_REPLAY_OUTPUTS_H

#include "cli/replay.h"
#include "core/observer.h"
#include "report/ending.h"

/* The accounting and one observer per output, and one for the policies. */
enum { REPLAY_OBSERVERS_MAX = REPLAY_OUTPUTS + 2 };

struct replay_outputs {
    const struct replay_run *run;
    struct accounting *accounting;
    void *writers[REPLAY_OUTPUTS];   /* NULL: not asked for */
    char *temporary[REPLAY_OUTPUTS]; /* NULL: written in place */
    struct observer observers[REPLAY_OBSERVERS_MAX];
    size_t n_observers;
};

/* Open everything the run asks for. Errors: with the file's name. outputs needs
 * replay_outputs_finish() in any case. */
int replay_outputs_init(struct replay_outputs *outputs, const struct replay_run *run,
                        struct error *err);

/* The run is over and its observers were told: close all and give the files their names. */
int replay_outputs_commit(struct replay_outputs *outputs, struct error *err);

/* Say how the run ended in the documents that have a place for it. */
void replay_outputs_set_ending(struct replay_outputs *outputs, enum run_ending ending);

/* Take away what was not committed. */
void replay_outputs_finish(struct replay_outputs *outputs);

#endif
