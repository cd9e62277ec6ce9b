/* Reviews the leases after a plan: drops preemptions that no longer apply, reports reservations at
 * risk, applies the notes made while gathering facts, and rounds the starts that are shown. */
#include "core/reason_details.h"
#include "daemon/base/log.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/awake.h"

#define LOG_SUBSYSTEM LOG_OF_PLANNER

enum {
    GRAIN_SOON = 600,  /* seconds: starts further ahead are shown in minutes, */
    GRAIN_FAR = 86400, /* and further ahead than this in ten minutes */
    TOLERANCE = 20,    /* an estimate stays if it differs by less than a 20th of the wait */
    TOLERANCE_MIN = 5, /* or by at most this many seconds */
};

/* Does the lease, whose preemption the plan did not repeat, keep its hosts indefinitely again? */
static bool is_kept(const struct planner *planner, const struct lease_record *lease,
                    const struct planned *planned, int64_t now)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    if (!store_moves_away(lease))
        return lease_leaves_at(planner->store, lease, now) == INSTANT_NONE;
    for (size_t i = 0; i < n; i++)
        if (vm_moves(vms[i]))
            return false;
    return planned->in_engine;
}

void planner_drop_preemptions(struct planner *planner, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct planned *planned = planned_of(&planner->planned, leases[i]->id);

        if (planned && !planned->is_preempted && store_is_preempted(leases[i]) &&
            leases[i]->phase == PHASE_RUNNING && is_kept(planner, leases[i], planned, now)) {
            lease_keeps_hosts(planner->store, leases[i], now);
            planner->outdated = true; /* the suspension may be in the engine's plan */
        }
    }
}

static bool is_at_risk(const struct lease_record *lease)
{
    return lease->phase == PHASE_RESERVED && lease->kind == LEASE_RESERVATION &&
           lease->reason_word[0] && lease->reason_id != REASON_PLANNED;
}

void planner_recall_risks(const struct planner *planner)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++)
        if (is_at_risk(leases[i]))
            lease_note_at_risk(planner->store, leases[i], true);
}

/* Reports a reservation without a place in the plan before it is late. */
static void note_risk(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    bool at_risk = is_at_risk(lease);
    char text[STORE_TEXT_MAX], when[64];

    if (lease->phase != PHASE_RESERVED || lease->kind != LEASE_RESERVATION ||
        at_risk == lease->at_risk)
        return;
    lease_note_at_risk(planner->store, lease, at_risk);
    lease_time_text(lease->start, when, sizeof when);
    store_reason_sentence(lease, true, text, sizeof text);
    if (at_risk) {
        planner->outdated = true; /* leases that make room for the reservation keep their hosts */
        log_warning_of(lease->id, -1, "lease %lld cannot start at %s at present: %s",
                       (long long)lease->id, when, text);
        store_history(planner->store, lease->id, now, "at-risk",
                      "cannot start at %s at present: %s", when, text);
    } else {
        store_history(planner->store, lease->id, now, "planned-again", "starts at %s", when);
    }
}

void planner_note_risks(struct planner *planner, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(planner->store, &n);

    for (size_t i = 0; i < n; i++)
        note_risk(planner, leases[i], now);
}

static void take_note(struct planner *planner, const struct note *note, int64_t now)
{
    const struct lease_record *lease = store_lease(planner->store, note->lease);
    struct reason reason = note->reason;
    char text[STORE_SENTENCE_MAX];

    if (!lease)
        return;
    reason.text = note->text;
    switch (note->kind) {
    case NOTE_REASON:
        if (!lease_explain(planner->store, lease, &reason, NULL, note->retry))
            break;
        lease_expect(planner->store, lease, INSTANT_NONE, lease->contract);
        if (reason.id == REASON_REQUIREMENT_MALFORMED)
            log_warning_of(lease->id, -1, "lease %lld is not placed: %s", (long long)lease->id,
                           details_text(note->text, text, sizeof text, lease_time_text));
        break;
    case NOTE_DOUBTED:
        planner_doubts(planner, lease, &reason);
        break;
    case NOTE_STAYS:
        lease_explain(planner->store, lease, &reason, NULL, note->retry);
        break;
    case NOTE_ESTIMATE:
        planner_estimate(planner, lease, note->retry, now);
        break;
    case NOTE_RANK: /* otherwise the owner would not notice the unintended host */
        if (lease->rank_ignored)
            break;
        lease_note_rank_ignored(planner->store, lease);
        store_history(planner->store, lease->id, now, "rank-ignored", "%s", note->text);
        break;
    default:
        lease_refuse(planner->store, lease, now, &reason, NULL);
        break;
    }
}

void planner_take_notes(struct planner *planner, const struct facts *facts)
{
    for (size_t i = 0; i < facts->n_notes; i++)
        take_note(planner, &facts->notes[i], facts->now);
    if (facts->retry < planner->retry)
        planner->retry = facts->retry;
}

/* --- estimated starts ------------------------------------------------------------------------- */

static int64_t rounded(int64_t at, int64_t now)
{
    int64_t grain = at - now < GRAIN_SOON ? 1 : at - now < GRAIN_FAR ? 60 : 600;

    return (at + grain - 1) / grain * grain;
}

static bool is_the_same(int64_t told, int64_t at, int64_t now)
{
    int64_t off = told > at ? told - at : at - told, tolerance = (at - now) / TOLERANCE;

    return told > now && off <= (tolerance > TOLERANCE_MIN ? tolerance : TOLERANCE_MIN);
}

bool planner_estimate(struct planner *planner, const struct lease_record *lease, int64_t at,
                      int64_t now)
{
    bool told = instant_is_set(lease->expected);

    if (instant_is_set(at)) {
        if (told && !lease->contract && is_the_same(lease->expected, at, now))
            return false;
        at = rounded(at, now);
    }
    return lease_expect(planner->store, lease, at, false);
}
