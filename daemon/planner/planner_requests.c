#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/live/lease_state.h"
#include "daemon/live/moves.h"
#include "daemon/live/quarantine.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

enum { BOOTS_SEEN = 3 /* before that the site's own word counts */ };

void planned_drop(struct store *store, const struct lease_record *lease)
{
    struct planned *planned = lease->planned;

    if (!planned)
        return;
    for (size_t i = 0; i < planned->n_own; i++)
        free(planned->own[i].allowed);
    free(planned->own);
    free(planned->vms);
    free(planned->node_sets);
    free(planned);
    lease_note_planned(store, lease, NULL);
}

uint32_t host_place(const struct planner *planner, int32_t host)
{
    const struct host_pool *pool = &planner->hosts->pool;
    const struct host *found = host < 0 ? NULL : host_pool_find(pool, host);

    return found ? (uint32_t)(found - pool->items) : HOST_NONE;
}

int64_t lease_remaining(const struct lease_record *lease, int64_t now)
{
    int64_t ran = lease->accumulated;

    if (lease->duration == SPAN_UNLIMITED)
        return SPAN_UNLIMITED;
    if (lease->since != INSTANT_NONE && lease->since < now)
        ran += now - lease->since;
    return lease->duration > ran ? lease->duration - ran : 0;
}

bool lease_is_suspended_by_us(const struct planner *planner, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (vms[i]->suspended_by_us && !vms[i]->gone)
            return true;
    return false;
}

enum {
    SOON = 60,      /* seconds */
    ROOM_PAUSE = 10 /* seconds: then the room on datastores is looked at again */
};

/* --- filters ---------------------------------------------------------------------------------- */

bool vm_avoids(const struct vm_record *vm, int32_t host, int64_t now)
{
    for (size_t i = 0; i < sizeof vm->avoid / sizeof *vm->avoid; i++)
        if (vm->avoid[i] == host && vm->avoid_until[i] > now)
            return true;
    return false;
}

static bool avoids_any(const struct vm_record *vm, int64_t now)
{
    for (size_t i = 0; i < sizeof vm->avoid / sizeof *vm->avoid; i++)
        if (vm->avoid[i] >= 0 && vm->avoid_until[i] > now)
            return true;
    return false;
}

/* Without the hosts where it failed; with them when there are no others. */
static const struct host_filter *own_filter(struct planner *planner, struct planned *planned,
                                            const struct vm_record *vm,
                                            const struct host_filter *filter, int64_t now)
{
    const struct host_pool *pool = &planner->hosts->pool;
    struct own_filter *own = &planned->own[planned->n_own];
    size_t left = 0;

    own->filter = *filter;
    own->allowed = memory_new(pool->n, sizeof *own->allowed);
    for (size_t i = 0; i < pool->n; i++) {
        own->allowed[i] =
            (!filter->allowed || filter->allowed[i]) && !vm_avoids(vm, pool->items[i].id, now);
        left += own->allowed[i] && pool->items[i].state == HOST_ON;
    }
    if (!left) {
        free(own->allowed);
        return filter;
    }
    own->filter.allowed = own->allowed;
    planned->n_own++;
    return &own->filter;
}

static void cannot_be_placed(struct planner *planner, const struct lease_record *lease,
                             const char *word, const char *text, int64_t retry)
{
    if (lease_explain(planner->store, lease, word, text, retry))
        lease_expect(planner->store, lease, INSTANT_NONE, lease->contract);
}

/* --- requests --------------------------------------------------------------------------------- */

static void add_to_set(struct planned *planned, const struct amounts *amounts,
                       const struct host_filter *filter, size_t *set_of)
{
    for (size_t set = 0; set < planned->n_node_sets; set++) {
        struct node_set *nodes = &planned->node_sets[set];

        if (nodes->hosts == filter && memcmp(&nodes->amounts, amounts, sizeof *amounts) == 0) {
            nodes->count++;
            *set_of = set;
            return;
        }
    }
    *set_of = planned->n_node_sets;
    planned->node_sets[planned->n_node_sets++] =
        (struct node_set){.count = 1, .amounts = *amounts, .hosts = filter};
}

/* The engine numbers VMs over the sets in order. */
static void order_by_set(struct planned *planned, const size_t *set_of)
{
    int32_t *ordered = memory_new(planned->n_vms, sizeof *ordered);
    size_t n = 0;

    for (size_t set = 0; set < planned->n_node_sets; set++)
        for (size_t i = 0; i < planned->n_vms; i++)
            if (set_of[i] == set)
                ordered[n++] = planned->vms[i];
    free(planned->vms);
    planned->vms = ordered;
}

/* A lease whose VMs have hosts is where it is: its filter does not matter any more. */
static bool needs_place(const struct lease_record *lease)
{
    return lease->phase == PHASE_WAITING || lease->phase == PHASE_RESERVED;
}

/* Where it is and nowhere else. */
static const struct host_filter *stay_filter(struct planner *planner, struct planned *planned,
                                             const struct vm_record *vm)
{
    const struct host_pool *pool = &planner->hosts->pool;
    struct own_filter *own = &planned->own[planned->n_own++];

    own->allowed = memory_new(pool->n, sizeof *own->allowed);
    own->filter.allowed = own->allowed;
    for (size_t i = 0; i < pool->n; i++)
        own->allowed[i] = pool->items[i].id == vm_planned_host(vm);
    return &own->filter;
}

/* Of a lease that runs on terms that allow better hosts: those that its requirements allow. */
static const struct host_filter *move_filter(struct planner *planner,
                                             const struct lease_record *lease,
                                             const struct vm_record *vm, int64_t now)
{
    const struct vm_observation *observed = world_vm(planner->world, vm->id);
    struct eligible eligible = {.filter = NULL};

    if (!planner_may_move(planner, lease))
        return NULL;
    if (observed && observed->full)
        eligibility_of(planner->eligibility, observed->full, &eligible);
    if (!eligible.filter || eligible.n_hosts == 0)
        return stay_filter(planner, lease->planned, vm);
    return avoids_any(vm, now) ? own_filter(planner, lease->planned, vm, eligible.filter, now)
                               : eligible.filter;
}

bool planner_may_move(const struct planner *planner, const struct lease_record *lease)
{
    return planner->settings.engine.migration_interval > 0 && lease->terms == TERMS_MIGRATABLE &&
           lease->kind != LEASE_RESERVATION &&
           (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STARTING);
}

/* A datastore that is full now says nothing of a start that is far ahead, and a promise that was
 * made does not depend on it. */
static void look_at_hosts(struct planner *planner, const struct lease_record *lease,
                          const struct vm *vm, int64_t now, struct eligible *eligible)
{
    if (lease->phase == PHASE_RESERVED ||
        (lease->start != INSTANT_NONE && lease->start > now + SOON))
        eligibility_of_later(planner->eligibility, vm, eligible);
    else
        eligibility_of(planner->eligibility, vm, eligible);
    if (eligible->lacks_room)
        planner_retry_at(planner, now + ROOM_PAUSE);
}

/* Its user would not know otherwise that another host was taken than was meant. */
static void note_rank(const struct planner *planner, const struct lease_record *lease,
                      const struct vm_record *vm, const char *why, int64_t now)
{
    if (lease->rank_ignored)
        return;
    lease_note_rank_ignored(planner->store, lease);
    store_history(planner->store, lease->id, now, "rank-ignored", "VM %d: %s", vm->id, why);
}

static void note_pause(struct planner *planner, const struct lease_record *lease,
                       const struct vm_record *vm)
{
    char text[STORE_TEXT_MAX];

    snprintf(text, sizeof text, "Starting VM %d failed %d time%s", vm->id, vm->attempts,
             vm->attempts == 1 ? "" : "s");
    cannot_be_placed(planner, lease, "start-failed", text,
                     vm->next_try > vm->pause_until ? vm->next_try : vm->pause_until);
}

/* All hosts that it may have are left alone for now. A promise stays where it is. */
static bool is_left_alone(const struct planner *planner, const struct lease_record *lease,
                          const struct host_filter *filter)
{
    const struct host_pool *pool = &planner->hosts->pool;
    const struct quarantine *quarantine = planner->settings.quarantine;
    bool any = false;

    if (!quarantine || quarantine->n == 0 || lease->phase == PHASE_RESERVED)
        return false;
    for (size_t i = 0; i < pool->n; i++) {
        if (filter->allowed && !filter->allowed[i])
            continue;
        if (!quarantine_has(quarantine, pool->items[i].id, clock_now()))
            return false;
        any = true;
    }
    return any;
}

static bool filter_of(struct planner *planner, const struct lease_record *lease,
                      const struct vm_record *vm, int64_t now, const struct host_filter **filter)
{
    const struct vm_observation *observed = world_vm(planner->world, vm->id);
    struct eligible eligible;

    *filter = needs_place(lease) ? NULL : move_filter(planner, lease, vm, now);
    if (!needs_place(lease) || !observed)
        return true;
    if ((vm->next_try != INSTANT_NONE && vm->next_try > now) ||
        (vm->pause_until != INSTANT_NONE && vm->pause_until > now)) {
        int64_t again = vm->next_try > vm->pause_until ? vm->next_try : vm->pause_until;

        if (!lease->reason[0]) /* it says already what failed and when it is tried again */
            note_pause(planner, lease, vm);
        if (lease->phase == PHASE_WAITING)
            planner_estimate(planner, lease, again, now);
        planner_retry_at(planner, again);
        return false;
    }
    if (observed->locked) {
        char text[STORE_TEXT_MAX];

        snprintf(text, sizeof text,
                 "VM %d is locked; it is placed when its user or an administrator unlocks it",
                 vm->id);
        cannot_be_placed(planner, lease, "locked", text, INSTANT_NONE);
        return false;
    }
    if (!observed->full) /* stopped by us and not asked for in full: any open host */
        return true;
    look_at_hosts(planner, lease, observed->full, now, &eligible);
    if (!eligible.filter || eligible.n_hosts == 0) {
        cannot_be_placed(planner, lease,
                         eligible.malformed     ? "requirement-malformed"
                         : eligible.unsupported ? "not-supported"
                                                : "no-host-allowed",
                         eligible.reason, INSTANT_NONE);
        return false;
    }
    if (eligible.rank_ignored)
        note_rank(planner, lease, vm, eligible.reason, now);
    if (is_left_alone(planner, lease, eligible.filter)) {
        cannot_be_placed(
            planner, lease, "hosts-left-alone",
            "the hosts that it may use are left alone for some minutes, as different VMs "
            "failed or hang on them",
            INSTANT_NONE);
        return false;
    }
    *filter = eligible.filter;
    if (avoids_any(vm, now))
        *filter = own_filter(planner, lease->planned, vm, eligible.filter, now);
    return true;
}

/* How long before a reservation's start its VMs are commanded, for all of them to run then: what
 * booting was seen to take, once enough was seen. A site that does not state a time wants its
 * reservations to begin at their start and not before it. */
static int64_t boot_lead(const struct planner *planner, const struct lease_record *lease)
{
    struct estimate estimate = {0};
    int64_t lead = 0;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    if (planner->settings.boot_time == 0)
        return 0;
    if (planner->estimates)
        estimate = estimates_of(planner->estimates, OPERATION_BOOT);
    if (estimate.n < BOOTS_SEEN)
        return planner->settings.boot_time;
    for (size_t i = 0; i < n; i++) {
        int64_t span = vms[i]->gone ? 0 : estimate_seconds(&estimate, vms[i]->memory);

        lead = span > lead ? span : lead;
    }
    return lead;
}

void request_set_start(const struct lease_record *lease, int64_t at, int64_t now,
                       struct lease_request *request)
{
    request->start = at > now ? at : now;
    if (lease->duration != SPAN_UNLIMITED)
        request->duration = request->duration_original =
            lease->start + lease->duration - request->start;
}

static void fill_request(const struct planner *planner, const struct lease_record *lease,
                         int64_t now, struct lease_request *request)
{
    const struct planned *planned = lease->planned;

    *request = (struct lease_request){.id = lease->id,
                                      .kind = lease->kind,
                                      .submit = lease->submit,
                                      .start = INSTANT_NONE,
                                      .deadline = lease->deadline,
                                      .duration_original = lease->duration,
                                      .duration = lease->duration,
                                      .duration_known = SPAN_NONE,
                                      .term_values = lease->term_values,
                                      .user = lease->uid,
                                      .node_sets = planned->node_sets,
                                      .n_node_sets = planned->n_node_sets};
    if (lease->kind == LEASE_IMMEDIATE && lease->accepted)
        request->kind = LEASE_BEST_EFFORT; /* it was promised to start, so it waits if it must */
    if (lease->kind == LEASE_RESERVATION) {
        request_set_start(lease, lease->start - boot_lead(planner, lease), now, request);
    } else if (lease->earliest != INSTANT_NONE && lease->earliest > now) {
        request->start = lease->earliest;
    } else if (lease->kind == LEASE_DEADLINE) {
        request->start = now;
    }
}

bool planned_make(struct planner *planner, const struct lease_record *lease, int64_t now,
                  struct lease_request *request)
{
    size_t n, *set_of;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    struct planned *planned;
    bool possible = true;

    planned_drop(planner->store, lease);
    planned = memory_new(1, sizeof *planned);
    lease_note_planned(planner->store, lease, planned);
    planned->end = INSTANT_NONE;
    planned->vms = memory_new(n, sizeof *planned->vms);
    planned->node_sets = memory_new(n, sizeof *planned->node_sets);
    planned->own = memory_new(n, sizeof *planned->own);
    set_of = memory_new(n, sizeof *set_of);
    for (size_t i = 0; i < n && possible; i++) {
        struct amounts amounts = {{0}};
        const struct host_filter *filter;

        if (vms[i]->gone)
            continue;
        amounts.of[RESOURCE_CPU] = vms[i]->cpu;
        amounts.of[RESOURCE_MEMORY] = vms[i]->memory;
        possible = filter_of(planner, lease, vms[i], now, &filter);
        planned->vms[planned->n_vms] = vms[i]->id;
        add_to_set(planned, &amounts, filter, &set_of[planned->n_vms++]);
    }
    order_by_set(planned, set_of);
    free(set_of);
    if (!possible || !planned->n_vms)
        return false;
    fill_request(planner, lease, now, request);
    return true;
}

uint32_t *planned_places(const struct planner *planner, const struct lease_record *lease)
{
    const struct planned *planned = lease->planned;
    uint32_t *places = memory_new(planned->n_vms, sizeof *places);

    for (size_t i = 0; i < planned->n_vms; i++)
        places[i] = host_place(planner, vm_planned_host(store_vm(planner->store, planned->vms[i])));
    return places;
}
