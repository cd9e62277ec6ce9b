/* clocks.h: clocks that are wrong, differ, or are set while leases run.
 *
 * Leases use the wall clock of this machine; the times in OpenNebula's answers come from
 * OpenNebula's clock. The dates of the answers show how far that clock is ahead. When a clock is
 * set, durations keep their length: the remaining time of a lease, "START=+1:00:00", pauses. Times
 * of day ("START=2026-11-22 12:00:00") follow the clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct lease_record;
struct vm_record;
struct vm_observation;

enum {
    CLOCKS_TOLERANCE = 2, /* seconds: dates are whole seconds, answers take time */
    CLOCKS_BOOT_MAX = 64,
};

/* When our clock was set, as far as known. */
enum clocks_when {
    CLOCKS_RUNNING,
    CLOCKS_DOWN,          /* while galernad was not running */
    CLOCKS_DOWN_AT_LEAST, /* likewise, across a reboot: set back by at least this much */
};

struct clocks {
    int64_t ahead; /* seconds that OpenNebula's clock is ahead of ours; 0 within the tolerance */
    bool known;    /* the two clocks have been compared */
    int64_t other; /* a different offset in the last dates, and its number of occurrences */
    int votes;
    int64_t date_at;            /* when the last compared date arrived, as cloud_date() */
    int64_t wall, steady;       /* our clocks when last read, milliseconds; 0: never */
    char boot[CLOCKS_BOOT_MAX]; /* boot id of the machine; "": unknown */
    /* When our clock was last set: by how many seconds, and when that was noticed; 0: never. */
    int64_t set_by, set_at;
    enum clocks_when set_when;
};

/* Is the change too large for NTP's gradual adjustments? Milliseconds. */
bool clocks_is_jump(int64_t set);

/* Milliseconds by which the wall clock was set since the last call, or 0. steady: a clock that
 * continues while the machine sleeps. */
int64_t clocks_watch(struct clocks *clocks, int64_t wall, int64_t steady);

/* A date from OpenNebula and our time when it arrived, seconds. Returns by how many seconds
 * OpenNebula's clock was set; 0: it was not, this is not certain yet, or this is the first date. */
int64_t clocks_compare(struct clocks *clocks, int64_t date, int64_t ours);

/* In each turn of the loop: notice clocks that were set and move the times that depend on them. */
void clocks_step(struct daemon *daemon);

/* Our clock was set by `set` milliseconds, noticed at `now` (seconds since 1970): log it, and
 * move the times that depend on it. */
void clocks_note_set(struct daemon *daemon, int64_t set, int64_t now, enum clocks_when when);

/* Our clock was set by `by` seconds: move stored times so that durations keep their length. */
void clocks_move(struct daemon *daemon, int64_t by);

/* OpenNebula's time on this machine's clock; 0 (not yet) stays 0. */
int64_t clocks_ours(const struct daemon *daemon, int64_t theirs);

/* The offset of OpenNebula's clock from ours, in seconds, when it assigned a VM the time `created`;
 * large enough that `created` is not in the future. While the latest dates suggest that the clock
 * was set: the offset before or after, whichever makes the VM younger. */
int64_t clocks_ahead_at(const struct daemon *daemon, int64_t created);

/* When the VM's current run began, on our clock, even if a clock was set meanwhile; 0: unknown.
 * lease: the lease of the VM. */
int64_t clocks_running_since(const struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_record *vm, const struct vm_observation *observed);

/* --- clocks_recall.c: across restarts --- */
/* This machine's boot id; "": none. */
void clocks_boot(char boot[CLOCKS_BOOT_MAX]);
/* Note the clocks as last read; the next commit of the store writes them. */
void clocks_remember(struct daemon *daemon);
/* At startup, before the store's times are used: notice clocks that were set since the store was
 * written, as clocks_step() does while running. clocks.boot must be set. */
void clocks_recall(struct daemon *daemon, int64_t wall, int64_t steady);
