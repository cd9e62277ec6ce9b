/* Finds a time at which a lease can begin, and builds its stretch. */
#include "core/placing.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/host_choice.h"
#include "core/mapper_restricted.h"
#include "core/relief.h"
#include "core/start_times.h"
#include "core/windows.h"
#include "util/memory.h"

static void refuse(struct lease *lease, enum reason_id id, int64_t first, int64_t second)
{
    lease->reason = (struct reason){.id = id, .n = {first, second}};
}

/* --- at an exact time ------------------------------------------------------------------------- */

static bool shutdown_is_inside(const struct engine *engine)
{
    return engine->settings.behaviour.shutdown_inside_duration;
}

void refuse_for_room(struct engine *engine, const struct map_request *request,
                     const struct mapping *mapping)
{
    struct lease *lease = request->lease;
    uint32_t count = 0;

    if (mapping->n_late) {
        lease->reason =
            (struct reason){.id = REASON_OTHERS_WOULD_BE_LATE,
                            .n = {lease->n_vms, request->from, (int64_t)mapping->n_late}};
        return;
    }
    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        count += mapper_count(engine, request, &lease->request.node_sets[set]);
    lease->reason = (struct reason){.id = REASON_NO_ROOM_AT_START,
                                    .n = {lease->n_vms, request->from, request->until, count}};
}

bool place_exact(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct map_request request = {.lease = lease};

    return place_exact_as(engine, &request, proposal);
}

bool place_exact_as(struct engine *engine, const struct map_request *wanted,
                    struct proposal *proposal)
{
    struct lease *lease = wanted->lease;
    bool inside = shutdown_is_inside(engine);
    int64_t start = lease->request.start;
    int64_t shutdown = shutdown_span(engine, lease);
    struct map_request request = *wanted;
    struct mapping mapping;

    memset(proposal, 0, sizeof *proposal);
    request.from = start;
    request.strict = true;
    if (start < engine->now) {
        refuse(lease, REASON_START_PASSED, start, engine->now);
        return false;
    }
    if (inside && lease->request.duration < shutdown) {
        refuse(lease, REASON_SHORTER_THAN_SHUTDOWN, lease->request.duration, shutdown);
        return false;
    }
    request.until = instant_add(start, lease->request.duration);
    if (!inside)
        request.until = instant_add(request.until, shutdown);
    request.shortest = request.until;
    if (!mapper_map(engine, &request, &mapping)) {
        refuse_for_room(engine, &request, &mapping);
        mapping_finish(&mapping);
        return false;
    }
    proposal->start = start;
    proposal->held_until = mapping.until;
    proposal->victims = mapping.victims;
    proposal->suspend_victims = request.forced;
    proposal->plan.vm =
        reservation_create(lease, RESERVATION_VM, start, request.until,
                           placement_of_vms(engine, lease, mapping.vm_host, mapping.vm_held));
    carve_shutdown(engine, lease, &proposal->plan);
    return true;
}

/* --- as soon as possible ---------------------------------------------------------------------- */

/* One search for a place, common to all start times tried. */
struct search {
    struct engine *engine;
    struct lease *lease;
    bool resuming;
    bool strict;
    bool spare_others;  /* no victims */
    bool spare_planned; /* only running leases may be victims */
    bool may_be_late;   /* a missed deadline is acceptable */
    int64_t remaining;  /* run time left, in seconds */
    int64_t shutdown;
    int64_t resume; /* seconds reserved for the resumption */
    int64_t threshold;
    int64_t before;  /* only starts before this time are tried */
    uint32_t *hosts; /* allowed hosts; NULL: all */
    size_t n_hosts;
    const struct placement *pinned; /* required hosts of the VMs; NULL: any */
    bool forced;
};

/* The time until which hosts must be free for all operations of the lease from `start` on. */
static int64_t needed_until(const struct search *search, int64_t start)
{
    return instant_add(instant_add(start, search->remaining), search->shutdown + search->resume);
}

/* The shortest run for which VMs are started. 0 in Haizea's mode for a stretch cut short; in a
 * full-length stretch, 0 would resume and suspend the lease forever. */
static int64_t least_run(const struct search *search, const struct mapping *mapping, int64_t start)
{
    bool may_be_none = search->engine->settings.behaviour.vms_may_run_for_no_time;

    return may_be_none && mapping->until < needed_until(search, start) ? 0 : 1;
}

static bool build_vm(const struct search *search, const struct mapping *mapping, int64_t start,
                     struct proposal *proposal, int64_t *resume_taken)
{
    struct engine *engine = search->engine;
    struct vm_plan *plan = &proposal->plan;
    int64_t runs_from = start, full;
    int64_t least = least_run(search, mapping, start);
    bool inside = shutdown_is_inside(engine);

    plan->vm = reservation_create(
        search->lease, RESERVATION_VM, start, mapping->until,
        placement_of_vms(engine, search->lease, mapping->vm_host, mapping->vm_held));
    if (search->resuming)
        runs_from =
            resume_windows(engine, search->lease, plan->vm->placement, start, &plan->before);
    *resume_taken = runs_from - start;
    if (mapping->until < runs_from + least && search->remaining > 0)
        return false;
    plan->vm->from = runs_from;
    full = instant_add(runs_from, search->remaining);
    /* Haizea suspends only if the work does not fit; the shutdown may be cut short. */
    if (mapping->until < (inside ? full : instant_add(full, search->shutdown))) {
        int64_t runs_until;

        /* A strict search needs the whole lease in one stretch, but the resumption takes longer
         * than estimated. */
        if (search->strict && search->resuming && !inside)
            return false;
        runs_until = suspend_windows(engine, search->lease, plan->vm->placement, mapping->until,
                                     &plan->after);

        plan->vm->until = runs_until;
        /* A gap that ends during the shutdown would suspend VMs that have completed their run time.
         */
        return runs_until >= runs_from + least && (inside || runs_until < full);
    }
    if (mapping->until > instant_add(full, search->shutdown))
        plan->vm->until = instant_add(full, search->shutdown);
    carve_shutdown(engine, search->lease, plan);
    return plan->vm->until >= runs_from;
}

static bool ends_in_time(const struct lease *lease, const struct vm_plan *plan)
{
    return lease->request.deadline == INSTANT_NONE || vm_plan_end(plan) <= lease->request.deadline;
}

/* The search's request to the mapper for a start at `start`. */
static struct map_request request_at(const struct search *search, int64_t start)
{
    return (struct map_request){.lease = search->lease,
                                .from = start,
                                .until = needed_until(search, start),
                                .strict = search->strict,
                                .shortest = search->threshold,
                                .allowed = search->hosts,
                                .n_allowed = search->n_hosts,
                                .pinned = search->pinned,
                                .pinned_preempts = search->forced,
                                .spare_others = search->spare_others,
                                .spare_planned = search->spare_planned,
                                .forced = search->forced};
}

/* Tries to begin at `start`. */
static bool try_point(struct search *search, int64_t start, struct proposal *proposal)
{
    struct engine *engine = search->engine;

    for (int attempt = 0; attempt < 2; attempt++) {
        const struct map_request request = request_at(search, start);
        struct mapping mapping;
        int64_t resume_taken;

        if (!mapper_map(engine, &request, &mapping)) {
            mapping_finish(&mapping);
            return false;
        }
        proposal->start = start;
        proposal->held_until = mapping.until;
        proposal->victims = mapping.victims;
        proposal->suspend_victims = search->forced;
        if (build_vm(search, &mapping, start, proposal, &resume_taken)) {
            if (search->may_be_late || ends_in_time(search->lease, &proposal->plan))
                return true;
            proposal_finish(proposal);
            return false;
        }
        proposal_finish(proposal);
        /* The resumption takes longer than estimated and leaves no time to run: search again with
         * the longer time. */
        if (resume_taken <= search->resume)
            return false;
        search->resume = resume_taken;
    }
    return false;
}

/* Allows the hosts that are ready by `at`; all hosts if the search is unrestricted. */
static void allow_ready_hosts(struct search *search, const int64_t *earliest, int64_t at)
{
    search->n_hosts = 0;
    for (uint32_t host = 0; host < search->engine->site.n_hosts; host++)
        if (earliest[host] <= at)
            search->hosts[search->n_hosts++] = host;
}

static bool next_ready_time(const struct placing_request *request, size_t n_hosts, int64_t *at)
{
    int64_t next = INSTANT_NEVER;

    for (size_t host = 0; host < n_hosts; host++)
        if (request->earliest[host] > *at && request->earliest[host] < next)
            next = request->earliest[host];
    *at = next;
    return next != INSTANT_NEVER;
}

const struct placement *must_resume_in(const struct engine *engine, const struct lease *lease)
{
    return engine->settings.behaviour.resumption_exchanges_hosts ? NULL : lease_plan_memory(lease);
}

/* Memory that cannot move is resumed where it was saved. */
static void restrict_to_previous_hosts(struct search *search)
{
    const struct placement *placement = lease_plan_memory(search->lease);

    search->pinned = must_resume_in(search->engine, search->lease);
    if (!placement || search->pinned)
        return;
    search->hosts = memory_new(placement->n_hosts, sizeof *search->hosts);
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        size_t place = search->n_hosts++;

        for (; place && search->hosts[place - 1] > placement->hosts[i]; place--)
            search->hosts[place] = search->hosts[place - 1];
        search->hosts[place] = placement->hosts[i];
    }
}

/* Tries the points at which hosts become ready. *last: the last one tried. */
static bool try_now(struct search *search, const struct placing_request *request,
                    struct proposal *proposal, int64_t *last)
{
    int64_t at = INT64_MIN;
    bool placed = false;

    if (!request->earliest) {
        *last = request->from;
        return try_point(search, request->from, proposal);
    }
    search->hosts = memory_new(search->engine->site.n_hosts, sizeof *search->hosts);
    while (!placed && next_ready_time(request, search->engine->site.n_hosts, &at)) {
        allow_ready_hosts(search, request->earliest, at);
        placed = try_point(search, at, proposal);
        *last = at;
    }
    free(search->hosts);
    search->hosts = NULL;
    search->n_hosts = 0;
    return placed;
}

static bool try_haizea_points(struct search *search, int64_t after, struct proposal *proposal)
{
    struct start_times times = {0};
    bool placed = false;

    start_times_haizea(search->engine, after, &times);
    for (size_t i = 0; i < times.n && !placed; i++)
        if (times.items[i] != INSTANT_NEVER)
            placed = try_point(search, times.items[i], proposal);
    free(times.items);
    return placed;
}

/* A lease planned for later is not displaced by one that would start even later: the queue assigns
 * future places in the right order. */
static void spare_for_later(struct search *search)
{
    const struct engine_settings *settings = &search->engine->settings;

    if (search->lease->request.kind != LEASE_BEST_EFFORT)
        return;
    search->spare_planned = true;
    search->spare_others = settings->backfilling == BACKFILLING_CONSERVATIVE;
}

/* A lower bound for the start: the lease has no room in [at, result). `again`: the site's total has
 * already been checked. */
static int64_t earliest_room(const struct search *search, int64_t at, bool again)
{
    const struct map_request request = request_at(search, at);
    const struct node_set *nodes = search->lease->request.node_sets;
    const struct slot_table *table = search->engine->table;
    const struct interval within = {at, search->before};
    const int64_t span = mapper_least_until(&request) - at;

    if (mapper_makes_room(search->engine, &request))
        return at;
    if (search->pinned)
        return slot_table_placement_earliest(table, search->pinned, within, span);
    if (is_restricted(search->engine, search->lease))
        return at;
    if (again && search->lease->request.n_node_sets == 1)
        return slot_table_earliest(table, &nodes->amounts, nodes->count, at, span);
    return slot_table_earliest_free_cpu(table, lease_cpu(search->lease), at, span, within.until);
}

/* Tries the points after `after` in turn, except those without room. */
static bool try_future(struct search *search, int64_t after, struct proposal *proposal)
{
    bool again = false;

    if (search->engine->settings.behaviour.future_points_unsorted)
        return try_haizea_points(search, after, proposal);
    for (int64_t at = next_start_time(search->engine, after); at < search->before;
         at = next_start_time(search->engine, at), again = true) {
        int64_t room = earliest_room(search, at, again);

        if (room > at)
            at = next_start_time(search->engine, room - 1);
        if (at < search->before && try_point(search, at, proposal))
            return true;
    }
    return false;
}

/* VMs of several sizes may fit on their previous hosts even if the mapper finds no place for them.
 */
static bool try_previous_hosts(const struct search *search, int64_t from, struct proposal *proposal)
{
    struct search back = *search;

    if (!search->resuming || search->pinned || search->lease->request.n_node_sets < 2 ||
        !mapper_fills_gaps(search->engine))
        return false;
    back.pinned = lease_plan_memory(search->lease);
    return back.pinned && try_point(&back, from, proposal);
}

void refuse_for_now(struct engine *engine, struct lease *lease)
{
    bool at_once = lease->request.kind == LEASE_IMMEDIATE && lease->state == LEASE_PENDING;
    uint32_t count = 0;

    for (size_t set = 0; set < lease->request.n_node_sets; set++)
        count += mapper_count_now(engine, &lease->request.node_sets[set]);
    refuse(lease, at_once ? REASON_NO_ROOM_AT_ONCE : REASON_NO_ROOM_NOW, lease->n_vms, count);
}

/* Tries the times by which running leases could have been suspended for the lease, and the ends of
 * other leases before each of them. */
static bool try_relief(struct search *search, const struct placing_request *request,
                       struct proposal *proposal)
{
    int64_t points[RELIEF_POINTS], last = request->from;
    bool placed = false;
    size_t n = 0;

    if (!request->earliest)
        n = relief_points(search->engine, search->lease, request->from, points);
    for (size_t i = 0; i < n && points[i] < search->before && !placed; i++) {
        struct search free_room = *search;

        free_room.before = points[i];
        free_room.spare_others = true;
        placed = try_future(&free_room, last, proposal) || try_point(search, points[i], proposal);
        last = points[i];
    }
    return placed;
}

static struct search search_for(struct engine *engine, struct lease *lease, int64_t before)
{
    const bool resuming = lease_is_suspended(lease);

    return (struct search){
        .engine = engine,
        .lease = lease,
        .resuming = resuming,
        .strict = !may_be_suspended(engine, lease) || engine->settings.whole_stretches ||
                  (lease->request.kind == LEASE_IMMEDIATE &&
                   !engine->settings.behaviour.immediate_may_be_suspended),
        .remaining = remaining_span(lease),
        .shutdown = shutdown_span(engine, lease),
        .resume = resuming ? resume_estimate(engine, lease) : 0,
        .threshold = scheduling_threshold(engine, lease),
        .before = before,
    };
}

int64_t placing_least_span(struct engine *engine, struct lease *lease)
{
    const struct search search = search_for(engine, lease, INSTANT_NEVER);
    const struct map_request request = request_at(&search, engine->now);

    return mapper_least_until(&request) - engine->now;
}

bool place_as_soon_as_possible(struct engine *engine, const struct placing_request *request,
                               struct proposal *proposal)
{
    struct lease *lease = request->lease;
    struct search search = search_for(engine, lease, request->before);
    int64_t last = request->from;
    bool placed;

    memset(proposal, 0, sizeof *proposal);
    if (search.resuming && (engine->settings.migration == MIGRATION_NO || request->stays))
        restrict_to_previous_hosts(&search);
    placed = try_now(&search, request, proposal, &last) ||
             try_previous_hosts(&search, request->from, proposal) ||
             try_relief(&search, request, proposal);
    if (!placed && request->may_wait) {
        spare_for_later(&search);
        placed = try_future(&search, last, proposal);
        /* VMs that may exchange hosts (Haizea 1.0) found no time; try each VM on its own host. */
        if (!placed && search.hosts) {
            search.pinned = lease_plan_current(lease)->vm->placement;
            placed = try_future(&search, last - 1, proposal);
        }
        proposal->in_future = placed;
    }
    if (!placed)
        refuse_for_now(engine, lease);
    free(search.hosts);
    return placed;
}

bool place_within(struct engine *engine, const struct window_request *request,
                  struct proposal *proposal)
{
    struct search search = {
        .engine = engine,
        .lease = request->lease,
        .resuming = request->resuming,
        .strict = true,
        .spare_others = request->spare_others,
        .remaining = request->remaining,
        .shutdown = shutdown_span(engine, request->lease),
        .pinned = request->pinned,
        .hosts = request->hosts,
        .n_hosts = request->n_hosts,
        .may_be_late = request->may_be_late,
        .forced = request->forced,
    };
    struct start_times times = {0};
    bool placed = false;

    memset(proposal, 0, sizeof *proposal);
    search.resume = request->resuming ? resume_estimate(engine, request->lease) : 0;
    start_times_add(&times, request->from);
    for (size_t i = 0; i < request->n_more_points; i++)
        if (request->more_points[i] > request->from)
            start_times_add(&times, request->more_points[i]);
    start_times_sorted(engine, request->from, request->latest, &times);
    for (size_t i = 0; i < times.n && times.items[i] <= request->latest && !placed; i++)
        placed = try_point(&search, times.items[i], proposal);
    free(times.items);
    return placed;
}

static bool list_fits(struct slot_table *table, const struct reservation_list *list)
{
    struct error err;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->from < list->items[i]->until &&
            slot_table_add(table, list->items[i], &err) < 0)
            return false;
    return true;
}

/* Does each operation fit by itself? Another lease may use a host until the VMs are resumed there.
 */
static bool operations_fit(struct engine *engine, const struct vm_plan *plan)
{
    size_t mark = slot_table_mark(engine->table);
    struct error err;
    bool fit =
        list_fits(engine->table, &plan->before) &&
        (plan->vm->from >= plan->vm->until || slot_table_add(engine->table, plan->vm, &err) == 0) &&
        list_fits(engine->table, &plan->after);

    slot_table_undo(engine->table, mark);
    return fit;
}

/* Do the hosts meet the demands of the VMs for the whole time from `from` on? */
static bool meets_again(const struct search *search, int64_t from, struct mapping *mapping)
{
    const struct map_request request = {
        .lease = search->lease, .from = from, .until = needed_until(search, from), .strict = true};
    struct mapping met = *mapping;

    met.until = request.until;
    return !search->lease->plan->has_demand || restricted_meet(search->engine, &request, &met);
}

bool place_again(struct engine *engine, const struct window_request *request,
                 struct proposal *proposal)
{
    struct lease *lease = request->lease;
    const struct search search = {
        .engine = engine,
        .lease = lease,
        .resuming = request->resuming,
        .strict = true,
        .remaining = request->remaining,
        .shutdown = shutdown_span(engine, lease),
    };
    struct mapping mapping = {.until = INSTANT_NEVER};
    int64_t resume_taken;

    memset(proposal, 0, sizeof *proposal);
    if (!mapper_hosts_are_usable(engine, lease, request->pinned))
        return false;
    mapper_assign(engine, lease, request->pinned, &mapping);
    proposal->start = request->from;
    if (!meets_again(&search, request->from, &mapping))
        return false;
    if (build_vm(&search, &mapping, request->from, proposal, &resume_taken) &&
        ends_in_time(lease, &proposal->plan) && operations_fit(engine, &proposal->plan)) {
        proposal->held_until = proposal->plan.vm->until + search.shutdown;
        return true;
    }
    proposal_finish(proposal);
    return false;
}
