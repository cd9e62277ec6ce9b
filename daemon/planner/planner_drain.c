/* Answers what a drain of hosts would do: plans on a temporary engine and reads the plan VM by
 * VM. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/instant.h"
#include "util/memory.h"

struct drain_trial {
    struct map planned; /* of the trial */
    struct drains drains;
    int64_t now;
    struct hosts_seen *hosts;
    struct drained_vm *vms;
    size_t n, allocated;
    int64_t *unplaced;
    size_t n_unplaced, unplaced_allocated;
    planner_drained *drained;
};

static void drain_trial_destroy(struct drain_trial *drain)
{
    planned_drop_all(&drain->planned);
    map_finish(&drain->planned);
    hosts_release(drain->hosts);
    drains_finish(&drain->drains);
    free(drain->vms);
    free(drain->unplaced);
    free(drain);
}

static struct drained_vm *find(const struct drain_trial *drain, int32_t vm)
{
    for (size_t i = 0; i < drain->n; i++)
        if (drain->vms[i].vm == vm)
            return &drain->vms[i];
    return NULL;
}

/* The VM with that number in the trial's engine, if on a drained host. */
static struct drained_vm *planned_vm(const struct drain_trial *drain, int64_t id, uint32_t number)
{
    const struct planned *planned = planned_of(&drain->planned, id);

    return planned && number < planned->n_vms ? find(drain, planned->vms[number]) : NULL;
}

/* --- before the answer ------------------------------------------------------------------------ */

static void note_departure(const struct planner *planner, struct drained_vm *item)
{
    const struct lease_record *lease = store_lease(planner->store, item->lease);

    if (!lease || item->how != DRAINED_STAYS || !store_is_preempted(lease))
        return;
    item->for_lease = lease->preempted_for;
    item->leaves = store_leaves_at(lease);
}

/* Why the VM stays unless the plan tells. */
static struct known_cause cause_of(const struct planner *planner, const struct lease_record *lease,
                                   int32_t vm)
{
    if (lease->phase == PHASE_REFUSED)
        return (struct known_cause){"refused", "its lease was refused"};
    if (lease->phase == PHASE_FAILED)
        return (struct known_cause){"failed", "its lease has failed"};
    if (!world_vm(planner->world, vm)->full)
        return (struct known_cause){
            "not-read", "its template has not been read yet; try again in a few seconds"};
    if (store_is_preempted(lease))
        return (struct known_cause){0};
    return (struct known_cause){"not-planned", "not planned yet; try again in a few seconds"};
}

static void takes_reason(struct drained_vm *vm, const struct reason *reason)
{
    vm->cause = (struct known_cause){0};
    store_tell_reason(&vm->reason, reason);
}

/* Unless it is suspended earlier. at: INSTANT_NONE: it is, or is being suspended. */
static void is_suspended(struct drained_vm *vm, int64_t at, int64_t for_lease)
{
    if (vm->how == DRAINED_SUSPENDED && (vm->at == INSTANT_NONE || vm->at <= at))
        return;
    vm->how = DRAINED_SUSPENDED;
    vm->at = at;
    vm->cause = (struct known_cause){0};
    vm->reason.id = REASON_NONE;
    vm->for_lease = for_lease;
}

/* Is the lease off its hosts before the drain begins, because another lease gets them? */
static bool is_preempted_first(const struct lease_record *lease, const struct drain *on)
{
    return store_is_preempted(lease) && !store_moves_away(lease) &&
           store_leaves_at(lease) <= on->from;
}

/* The VM's fate unless the plan changes it. */
static void add_vm(struct drain_trial *drain, const struct planner *planner,
                   const struct vm_record *vm, const struct drain *on, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, vm->lease);
    int64_t end = lease_end_from(lease, now);
    bool ends = lease->phase == PHASE_ENDING || lease_ends_before(lease, on->from, now);
    struct drained_vm *item;

    MEMORY_GROW(drain->vms, drain->allocated, drain->n + 1);
    item = &drain->vms[drain->n++];
    *item = (struct drained_vm){.how = ends ? DRAINED_ENDS : DRAINED_STAYS,
                                .vm = vm->id,
                                .host = vm->host,
                                .to = -1,
                                .lease = lease->id,
                                .for_lease = -1,
                                .at = ends && end != INSTANT_NEVER ? end : INSTANT_NONE};
    if (vm_moves(vm)) {
        item->how = DRAINED_MOVES;
        item->to = vm->move_to;
        item->at = now;
    } else if (!ends && (lease->phase == PHASE_STOPPING || store_is_queued(lease) ||
                         (lease->phase == PHASE_RUNNING && is_preempted_first(lease, on)))) {
        is_suspended(item, lease->phase == PHASE_RUNNING ? store_leaves_at(lease) : INSTANT_NONE,
                     store_is_preempted(lease) ? lease->preempted_for : -1);
    } else if (!ends) {
        item->at = instant_later(on->from, now); /* it should have left by then */
        item->cause = cause_of(planner, lease, vm->id);
    }
}

static void gather_vms(struct drain_trial *drain, const struct planner *planner,
                       const struct drains *drains, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = store_lease(planner->store, vms[i]->lease);
        struct drain on;

        if (lease && drains_ahead(drains, lease, vms[i]->host, now, &on) && !vms[i]->gone &&
            observed_holds_host(world_vm(planner->world, vms[i]->id)))
            add_vm(drain, planner, vms[i], &on, now);
    }
}

/* Notes that the lease has no place in the trial. */
static void lacks_place(struct drain_trial *drain, const struct planner *planner, int64_t id)
{
    const struct lease_record *lease = store_lease(planner->store, id);

    if (!lease || !lease->accepted || !planner_loses_promise(lease))
        return;
    MEMORY_GROW(drain->unplaced, drain->unplaced_allocated, drain->n_unplaced + 1);
    drain->unplaced[drain->n_unplaced++] = id;
}

/* Applies the notes from gathering the facts. */
static void take_notes(struct drain_trial *drain, const struct planner *planner,
                       const struct facts *facts)
{
    for (size_t i = 0; i < facts->n_notes; i++) {
        const struct note *note = &facts->notes[i];
        struct drained_vm *vm =
            note->kind == NOTE_STAYS ? find(drain, (int32_t)note->reason.n[0]) : NULL;

        if (vm) {
            const struct lease_record *lease = store_lease(planner->store, note->lease);

            if (vm->how == DRAINED_STAYS)
                takes_reason(vm, &(struct reason){.id = note->reason.id,
                                                  .n = {note->reason.n[0], note->reason.n[1]},
                                                  .text = note->text});
            if (lease && note->retry == INSTANT_NONE && planner_may_suspend(planner, lease))
                is_suspended(vm, planner_suspend_by(planner, &drain->drains, lease, drain->now),
                             -1);
        }
        if (note->kind == NOTE_REASON)
            lacks_place(drain, planner, note->lease);
    }
}

int planner_try_drains(struct planner *planner, const struct drains *drains, int64_t now,
                       planner_drained *drained, void *context, struct error *err)
{
    struct drain_trial *drain = memory_new(1, sizeof *drain);
    struct asked_facts trial;
    int result =
        asked_facts_gather(&trial, planner, (struct supposition){.drains = drains}, now, err);

    drain->drained = drained;
    drain->now = now;
    drains_copy(&drain->drains, drains);
    if (result == 0) {
        gather_vms(drain, planner, drains, now);
        take_notes(drain, planner, &trial.facts);
        drain->hosts = hosts_retain(trial.snapshot.hosts);
        drain->planned = trial.planned;
        map_init(&trial.planned, sizeof(struct planned *));
        result =
            asked_facts_send(&trial, planner,
                             &(struct waiting){.kind = FRAME_TRIED,
                                               .drain = drain,
                                               .context = context,
                                               .n_hosts = (uint32_t)trial.snapshot.hosts->pool.n},
                             err);
    } else {
        map_init(&drain->planned, sizeof(struct planned *));
    }
    asked_facts_finish(&trial);
    if (result < 0)
        drain_trial_destroy(drain);
    return result;
}

/* --- the answer ------------------------------------------------------------------------------- */

static bool is_starting(const struct planner *planner, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(planner->store, vm->lease);

    return lease && lease->phase == PHASE_STARTING;
}

/* id: a lease, or the block of a VM that is off. */
static void moves(const struct drain_trial *drain, const struct planner *planner, int64_t id,
                  const struct plan_reservation *to, int64_t at)
{
    for (size_t i = 0; i < to->n_vms; i++) {
        struct drained_vm *vm = planned_vm(drain, id, to->vms[i].vm);
        const struct vm_record *record = vm ? store_vm(planner->store, vm->vm) : NULL;
        int32_t host = drain->hosts->pool.items[to->vms[i].host].id;

        if (!record || vm->host == host)
            continue;
        vm->how = DRAINED_MOVES;
        vm->to = host;
        vm->at = at;
        vm->starts = is_starting(planner, record);
        vm->cause = planner_move_way(planner, record, host, true).why;
        vm->reason.id = REASON_NONE;
    }
}

static void stays(const struct drain_trial *drain, const struct planner *planner,
                  const struct lease_view *view)
{
    const struct lease_record *lease = store_lease(planner->store, view->lease);
    const struct planned *planned = planned_of(&drain->planned, view->lease);
    struct reason reason = view->reason;
    bool suspends = lease && planner_may_suspend(planner, lease);

    reason.n[0] = INSTANT_NONE; /* reported separately, in `at` */
    for (uint32_t i = 0; planned && i < planned->n_vms; i++) {
        struct drained_vm *vm = planned_vm(drain, view->lease, i);

        if (!vm)
            continue;
        if (suspends) {
            is_suspended(vm, planner_suspend_by(planner, &drain->drains, lease, drain->now), -1);
            continue;
        }
        if (vm->how == DRAINED_STAYS)
            takes_reason(vm, &reason);
    }
}

void planner_take_drain(struct planner *planner, const struct waiting *waiting,
                        const struct plan_reply *reply)
{
    struct drain_trial *drain = waiting->drain;
    struct planner_drains drains;
    struct error err = {0};

    for (size_t i = 0; i < reply->n_outputs; i++)
        if (reply->outputs[i].kind == OUTPUT_OPERATION_STARTED &&
            reply->outputs[i].reservation.kind == RESERVATION_MEMORY_MIGRATION)
            moves(drain, planner, reply->outputs[i].lease, &reply->outputs[i].reservation,
                  reply->outputs[i].reservation.from);
    for (size_t i = 0; i < reply->n_views; i++) {
        const struct lease_view *view = &reply->views[i];

        if (view->reason.id == REASON_LEAVES && view->stretch.there)
            moves(drain, planner, view->lease, &view->stretch, view->reason.n[1]);
        else if (view->reason.id == REASON_CANNOT_LEAVE)
            stays(drain, planner, view);
    }
    for (size_t i = 0; i < drain->n; i++)
        note_departure(planner, &drain->vms[i]);
    for (size_t i = 0; i < reply->n_exceptions; i++)
        lacks_place(drain, planner, reply->exceptions[i].lease);
    if (reply->error[0])
        error_set(&err, EIO, "%s", reply->error);
    drains = (struct planner_drains){drain->vms, drain->n, drain->unplaced, drain->n_unplaced};
    drain->drained(waiting->context, reply->error[0] ? NULL : &drains, &err);
    drain_trial_destroy(drain);
}

void planner_drop_drain(const struct waiting *waiting, const struct error *err)
{
    waiting->drain->drained(waiting->context, NULL, err);
    drain_trial_destroy(waiting->drain);
}
