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
    struct held_units **held;        /* what each VM demands there; NULL: nothing */
    int64_t begins;                  /* of the copy */
    int64_t arrives;                 /* not earlier, with others; 0: as early as possible */
    int64_t at;                      /* when it runs there */
    int64_t end;                     /* shutdown included; 0: as on its present hosts */
    int64_t overhead;                /* seconds the lease does not run because of the move */
    int64_t stay, move;              /* milliseconds in all */
    struct reservation_list windows; /* cold: the suspension ... */
    struct proposal next;            /* ... and where the lease continues */
};

/* The remainder of the lease's current stretch, from now on; to be dropped. */
struct relocation relocation_of(const struct engine *engine, struct lease *lease);
void relocation_drop(struct relocation *move);

/* Live: fills move->next with the migration, the run on the new hosts and the shutdown. False:
 * there is no place. Books nothing. */
bool relocation_plan_live(struct engine *engine, struct relocation *move);
/* Would a VM be on another host than now? */
bool relocation_moves_any(const struct relocation *move);
/* Books what was planned. */
void relocation_commit(struct engine *engine, struct relocation *move, const struct reason *reason);

/* Seconds in which the VMs of the lease whose filters exclude their hosts move, one after the
 * other; without such VMs, all of them; at least 1. No move takes longer. */
int64_t longest_live_span(const struct engine *engine, const struct lease *lease);

static inline int64_t later_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* When a lease that must be gone by then, since another one needs its hosts, begins to move; no
 * earlier than now. It has twice the time: a move that fails can be repeated. */
int64_t makes_room_from(const struct engine *engine, const struct lease *lease, int64_t leave_by);

bool runs_to_its_end(const struct lease *lease);
