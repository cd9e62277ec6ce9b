/* moving_cloud.h: a fake cloud (test/daemon/fake_cloud.h) where commands take time.
 *
 * VMs boot, are saved, migrate and end as OpenNebula shows it: a VM that migrates is in the record
 * of its new host from the beginning, and needs room on both hosts. Some migrations fail.
 */
#pragma once

#include "test/daemon/fake_cloud.h"
#include "test/support/random.h"

struct moving_vm {
    enum vm_state next; /* when the operation under way is over */
    int64_t due;        /* seconds; INSTANT_NEVER: nothing is under way */
    int32_t from;       /* the other host of a migration; -1: none */
    bool fails;         /* it will be where it was */
};

struct moving_cloud {
    struct fake_cloud *fake;
    struct moving_vm vms[FAKE_VMS_MAX]; /* by id */
    struct random *random;
    int64_t slowest;      /* seconds that an operation takes at most */
    int64_t slowest_move; /* the same of a migration */
    int64_t failing;      /* one of so many live migrations fails; 0: none */
};

void moving_cloud_init(struct moving_cloud *cloud, struct fake_cloud *fake, struct random *random);
struct vm *moving_cloud_vm(const struct moving_cloud *cloud, int32_t id);
/* Carries out what was commanded since the last call. */
void moving_cloud_obey(struct moving_cloud *cloud, int64_t now);
/* Time comes to `now`. */
void moving_cloud_settle(struct moving_cloud *cloud, int64_t now);
int64_t moving_cloud_next(const struct moving_cloud *cloud);
/* A user or operator does it. False: the VM's state does not allow it. */
bool moving_cloud_do(struct moving_cloud *cloud, int32_t id, enum command command, int64_t now);
