/* Deadline leases may be preempted by their terms as long as they keep their deadlines (Amini
 * Salehi et al.: wall time and deadline of such a lease are guaranteed, its hosts are not). Each of
 * them is placed again before anything is booked: later on the same hosts, on other hosts after a
 * transfer of its memory, or restarted. */
#include "core/resettle.h"

#include <stdlib.h>

#include "core/deadline_terms.h"
#include "core/engine_state.h"
#include "core/trial.h"

/* Books the hosts of other victims that run, or are planned to start before then, until `at` at
 * most. */
static void hold_until(struct trial *trial, struct lease *lease, int64_t at,
                       struct reservation_list *held)
{
    const struct vm_plan *current = lease_plan_current(lease);
    struct reservation *r;

    lease_release_booked(trial->engine, lease);
    if (current->vm->from >= at || at <= trial->engine->now)
        return;
    r = reservation_create(lease, RESERVATION_VM, vm_plan_start(current), at,
                           placement_share(current->vm->placement));
    reservation_list_append(held, r);
    slot_table_book(trial->engine->table, r);
}

static bool take_away(struct trial *trial, struct lease *lease, int64_t at)
{
    if (deadline_waits(lease)) {
        trial_take_out(trial, lease);
        return true;
    }
    if (lease->request.terms == TERMS_RESTARTABLE) {
        trial_restart(trial, lease);
        return true;
    }
    return trial_suspend(trial, lease, at);
}

bool resettle_has_work(const struct lease_list *victims)
{
    for (size_t i = 0; i < victims->n; i++)
        if (victims->items[i]->request.kind == LEASE_DEADLINE)
            return true;
    return false;
}

/* Drops a failed change. */
static bool take_away_or_drop(struct trial *trial, struct lease *lease, int64_t at)
{
    size_t n = trial->n;

    if (take_away(trial, lease, at))
        return true;
    while (trial->n > n)
        change_finish(&trial->changes[--trial->n]);
    return false;
}

/* Takes all victims off their hosts; appends those that cannot leave to late. */
static void take_all_away(struct trial *trial, const struct resettlement *wanted,
                          struct reservation_list *held, struct lease_list *late)
{
    for (size_t i = 0; i < wanted->victims->n; i++) {
        struct lease *victim = wanted->victims->items[i];

        if (victim->request.kind != LEASE_DEADLINE)
            hold_until(trial, victim, wanted->from, held);
        else if (!take_away_or_drop(trial, victim, wanted->from))
            lease_list_append(late, victim);
    }
}

static void place_each(struct trial *trial, struct lease_list *late)
{
    trial_sort(trial);
    for (size_t i = 0; i < trial->n; i++)
        if (!trial_place(trial, &trial->changes[i]))
            lease_list_append(late, trial->changes[i].lease);
}

/* Appends all deadline leases that would miss their deadlines to late. */
static void resettle(struct trial *trial, struct engine *engine, const struct resettlement *wanted,
                     struct lease_list *late)
{
    struct reservation_list held = {0};
    struct reservation *newcomer =
        reservation_create(wanted->lease, RESERVATION_VM, wanted->from, wanted->until,
                           placement_share(wanted->placement));

    trial_begin(trial, engine);
    take_all_away(trial, wanted, &held, late);
    slot_table_book(engine->table, newcomer);
    trial_add_point(trial, wanted->from);
    if (wanted->until != INSTANT_NEVER)
        trial_add_point(trial, wanted->until);
    place_each(trial, late);
    slot_table_undo(engine->table, trial->mark);
    reservation_list_destroy(&held);
    reservation_destroy(newcomer);
}

bool resettle_try(struct trial *trial, struct engine *engine, const struct resettlement *wanted)
{
    struct lease_list late = {0};
    bool kept;

    resettle(trial, engine, wanted, &late);
    kept = late.n == 0;
    free(late.items);
    return kept;
}

void resettle_find_late(struct engine *engine, const struct resettlement *wanted,
                        struct lease_list *late)
{
    struct reason reason = wanted->lease->reason;
    struct trial trial;

    resettle(&trial, engine, wanted, late);
    trial_end(&trial);
    wanted->lease->reason = reason;
}
