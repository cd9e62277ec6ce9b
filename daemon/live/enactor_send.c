/* Sends commands and processes their results. */
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/guard.h"
#include "daemon/live/moves.h"
#include "daemon/state/learned.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/crash_point.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_COMMANDS

enum { PAUSE_WHEN_UNREACHABLE = 1 /* seconds */ };

/* A command that the cloud has not answered yet. Owned by the enactor, since a destroyed cloud
 * never calls back. */
struct sent {
    struct enactor *enactor;
    struct sent *next, **link; /* the pointer to this command */
    int32_t vm;
    enum command command;
    int64_t at; /* monotonic milliseconds */
};

static void forget(struct sent *sent)
{
    *sent->link = sent->next;
    if (sent->next)
        sent->next->link = sent->link;
    free(sent);
}

void enactor_forget_sent(struct enactor *enactor)
{
    struct sent *next;

    for (struct sent *sent = enactor->sent; sent; sent = next) {
        next = sent->next;
        free(sent);
    }
    enactor->sent = NULL;
}

static void done(struct enactor *enactor, const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(enactor->daemon->world, vm->id);

    log_info_of(vm->lease, vm->id, "VM %d: %s accepted (lease %lld)", vm->id,
                command_words[vm->command], (long long)vm->lease);
    vm_command_accepted(enactor->daemon->store, vm, observed ? observed->history.sequence : -1);
}

const struct command_counts *enactor_counts(const struct enactor *enactor, enum command command)
{
    return &enactor->counts[command];
}

static void count(struct enactor *enactor, const struct sent *sent, enum cloud_outcome outcome)
{
    struct command_counts *counts = &enactor->counts[sent->command];

    counts->outcomes[outcome]++;
    histogram_add(&counts->latency, clock_monotonic() - sent->at);
}

static void answered(void *context, const struct cloud_reply *reply)
{
    struct sent *sent = context;
    struct enactor *enactor = sent->enactor;
    const struct vm_record *vm = store_vm(enactor->daemon->store, sent->vm);
    int64_t now = clock_now();

    count(enactor, sent, reply->outcome);
    forget(sent);
    enactor->in_flight--;
    if (!vm)
        return;
    crash_point("command answered");
    vm_note_answered(enactor->daemon->store, vm, clock_monotonic());
    switch (reply->outcome) {
    case CLOUD_DONE:
        done(enactor, vm);
        break;
    case CLOUD_REFUSED:
        enactor_note_refusal(enactor, vm, reply, now);
        move_refused(enactor->daemon, vm, now);
        break;
    case CLOUD_NOT_SENT:
        vm_command_unsent(enactor->daemon->store, vm, now + PAUSE_WHEN_UNREACHABLE);
        break;
    case CLOUD_UNKNOWN:
        log_warning_of(vm->lease, vm->id, "VM %d of lease %lld: %s: %s; checking its outcome",
                       vm->id, (long long)vm->lease, command_words[vm->command], reply->message);
        break;
    }
    daemon_answered(enactor->daemon);
}

static bool is_to_be_unlocked(const struct enactor *enactor, const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(enactor->daemon->world, vm->id);

    return observed && observed->locked && enactor_may_unlock(enactor, vm, vm->sent);
}

static void call(struct enactor *enactor, const struct vm_record *vm, bool unlock)
{
    struct sent *sent = memory_new(1, sizeof *sent);
    struct nic_choice nics[VM_NICS_MAX];
    size_t n_nics = 0;

    *sent = (struct sent){.enactor = enactor,
                          .next = enactor->sent,
                          .link = &enactor->sent,
                          .vm = vm->id,
                          .command = vm->command,
                          .at = clock_monotonic()};
    if (sent->next)
        sent->next->link = &sent->next;
    enactor->sent = sent;
    enactor->in_flight++;
    if (vm->command == COMMAND_DEPLOY)
        n_nics = world_nics(enactor->daemon->world, vm->id, nics);
    cloud_command(enactor->daemon->cloud,
                  &(struct cloud_command){.vm = vm->id,
                                          .command = vm->command,
                                          .host = command_host(vm, vm->command),
                                          .datastore = vm->datastore,
                                          .nics = nics,
                                          .n_nics = n_nics,
                                          .enforce = enactor->daemon->live->enforce,
                                          .send_by = guard_send_by(enactor->daemon->guard),
                                          .unlock = unlock,
                                          .done = answered,
                                          .context = sent});
}

/* Starts the measurement of the operation's duration. */
static void measure(struct enactor *enactor, const struct vm_record *vm)
{
    struct learned *learned = enactor->daemon->learned;
    int64_t now = clock_monotonic();

    if (command_kinds[vm->command].effect == EFFECT_SUSPEND)
        learned_begun(learned, vm->id, OPERATION_SUSPEND, vm->memory, now);
    else if (vm->command == COMMAND_DEPLOY)
        learned_begun(learned, vm->id, vm->ran ? OPERATION_RESUME : OPERATION_BOOT, vm->memory,
                      now);
    else if (vm->command == COMMAND_RESUME)
        learned_begun(learned, vm->id, OPERATION_RESUME, vm->memory, now);
    else
        learned_forget(learned, vm->id);
}

/* "VM 4: unlock, stop (lease 2: Being suspended for lease 7)". */
static void log_command(const struct enactor *enactor, const struct vm_record *vm, bool unlock)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    int32_t host = command_host(vm, vm->command);
    char text[STORE_ACTIVITY_MAX], where[24] = "";

    if (lease)
        store_activity(lease, clock_now(), text, sizeof text);
    if (host >= 0)
        snprintf(where, sizeof where, " %s host %d",
                 command_kinds[vm->command].load == LOADS_NEXT_HOST ? "to" : "on", host);
    if (vm->in_vain)
        log_warning_of(vm->lease, vm->id,
                       "VM %d of lease %lld: its last command had no effect; %s is sent again",
                       vm->id, (long long)vm->lease, command_words[vm->command]);
    log_info_of(vm->lease, vm->id, "VM %d: %s%s%s%s (lease %lld: %s)", vm->id,
                unlock ? "unlock, " : "", command_words[vm->command], where,
                enactor->daemon->live->dry_run ? ", not sent (dry run)" : "", (long long)vm->lease,
                lease ? text : "is over");
}

static void send_one(struct enactor *enactor, const struct vm_record *vm)
{
    bool unlock = is_to_be_unlocked(enactor, vm);

    measure(enactor, vm);
    log_command(enactor, vm, unlock);
    vm_note_sent(enactor->daemon->store, vm); /* not cleared in a dry run: logged once */
    if (enactor->daemon->live->dry_run)
        return;
    if (unlock || vm->goal == GOAL_RUN)
        vm_set_unlocked(enactor->daemon->store, vm, unlock);
    if (unlock)
        store_history(enactor->daemon->store, vm->lease, clock_now(), "unlocked",
                      "VM %d is locked; unlocking it for the command %s", vm->id,
                      command_words[vm->command]);
    call(enactor, vm, unlock);
}

void enactor_withdraw(struct enactor *enactor)
{
    for (size_t i = 0; i < enactor->n_commands; i++) {
        const struct vm_record *vm = store_vm(enactor->daemon->store, enactor->commands[i]);

        if (vm)
            vm_command_withdrawn(enactor->daemon->store, vm);
    }
    enactor->n_commands = 0;
}

void enactor_send(struct enactor *enactor)
{
    for (size_t i = 0; i < enactor->n_commands; i++) {
        const struct vm_record *vm = store_vm(enactor->daemon->store, enactor->commands[i]);

        crash_point("before a command");
        if (vm)
            send_one(enactor, vm);
        crash_point("after a command");
    }
    enactor->n_commands = 0;
}
