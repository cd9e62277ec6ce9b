/* enactor.h: from goals to commands.
 *
 * For each VM whose state is not what its goal says, the one command that brings it nearer is sent:
 * in parallel, within limits per host and in all, with a pause that doubles after each failure. A
 * VM whose last command has not been answered, or not been followed by a look at it, gets no
 * command: nothing is ever repeated blind. A deploy waits until the VMs that really are on the host
 * leave room for it, whatever the plan says; the VMs of a group wait for each other.
 */
#ifndef GALERNA_DAEMON_ENACTOR_H
#define GALERNA_DAEMON_ENACTOR_H

#include <stddef.h>
#include <stdint.h>

struct daemon;
struct enactor; /* opaque */

struct enactor *enactor_create(struct daemon *daemon);
void enactor_destroy(struct enactor *enactor); /* NULL is allowed */

/* Decide which commands are due, and note them in the store (store_commit() comes next). Returns
 * how many. Costs: O(VMs) and a few words per host. */
size_t enactor_prepare(struct enactor *enactor, int64_t now);
/* Send what was prepared. */
void enactor_send(struct enactor *enactor);
/* Do not send it after all. */
void enactor_withdraw(struct enactor *enactor);

/* VMs that are on their way to another state, or in the way of one that waits: to be looked at
 * soon. Fills ids (room for n), returns how many. */
size_t enactor_watched(const struct enactor *enactor, int32_t *ids, size_t n);

/* When the first pause after a failure is over, in seconds since 1970; INT64_MAX: there is none. */
int64_t enactor_next_time(const struct enactor *enactor);

size_t enactor_in_flight(const struct enactor *enactor);

#endif
