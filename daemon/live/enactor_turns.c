/* Turns: limits the operations that begin while others are in progress. */
#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/moves.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

enum {
    TOLD_AFTER = 10 * 1000, /* milliseconds of waiting for a turn */
    KEPT_AFTER = 60 * 1000, /* milliseconds that a group waits before other VMs get no turns */
};

void enactor_begin_turns(struct enactor *enactor)
{
    enactor->busy = 0;
    map_finish(&enactor->busy_users);
    map_init(&enactor->busy_users, sizeof(int64_t));
    enactor->turns =
        (struct kept_turns){.before = enactor->turns.are_kept ? enactor->turns.group : 0};
}

/* Reported only after a while, since every message costs another call to OpenNebula; at once if the
 * VM still shows a message of an earlier galernad, which may be outdated. */
static void tell_turn(struct enactor *enactor, const struct vm_record *vm, const char *option,
                      int64_t most)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);
    const struct reason reason = {.id = REASON_TURN, .n = {most}, .text = option};
    int64_t now = clock_monotonic();
    bool found = *vm->message && !vm->message_is_own;

    if (!vm->blocked)
        vm_note_blocked(enactor->daemon->store, vm, now);
    if (lease && lease->phase == PHASE_STARTING && (found || now - vm->blocked > TOLD_AFTER))
        lease_explain(enactor->daemon->store, lease, &reason, NULL, INSTANT_NONE);
}

static bool host_is_busy(const struct enactor *enactor, int32_t host)
{
    const struct host_usage *usage = enactor_usage_of(enactor, host);

    return usage && usage->busy >= enactor->daemon->live->actions_per_host;
}

/* Are the turns kept for a group that has waited too long? Not from operations that keep a
 * promise. */
static bool turns_are_kept_from(const struct enactor *enactor, const struct vm_record *vm,
                                enum command command)
{
    return enactor->turns.before && enactor->turns.before != vm->lease &&
           !enactor_is_urgent(enactor, vm, command) && !enactor_serves_promise(enactor, vm);
}

bool enactor_has_turn(struct enactor *enactor, const struct vm_record *vm, enum command command)
{
    const struct live_configuration *live = enactor->daemon->live;
    bool closed = enactor->turns.group && command_kinds[command].load != LOADS_NOTHING;

    if (closed || enactor->busy >= live->actions_in_all ||
        turns_are_kept_from(enactor, vm, command)) {
        tell_turn(enactor, vm, "actions-in-all", live->actions_in_all);
        return false;
    }
    if (host_is_busy(enactor, command_host(vm, command)) || host_is_busy(enactor, vm->host)) {
        tell_turn(enactor, vm, "actions-per-host", live->actions_per_host);
        return false;
    }
    return true;
}

/* The number of VMs that a group is to start; 1 if it has begun. */
static int64_t to_begin_with(const struct enactor *enactor, const struct vm_record *vm)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(enactor->daemon->store, vm->lease, &n);
    int64_t wanted = 0;

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(enactor->daemon->world, vms[i]->id);

        if (vms[i]->gone || vms[i]->goal != GOAL_RUN)
            continue;
        if (!observed || enactor_on_its_way(vms[i], observed) ||
            !enactor_to_run(enactor, vms[i], observed))
            return 1;
        wanted++;
    }
    return wanted;
}

bool enactor_group_has_turns(struct enactor *enactor, const struct vm_record *vm)
{
    int64_t most = enactor->daemon->live->actions_in_all;
    /* For a group larger than the limit: the part that leaves full rounds. */
    int64_t at_once = (to_begin_with(enactor, vm) - 1) % most + 1;

    if (!enactor->turns.group && enactor->busy + at_once <= most)
        return true;
    tell_turn(enactor, vm, "actions-in-all", most);
    if (!enactor->turns.group)
        enactor->turns.group = vm->lease;
    if (enactor->turns.group == vm->lease && clock_monotonic() - vm->blocked > KEPT_AFTER)
        enactor->turns.are_kept = true;
    return false;
}
