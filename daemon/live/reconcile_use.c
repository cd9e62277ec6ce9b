/* Ends leases early whose VMs are unused, after notifying their owners. Monitoring data counts from
 * galernad's start; a VM without a measurement counts as used. */

#include "daemon/live/reconcile_inside.h"
#include "util/time_text.h"

static bool is_unused(const struct daemon *daemon, const struct vm_record *vm)
{
    const struct vm_use *use = world_use(daemon->world, vm->id);

    return use && use->cpu >= 0 && use->cpu * 100 < vm->cpu * daemon->live->unused_cpu;
}

static bool does_nothing(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && !is_unused(daemon, vms[i]))
            return false;
    return true;
}

static void is_used(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    if (lease->unused_since)
        lease_note_unused_since(daemon->store, lease, 0);
    if (lease->unused_until == INSTANT_NONE)
        return;
    lease_note_unused(daemon->store, lease, INSTANT_NONE);
    store_history(daemon->store, lease->id, now, "used", "it does not end early");
}

static void announce_end(struct daemon *daemon, const struct lease_record *lease, int64_t unused,
                         int64_t now)
{
    int64_t end = now + daemon->live->end_warning;
    char span[TIME_TEXT_MAX], when[TIME_TEXT_MAX];

    if (lease->end <= end)
        return;
    time_text_span(unused, span, sizeof span);
    lease_time_text(end, when, sizeof when);
    lease_note_unused(daemon->store, lease, end);
    store_history(daemon->store, lease->id, now, "unused",
                  "its VMs used less than %d %% of their CPU for %s; ends at %s unless they are "
                  "used",
                  (int)daemon->live->unused_cpu, span, when);
}

/* After a restart, the owner gets the announced time once more. */
void reconcile_watch_use(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    int64_t measured = world_uses_asked(daemon->world), unused;

    if (daemon->live->unused_after > 0 && !measured)
        return;
    if (daemon->live->unused_after <= 0 || lease->plain || lease->keep ||
        !does_nothing(daemon, lease)) {
        is_used(daemon, lease, now);
        return;
    }
    if (!lease->unused_since)
        lease_note_unused_since(daemon->store, lease, measured);
    unused = (measured - lease->unused_since) / 1000;
    if (lease->unused_until != INSTANT_NONE) {
        if (lease->unused_until <= now && unused >= daemon->live->end_warning)
            reconcile_apply_by(daemon, lease, EVENT_TIME_OVER, REASON_UNUSED, now);
    } else if (unused >= daemon->live->unused_after) {
        announce_end(daemon, lease, unused, now);
    }
}
