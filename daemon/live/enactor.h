/* enactor.h: from goals to commands.
 *
 * The enactor sends each VM whose state does not match its goal the one command that brings it
 * closer: in parallel, within limits per host and in total, with a pause that doubles after each
 * failure. A VM gets no command before its last command was answered and the VM was polled again:
 * commands are never repeated blindly. A deploy waits until the VMs actually on the host leave
 * enough room, whatever the plan; the VMs of a group wait for each other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "util/histogram.h"

struct daemon;
struct vm_observation;
struct vm_record;
struct enactor; /* opaque */

enum { CLOUD_OUTCOMES = CLOUD_UNKNOWN + 1 };

/* The answered commands of one kind, by enum cloud_outcome. */
struct command_counts {
    uint64_t outcomes[CLOUD_OUTCOMES];
    struct histogram latency; /* from sending to the answer */
};

struct enactor *enactor_create(struct daemon *daemon);
void enactor_destroy(struct enactor *enactor); /* NULL is allowed */

/* Decide which commands are due, and record them in the store (commit with store_commit() before
 * sending). Returns their number. O(VMs + hosts). */
size_t enactor_prepare(struct enactor *enactor, int64_t now);
/* Send the prepared commands. */
void enactor_send(struct enactor *enactor);
/* Discard the prepared commands. */
void enactor_withdraw(struct enactor *enactor);

/* VMs in transition, or in the way of a waiting VM, to be polled again soon. Fills ids (room for
 * n), returns their number. */
size_t enactor_watched(const struct enactor *enactor, int32_t *ids, size_t n);

/* When the first pause after a failure ends, seconds since 1970; INT64_MAX: none. */
int64_t enactor_next_time(const struct enactor *enactor);

size_t enactor_in_flight(const struct enactor *enactor);
/* Counted since the enactor was created. */
const struct command_counts *enactor_counts(const struct enactor *enactor, enum command command);

/* Does the VM keep other VMs from using its room on the host? Suspended and powered-off VMs do,
 * unless galernad suspended them; with `enforce`, all VMs that OpenNebula counts do. vm: NULL
 * without a record. */
bool enactor_keeps_room(const struct daemon *daemon, const struct vm_record *vm,
                        const struct vm_observation *observed);
