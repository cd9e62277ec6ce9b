/* Completes the engine's reasons with facts that the engine does not know, and gives them to
 * leases. */
#include <stdio.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

const struct vm_record *planner_vm_without_room(const struct planner *planner,
                                                const struct lease_record *lease,
                                                const struct reason *reason)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    return n && (reason->id == REASON_NO_ROOM_NOW || reason->id == REASON_NO_ROOM_AT_START ||
                 reason->id == REASON_NO_ROOM_AT_ONCE || reason->id == REASON_OTHERS_WOULD_BE_LATE)
               ? vms[0]
               : NULL;
}

/* A VM with a host, of a lease in the engine or of a block; NULL: unknown. */
static const struct vm_record *vm_in_the_way(const struct planner *planner, int64_t lease)
{
    size_t n;
    const struct vm_record *const *vms;

    if (lease >= BLOCK_BASE)
        return lease - BLOCK_BASE <= INT32_MAX
                   ? store_vm(planner->store, (int32_t)(lease - BLOCK_BASE))
                   : NULL;
    vms = store_vms_of(planner->store, lease, &n);
    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && vm_planned_host(vms[i]) >= 0)
            return vms[i];
    return NULL;
}

/* Adds the role, its VM group and a VM in the way to a reason about the company of VMs. */
static struct reason with_company(const struct planner *planner, const struct lease_record *lease,
                                  const struct reason *known, char *text, size_t size)
{
    int64_t *other;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    const struct vm_record *near;
    struct reason reason = *known;

    if (!reason_is_of_company(reason.id) || !planner->snapshot.company)
        return reason;
    text[0] = '\0';
    reason.text = text;
    for (size_t i = 0; i < n && !*text; i++) {
        struct vm_demand demand;

        if (!vms[i]->gone &&
            company_of(planner->snapshot.company, vms[i]->id, &demand) != COMPANY_NONE)
            company_add_role(planner->snapshot.company, demand.role, text, size);
    }
    other = &reason.n[reason.id == REASON_KEPT_APART ? 1 : 0];
    near = reason.id == REASON_NO_ROOM_FOR_ALL ? NULL : vm_in_the_way(planner, *other);
    if (near) {
        *other = near->lease;
        details_add(text, size,
                    &(struct detail){.id = DETAIL_NEAR, .n = {near->id, vm_planned_host(near)}});
    }
    return reason;
}

/* Adds the booking, if that is why, to a reason about a host that is closed later or until a time.
 */
static struct reason with_closing(const struct planner *planner, const struct reason *known,
                                  char *text, size_t size)
{
    const struct drains *drains = planner->settings.drains;
    struct reason reason = *known;
    bool ends = reason.id == REASON_PLANNED;
    const struct drain *drain;

    if (reason.n[1] >= 0 || reason.n[3] <= 0 || !drains ||
        (!ends && reason.id != REASON_ROOM_RESERVED && reason.id != REASON_NO_ROOM_AT_ONCE))
        return reason;
    drain = drains_at(drains, (int32_t)reason.n[2], reason.n[3] - ends);
    snprintf(text, size, "%s", drain ? drain->booking : "");
    reason.text = text;
    return reason;
}

struct reason planner_reason_in_full(const struct planner *planner,
                                     const struct lease_record *lease, const struct reason *known,
                                     char *text, size_t size)
{
    struct reason reason = with_company(planner, lease, known, text, size);

    reason = with_closing(planner, &reason, text, size);
    /* The engine plans a reservation from its deployment on, a late one from the time of the plan
     * on; its owner knows the requested start. */
    if (reason.id == REASON_NO_ROOM_AT_START && lease->kind == LEASE_RESERVATION &&
        lease->accumulated == 0)
        reason.n[1] = lease->start;
    return planner_with_hosts(planner, lease, &reason, text, size);
}

static bool booking_begins(const struct planner *planner, const struct lease_record *lease,
                           int64_t at)
{
    const struct drains *drains = planner->settings.drains;

    for (size_t i = 0; drains && *lease->booking && i < drains->n; i++)
        if (drains->items[i].from == at && strcmp(drains->items[i].booking, lease->booking) == 0)
            return true;
    return false;
}

void planner_set_reason(struct planner *planner, const struct lease_record *lease,
                        const struct reason *reason)
{
    char text[STORE_TEXT_MAX];
    struct reason told = planner_reason_in_full(planner, lease, reason, text, sizeof text);

    if (told.id == REASON_NOT_READY && told.n[0] != lease->earliest) {
        told.n[1] = 1; /* suspended for a drain that has not begun, or its booking has not */
        told.text = booking_begins(planner, lease, told.n[0]) ? lease->booking : NULL;
    }
    lease_explain(planner->store, lease, &told, planner_vm_without_room(planner, lease, reason),
                  INSTANT_NONE);
}

void planner_doubts(struct planner *planner, const struct lease_record *lease,
                    const struct reason *reason)
{
    planner_set_reason(planner, lease, reason);
    planner->n_unplaced++;
    planner->doubted = planner_seen_under_rules(planner, lease);
}
