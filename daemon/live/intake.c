/* Creates leases for new VMs. */
#include "daemon/live/intake_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/live/cloud_time.h"
#include "daemon/live/daemon.h"
#include "daemon/live/new_lease.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/state/lease_change.h"
#include "daemon/state/lease_order.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/user_usage.h"
#include "daemon/store/awake.h"

enum { ORDER_PATIENCE = 30 /* seconds after galernad's start */ };

static struct lease_spec_defaults defaults(const struct daemon *daemon, int64_t ahead)
{
    return (struct lease_spec_defaults){.preemptible = daemon->live->plain_vms == PLAIN_PREEMPTIBLE,
                                        .duration = SPAN_UNLIMITED,
                                        .ahead = ahead};
}

int intake_read(const struct daemon *daemon, const struct vm *vm, int64_t ahead,
                struct lease_spec *spec, char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_spec_defaults plain = defaults(daemon, ahead);

    return lease_spec_read(vm, &plain, spec, reason);
}

static void take_terms(struct daemon *daemon, const struct lease_record *lease,
                       const struct lease_spec *spec)
{
    struct lease_record terms;

    intake_terms(spec, &terms);
    lease_take_terms(daemon->store, lease, &terms);
}

/* The lease waits for the other members of its group. */
static void gather(struct daemon *daemon, const struct lease_record *lease,
                   const struct lease_spec *spec, int64_t now)
{
    int64_t timeout = spec->group_timeout >= 0 ? spec->group_timeout
                      : spec->group_size       ? -1
                                               : daemon->live->group_timeout;

    lease_gather(daemon->store, lease, spec->group_size,
                 timeout >= 0 ? now + timeout : INSTANT_NONE);
    daemon_wake(daemon);
}

static void join_group(struct daemon *daemon, const struct vm *vm, const struct lease_spec *spec,
                       int64_t now)
{
    const struct lease_record *lease = intake_open_group(daemon, vm, spec->group);

    if (!lease) {
        lease = new_lease_add(daemon, vm, vm->id);
        take_terms(daemon, lease, spec);
        lease_apply(daemon->store, lease, EVENT_GROUP_OPENED, now, "%s, group %s",
                    lease_kind_words[lease->kind], lease->group);
    }
    new_lease_add_vm(daemon, vm, lease->id);
    gather(daemon, lease, spec, now);
}

static void refuse(struct daemon *daemon, const struct lease_record *lease, enum reason_id id,
                   const char *what, int64_t now)
{
    lease_refuse(daemon->store, lease, now, &(struct reason){.id = id, .text = what}, NULL);
}

/* intake_judge(). After a user's first request that waits, the next ones wait without being judged:
 * thousands of VMs of one user must not cost a look at all leases each. */
static enum verdict judge(struct daemon *daemon, const struct vm *vm, struct lease_spec *spec,
                          int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    bool may_wait = !vm_state_traits[vm->state].active &&
                    (spec->kind == LEASE_RESERVATION || spec->kind == LEASE_DEADLINE);
    enum verdict verdict;

    if (may_wait && map_find(&daemon->waiting_users, vm->uid) != MAP_NONE)
        return VERDICT_LATER;
    verdict = intake_judge(daemon, vm, spec, now, reason);
    if (verdict != VERDICT_LATER)
        return verdict;
    if (!may_wait)
        return VERDICT_NO;
    map_add(&daemon->waiting_users, vm->uid);
    daemon->undecided = intake_undecided(daemon);
    return verdict;
}

static void take_in(struct daemon *daemon, const struct vm *vm, int64_t now)
{
    char reason[LEASE_SPEC_TEXT_MAX] = "";
    const struct lease_record *lease;
    struct lease_spec spec;
    int result = intake_read(daemon, vm, clocks_ahead_at(daemon, vm->stime), &spec, reason);
    enum verdict verdict;

    if (result == 0 && !spec.present && daemon->live->plain_vms == PLAIN_IGNORE)
        return;
    verdict = result == 0 ? judge(daemon, vm, &spec, now, reason) : VERDICT_NO;
    if (verdict == VERDICT_LATER)
        return;
    if (verdict == VERDICT_YES && spec.group[0] && !vm_state_traits[vm->state].active) {
        join_group(daemon, vm, &spec, now);
        return;
    }
    lease = new_lease_add(daemon, vm, vm->id);
    new_lease_add_vm(daemon, vm, lease->id);
    if (result < 0) {
        if (vm->state == VM_PENDING || vm->state == VM_HOLD)
            refuse(daemon, lease, REASON_MALFORMED, reason, now);
        else
            new_lease_take_up(daemon, lease, vm, now); /* as a plain VM, since it already runs */
        return;
    }
    take_terms(daemon, lease, &spec);
    if (reason[0] && !vm_state_traits[vm->state].active)
        refuse(daemon, lease, REASON_NOT_GRANTED, reason, now);
    else
        new_lease_take_up(daemon, lease, vm, now);
}

/* An existing VM of the lease whose request can be read. */
static const struct vm_observation *asking_vm(const struct daemon *daemon,
                                              const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed =
            vms[i]->gone ? NULL : world_vm(daemon->world, vms[i]->id);

        if (observed && observed->full)
            return observed;
    }
    return NULL;
}

/* A VM was refused on its own while its group was waiting for it. */
static void rejoin(struct daemon *daemon, const struct lease_record *lease,
                   const struct lease_record *group, int32_t vm, int64_t now)
{
    store_move_vm(daemon->store, store_vm(daemon->store, vm), group->id);
    lease_apply(daemon->store, lease, EVENT_ENDED, now, "VM %d belongs to lease %lld now", vm,
                (long long)group->id);
    store_history(daemon->store, group->id, now, "joined", "by VM %d, which was refused before",
                  vm);
}

/* The user requests the lease again, and the request can be granted. */
static void take_in_again(struct daemon *daemon, const struct lease_record *lease,
                          const struct lease_record *group, const struct lease_spec *spec,
                          int64_t now)
{
    lease_submitted(daemon->store, lease, now);
    lease_explain(daemon->store, lease, &(struct reason){.id = REASON_NONE}, NULL, INSTANT_NONE);
    daemon_wake(daemon);
    if (!spec->group[0]) {
        lease_apply(daemon->store, lease, EVENT_QUEUED, now, "%s", "");
        planner_new(daemon->planner, lease->id);
    } else if (group && intake_members(daemon, lease->id) == 1) {
        rejoin(daemon, lease, group, asking_vm(daemon, lease)->id, now);
        gather(daemon, group, spec, now);
    } else {
        gather(daemon, lease, spec, now);
    }
}

void intake_again(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    const struct vm_observation *observed = asking_vm(daemon, lease);
    const struct lease_record *group = NULL;
    char reason[LEASE_SPEC_TEXT_MAX] = "";
    struct lease_spec spec;
    enum verdict verdict = VERDICT_NO;
    bool readable;

    if (!observed)
        return;
    /* Find an open group before the lease itself becomes one. */
    readable = intake_read(daemon, observed->full, clocks_ahead_at(daemon, observed->full->stime),
                           &spec, reason) == 0;
    if (readable)
        verdict = judge(daemon, observed->full, &spec, now, reason);
    if (verdict == VERDICT_LATER)
        return;
    if (verdict == VERDICT_YES && spec.group[0])
        group = intake_open_group(daemon, observed->full, spec.group);
    if (lease_apply(daemon->store, lease, EVENT_ASKED_AGAIN, now, "requested again") < 0)
        return;
    if (readable)
        take_terms(daemon, lease, &spec);
    if (verdict == VERDICT_YES)
        take_in_again(daemon, lease, group, &spec, now);
    else
        refuse(daemon, lease, readable ? REASON_NOT_GRANTED : REASON_MALFORMED, reason, now);
}

static void close_group(struct daemon *daemon, const struct lease_record *lease, int64_t now,
                        size_t n)
{
    lease_apply(daemon->store, lease, EVENT_COMPLETE, now, "%zu VM%s", n, n == 1 ? "" : "s");
    planner_new(daemon->planner, lease->id);
    daemon_wake(daemon);
}

/* The daemon was killed during an order (`galerna lease request`), so the last VMs never arrive. */
static bool is_interrupted_order(const struct daemon *daemon, const struct lease_record *lease,
                                 int64_t now)
{
    return strncmp(lease->group, ORDER_GROUP_PREFIX, strlen(ORDER_GROUP_PREFIX)) == 0 &&
           lease->submit < daemon->started && now - daemon->started > ORDER_PATIENCE;
}

/* The requested promise has become impossible. */
static bool is_too_late(const struct lease_record *lease, int64_t now)
{
    return lease->kind == LEASE_RESERVATION
               ? lease->start <= now
               : lease->kind == LEASE_DEADLINE && lease->deadline - lease->duration < now;
}

static void refuse_too_late(struct daemon *daemon, const struct lease_record *lease, size_t there,
                            int64_t now)
{
    bool reserves = lease->kind == LEASE_RESERVATION;
    struct reason reason = {
        .id = reserves ? REASON_START_PASSED : REASON_DEADLINE_UNREACHABLE,
        .n = {reserves ? lease->start : lease->deadline, reserves ? now : now + lease->duration}};

    reason.n[reserves ? 2 : 3] = (int64_t)there;
    if (reserves)
        reason.n[3] = lease->group_size;
    reason.text = lease->group;
    lease_refuse(daemon->store, lease, now, &reason, NULL);
}

static void close_groups(struct daemon *daemon, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(daemon->store, &n);
    bool acts = daemon_acts(daemon);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = leases[i];
        size_t there;

        if (lease->phase != PHASE_GATHERING)
            continue;
        there = intake_members(daemon, lease->id);
        if (there && ((lease->group_size && there >= lease->group_size) ||
                      (lease->group_until <= now && acts))) {
            close_group(daemon, lease, now, there);
            continue;
        }
        if (acts && is_interrupted_order(daemon, lease, now)) {
            reconcile_apply(daemon, lease, EVENT_CANCELLED, now,
                            "the request was interrupted before all of its VMs were created");
            continue;
        }
        if (acts && is_too_late(lease, now)) {
            refuse_too_late(daemon, lease, there, now);
            continue;
        }
        lease_explain(daemon->store, lease,
                      &(struct reason){.id = REASON_GROUP_INCOMPLETE,
                                       .n = {(int64_t)there, lease->group_size},
                                       .text = lease->group},
                      NULL, INSTANT_NONE);
    }
}

/* A lease belongs to the owner of its first VM, with its terms and promises. OpenNebula's operators
 * may give that VM to another user or group. */
static void see_owner(struct daemon *daemon, const struct vm *vm, int64_t now)
{
    const struct lease_record *lease =
        store_lease(daemon->store, store_vm(daemon->store, vm->id)->lease);
    size_t n;

    if (!lease || lease->phase >= PHASE_ENDING ||
        (lease->uid == vm->uid && lease->gid == vm->gid) ||
        store_vms_of(daemon->store, lease->id, &n)[0]->id != vm->id)
        return;
    store_history(daemon->store, lease->id, now, "owner-changed",
                  "it now belongs to %s (group %s), before to %s (group %s)",
                  vm->user ? vm->user : "", vm->group ? vm->group : "", lease->user,
                  lease->user_group);
    usage_charge_lease(daemon->store, &daemon->configuration->settings.fair_share, lease, now);
    lease_belongs_to(daemon->store, lease, vm);
    daemon_replan(daemon, "lease %lld has another owner", (long long)lease->id);
}

void intake_check_size(struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    char rule[LEASE_SPEC_TEXT_MAX];
    enum verdict verdict;

    if (lease_has_begun(lease) || !lease_can(lease, EVENT_REFUSED))
        return;
    verdict = intake_judge_size(daemon, lease, now, rule);
    if (verdict == VERDICT_NO) {
        refuse(daemon, lease, REASON_NOT_GRANTED, rule, now);
    } else if (verdict == VERDICT_LATER) {
        map_add(&daemon->grown, lease->id);
        daemon->undecided = intake_undecided(daemon);
    }
}

/* Checks the sizes again that waited for decisions of the planner. */
static void check_sizes(struct daemon *daemon, int64_t now)
{
    struct map grown = daemon->grown;

    map_init(&daemon->grown, 0);
    for (size_t i = 0; i < grown.n; i++) {
        const struct lease_record *lease = store_lease(daemon->store, map_key(&grown, (uint32_t)i));

        if (lease)
            intake_check_size(daemon, lease, now);
    }
    map_finish(&grown);
}

void intake(struct daemon *daemon, int64_t now)
{
    size_t n;
    const int32_t *forms = world_forms(daemon->world, &n);
    bool restored = false;

    map_finish(&daemon->waiting_users);
    map_init(&daemon->waiting_users, 0);
    promises_review_unreadable(daemon);
    check_sizes(daemon, now);
    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, forms[i]);
        const struct vm_record *vm = store_vm(daemon->store, observed->id);

        if (!observed->present || (vm && reconcile_is_another(vm, observed)))
            continue;
        if (vm)
            see_owner(daemon, observed->full, now);
        else if (promises_restore(daemon, observed->full))
            restored = true;
        else
            take_in(daemon, observed->full, now);
        vm = store_vm(daemon->store, observed->id);
        if (vm)
            daemon_pass_form(daemon, vm, now);
    }
    if (restored)
        promises_restored(daemon, now);
    close_groups(daemon, now);
    daemon->undecided =
        daemon->waiting_users.n + daemon->grown.n > 0 ? intake_undecided(daemon) : 0;
}
