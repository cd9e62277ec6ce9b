/* vm_action.h: what users and schedulers do with VMs, with OpenNebula's checks and words. */
#pragma once

#include "sandbox/pools.h"

/* Why it was refused: a code of OpenNebula (0x0800: state or capacity...) and a text. */
struct oned_refusal {
    int code;
    int64_t object; /* -1 unless something named does not exist */
    char text[400];
};

int oned_refuse(struct oned_refusal *refusal, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The actions of one.vm.action: "terminate", "suspend"... user NULL: the daemon itself. */
int oned_vm_act(struct oned *oned, struct oned_vm *vm, const char *action,
                const struct oned_user *user, struct oned_refusal *refusal);

struct oned_placement {
    int64_t host, datastore; /* datastore -1: the default, or the one the VM has */
    bool enforce;            /* check the capacity */
    bool live;               /* migration */
    const char *networks;    /* deploy: NIC vectors for automatic NICs; NULL or "": none */
    int64_t type;            /* of a cold migration: 0 save, 1 poweroff, 2 poweroff-hard */
};

int oned_vm_deploy(struct oned *oned, struct oned_vm *vm, const struct oned_placement *placement,
                   struct oned_refusal *refusal);
int oned_vm_migrate(struct oned *oned, struct oned_vm *vm, const struct oned_placement *placement,
                    const struct oned_user *user, struct oned_refusal *refusal);

/* Operations 0 failure, 1 success, 2 retry, 3 delete, 4 delete and recreate, 5 delete from the
 * database. */
int oned_vm_recover(struct oned *oned, struct oned_vm *vm, int64_t operation,
                    const struct oned_user *user, struct oned_refusal *refusal);

/* Change CPU and MEMORY (KB; 0: as it is). */
int oned_vm_resize(struct oned *oned, struct oned_vm *vm, const char *template, bool enforce,
                   struct oned_refusal *refusal);

/* Run scheduled actions whose time has come. Returns the seconds at which the next one is due, or
 * INT64_MAX. */
int64_t oned_scheduled_actions_run(struct oned *oned);
