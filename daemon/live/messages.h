/* messages.h: writes the SCHED_MESSAGE of VMs: the reason why a VM waits and its expected start, or
 * that it is late, about to end or to be preempted, or that a change was refused. The VM's promise
 * (promises.h) is written together with the message.
 *
 * A message is written when its text or the VM's promise has changed, at least two seconds after
 * the previous message, unless a command waits for the promise. For a waiting lease, new numbers
 * and times are written after 30 s, a different reason for lack of room after 10 s, and an expected
 * start that has passed at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lease_record;
struct vm;
struct vm_record;
struct daemon;
struct messages; /* opaque */

struct messages *messages_create(struct daemon *daemon);
void messages_destroy(struct messages *messages); /* NULL is allowed */

/* Read messages and promises from the extended forms of the last poll. */
void messages_see(struct messages *messages, int64_t now);
/* Might messages_see() learn something from this form of the VM? */
bool messages_differ(const struct vm_record *vm, const struct vm *form);

/* Compose the changed messages and promises, a hundred at most. They show the contents of the
 * store: commit it before sending them. Returns how many are to be sent. If more have changed, the
 * daemon is woken after the answers. O(VMs of leases that are awake). */
size_t messages_prepare(struct messages *messages, int64_t now);
/* Send the prepared messages. */
void messages_send(struct messages *messages);
/* Discard the prepared messages; they are composed again. */
void messages_withdraw(struct messages *messages);

/* The message of the VM for the lease's owner. It announces no start before `now` (seconds since
 * 1970). */
void message_of(const struct lease_record *lease, const struct vm_record *vm, int64_t now,
                char *text, size_t size);
