/* engine.h: the scheduler. It decides; drivers make it happen.
 *
 * A driver (replay, daemon, test) calls engine_step() with every event and at the time of
 * engine_next_time(). The step returns operations and decisions as values, in the order of the
 * decisions. The same site, settings, policies and calls give the same results, bit for bit. The
 * engine has no clock, no I/O, no threads and no globals.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/policy.h"
#include "core/reservation.h"
#include "core/settings.h"
#include "core/site.h"
#include "util/error.h"

struct engine; /* opaque */

enum engine_input_kind {
    INPUT_REQUEST, /* a new lease: request (copied) */
    INPUT_CANCEL,  /* the lease is cancelled */
    INPUT_ENDED,   /* the lease's VMs ended before their planned end */
    INPUT_LAST,    /* no other will follow: queued leases that are too big end */
    INPUT_UNSENT, /* the lease has begun here, but nothing has been sent to start or resume its VMs:
                   * in this step, it makes room by going back to the queue, whatever its terms.
                   * Ignored unless it is a best-effort lease that is active or resuming */
};

struct engine_input {
    enum engine_input_kind kind;
    int64_t lease;                       /* CANCEL, ENDED, UNSENT: its id */
    const struct lease_request *request; /* REQUEST */
};

enum engine_output_kind {
    /* A lease changed state: from, to. */
    OUTPUT_STATE,
    /* The result of admission: accepted (else lease->reason states why not). Once per request. */
    OUTPUT_REQUESTED,
    /* A lease makes room: `lease` is the victim, `other` the lease it makes room for, at time `at`;
     * `how` is the means. */
    OUTPUT_PREEMPTED,
    /* An operation begins or is over: reservation. A live driver acts on these. */
    OUTPUT_OPERATION_STARTED,
    OUTPUT_OPERATION_ENDED,
    /* The lease's VMs run in [reservation->from, at), reservation is its current VM reservation.
     * Sent at its start and whenever its planned end moves afterwards, possibly in the same step.
     * The simulation computes premature ends from it. */
    OUTPUT_VM_INTERVAL,
    /* The lease reached a final state. The driver may read it and call engine_forget(). */
    OUTPUT_FINISHED,
    /* The lease's VM reservation is stopped and withdrawn (the lease is requeued or cancelled):
     * reservation is NULL. */
    OUTPUT_VM_WITHDRAWN,
    /* A reservation found no room and becomes a best-effort lease that starts no earlier than
     * requested (setting convert_reservations): lease->reason states why it did not fit. */
    OUTPUT_CONVERTED,
};

enum preemption_how { PREEMPTED_SUSPEND, PREEMPTED_REQUEUE, PREEMPTED_CANCEL };

struct engine_output {
    enum engine_output_kind kind;
    int64_t time;
    const struct lease *lease;
    const struct reservation *reservation; /* valid until the next step or engine_forget() */
    enum lease_state from, to;             /* STATE */
    bool accepted;                         /* REQUESTED */
    int64_t other;                         /* PREEMPTED */
    int64_t at;                            /* PREEMPTED, VM_INTERVAL */
    enum preemption_how how;               /* PREEMPTED */
};

/* Outputs of one step; reuse one for all steps. */
struct engine_outputs {
    struct engine_output *items;
    size_t n_items;
    size_t allocated;
};

void engine_outputs_init(struct engine_outputs *outputs);
void engine_outputs_finish(struct engine_outputs *outputs);

/* Site and settings are copied; policies and the data they point to must outlive the engine.
 * Errors: EINVAL (no hosts, rates of 0, ... with the option's name). */
struct engine *engine_create(const struct site *site, const struct engine_settings *settings,
                             const struct policy_hooks *policies, struct error *err);
void engine_destroy(struct engine *engine); /* NULL is allowed */

/* Advances time to `now` (never backwards) and applies the inputs. Order within a step: cancels,
 * early ends, planned ends, planned starts, requests and scheduling, starts and ends at this same
 * instant. Empties outputs first. Errors: EINVAL (time runs backwards, unknown lease, duplicate
 * id); the engine must then be destroyed. A lease that cannot be scheduled is not an error: it is
 * refused with a reason. */
int engine_step(struct engine *engine, int64_t now, const struct engine_input *inputs,
                size_t n_inputs, struct engine_outputs *outputs, struct error *err);

/* The time of the next planned start or end; the driver must step by then. INSTANT_NEVER: nothing
 * is planned. O(1). */
int64_t engine_next_time(const struct engine *engine);

/* Differs after each booking and release of hosts. */
uint64_t engine_bookings(const struct engine *engine);

/* The lease with that id, or NULL (unknown or forgotten). O(log leases). */
const struct lease *engine_lease(const struct engine *engine, int64_t id);

/* Calls visit for each lease not yet forgotten, by ascending id. */
void engine_each_lease(const struct engine *engine,
                       void (*visit)(void *context, const struct lease *lease), void *context);

/* Adds usage for fair share at the engine's time, before leases are adopted: the amount
 * (core/usage.h) of a user, in a group. No effect without fair share. */
void engine_use(struct engine *engine, int64_t user, int64_t group, double used);

/* Room on a host that the last pass over the queue kept from leases of lower priority. */
struct held_part {
    int64_t lease; /* the waiting lease that the room is held for */
    uint32_t host;
    struct amounts amounts;
};

/* All held room, valid until the next step. O(1). */
const struct held_part *engine_held(const struct engine *engine, size_t *n);

/* Drops a finished lease; migrations that outlive it keep it. EINVAL: unknown or not finished. */
int engine_forget(struct engine *engine, int64_t id, struct error *err);

/* Current accounting figures; O(1) unless stated otherwise. */
size_t engine_queue_length(const struct engine *engine);
bool engine_is_idle(const struct engine *engine); /* nothing booked, nothing queued */
/* Is a lease queued that does not fit on the idle site? O(queue). */
bool engine_queues_too_big(const struct engine *engine);
size_t engine_unfinished(const struct engine *engine, enum lease_kind kind);
/* CPU of the operations of one kind under way: VM, suspend, resume, shutdown; suspensions and
 * resumptions count the CPU that their VMs hold on the hosts involved (Haizea's cpu-utilization
 * probe). */
int64_t engine_cpu_used(const struct engine *engine, enum reservation_kind kind);
int64_t engine_cpu_total(const struct engine *engine);
int64_t engine_disk_used_most(const struct engine *engine); /* MB of images and memory files on the
                                                               fullest host; O(hosts) */
/* The time of the step under way, or of the last one. */
int64_t engine_now(const struct engine *engine);

/* Free amount of a resource type on a host (its place) at a time, now or later, net of bookings.
 * O(log n). */
int64_t engine_free(const struct engine *engine, uint32_t host, int type, int64_t at);
/* The time until which these amounts are free on a host, beginning at `from`, now or later: `from`
 * itself if they are not free then, INSTANT_NEVER if forever. O(log n + change points until then).
 */
int64_t engine_fits_until(const struct engine *engine, uint32_t host, const struct amounts *need,
                          int64_t from);
/* As engine_fits_until(), on each host, for a VM of the node set with its amounts and demand,
 * without its filter, at most `until`. limits[host] is for the host's place. O(hosts) times the
 * costs of engine_fits_until() and of the demand (demand.h). */
void engine_takes_until(const struct engine *engine, const struct node_set *nodes, int64_t from,
                        int64_t until, int64_t *limits);
/* Which hosts are out of service at that time (ADOPTED_CLOSING)? closed[host] is for the host's
 * place. O(hosts + bookings). */
void engine_closed_at(const struct engine *engine, int64_t at, bool *closed);
uint64_t engine_attempts(const struct engine *engine); /* leases tried so far */
const struct site *engine_site(const struct engine *engine);
