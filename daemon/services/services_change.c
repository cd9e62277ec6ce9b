/* Changing, holding and releasing leases: the planner tries a change, and only a change that holds
 * is written. A refusal includes the nearest alternative, which the planner has tried too. */
#include <errno.h>
#include <stdio.h>

#include "core/reason_details.h"
#include "daemon/base/clock.h"
#include "daemon/live/intake.h"
#include "daemon/services/services_question.h"
#include "daemon/state/lease_change.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/instant.h"

enum {
    ASKED_MOST = 60,                 /* questions to the planner per request */
    LOOKS_AHEAD = 30 * 24 * 3600,    /* seconds: how far ahead a later start is searched for */
    LONGEST_TRIED = 366 * 24 * 3600, /* seconds: the longest duration searched for */
};

static int ask(struct daemon *daemon, const struct change_search *search,
               const struct lease_record *changed, struct error *err)
{
    const struct changed_lease asked = {changed, search->cpu, search->memory};
    struct services_question *question;

    if (search->asked >= ASKED_MOST)
        return error_set(err, EAGAIN, "the planner is busy; try again in a moment");
    question = services_put_off(daemon->question);
    question->search = *search;
    question->search.asked++;
    return services_later(
        question,
        planner_try_change(daemon->planner, &asked, clock_now(), services_judged, question, err),
        err);
}

/* Asks the planner after the templates of VMs on hold have been read. */
static int ask_with_templates(struct daemon *daemon, const struct change_search *search,
                              const struct lease_record *changed, struct error *err)
{
    struct asked_hosts asked = {.has_lease = true, .lease = changed->id};

    return services_await_templates(daemon, &asked, err) < 0 ? -1
                                                             : ask(daemon, search, changed, err);
}

/* --- a change that holds ---------------------------------------------------------------------- */

static int apply(struct daemon *daemon, const struct lease_record *changed, const char *who,
                 const struct lease_trial *trial, struct error *err)
{
    const struct planner_change *change = daemon->question->change;
    const struct lease_record *lease = store_lease(daemon->store, changed->id);
    char text[STORE_TEXT_MAX];

    snprintf(text, sizeof text, "%.220s, by %.90s", trial->text, who);
    if (lease_take_change(daemon->store, lease, changed, clock_now(), text) < 0)
        return error_set(err, EAGAIN, "lease %lld is %s now", (long long)lease->id,
                         phase_name(lease->phase));
    for (size_t i = 0; i < change->n_places; i++) {
        const struct vm_record *vm = store_vm(daemon->store, change->places[i].vm);

        if (vm && vm->lease == lease->id && !vm->gone)
            vm_place(daemon->store, vm, change->places[i].host);
    }
    daemon_replan(daemon, "lease %lld was changed by %s", (long long)lease->id, who);
    daemon_wake(daemon);
    return services_commit(daemon, err);
}

static int release(struct daemon *daemon, const struct lease_record *lease, const char *who,
                   struct error *err)
{
    if (lease_apply(daemon->store, lease, EVENT_RELEASE, clock_now(), "by %s", who) < 0)
        return error_set(err, EAGAIN, "lease %lld is %s now", (long long)lease->id,
                         phase_name(lease->phase));
    lease_explain(daemon->store, lease, &(struct reason){.id = REASON_RELEASED}, NULL,
                  INSTANT_NONE);
    daemon_wake(daemon);
    return services_commit(daemon, err);
}

/* Are all VMs of the lease in that state? For VM_HOLD, VMs that galernad is about to hold count. */
static int check_vms(const struct daemon *daemon, const struct lease_record *lease,
                     enum vm_state state, struct error *err)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(daemon->world, vms[i]->id);
        bool waits = state == VM_HOLD && observed && observed->state == VM_PENDING;

        if (!vms[i]->gone && waits && vms[i]->goal != GOAL_PARK)
            return error_set(err, EALREADY, "lease %lld is already being released",
                             (long long)lease->id);
        if (!vms[i]->gone && (!observed || observed->state != state) &&
            !(state == VM_HOLD && vms[i]->goal == GOAL_PARK))
            return error_set(err, EALREADY,
                             "VM %d of lease %lld is %s: only VMs that have not started yet can be "
                             "held and released",
                             vms[i]->id, (long long)lease->id,
                             observed ? observed->state_name : "unknown");
    }
    return 0;
}

int services_hold(void *context, int64_t id, const char *who, struct error *err)
{
    struct daemon *daemon = context;
    const struct lease_record *lease = store_lease(daemon->store, id);

    if (services_check_store(daemon, err) < 0)
        return -1;
    if (!lease_can(lease, EVENT_HOLD))
        return error_set(err, EALREADY,
                         "lease %lld is %s: only waiting and reserved leases can be held",
                         (long long)id, phase_name(lease->phase));
    if (daemon->live->submit_on_hold)
        return error_set(err, EALREADY,
                         "leases cannot be held: submit-on-hold "
                         "is set, so VMs on hold are scheduled");
    if (check_vms(daemon, lease, VM_PENDING, err) < 0)
        return -1;
    lease_explain(daemon->store, lease, &(struct reason){.id = REASON_ON_HOLD}, NULL, INSTANT_NONE);
    lease_apply(daemon->store, lease, EVENT_HOLD, clock_now(), "by %s", who);
    daemon_replan(daemon, "lease %lld was put on hold", (long long)id);
    daemon_wake(daemon);
    return services_commit(daemon, err);
}

/* --- alternatives to one that does not -------------------------------------------------------- */

/* Tries the duration in the middle; 0: the longest is known. */
static int try_longest(struct daemon *daemon, const struct lease_record *changed,
                       struct change_search *search, struct error *err)
{
    struct lease_record longer = *changed;

    if (search->fails - search->fits <= 1)
        return 0;
    search->stage = CHANGE_LONGEST;
    search->tried = search->fits + (search->fails - search->fits) / 2;
    longer.duration = search->tried;
    return ask(daemon, search, &longer, err);
}

static int first_alternative(struct daemon *daemon, const struct lease_record *lease,
                             const struct lease_record *changed, struct change_search *search,
                             struct error *err)
{
    struct lease_record later = *changed;

    if (changed->duration > lease->duration && changed->start == lease->start &&
        changed->earliest == lease->earliest) {
        search->fits = lease->duration;
        search->fails = changed->duration < LONGEST_TRIED ? changed->duration : LONGEST_TRIED;
        return try_longest(daemon, changed, search, err);
    }
    if (changed->kind != LEASE_RESERVATION || changed->duration == SPAN_UNLIMITED)
        return 0;
    search->stage = CHANGE_NEXT_START;
    later.kind = LEASE_DEADLINE;
    later.earliest = later.start;
    later.deadline = later.start + changed->duration + LOOKS_AHEAD;
    return ask(daemon, search, &later, err);
}

/* The engine begins an operation some seconds before the promised start. */
static int check_start(struct daemon *daemon, const struct lease_record *changed,
                       struct change_search *search, struct error *err)
{
    const struct planner_change *change = daemon->question->change;
    struct lease_record later = *changed;

    if (!change->accepted || change->start == INSTANT_NONE)
        return 0;
    search->stage = CHANGE_CHECK;
    later.start = change->start + daemon->live->boot_time;
    search->judged.start = later.start;
    return ask(daemon, search, &later, err);
}

/* 0: the search is finished, with the alternative in search->judged. -1: as services_change(). */
static int next_alternative(struct daemon *daemon, const struct lease_record *lease,
                            const struct lease_record *changed, struct change_search *search,
                            struct error *err)
{
    const struct planner_change *change = daemon->question->change;
    struct lease_trial *refusal = &search->judged;

    switch (search->stage) {
    case CHANGE_WANTED:
        *refusal = (struct lease_trial){
            .in_the_way = change->in_the_way, .start = INSTANT_NONE, .duration = SPAN_NONE};
        if (change->in_the_way < 0)
            refusal->reason = change->reason;
        snprintf(refusal->word, sizeof refusal->word, "%s",
                 services_why(daemon, change, refusal->text, sizeof refusal->text));
        return first_alternative(daemon, lease, changed, search, err);
    case CHANGE_LONGEST:
        if (change->accepted)
            search->fits = refusal->duration = search->tried;
        else
            search->fails = search->tried;
        return try_longest(daemon, changed, search, err);
    case CHANGE_NEXT_START:
        return check_start(daemon, changed, search, err);
    default:
        if (!change->accepted)
            refusal->start = INSTANT_NONE;
        return 0;
    }
}

const char *services_why(const struct daemon *daemon, const struct planner_change *change,
                         char *text, size_t size)
{
    const struct lease_record *other =
        change->in_the_way < 0 ? NULL : store_lease(daemon->store, change->in_the_way);

    text[0] = '\0';
    if (other)
        planner_unplaced_text(other, text, size);
    if (change->in_the_way >= 0)
        return "in-the-way";
    store_told_text(&change->reason, !change->accepted, text, size);
    return change->reason.word;
}

/* Makes the changed lease. */
static int make_changed(const struct daemon *daemon, const struct lease_record *lease,
                        const struct lease_change *change, struct lease_record *changed,
                        struct error *err)
{
    int64_t now = clock_now();
    struct lease_change wanted = *change;
    enum verdict verdict;
    char rule[LEASE_SPEC_TEXT_MAX], text[STORE_SENTENCE_MAX];

    if (change->releases) {
        if (lease_release_make(lease, now, changed, err) < 0)
            return -1;
        return check_vms(daemon, lease, VM_HOLD, err);
    }
    /* Once the VMs have their new size, nothing else may have to change. */
    if (daemon->question->search.stage != CHANGE_RESIZED &&
        !services_resizes(daemon, lease, change))
        wanted.cpu = wanted.memory = 0;
    if (lease_change_make(lease, &wanted, now, changed, err) < 0)
        return -1;
    verdict = intake_judge_change(
        daemon, &(struct changed_lease){changed, wanted.cpu, wanted.memory}, now, rule);
    /* The planner's answer comes after its decision about the user's other requests. */
    if (verdict == VERDICT_NO || (verdict == VERDICT_LATER &&
                                  (daemon->question->is_answered || lease->phase == PHASE_PARKED)))
        return error_set(err, ENOSPC, "refused: %s",
                         details_text(rule, text, sizeof text, lease_time_text));
    return 0;
}

/* The answer for a parked lease, which has no place in the plan: it is judged when released. A
 * lease without a promised time is always released, and waits. */
static const struct planner_change *change_of_parked(const struct lease_record *lease,
                                                     const struct lease_change *change)
{
    static const struct planner_change accepted = {
        .accepted = true, .start = INSTANT_NONE, .in_the_way = -1};

    return lease->phase == PHASE_PARKED && (!change->releases || lease->kind == LEASE_BEST_EFFORT)
               ? &accepted
               : NULL;
}

/* Describes a change that holds. */
static void describe(const struct daemon *daemon, const struct lease_record *lease,
                     const struct lease_record *changed, const struct lease_change *change,
                     struct lease_trial *trial)
{
    char size[STORE_TEXT_MAX], text[STORE_TEXT_MAX];

    *trial = (struct lease_trial){
        .accepted = true, .in_the_way = -1, .start = INSTANT_NONE, .duration = SPAN_NONE};
    services_resize_text(daemon, lease, change, size, sizeof size);
    lease_change_text(lease, changed, clock_now(), text, sizeof text);
    if (change->releases)
        snprintf(trial->text, sizeof trial->text, "its VMs are released");
    else
        snprintf(trial->text, sizeof trial->text, "%.100s%s%.210s", size,
                 *size && *text && *text != ';' ? ", " : "", text);
    trial->victims = daemon->question->change->victims;
}

/* Applies a change that holds. */
static int carry_out(struct daemon *daemon, const struct change_order *order,
                     const struct lease_record *changed, struct lease_trial *trial,
                     struct error *err)
{
    const struct lease_record *lease = store_lease(daemon->store, order->lease);

    if (order->change->releases)
        return release(daemon, lease, order->who, err);
    return services_resizes(daemon, lease, order->change)
               ? services_resize(daemon, lease, order->change, trial, err)
               : apply(daemon, changed, order->who, trial, err);
}

/* Runs from its beginning after each answer of the planner; question->search has the stage:
 *
 *     WANTED                    the planner tries the change
 *       it holds                it is written; if VMs change size, at RESIZED
 *       it fails, is longer     LONGEST: binary search for the longest duration
 *       it fails, reservation   NEXT_START: search for a later start; CHECK: try that start
 *     RESIZED                   the VMs have the new size: the change is written
 *
 * search.judged keeps a refusal until its alternative is known. WANTED is repeated if another plan
 * has been made since the question was sent. */
int services_change(void *context, const struct change_order *order, struct lease_trial *trial,
                    struct error *err)
{
    struct daemon *daemon = context;
    const struct lease_change *change = order->change;
    const struct lease_record *lease = store_lease(daemon->store, order->lease);
    const struct planner_change *unplanned = change_of_parked(lease, change);
    struct change_search search = daemon->question->search;
    struct lease_record changed;

    search.cpu = change->cpu;
    search.memory = change->memory;
    if (services_check_store(daemon, err) < 0)
        return -1;
    if (make_changed(daemon, lease, change, &changed, err) < 0)
        return -1;
    if (unplanned)
        daemon->question->change = unplanned;
    else if (!daemon->question->is_answered ||
             (search.stage == CHANGE_WANTED && !daemon->question->err.code &&
              services_is_outdated(daemon->question)))
        return ask_with_templates(daemon, &search, &changed, err);
    if (daemon->question->err.code) {
        *err = daemon->question->err;
        return -1;
    }
    if (search.stage == CHANGE_RESIZED) {
        *trial = search.judged;
        return apply(daemon, &changed, order->who, trial, err);
    }
    if (search.stage != CHANGE_WANTED || !daemon->question->change->accepted) {
        int result = next_alternative(daemon, lease, &changed, &search, err);

        *trial = search.judged;
        return result;
    }
    describe(daemon, lease, &changed, change, trial);
    return order->dry_run ? 0 : carry_out(daemon, order, &changed, trial, err);
}
