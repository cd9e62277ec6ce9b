/* Starts and suspensions in vain. */
#include "daemon/planner/in_vain.h"

#include "core/estimates.h"
#include "daemon/planner/planner_inside.h"
#include "util/bitmap.h"
#include "util/memory.h"

/* The shortest stretch for which the VM is started. */
static int64_t threshold(const struct planner *planner, const struct vm_record *vm)
{
    const struct engine_settings settings = planner_engine_settings(planner);
    int64_t span = span_of_vm(vm->memory, settings.suspend_rate, settings.override_suspend_time);

    if (vm->suspended_by_us)
        span += span_of_vm(vm->memory, settings.resume_rate, settings.override_resume_time);
    else if (settings.override_boot_time != SPAN_NONE || settings.boot_rate > 0)
        span += span_of_vm(vm->memory, settings.boot_rate, settings.override_boot_time);
    return threshold_for(&settings, span);
}

/* Seconds to suspend the preemptable VMs that run or start on the host, one after another. */
static int64_t time_to_suspend(const struct planner *planner, int32_t host)
{
    const struct engine_settings settings = planner_engine_settings(planner);
    size_t n;
    const struct vm_record *const *vms = store_vms(planner->store, &n);
    int64_t span = 0;

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = vms[i]->host == host && !vms[i]->gone
                                               ? store_lease(planner->store, vms[i]->lease)
                                               : NULL;

        if (lease && lease_holds_hosts(lease) && planner_could_suspend(planner, lease))
            span +=
                span_of_vm(vms[i]->memory, settings.suspend_rate, settings.override_suspend_time);
    }
    return span;
}

bool planner_starts_in_vain(const struct planner *planner, const struct vm_start *start,
                            int64_t *others, int64_t *until)
{
    const struct lease_record *lease = store_lease(planner->store, start->vm->lease);
    int64_t now = start->now;
    struct drain drain;

    if (!start->drains || !lease || !planner_could_suspend(planner, lease) ||
        (start->vm->suspended_by_us && !planner->settings.resumes_anywhere) ||
        !drains_ahead(start->drains, lease, start->host, now, &drain) || drain.from <= now ||
        (lease->duration != SPAN_UNLIMITED &&
         now + lease_remaining(lease, now) + planner->settings.engine.shutdown_time <= drain.from))
        return false;
    if (*others < 0)
        *others = time_to_suspend(planner, start->host);
    *until = drain.from;
    return drain.from - now < threshold(planner, start->vm) + *others;
}

/* Is a host of the lease promised to another lease, drained or booked before that time? */
static bool is_awaited_before(const struct planner *planner, const struct lease_record *lease,
                              int64_t at, int64_t now)
{
    const struct drains *drains = planner->settings.drains;
    const struct lease_record *next =
        store_lease(planner->store, lease_next_on_hosts(planner->store, lease));
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    struct drain drain;

    for (size_t i = 0; drains && i < n; i++)
        if (!vms[i]->gone && drains_ahead(drains, lease, vms[i]->host, now, &drain) &&
            drain.from < at)
            return true;
    return next && next->expected < at;
}

bool planner_suspends_in_vain(const struct planner *planner, const struct lease_record *lease,
                              int64_t now)
{
    const struct engine_settings settings = planner_engine_settings(planner);
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    int64_t left = lease_remaining(lease, now), span = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t memory = vms[i]->memory;
        int64_t of_vm = span_of_vm(memory, settings.suspend_rate, settings.override_suspend_time) +
                        span_of_vm(memory, settings.resume_rate, settings.override_resume_time);

        span = of_vm > span ? of_vm : span;
    }
    return left != SPAN_UNLIMITED && left <= span && !store_is_preempted(lease) &&
           !is_awaited_before(planner, lease, now + left + settings.shutdown_time, now);
}

/* May be negative: not computed yet. */
static int64_t *others_on(struct facts *facts, uint32_t place)
{
    size_t n = facts->snapshot->hosts->pool.n;

    if (!facts->suspensions) {
        facts->suspensions = memory_new(n, sizeof *facts->suspensions);
        for (size_t i = 0; i < n; i++)
            facts->suspensions[i] = -1;
    }
    return &facts->suspensions[place];
}

/* Does the drain begin or end so soon that a start may be in vain? Most are far ahead. */
static bool is_near(struct facts *facts, const struct drain *drain, uint32_t place, int64_t least)
{
    int64_t *others = others_on(facts, place);
    int64_t next = drain->from > facts->now ? drain->from : drain->until;

    if (*others < 0)
        *others = time_to_suspend(facts->planner, drain->host);
    return next - facts->now < least + *others;
}

int64_t facts_leave_out_in_vain(struct facts *facts, const struct vm_record *vm, uint64_t *allowed)
{
    const struct lease_record *lease = store_lease(facts->store, vm->lease);
    struct vm_start start = {.drains = facts->drains, .vm = vm, .now = facts->now};
    int64_t first = INSTANT_NONE, until, least;

    if (!facts->drains || !facts->drains->n || !lease || lease->phase != PHASE_WAITING ||
        !planner_could_suspend(facts->planner, lease))
        return INSTANT_NONE;
    least = threshold(facts->planner, vm);
    for (size_t i = 0; i < facts->drains->n; i++) {
        const struct drain *drain = &facts->drains->items[i];
        uint32_t place = snapshot_place(facts->snapshot, drain->host);

        start.host = drain->host;
        if (place == HOST_NONE || (allowed && !bitmap_has(allowed, place)) ||
            !is_near(facts, drain, place, least) ||
            !planner_starts_in_vain(facts->planner, &start, others_on(facts, place), &until))
            continue;
        if (allowed)
            bitmap_remove(allowed, place);
        first = first == INSTANT_NONE || until < first ? until : first;
    }
    return first;
}
