/* machine.h: the life of a VM: operations as sequences of states that take time. */
#pragma once

#include "sandbox/pools.h"

enum oned_operation {
    OPERATION_NONE,
    OPERATION_DEPLOY,
    OPERATION_DEPLOY_STOPPED,
    OPERATION_DEPLOY_UNDEPLOYED,
    OPERATION_RESUME_SUSPENDED,
    OPERATION_RESUME_POWEROFF,
    OPERATION_RESUME_UNKNOWN,
    OPERATION_SUSPEND,
    OPERATION_STOP,
    OPERATION_STOP_SUSPENDED,
    OPERATION_POWEROFF,
    OPERATION_UNDEPLOY,
    OPERATION_UNDEPLOY_POWEROFF,
    OPERATION_TERMINATE,
    OPERATION_TERMINATE_IDLE,
    OPERATION_MIGRATE_LIVE,
    OPERATION_MIGRATE_SAVE,
    OPERATION_MIGRATE_POWEROFF,
    OPERATION_MOVE_SUSPENDED,
    OPERATION_MOVE_POWEROFF,
    OPERATION_MIGRATE_UNKNOWN,
    OPERATION_DELETE,
    OPERATION_RECREATE,
    OPERATIONS,
};

/* Start an operation: the VM enters its first state. */
void oned_machine_start(struct oned *oned, struct oned_vm *vm, enum oned_operation operation);

/* A change without duration: PENDING, HOLD, DONE... with no operation under way. */
void oned_machine_rest(struct oned *oned, struct oned_vm *vm, int state);

/* Ends the steps that are due. Returns when the next one is due, or INT64_MAX. */
int64_t oned_machine_advance(struct oned *oned);

/* The step under way, or the failed one, succeeds, fails, or is retried: one.vm.recover with 1, 0
 * and 2. false: no such step. */
bool oned_machine_succeed(struct oned *oned, struct oned_vm *vm);
bool oned_machine_fail(struct oned *oned, struct oned_vm *vm);
bool oned_machine_retry(struct oned *oned, struct oned_vm *vm);

/* Schedules the end of the current step of a VM that was read from the state file. */
void oned_machine_adopt(struct oned *oned, struct oned_vm *vm);

/* OpenNebula's name of the VM's state: that of its life cycle while it is ACTIVE. */
const char *oned_state_name(const struct oned_vm *vm);

/* The current history record, or NULL. */
struct oned_history *oned_history_last(const struct oned_vm *vm);

/* Begins a record for a host; host NULL: for the host and datastore of the last record. */
struct oned_history *oned_history_begin(struct oned *oned, struct oned_vm *vm,
                                        const struct oned_host *host, int datastore);

/* Notes why the current record will end, and which user caused it (NULL: the daemon). */
void oned_history_reason(struct oned *oned, struct oned_vm *vm, int action,
                         const struct oned_user *user);

/* Put ERROR with date and text into the user template. */
void oned_vm_error(struct oned *oned, struct oned_vm *vm, const char *text);

/* Charge the VM to a host (while it moves, to its former host as well), or to none. */
void oned_vm_charge(struct oned *oned, struct oned_vm *vm, struct oned_host *host);
void oned_vm_release(struct oned *oned, struct oned_vm *vm);
void oned_vm_release_leaving(struct oned *oned, struct oned_vm *vm);
