/* claim.h: whether this daemon may act on an OpenNebula that other daemons can reach as well.
 *
 * OpenNebula keeps one mark: the name of the acting daemon, and a number that grows while that
 * daemon lives. A daemon that finds the mark of another daemon watches it: if the number grows, the
 * other daemon is alive, and this one does not act (CLAIM_LOST: without Raft it ends); if the mark
 * does not change for CLAIM_DEAD, the other one is dead, and this one replaces the mark. The holder
 * of the claim writes the mark every CLAIM_BEAT, and stops acting CLAIM_TRUST after its last write
 * that certainly succeeded, which is before any other daemon may consider it dead. If two daemons
 * write at the same time, the later write wins: each daemon reads the mark again after CLAIM_PAUSE.
 * Clocks of different machines are never compared.
 *
 * In a zone with several front-ends, each daemon uses its own oned, and acts only in a Raft term in
 * which that oned leads. A mark of an earlier term belongs to a deposed daemon, whose last commands
 * have ended CLAIM_GRACE after the election: this daemon replaces the mark at once, and acts after
 * that time. A mark of a later term deposes this daemon. Writing the mark needs a majority of the
 * zone, so a write that succeeded in this term proves that no later term had begun. Commands leave
 * within CLAIM_FENCE of such a write, which is shorter than CLAIM_GRACE. An oned that does not lead
 * forwards writes to the leader, so after the write the daemon checks that its oned still leads;
 * the write then was this oned's own, however late the answer.
 *
 * This file only decides: guard.h reads and writes the mark. Times are monotonic milliseconds.
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
    CLAIM_PAUSE = 1000,
    CLAIM_REPEAT = 5000, /* a write that is not visible after this time was lost */
    CLAIM_LOOK = 2000,   /* between reads of another daemon's mark */
    CLAIM_AGAIN = 500,   /* after failures: a new leader refuses writes for a while */
};

enum claim_state {
    CLAIM_UNKNOWN,  /* the mark has not been read */
    CLAIM_WATCHING, /* another daemon's mark was found */
    CLAIM_WRITING,  /* the mark is free, or its owner is dead */
    CLAIM_PROVING,  /* written; to be read again after a pause */
    CLAIM_HELD,
    CLAIM_LOST, /* another daemon is alive on the same oned, or without Raft; until claim_lead()
                 * gets another term */
};

enum claim_action { CLAIM_WAIT, CLAIM_READ, CLAIM_WRITE };

struct claim {
    struct cloud_mark own, other; /* other: the owner found or replaced; instance "": none */
    enum claim_state state;
    bool open;       /* OpenNebula refuses the mark: the claim does not count */
    bool fresh;      /* the mark was read since the last write */
    bool resumed;    /* the mark was our own: held as soon as it is written, proved later */
    int64_t elected; /* when our oned was first observed to lead in own.term */
    int64_t graced;  /* when the last commands of the previous owner are over */
    int64_t next;    /* when the next read or write is due */
    int64_t changed; /* when the other daemon's mark last changed */
    int64_t sent;    /* when the last write began */
    int64_t trusted; /* when the last successful write began; -1: none */
    int64_t proved;  /* when the answer to that write arrived */
};

void claim_init(struct claim *claim, const char *instance, const char *place, const char *host);

/* Our oned leads the zone in this Raft term; term 0: the zone has no other front-end. The claim
 * starts over in a new term. */
void claim_lead(struct claim *claim, int64_t term, int32_t server, int64_t now);
/* Our oned does not lead. */
void claim_rest(struct claim *claim, int64_t now);
/* Commands wait to be sent: write the mark, unless it was written a moment ago. */
void claim_confirm(struct claim *claim, int64_t now);

/* The next step, and when that is due or the daemon may act. */
enum claim_action claim_next_action(const struct claim *claim, int64_t now);
int64_t claim_next_time(const struct claim *claim, int64_t now);

/* The mark was read from OpenNebula; instance "": OpenNebula has no mark. */
void claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now);
/* The mark could not be read or written; retried after CLAIM_AGAIN. */
void claim_failed(struct claim *claim, int64_t now);
/* The mark to write, which counts as sent from now on. */
const struct cloud_mark *claim_write(struct claim *claim, int64_t now);
void claim_written(struct claim *claim, int64_t now);
/* Was the mark written by a galernad with newer rules? This galernad does not act until that mark
 * is released. */
bool claim_is_newer(const struct cloud_mark *mark);
/* Does waiting not help against the watched daemon, because its mark has a later term (another oned
 * leads) or newer rules? */
bool claim_is_outranked(const struct claim *claim);
/* OpenNebula refuses to keep the mark: every daemon may act. */
void claim_refused(struct claim *claim, int64_t now);

/* May the daemon act? */
bool claim_holds(const struct claim *claim, int64_t now);
/* May commands leave now? led: the time of the last query that oned answered with "leads in this
 * term"; without Raft, the answer is valid for CLAIM_FENCE. */
bool claim_may_send(const struct claim *claim, int64_t led, int64_t now);
/* Has the mark been written since then, or a moment ago, and is that write still valid? */
bool claim_is_confirmed(const struct claim *claim, int64_t since, int64_t now);
/* Does an observation requested at `asked` show the effect of every command up to `since` that will
 * ever have one? A single oned begins accepted commands within CLAIM_PAUSE. In a zone with several
 * front-ends, writes may be lost or delayed while the leadership is contested, but keep their
 * order: the observation is complete if the mark was written between the two times. */
bool claim_covers(const struct claim *claim, int64_t since, int64_t asked);
/* Until when commands may leave; in the past: not at all; INT64_MAX: the claim does not count. */
int64_t claim_send_by(const struct claim *claim);
