/* Answers whether the change of a lease would hold: plans with the changed lease on a temporary
 * engine, in which all promises keep their places. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_change.h"
#include "daemon/state/lease_state.h"
#include "util/memory.h"

struct change_trial {
    int64_t lease;
    struct map planned; /* of the trial */
    struct hosts_seen *hosts;
    planner_judged *changed;
};

static void change_trial_destroy(struct change_trial *trial)
{
    planned_drop_all(&trial->planned);
    map_finish(&trial->planned);
    hosts_release(trial->hosts);
    free(trial);
}

/* --- before the answer ------------------------------------------------------------------------ */

/* A lease that has not begun is tried like a new request, after all promises. */
static bool is_like_new(const struct planner *planner, const struct lease_record *lease)
{
    return !lease_has_begun(lease) && !lease_is_suspended_by_us(planner->store, lease) &&
           lease->kind != LEASE_IMMEDIATE;
}

/* Is the lease in the trial? If not, a note may give the reason. */
static int check_facts(const struct facts *facts, int64_t lease, struct error *err)
{
    const struct planned *planned = planned_of(facts->planned, lease);
    char text[STORE_TEXT_MAX] = "its hosts are currently unknown; try again in a moment";
    bool is_refused = false;

    if (planned && planned->in_engine)
        return 0;
    for (size_t i = 0; i < facts->n_notes; i++) {
        struct reason reason = facts->notes[i].reason;

        reason.text = facts->notes[i].text;
        if (facts->notes[i].lease == lease &&
            (facts->notes[i].kind == NOTE_REASON || facts->notes[i].kind == NOTE_REFUSED)) {
            reason_format_body(&reason, text, sizeof text, lease_time_text);
            is_refused = facts->notes[i].kind == NOTE_REFUSED;
        }
    }
    if (is_refused)
        return error_set(err, ENOSPC, "refused: %s", text);
    return error_set(err, EAGAIN, "lease %lld cannot be planned: %s", (long long)lease, text);
}

/* A question about a lease. */
struct change_question {
    planner_judged *changed;
    void *context;
    bool is_traced;
};

static int ask(struct planner *planner, const struct changed_lease *asked, int64_t now,
               const struct change_question *question, struct error *err)
{
    struct change_trial *change = memory_new(1, sizeof *change);
    struct asked_facts trial;
    int result =
        asked_facts_gather(&trial, planner, (struct supposition){.changed = asked}, now, err);

    *change = (struct change_trial){.lease = asked->lease->id, .changed = question->changed};
    map_init(&change->planned, sizeof(struct planned *));
    if (result == 0)
        result = check_facts(&trial.facts, asked->lease->id, err);
    if (result == 0) {
        change->hosts = hosts_retain(trial.snapshot.hosts);
        change->planned = trial.planned;
        map_init(&trial.planned, sizeof(struct planned *));
        result =
            asked_facts_send(&trial, planner,
                             &(struct waiting){.kind = FRAME_TRIED,
                                               .change = change,
                                               .context = question->context,
                                               .is_traced = question->is_traced,
                                               .n_hosts = (uint32_t)trial.snapshot.hosts->pool.n},
                             err);
    }
    asked_facts_finish(&trial);
    if (result < 0)
        change_trial_destroy(change);
    return result;
}

static void make_like_new(struct lease_record *lease)
{
    lease->phase = PHASE_WAITING;
    lease->accepted = false;
}

int planner_try_change(struct planner *planner, const struct changed_lease *asked, int64_t now,
                       planner_judged *changed, void *context, struct error *err)
{
    struct lease_record lease = *asked->lease;

    if (is_like_new(planner, asked->lease))
        make_like_new(&lease);
    return ask(planner, &(struct changed_lease){&lease, asked->cpu, asked->memory}, now,
               &(struct change_question){.changed = changed, .context = context}, err);
}

int planner_trace(struct planner *planner, const struct lease_record *lease, int64_t now,
                  planner_judged *traced, void *context, struct error *err)
{
    struct lease_record asked = *lease;

    if (!store_is_queued(lease))
        return error_set(err, EALREADY,
                         "lease %lld is %s: its start has already been decided; see its history",
                         (long long)lease->id, phase_name(lease->phase));
    if (lease->phase == PHASE_RESERVED)
        make_like_new(&asked);
    return ask(planner, &(struct changed_lease){.lease = &asked}, now,
               &(struct change_question){.changed = traced, .context = context, .is_traced = true},
               err);
}

/* --- the answer ------------------------------------------------------------------------------- */

static void refuse(struct planner_change *change, const struct reason *reason)
{
    change->accepted = false;
    store_tell_reason(&change->reason, reason);
}

bool planner_loses_promise(const struct lease_record *lease)
{
    bool has_place = !lease->reason_word[0] || lease->reason_id == REASON_PLANNED ||
                     lease->reason_id == REASON_NO_ROOM_YET;

    return lease->phase == PHASE_RESERVED && has_place;
}

struct reason planner_unplaced_reason(const struct lease_record *lease)
{
    bool ends = lease->kind != LEASE_RESERVATION;

    return (struct reason){.id = REASON_IN_THE_WAY,
                           .n = {lease->id, ends ? lease->deadline : lease->start, ends}};
}

void planner_unplaced_text(const struct lease_record *lease, char *text, size_t size)
{
    const struct reason reason = planner_unplaced_reason(lease);

    reason_format(&reason, text, size, lease_time_text);
}

static void is_in_the_way(struct planner_change *change, const struct lease_record *lease)
{
    change->accepted = false;
    change->in_the_way = lease->id;
}

static void judge_exceptions(const struct planner *planner, const struct plan_reply *reply,
                             int64_t id, struct planner_change *change)
{
    for (size_t i = 0; i < reply->n_exceptions && change->accepted; i++) {
        const struct plan_exception *exception = &reply->exceptions[i];
        const struct lease_record *lease = store_lease(planner->store, exception->lease);

        if (exception->lease == id)
            refuse(change, &exception->reason);
        else if (lease && planner_loses_promise(lease))
            is_in_the_way(change, lease);
    }
}

/* A reservation that would be converted to a best-effort lease is refused too. */
static void judge_outputs(const struct plan_reply *reply, int64_t id, struct planner_change *change)
{
    for (size_t i = 0; i < reply->n_outputs && change->accepted; i++) {
        const struct plan_output *output = &reply->outputs[i];

        if (output->lease == id &&
            (output->kind == OUTPUT_CONVERTED ||
             (output->kind == OUTPUT_FINISHED && output->state == LEASE_REJECTED)))
            refuse(change, &output->reason);
    }
}

/* The planned hosts of the lease's VMs; to be freed. */
static struct changed_place *places_of(const struct change_trial *trial,
                                       const struct plan_reservation *stretch)
{
    const struct planned *planned = planned_of(&trial->planned, trial->lease);
    struct changed_place *places = memory_new(stretch->n_vms, sizeof *places);

    for (size_t i = 0; i < stretch->n_vms; i++) {
        uint32_t number = stretch->vms[i].vm;

        places[i].vm = planned && number < planned->n_vms ? planned->vms[number] : -1;
        places[i].host = trial->hosts->pool.items[stretch->vms[i].host].id;
    }
    return places;
}

void planner_take_change(struct planner *planner, const struct waiting *waiting,
                         const struct plan_reply *reply)
{
    struct change_trial *trial = waiting->change;
    struct planner_change change = {.accepted = true,
                                    .start = INSTANT_NONE,
                                    .in_the_way = -1,
                                    .trace = reply->trace,
                                    .hosts = &trial->hosts->pool};
    struct changed_place *places = NULL;
    struct error err = {0};

    judge_exceptions(planner, reply, trial->lease, &change);
    judge_outputs(reply, trial->lease, &change);
    if (change.accepted)
        change.victims = question_victims(planner, reply, trial->lease);
    for (size_t i = 0; i < reply->n_views && change.accepted && !places; i++) {
        const struct lease_view *view = &reply->views[i];

        if (view->lease != trial->lease)
            continue;
        change.start = view->start;
        store_tell_reason(&change.reason, &view->reason);
        if (!view->stretch.there)
            continue;
        change.places = places = places_of(trial, &view->stretch);
        change.n_places = view->stretch.n_vms;
    }
    if (reply->error[0])
        error_set(&err, EIO, "%s", reply->error);
    trial->changed(waiting->context, reply->error[0] ? NULL : &change, &err);
    free(places);
    change_trial_destroy(trial);
}

void planner_drop_change(const struct waiting *waiting, const struct error *err)
{
    waiting->change->changed(waiting->context, NULL, err);
    change_trial_destroy(waiting->change);
}
