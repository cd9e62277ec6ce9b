/* Maintains the trace, and drops old leases. */
#include "daemon/record/records.h"

#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/record/record_site.h"
#include "daemon/record/recorder.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_RECORD

enum { EXPIRE_INTERVAL = 3600 /* seconds */ };

static void record(struct daemon *daemon, const struct lease_record *lease)
{
    struct error err = {0};
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);
    bool over = lease_is_final(lease);

    if (lease->phase == PHASE_GATHERING || lease->recorded == 1 + over)
        return;
    if (recorder_lease(daemon->recorder, lease, vms, n, &err) < 0)
        log_warning_of(lease->id, -1, "lease %lld is not in the record: %s", (long long)lease->id,
                       err.text);
    lease_note_recorded(daemon->store, lease, 1 + over);
}

/* Is the lease finished and gone from OpenNebula? */
static bool is_history(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    if (!lease_is_final(lease) || lease->marked)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone || vms[i]->in_flight || vms[i]->marked || vms[i]->message_in_flight)
            return false;
    return true;
}

static void forget(struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        world_drop(daemon->world, vms[i]->id);
    store_forget_lease(daemon->store, lease->id);
}

/* Opens the record after the first poll, when the hosts are known. */
static void open_record(struct daemon *daemon)
{
    struct error err = {0};
    struct site site;

    if (!daemon->live->record || daemon->recorder || daemon->record_failed ||
        !world_hosts(daemon->world))
        return;
    if (record_site(&site, &world_hosts(daemon->world)->pool, &err) == 0) {
        daemon->recorder = recorder_open(daemon->live->record, &site, clock_now(), &err);
        site_finish(&site);
    }
    store_wake_all(daemon->store);
    if (!daemon->recorder) {
        log_warning("cannot record: %s", err.text);
        daemon->record_failed = true;
    }
}

static void forget_history(struct daemon *daemon)
{
    size_t n, n_over = 0;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);
    int64_t *over = memory_new(n, sizeof *over);

    for (size_t i = 0; i < n; i++)
        if (is_history(daemon, leases[i]) && !planner_knows(daemon->planner, leases[i]->id))
            over[n_over++] = leases[i]->id;
    while (n_over > 0)
        forget(daemon, store_lease(daemon->store, over[--n_over]));
    free(over);
}

void records_update(struct daemon *daemon)
{
    int64_t now = clock_now();
    struct error err = {0};
    size_t n;
    const struct lease_record *const *leases;

    open_record(daemon);
    leases = store_awake_leases(daemon->store, &n);
    for (size_t i = 0; i < n && daemon->recorder; i++)
        record(daemon, leases[i]);
    forget_history(daemon);
    if (now - daemon->expired >= EXPIRE_INTERVAL) {
        daemon->expired = now;
        if (store_expire(daemon->store, now - daemon->live->history_keep, &err) < 0)
            log_warning("cannot remove old leases from the store: %s", err.text);
    }
}
