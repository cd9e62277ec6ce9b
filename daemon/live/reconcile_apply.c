/* Applies events to leases, and informs the planner and the loop. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/reconcile.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/awake.h"

bool reconcile_apply(struct daemon *daemon, const struct lease_record *lease,
                     enum lease_event event, int64_t now, const char *format, ...)
{
    bool was_reserved = lease->phase == PHASE_RESERVED;
    char text[STORE_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (lease_apply(daemon->store, lease, event, now, "%s", text) < 0)
        return false;
    if (lease->phase >= PHASE_ENDING)
        planner_gone(daemon->planner, lease->id);
    if (lease->phase >= PHASE_ENDING && was_reserved && store_has_victim(daemon->store, lease->id))
        daemon_replan(daemon, "lease %lld, for which others make room, is over",
                      (long long)lease->id);
    daemon_wake(daemon);
    return true;
}

bool reconcile_apply_by(struct daemon *daemon, const struct lease_record *lease,
                        enum lease_event event, enum reason_id reason, int64_t now)
{
    char text[STORE_TEXT_MAX];

    if (reason != REASON_NONE)
        lease_explain(daemon->store, lease, &(struct reason){.id = reason}, NULL, INSTANT_NONE);
    store_reason_sentence(lease, false, text, sizeof text);
    return reconcile_apply(daemon, lease, event, now, "%s", text);
}

int reconcile_cancel(struct daemon *daemon, int64_t id, const char *who, struct error *err)
{
    const struct lease_record *lease = store_lease(daemon->store, id);
    int64_t now = clock_now();
    char text[STORE_TEXT_MAX];

    if (!lease)
        return error_set(err, ENOENT, "lease %lld does not exist", (long long)id);
    if (!lease_can(lease, EVENT_CANCELLED))
        return error_set(err, EALREADY, "lease %lld is already %s", (long long)id,
                         phase_name(lease->phase));
    lease_explain(daemon->store, lease,
                  &(struct reason){.id = REASON_CANCELLED_BY, .text = who, .word = "cancelled"},
                  NULL, INSTANT_NONE);
    store_reason_sentence(lease, false, text, sizeof text);
    reconcile_apply(daemon, lease, EVENT_CANCELLED, now, "%s", text);
    return 0;
}
