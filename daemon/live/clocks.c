/* Detects clocks that differ or are set. */
#include "daemon/live/clocks.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/time_text.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

enum { SET = 2 * 1000 /* milliseconds: less is a gradual adjustment */, VOTES = 2 };

bool clocks_is_jump(int64_t set)
{
    return llabs(set) >= SET;
}

int64_t clocks_watch(struct clocks *clocks, int64_t wall, int64_t steady)
{
    int64_t set = (wall - clocks->wall) - (steady - clocks->steady);
    bool first = clocks->steady == 0;

    clocks->wall = wall;
    clocks->steady = steady;
    return first || !clocks_is_jump(set) ? 0 : set;
}

int64_t clocks_compare(struct clocks *clocks, int64_t date, int64_t ours)
{
    int64_t ahead = date - ours, set;

    if (llabs(ahead) <= CLOCKS_TOLERANCE)
        ahead = 0;
    if (!clocks->known) {
        clocks->known = true;
        clocks->ahead = ahead;
        return 0;
    }
    if (llabs(ahead - clocks->ahead) <= CLOCKS_TOLERANCE) {
        clocks->votes = 0;
        return 0;
    }
    if (clocks->votes == 0 || llabs(ahead - clocks->other) > 1) {
        clocks->other = ahead;
        clocks->votes = 1;
        return 0;
    }
    if (++clocks->votes < VOTES)
        return 0;
    set = ahead - clocks->ahead;
    clocks->ahead = ahead;
    clocks->votes = 0;
    return set;
}

/* --- times that depend on clocks -------------------------------------------------------------- */

void clocks_move(struct daemon *daemon, int64_t by)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(daemon->store, &n);
    const struct vm_record *const *vms;

    for (size_t i = 0; i < n; i++)
        if (leases[i]->phase < PHASE_ENDED)
            lease_move_times(daemon->store, leases[i], by);
    vms = store_vms(daemon->store, &n);
    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone)
            vm_move_times(daemon->store, vms[i], by);
    quarantine_move(&daemon->quarantine, by);
    instant_move(&daemon->started, by);
    instant_move(&daemon->follows_since, by);
    daemon->clocks.ahead -= by;
}

/* "back by 1h00m". */
static void set_text(int64_t by, char *text, size_t size)
{
    char span[TIME_TEXT_MAX];

    time_text_span(llabs(by), span, sizeof span);
    snprintf(text, size, "%s by %s", by < 0 ? "back" : "forward", span);
}

static void ahead_text(int64_t ahead, char *text, size_t size)
{
    char span[TIME_TEXT_MAX];

    time_text_span(llabs(ahead), span, sizeof span);
    if (ahead == 0)
        snprintf(text, size, "agrees with this machine's");
    else
        snprintf(text, size, "is %s %s this machine's", span, ahead < 0 ? "behind" : "ahead of");
}

void clocks_note_set(struct daemon *daemon, int64_t set, int64_t now, enum clocks_when when)
{
    static const char *const since[] = {
        [CLOCKS_RUNNING] = "",
        [CLOCKS_DOWN] = " while galernad was not running",
        [CLOCKS_DOWN_AT_LEAST] = " or earlier, while the machine was down",
    };
    int64_t by = (set + (set > 0 ? 500 : -500)) / 1000;
    char text[80];

    set_text(by, text, sizeof text);
    log_warning("the clock was set %s%s", text, since[when]);
    store_history(daemon->store, STORE_NO_LEASE, now, "clock-set", "%s%s", text, since[when]);
    daemon->clocks.set_by = by;
    daemon->clocks.set_at = now;
    daemon->clocks.set_when = when;
    clocks_move(daemon, by);
}

/* Is the VM's last history record open? After a restart, only the next poll shows this. */
static bool has_open_record(const struct daemon *daemon, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);

    return vm->since_told > 0 ||
           (vm->since_told == 0 && vm->ran && lease && lease->phase == PHASE_RUNNING);
}

/* OpenNebula's clock was set: open records become longer on that clock by the same amount. */
static void theirs_was_set(struct daemon *daemon, int64_t by)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && has_open_record(daemon, vms[i]))
            vm_skew(daemon->store, vms[i], by);
}

void clocks_step(struct daemon *daemon)
{
    struct clocks *clocks = &daemon->clocks;
    int64_t set = clocks_watch(clocks, clock_now_ms(), clock_monotonic()), date, at;
    bool known = clocks->known;
    char by[80], ahead[80];

    if (set) {
        clocks_note_set(daemon, set, clocks->wall / 1000, CLOCKS_RUNNING);
        daemon_replan(daemon, "the clock was set");
    }
    if (!cloud_date(daemon->cloud, &date, &at) || at == clocks->date_at)
        return;
    clocks->date_at = at;
    set = clocks_compare(clocks, date, (clocks->wall + (at - clocks->steady)) / 1000);
    ahead_text(clocks->ahead, ahead, sizeof ahead);
    if (!known && clocks->ahead)
        log_warning("OpenNebula's clock %s", ahead);
    if (!set)
        return;
    set_text(set, by, sizeof by);
    log_warning("OpenNebula's clock was set %s and now %s", by, ahead);
    theirs_was_set(daemon, set);
    daemon_replan(daemon, "OpenNebula's clock was set");
}

int64_t clocks_ours(const struct daemon *daemon, int64_t theirs)
{
    return theirs > 0 ? theirs - daemon->clocks.ahead : theirs;
}

int64_t clocks_ahead_at(const struct daemon *daemon, int64_t created)
{
    const struct clocks *clocks = &daemon->clocks;
    int64_t least = created - clock_now(), ahead = clocks->ahead;

    if (clocks->votes && llabs(clocks->other - least) < llabs(ahead - least))
        ahead = clocks->other;
    return ahead > least ? ahead : least;
}

int64_t clocks_running_since(const struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_record *vm, const struct vm_observation *observed)
{
    const struct vm_history *record = &observed->history;

    if (!observed->has_times || record->rstime <= 0)
        return 0;
    if (vm->since_told == record->rstime)
        return vm->since;
    /* After a restart the stored time is better: clocks may have been set meanwhile. */
    vm_note_since(daemon->store, vm,
                  vm->since_told == 0 && lease->phase == PHASE_RUNNING &&
                          lease->since != INSTANT_NONE && record->sequence == vm->sequence + 1
                      ? lease->since - lease->accumulated + vm->ran_for
                      : clocks_ours(daemon, record->rstime),
                  record->rstime);
    return vm->since;
}
