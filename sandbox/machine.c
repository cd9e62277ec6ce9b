/* The life of a VM: operations as sequences of states that take time. */
#include "sandbox/machine.h"
#include "sandbox/hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sandbox/hook.h"
#include "sandbox/host.h"
#include "sandbox/machine_table.h"
#include "util/memory.h"

enum { MILLISECOND = 1000 };

/* The VMs whose steps end, the next one first. */
static void heap_place(struct oned_heap *heap, size_t at, struct oned_vm *vm)
{
    heap->vms[at] = vm;
    vm->heap = (int)at;
}

static void heap_rise(struct oned_heap *heap, size_t at)
{
    struct oned_vm *vm = heap->vms[at];

    for (; at > 0 && heap->vms[(at - 1) / 2]->due > vm->due; at = (at - 1) / 2)
        heap_place(heap, at, heap->vms[(at - 1) / 2]);
    heap_place(heap, at, vm);
}

static void heap_sink(struct oned_heap *heap, size_t at)
{
    struct oned_vm *vm = heap->vms[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->vms[child + 1]->due < heap->vms[child]->due)
            child++;
        if (heap->vms[child]->due >= vm->due)
            break;
        heap_place(heap, at, heap->vms[child]);
        at = child;
    }
    heap_place(heap, at, vm);
}

static void unschedule(struct oned *oned, struct oned_vm *vm)
{
    struct oned_heap *heap = &oned->heap;
    size_t at = (size_t)vm->heap;
    struct oned_vm *last;

    vm->due = ONED_NEVER;
    if (vm->heap < 0)
        return;
    vm->heap = -1;
    last = heap->vms[--heap->count];
    if (last == vm)
        return;
    heap_place(heap, at, last);
    heap_rise(heap, at);
    heap_sink(heap, (size_t)last->heap);
}

static void schedule(struct oned *oned, struct oned_vm *vm, int64_t due)
{
    struct oned_heap *heap = &oned->heap;

    unschedule(oned, vm);
    vm->due = due;
    if (due == ONED_NEVER)
        return;
    MEMORY_GROW(heap->vms, heap->allocated, heap->count + 1);
    heap_place(heap, heap->count++, vm);
    heap_rise(heap, heap->count - 1);
}

static int host_of(const struct oned_vm *vm)
{
    return vm->history_count > 0 ? vm->history[vm->history_count - 1].host : -1;
}

/* How long the phase takes this time, ms of the daemon's clock, or ONED_NEVER. */
static int64_t duration(struct oned *oned, const struct oned_vm *vm, enum oned_phase phase)
{
    const struct oned_host *host = oned_host(oned, host_of(vm));
    const struct oned_fault *slow;
    int64_t time = vm->times[phase];

    if (time == ONED_INHERIT && host)
        time = host->times[phase];
    if (time == ONED_INHERIT)
        time = oned->options.times[phase];
    if (oned_fault_of_phase(oned, FAULT_HANG, phase, vm->id, host_of(vm)))
        return ONED_NEVER;
    slow = oned_fault_of_phase(oned, FAULT_SLOW, phase, vm->id, host_of(vm));
    return slow && time != ONED_NEVER ? time + slow->time : time;
}

static const struct oned_step *step_of(const struct oned_vm *vm)
{
    return &oned_operations[vm->operation].steps[vm->step];
}

static void changed(struct oned *oned, struct oned_vm *vm)
{
    oned_touch(oned, KIND_VM, vm->id);
    oned_hook_vm(oned, vm);
}

static void enter_step(struct oned *oned, struct oned_vm *vm, int64_t from)
{
    const struct oned_step *step = step_of(vm);
    struct oned_history *record = oned_history_last(vm);
    int64_t now = oned_seconds(oned), time = duration(oned, vm, step->phase);

    vm->state = VM_ACTIVE;
    vm->lcm = step->lcm;
    if (record)
        switch (oned_part_of(step->lcm)) {
        case PART_PROLOG:
            record->pstime = now;
            if (record->stime == 0)
                record->stime = now;
            break;
        case PART_RUNNING:
            record->rstime = now;
            record->retime = 0;
            break;
        case PART_EPILOG:
            record->estime = now;
            break;
        case PART_NONE:
        case PART_END_RUNNING:
            break;
        }
    schedule(oned, vm, time == ONED_NEVER ? ONED_NEVER : from + time * MILLISECOND);
    changed(oned, vm);
}

void oned_machine_start(struct oned *oned, struct oned_vm *vm, enum oned_operation operation)
{
    vm->operation = (int)operation;
    vm->step = 0;
    vm->resched = false;
    enter_step(oned, vm, oned_now(oned));
}

void oned_machine_rest(struct oned *oned, struct oned_vm *vm, int state)
{
    unschedule(oned, vm);
    vm->operation = OPERATION_NONE;
    vm->step = 0;
    vm->state = state;
    vm->lcm = state == VM_ACTIVE ? LCM_RUNNING : LCM_INIT;
    if (state == VM_DONE) {
        vm->etime = oned_seconds(oned);
        vm->resched = false;
    }
    changed(oned, vm);
}

/* The VM has arrived: its former record ends, and its former host has the room back. */
static void arrive(struct oned *oned, struct oned_vm *vm, int64_t now)
{
    if (vm->history_count > 1) {
        struct oned_history *before = &vm->history[vm->history_count - 2];

        if (before->etime == 0)
            before->etime = now;
        if (before->retime == 0)
            before->retime = now;
    }
    oned_vm_release_leaving(oned, vm);
}

static void set_deploy_id(struct oned_vm *vm, const struct oned_history *record)
{
    char text[512];

    snprintf(text, sizeof text, "%.200s:%.200s:dummy", record->hostname, vm->name);
    free(vm->deploy_id);
    vm->deploy_id = memory_text(text);
}

static void end_running(struct oned *oned, struct oned_vm *vm, int64_t now)
{
    bool moving = step_of(vm)->lcm == LCM_SAVE_MIGRATE;

    if (moving)
        arrive(oned, vm, now);
    else
        oned_history_last(vm)->retime = now;
}

/* Updates the history record and the hosts' accounts at the end of a step. */
static void leave_step(struct oned *oned, struct oned_vm *vm)
{
    struct oned_history *record = oned_history_last(vm);
    int64_t now = oned_seconds(oned);
    int lcm = step_of(vm)->lcm;

    switch (oned_part_of(lcm)) {
    case PART_PROLOG:
        record->petime = now;
        if (lcm == LCM_PROLOG_MIGRATE_POWEROFF || lcm == LCM_PROLOG_MIGRATE_SUSPEND ||
            lcm == LCM_PROLOG_MIGRATE_UNKNOWN)
            arrive(oned, vm, now);
        break;
    case PART_RUNNING:
        if (lcm == LCM_BOOT || lcm == LCM_BOOT_UNDEPLOY || !*vm->deploy_id)
            set_deploy_id(vm, record);
        break;
    case PART_END_RUNNING:
        end_running(oned, vm, now);
        break;
    case PART_EPILOG:
        record->eetime = record->etime = now;
        oned_vm_release(oned, vm);
        break;
    case PART_NONE:
        if (lcm == LCM_MIGRATE) {
            record->rstime = now;
            arrive(oned, vm, now);
        } else if (lcm == LCM_CLEANUP_DELETE || lcm == LCM_CLEANUP_RESUBMIT) {
            if (record->etime == 0)
                record->etime = now;
            if (record->rstime > 0 && record->retime == 0)
                record->retime = now;
            oned_vm_release(oned, vm);
        }
        break;
    }
}

static void finish_step(struct oned *oned, struct oned_vm *vm, int64_t at)
{
    const struct oned_operation_steps *operation = &oned_operations[vm->operation];

    leave_step(oned, vm);
    if (++vm->step < operation->count)
        enter_step(oned, vm, at);
    else
        oned_machine_rest(oned, vm, operation->state);
}

/* A migration failed: a new record for the host where the VM still is. */
static void return_home(struct oned *oned, struct oned_vm *vm)
{
    struct oned_host *home = oned_host(oned, vm->leaving);
    struct oned_history *record = oned_history_last(vm);
    int64_t now = oned_seconds(oned);

    record->etime = now;
    vm->history[vm->history_count - 2].etime = now;
    oned_host_release(oned, oned_host(oned, vm->charged), vm);
    vm->charged = vm->leaving;
    vm->leaving = -1;
    oned_hardware_arrive(vm, true);
    record = oned_history_begin(oned, vm, home, record->datastore);
    record->stime = record->rstime = now;
}

static void fail_step(struct oned *oned, struct oned_vm *vm)
{
    const struct oned_step *step = step_of(vm);
    struct oned_failure failure = oned_failure_of(step->lcm);
    struct oned_history *record = oned_history_last(vm);
    char text[512];

    snprintf(text, sizeof text, "%s: %.200s:%.200s:dummy",
             step->phase == ONED_SAVE       ? "SAVE"
             : step->phase == ONED_MIGRATE  ? "MIGRATE"
             : step->phase == ONED_RESTORE  ? "RESTORE"
             : step->phase == ONED_SHUTDOWN ? "SHUTDOWN"
             : step->phase == ONED_BOOT     ? "DEPLOY"
                                            : "Error executing image transfer script",
             record ? record->hostname : "", vm->name);
    oned_vm_error(oned, vm, text);
    if (oned_part_of(step->lcm) == PART_RUNNING && record)
        record->retime = oned_seconds(oned);
    if (failure.waits) {
        unschedule(oned, vm);
        vm->lcm = failure.lcm;
        changed(oned, vm);
        return;
    }
    if (vm->leaving >= 0)
        return_home(oned, vm);
    if (record)
        oned_history_last(vm)->action = ACTION_NONE;
    oned_machine_rest(oned, vm, failure.state);
    if (failure.state == VM_ACTIVE)
        vm->lcm = failure.lcm;
}

static bool can_fail(const struct oned_vm *vm)
{
    return step_of(vm)->phase != ONED_DISPATCH && step_of(vm)->phase != ONED_CLEANUP;
}

int64_t oned_machine_advance(struct oned *oned)
{
    int64_t now = oned_now(oned);

    while (oned->heap.count > 0 && oned->heap.vms[0]->due <= now) {
        struct oned_vm *vm = oned->heap.vms[0];
        int64_t at = vm->due;

        if (can_fail(vm) &&
            oned_fault_of_phase(oned, FAULT_FAIL, step_of(vm)->phase, vm->id, host_of(vm)))
            fail_step(oned, vm);
        else
            finish_step(oned, vm, at);
    }
    return oned->heap.count > 0 ? oned->heap.vms[0]->due : INT64_MAX;
}

static bool waits(const struct oned_vm *vm)
{
    return vm->state == VM_ACTIVE && vm->operation != OPERATION_NONE && vm->lcm != step_of(vm)->lcm;
}

bool oned_machine_succeed(struct oned *oned, struct oned_vm *vm)
{
    if (vm->operation == OPERATION_NONE)
        return false;
    unschedule(oned, vm);
    finish_step(oned, vm, oned_now(oned));
    return true;
}

bool oned_machine_fail(struct oned *oned, struct oned_vm *vm)
{
    if (vm->operation == OPERATION_NONE || waits(vm) || !can_fail(vm))
        return false;
    unschedule(oned, vm);
    fail_step(oned, vm);
    return true;
}

bool oned_machine_retry(struct oned *oned, struct oned_vm *vm)
{
    if (vm->operation == OPERATION_NONE)
        return false;
    enter_step(oned, vm, oned_now(oned));
    return true;
}

void oned_machine_adopt(struct oned *oned, struct oned_vm *vm)
{
    int64_t due = vm->due;

    vm->heap = -1;
    if (vm->operation == OPERATION_NONE || due == ONED_NEVER || oned->options.lose_operations)
        vm->due = ONED_NEVER;
    else
        schedule(oned, vm, due);
}
