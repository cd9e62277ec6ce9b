/* clocks.h: clocks that are wrong, differ, or are set while leases run.
 *
 * Leases live on this machine's wall clock, what OpenNebula tells of the past on its own. How far
 * that one is ahead is known from the dates of its answers. When a clock is set, what is meant as a
 * length of time stays as long as it was: the rest of a lease, "START=+1:00:00", pauses. What is
 * meant as a time of day ("START=2026-11-22 12:00:00") follows the clock.
 */
#ifndef GALERNA_DAEMON_CLOCKS_H
#define GALERNA_DAEMON_CLOCKS_H

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
    CLOCKS_DOWN_AT_LEAST, /* the same, over a boot: back by so much or more */
};

struct clocks {
    int64_t ahead; /* seconds that OpenNebula's clock is ahead of ours; 0 within the tolerance */
    bool known;    /* it has been compared */
    int64_t other; /* what the last dates say instead, and how many of them */
    int votes;
    int64_t date_at;      /* of the last date that was looked at */
    int64_t wall, steady; /* our clocks when they were last looked at, milliseconds; 0: never */
    char boot[CLOCKS_BOOT_MAX]; /* names this boot of the machine; "": not known */
    /* The last time that ours was set: by how many seconds, when that was noticed; 0: it was not.
     */
    int64_t set_by, set_at;
    enum clocks_when set_when;
};

/* Is it more than the clock's being steered? milliseconds. */
bool clocks_is_jump(int64_t set);

/* Milliseconds by which the wall clock was set since the last call; 0: it was not. steady: of a
 * clock that goes on while the machine sleeps. */
int64_t clocks_watch(struct clocks *clocks, int64_t wall, int64_t steady);

/* A date of OpenNebula's and our time when it came, seconds. Returns by how many seconds
 * OpenNebula's clock was set; 0: it was not, or not for sure, or this is the first one. */
int64_t clocks_compare(struct clocks *clocks, int64_t date, int64_t ours);

/* In each turn of the loop: notice what was set and move what depends on it. */
void clocks_step(struct daemon *daemon);

/* Our clock was set by so many milliseconds, as is noticed at `now` (seconds since 1970): say so,
 * and move what depends on it. */
void clocks_note_set(struct daemon *daemon, int64_t set, int64_t now, enum clocks_when when);

/* --- clocks_recall.c: over a restart --- */
/* The name of this boot; "": there is none. */
void clocks_boot(char boot[CLOCKS_BOOT_MAX]);
/* Put down what the clocks were when they were last looked at, to be written with the next commit
 * of the store. */
void clocks_remember(struct daemon *daemon);
/* At the start, before anything reads the store's times: notice what was set since the store was
 * written, as clocks_step() does while running. clocks.boot must be set. */
void clocks_recall(struct daemon *daemon, int64_t wall, int64_t steady);

/* Our clock was set by so many seconds: lengths of time stay as they are. */
void clocks_move(struct daemon *daemon, int64_t by);

/* An instant that OpenNebula tells, on our clock; 0 (not yet) stays 0. */
int64_t clocks_ours(const struct daemon *daemon, int64_t theirs);

/* Since when a VM has been running, on our clock, whatever was set meanwhile; 0: it is not told.
 * lease: the VM's. */
int64_t clocks_running_since(const struct daemon *daemon, const struct lease_record *lease,
                             const struct vm_record *vm, const struct vm_observation *observed);

#endif
