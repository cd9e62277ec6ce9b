/* claim.h: whether this daemon may act on an OpenNebula that others can reach, too.
 *
 * OpenNebula keeps one mark: who acts, and a number that grows while it lives. A daemon that finds
 * the mark of another watches it: a number that grows means that the other lives; one that stands
 * still for CLAIM_DEAD means that it is gone. Who holds the claim writes the mark every
 * CLAIM_BEAT, and stops acting CLAIM_TRUST after the last write that was surely done, which is
 * before anybody else may take it for gone. Of two that write at the same time the later one has
 * it: each looks again after CLAIM_PAUSE. No clock of another machine is ever compared.
 *
 * Decides only: guard.h reads and writes the mark. Times are monotonic milliseconds.
 */
#ifndef GALERNA_DAEMON_CLAIM_H
#define GALERNA_DAEMON_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"

enum {
    CLAIM_BEAT = 10 * 1000,
    CLAIM_TRUST = 20 * 1000,
    CLAIM_DEAD = 25 * 1000,
    CLAIM_PAUSE = 1000,
    CLAIM_LOOK = 2000, /* between looks at another's mark, and after failures */
};

enum claim_state {
    CLAIM_UNKNOWN,  /* the mark has not been read */
    CLAIM_WATCHING, /* another's mark is there */
    CLAIM_WRITING,  /* it is ours to take */
    CLAIM_PROVING,  /* written; still there after a pause? */
    CLAIM_HELD,
    CLAIM_LOST, /* another one lives; final */
};

enum claim_wish { CLAIM_WAIT, CLAIM_READ, CLAIM_WRITE };

struct claim {
    struct cloud_mark own, other; /* other: whom we found or replaced; instance "": none */
    enum claim_state state;
    bool open;       /* OpenNebula refuses the mark: the claim does not count */
    bool fresh;      /* read since the last write */
    bool resumed;    /* the mark was our own: held as soon as it is written, proved later */
    int64_t next;    /* when the next read or write is due */
    int64_t changed; /* when the other's mark was first seen as it is */
    int64_t sent;    /* when the last write began */
    int64_t trusted; /* when the last write that was done began; -1: none */
};

void claim_init(struct claim *claim, const char *instance, const char *place, const char *host);

/* What is to be done now, and when there will be something to do. */
enum claim_wish claim_wish(const struct claim *claim, int64_t now);

/* The mark as OpenNebula has it; no mark: instance is "". */
void claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now);
/* Neither reading nor writing could be done; later again. */
void claim_failed(struct claim *claim, int64_t now);
/* The mark to write; from now on it counts as sent. */
const struct cloud_mark *claim_write(struct claim *claim, int64_t now);
void claim_written(struct claim *claim, int64_t now);
/* OpenNebula will not have the mark: the claim is open to everybody. */
void claim_refused(struct claim *claim, int64_t now);

/* May the daemon act? */
bool claim_holds(const struct claim *claim, int64_t now);

#endif
