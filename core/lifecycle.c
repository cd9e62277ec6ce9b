/* Handles the start and end of planned operations, early ends and cancellations of leases. */
#include "core/lifecycle.h"

#include "core/ending.h"
#include "core/engine_state.h"
#include "core/memory_files.h"
#include "core/opportunistic.h"
#include "core/outputs.h"
#include "core/preparation.h"
#include "core/reevaluation.h"
#include "core/stretches.h"
#include "util/memory.h"

/* --- beginnings ------------------------------------------------------------------------------- */

static void fail(struct engine *engine, struct lease *lease, const char *why)
{
    lease->reason = (struct reason){.id = REASON_FAILED, .text = memory_text(why)};
    lease_cancel(engine, lease);
}

static void vm_begins(struct engine *engine, struct reservation *r)
{
    struct lease *lease = r->lease;

    if (lease->state == LEASE_SCHEDULED && image_riders_stay_scheduled(engine))
        lease_set_state(engine, lease, LEASE_READY);
    if (lease->state == LEASE_READY) {
        lease->start_actual = engine->now;
    } else if (lease->state != LEASE_RESUMED_READY && lease->state != LEASE_MIGRATING) {
        fail(engine, lease, "its VMs were due to start before their disk images had arrived");
        return;
    }
    lease_set_state(engine, lease, LEASE_ACTIVE);
    future_remove(engine, lease);
    note_movable(engine, lease);
    engine_output_interval(engine, r);
}

static bool is_first(const struct reservation_list *list, const struct reservation *r,
                     enum reservation_kind kind)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->kind == kind)
            return list->items[i] == r;
    return false;
}

static bool is_last(const struct reservation_list *list, const struct reservation *r)
{
    return list->n && list->items[list->n - 1] == r;
}

/* Do VMs that wait for the operation begin now? */
static bool is_awaited_now(const struct engine *engine, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        const struct lease *lease = lease_table_find(engine, r->placement->vms[i].lease);
        const struct vm_plan *stretch = lease ? lease_plan_current(lease) : NULL;

        if (stretch && stretch->vm->from <= engine->now)
            return true;
    }
    return false;
}

void operation_begins(struct engine *engine, struct reservation *r)
{
    struct lease *lease = r->lease;
    struct vm_plan *current = lease_plan_of(r);

    reservation_start(engine, r);
    switch (r->kind) {
    case RESERVATION_VM:
        vm_begins(engine, r);
        break;
    case RESERVATION_SUSPEND:
        if (is_first(&current->after, r, RESERVATION_SUSPEND))
            lease_set_state(engine, lease, LEASE_SUSPENDING);
        memory_files_add(engine, r);
        break;
    case RESERVATION_RESUME:
        if (is_first(&current->before, r, RESERVATION_RESUME))
            lease_set_state(engine, lease, LEASE_RESUMING);
        memory_files_remove(engine, r);
        break;
    case RESERVATION_TRANSFER:
        transfer_started(engine, r);
        break;
    case RESERVATION_MEMORY_MIGRATION:
        if (is_live_move(r)) {
            lease->plan->leave_by = INSTANT_NONE;
            lease->plan->makes_room = false;
            lease_set_state(engine, lease, LEASE_MIGRATING);
        }
        break;
    default:
        break;
    }
    /* An operation of zero duration ends before the VMs waiting for it begin in this same
     * instant. */
    if (r->until <= engine->now && r->state == RESERVATION_ACTIVE &&
        (r->kind == RESERVATION_RESUME || r->kind == RESERVATION_TRANSFER) &&
        is_awaited_now(engine, r))
        operation_ends(engine, r);
}

/* --- ends ------------------------------------------------------------------------------------- */

static void done(struct engine *engine, struct lease *lease)
{
    end_migrations(engine, lease);
    if (lease->plan->ends_cancelled) {
        lease_finish(engine, lease, LEASE_CANCELLED);
        return;
    }
    lease->duration_actual = lease->accumulated;
    lease->end = engine->now;
    lease_finish(engine, lease, LEASE_DONE);
}

static void suspended(struct engine *engine, struct lease *lease)
{
    bool is_planned = lease_plan_current(lease)->vm->state == RESERVATION_SCHEDULED;

    lease_set_state(engine, lease, LEASE_SUSPENDED_PENDING);
    if (lease->reason.id != REASON_SUSPENDED_FOR &&
        !(is_planned && lease->reason.id == REASON_MOVED))
        lease->reason = (struct reason){.id = REASON_SUSPENDED_PLANNED, .n = {engine->now}};
    if (lease->plan->not_before > engine->now && !is_planned) {
        keep_early(engine, lease);
    } else if (!is_planned && (lease->request.kind == LEASE_BEST_EFFORT ||
                               !engine->settings.behaviour.immediate_never_resumed)) {
        queue_insert(engine, lease);
        lease_set_state(engine, lease, LEASE_SUSPENDED_QUEUED);
    } else if (is_planned) {
        /* A deadline lease, or a lease that moves: the resumption is already booked. */
        lease_set_state(engine, lease, LEASE_SUSPENDED_SCHEDULED);
    }
}

static void migrated(struct engine *engine, struct reservation *r)
{
    if (r->kind == RESERVATION_DISK_MIGRATION || is_live_move(r))
        images_migrated(engine, r);
    else
        memory_files_move(engine, r);
}

void operation_ends(struct engine *engine, struct reservation *r)
{
    struct lease *lease = r->lease;
    struct vm_plan *current = lease_plan_of(r);

    reservation_end(engine, r);
    engine_output(engine, (struct engine_output){
                              .kind = OUTPUT_OPERATION_ENDED, .lease = lease, .reservation = r});
    switch (r->kind) {
    case RESERVATION_VM:
        lease->accumulated += engine->now - r->from;
        break;
    case RESERVATION_SUSPEND:
        if (is_last(&current->after, r))
            suspended(engine, lease);
        break;
    case RESERVATION_RESUME:
        memory_files_remove(engine, current->vm);
        if (is_last(&current->before, r))
            lease_set_state(engine, lease, LEASE_RESUMED_READY);
        break;
    case RESERVATION_SHUTDOWN:
        done(engine, lease);
        break;
    case RESERVATION_MEMORY_MIGRATION:
    case RESERVATION_DISK_MIGRATION:
        migrated(engine, r);
        break;
    case RESERVATION_TRANSFER:
        transfer_ended(engine, r);
        break;
    default:
        break;
    }
}

void lease_ended_early(struct engine *engine, struct lease *lease)
{
    int64_t asked = lease->request.duration;

    lease_cut_short(engine, lease);
    lease->plan->ends_cancelled = false;
    lease->reason = (struct reason){.id = REASON_ENDED_EARLY, .n = {lease->accumulated, asked}};
    done(engine, lease);
}

void lease_cancel(struct engine *engine, struct lease *lease)
{
    if (lease->reason.id != REASON_FAILED)
        lease->reason = (struct reason){.id = REASON_CANCELLED};
    lease_end_now(engine, lease);
    if (!engine->settings.behaviour.no_reevaluation_on_cancel)
        reevaluate_future(engine);
}
