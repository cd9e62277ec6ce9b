/* enactor_inside.h: shared by the files of the enactor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "daemon/live/complaint.h"
#include "daemon/live/enactor.h"
#include "daemon/state/world.h"
#include "daemon/store/store.h"
#include "util/map.h"

/* Capacity used on a host by the VMs observed there and by commands in flight. */
struct host_usage {
    int64_t cpu, memory;
    int busy;  /* VMs being commanded or in transition */
    int stuck; /* VMs whose transition is long overdue: not counted in busy */
    int stuck_booting;
    bool awaited;      /* a VM waits for room here */
    size_t departures; /* the first of due departures from here, plus 1; 0: none */
};

enum { STUCK_NAMED = 20 };

/* How soon a command is due. */
enum urgency {
    URGENCY_BEGUN,    /* other VMs of the lease have started */
    URGENCY_PROMISED, /* promised to start now */
    URGENCY_DEADLINE,
    URGENCY_NONE,
};

/* A command that is due, not yet checked for turns and room. */
struct due_command {
    const struct vm_record *vm;
    enum command command;
    enum urgency urgency;
    int64_t priority;
    int64_t turn; /* operations for the same user that are in progress or before the lease's */
    bool offered; /* together with a start that its room is for */
    size_t next;  /* the next departure from the same host, plus 1; 0: none */
};

/* A group that did not get enough turns in this cycle. */
struct kept_turns {
    int64_t group;  /* the group's lease, behind which nothing starts; 0: none */
    bool are_kept;  /* it has waited so long that departures get no turns, either */
    int64_t before; /* the group that keeps the turns in this cycle; 0: none */
};

struct enactor {
    struct daemon *daemon;
    const struct hosts_seen *hosts; /* of this cycle */
    struct host_usage *usage;
    size_t usage_allocated;
    int64_t busy;
    struct map busy_users; /* operations in progress, by the user whom they serve: int64_t */
    struct kept_turns turns;
    size_t n_stuck;                           /* of this cycle */
    const struct vm_observation *first_stuck; /* likewise */
    int32_t stuck[STUCK_NAMED];               /* the first ones */

    struct due_command *due;
    size_t n_due, due_allocated;
    int32_t *commands; /* VMs with a command to send */
    size_t n_commands, commands_allocated;
    int32_t *watched;
    size_t n_watched, watched_allocated;
    struct map announced; /* leases with commands due in this cycle: whether they wait for
                           * promises */
    int64_t next_time;    /* seconds since 1970 */
    struct complaint complaint;
    size_t in_flight;
    struct sent *sent; /* commands in flight, a list */
    struct command_counts counts[COMMAND_KINDS];
};

/* --- enactor_command.c --- */
/* The command that brings the VM closer to its goal; COMMAND_NONE: none. */
enum command enactor_command(const struct enactor *enactor, const struct vm_record *vm,
                             const struct vm_observation *observed);
/* The command that starts or resumes the VM. */
enum command enactor_to_run(const struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed);

/* --- enactor_promises.c --- */
/* Must a promise of the VM's lease be in OpenNebula before the command? The answer does not change
 * during a cycle. O(1) on average. */
bool enactor_waits_for_promise(struct enactor *enactor, const struct vm_record *vm);
void enactor_ask_again(struct enactor *enactor);
/* May the VM be unlocked to reach its goal: is its lease's time over, or must the lease make room
 * for one that was promised to run? O(1). */
bool enactor_may_unlock(const struct enactor *enactor, const struct vm_record *vm, int64_t now);
/* Does the VM's lease make room for a lease that was promised to run? O(1). */
bool enactor_serves_promise(const struct enactor *enactor, const struct vm_record *vm);

/* --- enactor_order.c --- */
/* Adding the VMs of a lease one after the other costs O(VMs of the lease). */
void enactor_add_due(struct enactor *enactor, const struct vm_record *vm, enum command command);
void enactor_sort_due(struct enactor *enactor); /* O(n log n) */
/* The number of operations in progress for the user whom the VM's operation serves, until another
 * user is counted. O(1). */
int64_t *enactor_busy_of(struct enactor *enactor, const struct vm_record *vm);
/* Was the start promised for now, or have other VMs of the lease started? */
bool enactor_is_urgent(const struct enactor *enactor, const struct vm_record *vm,
                       enum command command);

/* --- enactor_rules.c --- */
/* Do the rules of its VM groups allow the VM on that host? Other VMs may still be leaving, or may
 * have been moved by a user since the plan was made. */
bool enactor_keeps_rules(struct enactor *enactor, const struct vm_record *vm, int32_t host);

/* --- enactor_turns.c --- */
/* To be called first in each cycle. */
void enactor_begin_turns(struct enactor *enactor);
/* Do the limits allow one more operation? If they do not for a while, the owner is notified. */
bool enactor_has_turn(struct enactor *enactor, const struct vm_record *vm, enum command command);
/* Are there enough turns for all VMs of a starting group? The group keeps the available turns from
 * other starts until the end of the cycle, and after a while from all until it starts. O(VMs of the
 * lease). */
bool enactor_group_has_turns(struct enactor *enactor, const struct vm_record *vm);

/* --- enactor_usage.c --- */
/* The usage of a host; NULL: not in the pool. O(log hosts). */
struct host_usage *enactor_usage_of(const struct enactor *enactor, int32_t id);
/* Was a command sent that brings the VM to the host of its record, whose effect has not been
 * observed yet? */
bool enactor_on_its_way(const struct vm_record *vm, const struct vm_observation *observed);
/* Count the usage of each host, and the operations in total. O(hosts + VMs). */
void enactor_count_hosts(struct enactor *enactor);
/* Chain the due departures from each host, in their order. O(commands). */
void enactor_chain_departures(struct enactor *enactor);

/* --- enactor_send.c --- */
/* Free the commands that wait for an answer. */
void enactor_forget_sent(struct enactor *enactor);

/* --- enactor_stuck.c --- */
/* Has the VM been in transition for longer than `stuck-after` and three times the longest estimate
 * of any operation? Stuck VMs do not count against the limits, which are for operations that make
 * progress. */
bool enactor_is_stuck(const struct enactor *enactor, const struct vm_observation *observed);
/* Did the oned that began the VM's operation lose the leadership of its zone, so that the end of
 * the operation may never be reported? The operation counts neither against the limits nor against
 * the host. */
bool enactor_may_be_lost(const struct enactor *enactor, const struct vm_observation *observed);
/* Note whether a VM is stuck, and notify its owner. */
void enactor_note_operation(struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed);
/* Log how many VMs are stuck, and quarantine hosts with several stuck VMs. */
void enactor_note_stuck(struct enactor *enactor, int64_t now);
/* Log that a host is quarantined from now on, and replan. */
void enactor_tell_quarantine(struct enactor *enactor, int32_t host, const char *why, int64_t now);

/* --- enactor_failures.c --- */
/* The VM failed to start on its host: counted once per failure. True: the VM is due to be
 * recovered. */
bool enactor_note_failure(struct enactor *enactor, const struct vm_record *vm,
                          const struct vm_observation *observed, int64_t now);
/* The VM's last command is due again: had it no effect? False: the effect may still be observed, or
 * the command is repeated after a pause. */
bool enactor_may_repeat(struct enactor *enactor, const struct vm_record *vm,
                        const struct vm_observation *observed, int64_t now);
/* oned refused a command. */
void enactor_note_refusal(struct enactor *enactor, const struct vm_record *vm,
                          const struct cloud_reply *reply, int64_t now);
