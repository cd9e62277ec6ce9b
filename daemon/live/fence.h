/* fence.h: whether this daemon acts, and when its commands and messages may leave.
 *
 * The commands and messages of a cycle are sent once it is proved that no other galernad acts: the
 * mark was written a moment ago, and oned still led after that (claim.h). Otherwise they wait a few
 * seconds for the proof; without it they are withdrawn and prepared again. Queued calls are dropped
 * at their send_by (rpc.h) when the proof expires.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;

struct fence {
    bool waits;           /* commands and messages wait for the proof */
    bool asking;          /* a request to oned whether it leads is open */
    bool held;            /* the guard held at the last step */
    int64_t since;        /* monotonic milliseconds: when the wait began */
    int64_t next_confirm; /* monotonic milliseconds */
    int64_t next_look;    /* monotonic milliseconds: when a follower next checks its oned */
    bool behind;          /* the previous daemon may have made changes that have not been read
                           * yet */
    int64_t acts_since;   /* monotonic milliseconds: observations before this time are not acted
                           * on */
};

/* The leases have been updated from the last poll. True: this daemon decides about them from now
 * on. */
bool fence_catch_up(struct daemon *daemon);
/* Send the prepared commands and messages (enactor_prepare(), messages_prepare()), at once or as
 * soon as that is proved to be safe. */
void fence_send(struct daemon *daemon);
/* Discard the prepared commands and messages. */
void fence_withdraw(struct daemon *daemon);
/* To be called in each turn of the loop; does not block. */
void fence_step(struct daemon *daemon);
/* When the next step is due: monotonic milliseconds. */
int64_t fence_due(const struct daemon *daemon);
