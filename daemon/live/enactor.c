#include "daemon/live/enactor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/live/clock.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/moves.h"
#include "daemon/log.h"
#include "util/crash_point.h"
#include "util/memory.h"

enum {
    BLOCKED_TOO_LONG = 10 * 1000, /* milliseconds: then another place is thought of */
    DATASTORES_OLD = 2 * 1000,    /* milliseconds: then their room is looked at again */
};

struct enactor *enactor_create(struct daemon *daemon)
{
    struct enactor *enactor = memory_new(1, sizeof *enactor);

    enactor->daemon = daemon;
    enactor->next_time = INT64_MAX;
    return enactor;
}

void enactor_destroy(struct enactor *enactor)
{
    if (!enactor)
        return;
    free(enactor->commands);
    free(enactor->usage);
    free(enactor->watched);
    free(enactor);
}

/* --- what each host holds --------------------------------------------------------------------- */

static struct host_usage *usage_of(const struct enactor *enactor, int32_t id)
{
    const struct host *host = id < 0 ? NULL : host_pool_find(&enactor->hosts->pool, id);

    return host ? &enactor->usage[host - enactor->hosts->pool.items] : NULL;
}

/* A deploy that was sent and has not been seen to take effect. */
static bool on_its_way(const struct vm_record *vm, const struct vm_observation *observed)
{
    bool starts = strcmp(vm->command, "deploy") == 0 || strcmp(vm->command, "resume") == 0;

    return starts && (vm->in_flight || !observed || observed->asked <= vm->settled);
}

static bool counts(const struct enactor *enactor, const struct vm_record *vm,
                   const struct vm_observation *observed)
{
    if (enactor->daemon->live->enforce)
        return observed_holds_host(observed);
    return observed_uses_host(observed) || (observed_holds_host(observed) && !(vm && vm->ours));
}

/* A VM on its way between two hosts needs room on both. */
static void hold_other_host(const struct enactor *enactor, const struct vm_record *vm,
                            const struct vm_observation *observed)
{
    struct host_usage *usage = usage_of(enactor, move_other_host(vm, observed));

    if (!usage)
        return;
    usage->cpu += observed->cpu;
    usage->memory += observed->memory;
}

static void count_operation(struct enactor *enactor, struct host_usage *usage,
                            const struct vm_record *vm, const struct vm_observation *observed)
{
    bool commanded = vm && vm->in_flight;

    if (!commanded && !observed_in_transition(observed))
        return;
    if (!commanded && enactor_is_stuck(enactor, observed)) {
        usage->stuck++;
        usage->stuck_booting += observed_booting(observed);
        return;
    }
    usage->busy++;
    enactor->busy++;
}

static void count_hosts(struct enactor *enactor)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    memset(enactor->usage, 0, enactor->hosts->pool.n * sizeof *enactor->usage);
    while ((observed = world_next(enactor->daemon->world, &cursor))) {
        const struct vm_record *vm = store_vm(enactor->daemon->store, observed->id);
        bool here = counts(enactor, vm, observed);
        struct host_usage *usage;

        if (!here && vm && on_its_way(vm, observed))
            usage = usage_of(enactor, vm->host);
        else if (here)
            usage = usage_of(enactor, observed->history.host);
        else
            continue;
        if (!usage)
            continue;
        usage->cpu += observed->cpu;
        usage->memory += observed->memory;
        hold_other_host(enactor, vm, observed);
        count_operation(enactor, usage, vm, observed);
    }
}

/* --- which command ---------------------------------------------------------------------------- */

/* What a user suspended, stopped or held is the user's to resume. */
static const char *to_run(const struct enactor *enactor, const struct vm_record *vm,
                          const struct vm_observation *observed)
{
    if (observed_failed(observed))
        return vm->ran ? "retry" : "recreate";
    switch (observed->state) {
    case VM_PENDING:
        return "deploy";
    case VM_HOLD:
        return enactor->daemon->live->submit_on_hold && !vm->ran ? "deploy" : NULL;
    case VM_STOPPED:
        return vm->ours ? "deploy" : NULL;
    case VM_SUSPENDED:
        if (!vm->ours)
            return NULL;
        return vm->host == observed->history.host ? "resume" : "migrate";
    case VM_ACTIVE:
        return move_command(vm, observed);
    default:
        return NULL;
    }
}

static const char *to_stop(const struct enactor *enactor, const struct vm_record *vm,
                           const struct vm_observation *observed)
{
    if (observed_failed(observed))
        return vm->ran ? "retry" : "recreate";
    if (observed->state == VM_ACTIVE && observed->lcm_state == LCM_RUNNING)
        return enactor->daemon->live->suspend_with == SUSPEND_WITH_STOP ? "stop" : "suspend";
    return NULL;
}

static const char *to_end(const struct enactor *enactor, const struct vm_record *vm,
                          const struct vm_observation *observed)
{
    int action = enactor->daemon->live->end_action;

    if (observed_failed(observed))
        return "delete";
    if (observed_in_transition(observed))
        return NULL;
    if (action == END_TERMINATE || !vm->ran)
        return vm->attempts >= 2 ||
                       (observed->state == VM_ACTIVE && observed->lcm_state == LCM_UNKNOWN)
                   ? "terminate-hard"
                   : "terminate";
    if (observed->state == VM_ACTIVE)
        return action == END_POWEROFF ? "poweroff" : "undeploy";
    if (action == END_UNDEPLOY &&
        (observed->state == VM_POWEROFF || observed->state == VM_SUSPENDED))
        return "undeploy";
    return observed->state == VM_PENDING ? "hold" : NULL;
}

static const char *to_hold(const struct enactor *enactor, const struct vm_observation *observed)
{
    switch (enactor->daemon->live->refusal) {
    case REFUSAL_TERMINATE:
        return observed->state == VM_PENDING || observed->state == VM_HOLD ? "terminate" : NULL;
    case REFUSAL_HOLD:
        return observed->state == VM_PENDING ? "hold" : NULL;
    default:
        return NULL;
    }
}

static const char *command_for(const struct enactor *enactor, const struct vm_record *vm,
                               const struct vm_observation *observed)
{
    switch (vm->goal) {
    case GOAL_RUN:
        return to_run(enactor, vm, observed);
    case GOAL_STOP:
        return to_stop(enactor, vm, observed);
    case GOAL_END:
        return to_end(enactor, vm, observed);
    case GOAL_HOLD:
        return observed_failed(observed) ? "recreate" : to_hold(enactor, observed);
    case GOAL_AGAIN:
        return observed->state == VM_PENDING || observed_in_transition(observed) ? NULL
                                                                                 : "recreate";
    default:
        return NULL;
    }
}

/* --- may it be sent? -------------------------------------------------------------------------- */

static bool is_settled(const struct vm_record *vm, const struct vm_observation *observed)
{
    return observed && observed->present && !vm->in_flight && !vm->command[0] &&
           observed->asked > vm->settled && !observed->missing;
}

static bool starts_vm(const char *command)
{
    return strcmp(command, "deploy") == 0 || strcmp(command, "resume") == 0 ||
           strcmp(command, "migrate") == 0 || strcmp(command, "live-migrate") == 0;
}

static bool host_has_room(const struct enactor *enactor, const struct vm_record *vm,
                          const char *command)
{
    int32_t target = vm_target(vm, command);
    const struct host_usage *usage = usage_of(enactor, target);
    const struct host *host = target < 0 ? NULL : host_pool_find(&enactor->hosts->pool, target);

    return usage && host && usage->cpu + vm->cpu <= host->cpu &&
           usage->memory + vm->memory <= host->memory &&
           (host->state == HOST_MONITORED || host->state == HOST_MONITORING);
}

static bool within_limits(const struct enactor *enactor, int32_t host)
{
    const struct host_usage *usage = usage_of(enactor, host);
    const struct live_configuration *live = enactor->daemon->live;

    return enactor->busy < live->actions_in_all && (!usage || usage->busy < live->actions_per_host);
}

static void watch(struct enactor *enactor, int32_t id)
{
    enactor->watched = memory_grow(enactor->watched, &enactor->watched_allocated,
                                   enactor->n_watched + 1, sizeof *enactor->watched);
    enactor->watched[enactor->n_watched++] = id;
}

static void note_blocked(struct enactor *enactor, struct vm_record *vm, int32_t host)
{
    struct host_usage *usage = usage_of(enactor, host);
    int64_t now = clock_monotonic();

    if (usage)
        usage->awaited = true;
    if (!vm->blocked)
        vm->blocked = now;
    if (now - vm->blocked > BLOCKED_TOO_LONG) {
        vm->blocked = now;
        daemon_replan(enactor->daemon, "VM %d waits too long for room on host %d", vm->id, host);
    }
}

/* The VMs of a group start together: none before there is room for all that have not started. */
static bool group_has_room(struct enactor *enactor, const struct vm_record *vm, const char *command)
{
    size_t n, n_taken = 0;
    struct vm_record *const *vms = store_vms_of(enactor->daemon->store, vm->lease, &n);
    struct vm_record **taken;
    bool room = true;

    if (n == 1)
        return host_has_room(enactor, vm, command);
    taken = memory_new(n, sizeof(struct vm_record *));
    for (size_t i = 0; i < n && room; i++) {
        const struct vm_observation *observed = world_vm(enactor->daemon->world, vms[i]->id);
        struct host_usage *usage;

        if (vms[i]->gone || !observed || vms[i]->goal != GOAL_RUN || on_its_way(vms[i], observed))
            continue;
        command = to_run(enactor, vms[i], observed);
        if (!command || !starts_vm(command))
            continue;
        room = host_has_room(enactor, vms[i], command);
        usage = usage_of(enactor, vm_target(vms[i], command));
        if (room) {
            usage->cpu += vms[i]->cpu;
            usage->memory += vms[i]->memory;
            taken[n_taken++] = vms[i];
        } else if (usage) {
            usage->awaited = true;
        }
    }
    for (size_t i = 0; i < n_taken; i++) {
        struct host_usage *usage = usage_of(enactor, vm_destination(taken[i]));

        usage->cpu -= taken[i]->cpu;
        usage->memory -= taken[i]->memory;
    }
    free(taken);
    return room;
}

static bool has_datastore(struct enactor *enactor, struct vm_record *vm)
{
    struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    char reason[STORE_TEXT_MAX] = "";

    if (vm->ran || !world_vm(enactor->daemon->world, vm->id)->full) {
        vm->datastore = -1; /* it has one already: OpenNebula takes the same */
        return true;
    }
    if (vm->datastore >= 0)
        return true;
    vm->datastore =
        planner_datastore(enactor->daemon->planner, vm->id, vm->host, reason, sizeof reason);
    if (vm->datastore >= 0)
        return true;
    if (clock_monotonic() - planner_built(enactor->daemon->planner) > DATASTORES_OLD)
        daemon_replan(enactor->daemon, "VM %d waits for room in a datastore", vm->id);
    store_set_reason(enactor->daemon->store, lease, "no-datastore", reason);
    return false;
}

static bool may_be_sent(struct enactor *enactor, struct vm_record *vm, const char *command,
                        int64_t now)
{
    if (vm->next_try != INSTANT_NONE && vm->next_try > now) {
        if (vm->next_try < enactor->next_time)
            enactor->next_time = vm->next_try;
        return false;
    }
    if (!within_limits(enactor, vm_target(vm, command))) {
        enactor->limited = true;
        return false;
    }
    if (!starts_vm(command))
        return true;
    if (!group_has_room(enactor, vm, command)) {
        note_blocked(enactor, vm, vm_target(vm, command));
        return false;
    }
    return strcmp(command, "deploy") != 0 || has_datastore(enactor, vm);
}

/* --- preparing -------------------------------------------------------------------------------- */

static void prepare(struct enactor *enactor, struct vm_record *vm, const char *command, int64_t now)
{
    struct host_usage *usage = usage_of(enactor, vm_target(vm, command));

    snprintf(vm->command, sizeof vm->command, "%s", command);
    vm->in_flight = true; /* from now on: what is seen meanwhile says nothing of it */
    vm->sent = now;
    vm->blocked = 0;
    if (strcmp(command, "stop") == 0 || strcmp(command, "suspend") == 0)
        vm->ours = true;
    vm->move_sent = vm_moves(vm) && vm_target(vm, command) == vm->move_to;
    store_mark_vm(enactor->daemon->store, vm);
    if (usage) {
        usage->busy++;
        if (starts_vm(command)) {
            usage->cpu += vm->cpu;
            usage->memory += vm->memory;
        }
    }
    enactor->busy++;
    enactor->commands = memory_grow(enactor->commands, &enactor->commands_allocated,
                                    enactor->n_commands + 1, sizeof *enactor->commands);
    enactor->commands[enactor->n_commands++] = vm->id;
}

static void consider(struct enactor *enactor, struct vm_record *vm, int64_t now)
{
    const struct vm_observation *observed = world_vm(enactor->daemon->world, vm->id);
    const char *command;

    if (vm->gone || vm->goal == GOAL_NONE)
        return;
    if (!is_settled(vm, observed)) {
        if (!vm->in_flight)
            watch(enactor, vm->id);
        return;
    }
    command = command_for(enactor, vm, observed);
    if (!command) {
        if (observed_in_transition(observed) && !enactor_is_stuck(enactor, observed))
            watch(enactor, vm->id);
        return;
    }
    if (strcmp(command, "recreate") == 0 || strcmp(command, "retry") == 0) {
        if (!enactor_note_failure(enactor, vm, observed, now))
            return;
    }
    if (may_be_sent(enactor, vm, command, now))
        prepare(enactor, vm, command, now);
}

/* Those that are in the way of VMs that wait for their host. */
static void watch_awaited(struct enactor *enactor)
{
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(enactor->daemon->world, &cursor))) {
        const struct host_usage *usage =
            observed_holds_host(observed) ? usage_of(enactor, observed->history.host) : NULL;

        if (usage && usage->awaited && observed_in_transition(observed) &&
            !enactor_is_stuck(enactor, observed))
            watch(enactor, observed->id);
    }
}

size_t enactor_prepare(struct enactor *enactor, int64_t now)
{
    struct daemon *daemon = enactor->daemon;
    size_t n;
    struct vm_record *const *vms = store_vms(daemon->store, &n);

    enactor_tell_repeated(enactor, now);
    enactor->n_commands = enactor->n_watched = 0;
    enactor->busy = 0;
    enactor->limited = false;
    enactor->next_time = INT64_MAX;
    enactor->hosts = world_hosts(daemon->world);
    if (!enactor->hosts)
        return 0;
    enactor->usage = memory_grow(enactor->usage, &enactor->usage_allocated,
                                 enactor->hosts->pool.n + 1, sizeof *enactor->usage);
    count_hosts(enactor);
    enactor_note_stuck(enactor, now);
    for (int pass = 0; pass < 2; pass++) /* what makes room goes first */
        for (size_t i = 0; i < n; i++)
            if ((vms[i]->goal == GOAL_RUN) == (pass == 1))
                consider(enactor, vms[i], now);
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
