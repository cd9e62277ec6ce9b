/* promises.h: keeps in the template of each VM what its lease was promised (promise.h), and
 * restores from there the leases that the store has lost.
 *
 * Leases have a promise from their acceptance to their end; plain VMs only while they are suspended
 * to make room; after that it says that nothing is promised any more. It is written together with
 * the VM's message, once for each change; before a VM is suspended or held, it must be in
 * OpenNebula.
 *
 * Without a key (simulated hosts) all functions do nothing.
 */
#pragma once

#include "adapters/cloud/objects.h"
#include "daemon/live/promise.h"

struct daemon;

struct promises {
    bool has_key;
    struct promise_key key;
    int32_t zone;
    int32_t *unreadable; /* VMs not in the store whose promises a newer galernad wrote */
    size_t n_unreadable, unreadable_allocated;
};

/* The promise of a VM that is to be written now. */
struct promise_due {
    int64_t number, digest;
    char text[PROMISE_TEXT_MAX];
};

/* Is a promise to be written for the VM: has it changed, or been damaged? About 400 ns if not.
 * After one that was not answered, only the same is written until the VM has been read: else the
 * first could be taken for one of another front-end. */
bool promises_due(const struct daemon *daemon, const struct vm_record *vm,
                  const struct lease_record *lease, struct promise_due *due);

/* Must the VM's promise be written before its command? To another galernad, a VM that is suspended
 * or held and does not say so was suspended or held by its owner; and a member of a group that runs
 * without a promise is a lease of its own. Not if OpenNebula refuses it. */
bool promises_precede(const struct daemon *daemon, const struct vm_record *vm);
/* The same for any VM of the lease. O(VMs). */
bool promises_precede_group(const struct daemon *daemon, int64_t lease);

/* Compare what the VM shows with the last promise written. A promise that is newer than the store
 * was written by another front-end and is taken over, also that nothing is promised any more,
 * unless it is the one that was sent last from here; one that only a newer galernad can read is
 * left alone. Anything else is written again. Each is reported once, in the log and the lease's
 * history. */
void promises_see(struct daemon *daemon, const struct vm_record *vm, const struct vm *shown,
                  int64_t now);

/* Restore the lease of a VM that is not in the store. False: the VM has no valid promise. A VM with
 * a promise of a newer galernad is noted, and left to that one. */
bool promises_restore(struct daemon *daemon, const struct vm *vm);
/* After all VMs: the restored leases go on in the phase that follows from their VMs' states. */
void promises_restored(struct daemon *daemon, int64_t now);
/* Forget the noted VMs that are in the store, or gone, now. O(noted VMs). */
void promises_review_unreadable(struct daemon *daemon);
void promises_finish(struct promises *promises);
