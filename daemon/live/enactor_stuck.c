/* Stuck operations do not count against the limits and are reported; a host with several of them is
 * quarantined. Operations begun by an oned that has lost the leadership are not a fault of the
 * host. */
#include <stdio.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/state/learned.h"
#include "daemon/state/quarantine.h"
#include "daemon/state/vm_state.h"
#include "util/append.h"
#include "util/time_text.h"

#define LOG_SUBSYSTEM LOG_OF_COMMANDS

enum { TIMES = 3 /* times the longest estimate of any operation */ };

/* How long a VM may stay in transition, in milliseconds. */
static int64_t patience(const struct enactor *enactor, const struct vm_observation *observed)
{
    int64_t longest = enactor->daemon->live->stuck_after;

    for (int kind = 0; kind < OPERATIONS; kind++) {
        struct estimate estimate = learned_of(enactor->daemon->learned, (enum operation)kind);
        int64_t seconds = TIMES * estimate_seconds(&estimate, observed->memory);

        if (seconds > longest)
            longest = seconds;
    }
    return longest * 1000;
}

static bool is_overdue(const struct enactor *enactor, const struct vm_observation *observed)
{
    return clock_monotonic() - observed->since > patience(enactor, observed);
}

bool enactor_is_stuck(const struct enactor *enactor, const struct vm_observation *observed)
{
    return observed_in_transition(observed) && is_overdue(enactor, observed);
}

bool enactor_may_be_lost(const struct enactor *enactor, const struct vm_observation *observed)
{
    return observed->since < enactor->daemon->fence.acts_since;
}

void enactor_tell_quarantine(struct enactor *enactor, int32_t host, const char *why, int64_t now)
{
    char until[64];

    lease_time_text(quarantine_until(&enactor->daemon->quarantine, host, now), until, sizeof until);
    log_warning("host %d is quarantined until %s: %s", host, until, why);
    store_history(enactor->daemon->store, STORE_NO_LEASE, now, "host-quarantined",
                  "host %d until %s: %s", host, until, why);
    daemon_replan(enactor->daemon, "host %d is quarantined", host);
}

/* A VM runs during a live migration. */
void enactor_note_operation(struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed)
{
    bool is_operated = observed_in_transition(observed) || observed_migrates(observed);
    bool is_stuck =
        observed->present && !vm->in_flight && is_operated && is_overdue(enactor, observed);
    char when[TIME_TEXT_MAX];
    int64_t now, since;

    if (is_stuck && enactor->n_stuck == 0)
        enactor->first_stuck = observed;
    if (is_stuck && enactor->n_stuck < STUCK_NAMED)
        enactor->stuck[enactor->n_stuck] = vm->id;
    enactor->n_stuck += is_stuck;
    if (is_stuck == (vm->stuck != 0))
        return;
    now = clock_now();
    since = now - (clock_monotonic() - observed->since) / 1000;
    vm_note_stuck(enactor->daemon->store, vm, is_stuck ? since : 0);
    if (!is_stuck)
        return;
    lease_time_text(since, when, sizeof when);
    store_history(enactor->daemon->store, vm->lease, now, "stuck",
                  "VM %d is %s on host %d at least since %s", vm->id, observed->state_name,
                  observed->history.host, when);
    log_warning_of(vm->lease, vm->id, "VM %d is stuck: %s on host %d at least since %s", vm->id,
                   observed->state_name, observed->history.host, when);
}

static void tell_stuck(const struct enactor *enactor)
{
    const struct vm_observation *first = enactor->first_stuck;
    char text[ERROR_TEXT_MAX];
    size_t length = 0;

    if (enactor->n_stuck)
        length = append_text(
            text, sizeof text, 0,
            "OpenNebula has not finished operations on %zu VM%s for a long time (VM %d: %s on "
            "host %d). If they are lost, repeat them: onevm recover --retry ",
            enactor->n_stuck, enactor->n_stuck == 1 ? "" : "s", first->id, first->state_name,
            first->history.host);
    for (size_t i = 0; i < enactor->n_stuck && i < STUCK_NAMED; i++)
        length = append_text(text, sizeof text, length, "%s%d", i ? "," : "", enactor->stuck[i]);
    if (enactor->n_stuck > STUCK_NAMED)
        append_text(text, sizeof text, length, " (the first %d)", STUCK_NAMED);
    daemon_problem(enactor->daemon, PROBLEM_STUCK, enactor->n_stuck ? text : NULL);
}

/* Booting is quick on a working host. Copying images can take long, and counts as a fault of the
 * host only if the host makes no other progress. */
void enactor_note_stuck(struct enactor *enactor, int64_t now)
{
    struct daemon *daemon = enactor->daemon;
    const struct host_pool *pool = &enactor->hosts->pool;
    char why[64];

    tell_stuck(enactor);
    daemon->quarantine.hosts = pool->n;
    for (size_t i = 0; i < pool->n; i++) {
        const struct host_usage *usage = &enactor->usage[i];

        if (usage->stuck_booting < QUARANTINE_VMS && usage->stuck < daemon->live->actions_per_host)
            continue;
        if (!quarantine_stuck(&daemon->quarantine, pool->items[i].id, now))
            continue;
        snprintf(why, sizeof why, "%d VMs on it are stuck", usage->stuck);
        enactor_tell_quarantine(enactor, pool->items[i].id, why, now);
    }
}
