/* Carries out the run of a record once more, for `galerna verify -c`. */
#include "cli/verify_repeat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/memory.h"
#include "verify/read.h"

static int carry_out(struct replay_plan *plan, const struct replay_options *options,
                     struct error *err)
{
    struct replay_outcome outcome;

    if (plan->n_runs != 1)
        return error_set(err, EINVAL, "the configuration asks for %zu runs, a record is of one",
                         plan->n_runs);
    if (replay_all(plan, options, &outcome, err) < 0)
        return -1;
    if (outcome.interrupted)
        return error_set(err, EINTR, "the run that is repeated was interrupted");
    if (outcome.code && !outcome.stuck)
        return error_set(err, EINVAL, "the run cannot be repeated: %s", outcome.message);
    return 0;
}

/* The file that is written lies in a folder of its own. */
static json_t *repeat_in(const char *folder, const struct replay_options *options,
                         struct error *err)
{
    char *path = memory_format("%s/record.json", folder);
    struct replay_options with_record = *options;
    struct replay_plan plan;
    json_t *record = NULL;

    with_record.quiet = true;
    with_record.outputs[REPLAY_RECORD] = path;
    if (replay_plan_make(&plan, &with_record, err) == 0 && carry_out(&plan, &with_record, err) == 0)
        record = schedule_load(path, err);
    replay_plan_finish(&plan);
    unlink(path);
    free(path);
    return record;
}

json_t *verify_repeat(const struct replay_options *options, struct error *err)
{
    const char *place = getenv("TMPDIR");
    char *folder = memory_format("%s/galerna-verify-XXXXXX", place && *place ? place : "/tmp");
    json_t *record = NULL;

    if (!mkdtemp(folder)) {
        error_set(err, errno, "%s: %s", folder, strerror(errno));
    } else {
        record = repeat_in(folder, options, err);
        rmdir(folder);
    }
    free(folder);
    return record;
}
