/* Grid resource selection for opportunistic job migration: five hosts, one job, and the question
 * after each of its iterations whether it should move.
 *
 * Times are those of the paper's equations; the decision is made by them, and by the scheduler with
 * the module gridway in replays.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/experiment.h"
#include "experiments/replaying.h"
#include "experiments/workloads.h"
#include "util/memory.h"

/* --- the job carried out by the scheduler ----------------------------------------------------- */

/* Values in the paper's scale; the replay has a thousand seconds for one. */
struct gridway_job {
    double work, data, spent; /* GFLOP, MB to move, seconds spent on transfers to draco */
    double threshold;         /* the least gain, a share */
    int iterations;
};

enum { REQUESTS = 4, SCALE = 1000 };

/* The time of the whole job on draco, in the replay's seconds. */
static double on_draco(const struct gridway_job *job)
{
    return job->work * 1000 / 175 * SCALE;
}

struct gridway_run {
    const struct gridway_job *job;
    int iteration;
};

/* Three requests that come first take ursa for good, and solea and columba until the job has done
 * its iterations; only draco has the memory and is free for the job. */
static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    static const int64_t memory[REQUESTS] = {250, 250, 160, 128};
    const struct gridway_run *all = context;
    double span = on_draco(all->job), until = span * all->iteration / all->job->iterations;
    const int64_t free_at = all->iteration > 0 ? llround(until) : 1;
    const int64_t durations[REQUESTS] = {llround(2 * span), free_at, free_at, llround(span)};
    struct trace_list list;

    (void)err; /* this one always opens */
    trace_list_init(&list);
    for (int i = 0; i < REQUESTS; i++) {
        bool is_job = i == REQUESTS - 1;

        generated_add(
            &list,
            &(struct lease_request){.kind = is_job ? LEASE_BEST_EFFORT : LEASE_IMMEDIATE,
                                    .duration = durations[i],
                                    .terms = is_job ? TERMS_MIGRATABLE : TERMS_NON_PREEMPTABLE},
            1, memory[i]);
    }
    return trace_list_open(&list, site);
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct gridway_job *job = context;
    const struct gridway_run all = {job, (int)i};
    double staged = job->spent * 0.4; /* MB: from ursa and cepheus to draco */
    struct replaying replaying = {.open = open_trace, .context = &all};

    replaying_set(
        &replaying,
        "simulation.resources=1,cpu=100,memory=256+1,cpu=100,memory=128+1,cpu=100,memory=160+"
        "1,cpu=100,memory=64+1,cpu=100,memory=256");
    replaying_set(&replaying, "scheduling.policy-host-selection=gridway");
    /* The scheduler looks for better hosts when one becomes free, not in between. */
    replaying_set(&replaying, "scheduling.migration-interval=%.0f", 10 * on_draco(job));
    replaying_set(&replaying, "scheduling.migration-threshold=%.9f", 100 * job->threshold);
    replaying_set(&replaying, "policy gridway.speeds=1:330,2:175,3:225,4:325,5:350");
    replaying_set(&replaying, "policy gridway.bandwidths=5/*:0.2,*/*:0.4");
    replaying_set(&replaying, "policy gridway.work=%.6f", job->work * 1000 * SCALE);
    replaying_set(&replaying, "policy gridway.data=1:%.6f", staged * SCALE);
    replaying_set(&replaying, "policy gridway.restart-data=%.6f",
                  fmax(0, job->data - staged) * SCALE);
    replaying_set(&replaying, "policy gridway.least-memory=128");
    replaying_set(&replaying, "policy gridway.least-free-cpu=90");
    return replaying_perform(&replaying, result, err);
}

/* The job runs on draco; solea and columba become free after 0, 1, ... iterations, in a replay
 * each. moved[i]: the host that the scheduler moved it to, by its place in the paper's table (0:
 * ursa), -1: it stayed. Errors: those of the replays. */
static int gridway_replay(const struct experiment_bench *bench, const struct gridway_job *job,
                          int *moved, struct error *err)
{
    struct replayed *replayed = memory_new((size_t)job->iterations, sizeof *replayed);
    const struct experiment_work work = {.what = "a job that may move",
                                         .n = (size_t)job->iterations,
                                         .result_size = sizeof *replayed,
                                         .perform = perform,
                                         .context = job,
                                         .until = 1};
    int result = experiment_share_out(bench, &work, replayed, err);

    for (int i = 0; i < job->iterations && result == 0; i++)
        moved[i] = replayed[i].moved_to - 1;
    free(replayed);
    return result;
}

enum { HOSTS = 5, ITERATIONS_MAX = 50 };

static const struct experiment_option options[] = {
    {"iterations", "10", "", 2, ITERATIONS_MAX,
     "Number of equal iterations of the job; not published, derived from the published times"},
    {"work", "58.72", NULL, 1, 10000, "GFLOP of the whole job; derived"},
    {"data", "17.98", NULL, 0, 10000, "Total MB to move; derived"},
    {"spent", "33.8", NULL, 0, 10000, "Seconds of file transfer before the job started; derived"},
    {"threshold", "0.1", NULL, 0, 1, "Minimum gain of a move; as in the paper"},
    {"memory", "128", NULL, 0, 1e6, "Minimum memory of a host in MB; as in the paper"},
};

/* The paper's Table 1. */
static const struct grid_host {
    const char *name;
    double mflops, memory;
    double client, server, exec; /* MB/s to each host; infinite to itself */
} hosts[HOSTS] = {
    {"ursa", 330, 256, INFINITY, 0.4, 0.4}, {"draco", 175, 128, 0.4, 0.4, INFINITY},
    {"columba", 225, 160, 0.4, 0.4, 0.4},   {"cepheus", 325, 64, 0.4, INFINITY, 0.4},
    {"solea", 350, 256, 0.2, 0.2, 0.2},
};

enum { URSA, DRACO, COLUMBA, CEPHEUS, SOLEA };

/* Equation 2, with a whole processor free. */
static double cpu_time(const struct gridway_job *job, int host)
{
    return job->work * 1000 / hosts[host].mflops;
}

/* Equation 3, for a job that ran `iteration` iterations on draco. */
static double moved_cpu(const struct gridway_job *job, int host, double iteration)
{
    double share = iteration / job->iterations;

    return share * cpu_time(job, DRACO) + (1 - share) * cpu_time(job, host);
}

/* Equation 4: the slowest link of the host determines all its transfers. */
static double moved_transfer(const struct gridway_job *job, int host)
{
    double rate = fmin(hosts[host].client, fmin(hosts[host].server, hosts[host].exec));

    return job->spent + (isfinite(rate) ? job->data / rate : 0);
}

/* Equation 1. */
static double moved(const struct gridway_job *job, int host, double iteration, bool transfers)
{
    return moved_cpu(job, host, iteration) + (transfers ? moved_transfer(job, host) : 0);
}

static double stayed(const struct gridway_job *job, bool transfers)
{
    return cpu_time(job, DRACO) + (transfers ? job->spent : 0);
}

/* Equation 5. */
static double gain(const struct gridway_job *job, int host, double iteration, bool transfers)
{
    return (stayed(job, transfers) - moved(job, host, iteration, transfers)) /
           stayed(job, transfers);
}

/* The last iteration at which the job may still move, independent of rounding. */
static int last_move(const struct gridway_job *job, bool transfers)
{
    int last = -1;

    for (int i = 0; i < job->iterations; i++)
        if (gain(job, SOLEA, i, transfers) >= job->threshold - 1e-9)
            last = i;
    return last;
}

static void draw_ranks(const struct gridway_job *job, struct findings *findings, bool transfers)
{
    struct plot *plot = plot_create(
        &(struct plot_labels){.title = transfers ? "Estimated execution time, with file transfer"
                                                 : "Estimated execution time, processor only",
                              .x = "Iterations done on draco when the job moves",
                              .y = "Execution time (s)"});

    for (int host = COLUMBA; host <= SOLEA; host += SOLEA - COLUMBA) {
        plot_series(plot, hosts[host].name, PLOT_LINE, -1);
        for (int i = 0; i < job->iterations; i++)
            plot_add_xy(plot, i, moved(job, host, i, transfers));
    }
    plot_level(plot, stayed(job, transfers), "stays on draco");
    plot_level(plot, stayed(job, transfers) * (1 - job->threshold), "threshold for a move");
    findings_plot(findings, transfers ? "figure-2-full" : "figure-2-cpu", plot);
}

/* Predicted, where the paper has measured: processor and transfer of each alternative. */
static void draw_profiles(const struct gridway_job *job, struct findings *findings)
{
    struct plot *plot = plot_create(
        &(struct plot_labels){.title = "Execution profile by target and time of the move",
                              .x = "Iterations done on draco when the job moves",
                              .y = "Execution time (s)",
                              .from_zero = true});

    for (int host = COLUMBA; host <= SOLEA; host += SOLEA - COLUMBA) {
        char name[60];

        snprintf(name, sizeof name, "%s, computing", hosts[host].name);
        plot_series(plot, name, PLOT_DASHED, host == SOLEA);
        for (int i = 0; i < job->iterations; i++)
            plot_add_xy(plot, i, moved_cpu(job, host, i));
        snprintf(name, sizeof name, "%s, in all", hosts[host].name);
        plot_series(plot, name, PLOT_LINE, host == SOLEA);
        for (int i = 0; i < job->iterations; i++)
            plot_add_xy(plot, i, moved(job, host, i, true));
    }
    plot_level(plot, stayed(job, true), "draco, without migration");
    findings_plot(findings, "figure-3", plot);
}

static void write_table(const struct gridway_job *job, const int *went_to,
                        struct findings *findings)
{
    findings_table(findings, "ranks", "Estimates after each iteration",
                   "iteration,solea CPU only (s),gain,solea (s),gain,columba CPU only (s),gain,"
                   "columba (s),gain,moves to,in the replay",
                   ITERATIONS_MAX);
    for (int i = 0; i < job->iterations; i++) {
        int best = moved(job, SOLEA, i, true) <= moved(job, COLUMBA, i, true) ? SOLEA : COLUMBA;

        findings_cells(findings, "%d", i);
        for (int host = SOLEA; host >= COLUMBA; host -= SOLEA - COLUMBA)
            for (int transfers = 0; transfers < 2; transfers++) {
                findings_cells(findings, "%.1f|%+.1f %%", moved(job, host, i, transfers),
                               100 * gain(job, host, i, transfers));
            }
        findings_cells(findings, "%s|%s",
                       gain(job, best, i, true) >= job->threshold - 1e-9 ? hosts[best].name
                                                                         : "stays",
                       went_to[i] < 0 ? "stays" : hosts[went_to[i]].name);
    }
}

/* A number of the paper, and that of the equations. */
struct number {
    const char *id, *text, *unit;
    double paper, ours, tolerance;
    const char *reason;
};

static void claim_number(struct findings *findings, const struct number *number)
{
    char theirs[40];

    snprintf(theirs, sizeof theirs, "%g %s", number->paper, number->unit);
    findings_claim(findings,
                   &(struct finding_claim){
                       number->id, number->text, theirs,
                       verdict_if(fabs(number->ours - number->paper) <= number->tolerance, false),
                       number->reason},
                   "%.1f %s", number->ours, number->unit);
}

/* The first iteration from which solea gains nothing, or (from_columba) ranks behind columba. */
static int first_turn(const struct gridway_job *job, bool from_columba)
{
    int i = 0;

    while (i < job->iterations &&
           (from_columba ? moved(job, SOLEA, i, true) <= moved(job, COLUMBA, i, true)
                         : gain(job, SOLEA, i, true) > 0))
        i++;
    return i;
}

static void claim_numbers(const struct gridway_job *job, struct findings *findings)
{
    int cpu = last_move(job, false), full = last_move(job, true);
    const struct number numbers[] = {
        {"cpu-last",
         "Considering only computing time, the move to solea is accepted until iteration",
         "(last accepted)", 8, cpu, 0, "Used to derive the work of the job."},
        {"cpu-302", "Its estimate then", "s", 302, moved(job, SOLEA, cpu, false), 0.5,
         "Used to derive the work of the job."},
        {"full-last",
         "With file transfer, the move is accepted until iteration, and rejected from the next one "
         "on",
         "(last accepted)", 2, full, 0, ""},
        {"full-325", "Its estimate then", "s", 325, moved(job, SOLEA, full, true), 0.5,
         "Used to derive the data to move."},
        {"gain-12", "Predicted gain", "%", 12, 100 * gain(job, SOLEA, full, true), 0.5,
         "Used to derive the time spent before."},
        {"no-gain", "No gain on any host from iteration", "(first)", 5, first_turn(job, false), 0,
         "Columba's gain is below 2 % from the third iteration, and negative from the fifth."},
        {"nearest", "Columba, which is slower but nearer, ranks first from iteration", "(first)", 6,
         first_turn(job, true), 0, ""},
        {"loss-15",
         "Loss that the rejection avoids: a move at the last iteration that computing time alone "
         "accepts",
         "%", 15, -100 * gain(job, SOLEA, cpu, true), 0.5, ""},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        claim_number(findings, &numbers[i]);
}

/* The scheduler decides as the equations do. */
static void claim_replays(const struct gridway_job *job, const int *went_to,
                          struct findings *findings)
{
    int last = -1, solea = 0;

    for (int i = 0; i < job->iterations; i++)
        if (went_to[i] >= 0) {
            last = i;
            solea += went_to[i] == SOLEA;
        }
    claim_number(findings,
                 &(struct number){"replay-last",
                                  "In replays, the scheduler moves the job until iteration, and "
                                  "rejects the move from the next one on",
                                  "(last accepted)", 2, solea == last + 1 ? last : -1, 0,
                                  solea == last + 1 ? "It always moves to solea, as in the paper."
                                                    : "It does not always move to solea."});
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    const struct gridway_job job = {
        .work = experiment_number(bench, "work"),
        .data = experiment_number(bench, "data"),
        .spent = experiment_number(bench, "spent"),
        .threshold = experiment_number(bench, "threshold"),
        .iterations = (int)experiment_number(bench, "iterations"),
    };
    int went_to[ITERATIONS_MAX];
    char excluded[120] = "";

    if (gridway_replay(bench, &job, went_to, err) < 0)
        return -1;
    for (int host = 0; host < HOSTS; host++)
        if (hosts[host].memory < experiment_number(bench, "memory"))
            snprintf(excluded + strlen(excluded), sizeof excluded - strlen(excluded), " %s",
                     hosts[host].name);
    claim_numbers(&job, findings);
    claim_replays(&job, went_to, findings);
    draw_ranks(&job, findings, false);
    draw_ranks(&job, findings, true);
    draw_profiles(&job, findings);
    write_table(&job, went_to, findings);
    findings_remark(
        findings,
        "Times follow equations 1 to 5 of the paper. In replays, which are a thousand times longer "
        "so that whole seconds are precise enough, the scheduler decides with the module gridway "
        "when solea and columba become free; in them, a job does not run faster on a faster host. "
        "Figure 3 shows measured times in the paper and predicted ones here. Hosts excluded for "
        "lack of memory:%s. Ursa is the client and does not run the job.",
        excluded[0] ? excluded : " none");
    return 0;
}

const struct experiment experiment_gridway = {
    .name = "gridway",
    .title = "Moving a job to a better host, near its data",
    .paper = "R. S. Montero, E. Huedo, I. M. Llorente: Grid Resource Selection for Opportunistic "
             "Job Migration, Euro-Par 2003: Figures 2 and 3",
    .summary = "When is it worthwhile to move a running job, including the transfer of its files?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
