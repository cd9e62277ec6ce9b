/* Deploying, migrating and recovering VMs. */
#include <stdlib.h>

#include "sandbox/hardware.h"
#include "sandbox/host.h"
#include "sandbox/machine.h"
#include "sandbox/network.h"
#include "sandbox/vm_action.h"

static int missing(struct oned_refusal *refusal, const char *what, int64_t id)
{
    oned_refuse(refusal, 0x0400, "Error getting %s [%lld].", what, (long long)id);
    refusal->object = id;
    return -1;
}

static struct oned_host *find_host(const struct oned *oned, int64_t id,
                                   struct oned_refusal *refusal)
{
    struct oned_host *host = oned_host(oned, id);

    if (!host) {
        missing(refusal, "host", id);
        return NULL;
    }
    if (host->state == HOST_OFFLINE) {
        oned_refuse(refusal, 0x0800, "Host is offline, cannot use it to deploy VM");
        return NULL;
    }
    return host;
}

/* The system datastore: the one named, the one the VM's disks are in, or the cluster's first. */
static int find_datastore(const struct oned *oned, const struct oned_vm *vm,
                          const struct oned_host *host, int64_t wanted,
                          struct oned_refusal *refusal)
{
    const struct oned_history *last = oned_history_last(vm);
    const struct oned_thing *datastore;

    if (wanted < 0 && last)
        return last->datastore;
    if (wanted < 0) {
        datastore = oned_default_datastore(oned, host->cluster);
        if (!datastore)
            return oned_refuse(refusal, 0x0800,
                               "There are no suitable system datastores in cluster [%d]",
                               host->cluster);
        return datastore->id;
    }
    datastore = oned_datastore(oned, wanted);
    if (!datastore)
        return missing(refusal, "datastore", wanted);
    if (datastore->type != 1)
        return oned_refuse(refusal, 0x2000,
                           "Trying to use datastore [%d] to deploy the VM, but it is not of type "
                           "system datastore.",
                           datastore->id);
    if (!oned_in_cluster(datastore, host->cluster))
        return oned_refuse(refusal, 0x0800,
                           "Host [%d] and system datastore [%d] are not in the same cluster.",
                           host->id, datastore->id);
    return datastore->id;
}

/* Devices and NUMA nodes are tested in any case. */
static int check_capacity(const struct oned *oned, struct oned_vm *vm, const struct oned_host *host,
                          bool enforce, struct oned_refusal *refusal)
{
    char text[200];
    const char *lacks = enforce ? oned_host_lacks(oned, host, vm, text, sizeof text) : NULL;

    if (!lacks)
        lacks = oned_hardware_lacks(oned, host, vm);
    if (!lacks)
        return 0;
    return oned_refuse(refusal, 0x0800, "virtual machine [%d] does not fit in host [%d]. %s",
                       vm->id, host->id, lacks);
}

int oned_vm_deploy(struct oned *oned, struct oned_vm *vm, const struct oned_placement *placement,
                   struct oned_refusal *refusal)
{
    struct oned_host *host = find_host(oned, placement->host, refusal);
    const struct oned_history *last = oned_history_last(vm);
    enum oned_operation operation = OPERATION_DEPLOY;
    int datastore;

    if (!host)
        return -1;
    if (vm->state != VM_PENDING && vm->state != VM_HOLD && vm->state != VM_STOPPED &&
        vm->state != VM_UNDEPLOYED)
        return oned_refuse(refusal, 0x0800, "Deploy action is not available for state %s",
                           oned_state_name(vm));
    datastore = find_datastore(oned, vm, host, placement->datastore, refusal);
    if (datastore < 0 || check_capacity(oned, vm, host, placement->enforce, refusal))
        return -1;
    if (!last && placement->networks &&
        oned_network_connect(oned, vm, placement->networks, refusal) < 0)
        return -1;
    if (last && last->action == ACTION_STOP)
        operation = OPERATION_DEPLOY_STOPPED;
    else if (last && (last->action == ACTION_UNDEPLOY || last->action == ACTION_UNDEPLOY_HARD))
        operation = OPERATION_DEPLOY_UNDEPLOYED;
    oned_history_begin(oned, vm, host, datastore);
    oned_attributes_set(&vm->template, "TM_MAD_SYSTEM", "dummy");
    oned_hardware_assign(oned, host, vm);
    oned_vm_charge(oned, vm, host);
    oned_machine_start(oned, vm, operation);
    return 0;
}

static enum oned_operation migration(const struct oned_vm *vm,
                                     const struct oned_placement *placement, int *reason)
{
    *reason = ACTION_MIGRATE;
    if (vm->state == VM_SUSPENDED)
        return OPERATION_MOVE_SUSPENDED;
    if (vm->state == VM_POWEROFF)
        return OPERATION_MOVE_POWEROFF;
    if (vm->lcm == LCM_UNKNOWN)
        return OPERATION_MIGRATE_UNKNOWN;
    if (placement->live) {
        *reason = ACTION_LIVE_MIGRATE;
        return OPERATION_MIGRATE_LIVE;
    }
    if (placement->type == 0)
        return OPERATION_MIGRATE_SAVE;
    *reason = placement->type == 1 ? ACTION_POWEROFF_MIGRATE : ACTION_POWEROFF_HARD_MIGRATE;
    return OPERATION_MIGRATE_POWEROFF;
}

static bool can_migrate(const struct oned_vm *vm)
{
    return vm->state == VM_SUSPENDED || vm->state == VM_POWEROFF ||
           (vm->state == VM_ACTIVE && (vm->lcm == LCM_RUNNING || vm->lcm == LCM_UNKNOWN));
}

int oned_vm_migrate(struct oned *oned, struct oned_vm *vm, const struct oned_placement *placement,
                    const struct oned_user *user, struct oned_refusal *refusal)
{
    struct oned_host *host = find_host(oned, placement->host, refusal);
    struct oned_history *last = oned_history_last(vm);
    enum oned_operation operation;
    int datastore, reason;

    if (!host)
        return -1;
    if (!can_migrate(vm))
        return oned_refuse(refusal, 0x0800, "Migrate action is not available for state %s",
                           oned_state_name(vm));
    if (oned_attributes_vector(&vm->template, "PCI", 0) && placement->type == 0 &&
        vm->state != VM_POWEROFF)
        return oned_refuse(refusal, 0x0800,
                           "Cannot migrate VM [%d], use poweroff or poweroff-hard flag for "
                           "migrating a VM with PCI devices",
                           vm->id);
    datastore = find_datastore(oned, vm, host, placement->datastore, refusal);
    if (datastore < 0)
        return -1;
    if (last->host == host->id && last->datastore == datastore)
        return oned_refuse(refusal, 0x0800, "VM is already running on host [%d] and datastore [%d]",
                           host->id, datastore);
    if (last->host != host->id && check_capacity(oned, vm, host, placement->enforce, refusal))
        return -1;
    operation = migration(vm, placement, &reason);
    oned_history_reason(oned, vm, reason, user);
    if (last->host != host->id)
        oned_hardware_assign(oned, host, vm);
    oned_history_begin(oned, vm, host, datastore)->stime = oned_seconds(oned);
    oned_vm_charge(oned, vm, host);
    oned_machine_start(oned, vm, operation);
    return 0;
}

static void discard(struct oned *oned, struct oned_vm *vm, enum oned_operation operation,
                    const struct oned_user *user)
{
    oned_history_reason(
        oned, vm, operation == OPERATION_DELETE ? ACTION_DELETE : ACTION_DELETE_RECREATE, user);
    if (vm->state == VM_ACTIVE || vm->charged >= 0) {
        oned_machine_start(oned, vm, operation);
        return;
    }
    oned_machine_rest(oned, vm, operation == OPERATION_DELETE ? VM_DONE : VM_PENDING);
}

int oned_vm_recover(struct oned *oned, struct oned_vm *vm, int64_t operation,
                    const struct oned_user *user, struct oned_refusal *refusal)
{
    static const char *const words[] = {"failure", "success", "retry"};
    bool done = false;

    if (operation < 0 || operation > 5)
        return oned_refuse(refusal, 0x0800, "Wrong recovery operation code");
    if (vm->state == VM_DONE && operation != 5)
        return oned_refuse(refusal, 0x0800,
                           operation == 4 ? "Cannot delete-recreate a VM already in DONE state"
                                          : "Recover action is not available for state DONE");
    if (operation >= 3) {
        discard(oned, vm, operation == 4 ? OPERATION_RECREATE : OPERATION_DELETE, user);
        return 0;
    }
    if (operation == 0)
        done = oned_machine_fail(oned, vm);
    else if (operation == 1)
        done = oned_machine_succeed(oned, vm);
    else
        done = oned_machine_retry(oned, vm);
    if (!done)
        return oned_refuse(refusal, 0x0800, "Recover %s action is not available for state %s",
                           words[operation], oned_state_name(vm));
    return 0;
}

static bool can_resize(const struct oned_vm *vm)
{
    return vm->state == VM_PENDING || vm->state == VM_HOLD || vm->state == VM_POWEROFF ||
           vm->state == VM_UNDEPLOYED || vm->state == VM_CLONING_FAILURE ||
           (vm->state == VM_ACTIVE && vm->lcm == LCM_RUNNING);
}

int oned_vm_resize(struct oned *oned, struct oned_vm *vm, const char *template, bool enforce,
                   struct oned_refusal *refusal)
{
    struct oned_attributes wanted = {0};
    struct oned_vm resized = *vm;
    struct oned_host *host = oned_host(oned, vm->charged);
    const char *cpu, *memory;
    int result = -1;

    if (!can_resize(vm))
        return oned_refuse(refusal, 0x0800, "Resize action is not available for state %s",
                           oned_state_name(vm));
    if (oned_attributes_parse(&wanted, template, NULL)) {
        oned_refuse(refusal, 0x2000, "Cannot parse template");
        goto out;
    }
    cpu = oned_attributes_get(&wanted, "CPU");
    memory = oned_attributes_get(&wanted, "MEMORY");
    resized.cpu = cpu ? (int64_t)(strtof(cpu, NULL) * 100) : vm->cpu;
    resized.memory = oned_attributes_number(&wanted, "MEMORY", vm->memory / 1024) * 1024;
    if (resized.cpu <= 0 || resized.memory <= 0) {
        oned_refuse(refusal, 0x0800, "CPU and MEMORY must be positive");
        goto out;
    }
    if (host)
        oned_host_release(oned, host, vm);
    result = host ? check_capacity(oned, &resized, host, enforce, refusal) : 0;
    if (result == 0) {
        vm->cpu = resized.cpu;
        vm->memory = resized.memory;
        if (cpu)
            oned_attributes_set(&vm->template, "CPU", cpu);
        if (memory)
            oned_attributes_set(&vm->template, "MEMORY", memory);
        oned_touch(oned, KIND_VM, vm->id);
    }
    if (host)
        oned_host_charge(oned, host, vm);
out:
    oned_attributes_finish(&wanted);
    return result;
}
