/* relocation.h: a move of a running lease to other hosts. opportunistic.h, leaving.h and in_front.h
 * decide which leases move. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/proposal.h"
#include "core/reservation.h"

struct engine;
struct lease;
struct reason;
struct vm_plan;

/* A running lease and the hosts it could move to. */
struct relocation {
    struct lease *lease;
    const struct placement *from;
    uint32_t *to;                    /* a host per VM */
    struct held_units **held;        /* the units of each VM there; NULL: none */
    int64_t begins;                  /* start of the copy */
    int64_t arrives;                 /* earliest arrival, to be with others; 0: as early as possible
                                      */
    int64_t at;                      /* when it begins to run there */
    int64_t end;                     /* including the shutdown; 0: as on its present hosts */
    int64_t overhead;                /* seconds the lease does not run because of the move */
    int64_t stay, move;              /* total time in milliseconds, if it stays or moves */
    struct reservation_list windows; /* cold: the suspension ... */
    struct proposal next;            /* ... and the continuation of the lease */
};

/* The remainder of the lease's current stretch, from now on; to be dropped. */
struct relocation relocation_of(const struct engine *engine, struct lease *lease);
void relocation_drop(struct relocation *move);

/* Live: fills move->next with the migration, the run on the new hosts and the shutdown. False:
 * there is no place. Books nothing. */
bool relocation_plan_live(struct engine *engine, struct relocation *move);
/* Does any VM change hosts? */
bool relocation_moves_any(const struct relocation *move);
/* Books the planned move. */
void relocation_commit(struct engine *engine, struct relocation *move, const struct reason *reason);

/* Upper bound of a move, at least 1: seconds to move the VMs whose filters exclude their hosts one
 * after the other; without such VMs, to move all VMs. */
int64_t longest_live_span(const struct engine *engine, const struct lease *lease);

static inline int64_t later_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* The time, at least now, at which a lease begins to move if another lease needs its hosts at
 * leave_by. Allows twice the time of a move, so that a failed move can be repeated. */
int64_t makes_room_from(const struct engine *engine, const struct lease *lease, int64_t leave_by);

bool runs_to_its_end(const struct lease *lease);
