/* claim.h: whether this daemon may act on an OpenNebula that other daemons can reach as well.
 *
 * OpenNebula keeps one mark: the acting daemon's name, and a number that grows while that daemon
 * lives. A daemon that finds another one's mark watches it: as long as the number grows, the other
 * daemon is alive; if it does not change for CLAIM_DEAD, the other daemon is dead. The holder of
 * the claim writes the mark every CLAIM_BEAT, and stops acting CLAIM_TRUST after its last write
 * that surely succeeded, which is before any other daemon may consider it dead. When two daemons
 * write at the same time, the later write wins: each reads the mark again after CLAIM_PAUSE. Clocks
 * of different machines are never compared.
 *
 * In a zone of several front-ends, each daemon acts beside its own oned, and only in a Raft term in
 * which that oned leads. A mark of an earlier term is of a deposed daemon, whose last commands are
 * over CLAIM_GRACE after the election: it is replaced at once, and this daemon acts after that. A
 * mark of a later term deposes this one. Writing the mark needs a majority of the zone, so a write
 * that succeeded in this term proves that no later term had begun. Commands leave within
 * CLAIM_FENCE of such a write, which is shorter than CLAIM_GRACE. An oned that does not lead passes
 * writes on to the leader, so it is asked after the write whether it still leads; however long it
 * takes to answer, the write was its own.
 *
 * Decides only: guard.h reads and writes the mark. Times are monotonic milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"

enum {
    CLAIM_BEAT = 10 * 1000,
    CLAIM_TRUST = 20 * 1000,
    CLAIM_DEAD = 25 * 1000,
    CLAIM_GRACE = 5000,
    CLAIM_FENCE = 3000,
    CLAIM_LED = 1000, /* without Raft or mark, it counts for so long that our oned said it leads */
    CLAIM_PAUSE = 1000,
    CLAIM_REPEAT = 5000, /* a write that is not seen for so long was lost */
    CLAIM_LOOK = 2000,   /* between reads of another daemon's mark */
    CLAIM_AGAIN = 500,   /* after failures: a new leader refuses writes for a while */
};

enum claim_state {
    CLAIM_UNKNOWN,  /* the mark has not been read */
    CLAIM_WATCHING, /* another daemon's mark is there */
    CLAIM_WRITING,  /* the mark is free, or its owner is dead */
    CLAIM_PROVING,  /* written; still there after a pause? */
    CLAIM_HELD,
    CLAIM_LOST, /* another daemon is alive beside the same oned, or without Raft; until claim_lead()
                 * tells of another term */
};

enum claim_action { CLAIM_WAIT, CLAIM_READ, CLAIM_WRITE };

struct claim {
    struct cloud_mark own, other; /* other: the owner found or replaced; instance "": none */
    enum claim_state state;
    bool open;       /* OpenNebula refuses the mark: the claim does not count */
    bool fresh;      /* the mark was read since the last write */
    bool resumed;    /* the mark was our own: held as soon as it is written, proved later */
    int64_t elected; /* when our oned was first seen to lead in own.term */
    int64_t graced;  /* when the last commands of the replaced mark's owner are over */
    int64_t next;    /* when the next read or write is due */
    int64_t changed; /* when the other daemon's mark last changed */
    int64_t sent;    /* when the last write began */
    int64_t trusted; /* when the last successful write began; -1: none */
    int64_t proved;  /* when its answer came */
};

void claim_init(struct claim *claim, const char *instance, const char *place, const char *host);

/* Our oned leads the zone in this Raft term; term 0: it is the zone's only front-end. The claim
 * starts over in a new term. */
void claim_lead(struct claim *claim, int64_t term, int32_t server, int64_t now);
/* Our oned does not lead. */
void claim_rest(struct claim *claim, int64_t now);
/* Commands wait to be sent: write the mark, unless it has been written a moment ago. */
void claim_confirm(struct claim *claim, int64_t now);

/* The next step; and when it is due, or the daemon may act. */
enum claim_action claim_next_action(const struct claim *claim, int64_t now);
int64_t claim_next_time(const struct claim *claim, int64_t now);

/* The mark was read from OpenNebula; instance "": there is none. */
void claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now);
/* The mark could not be read or written; retried after CLAIM_AGAIN. */
void claim_failed(struct claim *claim, int64_t now);
/* The mark to write; it counts as sent from now on. */
const struct cloud_mark *claim_write(struct claim *claim, int64_t now);
void claim_written(struct claim *claim, int64_t now);
/* Did a galernad write the mark that has other rules than this one? While that one is not released,
 * this one does not act. */
bool claim_is_newer(const struct cloud_mark *mark);
/* Is another daemon watched that this one cannot outlast by waiting: one of a later term, beside
 * another oned, or one with other rules? */
bool claim_is_outranked(const struct claim *claim);
/* OpenNebula refuses to keep the mark: every daemon may act. */
void claim_refused(struct claim *claim, int64_t now);

/* May the daemon act? */
bool claim_holds(const struct claim *claim, int64_t now);
/* May commands leave now? led: when oned was asked last that answered that it leads in this term.
 */
bool claim_may_send(const struct claim *claim, int64_t led, int64_t now);
/* Has the mark been written since then, or a moment ago, and does that still count? */
bool claim_is_confirmed(const struct claim *claim, int64_t since, int64_t now);
/* Does what was asked for at `asked` show all that was commanded until `since`, or will it never be
 * shown? A single oned begins what it has accepted within CLAIM_PAUSE. In a zone of several
 * front-ends, writes may be lost or come late when the leadership is contested; they keep their
 * order, so it does if the mark was written in between. */
bool claim_covers(const struct claim *claim, int64_t since, int64_t asked);
/* Until when commands may leave; before now: not at all, INT64_MAX: the claim does not count. */
int64_t claim_send_by(const struct claim *claim);
