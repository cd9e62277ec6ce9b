/* Observed durations of operations on VMs, and which leases may be suspended. */
#include "daemon/planner/planner_inside.h"

static void use_estimate(const struct planner *planner, enum operation operation, int64_t *seconds,
                         double *rate)
{
    struct estimate estimate = learned_of(planner->learned, operation);

    if (estimate.n == 0 || *seconds != SPAN_NONE)
        return;
    if (estimate.seconds)
        *seconds = estimate.seconds;
    else
        *rate = estimate.rate;
}

struct engine_settings planner_engine_settings(const struct planner *planner)
{
    struct engine_settings settings = planner->settings.engine;

    if (planner->learned) {
        use_estimate(planner, OPERATION_SUSPEND, &settings.override_suspend_time,
                     &settings.suspend_rate);
        use_estimate(planner, OPERATION_RESUME, &settings.override_resume_time,
                     &settings.resume_rate);
        use_estimate(planner, OPERATION_BOOT, &settings.override_boot_time, &settings.boot_rate);
    }
    if (settings.boot_rate <= 0 && settings.override_boot_time == SPAN_NONE)
        settings.override_boot_time = planner->settings.boot_time;
    return settings;
}

bool planner_keeps_work(const struct planner *planner, const struct lease_record *lease)
{
    size_t n;

    store_vms_of(planner->store, lease->id, &n);
    return lease->terms != TERMS_RESTARTABLE &&
           (planner->settings.engine.suspension == SUSPENSION_ALL ||
            (planner->settings.engine.suspension == SUSPENSION_SERIAL_ONLY && n == 1));
}

bool planner_could_suspend(const struct planner *planner, const struct lease_record *lease)
{
    return lease->kind == LEASE_BEST_EFFORT &&
           (lease->terms == TERMS_SUSPENDABLE || lease->terms == TERMS_MIGRATABLE) &&
           (planner->settings.resumes_anywhere || *lease->booking) &&
           planner_keeps_work(planner, lease);
}

bool planner_may_suspend(const struct planner *planner, const struct lease_record *lease)
{
    return lease->phase == PHASE_RUNNING && planner_could_suspend(planner, lease);
}
