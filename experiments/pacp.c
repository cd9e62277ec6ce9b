/* Preemption-aware admission control in a virtualized grid federation: how many external requests
 * should a cluster accept when local ones preempt them?
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments/experiment.h"
#include "experiments/generated.h"
#include "experiments/replaying.h"
#include "experiments/statistics.h"
#include "util/memory.h"

enum { CLUSTERS = 3, POLICIES = 4, LOADS = 5, SEEDS_MAX = 20, TEXT = 280, SETTINGS = 6 };
enum policy { PACP, CACP, AACP, RACP };
enum class { CLASS_LOCAL, CLASS_LOW, CLASS_HIGH };

static const char *const policies[POLICIES] = {"pacp", "cacp", "aacp", "racp"};
static const char *const titles[POLICIES] = {"PACP", "CACP", "AACP", "RACP (our formula)"};
static const struct {
    int nodes;
    double mips;
} clusters[CLUSTERS] = {{64, 2000}, {128, 3000}, {256, 2100}};
/* Mean seconds between external requests, as a multiple of their run time. */
static const double loads[LOADS] = {3, 2, 1.5, 1.2, 1};

static const struct experiment_option options[] = {
    {"seeds", "5", NULL, 2, SEEDS_MAX, "Workloads for each load"},
    {"time", "600", NULL, 10, 86400,
     "Mean seconds of an external request on the first cluster, which takes all of it (moldable)"},
    {"local-load", "0.3", NULL, 0.01, 0.9, "Share of a cluster that local requests ask for"},
    {"local-time", "900", NULL, 10, 86400, "Mean seconds of a local request on the first cluster"},
    {"low", "0.5", NULL, 0, 1, "Share of external requests of low urgency"},
    {"low-deadline", "4", NULL, 1, 100, "Their deadline, in run times"},
    {"high-deadline", "2", NULL, 1, 100, "The deadline of the others"},
    {"days", "2", NULL, 0.1, 30, "Days of requests; the paper's"},
};

struct plan {
    const struct experiment_bench *bench;
    int seeds, loads;
    size_t n;
    struct replayed *replayed;
};

struct position {
    int cluster, load, policy, seed;
};

struct run_context {
    const struct plan *plan;
    struct position at;
};

static size_t place_of(const struct plan *plan, struct position at)
{
    size_t cell = ((size_t)at.load * CLUSTERS + (size_t)at.cluster) * POLICIES + (size_t)at.policy;

    return cell * (size_t)plan->seeds + (size_t)at.seed;
}

static struct position position_of(const struct plan *plan, size_t i)
{
    struct position at;

    at.seed = (int)(i % (size_t)plan->seeds);
    i /= (size_t)plan->seeds;
    at.policy = (int)(i % POLICIES);
    i /= POLICIES;
    at.cluster = (int)(i % CLUSTERS);
    at.load = (int)(i / CLUSTERS);
    return at;
}

/* External requests take the whole cluster: they are moldable, and the cluster is one server, as in
 * the paper's analysis. Local ones take it, too, and preempt. */
static struct trace *open_trace(const void *context, const struct site *site, struct error *err)
{
    const struct run_context *all = context;
    const struct experiment_bench *bench = all->plan->bench;
    int nodes = clusters[all->at.cluster].nodes;
    double speed = clusters[0].mips * clusters[0].nodes /
                   (clusters[all->at.cluster].mips * clusters[all->at.cluster].nodes);
    double time = experiment_number(bench, "time") * speed;
    double local_time = experiment_number(bench, "local-time") * speed;
    double span = experiment_number(bench, "days") * (experiment_is_quick(bench) ? 0.1 : 1) * 86400;
    double low = experiment_number(bench, "low");
    char texts[3][TEXT];
    const char *streams[3];
    size_t n = 0;

    snprintf(texts[n++], TEXT, "poisson,span=%.0f,gap=%.6f,time=%.6f,vms=%d,class=local-immediate",
             span, local_time / experiment_number(bench, "local-load"), local_time, nodes);
    if (low > 0)
        snprintf(texts[n++], TEXT,
                 "poisson,span=%.0f,gap=%.6f,time=%.6f,vms=%d,class=suspendable,priority=1", span,
                 loads[all->at.load] * time / low, time, nodes);
    if (low < 1)
        snprintf(texts[n++], TEXT,
                 "poisson,span=%.0f,gap=%.6f,time=%.6f,vms=%d,class=suspendable,priority=2", span,
                 loads[all->at.load] * time / (1 - low), time, nodes);
    for (size_t i = 0; i < n; i++)
        streams[i] = texts[i];
    return generated_open(streams, n, (uint64_t)all->at.seed + 1, site, err);
}

static int class_of(const void *context, const struct lease_request *request)
{
    (void)context;
    if (request->origin == ORIGIN_LOCAL)
        return CLASS_LOCAL;
    return request->priority == 1 ? CLASS_LOW : CLASS_HIGH;
}

static int64_t due(const void *context, const struct lease_request *request)
{
    const struct run_context *all = context;
    const char *option = request->priority == 1 ? "low-deadline" : "high-deadline";

    if (request->origin == ORIGIN_LOCAL)
        return INSTANT_NEVER;
    return request->submit +
           (int64_t)ceil(experiment_number(all->plan->bench, option) * (double)request->duration);
}

static int perform(const void *context, size_t i, void *result, struct error *err)
{
    const struct plan *plan = context;
    const struct run_context all = {plan, position_of(plan, i)};
    char texts[SETTINGS][TEXT];
    const char *set[SETTINGS];
    size_t n = 0;
    struct replaying replaying = {
        .set = set, .open = open_trace, .class_of = class_of, .due = due, .context = &all};

    snprintf(texts[n++], TEXT, "simulation.resources=%d CPU:100 Memory:1024",
             clusters[all.at.cluster].nodes);
    snprintf(texts[n++], TEXT, "scheduling.backfilling=conservative");
    snprintf(texts[n++], TEXT, "scheduling.override-suspend-time=0");
    snprintf(texts[n++], TEXT, "scheduling.override-resume-time=0");
    snprintf(texts[n++], TEXT, "scheduling.policy-preemption=mov");
    snprintf(texts[n++], TEXT, "scheduling.policy-admission=%s", policies[all.at.policy]);
    for (size_t k = 0; k < n; k++)
        set[k] = texts[k];
    replaying.n_set = n;
    return replaying_perform(&replaying, result, err);
}

/* The paper's measure, in per cent: refused requests and those that were late. */
static double violation(const struct replayed *replayed)
{
    const struct replayed_class *low = &replayed->classes[CLASS_LOW];
    const struct replayed_class *high = &replayed->classes[CLASS_HIGH];
    double requested = (double)(low->requested + high->requested);

    return requested > 0
               ? 100 * (double)(low->refused + high->refused + low->late + high->late) / requested
               : 0;
}

static double late(const struct replayed *replayed)
{
    const struct replayed_class *low = &replayed->classes[CLASS_LOW];
    const struct replayed_class *high = &replayed->classes[CLASS_HIGH];
    double completed = (double)(low->completed + high->completed);

    return completed > 0 ? 100 * (double)(low->late + high->late) / completed : 0;
}

static double completed(const struct replayed *replayed)
{
    return (double)(replayed->classes[CLASS_LOW].completed +
                    replayed->classes[CLASS_HIGH].completed);
}

static double in_time(const struct replayed *replayed)
{
    return completed(replayed) -
           (double)(replayed->classes[CLASS_LOW].late + replayed->classes[CLASS_HIGH].late);
}

typedef double (*measure)(const struct replayed *replayed);

/* Over the seeds, each the mean (or sum) of the three clusters. */
static struct estimate at_load(const struct plan *plan, int load, int policy, measure of, bool sum)
{
    double values[SEEDS_MAX] = {0};

    for (int seed = 0; seed < plan->seeds; seed++)
        for (int cluster = 0; cluster < CLUSTERS; cluster++)
            values[seed] += of(&plan->replayed[place_of(
                                plan, (struct position){cluster, load, policy, seed})]) /
                            (sum ? 1 : CLUSTERS);
    return estimate_of(values, (size_t)plan->seeds);
}

static double over_loads(const struct plan *plan, int policy, measure of)
{
    double total = 0;

    for (int load = 0; load < plan->loads; load++)
        total += at_load(plan, load, policy, of, of == completed || of == in_time).mean;
    return total / plan->loads;
}

static void draw(const struct plan *plan, struct findings *findings, const char *name,
                 const struct plot_labels *labels, measure of)
{
    struct plot *plot = plot_create(labels);

    for (int policy = 0; policy < POLICIES; policy++) {
        plot_series(plot, titles[policy], PLOT_LINE, -1);
        for (int load = 0; load < plan->loads; load++) {
            struct estimate value =
                at_load(plan, load, policy, of, of == completed || of == in_time);

            plot_add(plot, &(struct plot_point){1 / loads[load], value.mean,
                                                value.mean - value.half, value.mean + value.half});
        }
    }
    findings_plot(findings, name, plot);
}

/* Names the policy that is ahead at each load; `most`: when it has the most, not the least. */
static void name_ahead(const struct plan *plan, measure of, bool most, char *text, size_t size)
{
    size_t n = 0;

    for (int load = 0; load < plan->loads; load++) {
        double values[POLICIES];
        int ahead = PACP;

        for (int policy = 0; policy < POLICIES; policy++) {
            values[policy] = at_load(plan, load, policy, of, most).mean;
            if (most ? values[policy] > values[ahead] : values[policy] < values[ahead])
                ahead = policy;
        }
        n += (size_t)snprintf(text + n, size - n, "%s%s at load %.2f",
                              load == 0 ? "Ahead in the mean of the seeds: " : ", ", titles[ahead],
                              1 / loads[load]);
        if (ahead != PACP)
            n += (size_t)snprintf(text + n, size - n, " (%.1f, PACP %.1f)", values[ahead],
                                  values[PACP]);
    }
    snprintf(text + n, size - n, ". The verdict is of the mean over all loads.");
}

static void claim_all(const struct plan *plan, struct findings *findings)
{
    double v[POLICIES], done[POLICIES], l[POLICIES], good[POLICIES];
    char ours[200], ahead[500], reason[700];

    for (int policy = 0; policy < POLICIES; policy++) {
        v[policy] = over_loads(plan, policy, violation);
        l[policy] = over_loads(plan, policy, late);
        done[policy] = over_loads(plan, policy, completed);
        good[policy] = over_loads(plan, policy, in_time);
    }
    snprintf(ours, sizeof ours, "of those accepted %.1f %% against %.1f %% are late", l[PACP],
             l[CACP]);
    findings_claim(findings,
                   &(struct claim){"fewer-late", "PACP violates fewer deadlines than CACP", "fewer",
                                   ours, l[PACP] < l[CACP] ? VERDICT_AGREES : VERDICT_DIFFERS, ""});
    snprintf(ours, sizeof ours, "PACP %.1f, CACP %.1f, AACP %.1f, RACP %.1f %%", v[PACP], v[CACP],
             v[AACP], v[RACP]);
    name_ahead(plan, violation, false, ahead, sizeof ahead);
    snprintf(reason, sizeof reason,
             "%s Arrival rates, run times and deadlines are not printed; the amount depends on "
             "them.",
             ahead);
    findings_claim(findings,
                   &(struct claim){"violation-rate",
                                   "The deadline violation rate, refused requests included, is up "
                                   "to 20 % lower with PACP",
                                   "up to -20 %", ours,
                                   v[PACP] <= v[CACP] && v[PACP] <= v[AACP] && v[PACP] <= v[RACP]
                                       ? VERDICT_AGREES
                                   : v[PACP] < fmax(v[CACP], v[AACP]) ? VERDICT_SAME_SHAPE
                                                                      : VERDICT_DIFFERS,
                                   reason});
    snprintf(ours, sizeof ours, "%.0f against %.0f (%+.1f %%)", done[PACP], done[AACP],
             100 * (done[PACP] / done[AACP] - 1));
    findings_claim(findings,
                   &(struct claim){"more-completed", "PACP completes more requests than AACP",
                                   "up to +25 %", ours,
                                   done[PACP] > done[AACP] ? VERDICT_AGREES : VERDICT_DIFFERS, ""});
    snprintf(ours, sizeof ours, "PACP %.0f, CACP %.0f, AACP %.0f, RACP %.0f", good[PACP],
             good[CACP], good[AACP], good[RACP]);
    name_ahead(plan, in_time, true, ahead, sizeof ahead);
    snprintf(reason, sizeof reason,
             "%s CACP accepts whatever comes and completes all of it, late or not; only requests "
             "in time are counted here.",
             ahead);
    findings_claim(findings,
                   &(struct claim){"most-in-time", "PACP completes the most requests in time",
                                   "the most", ours,
                                   good[PACP] >= good[CACP] && good[PACP] >= good[AACP] &&
                                           good[PACP] >= good[RACP]
                                       ? VERDICT_AGREES
                                   : good[PACP] >= good[AACP] ? VERDICT_SAME_SHAPE
                                                              : VERDICT_DIFFERS,
                                   reason});
}

static void write_runs(const struct plan *plan, struct findings *findings)
{
    findings_table(findings, "runs", "All runs",
                   "nodes,load,policy,seed,external requested,refused,completed,late,"
                   "violation rate (%),local requested,local refused,preemptions",
                   0);
    for (size_t i = 0; i < plan->n; i++) {
        const struct position at = position_of(plan, i);
        const struct replayed *r = &plan->replayed[i];
        const struct replayed_class *low = &r->classes[CLASS_LOW], *high = &r->classes[CLASS_HIGH];

        findings_cell(findings, "%d", clusters[at.cluster].nodes);
        findings_cell(findings, "%.4g", 1 / loads[at.load]);
        findings_cell(findings, "%s", policies[at.policy]);
        findings_cell(findings, "%d", at.seed + 1);
        findings_cell(findings, "%.0f", (double)(low->requested + high->requested));
        findings_cell(findings, "%.0f", (double)(low->refused + high->refused));
        findings_cell(findings, "%.0f", completed(r));
        findings_cell(findings, "%.0f", (double)(low->late + high->late));
        findings_cell(findings, "%.2f", violation(r));
        findings_cell(findings, "%.0f", (double)r->classes[CLASS_LOCAL].requested);
        findings_cell(findings, "%.0f", (double)r->classes[CLASS_LOCAL].refused);
        findings_cell(findings, "%.0f", (double)r->preemptions);
    }
}

static void tell(const struct plan *plan, struct findings *findings)
{
    static const char axis[] = "Load of external requests (share of the cluster)";

    claim_all(plan, findings);
    draw(plan, findings, "violation",
         &(struct plot_labels){.title = "Deadline violation rate",
                               .x = axis,
                               .y = "Refused or late (%)",
                               .from_zero = true},
         violation);
    draw(plan, findings, "late",
         &(struct plot_labels){.title = "Accepted requests that were late",
                               .x = axis,
                               .y = "Late (%)",
                               .from_zero = true},
         late);
    draw(plan, findings, "completed",
         &(struct plot_labels){.title = "Completed external requests, three clusters",
                               .x = axis,
                               .y = "Requests",
                               .from_zero = true},
         completed);
    draw(plan, findings, "in-time",
         &(struct plot_labels){.title = "External requests completed in time, three clusters",
                               .x = axis,
                               .y = "Requests",
                               .from_zero = true},
         in_time);
    write_runs(plan, findings);
    findings_remark(
        findings, "The paper uses bags of tasks of the Grid Workload Archive and prints no rates, "
                  "run times or deadlines. Here requests come independently of each other, with "
                  "exponential run times, and each takes a whole cluster, which is the server of "
                  "the paper's analysis; policies estimate rates and times from what they see. "
                  "Clusters get requests in proportion to their speed. Local requests are "
                  "immediate and preempt external ones, which go on afterwards. Intervals are of "
                  "95 %% over the seeds.");
}

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    struct plan plan = {
        .bench = bench,
        .seeds = experiment_is_quick(bench) ? 2 : (int)experiment_number(bench, "seeds"),
        .loads = experiment_is_quick(bench) ? 2 : LOADS,
    };
    struct experiment_work work = {.what = "admission of external requests",
                                   .result_size = sizeof *plan.replayed,
                                   .perform = perform,
                                   .context = &plan,
                                   .until = 1};
    int result;

    plan.n = (size_t)plan.loads * CLUSTERS * POLICIES * (size_t)plan.seeds;
    work.n = plan.n;
    plan.replayed = memory_new(plan.n, sizeof *plan.replayed);
    result = experiment_share_out(bench, &work, plan.replayed, err);
    if (result == 0)
        tell(&plan, findings);
    free(plan.replayed);
    return result;
}

const struct experiment experiment_pacp = {
    .name = "pacp",
    .title = "How many external requests a cluster should accept",
    .paper = "M. Amini Salehi, B. Javadi, R. Buyya: Preemption-aware Admission Control in a "
             "Virtualized Grid Federation, AINA 2012: deadline violation rate and completed "
             "requests",
    .summary = "Which admission policy violates the fewest deadlines when local requests preempt "
               "external ones?",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
