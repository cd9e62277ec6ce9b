/* Places deadline leases: not before a start, finished by a deadline, accepted or refused at once.
 *
 * The lease kind comes from Haizea 1.1, which was never released; the method that keeps all
 * accepted deadlines is Galerna's. A new lease is placed in free room; else other deadline leases
 * are moved, those with the most slack first, or suspended and resumed later; else all deadline
 * leases that have not started are placed again, the tightest first. All attempts are made in the
 * slot table only and undone; a successful one is then booked.
 */
#include "core/deadline.h"

#include <stdlib.h>
#include <string.h>

#include "core/deadline_terms.h"
#include "core/engine_state.h"
#include "core/estimates.h"
#include "core/migration.h"
#include "core/placing.h"
#include "core/preparation.h"
#include "core/start_times.h"
#include "core/trial.h"
#include "util/memory.h"

enum { STARTS_TRIED = 32 }; /* starts of the new lease tried with displacement */

/* A lease that needs room and must begin in [from, latest]. */
struct newcomer {
    struct lease *lease;
    int64_t from, latest;
};

/* --- making room
 * ----------------------------------------------------------------------------------- */

static bool place_newcomer(struct trial *trial, const struct newcomer *newcomer,
                           struct proposal *proposal)
{
    struct window_request request = {
        .lease = newcomer->lease,
        .from = newcomer->from,
        .latest = newcomer->latest,
        .remaining = remaining_span(newcomer->lease),
        .spare_others = true,
        .more_points = trial->points,
        .n_more_points = trial->n_points,
    };

    if (!place_within(trial->engine, &request, proposal))
        return false;
    slot_table_book(trial->engine->table, proposal->plan.vm);
    trial_book_list(trial, &proposal->plan.after);
    trial_add_point(trial, proposal->plan.vm->until);
    return true;
}

/* Deadline leases that overlap [from, until) and can be moved or suspended, most slack first. */
static struct lease_list displaceable(struct engine *engine, int64_t from, int64_t until)
{
    struct lease_list list = {0};

    for (size_t i = 0; i < engine->leases.list.n; i++) {
        struct lease *lease = engine->leases.list.items[i];
        size_t place;

        if (!lease || has_image_transfer(engine, lease) ||
            !(deadline_waits(lease) || deadline_runs(engine, lease)) ||
            vm_plan_start(lease_plan_current(lease)) >= until ||
            vm_plan_end(lease_plan_current(lease)) <= from)
            continue;
        lease_list_append(&list, lease);
        for (place = list.n - 1; place && stretch_of(engine, list.items[place - 1],
                                                     left_to_run(list.items[place - 1])) <
                                              stretch_of(engine, lease, left_to_run(lease));
             place--)
            list.items[place] = list.items[place - 1];
        list.items[place] = lease;
    }
    return list;
}

/* Begins at `at`, displacing as many leases as necessary; all must still keep their deadlines. */
static bool displace_for(struct engine *engine, struct lease *lease, int64_t at,
                         struct proposal *proposal)
{
    int64_t until = instant_add(at, remaining_span(lease) + shutdown_span(engine, lease));
    struct newcomer newcomer = {lease, at, at};
    struct lease_list others = displaceable(engine, at, until);
    struct trial trial;
    bool placed = false, kept;

    trial_begin(&trial, engine);
    for (size_t i = 0; i < others.n && !placed; i++) {
        struct lease *other = others.items[i];

        if (deadline_waits(other))
            trial_take_out(&trial, other);
        else if (!trial_suspend(&trial, other, at)) {
            /* A change that failed is dropped. */
            if (trial.n && trial.changes[trial.n - 1].lease == other)
                change_finish(&trial.changes[--trial.n]);
            continue;
        }
        placed = place_newcomer(&trial, &newcomer, proposal);
    }
    kept = placed && trial_place_all(&trial);
    slot_table_undo(engine->table, trial.mark);
    if (kept)
        trial_commit(&trial, lease);
    else if (placed)
        proposal_finish(proposal);
    trial_end(&trial);
    free(others.items);
    return kept;
}

/* Places the newcomer and, again, all deadline leases that have not started, tightest first. */
static bool reshuffle(struct engine *engine, const struct newcomer *newcomer,
                      enum trial_order order, struct proposal *proposal)
{
    struct lease *lease = newcomer->lease;
    struct trial trial;
    bool placed = true, newcomer_placed = false;
    int64_t mine;

    trial_begin(&trial, engine);
    trial.order = order;
    mine = trial_urgency(&trial, lease, remaining_span(lease));
    for (size_t i = 0; i < engine->leases.list.n; i++)
        if (engine->leases.list.items[i] && deadline_waits(engine->leases.list.items[i]) &&
            !has_image_transfer(engine, engine->leases.list.items[i]))
            trial_take_out(&trial, engine->leases.list.items[i]);
    trial_sort(&trial);
    for (size_t i = 0; i < trial.n && placed; i++) {
        struct change *change = &trial.changes[i];

        if (!newcomer_placed &&
            mine < trial_urgency(&trial, change->lease, change_remaining(change)))
            placed = newcomer_placed = place_newcomer(&trial, newcomer, proposal);
        placed = placed && trial_place(&trial, change);
    }
    if (placed && !newcomer_placed)
        placed = newcomer_placed = place_newcomer(&trial, newcomer, proposal);
    slot_table_undo(engine->table, trial.mark);
    if (placed)
        trial_commit(&trial, lease);
    else if (newcomer_placed)
        proposal_finish(proposal);
    trial_end(&trial);
    return placed;
}

/* --- entry points
 * ----------------------------------------------------------------------------------- */

/* The time by which all running deadline leases could be off their hosts. */
static int64_t first_relief(struct engine *engine, int64_t from)
{
    int64_t longest = 0;

    for (size_t i = 0; i < engine->leases.list.n; i++) {
        struct lease *lease = engine->leases.list.items[i];

        if (lease && deadline_runs(engine, lease) && suspend_estimate(engine, lease) > longest)
            longest = suspend_estimate(engine, lease);
    }
    return engine->now + longest > from ? engine->now + longest : from;
}

static bool displace_somewhere(struct engine *engine, const struct newcomer *newcomer,
                               struct proposal *proposal)
{
    struct lease *lease = newcomer->lease;
    int64_t from = newcomer->from, latest = newcomer->latest;
    int64_t at = from, relief = first_relief(engine, from);
    size_t tried = 1;

    if (relief > from && relief <= latest && displace_for(engine, lease, relief, proposal))
        return true;
    for (;;) {
        if (displace_for(engine, lease, at, proposal))
            return true;
        at = next_start_time(engine, at);
        if (at > latest || tried++ == STARTS_TRIED)
            return false;
    }
}

static int64_t earliest_end(const struct engine *engine, const struct lease *lease, int64_t from)
{
    return instant_add(from, instant_add(remaining_span(lease), shutdown_span(engine, lease)));
}

/* Not before the lease's earliest start, nor before its image can be on every host. */
static int64_t first_start(struct engine *engine, const struct lease *lease)
{
    int64_t from = engine->now;
    int64_t *arrival;

    if (lease->request.start != INSTANT_NONE && lease->request.start > from)
        from = lease->request.start;
    if (!has_image_transfer(engine, lease))
        return from;
    arrival = memory_new(engine->site.n_hosts, sizeof *arrival);
    if (preparation_earliest(engine, lease, arrival))
        for (size_t host = 0; host < engine->site.n_hosts; host++)
            from = arrival[host] > from ? arrival[host] : from;
    free(arrival);
    return from;
}

/* Moves other leases, from the smallest change to the most far-reaching. */
static bool make_room(struct engine *engine, const struct newcomer *newcomer,
                      struct proposal *proposal)
{
    return displace_somewhere(engine, newcomer, proposal) ||
           reshuffle(engine, newcomer, TIGHTEST_FIRST, proposal) ||
           reshuffle(engine, newcomer, EARLIEST_DEADLINE_FIRST, proposal);
}

/* Records in the reason when the lease could end without its deadline. */
static void explain_refusal(struct engine *engine, struct window_request *request)
{
    struct proposal late;

    request->latest = INSTANT_NEVER - 1;
    request->spare_others = true;
    request->may_be_late = true;
    if (!place_within(engine, request, &late))
        return;
    request->lease->reason.n[1] =
        late.plan.after.n ? late.plan.after.items[0]->until : late.plan.vm->until;
    proposal_finish(&late);
}

/* Finds the window in which the lease may begin: with fixed deadlines, only its requested start.
 * False: it would end too late. */
static bool allowed_window(struct engine *engine, struct lease *lease,
                           struct window_request *window)
{
    int64_t from = first_start(engine, lease);
    int64_t end = earliest_end(engine, lease, from);
    int64_t deadline = lease->request.deadline;

    *window = (struct window_request){
        .lease = lease,
        .from = from,
        .latest = engine->settings.fixed_deadlines ? from : deadline - (end - from),
        .remaining = remaining_span(lease),
        .spare_others = true};
    lease->reason = (struct reason){.id = REASON_DEADLINE_UNREACHABLE, .n = {deadline, end}};
    return end <= deadline;
}

/* Only the preemption policy moves other leases. */
static bool place_at_start(struct engine *engine, struct window_request *window,
                           struct proposal *proposal)
{
    struct map_request room = {.lease = window->lease, .from = window->from, .strict = true};

    if (place_within(engine, window, proposal))
        return true;
    window->spare_others = false;
    if (place_within(engine, window, proposal))
        return true;
    room.until = room.shortest = earliest_end(engine, window->lease, window->from);
    refuse_for_room(engine, &room, &(struct mapping){0});
    return false;
}

bool place_deadline(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct window_request request;
    struct newcomer newcomer;

    memset(proposal, 0, sizeof *proposal);
    if (!allowed_window(engine, lease, &request))
        return false;
    if (engine->settings.fixed_deadlines)
        return place_at_start(engine, &request, proposal);
    if (place_within(engine, &request, proposal))
        return true;
    newcomer = (struct newcomer){lease, request.from, request.latest};
    if (!has_image_transfer(engine, lease) && make_room(engine, &newcomer, proposal))
        return true;
    /* Last resort: victims chosen by the preemption policy. */
    request.spare_others = false;
    if (place_within(engine, &request, proposal))
        return true;
    explain_refusal(engine, &request);
    return false;
}

bool place_deadline_in_room(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct window_request request;

    memset(proposal, 0, sizeof *proposal);
    return allowed_window(engine, lease, &request) && place_within(engine, &request, proposal);
}

bool place_by_moving_others(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct reason refusal = lease->reason;
    int64_t start = lease->request.start;
    struct newcomer newcomer = {lease, start, start};

    if (engine->settings.fixed_deadlines ||
        (refusal.id != REASON_NO_ROOM_AT_START && refusal.id != REASON_OTHERS_WOULD_BE_LATE) ||
        !engine->figures.unfinished[LEASE_DEADLINE] || has_image_transfer(engine, lease) ||
        lease->request.duration == SPAN_UNLIMITED)
        return false;
    if (displace_for(engine, lease, start, proposal) ||
        reshuffle(engine, &newcomer, TIGHTEST_FIRST, proposal))
        return true;
    lease->reason = refusal;
    return false;
}

void pull_deadlines_forward(struct engine *engine, bool resume)
{
    for (size_t i = 0; engine->figures.unfinished[LEASE_DEADLINE] && i < engine->leases.list.n;
         i++) {
        struct lease *lease = engine->leases.list.items[i];
        struct trial trial;
        bool earlier;

        if (!lease || !deadline_waits(lease) || has_image_transfer(engine, lease) ||
            (!resume && lease->plan->n_vms > 1))
            continue;
        trial_begin(&trial, engine);
        trial_take_out(&trial, lease);
        earlier = trial_place(&trial, &trial.changes[0]) &&
                  trial.changes[0].next.start < vm_plan_start(lease_plan_current(lease));
        slot_table_undo(engine->table, trial.mark);
        if (earlier)
            trial_commit(&trial, lease);
        trial_end(&trial);
    }
}
