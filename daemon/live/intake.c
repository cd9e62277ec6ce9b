#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/lease_spec.h"
#include "daemon/control/order.h"
#include "daemon/daemon.h"
#include "daemon/live/reconcile_inside.h"
#include "daemon/log.h"
#include "util/memory.h"

enum { ORDER_PATIENCE = 30 /* seconds after a start */ };

static struct lease_spec_defaults defaults(const struct daemon *daemon)
{
    return (struct lease_spec_defaults){.preemptible = daemon->live->plain_vms == PLAIN_PREEMPTIBLE,
                                        .duration = SPAN_UNLIMITED,
                                        .ahead = daemon->clocks.ahead};
}

static struct vm_record *add_vm(struct daemon *daemon, const struct vm *vm, int64_t lease)
{
    struct vm_record *entry = store_add_vm(daemon->store, vm->id, lease);

    entry->host = vm->history.sequence >= 0 ? vm->history.host : -1;
    entry->datastore = -1;
    entry->cpu = vm->cpu;
    entry->memory = vm->memory;
    entry->sequence = -1;
    entry->next_try = entry->pause_until = INSTANT_NONE;
    entry->failed_record = -1;
    for (size_t i = 0; i < sizeof entry->avoid / sizeof *entry->avoid; i++)
        entry->avoid[i] = -1;
    store_mark_vm(daemon->store, entry);
    return entry;
}

static struct lease_record *add_lease(struct daemon *daemon, const struct vm *vm)
{
    struct lease_record *lease = store_add_lease(daemon->store, vm->id);

    lease->kind = LEASE_BEST_EFFORT;
    lease->submit = clocks_ours(daemon, vm->stime);
    lease->start = lease->earliest = lease->deadline = INSTANT_NONE;
    lease->duration = SPAN_UNLIMITED;
    lease->end = lease->since = lease->expected = INSTANT_NONE;
    lease->group_until = INSTANT_NEVER;
    lease->terms = TERMS_NON_PREEMPTABLE;
    lease->uid = vm->uid;
    lease->gid = vm->gid;
    snprintf(lease->user, sizeof lease->user, "%s", vm->user ? vm->user : "");
    snprintf(lease->user_group, sizeof lease->user_group, "%s", vm->group ? vm->group : "");
    snprintf(lease->name, sizeof lease->name, "%s", vm->name ? vm->name : "");
    return lease;
}

static void refuse(struct daemon *daemon, struct lease_record *lease, int64_t now, const char *word,
                   const char *text)
{
    size_t n;
    struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    lease->phase = PHASE_REFUSED;
    store_set_reason(daemon->store, lease, word, text);
    store_mark_lease(daemon->store, lease);
    for (size_t i = 0; i < n; i++) {
        vms[i]->goal = GOAL_HOLD;
        vms[i]->attempts = 0;
        vms[i]->next_try = INSTANT_NONE;
        store_mark_vm(daemon->store, vms[i]);
    }
    store_history(daemon->store, lease->id, now, "refused", "%s", text);
    log_info("lease %lld refused: %s", (long long)lease->id, text);
}

static void take_terms(struct lease_record *lease, const struct lease_spec *spec)
{
    lease->plain = !spec->present;
    lease->kind = spec->kind;
    lease->start = spec->start;
    lease->earliest = spec->earliest;
    lease->deadline = spec->deadline;
    lease->relative = (spec->relative_start ? RELATIVE_START : 0U) |
                      (spec->relative_earliest ? RELATIVE_EARLIEST : 0U) |
                      (spec->relative_deadline ? RELATIVE_DEADLINE : 0U);
    lease->duration = spec->duration;
    lease->term_values = spec->term_values;
    lease->group_size = spec->group_size;
    snprintf(lease->group, sizeof lease->group, "%s", spec->group);
}

/* The lease of the same user and group name that still waits for members. */
static struct lease_record *open_group(const struct daemon *daemon, const struct vm *vm,
                                       const char *group)
{
    size_t n;
    struct lease_record *const *leases = store_leases(daemon->store, &n);

    for (size_t i = n; i-- > 0;)
        if (leases[i]->phase == PHASE_GATHERING && leases[i]->uid == vm->uid &&
            strcmp(leases[i]->group, group) == 0)
            return leases[i];
    return NULL;
}

static size_t members(const struct daemon *daemon, int64_t lease)
{
    size_t n, present = 0;
    struct vm_record *const *vms = store_vms_of(daemon->store, lease, &n);

    for (size_t i = 0; i < n; i++)
        present += !vms[i]->gone;
    return present;
}

/* The user's reservations that are not over, with those of this poll that nobody has planned yet,
 * and without the group that is being joined. */
static size_t reservations_of(const struct daemon *daemon, int32_t uid,
                              const struct lease_record *without)
{
    size_t n;
    struct lease_record *const *leases = store_leases(daemon->store, &n);
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += leases[i] != without && leases[i]->uid == uid &&
                 leases[i]->kind == LEASE_RESERVATION && leases[i]->phase < PHASE_ENDING;
    return count;
}

static bool granted(struct daemon *daemon, const struct vm *vm, struct lease_spec *spec,
                    int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_record *group = spec->group[0] ? open_group(daemon, vm, spec->group) : NULL;

    const struct rights_request request = {.user = vm->user,
                                           .group = vm->group,
                                           .spec = spec,
                                           .n_vms =
                                               group ? (uint32_t)members(daemon, group->id) + 1 : 1,
                                           .reservations = reservations_of(daemon, vm->uid, group),
                                           .now = now};

    return rights_grant(daemon->rights, &request, reason) == 0;
}

/* Where a VM that nobody knew is already. */
static void take_up(struct daemon *daemon, struct lease_record *lease, struct vm_record *entry,
                    const struct vm *vm, int64_t now)
{
    bool hold_waits = daemon->live->submit_on_hold;

    lease->phase = PHASE_WAITING;
    if (vm->state == VM_ACTIVE) {
        lease->phase = PHASE_STARTING; /* reconcile sees what it really does */
        lease->accepted = true;
        entry->goal = GOAL_RUN;
        entry->ran = true;
        store_history(daemon->store, lease->id, now, "adopted", "found running");
    } else if (vm->state == VM_PENDING || (vm->state == VM_HOLD && hold_waits)) {
        store_history(daemon->store, lease->id, now, "requested", "%s",
                      lease_kind_name(lease->kind));
    } else {
        lease->phase = PHASE_PARKED;
        lease->accepted = true;
        store_history(daemon->store, lease->id, now, "adopted", "found %s",
                      vm_state_name(vm->state, vm->lcm_state));
    }
    store_mark_lease(daemon->store, lease);
    store_mark_vm(daemon->store, entry);
    daemon_wake(daemon);
    if (lease->phase == PHASE_WAITING)
        planner_new(daemon->planner, lease->id);
    else
        daemon_replan(daemon, "VM %d was found %s", vm->id,
                      vm_state_name(vm->state, vm->lcm_state));
}

/* It waits for the other members. */
static void gather(struct daemon *daemon, struct lease_record *lease, const struct lease_spec *spec,
                   int64_t now)
{
    int64_t timeout = spec->group_timeout >= 0 ? spec->group_timeout
                      : spec->group_size       ? -1
                                               : daemon->live->group_timeout;

    lease->phase = PHASE_GATHERING;
    if (timeout >= 0)
        lease->group_until = now + timeout;
    if (spec->group_size > lease->group_size)
        lease->group_size = spec->group_size;
    snprintf(lease->reason_word, sizeof lease->reason_word, "group-incomplete");
    store_mark_lease(daemon->store, lease);
    daemon_wake(daemon);
}

static void join_group(struct daemon *daemon, const struct vm *vm, const struct lease_spec *spec,
                       int64_t now)
{
    struct lease_record *lease = open_group(daemon, vm, spec->group);

    if (!lease) {
        lease = add_lease(daemon, vm);
        take_terms(lease, spec);
        store_history(daemon->store, lease->id, now, "requested", "%s, group %s",
                      lease_kind_name(lease->kind), lease->group);
    }
    add_vm(daemon, vm, lease->id);
    gather(daemon, lease, spec, now);
}

static void take_in(struct daemon *daemon, const struct vm *vm, int64_t now)
{
    const struct lease_spec_defaults plain = defaults(daemon);
    char reason[LEASE_SPEC_TEXT_MAX] = "";
    struct lease_record *lease;
    struct vm_record *entry;
    struct lease_spec spec;
    int result = lease_spec_read(vm, &plain, &spec, reason);

    if (result == 0 && !spec.present && daemon->live->plain_vms == PLAIN_IGNORE)
        return;
    if (result == 0 && granted(daemon, vm, &spec, now, reason) && spec.group[0] &&
        vm->state != VM_ACTIVE) {
        join_group(daemon, vm, &spec, now);
        return;
    }
    lease = add_lease(daemon, vm);
    entry = add_vm(daemon, vm, lease->id);
    if (result < 0) {
        if (vm->state == VM_PENDING || vm->state == VM_HOLD)
            refuse(daemon, lease, now, "malformed", reason);
        else
            take_up(daemon, lease, entry, vm, now); /* as a plain one: it runs already */
        return;
    }
    take_terms(lease, &spec);
    if (reason[0] && vm->state != VM_ACTIVE) {
        refuse(daemon, lease, now, "not-granted", reason);
        return;
    }
    take_up(daemon, lease, entry, vm, now);
}

/* A VM of the lease that is there and tells what it asks for. */
static const struct vm_observation *asking_vm(const struct daemon *daemon,
                                              const struct lease_record *lease)
{
    size_t n;
    struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed =
            vms[i]->gone ? NULL : world_vm(daemon->world, vms[i]->id);

        if (observed && observed->full)
            return observed;
    }
    return NULL;
}

/* One that was refused by itself: its group may be waiting for it. */
static void rejoin(struct daemon *daemon, struct lease_record *lease,
                   const struct vm_observation *observed, const struct lease_spec *spec,
                   int64_t now)
{
    struct lease_record *group = open_group(daemon, observed->full, spec->group);

    if (!group || members(daemon, lease->id) != 1) {
        gather(daemon, lease, spec, now);
        return;
    }
    store_move_vm(daemon->store, store_vm(daemon->store, observed->id), group->id);
    lease->phase = PHASE_ENDED;
    lease->end = now;
    store_mark_lease(daemon->store, lease);
    store_history(daemon->store, lease->id, now, "ended", "VM %d belongs to lease %lld now",
                  observed->id, (long long)group->id);
    store_history(daemon->store, group->id, now, "joined", "by VM %d, which was refused before",
                  observed->id);
    gather(daemon, group, spec, now);
}

void intake_again(struct daemon *daemon, struct lease_record *lease, int64_t now)
{
    const struct lease_spec_defaults plain = defaults(daemon);
    const struct vm_observation *observed = asking_vm(daemon, lease);
    char reason[LEASE_SPEC_TEXT_MAX] = "";
    struct lease_spec spec;

    if (!observed)
        return;
    store_history(daemon->store, lease->id, now, "released", "asked for again");
    lease->accepted = lease->late = lease->warned = false;
    if (lease_spec_read(observed->full, &plain, &spec, reason) < 0) {
        refuse(daemon, lease, now, "malformed", reason);
        return;
    }
    if (!granted(daemon, observed->full, &spec, now, reason)) {
        take_terms(lease, &spec);
        refuse(daemon, lease, now, "not-granted", reason);
        return;
    }
    take_terms(lease, &spec);
    lease->submit = now;
    store_mark_lease(daemon->store, lease);
    daemon_wake(daemon);
    if (spec.group[0]) {
        rejoin(daemon, lease, observed, &spec, now);
        return;
    }
    lease->phase = PHASE_WAITING;
    planner_new(daemon->planner, lease->id);
}

static void close_group(struct daemon *daemon, struct lease_record *lease, int64_t now, size_t n)
{
    lease->phase = PHASE_WAITING;
    lease->group_until = INSTANT_NEVER;
    store_set_reason(daemon->store, lease, "", "");
    store_mark_lease(daemon->store, lease);
    store_history(daemon->store, lease->id, now, "complete", "%zu VM%s", n, n == 1 ? "" : "s");
    planner_new(daemon->planner, lease->id);
    daemon_wake(daemon);
}

/* An order (`galerna lease request`) that the daemon was killed over: its last VMs never come. */
static bool is_interrupted_order(const struct daemon *daemon, const struct lease_record *lease,
                                 int64_t now)
{
    return strncmp(lease->group, ORDER_GROUP_PREFIX, strlen(ORDER_GROUP_PREFIX)) == 0 &&
           lease->submit < daemon->started && now - daemon->started > ORDER_PATIENCE;
}

static void close_groups(struct daemon *daemon, int64_t now)
{
    size_t n;
    struct lease_record *const *leases = store_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        struct lease_record *lease = leases[i];
        char text[STORE_TEXT_MAX];
        size_t there;

        if (lease->phase != PHASE_GATHERING)
            continue;
        there = members(daemon, lease->id);
        if (there &&
            ((lease->group_size && there >= lease->group_size) || lease->group_until <= now)) {
            close_group(daemon, lease, now, there);
            continue;
        }
        if (is_interrupted_order(daemon, lease, now)) {
            reconcile_begin_ending(
                daemon, lease, "its order was interrupted before all of its VMs were made", now);
            continue;
        }
        snprintf(text, sizeof text, "Waits for its group: %zu of %u VMs of group %s are there",
                 there, lease->group_size, lease->group);
        store_set_reason(daemon->store, lease, "group-incomplete", text);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct vm_observation *x = *(const struct vm_observation *const *)a,
                                *y = *(const struct vm_observation *const *)b;

    return x->id < y->id ? -1 : x->id > y->id;
}

void intake(struct daemon *daemon, int64_t now)
{
    const struct vm_observation *observed, **news = NULL;
    size_t cursor = 0, n = 0, allocated = 0;

    while ((observed = world_next(daemon->world, &cursor)))
        if (observed->present && observed->full && !store_vm(daemon->store, observed->id)) {
            news = memory_grow(news, &allocated, n + 1, sizeof *news);
            news[n++] = observed;
        }
    if (n)
        qsort(news, n, sizeof *news, by_id);
    for (size_t i = 0; i < n; i++)
        take_in(daemon, news[i]->full, now);
    free(news);
    close_groups(daemon, now);
}
