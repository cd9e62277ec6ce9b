/* answers.h: the daemon's answers on its control socket (doc/control-protocol.md).
 *
 * Reads the store directly and calls everything else through a table of functions, so tests need no
 * daemon.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/fair_share.h"
#include "daemon/control/account.h"
#include "daemon/control/control.h"
#include "daemon/control/order.h"
#include "daemon/planner/planner.h"
#include "daemon/store/awaited.h"
#include "daemon/store/booking.h"
#include "daemon/store/store.h"
#include "util/error.h"

struct drain_times {
    int64_t from, until; /* INSTANT_NEVER: until an operator ends it */
    const char *booking; /* "": none */
};

/* A host as last observed. */
struct host_view {
    int32_t id;
    const char *name, *cluster, *state; /* state: "on", "disabled", "offline", "error", ... */
    bool usable;                        /* VMs may be placed there */
    int64_t cpu, memory;                /* capacity for VMs: 1/100, MB */
    int64_t cpu_used, memory_used;      /* by the VMs there now */
    uint32_t vms, unread;               /* number of VMs there that cannot be read */
    int64_t unread_cpu, unread_memory;  /* room kept free for these */
    int64_t quarantined_until;          /* INSTANT_NONE: not quarantined */
    const struct drain_times *drains;   /* current and future, ascending */
    size_t n_drains;
};

enum { HOSTS_ALL = -1, HOSTS_DRAINED = -2 };

struct drain_order {
    const int32_t *hosts;
    size_t n_hosts;
    bool any;            /* book any n_hosts hosts that are free then; `hosts` is NULL */
    const char *cluster; /* for `any`: only hosts of this cluster; NULL: of all */
    int64_t from, until; /* INSTANT_NEVER: until an operator ends it */
    bool dry_run;
    const struct booking *booking; /* admitted users and groups; NULL: a drain, not a booking */
    const char *user; /* the OpenNebula user, whose booking may not affect others; NULL: an
                         operator */
};

enum { DRAIN_COUNT_MOST = 10000 };

struct undrain_order {
    int32_t host;
    int64_t at; /* ends the drain that includes this time; INSTANT_NONE: the first drain */
    bool all;   /* also ends all later ones */
};

/* The effects of an order, or of its dry run. */
struct drain_result {
    bool accepted;
    const int32_t *hosts; /* drained or booked */
    size_t n_hosts;
    const struct drained_vm *vms; /* on these hosts */
    size_t n_vms;
    const int32_t *out_of_service; /* of the booked hosts: those that take no VMs */
    size_t n_out;
    char unknown[2 * BOOKING_NAMES_MOST + 2]; /* admitted users who do not exist, groups without
                                                 users, separated by commas */
    const int64_t *unplaced; /* leases that lose their promised place, or wait for it in vain */
    size_t n_unplaced;
    char word[STORE_GROUP_MAX]; /* not accepted: the reason; else "" */
    char text[STORE_TEXT_MAX];  /* likewise; accepted: which booked hosts are not in service, which
                                   users and groups do not exist, or "" */
    int64_t instead_from;       /* not accepted: start of an alternative of the same length;
                                   INSTANT_NONE: unknown */
    const int32_t *instead;     /* hosts of the alternative */
    size_t n_instead;
};

struct drain_viewer {
    void (*show)(void *context, const struct drain_result *result);
    void *context;
};

struct unbook_order {
    const char *booking;
    int64_t at; /* INSTANT_NONE: now */
    bool dry_run;
    const char *user; /* the required owner; NULL: an operator */
};

struct rebalance_order {
    const char *name; /* of the cluster; NULL: `id` names the cluster */
    int64_t id;
    enum { REBALANCE_APPLIED, REBALANCE_SHOWN, REBALANCE_DROPPED } action;
};

struct rebalance_move_view {
    int32_t vm, from, to;
    int64_t lease;
    const char *state; /* "planned", "waits", "moves", "there", "stays" */
};

/* A plan to rebalance a cluster. */
struct rebalance_view {
    int32_t cluster;
    const char *name, *policy, *automation;
    const char *state; /* "planned", "ready", "applied", "dropped" */
    int64_t made;
    size_t n_moves, n_hosts, n_unread;
    struct rebalance_move_view *moves;
    struct rebalance_host_view {
        int32_t host;
        double before, after; /* percent of the host's capacity in use */
    } * hosts;
};

/* A requested change of a lease. */
struct change_order {
    int64_t lease;
    const struct lease_change *change;
    bool dry_run;    /* only try */
    const char *who; /* for the history */
};

/* Result of a change of a lease, or of its dry run. */
struct lease_trial {
    bool accepted;
    int64_t in_the_way;         /* not accepted: the lease with a promise that the change would
                                   break; -1 */
    int64_t start, duration;    /* not accepted: the nearest alternative; INSTANT_NONE, SPAN_NONE */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word; "" */
    struct told_reason reason;  /* not accepted, and not because of `in_the_way` */
    char text[STORE_TEXT_MAX];  /* the changes, or the reason */
    struct victims victims;
};

/* A current or planned operation on a host. */
struct operation_view {
    int64_t lease;       /* -1: by a VM that is not in a lease of the plan */
    int32_t vm;          /* -1: unspecified */
    const char *what;    /* "run", "suspend", "resume", "migrate", "shutdown", "transfer"; "hold":
                          * room is kept free for the lease, which waits for more */
    int64_t from, until; /* until may be INSTANT_NEVER; hold: INSTANT_NONE */
    int64_t cpu, memory; /* 1/100, MB */
    bool planned;        /* has not begun */
};

/* The daemon's functions for answers, called with `context`. All but the optional ones are
 * required. Errors become answers with "ok": false; EPERM and EACCES have the code "denied", ENOENT
 * "not-found", EINVAL "malformed", EAGAIN "not-ready", ENOSPC "refused". */
struct answers_daemon {
    void *context;

    int64_t (*now)(void *context); /* seconds since 1970 */

    /* Add facts for `galerna status` to an object: "version", "mode", "opennebula": {"endpoint",
     * "version", "leader", "reached", "last_poll"}, "started", "cycles", "policies", ... */
    void (*status)(void *context, json_t *object);

    /* Why the data from OpenNebula may be outdated, and since when. Returns the reason's word;
     * NULL: the data are current. */
    const char *(*outdated)(void *context, char *text, size_t size, int64_t *since);
    /* Numbers that change whenever OpenNebula has been read, and whenever its hosts have changed
     * other than in their load. */
    uint64_t (*readings)(void *context);
    uint64_t (*host_changes)(void *context);

    /* which: the id of a host, HOSTS_ALL, or HOSTS_DRAINED (drained now or later). O(hosts x
     * drains), plus O(VMs) unless called in the last second; O(1) if no host is drained. */
    void (*each_host)(void *context, int32_t which,
                      void (*visit)(void *visitor, const struct host_view *host), void *visitor);

    /* Find a host by `name` or, if that is NULL, by the id *id. Returns its name and sets *id to
     * its id; NULL: not found. */
    const char *(*host_name)(void *context, const char *name, int64_t *id);

    /* Visit the operations on a host (OpenNebula's id), in any order. -1 with err: no such host, or
     * no plan yet; EINPROGRESS: the request is handled again later and answered by
     * control_answer(). */
    int (*each_operation)(void *context, int32_t host,
                          void (*visit)(void *visitor, const struct operation_view *operation),
                          void *visitor, struct error *err);

    /* The users' usage at `now`, which orders leases of equal priority; to be destroyed. NULL: age
     * orders them. Optional. */
    struct fair_share *(*shares)(void *context, int64_t now);

    /* The VM that a starting, stopping, ending or late lease waits for at `now`. Optional. */
    struct awaited (*waits_for)(void *context, const struct lease_record *lease, int64_t now);

    /* Add the trace of the decision about a lease that has not started to an object. EINPROGRESS:
     * as each_operation(). */
    int (*trace)(void *context, int64_t lease, json_t *object, struct error *err);

    /* The usage by user or group, to be freed; *period becomes the period of the rows. NULL with
     * err; EINPROGRESS: as each_operation(). */
    struct account_row *(*usage)(void *context, struct account_period *period, size_t *n,
                                 struct error *err);

    /* Start ending a lease. who: for the history. */
    int (*cancel)(void *context, int64_t lease, const char *who, struct error *err);

    /* Put a lease on hold until it is released. */
    int (*hold)(void *context, int64_t lease, const char *who, struct error *err);

    /* Change a lease, or try the change. 0 with *trial, also for a refusal, which changes nothing.
     * EINPROGRESS: as each_operation(). */
    int (*change)(void *context, const struct change_order *order, struct lease_trial *trial,
                  struct error *err);

    /* Would the order fit? The store does not change. EINPROGRESS: as each_operation(). */
    int (*dry_run)(void *context, const struct order *order, struct planner_trial *trial,
                   struct error *err);

    /* Create the VMs of a checked order. 0: control_answer(ticket, answers_requested() or
     * answers_refused()) sends the answer or has sent it; if a VM fails, the daemon removes those
     * already created. -1 with err: nothing was done. */
    int (*request)(void *context, const struct order *order, const struct control_peer *peer,
                   struct error *err);

    void (*wake)(void *context); /* OpenNebula has changes */

    /* Reload the policy modules; on failure the old ones remain in use. Optional. */
    int (*reload_policies)(void *context, struct error *err);
    /* Drain or book hosts and show the effects; dry_run: only show them. EINPROGRESS: as
     * each_operation(). */
    int (*drain)(void *context, const struct drain_order *order, const char *who,
                 const struct drain_viewer *viewer, struct error *err);
    /* Show the plan of a cluster, making one if necessary; apply or drop it if ordered.
     * EINPROGRESS: as each_operation(). */
    int (*rebalance)(void *context, const struct rebalance_order *order, const char *who,
                     void (*show)(void *viewer, const struct rebalance_view *plan), void *viewer,
                     struct error *err);
    /* -1 with err: the host is not drained. */
    int (*undrain)(void *context, const struct undrain_order *order, const char *who,
                   struct error *err);

    /* End a booking on all its hosts, now or at a time, and show the effects. -1 with err: there is
     * no such booking, or another user owns it. EINPROGRESS: as each_operation(). */
    int (*unbook)(void *context, const struct unbook_order *order, const char *who,
                  const struct drain_viewer *viewer, struct error *err);
    /* Visit all bookings (user: NULL), or those that a user owns or that admit the user. */
    void (*each_booking)(void *context, const char *user,
                         void (*visit)(void *visitor, const struct booking *booking),
                         void *visitor);

    /* End the quarantine of a host. -1 with err: the host is not quarantined. */
    int (*release_host)(void *context, int32_t host, const char *who, struct error *err);
    /* Add the level of each subsystem of the log to an object. */
    void (*log_levels)(void *context, json_t *object);
    /* Set the level of a subsystem, or of all (NULL). EINVAL: unknown level or subsystem. */
    int (*log_set)(void *context, const char *level, const char *subsystem, struct error *err);
    /* Enable a module that is out of service. Optional. */
    int (*enable_policy)(void *context, const char *module, struct error *err);
};

struct answers; /* opaque */

/* Both arguments must outlive the result. */
struct answers *answers_create(struct store *store, const struct answers_daemon *daemon);
void answers_destroy(struct answers *answers); /* NULL is allowed */

/* A number that differs after each change that an answer could show, except the passing of time. */
uint64_t answers_state(const struct answers *answers);

/* A control_handler; context is the struct answers. Root, the daemon's user and members of the
 * control group may do everything; all other users may only read. */
json_t *answers_handle(void *context, const struct control_peer *peer, const json_t *request);

enum { VICTIMS_TEXT_MAX = (VICTIMS_SHOWN + 1) * 160 };

/* The leases that would make room: a line each appended to a text, values, or both in an answer. */
void answers_add_victims(char *text, size_t size, const struct victims *victims);
json_t *json_from_reason(const struct told_reason *told); /* as of leases; null: none */
json_t *json_from_victims(const struct victims *victims);
void answers_put_victims(json_t *answer, const struct victims *victims);

/* The answer to a lease-request whose VMs were created; sorts their ids. */
json_t *answers_requested(int32_t *vms, size_t n);
/* {"ok": false, ...} for an error; NULL for EINPROGRESS. */
json_t *answers_refused(const struct error *err);
