#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/wish.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/order.h"
#include "daemon/reconcile_inside.h"
#include "util/memory.h"

enum { ORDER_PATIENCE = 30 /* seconds after a start */ };

static struct wish_defaults defaults(const struct daemon *daemon)
{
    return (struct wish_defaults){.preemptible = daemon->live->plain_vms == PLAIN_PREEMPTIBLE,
                                  .duration = SPAN_UNLIMITED,
                                  .ahead = daemon->clocks.ahead};
}

static struct book_vm *add_vm(struct daemon *daemon, const struct vm *vm, int64_t lease)
{
    struct book_vm *entry = book_add_vm(daemon->book, vm->id, lease);

    entry->host = vm->history.sequence >= 0 ? vm->history.host : -1;
    entry->datastore = -1;
    entry->cpu = vm->cpu;
    entry->memory = vm->memory;
    entry->sequence = -1;
    entry->next_try = entry->pause_until = INSTANT_NONE;
    entry->failed_record = -1;
    for (size_t i = 0; i < sizeof entry->avoid / sizeof *entry->avoid; i++)
        entry->avoid[i] = -1;
    book_mark_vm(daemon->book, entry);
    return entry;
}

static struct book_lease *add_lease(struct daemon *daemon, const struct vm *vm)
{
    struct book_lease *lease = book_add_lease(daemon->book, vm->id);

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

static void refuse(struct daemon *daemon, struct book_lease *lease, int64_t now, const char *word,
                   const char *text)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    lease->phase = PHASE_REFUSED;
    book_set_reason(daemon->book, lease, word, text);
    book_mark_lease(daemon->book, lease);
    for (size_t i = 0; i < n; i++) {
        vms[i]->goal = GOAL_HOLD;
        vms[i]->attempts = 0;
        vms[i]->next_try = INSTANT_NONE;
        book_mark_vm(daemon->book, vms[i]);
    }
    book_history(daemon->book, lease->id, now, "refused", "%s", text);
    log_info("lease %lld refused: %s", (long long)lease->id, text);
}

static void take_terms(struct book_lease *lease, const struct wish *wish)
{
    lease->plain = !wish->present;
    lease->kind = wish->kind;
    lease->start = wish->start;
    lease->earliest = wish->earliest;
    lease->deadline = wish->deadline;
    lease->relative = (wish->relative_start ? RELATIVE_START : 0U) |
                      (wish->relative_earliest ? RELATIVE_EARLIEST : 0U) |
                      (wish->relative_deadline ? RELATIVE_DEADLINE : 0U);
    lease->duration = wish->duration;
    lease->preemptible = wish->preemptible;
    lease->terms = wish->terms;
    lease->origin = wish->origin;
    lease->priority = wish->priority;
    lease->group_size = wish->group_size;
    snprintf(lease->group, sizeof lease->group, "%s", wish->group);
}

/* The lease of the same user and group name that still waits for members. */
static struct book_lease *open_group(const struct daemon *daemon, const struct vm *vm,
                                     const char *group)
{
    size_t n;
    struct book_lease *const *leases = book_leases(daemon->book, &n);

    for (size_t i = n; i-- > 0;)
        if (leases[i]->phase == PHASE_GATHERING && leases[i]->uid == vm->uid &&
            strcmp(leases[i]->group, group) == 0)
            return leases[i];
    return NULL;
}

static size_t members(const struct daemon *daemon, int64_t lease)
{
    size_t n, present = 0;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease, &n);

    for (size_t i = 0; i < n; i++)
        present += !vms[i]->gone;
    return present;
}

/* The user's reservations that are not over, with those of this poll that nobody has planned yet,
 * and without the group that is being joined. */
static size_t reservations_of(const struct daemon *daemon, int32_t uid,
                              const struct book_lease *without)
{
    size_t n;
    struct book_lease *const *leases = book_leases(daemon->book, &n);
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += leases[i] != without && leases[i]->uid == uid &&
                 leases[i]->kind == LEASE_RESERVATION && leases[i]->phase < PHASE_ENDING;
    return count;
}

static bool granted(struct daemon *daemon, const struct vm *vm, const struct wish *wish,
                    int64_t now, char reason[WISH_TEXT_MAX])
{
    const struct book_lease *group = wish->group[0] ? open_group(daemon, vm, wish->group) : NULL;

    const struct rights_request request = {.user = vm->user,
                                           .group = vm->group,
                                           .wish = wish,
                                           .n_vms =
                                               group ? (uint32_t)members(daemon, group->id) + 1 : 1,
                                           .reservations = reservations_of(daemon, vm->uid, group),
                                           .now = now};

    return rights_grant(daemon->rights, &request, reason) == 0;
}

/* Where a VM that nobody knew is already. */
static void take_up(struct daemon *daemon, struct book_lease *lease, struct book_vm *entry,
                    const struct vm *vm, int64_t now)
{
    bool hold_waits = daemon->live->submit_on_hold;

    lease->phase = PHASE_WAITING;
    if (vm->state == VM_ACTIVE) {
        lease->phase = PHASE_STARTING; /* reconcile sees what it really does */
        lease->accepted = true;
        entry->goal = GOAL_RUN;
        entry->ran = true;
        book_history(daemon->book, lease->id, now, "adopted", "found running");
    } else if (vm->state == VM_PENDING || (vm->state == VM_HOLD && hold_waits)) {
        book_history(daemon->book, lease->id, now, "requested", "%s", lease_kind_name(lease->kind));
    } else {
        lease->phase = PHASE_PARKED;
        lease->accepted = true;
        book_history(daemon->book, lease->id, now, "adopted", "found %s",
                     vm_state_name(vm->state, vm->lcm_state));
    }
    book_mark_lease(daemon->book, lease);
    book_mark_vm(daemon->book, entry);
    daemon_wake(daemon);
    if (lease->phase == PHASE_WAITING)
        planner_new(daemon->planner, lease->id);
    else
        daemon_replan(daemon, "VM %d was found %s", vm->id,
                      vm_state_name(vm->state, vm->lcm_state));
}

/* It waits for the other members. */
static void gather(struct daemon *daemon, struct book_lease *lease, const struct wish *wish,
                   int64_t now)
{
    int64_t timeout = wish->group_timeout >= 0 ? wish->group_timeout
                      : wish->group_size       ? -1
                                               : daemon->live->group_timeout;

    lease->phase = PHASE_GATHERING;
    if (timeout >= 0)
        lease->group_until = now + timeout;
    if (wish->group_size > lease->group_size)
        lease->group_size = wish->group_size;
    snprintf(lease->reason_word, sizeof lease->reason_word, "group-incomplete");
    book_mark_lease(daemon->book, lease);
    daemon_wake(daemon);
}

static void join_group(struct daemon *daemon, const struct vm *vm, const struct wish *wish,
                       int64_t now)
{
    struct book_lease *lease = open_group(daemon, vm, wish->group);

    if (!lease) {
        lease = add_lease(daemon, vm);
        take_terms(lease, wish);
        book_history(daemon->book, lease->id, now, "requested", "%s, group %s",
                     lease_kind_name(lease->kind), lease->group);
    }
    add_vm(daemon, vm, lease->id);
    gather(daemon, lease, wish, now);
}

static void take_in(struct daemon *daemon, const struct vm *vm, int64_t now)
{
    const struct wish_defaults plain = defaults(daemon);
    char reason[WISH_TEXT_MAX] = "";
    struct book_lease *lease;
    struct book_vm *entry;
    struct wish wish;
    int result = wish_read(vm, &plain, &wish, reason);

    if (result == 0 && !wish.present && daemon->live->plain_vms == PLAIN_IGNORE)
        return;
    if (result == 0 && granted(daemon, vm, &wish, now, reason) && wish.group[0] &&
        vm->state != VM_ACTIVE) {
        join_group(daemon, vm, &wish, now);
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
    take_terms(lease, &wish);
    if (reason[0] && vm->state != VM_ACTIVE) {
        refuse(daemon, lease, now, "not-granted", reason);
        return;
    }
    take_up(daemon, lease, entry, vm, now);
}

/* A VM of the lease that is there and tells what it asks for. */
static const struct sight *asking_vm(const struct daemon *daemon, const struct book_lease *lease)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct sight *sight = vms[i]->gone ? NULL : world_sight(daemon->world, vms[i]->id);

        if (sight && sight->full)
            return sight;
    }
    return NULL;
}

/* One that was refused by itself: its group may be waiting for it. */
static void rejoin(struct daemon *daemon, struct book_lease *lease, const struct sight *sight,
                   const struct wish *wish, int64_t now)
{
    struct book_lease *group = open_group(daemon, sight->full, wish->group);

    if (!group || members(daemon, lease->id) != 1) {
        gather(daemon, lease, wish, now);
        return;
    }
    book_move_vm(daemon->book, book_vm(daemon->book, sight->id), group->id);
    lease->phase = PHASE_ENDED;
    lease->end = now;
    book_mark_lease(daemon->book, lease);
    book_history(daemon->book, lease->id, now, "ended", "VM %d belongs to lease %lld now",
                 sight->id, (long long)group->id);
    book_history(daemon->book, group->id, now, "joined", "by VM %d, which was refused before",
                 sight->id);
    gather(daemon, group, wish, now);
}

void intake_again(struct daemon *daemon, struct book_lease *lease, int64_t now)
{
    const struct wish_defaults plain = defaults(daemon);
    const struct sight *sight = asking_vm(daemon, lease);
    char reason[WISH_TEXT_MAX] = "";
    struct wish wish;

    if (!sight)
        return;
    book_history(daemon->book, lease->id, now, "released", "asked for again");
    lease->accepted = lease->late = lease->warned = false;
    if (wish_read(sight->full, &plain, &wish, reason) < 0) {
        refuse(daemon, lease, now, "malformed", reason);
        return;
    }
    take_terms(lease, &wish);
    if (!granted(daemon, sight->full, &wish, now, reason)) {
        refuse(daemon, lease, now, "not-granted", reason);
        return;
    }
    lease->submit = now;
    book_mark_lease(daemon->book, lease);
    daemon_wake(daemon);
    if (wish.group[0]) {
        rejoin(daemon, lease, sight, &wish, now);
        return;
    }
    lease->phase = PHASE_WAITING;
    planner_new(daemon->planner, lease->id);
}

static void close_group(struct daemon *daemon, struct book_lease *lease, int64_t now, size_t n)
{
    lease->phase = PHASE_WAITING;
    lease->group_until = INSTANT_NEVER;
    book_set_reason(daemon->book, lease, "", "");
    book_mark_lease(daemon->book, lease);
    book_history(daemon->book, lease->id, now, "complete", "%zu VM%s", n, n == 1 ? "" : "s");
    planner_new(daemon->planner, lease->id);
    daemon_wake(daemon);
}

/* An order (`galerna lease request`) that the daemon was killed over: its last VMs never come. */
static bool is_interrupted_order(const struct daemon *daemon, const struct book_lease *lease,
                                 int64_t now)
{
    return strncmp(lease->group, ORDER_GROUP_PREFIX, strlen(ORDER_GROUP_PREFIX)) == 0 &&
           lease->submit < daemon->started && now - daemon->started > ORDER_PATIENCE;
}

static void close_groups(struct daemon *daemon, int64_t now)
{
    size_t n;
    struct book_lease *const *leases = book_leases(daemon->book, &n);

    for (size_t i = 0; i < n; i++) {
        struct book_lease *lease = leases[i];
        char text[BOOK_TEXT_MAX];
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
        book_set_reason(daemon->book, lease, "group-incomplete", text);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct sight *x = *(const struct sight *const *)a, *y = *(const struct sight *const *)b;

    return x->id < y->id ? -1 : x->id > y->id;
}

void intake(struct daemon *daemon, int64_t now)
{
    const struct sight *sight, **news = NULL;
    size_t cursor = 0, n = 0, allocated = 0;

    while ((sight = world_next(daemon->world, &cursor)))
        if (sight->present && sight->full && !book_vm(daemon->book, sight->id)) {
            news = memory_grow(news, &allocated, n + 1, sizeof *news);
            news[n++] = sight;
        }
    if (n)
        qsort(news, n, sizeof *news, by_id);
    for (size_t i = 0; i < n; i++)
        take_in(daemon, news[i]->full, now);
    free(news);
    close_groups(daemon, now);
}
