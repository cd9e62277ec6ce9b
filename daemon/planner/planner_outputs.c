#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/live/lease_state.h"
#include "daemon/live/moves.h"
#include "daemon/live/vm_state.h"
#include "daemon/log.h"
#include "daemon/planner/planner_inside.h"
#include "util/time_text.h"

void lease_time_text(int64_t instant, char *text, size_t size)
{
    if (instant == INSTANT_NONE)
        snprintf(text, size, "an unknown time");
    else
        time_text_local(instant, text, size);
}

/* What a VM of the lease asks for, where the reason is lack of room. */
static void add_size(const struct planner *planner, const struct lease_record *lease,
                     const struct reason *reason, char *text, size_t size)
{
    size_t n, length = strlen(text);
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    if (n && (reason->id == REASON_NO_ROOM_NOW || reason->id == REASON_NO_ROOM_AT_START ||
              reason->id == REASON_NO_ROOM_AT_ONCE || reason->id == REASON_OTHERS_WOULD_BE_LATE))
        snprintf(text + length, size - length, " (%lld.%02lld CPU and %lld MB each)",
                 (long long)(vms[0]->cpu / 100), (long long)(vms[0]->cpu % 100),
                 (long long)vms[0]->memory);
}

static void set_reason(struct planner *planner, const struct lease_record *lease,
                       const struct reason *reason)
{
    char text[STORE_TEXT_MAX];

    reason_format(reason, text, sizeof text, lease_time_text);
    add_size(planner, lease, reason, text, sizeof text);
    lease_explain(planner->store, lease, reason_word(reason), text, INSTANT_NONE);
}

/* Where the engine wants the lease's VMs. */
static void take_hosts(struct planner *planner, const struct lease_record *lease,
                       const struct placement *placement)
{
    const struct planned *planned = lease->planned;

    for (uint32_t i = 0; i < placement->n_vms; i++)
        if (placement->vms[i].vm < planned->n_vms)
            vm_place(planner->store, store_vm(planner->store, planned->vms[placement->vms[i].vm]),
                     planner->hosts->pool.items[placement->vms[i].host].id);
}

const struct reservation *planned_stretch(const struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM &&
            lease->reservations[i]->state == RESERVATION_SCHEDULED)
            return lease->reservations[i];
    return NULL;
}

/* VMs run, or are resumed, on these hosts from now on. The engine resumes those of one host one
 * after the other; here all are told at once, or a crash in between would leave some behind. */
static void start_lease(struct planner *planner, const struct lease_record *lease, int64_t now,
                        const struct reservation *r)
{
    bool resumes = lease_is_suspended_by_us(planner, lease);
    const struct reservation *stretch = r->kind == RESERVATION_VM ? r : planned_stretch(r->lease);

    /* One that is being stopped waits again when it is, and is planned for then: where its VMs go
     * must not change while they are on their way. */
    if (!lease_can(lease, EVENT_START))
        return;
    if (stretch)
        r = stretch;
    take_hosts(planner, lease, r->placement);
    lease_apply(planner->store, lease, resumes ? EVENT_RESUME : EVENT_START, now,
                "on %u host%s, the first is %s", r->placement->n_hosts,
                r->placement->n_hosts == 1 ? "" : "s",
                planner->hosts->pool.items[r->placement->hosts[0]].name);
}

static void stop_lease(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    if (lease_can(lease, EVENT_SUSPEND))
        lease_apply(planner->store, lease, EVENT_SUSPEND, now, "%s", lease->reason);
}

/* The engine counts from the planned start; reality may be late, and the time is the user's. */
static void end_lease(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    if (!lease_can(lease, EVENT_GIVES_WAY)) /* it holds no hosts */
        return;
    lease->planned->end = INSTANT_NONE;
    if (lease_is_over(lease, now))
        lease_apply(planner->store, lease, EVENT_TIME_OVER, now, "its time is over");
}

static void admitted(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    char when[64];

    lease_time_text(lease->kind == LEASE_RESERVATION ? lease->start : lease->deadline, when,
                    sizeof when);
    if (lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE)
        lease_apply(planner->store, lease, EVENT_ACCEPTED, now, "%s %s",
                    lease->kind == LEASE_RESERVATION ? "starts" : "ends by", when);
    else
        lease_apply(planner->store, lease, EVENT_ACCEPTED, now,
                    lease->kind == LEASE_IMMEDIATE ? "starts at once" : "waits for room");
}

/* No host is large enough at present: others may come. */
static void too_big(struct planner *planner, const struct lease_record *lease,
                    const struct lease *known)
{
    const struct host_pool *pool = &planner->hosts->pool;
    const struct amounts *vm = &known->request.node_sets[0].amounts;
    int64_t cpu = 0, memory = 0;
    char text[STORE_TEXT_MAX];

    for (size_t i = 0; i < pool->n; i++) {
        if (pool->items[i].cpu > cpu)
            cpu = pool->items[i].cpu;
        if (pool->items[i].memory > memory)
            memory = pool->items[i].memory;
    }
    snprintf(text, sizeof text,
             "No host that it may use has the capacity: %u VM%s of %lld.%02lld CPU and %lld MB "
             "asked for; the largest host has %lld.%02lld CPU and %lld MB",
             known->n_vms, known->n_vms == 1 ? "" : "s", (long long)(vm->of[RESOURCE_CPU] / 100),
             (long long)(vm->of[RESOURCE_CPU] % 100), (long long)vm->of[RESOURCE_MEMORY],
             (long long)(cpu / 100), (long long)(cpu % 100), (long long)memory);
    if (lease_explain(planner->store, lease, "too-big", text, INSTANT_NONE))
        lease_expect(planner->store, lease, INSTANT_NONE, lease->contract);
}

static bool may_fit_later(const struct lease *known)
{
    return known->request.kind == LEASE_BEST_EFFORT && known->request.deadline == INSTANT_NONE &&
           (known->reason.id == REASON_TOO_BIG || known->reason.id == REASON_NO_HOST_ALLOWED);
}

void planner_note_rejection(struct planner *planner, const struct lease_record *lease)
{
    const struct lease *known = engine_lease(planner->engine, lease->id);

    if (!known)
        return;
    if (may_fit_later(known))
        too_big(planner, lease, known);
    else
        set_reason(planner, lease, &known->reason);
}

static void finished(struct planner *planner, const struct lease_record *lease,
                     const struct engine_output *output, int64_t now)
{
    enum lease_state state = output->lease->state;

    lease->planned->in_engine = false;
    if (state == LEASE_DONE) {
        end_lease(planner, lease, now);
    } else if (state == LEASE_REJECTED && may_fit_later(output->lease)) {
        too_big(planner, lease, output->lease);
    } else if (state == LEASE_REJECTED) {
        char text[STORE_TEXT_MAX];

        reason_format(&output->lease->reason, text, sizeof text, lease_time_text);
        add_size(planner, lease, &output->lease->reason, text, sizeof text);
        lease_refuse(planner->store, lease, now, reason_word(&output->lease->reason), text);
    } else if (state == LEASE_CANCELLED && lease_can(lease, EVENT_GIVES_WAY)) {
        set_reason(planner, lease, &output->lease->reason);
        lease_apply(planner->store, lease, EVENT_GIVES_WAY, now, "%s", lease->reason);
    }
}

static bool keeps_its_work(const struct planner *planner, const struct lease_record *lease)
{
    size_t n;

    store_vms_of(planner->store, lease->id, &n);
    return lease->terms != TERMS_RESTARTABLE &&
           (planner->settings.engine.suspension == SUSPENSION_ALL ||
            (planner->settings.engine.suspension == SUSPENSION_SERIAL_ONLY && n == 1));
}

/* There is no room for the reservation, and the operator lets it wait for some: from its start on.
 */
static void converted(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    char when[64];

    lease_time_text(lease->start, when, sizeof when);
    lease_apply(planner->store, lease, EVENT_CONVERTED, now,
                "no room for a reservation at %s: it waits for room from then on", when);
}

static void preempted(struct planner *planner, const struct lease_record *lease,
                      const struct engine_output *output, int64_t now)
{
    bool again = output->how == PREEMPTED_REQUEUE && !keeps_its_work(planner, lease);
    char when[64];

    set_reason(planner, lease, &output->lease->reason);
    if (!lease_note_preemption(planner->store, lease, output->other, output->at))
        return; /* each plan says so again */
    lease_time_text(output->at, when, sizeof when);
    store_history(planner->store, lease->id, now, "preempted", "%s at %s for lease %lld",
                  again                             ? "to be restarted"
                  : output->how == PREEMPTED_CANCEL ? "to be ended"
                                                    : "to be suspended",
                  when, (long long)output->other);
}

/* The engine has no time to suspend it and puts it back at once. Real VMs are suspended even so,
 * and what they make room for begins a little later, unless their work is to be lost by their
 * terms. Either takes time, of which the next plan knows. */
static void withdrawn(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    bool again = !keeps_its_work(planner, lease);

    if (!lease_can(lease, EVENT_SUSPEND))
        return;
    lease_apply(planner->store, lease, again ? EVENT_RESTART : EVENT_SUSPEND, now, "%s",
                lease->reason);
    lease->planned->in_engine = false;
    planner->outdated = true;
}

/* VMs that run go to better hosts. */
static void move_lease(struct planner *planner, const struct lease_record *lease, int64_t now,
                       const struct reservation *r)
{
    const struct planned *planned = lease->planned;
    const struct placement *moves = r->placement;

    if (!lease_can(lease, EVENT_SUSPEND)) /* it holds no hosts */
        return;
    set_reason(planner, lease, &r->lease->reason);
    for (uint32_t i = 0; i < moves->n_vms; i++) {
        const struct vm_record *vm;

        if (moves->vms[i].vm >= planned->n_vms)
            continue;
        vm = store_vm(planner->store, planned->vms[moves->vms[i].vm]);
        vm_plan_move(planner->store, vm, planner->hosts->pool.items[moves->vms[i].host].id,
                     planner->moves_cold);
        store_history(planner->store, lease->id, now, "moving", "VM %d from host %d to host %d: %s",
                      vm->id, vm->host, vm->move_to, lease->reason);
    }
}

static void operation_started(struct planner *planner, const struct lease_record *lease,
                              const struct reservation *r, int64_t now)
{
    if (r->kind == RESERVATION_VM || r->kind == RESERVATION_RESUME)
        start_lease(planner, lease, now, r);
    else if (r->kind == RESERVATION_SUSPEND)
        stop_lease(planner, lease, now);
    else if (r->kind == RESERVATION_MEMORY_MIGRATION)
        move_lease(planner, lease, now, r);
    else if (r->kind == RESERVATION_SHUTDOWN)
        end_lease(planner, lease, now);
}

static void take_output(struct planner *planner, const struct engine_output *output, int64_t now)
{
    const struct lease_record *lease = output->lease->request.id >= BLOCK_BASE
                                           ? NULL
                                           : store_lease(planner->store, output->lease->request.id);

    if (!lease || !lease->planned)
        return;
    switch (output->kind) {
    case OUTPUT_REQUESTED:
        if (output->accepted)
            admitted(planner, lease, now);
        break;
    case OUTPUT_CONVERTED:
        converted(planner, lease, now);
        break;
    case OUTPUT_PREEMPTED:
        preempted(planner, lease, output, now);
        break;
    case OUTPUT_OPERATION_STARTED:
        operation_started(planner, lease, output->reservation, now);
        break;
    case OUTPUT_VM_INTERVAL:
        lease->planned->end = output->reservation->until;
        break;
    case OUTPUT_VM_WITHDRAWN:
        withdrawn(planner, lease, now);
        break;
    case OUTPUT_FINISHED:
        finished(planner, lease, output, now);
        break;
    default:
        break;
    }
}

void planner_take_outputs(struct planner *planner, int64_t now)
{
    for (size_t i = 0; i < planner->outputs.n_items; i++)
        take_output(planner, &planner->outputs.items[i], now);
    for (size_t i = 0; i < planner->outputs.n_items; i++)
        if (planner->outputs.items[i].kind == OUTPUT_FINISHED)
            engine_forget(planner->engine, planner->outputs.items[i].lease->request.id, NULL);
}

/* --- what waits ------------------------------------------------------------------------------- */

/* When what is planned for it next begins, its resumption included; INSTANT_NONE: nothing is. */
static int64_t planned_begin(const struct lease *known)
{
    for (size_t i = 0; i < known->n_reservations; i++) {
        const struct reservation *r = known->reservations[i];

        if ((r->kind == RESERVATION_RESUME || r->kind == RESERVATION_VM) &&
            r->state == RESERVATION_SCHEDULED)
            return r->from;
    }
    return INSTANT_NONE;
}

/* When a deadline lease goes on after a suspension: it keeps that place when another engine takes
 * over. While it is still being resumed, that is what is planned next. */
static void note_resumption(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    const struct lease *known = engine_lease(planner->engine, lease->id);
    int64_t at;

    if (!known || known->state == LEASE_RESUMING || known->state == LEASE_RESUMED_READY)
        return;
    at = planned_begin(known);
    if (at != INSTANT_NONE || lease->expected > now)
        lease_expect(planner->store, lease, at, lease->contract);
}

/* The promised start of a reservation, and the planned one of others. What waits without one gets
 * an estimate (planner_forecast()). */
static void note_expectation(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    const struct lease *known = engine_lease(planner->engine, lease->id);
    bool contract = lease->phase == PHASE_RESERVED && lease->kind == LEASE_RESERVATION;
    const struct reservation *next;
    int64_t expected;

    if (!known)
        return;
    next = planned_stretch(known);
    set_reason(planner, lease, &known->reason);
    if (lease->phase == PHASE_WAITING) {
        if (next)
            planner_estimate(planner, lease, next->from, now);
        lease_note_far(planner->store, lease, lease->is_far && !next);
        return;
    }
    expected = contract ? lease->start : planned_begin(known);
    if (next)
        take_hosts(planner, lease, next->placement);
    lease_expect(planner->store, lease, expected, contract);
}

void planner_note_expectations(struct planner *planner, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = leases[i];

        if (!lease->planned || !lease->planned->in_engine)
            continue;
        if (lease->phase == PHASE_WAITING || lease->phase == PHASE_RESERVED)
            note_expectation(planner, lease, now);
        else if (lease->kind == LEASE_DEADLINE &&
                 (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STOPPING))
            note_resumption(planner, lease, now);
    }
    planner_want_forecast(planner);
}
