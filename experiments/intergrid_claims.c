/* The claims of the paper of experiment `intergrid`, checked against its runs. */
#include <stdio.h>

#include "experiments/intergrid.h"
#include "util/append.h"

enum { TEXT = 200, REASON = 900 };

/* ---- Table 2 ---- */

/* The value without preemption minus that with MOML over the points of a sweep, each the mean of
 * its seeds; relative: in per cent of the first. */
static struct mean_estimate decrease(const struct intergrid_plan *plan, int sweep, bool relative,
                                     intergrid_measure of)
{
    double values[INTERGRID_POINTS];

    for (int point = 0; point < intergrid_points(plan, sweep); point++) {
        double without = intergrid_at(plan, sweep, point, POLICY_NONE, of).mean;
        double with = intergrid_at(plan, sweep, point, POLICY_MOML, of).mean;

        values[point] =
            relative ? (without > 0 ? 100 * (without - with) / without : 0) : without - with;
    }
    return estimate_of(values, (size_t)intergrid_points(plan, sweep));
}

static void claim_local(const struct intergrid_plan *plan, struct findings *findings, int sweep)
{
    static const double paper[INTERGRID_SWEEPS][3] = {
        {55.1, 47.2, 62.9}, {72.0, 51.1, 92.8}, {54.3, 35.0, 73.7}, {58.2, 40.3, 75.9}};
    struct mean_estimate relative = decrease(plan, sweep, true, intergrid_local_refused);
    struct mean_estimate points = decrease(plan, sweep, false, intergrid_local_refused);
    char id[40], text[TEXT], theirs[60];
    bool overlaps = relative.mean + relative.half >= paper[sweep][1] &&
                    relative.mean - relative.half <= paper[sweep][2];

    snprintf(id, sizeof id, "table-2-%s", intergrid_sweeps[sweep].name);
    snprintf(text, sizeof text, "Table 2, %s: decrease of local rejections with MOML",
             intergrid_sweeps[sweep].title);
    snprintf(theirs, sizeof theirs, "%.1f %% (%.1f to %.1f)", paper[sweep][0], paper[sweep][1],
             paper[sweep][2]);
    findings_claim(
        findings,
        &(struct finding_claim){id, text, theirs, verdict_if(overlaps, relative.mean > 20),
                                "The paper does not say whether its percentage refers to the "
                                "rejections or to points of the rate; both are given, and the "
                                "verdict uses the first: whether the intervals overlap."},
        "%.1f %% (%.1f to %.1f) of the rejections; %.1f points of rate", relative.mean,
        relative.mean - relative.half, relative.mean + relative.half, points.mean);
}

static void claim_grid(const struct intergrid_plan *plan, struct findings *findings, int sweep)
{
    struct mean_estimate fewer = decrease(plan, sweep, false, intergrid_grid_refused);
    char id[40], text[TEXT];

    snprintf(id, sizeof id, "grid-%s", intergrid_sweeps[sweep].name);
    snprintf(text, sizeof text, "%s: grid requests are not rejected more often",
             intergrid_sweeps[sweep].title);
    findings_claim(findings,
                   &(struct finding_claim){id, text,
                                           sweep == PARAMETER_VMS ? "equal" : "not significant",
                                           verdict_if(-fewer.mean <= fewer.half, false), ""},
                   "%+.2f \302\261 %.2f points", -fewer.mean, fewer.half);
}

/* ---- which policy has more ---- */

static const char *const upper_case[INTERGRID_POLICIES] = {"none", "MOV", "MLIP", "MOML"};

/* Three policies, from the one that should have least to the one that should have most. */
struct claimed_order {
    const char *id, *text, *paper, *unit;
    int policies[3];
    intergrid_measure of;
};

/* Explains whether overheads can make a visible difference in utilization. */
static void explain_utilization(const struct intergrid_plan *plan, char *reason, size_t size)
{
    double hours = intergrid_mean(plan, POLICY_MOML, intergrid_node_hours);
    double overhead = intergrid_mean(plan, POLICY_MOML, intergrid_overhead);
    double more = intergrid_step(plan, POLICY_MOV, POLICY_MLIP, intergrid_overhead).mean;

    snprintf(
        reason, size,
        "The total overhead is %.0f of %.0f node-hours (%.2f %%), and MLIP has %.1f more than MOV: "
        "this is %.3f points of utilization, far less than the intervals of the steps. Overhead of "
        "this size cannot explain the differences between the curves of the paper.",
        overhead, hours, 100 * overhead / hours, more, 100 * more / hours);
}

static void explain_order(char *reason, size_t size)
{
    snprintf(reason, size,
             "A step is smaller than its interval: in complete runs, each choice affects the "
             "following ones, which matters as much as the policy. For the same choices (claim "
             "same-choices), the policies have this order.");
}

static void claim_order(const struct intergrid_plan *plan, struct findings *findings,
                        const struct claimed_order *order)
{
    struct mean_estimate steps[2];
    double means[3];
    char reason[REASON] = "";
    const char *names[3];
    bool within_noise;

    for (int i = 0; i < 3; i++) {
        names[i] = upper_case[order->policies[i]];
        means[i] = intergrid_mean(plan, order->policies[i], order->of);
    }
    for (int i = 0; i < 2; i++)
        steps[i] = intergrid_step(plan, order->policies[i], order->policies[i + 1], order->of);
    within_noise = steps[0].mean + steps[0].half >= 0 && steps[1].mean + steps[1].half >= 0;
    if (order->of == intergrid_utilization)
        explain_utilization(plan, reason, sizeof reason);
    else if (steps[0].mean < steps[0].half || steps[1].mean < steps[1].half)
        explain_order(reason, sizeof reason);
    findings_claim(
        findings,
        &(struct finding_claim){order->id, order->text, order->paper,
                                verdict_if(means[0] <= means[1] && means[1] <= means[2],
                                           within_noise && means[0] <= means[2]),
                                reason},
        "%s %.2f, %s %.2f, %s %.2f %s; steps %+.2f \302\261 %.2f and %+.2f \302\261 %.2f", names[0],
        means[0], names[1], means[1], names[2], means[2], order->unit, steps[0].mean, steps[0].half,
        steps[1].mean, steps[1].half);
}

/* The answers of the three policies to the choices in the runs with MOML; the decider comes
 * first. */
enum rival { RIVAL_MOML, RIVAL_MOV, RIVAL_MLIP, RIVALS };

static void add_answers(struct rivals_count *sum, const struct rivals_count *one)
{
    sum->choices += one->choices;
    sum->in_common += one->in_common;
    for (int k = 0; k < RIVALS; k++) {
        sum->of[k].leases += one->of[k].leases;
        sum->of[k].overhead += one->of[k].overhead;
        sum->of[k].fewer_leases += one->of[k].fewer_leases;
        sum->of[k].more_leases += one->of[k].more_leases;
        sum->of[k].less_overhead += one->of[k].less_overhead;
        sum->of[k].more_overhead += one->of[k].more_overhead;
    }
}

static struct rivals_count answers_of_all(const struct intergrid_plan *plan)
{
    struct rivals_count all = {0};

    for (int sweep = 0; sweep < INTERGRID_SWEEPS; sweep++)
        for (int point = 0; point < intergrid_points(plan, sweep); point++)
            for (int seed = 0; seed < plan->seeds; seed++)
                add_answers(&all, &intergrid_find(plan, sweep, point, POLICY_MOML, seed)->chosen);
    return all;
}

static void claim_same_choices(const struct intergrid_plan *plan, struct findings *findings)
{
    const struct rivals_count all = answers_of_all(plan);
    const struct rival_count *moml = &all.of[RIVAL_MOML], *mov = &all.of[RIVAL_MOV],
                             *mlip = &all.of[RIVAL_MLIP];
    int64_t against =
        mov->more_overhead + mov->fewer_leases + mlip->less_overhead + mlip->more_leases;
    bool in_order = mov->overhead <= moml->overhead && moml->overhead <= mlip->overhead &&
                    mlip->leases <= moml->leases && moml->leases <= mov->leases;
    char reason[REASON];

    snprintf(reason, sizeof reason,
             "For each choice of MOML in the paper's four sweeps, %lld in total, MOV and MLIP were "
             "asked, too. In %.0f %% of them, all three name the same number of leases with the "
             "same overhead, so the policies differ little over complete runs. Answers out of "
             "order: %lld, where there were more sets than option tests allows to try.",
             (long long)all.choices,
             all.choices > 0 ? 100 * (double)all.in_common / (double)all.choices : 0,
             (long long)against);
    findings_claim(
        findings,
        &(struct finding_claim){"same-choices",
                                "For the same choice, MLIP takes the fewest leases and "
                                "MOV the least overhead; MOML is between them in both",
                                "by definition", verdict_if(in_order, false), reason},
        "leases: MLIP %lld, MOML %lld, MOV %lld; overhead: MOV %.0f, MOML %.0f, MLIP %.0f VM-hours",
        (long long)mlip->leases, (long long)moml->leases, (long long)mov->leases,
        (double)mov->overhead / 3600, (double)moml->overhead / 3600, (double)mlip->overhead / 3600);
}

static void claim_orders(const struct intergrid_plan *plan, struct findings *findings)
{
    static const struct claimed_order orders[] = {
        {"mlip-fewest",
         "MLIP preempts the fewest leases; MOML is between MLIP and MOV (Figure 4)",
         "yes, except for 7 and 8 VMs",
         "preemptions",
         {POLICY_MLIP, POLICY_MOML, POLICY_MOV},
         intergrid_preemptions},
        {"mov-least-overhead",
         "MOV has the least overhead; MOML is between MOV and MLIP",
         "by definition, for each choice",
         "VM-hours",
         {POLICY_MOV, POLICY_MOML, POLICY_MLIP},
         intergrid_overhead},
        {"mov-utilization",
         "MOV has the best utilization; MOML is between MOV and MLIP (Figure 3)",
         "yes, for most points",
         "%",
         {POLICY_MLIP, POLICY_MOML, POLICY_MOV},
         intergrid_utilization},
    };

    claim_same_choices(plan, findings);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        claim_order(plan, findings, &orders[i]);
}

/* ---- curves ---- */

/* The mean of all seeds with MOML, or without preemption; point -1: the last one. */
static double value_at(const struct intergrid_plan *plan, int sweep, int point, int policy,
                       intergrid_measure of)
{
    return intergrid_at(plan, sweep, point < 0 ? intergrid_points(plan, sweep) - 1 : point, policy,
                        of)
        .mean;
}

struct trend {
    const char *id, *text, *paper;
    int sweep;
    intergrid_measure of;
    bool rises;
    bool other_numbers; /* the paper prints numbers, which differ */
    const char *reason;
    void (*explain)(const struct intergrid_plan *plan, char *reason, size_t size); /* or NULL */
};

/* Why the curve rises: how many requests preempt, how many leases each, and what differs on a full
 * site. */
static void explain_4a(const struct intergrid_plan *plan, char *reason, size_t size)
{
    double choices[2], leases[2], refused[2], busy[2], suspended[2], displaced[2];

    for (int i = 0; i < 2; i++) {
        int point = -i;

        choices[i] = value_at(plan, PARAMETER_VMS, point, POLICY_MOML, intergrid_choices);
        leases[i] = value_at(plan, PARAMETER_VMS, point, POLICY_MOML, intergrid_preemptions);
        refused[i] = value_at(plan, PARAMETER_VMS, point, POLICY_NONE, intergrid_local_refused);
        busy[i] = value_at(plan, SWEEP_VMS_BUSY, point, POLICY_MOML, intergrid_choices);
        suspended[i] = value_at(plan, SWEEP_VMS_BUSY, point, POLICY_MOML, intergrid_suspended);
        displaced[i] = value_at(plan, SWEEP_VMS_BUSY, point, POLICY_MOML, intergrid_displaced);
    }
    snprintf(reason, size,
             "Requests keep their rate and run times, so the load grows with their size: without "
             "preemption, %.0f %% of the local requests are refused at 3 VMs, and %.0f %% at 8. So "
             "more of the 1000 preempt leases (%.0f, then %.0f), and since requests grow like "
             "leases, the number of leases for each does not fall (%.2f, then %.2f). On a full "
             "site (sweep vms-busy), fewer requests preempt if all are larger (%.0f, then %.0f), "
             "and fewer leases are suspended while they run (%.0f, then %.0f); but more lose a "
             "future reservation (%.0f, then %.0f), which is counted here, too. The paper gives "
             "neither its load nor its way of counting.",
             refused[0], refused[1], choices[0], choices[1],
             choices[0] > 0 ? leases[0] / choices[0] : 0,
             choices[1] > 0 ? leases[1] / choices[1] : 0, busy[0], busy[1], suspended[0],
             suspended[1], displaced[0], displaced[1]);
}

static void explain_4c(const struct intergrid_plan *plan, char *reason, size_t size)
{
    snprintf(reason, size,
             "Their number depends on the load, which the paper does not give. With %d times the "
             "request rate (sweep deadline-busy), they fall from %.0f to %.0f.",
             INTERGRID_BUSIER,
             value_at(plan, SWEEP_DEADLINE_BUSY, 0, POLICY_MOML, intergrid_preemptions),
             value_at(plan, SWEEP_DEADLINE_BUSY, -1, POLICY_MOML, intergrid_preemptions));
}

static const char both_shares[] =
    "In this sweep and in that of Figure 3(b), there are 2000 best-effort and deadline-constrained "
    "requests in total (Table 1): if one share rises, the other falls, so the curves have opposite "
    "directions. Here, utilization falls because deadline-constrained requests may be refused, and "
    "best-effort requests are not. The means of the seeds show no dip at 40 %.";

static const struct trend trends[] = {
    {"figure-3a", "Utilization rises with the average number of VMs", "almost linearly",
     PARAMETER_VMS, intergrid_utilization, .rises = true},
    {"figure-3b", "Utilization rises with best-effort grid requests",
     "increases, without significant changes above 20 %", PARAMETER_BEST_EFFORT,
     intergrid_utilization, .rises = true},
    {"figure-3c", "Utilization rises with deadline-constrained requests, except for a dip at 40 %",
     "rises; drops from about 45 to 38 % at 40 %", PARAMETER_DEADLINE, intergrid_utilization,
     .rises = true, .reason = both_shares},
    {"figure-3d", "Utilization falls with the number of local requests", "almost linearly",
     PARAMETER_LOCAL, intergrid_utilization, .rises = false},
    {"figure-4a", "Larger leases lead to fewer preemptions", "in general", PARAMETER_VMS,
     intergrid_preemptions, .explain = explain_4a},
    {"figure-4b", "Preemptions rise with best-effort grid requests", "almost linearly",
     PARAMETER_BEST_EFFORT, intergrid_preemptions, .rises = true},
    {"figure-4c", "Preemptions fall with deadline-constrained requests",
     "from about 1000 to 500 beyond 40 %", PARAMETER_DEADLINE, intergrid_preemptions,
     .other_numbers = true, .explain = explain_4c},
    {"figure-4d", "Preemptions rise with local requests", "almost linearly", PARAMETER_LOCAL,
     intergrid_preemptions, .rises = true},
};

static void claim_trend(const struct intergrid_plan *plan, struct findings *findings,
                        const struct trend *trend)
{
    int last = intergrid_points(plan, trend->sweep) - 1;
    int against = 0, clearly = 0;
    double sign = trend->rises ? 1 : -1;
    bool follows;
    struct mean_estimate before, after = {0};
    char ours[TEXT], reason[REASON];
    struct finding_claim claim = {
        .id = trend->id, .text = trend->text, .paper = trend->paper, .reason = reason};
    double begin = value_at(plan, trend->sweep, 0, POLICY_MOML, trend->of);
    double end = value_at(plan, trend->sweep, -1, POLICY_MOML, trend->of);
    size_t n = append_text(ours, sizeof ours, 0, "MOML:");

    for (int point = 0; point <= last; point++) {
        before = after;
        after = intergrid_at(plan, trend->sweep, point, POLICY_MOML, trend->of);
        against += point > 0 && sign * (after.mean - before.mean) < 0;
        clearly += point > 0 && sign * (after.mean - before.mean) + after.half + before.half < 0;
        n = append_text(ours, sizeof ours, n, " %.4g", after.mean);
    }
    follows = sign * (end - begin) > 0;
    claim.verdict = verdict_if(follows && against == 0 && !trend->other_numbers, follows);
    snprintf(reason, sizeof reason, "%s", trend->reason ? trend->reason : "");
    if (trend->explain)
        trend->explain(plan, reason, sizeof reason);
    else if (claim.verdict == VERDICT_SAME_SHAPE && !trend->reason)
        claim.reason =
            clearly > 0
                ? "Not at every step."
                : "Steps in the other direction are smaller than the intervals of the points.";
    findings_claim(findings, &claim, "%s", ours);
}

void intergrid_claims(const struct intergrid_plan *plan, struct findings *findings)
{
    for (int sweep = 0; sweep < INTERGRID_SWEEPS; sweep++) {
        claim_local(plan, findings, sweep);
        claim_grid(plan, findings, sweep);
    }
    claim_orders(plan, findings);
    for (size_t i = 0; i < sizeof trends / sizeof *trends; i++)
        claim_trend(plan, findings, &trends[i]);
}
