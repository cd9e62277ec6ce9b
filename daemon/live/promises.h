/* promises.h: keeps each lease's promise in the templates of its VMs (promise.h), and restores from
 * there leases that the store has lost.
 *
 * Leases have a promise from their acceptance to their end; plain VMs only while they are suspended
 * to make room, after which their promise has ended ("over"). A promise is written together with
 * the VM's message, once per change; it must be in OpenNebula before the VM is suspended or held.
 *
 * Without a key (simulated hosts) all functions do nothing.
 */
#pragma once

#include "adapters/cloud/objects.h"
#include "daemon/live/promise.h"

struct daemon;
struct store;

struct promises {
    bool has_key;
    struct promise_key key;
    int32_t zone;
    int32_t *unreadable; /* VMs not in the store, with promises written by a newer galernad */
    size_t n_unreadable, unreadable_allocated;
};

/* The promise of a VM to be written now. */
struct promise_due {
    int64_t number, digest;
    char text[PROMISE_TEXT_MAX];
};

/* Must a promise be written for the VM, because it has changed or was damaged? About 400 ns if not.
 * After a write without an answer, only the same promise is written until the VM has been read:
 * otherwise that first write could be taken for one by another front-end. */
bool promises_due(const struct daemon *daemon, const struct vm_record *vm,
                  const struct lease_record *lease, struct promise_due *due);

/* Must the VM's promise be written before its command? Without a promise, another galernad would
 * conclude that the owner suspended or held the VM, would treat a running member of a group as a
 * lease of its own, and would end a running VM whose last promise is over. False if OpenNebula
 * refuses the promise. */
bool promises_precede(const struct daemon *daemon, const struct vm_record *vm);
/* Must the promise of any VM of the lease be written first? O(VMs). */
bool promises_precede_group(const struct daemon *daemon, int64_t lease);

/* Compare the promise that the VM shows with the last one written. A promise newer than the store
 * was written by another front-end and is adopted, including the end of a promise, unless this
 * galernad sent it last; one that only a newer galernad can read is kept. Anything else is
 * overwritten. Each case is reported once, in the log and the lease's history. */
void promises_see(struct daemon *daemon, const struct vm_record *vm, const struct vm *shown,
                  int64_t now);

/* Restore the lease of a VM that is not in the store. False: the VM has no valid promise. A VM with
 * a promise of a newer galernad is noted, and left to that galernad. */
bool promises_restore(struct daemon *daemon, const struct vm *vm);
/* To be called after all VMs: sets the phases of the restored leases from the states of their
 * VMs. */
void promises_restored(struct daemon *daemon, int64_t now);
/* The number of leases that were last restored because the store lacked them, and when; 0: none. */
size_t promises_restored_last(const struct store *store, int64_t *at);
/* "3 leases were missing from the store ...", and what is lost. */
void promises_lost_text(size_t n, char *text, size_t size);
/* Forget noted VMs that are now in the store or gone. O(noted VMs). */
void promises_review_unreadable(struct daemon *daemon);
void promises_finish(struct promises *promises);
