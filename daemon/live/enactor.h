/* enactor.h: from goals to commands.
 *
 * Each VM whose state does not match its goal gets the one command that brings it closer: in
 * parallel, within limits per host and in total, with a pause that doubles after each failure. A VM
 * gets no command while the last one has not been answered, or the VM has not been polled since:
 * commands are never repeated blindly. A deploy waits until the VMs actually on the host leave
 * enough room, whatever the plan says; the VMs of a group wait for each other.
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

/* The commands of one kind that were answered, by enum cloud_outcome. */
struct command_counts {
    uint64_t outcomes[CLOUD_OUTCOMES];
    struct histogram latency; /* from sending to the answer */
};

struct enactor *enactor_create(struct daemon *daemon);
void enactor_destroy(struct enactor *enactor); /* NULL is allowed */

/* Decide which commands are due, and record them in the store (commit with store_commit() before
 * sending). Returns how many. O(VMs + hosts). */
size_t enactor_prepare(struct enactor *enactor, int64_t now);
/* Send the prepared commands. */
void enactor_send(struct enactor *enactor);
/* Discard the prepared commands. */
void enactor_withdraw(struct enactor *enactor);

/* VMs in transition, or in the way of a VM that waits, to be polled again soon. Fills ids (room for
 * n), returns how many. */
size_t enactor_watched(const struct enactor *enactor, int32_t *ids, size_t n);

/* When the first pause after a failure ends, seconds since 1970; INT64_MAX: none. */
int64_t enactor_next_time(const struct enactor *enactor);

size_t enactor_in_flight(const struct enactor *enactor);
/* Since the creation. */
const struct command_counts *enactor_counts(const struct enactor *enactor, enum command command);

/* Seconds until the next attempt after so many failed ones: retry-backoff, doubled each time, ten
 * minutes at most. */
int64_t enactor_pause_after(const struct daemon *daemon, int32_t attempts);

/* Does the VM take the room of its host from others? Suspended and powered-off VMs do, but for
 * those that galernad has suspended; with `enforce` all that OpenNebula counts. vm: NULL without a
 * record. */
bool enactor_keeps_room(const struct daemon *daemon, const struct vm_record *vm,
                        const struct vm_observation *observed);
