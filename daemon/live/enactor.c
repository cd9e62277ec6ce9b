/* A cycle of the enactor: which commands are due now, and in which order. */
#include "daemon/live/enactor.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/moves.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

enum {
    BLOCKED_TOO_LONG = 10 * 1000, /* milliseconds: the lease is replanned after that */
    SITE_OLD = 2 * 1000, /* milliseconds: datastores and networks are re-examined after that */
};

struct enactor *enactor_create(struct daemon *daemon)
{
    struct enactor *enactor = memory_new(1, sizeof *enactor);

    enactor->daemon = daemon;
    enactor->next_time = INT64_MAX;
    enactor_ask_again(enactor);
    return enactor;
}

void enactor_destroy(struct enactor *enactor)
{
    if (!enactor)
        return;
    enactor_forget_sent(enactor);
    free(enactor->due);
    free(enactor->commands);
    free(enactor->usage);
    free(enactor->watched);
    map_finish(&enactor->announced);
    map_finish(&enactor->busy_users);
    free(enactor);
}

/* --- whether to send it now ------------------------------------------------------------------- */

static bool is_settled(const struct vm_record *vm, const struct vm_observation *observed)
{
    return observed && observed->present && !vm->in_flight && !vm->command &&
           observed->asked > vm->settled && !observed->missing;
}

static bool takes_room(enum command command)
{
    return command_kinds[command].load != LOADS_NOTHING;
}

static bool host_has_room(struct enactor *enactor, const struct vm_record *vm, enum command command)
{
    int32_t target = command_host(vm, command);
    const struct host_usage *usage = enactor_usage_of(enactor, target);
    const struct host *host = target < 0 ? NULL : host_pool_find(&enactor->hosts->pool, target);

    return usage && host && usage->cpu + vm->cpu <= host->cpu &&
           usage->memory + vm->memory <= host->memory && host->state == HOST_ON &&
           enactor_keeps_rules(enactor, vm, target) &&
           planner_host_has_units(enactor->daemon->planner, vm->id, target);
}

static void watch(struct enactor *enactor, int32_t id)
{
    MEMORY_GROW(enactor->watched, enactor->watched_allocated, enactor->n_watched + 1);
    enactor->watched[enactor->n_watched++] = id;
}

static void note_blocked(struct enactor *enactor, const struct vm_record *vm, int32_t host)
{
    struct host_usage *usage = enactor_usage_of(enactor, host);
    int64_t now = clock_monotonic();

    if (usage)
        usage->awaited = true;
    if (!vm->blocked)
        vm_note_blocked(enactor->daemon->store, vm, now);
    if (now - vm->blocked > BLOCKED_TOO_LONG) {
        vm_note_blocked(enactor->daemon->store, vm, now);
        daemon_replan(enactor->daemon, "VM %d has waited too long for room on host %d", vm->id,
                      host);
    }
}

/* Room taken for one VM of a group, on the host that its command puts load on. */
struct taken {
    struct host_usage *usage;
    const struct vm_record *vm;
};

static bool has_room(struct enactor *enactor, const struct vm_record *vm, enum command command,
                     int32_t *full)
{
    if (host_has_room(enactor, vm, command))
        return true;
    *full = command_host(vm, command);
    return false;
}

/* The VMs of a group start together: the first is deployed only when all have room. False: *full
 * has none. */
static bool group_has_room(struct enactor *enactor, const struct vm_record *vm,
                           enum command command, int32_t *full)
{
    size_t n, n_taken = 0;
    const struct vm_record *const *vms = store_vms_of(enactor->daemon->store, vm->lease, &n);
    struct taken *taken;
    bool room = true;

    if (n == 1 || command_kinds[command].load == LOADS_NEXT_HOST)
        return has_room(enactor, vm, command, full);
    taken = memory_new(n, sizeof *taken);
    for (size_t i = 0; i < n && room; i++) {
        const struct vm_observation *observed = world_vm(enactor->daemon->world, vms[i]->id);
        struct host_usage *usage;

        if (vms[i]->gone || !observed || vms[i]->goal != GOAL_RUN ||
            enactor_on_its_way(vms[i], observed))
            continue;
        command = enactor_to_run(enactor, vms[i], observed);
        if (!command || !takes_room(command))
            continue;
        room = has_room(enactor, vms[i], command, full);
        if (!room)
            continue;
        usage = enactor_usage_of(enactor, command_host(vms[i], command));
        usage->cpu += vms[i]->cpu;
        usage->memory += vms[i]->memory;
        taken[n_taken++] = (struct taken){usage, vms[i]};
    }
    for (size_t i = 0; i < n_taken; i++) {
        taken[i].usage->cpu -= taken[i].vm->cpu;
        taken[i].usage->memory -= taken[i].vm->memory;
    }
    free(taken);
    return room;
}

/* Have networks been chosen for all automatic NICs of the VM? */
static bool has_networks(const struct enactor *enactor, const struct vm *vm)
{
    struct nic_choice choices[VM_NICS_MAX];

    return vm->n_nics == 0 || world_nics(enactor->daemon->world, vm->id, choices) == vm->n_nics;
}

/* Ensures that the VM has a system datastore and networks. A VM that ran keeps its own. */
static bool is_prepared(struct enactor *enactor, const struct vm_record *vm)
{
    struct store *store = enactor->daemon->store;
    const struct vm *full = world_vm(enactor->daemon->world, vm->id)->full;
    bool networks = !full || has_networks(enactor, full);
    char text[STORE_TEXT_MAX] = "";
    struct reason reason;
    int32_t datastore;

    if (!full || (vm->ran && networks)) {
        vm_take_datastore(store, vm, -1);
        return true;
    }
    if (vm->datastore >= 0 && networks)
        return true;
    datastore =
        planner_prepare(enactor->daemon->planner, vm->id, vm->host, &reason, text, sizeof text);
    vm_take_datastore(store, vm, datastore);
    if (datastore >= 0)
        return true;
    if (clock_monotonic() - planner_built(enactor->daemon->planner) > SITE_OLD)
        daemon_replan(enactor->daemon, "VM %d cannot be deployed on its host", vm->id);
    lease_explain(store, store_lease(store, vm->lease), &reason, NULL, INSTANT_NONE);
    return false;
}

static bool is_announced(struct enactor *enactor, const struct vm_record *vm)
{
    if (enactor->daemon->live->dry_run || !enactor_waits_for_promise(enactor, vm))
        return true;
    watch(enactor, vm->id);
    return false;
}

/* Stores the host that has no room for the command or, in a group, for other VMs. */
static bool may_be_sent(struct enactor *enactor, const struct due_command *due, int64_t now,
                        int32_t *full)
{
    const struct vm_record *vm = due->vm;
    enum command command = due->command;

    if (vm->next_try != INSTANT_NONE && vm->next_try > now) {
        if (vm->next_try < enactor->next_time)
            enactor->next_time = vm->next_try;
        return false;
    }
    if (!is_announced(enactor, vm) || !enactor_has_turn(enactor, vm, command))
        return false;
    if (!takes_room(command))
        return true;
    if (!group_has_room(enactor, vm, command, full)) {
        note_blocked(enactor, vm, *full);
        return false;
    }
    if (command_kinds[command].load == LOADS_HOST && !enactor_group_has_turns(enactor, vm))
        return false;
    return command != COMMAND_DEPLOY || is_prepared(enactor, vm);
}

/* --- preparing -------------------------------------------------------------------------------- */

/* Recorded with the first command of a lease's start: until then, a plan may choose other hosts. */
static void tell_start(struct enactor *enactor, const struct vm_record *vm, int64_t now)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    const struct host *host = host_pool_find(&enactor->hosts->pool, vm->host);
    bool resumes;
    size_t n;

    if (!lease || !host || lease->phase != PHASE_STARTING ||
        reconcile_may_have_begun(enactor->daemon, lease))
        return;
    resumes = lease_is_suspended_by_us(enactor->daemon->store, lease);
    store_vms_of(enactor->daemon->store, lease->id, &n);
    store_history(enactor->daemon->store, lease->id, now, resumes ? "resuming" : "starting",
                  "%zu VM%s, %son host %s", n, n == 1 ? "" : "s", n == 1 ? "" : "the first ",
                  host->name);
}

static void untell_turn(struct enactor *enactor, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);

    if (lease && lease->reason_id == REASON_TURN)
        lease_explain(enactor->daemon->store, lease, &(struct reason){.id = REASON_NONE}, NULL,
                      INSTANT_NONE);
}

static void prepare(struct enactor *enactor, const struct vm_record *vm, enum command command,
                    int64_t now)
{
    struct host_usage *usage = enactor_usage_of(enactor, command_host(vm, command));

    tell_start(enactor, vm, now);
    untell_turn(enactor, vm);
    vm_command(enactor->daemon->store, vm, command, now);
    if (usage) {
        usage->busy++;
        if (takes_room(command)) {
            usage->cpu += vm->cpu;
            usage->memory += vm->memory;
        }
    }
    enactor->busy++;
    MEMORY_GROW(enactor->commands, enactor->commands_allocated, enactor->n_commands + 1);
    enactor->commands[enactor->n_commands++] = vm->id;
}

/* The command that the VM needs; COMMAND_NONE: none, or not yet. */
static enum command needs(struct enactor *enactor, const struct vm_record *vm, int64_t now)
{
    const struct vm_observation *observed = world_vm(enactor->daemon->world, vm->id);
    enum command command;

    if (vm->gone || (vm->goal == GOAL_NONE && !vm_moves(vm))) {
        if (vm->gone || !observed || observed_holds_host(observed) ||
            vm->last == COMMAND_RECREATE) /* it left the host */
            vm_note_effect(enactor->daemon->store, vm);
        else if (vm->last) /* its start was taken back */
            enactor_may_repeat(enactor, vm, observed, now);
        return COMMAND_NONE;
    }
    if (!is_settled(vm, observed)) {
        if (!vm->in_flight)
            watch(enactor, vm->id);
        return COMMAND_NONE;
    }
    command = enactor_command(enactor, vm, observed);
    if (!command || (vm->last && command != vm->last))
        vm_note_effect(enactor->daemon->store, vm);
    if (!command) {
        if (observed_in_transition(observed) && !enactor_is_stuck(enactor, observed))
            watch(enactor, vm->id);
        return COMMAND_NONE;
    }
    if (command == COMMAND_RECREATE || command == COMMAND_RETRY) {
        if (!enactor_note_failure(enactor, vm, observed, now))
            return COMMAND_NONE;
    }
    if (vm->last && !enactor_may_repeat(enactor, vm, observed, now)) {
        watch(enactor, vm->id);
        return COMMAND_NONE;
    }
    return command;
}

/* Returns the host on which the command has no room; -1: none. */
static int32_t offer(struct enactor *enactor, struct due_command *due, int64_t now)
{
    int32_t full = -1;

    if (!due->offered && may_be_sent(enactor, due, now, &full))
        prepare(enactor, due->vm, due->command, now);
    due->offered = true;
    return full;
}

/* Departures from a host are sent with the first start that waits for room there. */
static void offer_with_departures(struct enactor *enactor, struct due_command *due, int64_t now)
{
    struct host_usage *usage = enactor_usage_of(enactor, offer(enactor, due, now));

    while (usage && usage->departures) {
        due = &enactor->due[usage->departures - 1];
        usage->departures = due->next;
        offer(enactor, due, now);
    }
}

/* --- the cycle -------------------------------------------------------------------------------- */

/* Polls VMs in transition more often if another VM waits for their host. */
static void watch_awaited(struct enactor *enactor)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(enactor->daemon->world, &cursor))) {
        const struct host_usage *usage = observed_holds_host(observed)
                                             ? enactor_usage_of(enactor, observed->history.host)
                                             : NULL;

        if (usage && usage->awaited && observed_in_transition(observed) &&
            !enactor_is_stuck(enactor, observed))
            watch(enactor, observed->id);
    }
}

static void prepare_commands(struct enactor *enactor, const struct vm_record *const *vms, size_t n,
                             int64_t now)
{
    enactor->n_due = 0;
    for (size_t i = 0; i < n; i++) {
        enum command command = needs(enactor, vms[i], now);

        if (command)
            enactor_add_due(enactor, vms[i], command);
    }
    enactor_sort_due(enactor);
    enactor_chain_departures(enactor);
    for (size_t i = 0; i < enactor->n_due; i++)
        offer_with_departures(enactor, &enactor->due[i], now);
}

size_t enactor_prepare(struct enactor *enactor, int64_t now)
{
    struct daemon *daemon = enactor->daemon;
    size_t n;
    const struct vm_record *const *vms = store_awake_vms(daemon->store, &n);

    complaint_tell_repeated(&enactor->complaint, now);
    enactor->n_commands = enactor->n_watched = 0;
    enactor_begin_turns(enactor);
    enactor->next_time = INT64_MAX;
    enactor_ask_again(enactor);
    enactor->hosts = world_hosts(daemon->world);
    if (!enactor->hosts || (n == 0 && world_in_transition(daemon->world) == 0))
        return 0;
    MEMORY_GROW(enactor->usage, enactor->usage_allocated, enactor->hosts->pool.n + 1);
    enactor_count_hosts(enactor);
    enactor_note_stuck(enactor, now);
    prepare_commands(enactor, vms, n, now);
    watch_awaited(enactor);
    return enactor->n_commands;
}

size_t enactor_watched(const struct enactor *enactor, int32_t *ids, size_t n)
{
    if (n > enactor->n_watched)
        n = enactor->n_watched;
    if (n)
        memcpy(ids, enactor->watched, n * sizeof *ids);
    return n;
}

int64_t enactor_next_time(const struct enactor *enactor)
{
    return enactor->next_time;
}

size_t enactor_in_flight(const struct enactor *enactor)
{
    return enactor->in_flight;
}
