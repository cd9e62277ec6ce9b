/* lease.h: a request for VMs and its state in the engine.
 *
 * A request is made by a driver (trace reader, daemon, test) and copied by the engine. A lease
 * belongs to the engine; others may read it between two steps.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease_terms.h"
#include "core/reason.h"
#include "core/resources.h"
#include "util/instant.h"

struct host_filter;
struct reservation;
struct vm_demand;
struct lease_plan;

/* Kinds of leases, by how they request their time (Haizea: lease type). */
enum lease_kind {
    LEASE_BEST_EFFORT, /* as soon as there is room; waits in the queue */
    LEASE_IMMEDIATE,   /* now or never */
    LEASE_RESERVATION, /* advance reservation: at an exact time or not at all */
    LEASE_DEADLINE,    /* not before `start`, finished by `deadline`, accepted or refused at once */
};
enum { LEASE_KINDS = LEASE_DEADLINE + 1 };

/* "best-effort", "immediate", ...: stable words, in the store, in answers and on command lines. */
extern const char *const lease_kind_words[LEASE_KINDS];

/* Haizea's states with its numbers (0 to 17). */
enum lease_state {
    LEASE_NEW,
    LEASE_PENDING,
    LEASE_REJECTED,
    LEASE_SCHEDULED,
    LEASE_QUEUED,
    LEASE_CANCELLED,
    LEASE_PREPARING,
    LEASE_READY,
    LEASE_ACTIVE,
    LEASE_SUSPENDING,
    LEASE_SUSPENDED_PENDING,
    LEASE_SUSPENDED_QUEUED,
    LEASE_SUSPENDED_SCHEDULED,
    LEASE_MIGRATING,
    LEASE_RESUMING,
    LEASE_RESUMED_READY,
    LEASE_DONE,
    LEASE_FAILED,
    LEASE_STATES
};

/* A number of identical VMs. The VMs of a lease are numbered 1, 2, ... across its node sets. */
struct node_set {
    uint32_t count;
    uint32_t named;                  /* a bit for each type that the trace names, also with 0 */
    struct amounts amounts;          /* of one VM */
    const struct host_filter *hosts; /* NULL: any; the driver's, outlives the lease */
    const struct vm_demand *demand;  /* of each VM; NULL: none; the driver's, outlives the lease */
};

struct lease_request {
    int64_t id; /* unique, chosen by the driver */
    enum lease_kind kind;
    int64_t submit;            /* time of submission */
    int64_t start;             /* reservation: its start; deadline and best-effort: earliest start
                                * (INSTANT_NONE: none); immediate: INSTANT_NONE */
    int64_t deadline;          /* latest end; INSTANT_NONE: none */
    int64_t duration_original; /* seconds as requested, before overheads; or SPAN_UNLIMITED */
    int64_t duration;          /* seconds to be scheduled, overheads included; or SPAN_UNLIMITED */
    int64_t duration_known;    /* simulation only: actual run time, SPAN_NONE: `duration`; at
                                * most `duration` except with traces_with_longer_runs */
    LEASE_TERM_MEMBERS;        /* preemptible, terms, origin, priority, ... */
    int64_t user;              /* -1: unknown */
    int64_t group;             /* of the user; equal for all users if unknown */
    const char *user_name;     /* NULL: unknown; the driver's, outlives the lease */
    const char *group_name;    /* of the user; NULL: unknown; likewise */
    const struct node_set *node_sets;
    size_t n_node_sets; /* 1 or more */
    const char *image;  /* disk image needed before the start; NULL: none */
    int64_t image_size; /* MB */
};

struct lease {
    struct lease_request request; /* owns copies of node_sets and image */
    enum lease_state state;
    uint32_t n_vms; /* over all node sets */
    int64_t
        start_actual; /* last start from Ready (a resumption does not change it), or INSTANT_NONE */
    int64_t end;      /* its end, or INSTANT_NONE */
    int64_t accumulated;     /* seconds its VMs have run so far */
    int64_t duration_actual; /* accumulated at the end; SPAN_NONE before */
    struct reason reason;    /* why the lease waits, was refused, preempted, ... */

    /* The past and planned reservations: preparation first, then each VM reservation with the
     * operations before and after it around it (see reservation.h). */
    struct reservation **reservations;
    size_t n_reservations;
    size_t reservations_allocated;

    struct reservation *booked; /* written by the slot table: this lease's reservations in the table
                                 */
    struct lease_plan *plan;    /* private to the engine */
};

/* Haizea's words: "Best-effort", "AR", "Immediate", and "Deadline". */
const char *lease_kind_name(enum lease_kind kind);

/* Haizea's words: "New", "Suspended-Pending", ... */
const char *lease_state_name(enum lease_state state);

/* Is the state final? */
bool lease_state_is_final(enum lease_state state);

/* Total CPU of the lease's VMs. O(number of node sets). */
int64_t lease_cpu(const struct lease *lease);
/* The amounts requested for VM `vm` (0 = the first). O(number of node sets). */
const struct amounts *lease_vm_amounts(const struct lease *lease, uint32_t vm);
int64_t lease_vm_memory(const struct lease *lease, uint32_t vm);
/* The node set of a VM; the demand of a VM, or NULL. O(number of node sets). */
const struct node_set *lease_vm_set(const struct lease *lease, uint32_t vm);
const struct vm_demand *lease_vm_demand(const struct lease *lease, uint32_t vm);
