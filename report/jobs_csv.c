/* Writes one line per lease for evalys and users of Batsim. */
#include "report/jobs_csv.h"

#include <errno.h>
#include <stdlib.h>

#include "core/accounting.h"
#include "report/host_set.h"
#include "util/memory.h"
#include "util/output.h"

struct jobs_csv {
    struct output *out;
    char *workload;
    struct host_set hosts;
};

struct jobs_csv *jobs_csv_create(const char *path, const char *workload, struct error *err)
{
    struct jobs_csv *jobs = memory_new(1, sizeof *jobs);

    jobs->workload = memory_text(workload);
    host_set_init(&jobs->hosts);
    jobs->out = output_create(path, err);
    if (!jobs->out) {
        jobs_csv_destroy(jobs);
        return NULL;
    }
    output_text(jobs->out, "job_id,workload_name,submission_time,requested_number_of_resources,"
                           "requested_time,success,starting_time,execution_time,finish_time,"
                           "waiting_time,turnaround_time,stretch,allocated_resources\n");
    return jobs;
}

void jobs_csv_destroy(struct jobs_csv *jobs)
{
    int saved = errno;

    if (!jobs)
        return;
    output_destroy(jobs->out);
    host_set_finish(&jobs->hosts);
    free(jobs->workload);
    free(jobs);
    errno = saved;
}

static void integer_field(struct output *out, bool set, int64_t value)
{
    if (set)
        output_integer(out, value);
    output_char(out, ',');
}

static void write_job(struct jobs_csv *jobs, const struct site *site, const struct lease *lease)
{
    const struct lease_request *request = &lease->request;
    bool started = lease->start_actual != INSTANT_NONE;
    bool ended = started && lease->end != INSTANT_NONE;
    int64_t execution = ended ? lease->end - lease->start_actual : 0;
    int64_t turnaround = ended ? lease->end - request->submit : 0;
    int64_t waited = accounting_waiting_time(lease);
    struct output *out = jobs->out;

    output_integer(out, request->id);
    output_char(out, ',');
    output_csv(out, jobs->workload);
    output_char(out, ',');
    integer_field(out, true, request->submit);
    integer_field(out, true, lease->n_vms);
    integer_field(out, request->duration != SPAN_UNLIMITED, request->duration);
    integer_field(out, true, lease->state == LEASE_DONE);
    integer_field(out, started, lease->start_actual);
    integer_field(out, ended, execution);
    integer_field(out, ended, lease->end);
    integer_field(out, started, waited);
    integer_field(out, ended, turnaround);
    if (ended && execution > 0)
        output_double(out, (double)turnaround / (double)execution);
    output_char(out, ',');
    host_set_of_lease(&jobs->hosts, site, lease);
    host_set_write(&jobs->hosts, out);
    output_char(out, '\n');
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    struct jobs_csv *jobs = context;

    (void)now;
    for (size_t i = 0; i < outputs->n_items; i++) {
        if (outputs->items[i].kind == OUTPUT_FINISHED)
            write_job(jobs, engine_site(engine), outputs->items[i].lease);
    }
    return output_check(jobs->out, err);
}

struct unfinished_job {
    struct jobs_csv *jobs;
    const struct site *site;
};

static void write_unfinished(void *context, const struct lease *lease)
{
    struct unfinished_job *walk = context;

    if (!lease_state_is_final(lease->state))
        write_job(walk->jobs, walk->site, lease);
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct jobs_csv *jobs = context;
    struct unfinished_job walk = {.jobs = jobs, .site = engine_site(engine)};
    struct output *out = jobs->out;

    (void)end_time;
    engine_each_lease(engine, write_unfinished, &walk);
    jobs->out = NULL;
    return output_close(out, err);
}

struct observer jobs_csv_observer(struct jobs_csv *jobs)
{
    return (struct observer){.context = jobs, .step = step, .end = end};
}
