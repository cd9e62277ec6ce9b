/* Deadline leases: not before a start, finished by a deadline, accepted or refused at once.
 *
 * The kind is Haizea 1.1's (haizea-1.1.md, section 11); the way to keep every accepted deadline is
 * Galerna's: a new lease is placed where there is room; else other deadline leases are moved, those
 * with the most slack first, or suspended and resumed later; else all that have not started are
 * placed anew, the tightest first. Everything is tried in the slot table only and taken back; what
 * works is then booked.
 */
#include <stdlib.h>
#include <string.h>

#include "core/scheduler.h"
#include "util/memory.h"

enum { STARTS_TRIED = 32 }; /* how many starts of the new lease are tried with displacement */

/* What becomes of one lease in a trial. */
struct change {
    struct lease *lease;
    bool suspends;                   /* it runs: suspended first */
    struct reservation *shortened;   /* its VM reservation until then; not the booked one */
    struct reservation_list windows; /* its suspension */
    struct proposal next;            /* where it goes */
    bool placed;
};

/* Who is placed first. */
enum trial_order { TIGHTEST_FIRST, EARLIEST_DEADLINE_FIRST };

struct trial {
    enum trial_order order;
    struct engine *engine;
    size_t mark;
    struct change *changes;
    size_t n, allocated;
    int64_t *points; /* ends of what the trial has placed */
    size_t n_points, points_allocated;
};

static void trial_begin(struct trial *trial, struct engine *engine)
{
    memset(trial, 0, sizeof *trial);
    trial->engine = engine;
    trial->mark = slot_table_mark(engine->table);
}

static void change_finish(struct change *change)
{
    for (size_t i = 0; i < change->windows.n; i++)
        reservation_destroy(change->windows.items[i]);
    reservation_list_finish(&change->windows);
    if (change->shortened)
        reservation_destroy(change->shortened);
    proposal_finish(&change->next);
}

/* Take everything back; committed changes have handed over what they had. */
static void trial_end(struct trial *trial)
{
    for (size_t i = 0; i < trial->n; i++)
        change_finish(&trial->changes[i]);
    free(trial->changes);
    free(trial->points);
}

static void add_point(struct trial *trial, int64_t at)
{
    trial->points = memory_grow(trial->points, &trial->points_allocated, trial->n_points + 1,
                                sizeof *trial->points);
    trial->points[trial->n_points++] = at;
}

static void book_list(struct trial *trial, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        slot_table_book(trial->engine->table, list->items[i]);
        add_point(trial, list->items[i]->until);
    }
}

static struct change *add_change(struct trial *trial, struct lease *lease)
{
    trial->changes = memory_grow(trial->changes, &trial->allocated, trial->n + 1,
                                 sizeof *trial->changes);
    memset(&trial->changes[trial->n], 0, sizeof *trial->changes);
    trial->changes[trial->n].lease = lease;
    return &trial->changes[trial->n++];
}

/* --- what can be moved -------------------------------------------------------------------------- */

static bool has_image_transfer(const struct engine *engine, const struct lease *lease)
{
    return engine->settings.preparation == PREPARATION_IMAGE_TRANSFER && lease->request.image;
}

/* Its last stretch is planned and nothing of it has begun. */
static bool waits(const struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    if (lease->request.kind != LEASE_DEADLINE || !last ||
        last->vm->state != RESERVATION_SCHEDULED)
        return false;
    for (size_t i = 0; i < last->before.n; i++)
        if (last->before.items[i]->state != RESERVATION_SCHEDULED)
            return false;
    return true;
}

/* It runs to its end as things stand, and could be suspended for a while. */
static bool runs(const struct engine *engine, const struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    return lease->request.kind == LEASE_DEADLINE && lease->state == LEASE_ACTIVE && last &&
           last->vm->state == RESERVATION_ACTIVE && may_be_suspended(engine, lease) &&
           lease->request.terms != TERMS_NON_PREEMPTABLE;
}

static int64_t last_end(const struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    return last->after.n ? last->after.items[last->after.n - 1]->until : last->vm->until;
}

static int64_t first_begin(const struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    return last->before.n ? last->before.items[0]->from : last->vm->from;
}

/* Seconds the lease still has to run when the last stretch is left out. */
static int64_t left_to_run(const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;
    int64_t left = remaining_span(lease);

    for (size_t i = 0; i + 1 < plan->n_vms; i++)
        if (plan->vms[i].vm->state != RESERVATION_DONE)
            left -= plan->vms[i].vm->until - plan->vms[i].vm->from;
    return left;
}

/* --- trying -------------------------------------------------------------------------------------- */

static void release_stretch(struct engine *engine, const struct vm_plan *stretch)
{
    for (size_t i = 0; i < stretch->before.n; i++)
        slot_table_release(engine->table, stretch->before.items[i]);
    slot_table_release(engine->table, stretch->vm);
    for (size_t i = 0; i < stretch->after.n; i++)
        slot_table_release(engine->table, stretch->after.items[i]);
}

static void take_out(struct trial *trial, struct lease *lease)
{
    add_change(trial, lease);
    release_stretch(trial->engine, lease_plan_current(lease));
}

/* Suspend a running lease so that it is off its hosts at `at`. */
static bool suspend_until(struct trial *trial, struct lease *lease, int64_t at)
{
    struct engine *engine = trial->engine;
    const struct vm_plan *current = lease_plan_current(lease);
    struct change *change;
    int64_t begins;

    if (at - current->vm->from < scheduling_threshold(engine, lease))
        return false;
    change = add_change(trial, lease);
    change->suspends = true;
    begins = suspend_windows(engine, lease, current->vm->placement, at, &change->windows);
    if (begins <= current->vm->from || begins < engine->now || begins >= current->vm->until)
        return false;
    release_stretch(engine, current);
    change->shortened = reservation_create(lease, RESERVATION_VM, current->vm->from, begins,
                                           placement_share(current->vm->placement));
    slot_table_book(engine->table, change->shortened);
    book_list(trial, &change->windows);
    return true;
}

/* Was it, or will it be, suspended before its next stretch? */
static bool resumes(const struct change *change)
{
    return change->suspends || change->lease->plan->n_vms > 1;
}

static int64_t change_remaining(const struct change *change)
{
    if (change->suspends)
        return remaining_span(change->lease) -
               (change->shortened->until - change->shortened->from);
    return left_to_run(change->lease);
}

/* Where its memory lies: resumptions of deadline leases stay on their hosts. */
static const struct placement *change_hosts(const struct change *change)
{
    const struct lease_plan *plan = change->lease->plan;

    if (change->suspends)
        return change->shortened->placement;
    return plan->n_vms > 1 ? plan->vms[plan->n_vms - 2].vm->placement : NULL;
}

/* When it can begin at the earliest. */
static int64_t change_base(const struct trial *trial, const struct change *change)
{
    const struct lease *lease = change->lease;
    int64_t base = trial->engine->now;

    if (lease->request.start != INSTANT_NONE && lease->request.start > base)
        base = lease->request.start;
    if (change->suspends && change->windows.items[change->windows.n - 1]->until > base)
        base = change->windows.items[change->windows.n - 1]->until;
    if (!change->suspends && lease->plan->n_vms > 1) {
        const struct reservation_list *after = &lease->plan->vms[lease->plan->n_vms - 2].after;

        if (after->n && after->items[after->n - 1]->until > base)
            base = after->items[after->n - 1]->until;
    }
    return base;
}

static bool place_change(struct trial *trial, struct change *change)
{
    struct engine *engine = trial->engine;
    struct lease *lease = change->lease;
    struct window_request request = {
        .lease = lease, .from = change_base(trial, change),
        .remaining = change_remaining(change), .resuming = resumes(change),
        .spare_others = true, .pinned = change_hosts(change),
        .more_points = trial->points, .n_more_points = trial->n_points,
    };

    request.latest = lease->request.deadline - request.remaining - shutdown_span(engine, lease);
    if (!place_within(engine, &request, &change->next))
        return false;
    change->placed = true;
    book_list(trial, &change->next.plan.before);
    slot_table_book(engine->table, change->next.plan.vm);
    book_list(trial, &change->next.plan.after);
    add_point(trial, change->next.plan.vm->until);
    return true;
}

/* How tight it is: time there is over time it needs, in 1/1000. */
static int64_t stretch_of(const struct engine *engine, const struct lease *lease,
                          int64_t remaining)
{
    int64_t room, scaled;

    /* A reservation has no choice and comes first. */
    if (lease->request.kind != LEASE_DEADLINE)
        return INT64_MIN;
    room = lease->request.deadline - engine->now;
    if (__builtin_mul_overflow(room, INT64_C(1000), &scaled))
        return INT64_MAX;
    return scaled / (remaining > 0 ? remaining : 1);
}

/* Small comes first. */
static int64_t urgency(const struct trial *trial, const struct lease *lease, int64_t remaining)
{
    if (trial->order == EARLIEST_DEADLINE_FIRST && lease->request.kind == LEASE_DEADLINE)
        return lease->request.deadline;
    return stretch_of(trial->engine, lease, remaining);
}

static void sort_by_urgency(struct trial *trial)
{
    for (size_t i = 1; i < trial->n; i++) {
        struct change moved = trial->changes[i];
        int64_t key = urgency(trial, moved.lease, change_remaining(&moved));
        size_t k = i;

        for (; k && urgency(trial, trial->changes[k - 1].lease,
                            change_remaining(&trial->changes[k - 1])) > key;
             k--)
            trial->changes[k] = trial->changes[k - 1];
        trial->changes[k] = moved;
    }
}

static bool place_changes(struct trial *trial)
{
    sort_by_urgency(trial);
    for (size_t i = 0; i < trial->n; i++)
        if (!trial->changes[i].placed && !place_change(trial, &trial->changes[i]))
            return false;
    return true;
}

/* --- what works is booked ------------------------------------------------------------------------ */

static void commit_suspension(struct engine *engine, struct change *change,
                              const struct lease *by)
{
    struct vm_plan *current = lease_plan_current(change->lease);
    int64_t at = change->windows.items[change->windows.n - 1]->until;

    reservation_list_withdraw(engine, &current->after);
    reservation_list_finish(&current->after);
    reservation_set_until(engine, current->vm, change->windows.items[0]->from);
    current->after = change->windows;
    change->windows = (struct reservation_list){0};
    for (size_t i = 0; i < current->after.n; i++)
        reservation_book(engine, current->after.items[i]);
    engine_output(engine, (struct engine_output){.kind = OUTPUT_PREEMPTED,
                                                 .lease = change->lease, .other = by->request.id,
                                                 .at = at,
                                                 .how = PREEMPTED_SUSPEND});
    change->lease->reason = (struct reason){
        .id = REASON_SUSPENDED_FOR, .n = {by->request.id, at}};
}

static void commit(struct trial *trial, const struct lease *by)
{
    for (size_t i = 0; i < trial->n; i++) {
        struct change *change = &trial->changes[i];

        if (change->suspends)
            commit_suspension(trial->engine, change, by);
        else
            stretch_withdraw(trial->engine, change->lease);
    }
    for (size_t i = 0; i < trial->n; i++) {
        struct change *change = &trial->changes[i];

        if (!change->suspends)
            change->lease->reason =
                (struct reason){.id = REASON_PLANNED, .n = {change->next.start}};
        proposal_take_over(trial->engine, change->lease, &change->next);
    }
}

/* A lease that room is looked for, beginning in [from, latest]. */
struct newcomer {
    struct lease *lease;
    int64_t from, latest;
};

/* --- making room ----------------------------------------------------------------------------------- */

static bool place_newcomer(struct trial *trial, const struct newcomer *newcomer,
                           struct proposal *proposal)
{
    struct window_request request = {
        .lease = newcomer->lease, .from = newcomer->from, .latest = newcomer->latest,
        .remaining = remaining_span(newcomer->lease),
        .spare_others = true, .more_points = trial->points, .n_more_points = trial->n_points,
    };

    if (!place_within(trial->engine, &request, proposal))
        return false;
    slot_table_book(trial->engine->table, proposal->plan.vm);
    book_list(trial, &proposal->plan.after);
    add_point(trial, proposal->plan.vm->until);
    return true;
}

/* Deadline leases whose time overlaps [from, until) and that can be moved or suspended, those with
 * the most slack first. */
static struct lease_list displaceable(struct engine *engine, int64_t from, int64_t until)
{
    struct lease_list list = {0};

    for (size_t i = 0; i < engine->leases.n; i++) {
        struct lease *lease = engine->leases.items[i];
        size_t place;

        if (!lease || has_image_transfer(engine, lease) ||
            !(waits(lease) || runs(engine, lease)) || first_begin(lease) >= until ||
            last_end(lease) <= from)
            continue;
        lease_list_append(&list, lease);
        for (place = list.n - 1;
             place && stretch_of(engine, list.items[place - 1],
                                 left_to_run(list.items[place - 1])) <
                          stretch_of(engine, lease, left_to_run(lease));
             place--)
            list.items[place] = list.items[place - 1];
        list.items[place] = lease;
    }
    return list;
}

/* Begin at `at`, with as many others displaced as that takes; all must still keep their deadlines. */
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

        if (waits(other))
            take_out(&trial, other);
        else if (!suspend_until(&trial, other, at)) {
            /* A change that was begun in vain is dropped. */
            if (trial.n && trial.changes[trial.n - 1].lease == other)
                change_finish(&trial.changes[--trial.n]);
            continue;
        }
        placed = place_newcomer(&trial, &newcomer, proposal);
    }
    kept = placed && place_changes(&trial);
    slot_table_undo(engine->table, trial.mark);
    if (kept)
        commit(&trial, lease);
    else if (placed)
        proposal_finish(proposal);
    trial_end(&trial);
    free(others.items);
    return kept;
}

/* All deadline leases that have not started, and the newcomer, the tightest first. */
static bool reshuffle(struct engine *engine, const struct newcomer *newcomer,
                      enum trial_order order, struct proposal *proposal)
{
    struct lease *lease = newcomer->lease;
    struct trial trial;
    bool placed = true, newcomer_placed = false;
    int64_t mine;

    trial_begin(&trial, engine);
    trial.order = order;
    mine = urgency(&trial, lease, remaining_span(lease));
    for (size_t i = 0; i < engine->leases.n; i++)
        if (engine->leases.items[i] && waits(engine->leases.items[i]) &&
            !has_image_transfer(engine, engine->leases.items[i]))
            take_out(&trial, engine->leases.items[i]);
    sort_by_urgency(&trial);
    for (size_t i = 0; i < trial.n && placed; i++) {
        struct change *change = &trial.changes[i];

        if (!newcomer_placed &&
            mine < urgency(&trial, change->lease, change_remaining(change)))
            placed = newcomer_placed = place_newcomer(&trial, newcomer, proposal);
        placed = placed && place_change(&trial, change);
    }
    if (placed && !newcomer_placed)
        placed = newcomer_placed = place_newcomer(&trial, newcomer, proposal);
    slot_table_undo(engine->table, trial.mark);
    if (placed)
        commit(&trial, lease);
    else if (newcomer_placed)
        proposal_finish(proposal);
    trial_end(&trial);
    return placed;
}

/* --- the way in ------------------------------------------------------------------------------------- */

/* When those that run now could all be off their hosts. */
static int64_t first_relief(struct engine *engine, int64_t from)
{
    int64_t longest = 0;

    for (size_t i = 0; i < engine->leases.n; i++) {
        struct lease *lease = engine->leases.items[i];

        if (lease && runs(engine, lease) && suspend_estimate(engine, lease) > longest)
            longest = suspend_estimate(engine, lease);
    }
    return engine->now + longest > from ? engine->now + longest : from;
}

static bool displace_somewhere(struct engine *engine, const struct newcomer *newcomer,
                               struct proposal *proposal)
{
    struct lease *lease = newcomer->lease;
    int64_t from = newcomer->from, latest = newcomer->latest;
    size_t i = reservation_index_after(&engine->by_end, from), tried = 1;
    int64_t at = from, relief = first_relief(engine, from);

    if (relief > from && relief <= latest && displace_for(engine, lease, relief, proposal))
        return true;
    for (;;) {
        if (displace_for(engine, lease, at, proposal))
            return true;
        while (i < engine->by_end.n && reservation_index_at(&engine->by_end, i)->time <= at)
            i++;
        if (i == engine->by_end.n || tried++ == STARTS_TRIED)
            return false;
        at = reservation_index_at(&engine->by_end, i)->time;
        if (at > latest)
            return false;
    }
}

static int64_t earliest_end(const struct engine *engine, const struct lease *lease, int64_t from)
{
    return instant_add(from, instant_add(remaining_span(lease), shutdown_span(engine, lease)));
}

/* Not before its start, and not before its image can be on every host. */
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

/* By moving others: tried from the mildest to the most far-reaching. */
static bool make_room(struct engine *engine, const struct newcomer *newcomer,
                      struct proposal *proposal)
{
    return displace_somewhere(engine, newcomer, proposal) ||
           reshuffle(engine, newcomer, TIGHTEST_FIRST, proposal) ||
           reshuffle(engine, newcomer, EARLIEST_DEADLINE_FIRST, proposal);
}

/* When it could be over if its deadline did not matter. */
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

bool place_deadline(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    int64_t from = first_start(engine, lease);
    int64_t end = earliest_end(engine, lease, from);
    int64_t deadline = lease->request.deadline;
    struct window_request request = {.lease = lease,
                                     .from = from,
                                     .latest = deadline - (end - from),
                                     .remaining = remaining_span(lease),
                                     .spare_others = true};
    struct newcomer newcomer = {lease, from, request.latest};

    memset(proposal, 0, sizeof *proposal);
    lease->reason =
        (struct reason){.id = REASON_DEADLINE_UNREACHABLE, .n = {deadline, end}};
    if (end > deadline)
        return false;
    if (place_within(engine, &request, proposal))
        return true;
    if (!has_image_transfer(engine, lease) &&
        make_room(engine, &newcomer, proposal))
        return true;
    /* Last: leases that the preemption policy gives up for it. */
    request.spare_others = false;
    if (place_within(engine, &request, proposal))
        return true;
    explain_refusal(engine, &request);
    return false;
}

bool place_by_moving_others(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct reason refusal = lease->reason;
    int64_t start = lease->request.start;
    struct newcomer newcomer = {lease, start, start};

    if (engine->settings.behaviour.lease_kinds_of_haizea_1_0 ||
        refusal.id != REASON_NO_ROOM_AT_START || !engine->unfinished[LEASE_DEADLINE] ||
        has_image_transfer(engine, lease) || lease->request.duration == SPAN_UNLIMITED)
        return false;
    if (displace_for(engine, lease, start, proposal) ||
        reshuffle(engine, &newcomer, TIGHTEST_FIRST, proposal))
        return true;
    lease->reason = refusal;
    return false;
}

void pull_deadlines_forward(struct engine *engine)
{
    for (size_t i = 0; engine->unfinished[LEASE_DEADLINE] && i < engine->leases.n; i++) {
        struct lease *lease = engine->leases.items[i];
        struct trial trial;
        bool earlier;

        if (!lease || !waits(lease) || has_image_transfer(engine, lease))
            continue;
        trial_begin(&trial, engine);
        take_out(&trial, lease);
        earlier = place_change(&trial, &trial.changes[0]) &&
                  trial.changes[0].next.start < first_begin(lease);
        slot_table_undo(engine->table, trial.mark);
        if (earlier)
            commit(&trial, lease);
        trial_end(&trial);
    }
}
