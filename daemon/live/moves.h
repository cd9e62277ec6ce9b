/* moves.h: migrations of VMs to better hosts, or off hosts that they must leave, from the engine's
 * decision to the VM's arrival.
 *
 * While a VM moves its record has both hosts: `host`, where it runs, and `move_to`. Moves without a
 * command yet are lost when the daemon ends: the engine decides again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/state/vm_state.h"
#include "daemon/state/world.h"

struct daemon;

/* The host that a command puts load on: `move_to`, or else the VM's host. */
static inline int32_t command_host(const struct vm_record *vm, enum command command)
{
    return command_kinds[command].load == LOADS_NEXT_HOST ? vm->move_to : vm->host;
}

/* The migration command to send for a running or powered-off VM, or COMMAND_NONE. */
enum command move_command(const struct vm_record *vm, const struct vm_observation *observed);

/* The VM was observed: an operator has marked it to be moved (RESCHED), or the mark is gone.
 * OpenNebula removes the mark when a migration begins; a failed migration is repeated all the
 * same. */
void move_see_resched(struct daemon *daemon, const struct vm_record *vm,
                      const struct vm_observation *observed);

/* The second host where a moving VM needs room, besides the host of its last record; -1: none. vm:
 * NULL without a record. */
int32_t move_other_host(const struct vm_record *vm, const struct vm_observation *observed);

/* The VM migrates to a host other than the stored one, and the move is unknown: it was commanded
 * before a restart, or by an operator. The VM is tracked like a planned move. */
void move_adopt(struct daemon *daemon, const struct vm_record *vm,
                const struct vm_observation *observed, int64_t now);

/* The VM was observed running. True: its host has been recorded as part of a planned move. */
bool move_seen(struct daemon *daemon, const struct vm_record *vm,
               const struct vm_observation *observed, int64_t now);

/* OpenNebula refused the migration: the VM stays on its host. */
void move_refused(struct daemon *daemon, const struct vm_record *vm, int64_t now);
