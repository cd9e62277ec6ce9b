/* History records of VMs, and the usage of hosts that follows from them. */
#include <stdio.h>
#include <time.h>

#include "sandbox/hardware.h"
#include "sandbox/host.h"
#include "sandbox/machine.h"
#include "util/memory.h"

struct oned_history *oned_history_last(const struct oned_vm *vm)
{
    return vm->history_count > 0 ? &vm->history[vm->history_count - 1] : NULL;
}

struct oned_history *oned_history_begin(struct oned *oned, struct oned_vm *vm,
                                        const struct oned_host *host, int datastore)
{
    struct oned_history record = {
        .datastore = datastore,
        .plan = -2,
        .plan_action = -1,
        .uid = -1,
        .gid = -1,
        .request = -1,
    };

    if (host) {
        record.host = host->id;
        record.cluster = host->cluster;
        record.hostname = memory_text(host->name);
    } else {
        const struct oned_history *last = oned_history_last(vm);

        record.host = last->host;
        record.cluster = last->cluster;
        record.datastore = last->datastore;
        record.hostname = memory_text(last->hostname);
    }
    MEMORY_GROW(vm->history, vm->history_allocated, vm->history_count + 1);
    vm->history[vm->history_count++] = record;
    oned_touch(oned, KIND_VM, vm->id);
    return oned_history_last(vm);
}

void oned_history_reason(struct oned *oned, struct oned_vm *vm, int action,
                         const struct oned_user *user)
{
    struct oned_history *record = oned_history_last(vm);

    if (!record)
        return;
    record->action = action;
    record->uid = user ? user->id : 0;
    record->gid = user ? user->gid : 0;
    record->request = user || oned->options.version >= ONED_7_4 ? oned->next_request : -1;
    oned_touch(oned, KIND_VM, vm->id);
}

void oned_vm_error(struct oned *oned, struct oned_vm *vm, const char *text)
{
    time_t now = (time_t)oned_seconds(oned);
    char date[32], message[600];
    struct tm broken;

    localtime_r(&now, &broken);
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &broken);
    snprintf(message, sizeof message, "%s: %.500s", date, text);
    oned_attributes_set(&vm->user_template, "ERROR", message);
    oned_touch(oned, KIND_VM, vm->id);
}

void oned_vm_charge(struct oned *oned, struct oned_vm *vm, struct oned_host *host)
{
    if (vm->charged == host->id)
        return;
    vm->leaving = vm->charged;
    vm->charged = host->id;
    oned_host_charge(oned, host, vm);
    oned_touch(oned, KIND_VM, vm->id);
}

void oned_vm_release_leaving(struct oned *oned, struct oned_vm *vm)
{
    struct oned_host *host = oned_host(oned, vm->leaving);

    if (host) {
        oned_host_release(oned, host, vm);
        oned_hardware_arrive(vm, false);
    }
    vm->leaving = -1;
    oned_touch(oned, KIND_VM, vm->id);
}

void oned_vm_release(struct oned *oned, struct oned_vm *vm)
{
    struct oned_host *host = oned_host(oned, vm->charged);

    oned_vm_release_leaving(oned, vm);
    if (host)
        oned_host_release(oned, host, vm);
    oned_hardware_free(vm);
    vm->charged = -1;
}
