/* moves.h: VMs that run and go to better hosts, from the engine's spec to their arrival.
 *
 * While a VM moves its record names both hosts: `host`, where it runs, and `move_to`. What was
 * wished and not commanded when the daemon ends is forgotten: the engine wishes again, or better.
 */
#ifndef GALERNA_DAEMON_MOVES_H
#define GALERNA_DAEMON_MOVES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/live/world.h"
#include "daemon/store/store.h"

struct daemon;

static inline bool vm_moves(const struct vm_record *vm)
{
    return vm->move != MOVE_NONE && vm->goal == GOAL_RUN;
}

/* The host that a command works on: the one whose room it takes, or where the VM is. */
static inline int32_t command_host(const struct vm_record *vm, enum command command)
{
    return command_kinds[command].load == LOADS_NEXT_HOST ? vm->move_to : vm->host;
}

/* The host that the VM is planned to be on. */
static inline int32_t vm_planned_host(const struct vm_record *vm)
{
    return vm_moves(vm) ? vm->move_to : vm->host;
}

/* The migration that is to be sent to this VM that runs, or COMMAND_NONE. */
enum command move_command(const struct vm_record *vm, const struct vm_observation *observed);

/* The host besides that of its last record where the VM needs room; -1: none. */
int32_t move_other_host(const struct vm_record *vm, const struct vm_observation *observed);

/* It is under way to another host than the store has it on, and no move of it is known: the daemon
 * was away when it was commanded, or an operator moves it. It is a move like those that were
 * planned. */
void move_adopt(struct daemon *daemon, const struct vm_record *vm,
                const struct vm_observation *observed, int64_t now);

/* It is seen running. True: where it is has been noted, it was no operator who moved it. */
bool move_seen(struct daemon *daemon, const struct vm_record *vm,
               const struct vm_observation *observed, int64_t now);

/* OpenNebula refused its migration: it stays where it is. */
void move_refused(struct daemon *daemon, const struct vm_record *vm, int64_t now);

#endif
