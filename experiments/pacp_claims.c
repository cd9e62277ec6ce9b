/* The claims of experiment `pacp`, checked against its runs. */
#include <math.h>
#include <stdio.h>

#include "experiments/pacp.h"
#include "experiments/statistics.h"
#include "util/append.h"

static const char *const titles[PACP_POLICIES] = {"PACP", "CACP", "AACP",
                                                  "RACP (Galerna's formula)"};

struct pacp_measure {
    const char *name, *title, *y;
    double (*of)(const struct replayed *replayed);
    bool sum;  /* of the clusters; else their mean, in percent */
    bool most; /* more is better */
};

static double completed(const struct replayed *replayed)
{
    return (double)(replayed->classes[CLASS_LOW].completed +
                    replayed->classes[CLASS_HIGH].completed);
}

static double late_requests(const struct replayed *replayed)
{
    return (double)(replayed->classes[CLASS_LOW].late + replayed->classes[CLASS_HIGH].late);
}

static double refused(const struct replayed *replayed)
{
    return (double)(replayed->classes[CLASS_LOW].refused + replayed->classes[CLASS_HIGH].refused);
}

static double requested(const struct replayed *replayed)
{
    return (double)(replayed->classes[CLASS_LOW].requested +
                    replayed->classes[CLASS_HIGH].requested);
}

static double in_time(const struct replayed *replayed)
{
    return completed(replayed) - late_requests(replayed);
}

static double percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

/* The paper's measure: refused and late requests. */
static double violation(const struct replayed *replayed)
{
    return percent(refused(replayed) + late_requests(replayed), requested(replayed));
}

static double late(const struct replayed *replayed)
{
    return percent(late_requests(replayed), completed(replayed));
}

enum { VIOLATION, LATE, COMPLETED, IN_TIME, MEASURES };

static const struct pacp_measure measures[MEASURES] = {
    [VIOLATION] = {"violation", "Deadline violation rate", "Refused or late (%)", violation, false,
                   false},
    [LATE] = {"late", "Accepted requests that were late", "Late (%)", late, false, false},
    [COMPLETED] = {"completed", "Completed external requests, three clusters", "Requests",
                   completed, true, true},
    [IN_TIME] = {"in-time", "External requests completed in time, three clusters", "Requests",
                 in_time, true, true},
};

/* Over the seeds, each the mean (or sum) of the three clusters. */
static struct mean_estimate at_load(const struct pacp_plan *plan, enum pacp_law law, int load,
                                    int policy, const struct pacp_measure *measure)
{
    double values[PACP_SEEDS_MAX] = {0};

    for (int seed = 0; seed < plan->seeds; seed++)
        for (int cluster = 0; cluster < PACP_CLUSTERS; cluster++)
            values[seed] += measure->of(&plan->replayed[pacp_place(
                                plan, (struct pacp_position){law, cluster, load, policy, seed})]) /
                            (measure->sum ? 1 : PACP_CLUSTERS);
    return estimate_of(values, (size_t)plan->seeds);
}

static double mean_at(const struct pacp_plan *plan, enum pacp_law law, int load, int policy, int m)
{
    return at_load(plan, law, load, policy, &measures[m]).mean;
}

static double over_loads(const struct pacp_plan *plan, int policy, int m)
{
    double total = 0;

    for (int load = 0; load < plan->loads; load++)
        total += mean_at(plan, LAW_FIXED, load, policy, m);
    return total / plan->loads;
}

/* PACP's advantage over another policy at a load. Infinite queues that PACP allows at low loads are
 * those of CACP: then the advantage is 0. */
static double lead(const struct pacp_plan *plan, enum pacp_law law, int load, int rival, int m)
{
    double difference = mean_at(plan, law, load, PACP, m) - mean_at(plan, law, load, rival, m);

    return measures[m].most || difference == 0 ? difference : -difference;
}

static bool never_behind(const struct pacp_plan *plan, int rival, int m)
{
    for (int load = 0; load < plan->loads; load++)
        if (lead(plan, LAW_FIXED, load, rival, m) < 0)
            return false;
    return true;
}

/* Better than CACP and AACP in the mean of all loads. */
static bool ahead_in_all(const struct pacp_plan *plan, int m)
{
    for (int rival = CACP; rival <= AACP; rival++) {
        double sum = 0;

        for (int load = 0; load < plan->loads; load++)
            sum += lead(plan, LAW_FIXED, load, rival, m);
        if (!(sum > 0))
            return false;
    }
    return true;
}

static enum verdict verdict_of(const struct pacp_plan *plan, int m)
{
    bool ahead = ahead_in_all(plan, m), all = ahead;

    for (int rival = CACP; rival < PACP_POLICIES; rival++)
        all = all && never_behind(plan, rival, m);
    return verdict_if(all, ahead);
}

/* Names the policy that is ahead at each load. */
static void name_ahead(const struct pacp_plan *plan, enum pacp_law law, int m, char *text,
                       size_t size)
{
    size_t n = 0;

    for (int load = 0; load < plan->loads; load++) {
        double values[PACP_POLICIES];
        int ahead = PACP;

        for (int policy = 0; policy < PACP_POLICIES; policy++) {
            values[policy] = mean_at(plan, law, load, policy, m);
            if (measures[m].most ? values[policy] > values[ahead] : values[policy] < values[ahead])
                ahead = policy;
        }
        n = append_text(text, size, n, "%s%s at load %.2f", load == 0 ? "" : ", ", titles[ahead],
                        1 / pacp_gaps[load]);
        if (ahead != PACP)
            n = append_text(text, size, n, " (%.1f, PACP %.1f)", values[ahead], values[PACP]);
    }
}

/* The least and the largest lead over a policy, in units or per cent of that policy's value. */
static void lead_range(const struct pacp_plan *plan, enum pacp_law law, int rival, int m,
                       double range[2])
{
    for (int load = 0; load < plan->loads; load++) {
        double value = lead(plan, law, load, rival, m);

        if (measures[m].most)
            value = percent(value, mean_at(plan, law, load, rival, m));
        range[0] = load == 0 ? value : fmin(range[0], value);
        range[1] = load == 0 ? value : fmax(range[1], value);
    }
}

static void claim_late(const struct pacp_plan *plan, struct findings *findings)
{
    double pacp = over_loads(plan, PACP, LATE), cacp = over_loads(plan, CACP, LATE);
    bool never_more = never_behind(plan, CACP, LATE);

    findings_claim(
        findings,
        &(struct finding_claim){
            "fewer-late", "PACP violates fewer deadlines than CACP", "fewer",
            verdict_if(pacp < cacp && never_more, pacp < cacp),
            "If the load is so low that PACP sets no limit, both accept the same requests."},
        "%.1f %% compared with %.1f %% of the accepted ones are late%s", pacp, cacp,
        never_more ? "; never more" : "");
}

static void claim_completed(const struct pacp_plan *plan, struct findings *findings)
{
    double pacp = over_loads(plan, PACP, COMPLETED), aacp = over_loads(plan, AACP, COMPLETED);
    double range[2] = {0, 0};
    bool is_more = pacp > aacp;

    lead_range(plan, LAW_FIXED, AACP, COMPLETED, range);
    findings_claim(findings,
                   &(struct finding_claim){
                       "more-completed", "PACP completes more requests than AACP", "up to +25 %",
                       verdict_if(is_more && never_behind(plan, AACP, COMPLETED), is_more), ""},
                   "%.0f compared with %.0f; %+.1f %% to %+.1f %% depending on the load", pacp,
                   aacp, range[0], range[1]);
}

static void claim_violation(const struct pacp_plan *plan, struct findings *findings)
{
    double cacp[2] = {0, 0}, aacp[2] = {0, 0};
    char ahead[500], reason[900];

    lead_range(plan, LAW_FIXED, CACP, VIOLATION, cacp);
    lead_range(plan, LAW_FIXED, AACP, VIOLATION, aacp);
    name_ahead(plan, LAW_FIXED, VIOLATION, ahead, sizeof ahead);
    snprintf(reason, sizeof reason,
             "Best in the mean of the seeds: %s. The paper gives no formula for RACP; Galerna's "
             "may be better or worse. It does not give arrival rates, run times and deadlines "
             "either, on which the amount depends.",
             ahead);
    findings_claim(
        findings,
        &(struct finding_claim){"violation-rate",
                                "The deadline violation rate, refused requests included, is up "
                                "to 20 % lower with PACP",
                                "up to -20 %", verdict_of(plan, VIOLATION), reason},
        "PACP %.1f, CACP %.1f, AACP %.1f, RACP %.1f %%; depending on the load %.1f to %.1f "
        "points below CACP and %.1f to %.1f below AACP",
        over_loads(plan, PACP, VIOLATION), over_loads(plan, CACP, VIOLATION),
        over_loads(plan, AACP, VIOLATION), over_loads(plan, RACP, VIOLATION), cacp[0], cacp[1],
        aacp[0], aacp[1]);
}

static void claim_in_time(const struct pacp_plan *plan, struct findings *findings)
{
    char ahead[500], reason[700];

    name_ahead(plan, LAW_FIXED, IN_TIME, ahead, sizeof ahead);
    snprintf(reason, sizeof reason,
             "Best in the mean of the seeds: %s. CACP accepts and completes all requests, late or "
             "not; only requests in time are counted here.",
             ahead);
    findings_claim(findings,
                   &(struct finding_claim){"most-in-time",
                                           "PACP completes the most requests in time", "the most",
                                           verdict_of(plan, IN_TIME), reason},
                   "PACP %.0f, CACP %.0f, AACP %.0f, RACP %.0f", over_loads(plan, PACP, IN_TIME),
                   over_loads(plan, CACP, IN_TIME), over_loads(plan, AACP, IN_TIME),
                   over_loads(plan, RACP, IN_TIME));
}

static void draw(const struct pacp_plan *plan, struct findings *findings, enum pacp_law law,
                 const struct pacp_measure *measure)
{
    char name[80], title[160];
    struct plot *plot;

    snprintf(name, sizeof name, "%s%s", measure->name, law == LAW_FIXED ? "" : "-varying");
    snprintf(title, sizeof title, "%s%s", measure->title,
             law == LAW_FIXED ? "" : ": run times vary");
    plot =
        plot_create(&(struct plot_labels){.title = title,
                                          .x = "Load of external requests (share of the cluster)",
                                          .y = measure->y,
                                          .from_zero = true,
                                          .percent = !measure->sum});
    for (int policy = 0; policy < PACP_POLICIES; policy++) {
        plot_series(plot, titles[policy], PLOT_LINE, -1);
        for (int load = 0; load < plan->loads; load++)
            plot_mean(plot, 1 / pacp_gaps[load], at_load(plan, law, load, policy, measure));
    }
    findings_plot(findings, name, plot);
}

static void write_runs(const struct pacp_plan *plan, struct findings *findings)
{
    findings_table(findings, "runs", "All runs",
                   "run times,nodes,load,policy,seed,external requested,refused,completed,late,"
                   "violation rate (%),local requested,local refused,preemptions",
                   0);
    for (size_t i = 0; i < plan->n; i++) {
        const struct pacp_position at = pacp_position(plan, i);
        const struct replayed *r = &plan->replayed[i];

        findings_cells(findings, "%s|%d|%.4g|%s|%d|%.0f|%.0f|%.0f|%.0f|%.2f|%.0f|%.0f|%.0f",
                       at.law == LAW_FIXED ? "alike" : "exponential", pacp_nodes[at.cluster],
                       1 / pacp_gaps[at.load], pacp_policies[at.policy], at.seed + 1, requested(r),
                       refused(r), completed(r), late_requests(r), violation(r),
                       (double)r->classes[CLASS_LOCAL].requested,
                       (double)r->classes[CLASS_LOCAL].refused, (double)r->preemptions);
    }
}

static void remark_varying(const struct pacp_plan *plan, struct findings *findings)
{
    double alike[2] = {0, 0}, varying[2] = {0, 0};
    char ahead[500];

    lead_range(plan, LAW_FIXED, AACP, VIOLATION, alike);
    lead_range(plan, LAW_EXPONENTIAL, AACP, VIOLATION, varying);
    name_ahead(plan, LAW_EXPONENTIAL, VIOLATION, ahead, sizeof ahead);
    findings_remark(
        findings,
        "The analysis uses one run time for all external requests. The diagrams named \"run times "
        "vary\" use exponential run times instead, with deadlines as multiples of the run time of "
        "each request: the violation rate of PACP is then %+.1f to %+.1f points below that of "
        "AACP, compared with %+.1f to %+.1f for equal run times. PACP compares the mean response "
        "time with the mean deadline, so a short request behind a long one may be late "
        "nevertheless. Lowest violation rate in this case: %s.",
        varying[0], varying[1], alike[0], alike[1], ahead);
}

void pacp_tell(const struct pacp_plan *plan, struct findings *findings)
{
    claim_late(plan, findings);
    claim_violation(plan, findings);
    claim_completed(plan, findings);
    claim_in_time(plan, findings);
    for (int m = 0; m < MEASURES; m++)
        draw(plan, findings, LAW_FIXED, &measures[m]);
    draw(plan, findings, LAW_EXPONENTIAL, &measures[VIOLATION]);
    draw(plan, findings, LAW_EXPONENTIAL, &measures[IN_TIME]);
    write_runs(plan, findings);
    findings_remark(
        findings,
        "The paper uses bags of tasks of the Grid Workload Archive and gives no rates, run times "
        "or deadlines. Here, requests arrive independently, and each uses a whole cluster, which "
        "is the server of the paper's analysis; run times are equal, as in the paper. Clusters get "
        "requests in proportion to their speed. Local requests have exponential run times, run one "
        "after the other (the M/G/1 queue of the analysis) and preempt external requests, which "
        "resume afterwards. A request is completed whenever it ends, and in time if it ends by its "
        "deadline. Intervals are 95 %% confidence intervals over the seeds.");
    remark_varying(plan, findings);
}
