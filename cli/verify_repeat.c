/* Repeats the run of a record. */
#include "cli/verify_repeat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/configured.h"
#include "util/memory.h"
#include "verify/compare.h"
#include "verify/read.h"

/* Limits of the repeated run's steps: a run in which little happens has few entries in its record.
 */
enum { STEPS_ALWAYS = 1000000, STEPS_PER_ENTRY = 1000 };

static int carry_out(struct replay_plan *plan, struct error *err)
{
    static const struct replay_options quietly = {.quiet = true, .parallel = 1};
    struct replay_outcome outcome;

    if (plan->n_runs != 1)
        return error_set(err, EINVAL,
                         "the configuration describes %zu runs, but a record is of one run",
                         plan->n_runs);
    if (replay_all(plan, &quietly, &outcome, err) < 0)
        return -1;
    if (outcome.code == EXIT_INTERRUPTED)
        return error_set(err, EINTR, "the repeated run was interrupted");
    if (outcome.code && !outcome.stuck)
        return error_set(err, outcome.error ? outcome.error : EINVAL,
                         "the run cannot be repeated: %s", outcome.message);
    return 0;
}

/* The record of the plan's run, which is written to a temporary folder. */
static json_t *record_of(struct replay_plan *plan, struct error *err)
{
    const char *place = getenv("TMPDIR");
    char *folder = memory_format("%s/galerna-verify-XXXXXX", place && *place ? place : "/tmp");
    char *path = NULL;
    json_t *record = NULL;

    if (!mkdtemp(folder)) {
        error_errno(err, "%s", folder);
    } else {
        path = memory_format("%s/record.json", folder);
        for (size_t i = 0; i < plan->n_runs; i++)
            plan->runs[i].outputs[REPLAY_RECORD] = memory_text(path);
        if (carry_out(plan, err) == 0)
            record = schedule_load(path, err);
        unlink(path);
        rmdir(folder);
    }
    free(path);
    free(folder);
    return record;
}

json_t *verify_repeat(const struct replay_options *options, struct error *err)
{
    struct replay_plan plan;
    json_t *record = NULL;

    if (replay_plan_make(&plan, options, err) == 0)
        record = record_of(&plan, err);
    replay_plan_finish(&plan);
    return record;
}

/* Searches for the policy modules, without loading them. */
static int find_modules(const struct configuration *configuration, struct error *err)
{
    struct policy_configured configured;
    struct policy_module *modules;
    size_t n;
    int found;

    policy_configured_init(&configured, configuration);
    found = policy_modules_find(&configured.settings, &modules, &n, err);
    if (found == 0)
        policy_modules_finish(modules, n);
    policy_configured_finish(&configured);
    return found;
}

static uint64_t most_steps(json_t *record)
{
    json_t *inputs = json_object_get(json_object_get(record, "galerna"), "inputs");
    size_t entries = json_array_size(json_object_get(record, "state_log")) +
                     json_array_size(json_object_get(inputs, "requests"));

    return STEPS_ALWAYS + STEPS_PER_ENTRY * (uint64_t)entries;
}

static json_t *repeat(struct recorded_run *recorded, struct error *err)
{
    struct replay_run run = {.configuration = recorded->configuration, .recorded = recorded};
    struct replay_plan plan = {.runs = &run, .n_runs = 1};
    json_t *record;

    run.name = run.title = recorded->configuration->name;
    record = record_of(&plan, err);
    free(run.outputs[REPLAY_RECORD]);
    return record;
}

/* Notes the meaning of a failed run for the verification. */
static int note_failure(struct verification *verification, struct error *err)
{
    switch (err->code) {
    case EINVAL: /* a run with these inputs would not write a record */
    case EDEADLK:
        verify_impossible(verification, err->text);
        return 0;
    case ECHILD: /* a module failed */
    case ETIMEDOUT:
        verify_unrepeatable(verification, "%s", err->text);
        return 0;
    default:
        return -1;
    }
}

static int note_module(struct verification *verification, struct error *err)
{
    if (err->code == EINVAL)
        return note_failure(verification, err);
    verify_unrepeatable(verification,
                        "the policy module is not loaded (specify --policy-path, or -c): %s",
                        err->text);
    return 0;
}

static bool was_cut_short(const json_t *record)
{
    return !strcmp(json_string_value(json_object_get(record, "status")), "interrupted");
}

static int repeat_and_compare(json_t *record, struct recorded_run *recorded,
                              struct verification *verification, struct error *err)
{
    uint64_t most = most_steps(record), told = recorded->steps;
    json_t *repeated;

    if (find_modules(recorded->configuration, err) < 0)
        return note_module(verification, err);
    recorded->steps = told < most ? told : most;
    repeated = repeat(recorded, err);
    if (!repeated)
        return note_failure(verification, err);
    if (told > most && was_cut_short(repeated))
        verify_unrepeatable(verification, "the run has too many steps for a record of this size");
    else
        verify_compare(record, repeated, REPEATED_FROM_RECORD, verification);
    json_decref(repeated);
    return 0;
}

bool verify_has_inputs(json_t *record)
{
    return json_object_get(json_object_get(record, "galerna"), "inputs");
}

int verify_repeat_recorded(json_t *record, const char *name, const char *policy_path,
                           struct verification *verification, struct error *err)
{
    struct recorded_run recorded;
    int result;

    if (!verify_has_inputs(record)) {
        verify_unrepeatable(verification, "the record does not contain its inputs");
        return 0;
    }
    if (recorded_run_read(&recorded, record, name, err) < 0)
        return note_failure(verification, err);
    recorded.configuration->module_path = memory_text(policy_path);
    result = repeat_and_compare(record, &recorded, verification, err);
    recorded_run_finish(&recorded);
    return result;
}
