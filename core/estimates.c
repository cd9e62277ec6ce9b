/* Estimates of suspensions, resumptions and shutdowns, and the minimum run time for a start. */
#include "core/estimates.h"

#include <math.h>

#include "core/engine_state.h"
#include "core/host_survey.h"

int64_t span_from_seconds(double seconds)
{
    double whole = ceil(seconds);

    return whole < (double)SPAN_LONGEST ? (int64_t)whole : SPAN_LONGEST;
}

int64_t span_of_vm(int64_t memory, double rate, int64_t forced)
{
    return forced != SPAN_NONE ? forced : span_from_seconds((double)memory / rate);
}

int64_t suspend_span_of_vm(const struct engine *engine, int64_t memory)
{
    return span_of_vm(memory, engine->settings.suspend_rate,
                      engine->settings.override_suspend_time);
}

int64_t resume_span_of_vm(const struct engine *engine, int64_t memory)
{
    return span_of_vm(memory, engine->settings.resume_rate, engine->settings.override_resume_time);
}

int64_t shutdown_span(const struct engine *engine, const struct lease *lease)
{
    if (lease->request.duration == SPAN_UNLIMITED)
        return 0;
    return engine->settings.shutdown_time +
           engine->settings.enactment_overhead * (int64_t)lease->n_vms;
}

/* The most VMs of the lease that one host of the site could hold, at least one. Skips the search
 * for leases of one VM: it would dominate the time of a pass over a long queue. */
static int64_t most_on_a_host(struct engine *engine, const struct lease *lease)
{
    int64_t most = 1;

    for (size_t set = 0; set < lease->request.n_node_sets && most < lease->n_vms; set++) {
        int64_t count = survey_most_on_a_host(engine->mapper.surveys, engine->table,
                                              &lease->request.node_sets[set].amounts);

        most = count > most ? count : most;
    }
    return most < lease->n_vms ? most : lease->n_vms;
}

/* Upper bound for n VMs: sequential with global exclusion; with local exclusion, sequential for the
 * VMs that fit on one host (Sotomayor et al., Resource Leasing and the Art of Suspending Virtual
 * Machines, section 4: N e + max n_i m / s). */
static int64_t estimate_default(struct engine *engine, const struct lease *lease, double rate,
                                int64_t forced)
{
    int64_t sum = 0, longest = 0;
    int64_t n = lease->n_vms;

    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];
        int64_t span = span_of_vm(nodes->amounts.of[RESOURCE_MEMORY], rate, forced);

        sum += span * nodes->count;
        longest = span > longest ? span : longest;
    }
    if (engine->settings.exclusion == EXCLUSION_LOCAL) {
        int64_t local = longest * most_on_a_host(engine, lease);

        sum = local < sum ? local : sum;
    }
    return sum + n * engine->settings.enactment_overhead;
}

static int64_t estimate(struct engine *engine, const struct lease *lease, double rate,
                        int64_t forced)
{
    if (!engine->settings.behaviour.estimates_times_vms)
        return estimate_default(engine, lease, rate, forced);
    if (forced != SPAN_NONE)
        return forced;
    return (int64_t)lease->n_vms * (span_from_seconds((double)lease->plan->total_memory / rate) +
                                    engine->settings.enactment_overhead);
}

int64_t suspend_estimate(struct engine *engine, const struct lease *lease)
{
    if (engine->settings.suspension == SUSPENSION_NONE)
        return 0;
    return estimate(engine, lease, engine->settings.suspend_rate,
                    engine->settings.override_suspend_time);
}

int64_t resume_estimate(struct engine *engine, const struct lease *lease)
{
    if (engine->settings.suspension == SUSPENSION_NONE)
        return 0;
    return estimate(engine, lease, engine->settings.resume_rate,
                    engine->settings.override_resume_time);
}

/* Time until the VMs of a new lease run; all boot at the same time. 0: unknown. */
static int64_t boot_estimate(const struct engine *engine, const struct lease *lease)
{
    const struct engine_settings *settings = &engine->settings;
    int64_t longest = 0;

    if (settings->boot_rate <= 0 && settings->override_boot_time == SPAN_NONE)
        return 0;
    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        int64_t span = span_of_vm(lease->request.node_sets[set].amounts.of[RESOURCE_MEMORY],
                                  settings->boot_rate, settings->override_boot_time);

        longest = span > longest ? span : longest;
    }
    return longest;
}

static bool must_be_resumed(const struct engine *engine, const struct lease *lease)
{
    return lease->state == LEASE_SUSPENDED_QUEUED ||
           (lease_is_suspended(lease) &&
            !engine->settings.behaviour.threshold_without_resumption_of_planned);
}

static bool must_be_booted(const struct lease *lease)
{
    switch (lease->state) {
    case LEASE_PENDING:
    case LEASE_QUEUED:
    case LEASE_SCHEDULED:
    case LEASE_PREPARING:
    case LEASE_READY:
        return true;
    default:
        return false;
    }
}

int64_t threshold_for(const struct engine_settings *settings, int64_t safe)
{
    const double more = (double)safe * settings->scheduling_threshold_factor;

    return settings->force_scheduling_threshold != SPAN_NONE
               ? settings->force_scheduling_threshold
               : safe + (more < (double)SPAN_LONGEST ? (int64_t)more : SPAN_LONGEST);
}

int64_t scheduling_threshold(struct engine *engine, const struct lease *lease)
{
    int64_t safe = suspend_estimate(engine, lease);

    if (must_be_resumed(engine, lease))
        safe += resume_estimate(engine, lease);
    else if (must_be_booted(lease))
        safe += boot_estimate(engine, lease);
    return threshold_for(&engine->settings, safe);
}

bool may_be_suspended(const struct engine *engine, const struct lease *lease)
{
    enum lease_terms terms = lease->request.terms;

    if (!engine->settings.behaviour.gaps_suspend_whatever_terms && terms != TERMS_SUSPENDABLE &&
        terms != TERMS_MIGRATABLE)
        return false;
    switch (engine->settings.suspension) {
    case SUSPENSION_ALL:
        return true;
    case SUSPENSION_SERIAL_ONLY:
        return lease->n_vms == 1;
    default:
        return false;
    }
}

int64_t remaining_span(const struct lease *lease)
{
    if (lease->request.duration == SPAN_UNLIMITED)
        return SPAN_UNLIMITED;
    return lease->request.duration - lease->accumulated;
}
