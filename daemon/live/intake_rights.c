/* Checks whether the rights allow requests and changes. */
#include <string.h>

#include "daemon/live/cloud_time.h"
#include "daemon/live/daemon.h"
#include "daemon/live/intake_inside.h"
#include "daemon/state/lease_change.h"
#include "daemon/state/lease_order.h"
#include "daemon/state/lease_state.h"

void intake_terms(const struct lease_spec *spec, struct lease_record *terms)
{
    *terms = (struct lease_record){
        .plain = !spec->present,
        .kind = spec->kind,
        .start = spec->start,
        .earliest = spec->earliest,
        .deadline = spec->deadline,
        .relative = (spec->relative_start ? RELATIVE_START : 0U) |
                    (spec->relative_earliest ? RELATIVE_EARLIEST : 0U) |
                    (spec->relative_deadline ? RELATIVE_DEADLINE : 0U),
        .duration = spec->duration,
        .since = INSTANT_NONE,
        .term_values = spec->term_values,
        .group = spec->group,
        .group_size = spec->group_size,
    };
}

const struct lease_record *intake_open_group(const struct daemon *daemon, const struct vm *vm,
                                             const char *group)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(daemon->store, &n);

    for (size_t i = n; i-- > 0;)
        if (leases[i]->phase == PHASE_GATHERING && leases[i]->uid == vm->uid &&
            strcmp(leases[i]->group, group) == 0)
            return leases[i];
    return NULL;
}

size_t intake_members(const struct daemon *daemon, int64_t lease)
{
    size_t n, present = 0;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease, &n);

    for (size_t i = 0; i < n; i++)
        present += !vms[i]->gone;
    return present;
}

static bool grants(const struct daemon *daemon, const struct reserving *reserving,
                   struct rights_request *request, char reason[LEASE_SPEC_TEXT_MAX])
{
    struct reserved reserved;
    bool granted;

    reserved_begin(&reserved, daemon, reserving, request);
    granted = rights_grant(daemon->rights, request, reason) == 0;
    reserved_finish(&reserved);
    return granted;
}

static enum verdict judge(const struct daemon *daemon, const struct reserving *reserving,
                          struct rights_request *request, char reason[LEASE_SPEC_TEXT_MAX])
{
    struct rights_request again = *request;
    struct reserving alone = *reserving;
    char other_reason[LEASE_SPEC_TEXT_MAX];

    if (grants(daemon, reserving, request, reason))
        return VERDICT_YES;
    alone.without_undecided = true;
    return grants(daemon, &alone, &again, other_reason) ? VERDICT_LATER : VERDICT_NO;
}

/* NULL: the VM is new. */
static const struct lease_record *lease_of(const struct daemon *daemon, const struct vm *vm)
{
    const struct vm_record *known = store_vm(daemon->store, vm->id);

    return known ? store_lease(daemon->store, known->lease) : NULL;
}

enum verdict intake_judge(struct daemon *daemon, const struct vm *vm, struct lease_spec *spec,
                          int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_record *group =
        spec->group[0] ? intake_open_group(daemon, vm, spec->group) : NULL;
    uint32_t there = group ? (uint32_t)intake_members(daemon, group->id) : 0;
    int64_t more = spec->group_size > there ? spec->group_size - there : 1;
    struct rights_request request = {
        .user = vm->user, .group = vm->group, .spec = spec, .n_vms = there + 1, .now = now};
    struct lease_record lease;
    struct reserving reserving = {
        .uid = vm->uid, .lease = &lease, .instead = group ? group : lease_of(daemon, vm)};

    intake_terms(spec, &lease);
    if (group)
        reserving.size = vms_size_of(daemon, &(struct changed_lease){.lease = group});
    vms_size_add(&reserving.size, more, vm->cpu, vm->memory);
    return judge(daemon, &reserving, &request, reason);
}

size_t intake_undecided(const struct daemon *daemon)
{
    size_t n, undecided = 0;
    const struct lease_record *const *leases = store_leases(daemon->store, &n);

    for (size_t i = 0; i < n; i++)
        undecided += reserved_is_undecided(daemon, leases[i]);
    return undecided;
}

bool intake_can_go_on(const struct daemon *daemon)
{
    return daemon->undecided > 0 && intake_undecided(daemon) < daemon->undecided;
}

static const struct user *user_of(const struct daemon *daemon, const char *name)
{
    const struct site_seen *site = world_site(daemon->world);

    for (size_t i = 0; site && i < site->users.n; i++)
        if (!name || strcmp(site->users.items[i].name, name) == 0)
            return &site->users.items[i];
    return NULL;
}

enum verdict intake_judge_order(const struct daemon *daemon, const struct order *order, int64_t now,
                                char reason[LEASE_SPEC_TEXT_MAX])
{
    const char *name = order->user ? order->user : daemon->account;
    const struct user *user = user_of(daemon, name);
    struct lease_spec spec = {.present = true,
                              .kind = order->kind,
                              .start = order->start,
                              .earliest = order->earliest,
                              .deadline = order->deadline,
                              .duration = order->duration,
                              .term_values = order->term_values,
                              .given = ~0U};
    struct rights_request request = {.user = user ? user->name : name,
                                     .group = user ? user->group : NULL,
                                     .spec = &spec,
                                     .n_vms = order->count,
                                     .now = now};
    struct lease_record lease;
    struct reserving reserving = {.uid = user ? user->id : 0, .lease = &lease};

    intake_terms(&spec, &lease);
    lease.user = request.user;
    lease.user_group = request.group ? request.group : "";
    if (!drains_admit(&daemon->drains, &lease, reason, LEASE_SPEC_TEXT_MAX))
        return VERDICT_NO;
    for (size_t i = 0; i < order->n_sizes; i++)
        vms_size_add(&reserving.size, order->sizes[i].count, order->sizes[i].cpu,
                     order->sizes[i].memory);
    return judge(daemon, &reserving, &request, reason);
}

bool intake_allows_booking(const struct daemon *daemon, const struct drains *drains,
                           const struct drain *drain, int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    const char *owner = drains_booking(drains, drain->booking)->owner;
    const struct user *user = user_of(daemon, owner);
    const struct rights_booking booking = {.user = owner,
                                           .group = user ? user->group : NULL,
                                           .hosts = drains_booked_by(drains, owner),
                                           .times = drains_times_of(drains, owner),
                                           .from = drain->from,
                                           .until = drain->until,
                                           .now = now};

    return rights_grant_booking(daemon->rights, &booking, reason) == 0;
}

/* The terms that a change affects; unchanged terms have already been granted. */
static unsigned changed_terms(const struct lease_record *before, const struct lease_record *changed)
{
    unsigned terms = 0;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (!term_is_same(&lease_terms[i], &before->term_values, &changed->term_values))
            terms |= 1U << i;
    return terms;
}

enum verdict intake_judge_change(const struct daemon *daemon, const struct changed_lease *asked,
                                 int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_record *changed = asked->lease;
    const struct lease_record *lease = store_lease(daemon->store, changed->id);
    int64_t end = lease_has_begun(lease) || lease->kind == LEASE_RESERVATION
                      ? lease_end_from(lease, now)
                      : INSTANT_NEVER;
    const struct rights_change change = {.made = lease->changes,
                                         .extended = lease_extended_by(lease, changed->duration),
                                         .extends = changed->duration > lease->duration,
                                         .left = end == INSTANT_NEVER ? SPAN_UNLIMITED : end - now};
    struct lease_spec spec = {.present = true,
                              .kind = changed->kind,
                              .start = changed->start,
                              .earliest = changed->earliest,
                              .deadline = changed->deadline,
                              .duration = changed->duration,
                              .term_values = changed->term_values,
                              .given = changed_terms(lease, changed)};
    struct rights_request request = {.user = changed->user,
                                     .group = changed->user_group,
                                     .spec = &spec,
                                     .n_vms = (uint32_t)intake_members(daemon, changed->id),
                                     .now = now,
                                     .change = &change};
    const struct reserving reserving = {.uid = changed->uid,
                                        .lease = changed,
                                        .size = vms_size_of(daemon, asked),
                                        .instead = lease,
                                        .is_change = true};

    return judge(daemon, &reserving, &request, reason);
}

enum verdict intake_judge_size(const struct daemon *daemon, const struct lease_record *lease,
                               int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    struct lease_spec spec = {.present = true,
                              .kind = lease->kind,
                              .start = INSTANT_NONE,
                              .earliest = INSTANT_NONE,
                              .deadline = INSTANT_NONE,
                              .duration = lease->duration,
                              .term_values = lease->term_values};
    struct rights_request request = {.user = lease->user,
                                     .group = lease->user_group,
                                     .spec = &spec,
                                     .n_vms = (uint32_t)intake_members(daemon, lease->id),
                                     .now = now};
    const struct reserving reserving = {
        .uid = lease->uid,
        .lease = lease,
        .size = vms_size_of(daemon, &(struct changed_lease){.lease = lease}),
        .instead = lease};

    return lease->kind != LEASE_RESERVATION && lease->kind != LEASE_DEADLINE
               ? VERDICT_YES
               : judge(daemon, &reserving, &request, reason);
}
