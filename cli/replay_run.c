/* Carries out the runs of a replay, with the observers that write their output files.
 *
 * Each file gets its name at the end of the run (util/new_file.h): readers find either the old file
 * or the complete new one. A database is written in one transaction to the same effect.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "adapters/simulation/stage.h"
#include "cli/replay.h"
#include "cli/replay_guard.h"
#include "core/observer.h"
#include "lwf/trace_open.h"
#include "report/events.h"
#include "report/gantt.h"
#include "report/jobs_csv.h"
#include "report/record.h"
#include "report/results.h"
#include "report/run_ending.h"
#include "util/file.h"
#include "util/unqualified.h"

/* --- output files ----------------------------------------------------------------------------- */

/* The accounting and one observer per output, and one for the policies. */
enum { REPLAY_OBSERVERS_MAX = REPLAY_OUTPUTS + 2 };

struct replay_outputs {
    const struct replay_run *run;
    struct accounting *accounting;
    void *writers[REPLAY_OUTPUTS]; /* NULL: not requested */
    struct observer observers[REPLAY_OBSERVERS_MAX];
    size_t n_observers;
};

static void observe(struct replay_outputs *outputs, struct observer observer)
{
    outputs->observers[outputs->n_observers++] = observer;
}

/* writer NULL: it could not be created. */
static int keep(struct replay_outputs *outputs, enum replay_output kind, void *writer,
                struct observer observer)
{
    if (!writer)
        return -1;
    outputs->writers[kind] = writer;
    observe(outputs, observer);
    return 0;
}

static int open_record(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct record_options options = {
        .path = path,
        .configuration = outputs->run->configuration,
        .accounting = outputs->accounting,
    };
    struct record *record = record_create(&options, err);

    return keep(outputs, REPLAY_RECORD, record, record_observer(record));
}

static int open_jobs(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct jobs_csv *jobs = jobs_csv_create(path, outputs->run->name, err);

    return keep(outputs, REPLAY_JOBS, jobs, jobs_csv_observer(jobs));
}

static int open_events(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct events *events = events_create(path, err);

    return keep(outputs, REPLAY_EVENTS, events, events_observer(events));
}

static int open_gantt(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct gantt_options options = {
        .path = path,
        .title = outputs->run->title,
        .start_epoch = outputs->run->configuration->start_time,
    };
    struct gantt *gantt = gantt_create(&options, err);

    return keep(outputs, REPLAY_GANTT, gantt, gantt_observer(gantt));
}

static int open_results(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct results_options options = {
        .path = path,
        .name = outputs->run->name,
        .settings = &outputs->run->configuration->settings,
        .accounting = outputs->accounting,
        .counters_left_out = outputs->run->configuration->counters_left_out,
    };
    struct results *results = results_create(&options, err);

    return keep(outputs, REPLAY_RESULTS, results, results_observer(results));
}

static int (*const openers[REPLAY_OUTPUTS])(struct replay_outputs *outputs, const char *path,
                                            struct error *err) = {
    [REPLAY_RECORD] = open_record,   [REPLAY_JOBS] = open_jobs,   [REPLAY_EVENTS] = open_events,
    [REPLAY_RESULTS] = open_results, [REPLAY_GANTT] = open_gantt,
};

/* Opens all outputs of the run. Errors have the file's name. Call replay_outputs_finish() in any
 * case. */
static int replay_outputs_init(struct replay_outputs *outputs, const struct replay_run *run,
                               struct error *err)
{
    bool history = run->outputs[REPLAY_RECORD] || run->outputs[REPLAY_RESULTS];

    *outputs = (struct replay_outputs){.run = run};
    outputs->accounting = accounting_create(history);
    observe(outputs, accounting_observer(outputs->accounting));
    for (size_t kind = 0; kind < REPLAY_OUTPUTS; kind++) {
        const char *path = run->outputs[kind];

        if (path && openers[kind](outputs, path, err) < 0)
            return -1;
    }
    return 0;
}

/* Passes a request of the run on this site, and the stop of the clock for it (lwf/trace.h), to the
 * outputs. */
static void replay_outputs_note_request(struct replay_outputs *outputs, const struct site *site,
                                        const struct lease_request *request, int64_t stop)
{
    if (outputs->writers[REPLAY_RECORD])
        record_note_request(outputs->writers[REPLAY_RECORD], site, request, stop);
}

/* Notes the ending and the number of steps in the documents that contain them. */
static void replay_outputs_set_ending(struct replay_outputs *outputs, enum run_ending ending,
                                      uint64_t steps)
{
    if (outputs->writers[REPLAY_RECORD])
        record_set_ending(outputs->writers[REPLAY_RECORD], ending, steps);
    if (outputs->writers[REPLAY_RESULTS])
        results_set_ending(outputs->writers[REPLAY_RESULTS], ending);
}

/* Closes all outputs; drops files of an unfinished run. */
static void replay_outputs_finish(struct replay_outputs *outputs)
{
    record_destroy(outputs->writers[REPLAY_RECORD]);
    jobs_csv_destroy(outputs->writers[REPLAY_JOBS]);
    events_destroy(outputs->writers[REPLAY_EVENTS]);
    results_destroy(outputs->writers[REPLAY_RESULTS]);
    gantt_destroy(outputs->writers[REPLAY_GANTT]);
    accounting_destroy(outputs->accounting);
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Steps between checks of the clock and the signals. */
enum { LOOK_EVERY = 16 };

struct watch {
    const struct replay_control *control;
    const struct stage *stage;
    struct replay_outputs *outputs;
    uint64_t steps;
    uint64_t last_step; /* the latest end of a repeated run; 0: no limit */
};

static void note_request(void *context, const struct lease_request *request)
{
    const struct watch *watch = context;

    replay_outputs_note_request(watch->outputs, &watch->stage->site, request,
                                trace_stop(watch->stage->trace, request));
}

static bool look(void *context)
{
    struct watch *watch = context;
    const struct replay_control *control = watch->control;

    if (++watch->steps % LOOK_EVERY == 0) {
        double done = trace_progress(watch->stage->trace);

        if (control->done)
            *control->done = done;
        if (control->progress)
            progress_show(control->progress, done, control->title);
    }
    return *control->stop != 0 || watch->steps == watch->last_step;
}

static void note_ending(void *context, const struct simulation_result *result)
{
    struct watch *watch = context;

    replay_outputs_set_ending(watch->outputs,
                              result->interrupted      ? ENDING_INTERRUPTED
                              : result->stuck          ? ENDING_STUCK
                              : result->unfinished > 0 ? ENDING_STOPPED
                                                       : ENDING_COMPLETE,
                              result->steps);
}

static void print_policy_message(void *context, enum policy_log_level level, const char *text)
{
    const struct replay_control *control = context;

    if (level > POLICY_LOG_WARNING && !control->verbose)
        return;
    if (control->progress)
        progress_finish(control->progress);
    fprintf(stderr, "galerna replay: %s\n", text);
}

/* asked: interrupted by a signal; otherwise, a repeated run has reached its last step. */
static void describe_end(const struct simulation_result *result, bool asked,
                         struct replay_outcome *outcome)
{
    outcome->interrupted = result->interrupted;
    outcome->stuck = result->stuck;
    outcome->code = asked ? EXIT_INTERRUPTED : result->stuck ? EXIT_FAILED : EXIT_DONE;
    if (result->stuck)
        snprintf(outcome->message, sizeof outcome->message,
                 "stuck: %" PRId64 " lease%s forever; nothing is planned that would free capacity",
                 result->unfinished, result->unfinished == 1 ? " waits" : "s wait");
    else if (result->cancels_missed)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRId64 " cancellation%s that had not arrived yet or had ended",
                 result->cancels_missed,
                 result->cancels_missed == 1 ? " was for a lease" : "s were for leases");
    else if (result->late_requests)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRId64
                 " request%s later ones in the trace and %s submitted late; sort the trace "
                 "by time of submission",
                 result->late_requests, result->late_requests == 1 ? " follows" : "s follow",
                 result->late_requests == 1 ? "was" : "were");
}

/* Is the trace a log in SWF? Standard input and pipes, which cannot be read twice, are not. */
static bool is_log(const struct configuration *configuration)
{
    struct error ignored;
    struct source *source = NULL;
    struct stat status;
    bool result = false;

    if (configuration->tracefile && strcmp(configuration->tracefile, "-") != 0 &&
        stat(configuration->tracefile, &status) == 0 && S_ISREG(status.st_mode))
        source = source_open(configuration->tracefile, &ignored);
    if (source)
        result = trace_format_of(source, &ignored) == TRACE_FORMAT_SWF;
    source_close(source);
    return result;
}

/* The limit of a repeated run: an interrupted run ended after its last step; other runs must not
 * take a further step, which the limit permits in order to detect it. */
static uint64_t last_step(const struct recorded_run *recorded)
{
    return !recorded ? 0 : recorded->interrupted ? recorded->steps : recorded->steps + 1;
}

static int simulate(struct stage *stage, struct replay_outputs *outputs,
                    const struct replay_control *control, struct replay_outcome *outcome,
                    struct error *err)
{
    struct watch watch = {.control = control,
                          .stage = stage,
                          .outputs = outputs,
                          .last_step = last_step(outputs->run->recorded)};
    const struct stage_watch all = {
        .observers = outputs->observers,
        .n_observers = outputs->n_observers,
        .reads = note_request,
        .should_stop = look,
        .ending = note_ending,
        .context = &watch,
    };
    struct simulation_result result;

    replay_guard_name_modules(stage->policies);
    if (stage_run(stage, &all, &result, err) < 0)
        return -1;
    describe_end(&result, result.interrupted && *control->stop, outcome);
    accounting_summarize(outputs->accounting, &outcome->figures);
    if (outcome->figures.first_submit == INSTANT_NONE && !outcome->interrupted)
        snprintf(outcome->message, sizeof outcome->message, "the trace has no leases");
    outcome->suspended_jobs = outcome->figures.suspensions > 0 && is_log(stage->configuration);
    return 0;
}

static double cpu_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* The most memory of this program, unlike ru_maxrss, which also counts the one that started it. */
static int64_t peak_memory_kb(void)
{
    static const char field[] = "\nVmHWM:";
    struct error err;
    size_t length;
    char *status = file_read("/proc/self/status", 1 << 16, &length, &err);
    const char *line = status ? strstr(status, field) : NULL;
    int64_t peak = line ? strtoll(line + sizeof field - 1, NULL, 10) : -1;

    free(status);
    return peak;
}

void replay_run_perform(const struct replay_run *run, const struct replay_control *control,
                        struct replay_outcome *outcome)
{
    const struct stage_options options = {
        .configuration = run->configuration,
        .recorded = run->recorded,
        .driver = {.log = print_policy_message,
                   .log_context = unqualified(control),
                   .watch = replay_guard_watch(),
                   .stop = control->stop},
    };
    struct stage stage = {0};
    struct replay_outputs outputs = {0};
    struct error err = {0};
    struct rusage before, after;

    *outcome = (struct replay_outcome){0};
    getrusage(RUSAGE_SELF, &before);
    if (stage_init(&stage, &options, &err) < 0 || replay_outputs_init(&outputs, run, &err) < 0 ||
        simulate(&stage, &outputs, control, outcome, &err) < 0) {
        outcome->code = err.code == EINTR && *control->stop ? EXIT_INTERRUPTED : EXIT_FAILED;
        outcome->error = err.code;
        snprintf(outcome->message, sizeof outcome->message, "%s", err.text);
    }
    replay_outputs_finish(&outputs);
    stage_finish(&stage);
    getrusage(RUSAGE_SELF, &after);
    outcome->cpu_seconds = cpu_seconds(&after) - cpu_seconds(&before);
    outcome->peak_memory_kb = peak_memory_kb();
    if (control->done)
        *control->done = 1;
}
