/* reservations.h: books reservations in the slot table and in the indexes by time.
 *
 * A booked reservation belongs to the plan of its lease; a withdrawn one is freed when the next
 * step begins. Costs: h = hosts of a reservation, n = reservations booked. Book and unbook: h
 * changes of the slot table, and an insertion into two indexes (reservation_index.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease_plan.h"
#include "core/reservation_index.h"

struct engine;

struct bookings {
    struct reservation_index by_start; /* scheduled ones */
    struct reservation_index by_end;   /* scheduled and active ones */
    uint64_t next_order;               /* insertion order among equal times */
    size_t n_closings;                 /* booked reservations that close hosts */
    struct reservation_list withdrawn; /* freed when the next step begins */
    int64_t cpu_used[RESERVATION_KINDS];
    uint32_t *vms_on;    /* VMs on each host now */
    bool capacity_freed; /* since the last search for better hosts */
};

/* Adds the reservation to slot table and indexes. */
void reservation_book(struct engine *engine, struct reservation *r);
/* Books the reservations of a list, in its order. */
void reservation_list_book(struct engine *engine, const struct reservation_list *list);
void reservation_unbook(struct engine *engine, struct reservation *r);
/* Books a reservation already under way. */
void reservation_adopt(struct engine *engine, struct reservation *r);

/* Removes the reservation from slot table and indexes if booked; frees it when the next step
 * begins. */
void reservation_withdraw(struct engine *engine, struct reservation *r);
void reservation_list_withdraw(struct engine *engine, struct reservation_list *list);
/* Ends reservations before their planned end: removed from slot table and indexes, kept in the
 * list. */
void reservation_list_settle(struct engine *engine, const struct reservation_list *list);
void reservation_set_until(struct engine *engine, struct reservation *r, int64_t until);

/* Begins or ends the operation, reports it to the driver and updates the figures. */
void reservation_start(struct engine *engine, struct reservation *r);
void reservation_end(struct engine *engine, struct reservation *r);
/* Counts the reservation's VMs on their hosts from now on. */
void vms_arrive(struct engine *engine, struct reservation *vm);

/* Releases all bookings of the lease from the slot table, not from the indexes. For trials. */
void lease_release_booked(struct engine *engine, const struct lease *lease);

/* Lifts the closings (reservation.h) that begin at `from` or later, from the slot table only: until
 * the caller's mark is undone, those hosts stay in service. False: there are none. O(reservations
 * scheduled from then on), and a release for each closing. */
bool closings_lift(struct engine *engine, int64_t from);

/* The placement of all VMs of the lease with their units; vm_host: a host for each VM, NULL: any
 * hosts; vm_held: as in struct mapping. O(VMs). */
struct placement *placement_of_vms(struct engine *engine, const struct lease *lease,
                                   const uint32_t *vm_host, struct held_units *const *vm_held);
