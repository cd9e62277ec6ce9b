/* lease_order.h: requests to galernad for a new lease, and for a change of a lease. Times are
 * seconds since 1970.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"
#include "daemon/store/store.h"

/* Names of groups of orders: this prefix and a number. */
#define ORDER_GROUP_PREFIX "galerna-"

enum { ORDER_SIZES_MAX = 16 };

/* VMs of one size. */
struct order_size {
    uint32_t count;
    int64_t cpu, memory; /* of one VM, 1/100 and MB; 0: from the template */
};

/* A new lease (`galerna lease request`). */
struct order {
    enum lease_kind kind;
    struct order_size sizes[ORDER_SIZES_MAX];
    size_t n_sizes;
    uint32_t count;   /* VMs of all sizes */
    int32_t template; /* OpenNebula's template to instantiate; -1: none, the VMs have no disks */
    int64_t start;    /* reservation; INSTANT_NONE */
    int64_t earliest; /* best-effort and deadline: not before; INSTANT_NONE */
    int64_t deadline; /* INSTANT_NONE */
    int64_t duration; /* seconds, or SPAN_UNLIMITED */
    LEASE_TERM_MEMBERS;
    char name[STORE_NAME_MAX]; /* "": none */
    const char *user;          /* the OpenNebula user who requests the lease; NULL: the daemon's
                                * account */
    const char *session;       /* of that user; `user` and `session` belong to the request */
};

/* New times, kind, terms or size of a lease (`galerna lease change`). */
struct lease_change {
    int64_t duration;    /* total, seconds, or SPAN_UNLIMITED; SPAN_NONE: unchanged */
    int64_t start;       /* of a reservation; of other leases, the earliest start; INSTANT_NONE:
                          * unchanged */
    int64_t deadline;    /* of a deadline lease; INSTANT_NONE: unchanged */
    int64_t cpu, memory; /* of each of its VMs, 1/100 and MB; 0: unchanged */
    bool releases;       /* the lease is on hold and returns to the queue; nothing else changes */
    bool changes_kind;
    enum lease_kind kind;           /* best-effort, reservation or deadline */
    unsigned given;                 /* bits 1 << enum term_id: terms that change */
    struct term_values term_values; /* their values */
};
