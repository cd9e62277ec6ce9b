/* clocks.h: clocks that are wrong, differ, or are set while leases run.
 *
 * Leases live on this machine's wall clock; the times OpenNebula reports are on OpenNebula's own.
 * The dates of its answers tell how far that clock is ahead. When a clock is set, durations keep
 * their length: the rest of a lease, "START=+1:00:00", pauses. Times of day ("START=2026-11-22
 * 12:00:00") follow the clock.
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

/* When our clock was set, as far as it is known. */
enum clocks_when {
    CLOCKS_RUNNING,
    CLOCKS_DOWN,          /* while galernad was not running */
    CLOCKS_DOWN_AT_LEAST, /* the same, across a boot: back by this much or more */
};

struct clocks {
    int64_t ahead; /* seconds that OpenNebula's clock is ahead of ours; 0 within the tolerance */
    bool known;    /* the two clocks have been compared */
    int64_t other; /* a different offset in the last dates, and how often it was seen */
    int votes;
    int64_t date_at;            /* when the last date compared came, as cloud_date() */
    int64_t wall, steady;       /* our clocks when last read, milliseconds; 0: never */
    char boot[CLOCKS_BOOT_MAX]; /* id of this boot of the machine; "": not known */
    /* When our clock was last set: by how many seconds, and when that was noticed; 0: never. */
    int64_t set_by, set_at;
    enum clocks_when set_when;
};

/* More than the gradual adjustments of NTP? Milliseconds. */
bool clocks_is_jump(int64_t set);

/* Milliseconds by which the wall clock was set since the last call; 0: it was not. steady: a clock
 * that continues while the machine sleeps. */
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

/* By how many seconds OpenNebula's clock was ahead of ours when it gave a VM the time `created`: so
 * far that `created` is not in the future, else as now. While the last dates suggest that it was
 * set, the offset before or after that, whichever makes the VM younger. */
int64_t clocks_ahead_at(const struct daemon *daemon, int64_t created);

/* Since when a VM has been running, on our clock, whichever clock was set meanwhile; 0: not known.
 * lease: the VM's. */
int64_t clocks_running_since(const struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_record *vm, const struct vm_observation *observed);

/* --- clocks_recall.c: across restarts --- */
/* The id of this boot; "": none. */
void clocks_boot(char boot[CLOCKS_BOOT_MAX]);
/* Note the clocks as last read; written with the next commit of the store. */
void clocks_remember(struct daemon *daemon);
/* At startup, before the store's times are used: notice clocks that were set since the store was
 * written, as clocks_step() does while running. clocks.boot must be set. */
void clocks_recall(struct daemon *daemon, int64_t wall, int64_t steady);
