/* Opens and closes the writers of a replay's files. */
#include "cli/replay_outputs.h"

#include "report/events.h"
#include "report/gantt.h"
#include "report/jobs_csv.h"
#include "report/record.h"
#include "report/results.h"

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

int replay_outputs_init(struct replay_outputs *outputs, const struct replay_run *run,
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

void replay_outputs_note_request(struct replay_outputs *outputs, const struct site *site,
                                 const struct lease_request *request, int64_t stop)
{
    if (outputs->writers[REPLAY_RECORD])
        record_note_request(outputs->writers[REPLAY_RECORD], site, request, stop);
}

void replay_outputs_set_ending(struct replay_outputs *outputs, enum run_ending ending,
                               uint64_t steps)
{
    if (outputs->writers[REPLAY_RECORD])
        record_set_ending(outputs->writers[REPLAY_RECORD], ending, steps);
    if (outputs->writers[REPLAY_RESULTS])
        results_set_ending(outputs->writers[REPLAY_RESULTS], ending);
}

void replay_outputs_finish(struct replay_outputs *outputs)
{
    record_destroy(outputs->writers[REPLAY_RECORD]);
    jobs_csv_destroy(outputs->writers[REPLAY_JOBS]);
    events_destroy(outputs->writers[REPLAY_EVENTS]);
    results_destroy(outputs->writers[REPLAY_RESULTS]);
    gantt_destroy(outputs->writers[REPLAY_GANTT]);
    accounting_destroy(outputs->accounting);
}
