/* The writers of a replay: what each file needs to be opened and closed. */
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

static int open_record(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct record_options options = {
        .path = path,
        .configuration = outputs->run->configuration,
        .accounting = outputs->accounting,
    };
    struct record *record = record_create(&options, err);

    if (!record)
        return -1;
    outputs->writers[REPLAY_RECORD] = record;
    observe(outputs, record_observer(record));
    return 0;
}

static int open_jobs(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct jobs_csv *jobs = jobs_csv_create(path, outputs->run->name, err);

    if (!jobs)
        return -1;
    outputs->writers[REPLAY_JOBS] = jobs;
    observe(outputs, jobs_csv_observer(jobs));
    return 0;
}

static int open_events(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct events *events = events_create(path, err);

    if (!events)
        return -1;
    outputs->writers[REPLAY_EVENTS] = events;
    observe(outputs, events_observer(events));
    return 0;
}

static int open_gantt(struct replay_outputs *outputs, const char *path, struct error *err)
{
    struct gantt_options options = {
        .path = path,
        .title = outputs->run->title,
        .start_epoch = outputs->run->configuration->start_time,
    };
    struct gantt *gantt = gantt_create(&options, err);

    if (!gantt)
        return -1;
    outputs->writers[REPLAY_GANTT] = gantt;
    observe(outputs, gantt_observer(gantt));
    return 0;
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

    if (!results)
        return -1;
    outputs->writers[REPLAY_RESULTS] = results;
    observe(outputs, results_observer(results));
    return 0;
}

static void close_record(void *writer)
{
    record_destroy(writer);
}

static void close_jobs(void *writer)
{
    jobs_csv_destroy(writer);
}

static void close_events(void *writer)
{
    events_destroy(writer);
}

static void close_gantt(void *writer)
{
    gantt_destroy(writer);
}

static void close_results(void *writer)
{
    results_destroy(writer);
}

struct output_way {
    int (*open)(struct replay_outputs *outputs, const char *path, struct error *err);
    void (*close)(void *writer);
};

static const struct output_way output_ways[REPLAY_OUTPUTS] = {
    [REPLAY_RECORD] = {open_record, close_record}, [REPLAY_JOBS] = {open_jobs, close_jobs},
    [REPLAY_EVENTS] = {open_events, close_events}, [REPLAY_RESULTS] = {open_results, close_results},
    [REPLAY_GANTT] = {open_gantt, close_gantt},
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

        if (path && output_ways[kind].open(outputs, path, err) < 0)
            return -1;
    }
    return 0;
}

void replay_outputs_note_request(struct replay_outputs *outputs, const struct site *site,
                                 const struct lease_request *request)
{
    if (outputs->writers[REPLAY_RECORD])
        record_note_request(outputs->writers[REPLAY_RECORD], site, request);
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
    for (size_t kind = 0; kind < REPLAY_OUTPUTS; kind++)
        if (outputs->writers[kind])
            output_ways[kind].close(outputs->writers[kind]);
    accounting_destroy(outputs->accounting);
}
