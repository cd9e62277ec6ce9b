/* fence.h: whether this daemon acts, and when its commands and messages may leave.
 *
 * Those of a cycle are sent when it is proved that no other galernad acts: the mark was written a
 * moment ago, and oned still led after that (claim.h). Otherwise they wait for the proof, a few
 * seconds at most; without it they are withdrawn and prepared again. Calls that are queued when the
 * proof expires are dropped at their send_by (rpc.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;

struct fence {
    bool waits;           /* commands and messages wait for the proof */
    bool asking;          /* oned is asked whether it leads */
    bool held;            /* the guard held at the last step */
    int64_t since;        /* monotonic milliseconds: when they began to wait */
    int64_t next_confirm; /* monotonic milliseconds */
    int64_t next_look;    /* monotonic milliseconds: of a follower at its oned */
    bool behind;          /* the daemon that acted before may have changed what is not read yet */
    int64_t acts_since;   /* monotonic milliseconds: an earlier picture is not acted on */
};

/* oned has been read, and does not lead its zone. */
bool fence_follows(const struct daemon *daemon);
/* The leases follow the last poll. True: this daemon decides about them from now on. */
bool fence_catch_up(struct daemon *daemon);
/* Send what enactor_prepare() and messages_prepare() left, now or as soon as that is proved to be
 * safe. */
void fence_send(struct daemon *daemon);
/* Discard what they left. */
void fence_withdraw(struct daemon *daemon);
/* To be called in each turn of the loop; does not block. */
void fence_step(struct daemon *daemon);
/* When the next step is due: monotonic milliseconds. */
int64_t fence_due(const struct daemon *daemon);
