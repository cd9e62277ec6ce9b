/* Workloads of the backfilling experiment: logs of the Parallel Workloads Archive, or generated
 * workloads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/backfilling.h"
#include "experiments/workloads.h"
#include "lwf/swf_reader.h"
#include "util/memory.h"

enum { MODEL_PROCESSORS = 128, QUICK_JOBS = 150, TEXT = 160 };

/* Mean bounded slowdowns under EASY: Gaussier, Glesser, Reis, Trystram (SC 2015), EASY with the
 * requested times. */
static const struct {
    const char *name;
    double published;
} archive[] = {
    {"KTH-SP2-1996-2.1-cln", 92.58},   {"CTC-SP2-1996-3.1-cln", 49.57},
    {"SDSC-SP2-1998-4.2-cln", 87.87},  {"SDSC-BLUE-2000-4.2-cln", 36.52},
    {"CEA-Curie-2011-2.1-cln", 202.1},
};

static const struct {
    const char *name;
    double gap_factor;
} models[] = {{"Lublin gaps x 1.4", 1.4}, {"Lublin", 1}, {"Lublin gaps x 0.8", 0.8}};

enum { LOGS = sizeof archive / sizeof *archive, MODELS = sizeof models / sizeof *models };

/* The jobs on which the published figures are based: with a run time and a requested time, and no
 * larger than the machine. */
static struct trace *open_log(const struct backfilling_workload *workload, int64_t limit,
                              struct error *err)
{
    struct source *source = source_open(workload->path, err);
    struct swf_options options;

    if (!source)
        return NULL;
    swf_options_init(&options);
    options.memory_per_node = 1;
    options.missing_time = SWF_MISSING_TIME_SKIP;
    options.skip_without_run_time = true;
    options.skip_too_large = true;
    options.limit = limit;
    return swf_open_source(source, &options, err);
}

/* The processors of the machine, as its header says. */
static int read_header(struct backfilling_workload *workload, struct error *err)
{
    struct trace *trace = open_log(workload, 0, err);
    const struct site *site;
    int result = 0;

    if (!trace)
        return -1;
    site = trace_site(trace);
    if (site)
        workload->processors = (int64_t)site->n_hosts;
    else
        result = error_set(err, EINVAL, "%s: the header has no MaxProcs: the number of processors",
                           workload->path);
    trace_destroy(trace);
    return result;
}

static int add_log(struct backfilling_plan *plan, const char *folder, size_t which,
                   struct error *err)
{
    struct backfilling_workload *workload = &plan->workloads[plan->n_workloads];
    char *path = memory_format("%s/%s.swf", folder, archive[which].name);
    char *compressed = memory_format("%s.gz", path);
    int result = 0;

    if (access(path, F_OK) == 0) {
        *workload =
            (struct backfilling_workload){.path = path, .published = archive[which].published};
        snprintf(workload->name, sizeof workload->name, "%s", archive[which].name);
        plan->n_workloads++;
        result = read_header(workload, err);
        path = NULL;
    } else if (access(compressed, F_OK) == 0) {
        result = error_set(err, EINVAL, "%s: is compressed; decompress it with gunzip", compressed);
    }
    free(path);
    free(compressed);
    return result;
}

static int find_logs(struct backfilling_plan *plan, const char *folder, struct error *err)
{
    char names[LOGS * BACKFILLING_NAME] = "";

    if (access(folder, R_OK | X_OK) < 0)
        return error_errno(err, "%s: cannot be read", folder);
    for (size_t i = 0; i < LOGS; i++) {
        if (add_log(plan, folder, i, err) < 0)
            return -1;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s.swf", i ? ", " : "",
                 archive[i].name);
    }
    if (plan->n_workloads == 0)
        return error_set(err, ENOENT, "%s: contains none of the logs %s", folder, names);
    return 0;
}

int backfilling_find_workloads(struct backfilling_plan *plan, struct error *err)
{
    const char *folder = experiment_logs(plan->bench);

    plan->seeds = 1;
    if (folder)
        return find_logs(plan, folder, err);
    plan->seeds =
        experiment_is_quick(plan->bench) ? 2 : (int)experiment_number(plan->bench, "seeds");
    for (size_t i = 0; i < MODELS; i++) {
        struct backfilling_workload *workload = &plan->workloads[plan->n_workloads++];

        *workload = (struct backfilling_workload){.gap_factor = models[i].gap_factor,
                                                  .processors = MODEL_PROCESSORS};
        snprintf(workload->name, sizeof workload->name, "%s", models[i].name);
    }
    return 0;
}

void backfilling_forget_workloads(struct backfilling_plan *plan)
{
    for (size_t i = 0; i < plan->n_workloads; i++)
        free(plan->workloads[i].path);
}

struct trace *backfilling_open(const struct backfilling_plan *plan,
                               const struct backfilling_workload *workload, int seed,
                               const struct site *site, struct error *err)
{
    bool quick = experiment_is_quick(plan->bench);
    char text[TEXT];
    const char *stream = text;

    if (workload->path)
        return open_log(workload, quick ? QUICK_JOBS : 0, err);
    snprintf(text, sizeof text,
             "typeless,jobs=%.0f,nodes=%d,gap-factor=%g,overestimate=%s,users=20,memory=1,cpu=100",
             quick ? QUICK_JOBS : experiment_number(plan->bench, "jobs"), MODEL_PROCESSORS,
             workload->gap_factor, experiment_text(plan->bench, "overestimate"));
    return generated_open(&stream, 1, (uint64_t)seed + 1, site, err);
}
