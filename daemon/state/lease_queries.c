/* Questions about a lease that its record and VMs answer. */
#include "daemon/state/lease_state.h"
#include "util/instant.h"

bool lease_is_final(const struct lease_record *lease)
{
    return phase_is_final(lease->phase);
}

bool lease_is_suspended_by_us(const struct store *store, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (vms[i]->suspended_by_us && !vms[i]->gone)
            return true;
    return false;
}

int64_t lease_end_from(const struct lease_record *lease, int64_t begun)
{
    if (lease->duration == SPAN_UNLIMITED)
        return INSTANT_NEVER;
    if (lease->kind == LEASE_RESERVATION)
        return lease->start + lease->duration;
    if (lease->since != INSTANT_NONE && lease->since < begun)
        begun = lease->since;
    return lease->accumulated < lease->duration ? begun + lease->duration - lease->accumulated
                                                : begun;
}

int64_t lease_extended_by(const struct lease_record *lease, int64_t duration)
{
    if (duration == SPAN_UNLIMITED)
        return lease->duration == SPAN_UNLIMITED ? lease->extended : SPAN_UNLIMITED;
    if (lease->duration == SPAN_UNLIMITED || lease->extended == SPAN_UNLIMITED)
        return 0;
    return lease->extended + duration - lease->duration;
}

bool lease_is_over(const struct lease_record *lease, int64_t now)
{
    return lease_end_from(lease, now) <= now;
}

int64_t lease_ran_for(const struct store *store, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);
    int64_t least = -1;

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && (least < 0 || vms[i]->ran_for < least))
            least = vms[i]->ran_for;
    return least < 0 ? 0 : least;
}
