/* messages.h: writes the SCHED_MESSAGE of VMs: what a VM waits for, and its expected start; that it
 * is late, about to end or to be preempted, or that a change was refused; and with it the VM's
 * promise (promises.h).
 *
 * Written when the text that the VM should show is not the one that it shows, or its promise has
 * changed; two seconds after the last message at the earliest, unless a command waits for the
 * promise. Of a lease that waits, other numbers and times are written after 30 s, another reason of
 * those that say that there is no room after 10 s, and a start that has passed at once.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lease_record;
struct vm_record;
struct daemon;
struct messages; /* opaque */

struct messages *messages_create(struct daemon *daemon);
void messages_destroy(struct messages *messages); /* NULL is allowed */

/* Read messages and promises from the extended forms of the last poll. */
void messages_see(struct messages *messages, int64_t now);

/* Compose the messages and promises that changed, a hundred at once. They show what the store
 * holds: commit it before they are sent. Returns how many are to be sent. When more have changed,
 * the daemon is woken after the answers. O(VMs of leases that are awake). */
size_t messages_prepare(struct messages *messages, int64_t now);
/* Send the prepared ones. */
void messages_send(struct messages *messages);
/* Discard the prepared ones; they are composed again. */
void messages_withdraw(struct messages *messages);

/* The sentence that the VM shows to the lease's owner. No start before `now` (seconds since 1970)
 * is announced. */
void message_of(const struct lease_record *lease, const struct vm_record *vm, int64_t now,
                char *text, size_t size);
