/* What happens when a planned operation begins or is over, and when leases end otherwise. */
#include <stdlib.h>

#include "core/opportunistic.h"
#include "core/scheduler.h"
#include "util/memory.h"

/* --- saved memory on the hosts' disks (for the disk usage figure) ----------------------------- */

static int64_t memory_of(const struct lease *lease, uint32_t vm)
{
    return lease_vm_amounts(lease, vm)->of[RESOURCE_MEMORY];
}

static void memory_file_add(struct engine *engine, struct lease *lease, uint32_t vm, uint32_t host)
{
    disk_files_add(&lease->plan->memory_files, (struct disk_file){vm, host}, memory_of(lease, vm),
                   engine->disk_used);
}

/* Remove the VM's file from the host; from any host where files do not stay behind. */
static void memory_file_remove(struct engine *engine, struct lease *lease, uint32_t vm,
                               uint32_t host)
{
    if (!engine->settings.behaviour.memory_files_stay_behind)
        host = DISK_ANY_HOST;
    disk_files_remove(&lease->plan->memory_files, (struct disk_file){vm, host},
                      memory_of(lease, vm), engine->disk_used);
}

void memory_files_add(struct engine *engine, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++)
        memory_file_add(engine, r->lease, r->placement->vms[i].vm, r->placement->vms[i].host);
}

static void memory_files_remove(struct engine *engine, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++)
        memory_file_remove(engine, r->lease, r->placement->vms[i].vm, r->placement->vms[i].host);
}

static void memory_files_move(struct engine *engine, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        const struct placed_vm *move = &r->placement->vms[i];

        memory_file_remove(engine, r->lease, move->vm, move->from);
        memory_file_add(engine, r->lease, move->vm, move->host);
    }
}

void memory_files_drop(struct engine *engine, struct lease *lease)
{
    for (uint32_t vm = 0; lease->plan->memory_files.n && vm < lease->n_vms; vm++)
        memory_file_remove(engine, lease, vm, HOST_NONE);
}

/* --- beginnings ------------------------------------------------------------------------------- */

static void fail(struct engine *engine, struct lease *lease, const char *why)
{
    lease->reason = (struct reason){.id = REASON_FAILED, .text = memory_text(why)};
    lease_cancel(engine, lease);
}

static void vm_begins(struct engine *engine, struct reservation *r)
{
    struct lease *lease = r->lease;

    if (lease->state == LEASE_READY) {
        lease->start_actual = engine->now;
    } else if (lease->state != LEASE_RESUMED_READY && lease->state != LEASE_MIGRATING) {
        fail(engine, lease, "its VMs were to start before they were prepared");
        return;
    }
    lease_set_state(engine, lease, LEASE_ACTIVE);
    future_remove(engine, lease);
    note_movable(engine, lease);
    engine_output(engine, (struct engine_output){
                              .kind = OUTPUT_VM_INTERVAL, .lease = lease, .reservation = r});
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
        if (is_live_move(r))
            lease_set_state(engine, lease, LEASE_MIGRATING);
        break;
    default:
        break;
    }
    /* What takes no time is over before the VMs that wait for it begin in this very instant. */
    if (r->until <= engine->now && r->state == RESERVATION_ACTIVE &&
        (r->kind == RESERVATION_RESUME || r->kind == RESERVATION_TRANSFER))
        operation_ends(engine, r);
}

/* --- ends ------------------------------------------------------------------------------------- */

/* Haizea starts VMs while their migration is still under way; it is over when the lease is. */
static void settle_migrations(struct engine *engine, const struct lease *lease)
{
    reservation_list_settle(engine, &lease_plan_current(lease)->before);
}

static void done(struct engine *engine, struct lease *lease)
{
    settle_migrations(engine, lease);
    if (lease->plan->given_up) {
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
                               !engine->settings.behaviour.immediate_may_be_suspended)) {
        queue_insert(engine, lease);
        lease_set_state(engine, lease, LEASE_SUSPENDED_QUEUED);
    } else if (is_planned) {
        /* A deadline lease, or one that moves: its resumption is booked already. */
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

/* The VMs stop now, before their planned end. */
static void cut_short(struct engine *engine, struct lease *lease)
{
    struct vm_plan *running;

    while (lease_plan_current(lease)->vm->state == RESERVATION_SCHEDULED)
        stretch_withdraw(engine, lease);
    running = lease_plan_current(lease);
    reservation_list_withdraw(engine, &running->after);
    reservation_end(engine, running->vm);
    running->vm->until = engine->now;
    lease->accumulated += engine->now - running->vm->from;
    lease_plan_publish(lease);
    engine_output(engine, (struct engine_output){.kind = OUTPUT_OPERATION_ENDED,
                                                 .lease = lease,
                                                 .reservation = running->vm});
}

void lease_ended_early(struct engine *engine, struct lease *lease)
{
    int64_t asked = lease->request.duration;

    cut_short(engine, lease);
    lease->plan->given_up = false;
    lease->reason = (struct reason){.id = REASON_ENDED_EARLY, .n = {lease->accumulated, asked}};
    done(engine, lease);
    reevaluate_future(engine);
}

static void withdraw_scheduled(struct engine *engine, struct reservation_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i]->state == RESERVATION_DONE)
            list->items[kept++] = list->items[i];
        else
            reservation_withdraw(engine, list->items[i]);
    }
    list->n = kept;
}

/* What has not been carried out of the last stretch goes. Migrations and resumptions that have been
 * are kept with the stretch before. */
static void withdraw_rest(struct engine *engine, struct lease *lease)
{
    struct lease_plan *plan = lease->plan;
    struct vm_plan *last = lease_plan_current(lease);

    withdraw_scheduled(engine, &last->before);
    withdraw_scheduled(engine, &last->after);
    if (last->vm->state == RESERVATION_DONE)
        return;
    for (size_t i = 0; plan->n_vms > 1 && i < last->before.n; i++)
        reservation_list_append(&last[-1].after, last->before.items[i]);
    last->before.n = 0;
    stretch_withdraw(engine, lease);
}

static void withdraw_plan(struct engine *engine, struct lease *lease)
{
    size_t before = lease->plan->n_vms + 1;

    while (lease->plan->n_vms && lease->plan->n_vms < before) {
        before = lease->plan->n_vms;
        withdraw_rest(engine, lease);
    }
}

void lease_end_now(struct engine *engine, struct lease *lease)
{
    bool failed = lease->reason.id == REASON_FAILED;

    if (lease->plan->in_queue)
        queue_remove(engine, lease);
    lease_list_remove(&engine->early, lease);
    future_remove(engine, lease);
    if (lease_plan_running(lease) && !failed)
        cut_short(engine, lease);
    withdraw_plan(engine, lease);
    lease_plan_publish(lease);
    lease_finish(engine, lease, failed ? LEASE_FAILED : LEASE_CANCELLED);
}

void lease_cancel(struct engine *engine, struct lease *lease)
{
    if (lease->reason.id != REASON_FAILED)
        lease->reason = (struct reason){.id = REASON_CANCELLED};
    lease_end_now(engine, lease);
    if (!engine->settings.behaviour.no_reevaluation_on_cancel)
        reevaluate_future(engine);
}
