/* The effect of other option values in experiment `suspend`. */
#include "experiments/suspend.h"

static void write_row(const struct suspend_plan *plan, struct findings *findings, int variant)
{
    const struct suspend_variant *other = &suspend_variants[variant];

    if (other->option)
        findings_cells(findings, "%s=%s", other->option, other->value);
    else
        findings_cells(findings, "as chosen");
    for (int w = 1; w < SUSPEND_WORKLOADS; w++) {
        struct suspend_run run = suspend_hard(w, variant), base = suspend_base(run);

        findings_cells(findings, "%.1f",
                       (double)suspend_find(plan, &base)->figures.best_effort_end / 86400);
        run.global = false;
        findings_cells(findings, "%.3f", suspend_ratio(plan, run));
        run.global = true;
        findings_cells(findings, "%.3f|%.0f", suspend_ratio(plan, run),
                       (double)suspend_find(plan, &run)->figures.kinds[LEASE_RESERVATION].rejected);
    }
}

void suspend_tell_variants(const struct suspend_plan *plan, struct findings *findings)
{
    struct suspend_run last = suspend_hard(1, SUSPEND_VARIANTS - 1);

    if (!suspend_find(plan, &last))
        return;
    findings_table(findings, "other-options",
                   "Other options: 4 cores per host, 4096 MB per VM, first seed; reservations "
                   "refused with a global file system",
                   "options,T10 baseline (days),T10 local,T10 global,T10 refused,"
                   "T20 baseline (days),T20 local,T20 global,T20 refused,"
                   "T30 baseline (days),T30 local,T30 global,T30 refused",
                   SUSPEND_VARIANTS);
    for (int variant = 0; variant < SUSPEND_VARIANTS; variant++)
        write_row(plan, findings, variant);
}
