/* lease_plan.h: the engine's private state and plan of a lease, in addition to struct lease.
 *
 * Costs: create: O(VMs); running: O(stretches); publish: O(reservations of the lease); all others:
 * O(1), lists amortised.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/disk_files.h"
#include "core/lease.h"
#include "core/slot_table.h"

struct reservation_list {
    struct reservation **items;
    size_t n, allocated;
};

enum { BLOCKED_KEPT = 64 }; /* enough for most leases that wait */

/* Hosts without room for a stretch before its planned start, in order of time. */
struct blocked_hosts {
    int64_t least; /* placing_least_span() */
    size_t n;
    struct blocked_host items[BLOCKED_KEPT];
};

/* One stretch: the VM reservation, the operations before it (migration, resumption) and after it
 * (suspension or shutdown). */
struct vm_plan {
    struct reservation *vm;
    struct reservation_list before, after;
    struct placement *memory, *images; /* their location after the run, if they were sent; NULL: not
                                        * sent */
};

struct lease_plan {
    struct reservation_list preparation;
    struct reservation_list left_behind; /* migrations still running for a withdrawn plan */
    struct vm_plan *vms;                 /* the last one is the current one */
    size_t n_vms, vms_allocated;
    struct blocked_hosts *planned_blocked; /* for the current stretch; NULL: not searched yet */

    uint32_t *set_order;            /* node sets: first those limited to one host, then by
                                     * normalized size, largest first */
    uint32_t *set_first_vm;         /* number of the first VM of each node set */
    struct disk_files memory_files; /* saved memory of its VMs */
    struct disk_files image_files;  /* disk images of its VMs */
    int64_t total_memory;           /* MB over all VMs */
    uint32_t blocked;               /* in the placement of its memory: the last host without room */

    struct share *share; /* of its owner; NULL: no fair share */
    int64_t not_before;  /* adopted: the earliest (re)start; else INSTANT_NONE */
    int64_t leave_by;    /* time by which it leaves hosts that its filters exclude or another lease
                          * needs; else INSTANT_NONE */
    int64_t leave_for;   /* that lease */
    bool makes_room;     /* such a lease exists: the move is booked as soon as it is known */
    bool only_wanted;    /* the move is optional */
    bool has_filter;     /* a node set restricts or prefers hosts */
    bool ends_cancelled; /* by its terms: ends as cancelled, not done, after its shortened time */
    bool in_queue;
    bool stuck;             /* has no place now, nor would without planned leases of lower rank */
    bool unsent;            /* in this step: active, but its VMs have not been started */
    bool too_big;           /* does not fit on the idle site */
    bool holds_future;      /* placed in the future by the backfilling rules, not started */
    bool needs_named_hosts; /* hosts cannot be counted for it (host_binding.h) */
    bool has_demand;        /* a node set has a demand, and so a filter (demand.h) */
};

#define HOST_NONE (UINT32_MAX - 1)

void reservation_list_append(struct reservation_list *list, struct reservation *r);
void reservation_list_finish(struct reservation_list *list);
/* Also frees the reservations; none may be booked. */
void reservation_list_destroy(struct reservation_list *list);

/* n_hosts: of the site. O(sets * (log sets + hosts)) at most. */
void lease_plan_create(struct lease *lease, size_t n_hosts);
void lease_plan_destroy(struct lease *lease);

/* The current stretch, or NULL if the lease never had one. */
struct vm_plan *lease_plan_current(const struct lease *lease);

/* The stretch that a reservation belonged to when its lease's plan was last published, or NULL
 * (preparation, left behind). */
struct vm_plan *lease_plan_of(const struct reservation *r);

/* The stretch whose VMs run now, or NULL. */
struct vm_plan *lease_plan_running(const struct lease *lease);

/* Hosts with the memory, and with the disk images, of a suspended lease; NULL: all hosts reach
 * them. */
const struct placement *lease_plan_memory(const struct lease *lease);
const struct placement *lease_plan_images(const struct lease *lease);

/* The start of the stretch's first operation, and the end of its last. */
int64_t vm_plan_start(const struct vm_plan *plan);
int64_t vm_plan_end(const struct vm_plan *plan);

/* Does the lease have a planned move off its hosts that has not begun? */
bool leaves_later(const struct lease *lease);

/* Appends an empty stretch and returns it. */
struct vm_plan *lease_plan_add(struct lease *lease);

/* Rebuilds lease->reservations from the plan; to be called after each change of the plan. */
void lease_plan_publish(struct lease *lease);

/* Is the lease suspended, whether it waits or its resumption is planned? */
bool lease_is_suspended(const struct lease *lease);
