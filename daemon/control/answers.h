/* answers.h: what the daemon answers on its control socket (doc/control-protocol.md).
 *
 * Reads the store; everything else it asks of the daemon through a table of functions, so that it
 * can be tried without one.
 */
#ifndef GALERNA_DAEMON_ANSWERS_H
#define GALERNA_DAEMON_ANSWERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/control/control.h"
#include "daemon/control/order.h"
#include "daemon/store/store.h"
#include "util/error.h"

/* A host as last seen. */
struct host_view {
    int32_t id;
    const char *name, *cluster, *state; /* state: "on", "disabled", "offline", "error", ... */
    bool usable;                        /* VMs are placed there */
    int64_t cpu, memory;                /* what VMs may use: 1/100, MB */
    int64_t cpu_used, memory_used;      /* by VMs that are there now */
    uint32_t vms;
    int64_t quarantined_until; /* INSTANT_NONE: it is not quarantined */
};

/* Something a host is taken for: now or later. */
struct operation_view {
    int64_t lease;
    int32_t vm;          /* -1: not said */
    const char *what;    /* "run", "suspend", "resume", "migrate", "shutdown", "transfer" */
    int64_t from, until; /* until may be INSTANT_NEVER */
    int64_t cpu, memory; /* 1/100, MB */
    bool planned;        /* has not begun */
};

/* What a dry run found. */
struct order_trial {
    bool accepted;
    int64_t start;              /* INSTANT_NONE: never */
    bool contract;              /* start is a promise, not an estimate */
    char word[STORE_GROUP_MAX]; /* not accepted: the reason's stable word; "" */
    char text[1024];            /* for people: one line per finding */
};

/* What the answers need of the daemon. `context` is given to each. All but the optional ones must
 * be there. Errors become answers with "ok": false; EPERM and EACCES have the code "denied", ENOENT
 * "not-found", EINVAL "malformed", EAGAIN "not-ready", ENOSPC "refused". */
struct answers_daemon {
    void *context;

    int64_t (*now)(void *context); /* seconds since 1970 */

    /* Add facts for `galerna status` to an object: "version", "mode", "opennebula": {"endpoint",
     * "version", "leader", "reached", "last_poll"}, "started", "cycles", "policies", ... */
    void (*status)(void *context, json_t *object);

    void (*each_host)(void *context, void (*visit)(void *visitor, const struct host_view *host),
                      void *visitor);

    /* What a host (OpenNebula's id) holds, in any order. -1 with err: no such host, no plan yet;
     * EINPROGRESS: the request is handled again later, and answered with control_answer(). */
    int (*each_operation)(void *context, int32_t host,
                          void (*visit)(void *visitor, const struct operation_view *operation),
                          void *visitor, struct error *err);

    /* Waiting leases in the order of the queue, into room for `room` ids; how many there are.
     * Optional: by priority, then by age. */
    size_t (*queue)(void *context, int64_t *ids, size_t room);

    /* What a lease that is on its way waits for at `now`: "VM 3 (SAVE_STOP) to leave host 1"; "":
     * not known. Optional. */
    void (*waits_for)(void *context, const struct lease_record *lease, int64_t now, char *text,
                      size_t size);

    /* Begin to end a lease. who: for the history. */
    int (*cancel)(void *context, int64_t lease, const char *who, struct error *err);

    /* Would it fit? The store is not changed. EINPROGRESS: as above. */
    int (*dry_run)(void *context, const struct order *order, struct order_trial *trial,
                   struct error *err);

    /* Make the VMs of a checked order. 0: the answer comes (or has come) with
     * control_answer(ticket, answers_requested() or answers_refused()); VMs made before a later one
     * failed are the daemon's to remove. -1 with err: nothing was done. */
    int (*request)(void *context, const struct order *order, const struct control_peer *peer,
                   struct error *err);

    void (*wake)(void *context); /* OpenNebula has news */

    /* Load the policy modules anew; what was is kept when it fails. Optional. */
    int (*reload_policies)(void *context, struct error *err);
    /* Let a module that is out of service work again. Optional. */
    /* End the quarantine of a host. -1 with err: it is not quarantined. */
    int (*release_host)(void *context, int32_t host, const char *who, struct error *err);
    int (*enable_policy)(void *context, const char *module, struct error *err);
};

struct answers; /* opaque */

/* Both must outlive it. */
struct answers *answers_create(struct store *store, const struct answers_daemon *daemon);
void answers_destroy(struct answers *answers); /* NULL is allowed */

/* A control_handler; context is the struct answers. Root, the daemon's user and members of the
 * control group may do everything; whoever else reaches the socket may only read. */
json_t *answers_handle(void *context, const struct control_peer *peer, const json_t *request);

/* The answer to a lease-request whose VMs are there; ids need not be in order. */
json_t *answers_requested(const int32_t *vms, size_t n);
/* {"ok": false, ...} from an error; NULL from EINPROGRESS. */
json_t *answers_refused(const struct error *err);

#endif
