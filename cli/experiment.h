/* experiment.h: galerna experiment list, run, report. */
#ifndef GALERNA_CLI_EXPERIMENT_H
#define GALERNA_CLI_EXPERIMENT_H

#include <stddef.h>

#include "util/error.h"

/* One experiment's summary.json. */
struct experiment_result {
    char *folder, *name, *title;
    int verdicts[3]; /* agrees, same shape, differs */
    int complete;
    struct experiment_result_claim {
        char *text, *paper, *ours, *verdict, *reason;
    } * claims;
    size_t n_claims;
};

/* Read FOLDER/summary.json. Errors: EINVAL (no such document), those of open(). */
int experiment_result_read(struct experiment_result *result, const char *folder, struct error *err);
void experiment_result_finish(struct experiment_result *result);

#endif
