/* new_lease.h: records of new leases and their VMs, from requests or from promises. */
#pragma once

#include <stdint.h>

#include "daemon/store/store.h"

struct daemon;
struct vm;

/* Takes up a lease in phase GATHERING that begins with this VM: requests it, or adopts a VM that is
 * already on a host. */
void new_lease_take_up(struct daemon *daemon, const struct lease_record *lease, const struct vm *vm,
                       int64_t now);

/* Adds records for a VM without any: its lease, best-effort and without terms, and the VM
 * itself. */
const struct lease_record *new_lease_add(struct daemon *daemon, const struct vm *vm, int64_t id);
void new_lease_add_vm(struct daemon *daemon, const struct vm *vm, int64_t lease);
