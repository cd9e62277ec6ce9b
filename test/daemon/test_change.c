/* A change of a lease is accepted as a whole, and breaks no promise, or changes nothing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/lease_change.h"
#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"

static const struct lease_change nothing = {
    .duration = SPAN_NONE, .start = INSTANT_NONE, .deadline = INSTANT_NONE};

/* The answer with its places. */
struct verdict {
    struct planner_change change;
    struct changed_place places[1];
};

static void judged(void *context, const struct planner_change *change, const struct error *err)
{
    struct verdict *kept = context;

    if (!change) {
        fail_msg("%s", err->text);
        return;
    }
    kept->change = *change;
    kept->change.places = kept->places;
    assert_in_range(change->n_places, 0, 1);
    if (change->n_places)
        kept->places[0] = change->places[0];
}

static struct planner_change try_asked(struct house *house, struct changed_lease asked)
{
    static struct verdict verdict;
    struct error err = {0};

    if (planner_try_change(house->planner, &asked, NOW, judged, &verdict, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(house->planner);
    return verdict.change;
}

static struct planner_change try_change(struct house *house, const struct lease_record *changed)
{
    return try_asked(house, (struct changed_lease){.lease = changed});
}

static struct lease_record *add_reservation(struct store *store, int64_t id, int64_t start,
                                            int64_t duration)
{
    struct lease_record *lease = add_lease(store, id, PHASE_RESERVED, LEASE_RESERVATION, duration);

    lease->terms = TERMS_NON_PREEMPTABLE;
    lease->preemptible = false;
    lease->start = lease->expected = start;
    return lease;
}

/* Running since then. */
static struct lease_record *add_running(struct store *store, int64_t id, int64_t since,
                                        int64_t duration)
{
    struct lease_record *lease = add_reservation(store, id, since, duration);

    lease->phase = PHASE_RUNNING;
    lease->since = since;
    lease->end = since + duration;
    vm_to_change(store, (int32_t)id)->goal = GOAL_RUN;
    return lease;
}

static struct lease_record longer(const struct lease_record *lease, int64_t by)
{
    struct lease_change change = nothing;
    struct lease_record changed;
    struct error err = {0};

    change.duration = lease->duration + by;
    if (lease_change_make(lease, &change, NOW, &changed, &err) < 0)
        fail_msg("%s", err.text);
    return changed;
}

static void a_running_lease_is_extended_up_to_a_promise(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running = add_running(store, 1, NOW - 100, 600), changed;
    struct planner_change verdict;
    struct house house;
    char text[STORE_TEXT_MAX];

    add_reservation(store, 2, NOW + 1000, 300);
    open_house(&house, store, 1);
    rebuild(&house, NOW);
    changed = longer(running, 500);
    assert_true(try_change(&house, &changed).accepted);
    changed = longer(running, 501);
    verdict = try_change(&house, &changed);
    assert_false(verdict.accepted);
    assert_int_equal(verdict.in_the_way, 2);
    planner_unplaced_text(store_lease(store, 2), text, sizeof text);
    assert_non_null(strstr(text, "lease 2, which is promised to start at"));
    close_house(&house);
}

static void a_booking_that_does_not_exist_is_refused(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record changed = *add_reservation(store, 1, NOW + 1000, 300);
    struct error err = {0};
    struct house house;

    open_house(&house, store, 1);
    rebuild(&house, NOW);
    snprintf(changed.booking, sizeof changed.booking, "curse");
    assert_int_equal(planner_try_change(house.planner, &(struct changed_lease){.lease = &changed},
                                        NOW, judged, NULL, &err),
                     -1);
    assert_string_equal(err.text, "refused: booking 'curse' does not exist or has ended");
    close_house(&house);
}

/* On one host of 4 processors. */
static void a_lease_grows_up_to_a_promise(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running = add_running(store, 1, NOW - 100, 600), *reserved;
    struct planner_change verdict;
    struct house house;

    vm_to_change(store, 1)->cpu = 100;
    reserved = add_reservation(store, 2, NOW + 200, 300);
    vm_to_change(store, 2)->cpu = 200;
    open_house(&house, store, 1);
    rebuild(&house, NOW);
    assert_true(try_asked(&house, (struct changed_lease){running, .cpu = 200}).accepted);
    assert_false(try_asked(&house, (struct changed_lease){running, .cpu = 201}).accepted);
    assert_true(try_asked(&house, (struct changed_lease){reserved, .cpu = 300}).accepted);
    verdict = try_asked(&house, (struct changed_lease){reserved, .cpu = 301});
    assert_false(verdict.accepted);
    assert_int_not_equal(verdict.reason.id, REASON_NONE);
    close_house(&house);
}

/* Both on one host: the lease itself is not in its own way. */
static void a_reservation_is_shifted_over_its_own_time(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_reservation(store, 1, NOW + 1000, 600), changed;
    struct planner_change verdict;
    struct house house;

    add_reservation(store, 2, NOW + 2000, 300);
    open_house(&house, store, 1);
    rebuild(&house, NOW);
    changed = *lease;
    changed.start = NOW + 1400;
    verdict = try_change(&house, &changed);
    assert_true(verdict.accepted);
    assert_int_equal(verdict.start, NOW + 1400);
    assert_int_equal(verdict.n_places, 1);
    changed.start = NOW + 1401;
    verdict = try_change(&house, &changed);
    assert_false(verdict.accepted);
    assert_int_equal(verdict.reason.id, REASON_NO_ROOM_AT_START);
    assert_int_equal(verdict.reason.n[1], NOW + 1401);
    close_house(&house);
}

static void any_victim(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] = 1;
}

/* As for a new request, who is preemptible makes room. */
static void a_change_tells_who_makes_room(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *lease = add_reservation(store, 1, NOW + 3000, 600);
    struct lease_record *victim = add_running(store, 2, NOW - 100, 2000), changed = *lease;
    struct planner_change verdict;
    struct house house;

    victim->kind = LEASE_BEST_EFFORT;
    victim->start = INSTANT_NONE;
    victim->terms = TERMS_SUSPENDABLE;
    victim->preemptible = true;
    open_house(&house, store, 1);
    house.scene.policies = (struct policy_hooks){.score_victims = any_victim};
    rebuild(&house, NOW);
    changed.start = NOW + 1000;
    verdict = try_change(&house, &changed);
    assert_true(verdict.accepted);
    assert_int_equal(verdict.victims.n, 1);
    assert_int_equal(verdict.victims.shown[0].lease, 2);
    assert_int_equal(verdict.victims.shown[0].fate, VICTIM_SUSPENDED);
    assert_int_equal(victim->preempted_at, 0);
    close_house(&house);
}

/* One that has no place in the plan in any case is in the way of nothing. */
static void what_is_lost_already_is_not_in_the_way(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *running = add_running(store, 1, NOW - 100, 600), changed;
    struct house house;

    add_reservation(store, 2, NOW + 200, 300);
    open_house(&house, store, 1);
    rebuild(&house, NOW);
    assert_true(store_lease(store, 2)->at_risk);
    changed = longer(running, 500);
    assert_true(try_change(&house, &changed).accepted);
    close_house(&house);
}

static void what_cannot_be_is_refused_at_once(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *running = add_running(store, 1, NOW - 100, 600);
    const struct lease_record *waiting = add_lease(store, 2, PHASE_WAITING, LEASE_BEST_EFFORT, 60);
    const struct lease_record *over = add_lease(store, 3, PHASE_ENDED, LEASE_BEST_EFFORT, 60);
    struct lease_record *ends = add_lease(store, 4, PHASE_RESERVED, LEASE_DEADLINE, 100);
    struct lease_change later = nothing, earlier = nothing, shorter = nothing, limit = nothing,
                        same = nothing, kind = nothing, at_once = nothing, promoted = nothing,
                        endless = nothing;
    const struct {
        const struct lease_record *lease;
        const struct lease_change *change;
        const char *part;
    } cases[] = {
        {running, &later, "lease 1 has already started: its start cannot be changed"},
        {running, &shorter, "would end in the past"},
        {running, &limit, "lease 1 has no deadline to change"},
        {waiting, &limit, "lease 2 has no deadline to change"},
        {waiting, &same, "already has these terms"},
        {over, &later, "lease 3 is ended"},
        {ends, &limit, "after its deadline"},
        {ends, &endless, "duration: required for a deadline lease"},
        {running, &kind, "lease 1 has already started: its kind cannot be changed"},
        {waiting, &kind, "deadline: missing"},
        {waiting, &at_once, "kind: immediate leases cannot"},
        {waiting, &promoted, "start: missing"},
        {waiting, &earlier, " has passed (now: "},
    };
    struct lease_record changed;
    struct error err = {0};

    ends->deadline = NOW + 1000;
    later.start = NOW + 50;
    earlier.start = NOW - 20;
    shorter.duration = 100;
    limit.deadline = NOW + 99;
    same.duration = 60;
    endless.duration = SPAN_UNLIMITED;
    kind.changes_kind = at_once.changes_kind = promoted.changes_kind = true;
    kind.kind = LEASE_DEADLINE;
    at_once.kind = LEASE_IMMEDIATE;
    promoted.kind = LEASE_RESERVATION;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(lease_change_make(cases[i].lease, cases[i].change, NOW, &changed, &err),
                         -1);
        if (!strstr(err.text, cases[i].part))
            fail_msg("%zu: '%s' lacks '%s'", i, err.text, cases[i].part);
    }
    assert_int_equal(lease_change_make(running, &later, NOW, &changed, &err), -1);
    assert_int_equal(err.code, EALREADY); /* the request is well-formed */
    assert_int_equal(lease_change_make(running, &limit, NOW, &changed, &err), -1);
    assert_int_equal(err.code, EALREADY);
    assert_int_equal(lease_change_make(waiting, &kind, NOW, &changed, &err), -1);
    assert_int_equal(err.code, EINVAL);
}

static void an_undecided_lease_is_changed_later(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *waiting = add_lease(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 60),
                        changed;
    struct lease_change shorter = nothing;
    struct error err = {0};

    waiting->accepted = false;
    shorter.duration = 30;
    assert_int_equal(lease_change_make(waiting, &shorter, NOW, &changed, &err), -1);
    assert_int_equal(err.code, EAGAIN);
    assert_non_null(strstr(err.text, "lease 1 has not been decided yet"));
    waiting->accepted = true;
    assert_int_equal(lease_change_make(waiting, &shorter, NOW, &changed, &err), 0);
}

static void a_change_is_stored_and_told(void **state)
{
    struct store_fixture *fixture = *state;
    struct store *store = fixture->store;
    struct lease_record *running = add_running(store, 1, NOW - 100, 600), changed;
    struct lease_record *victim = add_lease(store, 2, PHASE_RUNNING, LEASE_BEST_EFFORT, 5000);
    struct lease_record *reserved = add_reservation(store, 3, NOW + 1000, 600);
    char text[STORE_TEXT_MAX];

    running->warned = true;
    changed = longer(running, 300);
    lease_change_text(running, &changed, NOW, text, sizeof text);
    assert_non_null(strstr(text, "instead of"));
    assert_int_equal(lease_take_change(store, running, &changed, NOW, text), 0);
    assert_int_equal(running->end, NOW + 800);
    assert_int_equal(running->changes, 1);
    assert_int_equal(running->extended, 300);
    assert_int_equal(running->phase, PHASE_RUNNING);
    assert_false(running->warned);

    victim->phase = PHASE_WAITING;
    victim->accumulated = 60;
    changed = longer(victim, -300);
    lease_change_text(victim, &changed, NOW, text, sizeof text);
    assert_null(strstr(text, "ends at")); /* suspended: its end is not known */
    victim->phase = PHASE_RUNNING;
    victim->accumulated = 0;

    victim->preempted_for = 3;
    victim->preempted_at = NOW + 1000;
    changed = *reserved;
    changed.start = NOW + 3000;
    assert_int_equal(lease_take_change(store, reserved, &changed, NOW, "later"), 0);
    assert_int_equal(reserved->expected, NOW + 3000);
    assert_int_equal(victim->preempted_at, INSTANT_NONE);
}

/* The lease as changed, tried and stored. */
static void change_to(struct house *house, struct store *store, const struct lease_record *lease,
                      const struct lease_change *change)
{
    struct lease_record changed;
    struct error err = {0};

    if (lease_change_make(lease, change, NOW, &changed, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(try_change(house, &changed).accepted);
    assert_int_equal(lease_take_change(store, lease, &changed, NOW, "changed"), 0);
    rebuild(house, NOW);
    assert_int_equal(planner_unplaced(house->planner), 0);
}

/* One host, where lease 1 runs: lease 2 waits until it ends, and may be promised that. */
static void a_waiting_lease_is_promoted_and_demoted(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *waiting = add_lease(store, 2, PHASE_WAITING, LEASE_BEST_EFFORT, 60);
    struct lease_record *running = add_running(store, 1, NOW - 100, 600), changed;
    struct lease_change promotion = nothing, demotion = nothing, longer_change = nothing;
    struct error err = {0};
    struct house house;

    open_house(&house, store, 1);
    rebuild(&house, NOW);
    promotion.changes_kind = demotion.changes_kind = true;
    promotion.kind = LEASE_RESERVATION;
    demotion.kind = LEASE_BEST_EFFORT;
    assert_in_range(waiting->expected, NOW + 500, NOW + 520);
    change_to(&house, store, waiting, &promotion);
    assert_int_equal(waiting->phase, PHASE_RESERVED);
    assert_in_range(waiting->start, NOW + 500, NOW + 520);
    assert_int_equal(waiting->expected, waiting->start);
    assert_true(waiting->contract);

    longer_change.duration = 700; /* what lease 2 is promised stands against it */
    assert_int_equal(lease_change_make(running, &longer_change, NOW, &changed, &err), 0);
    assert_int_equal(try_change(&house, &changed).in_the_way, 2);

    change_to(&house, store, waiting, &demotion);
    assert_int_equal(waiting->phase, PHASE_WAITING);
    assert_int_equal(waiting->start, INSTANT_NONE);
    assert_false(waiting->contract);
    assert_true(try_change(&house, &changed).accepted);
    close_house(&house);
}

/* On hold it is promised nothing: no start is to be expected before it is released. */
static void a_parked_lease_changes_without_a_promise(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *held = add_reservation(store, 1, NOW + 100, 600), changed;
    struct lease_record *suspended = add_lease(store, 2, PHASE_PARKED, LEASE_BEST_EFFORT, 600);
    struct lease_change later = nothing;
    struct error err = {0};

    held->phase = PHASE_PARKED;
    held->expected = INSTANT_NONE;
    later.start = NOW + 2000;
    assert_int_equal(lease_change_make(held, &later, NOW, &changed, &err), 0);
    assert_int_equal(lease_take_change(store, held, &changed, NOW, "later"), 0);
    assert_int_equal(held->phase, PHASE_PARKED);
    assert_int_equal(held->start, NOW + 2000);
    assert_int_equal(held->expected, INSTANT_NONE);

    suspended->accumulated = 50;
    assert_int_equal(lease_change_make(suspended, &later, NOW, &changed, &err), -1);
    assert_non_null(strstr(err.text, "lease 2 has already started: its start cannot be changed"));
    changed = longer(suspended, 100);
    assert_int_equal(lease_take_change(store, suspended, &changed, NOW, "longer"), 0);
    assert_int_equal(suspended->duration, 700);
    assert_int_equal(suspended->end, INSTANT_NONE);
}

static void terms_change_as_they_are_given(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *running = add_running(store, 1, NOW - 100, 600);
    struct lease_change change = nothing;
    struct lease_record changed;
    struct error err = {0};
    char text[STORE_TEXT_MAX];

    change.given = 1U << TERM_ID_priority | 1U << TERM_ID_preemptible;
    change.term_values.priority = 2500;
    change.term_values.preemptible = true;
    assert_int_equal(lease_change_make(running, &change, NOW, &changed, &err), 0);
    assert_int_equal(changed.priority, 2500);
    assert_int_equal(changed.terms, TERMS_SUSPENDABLE);
    assert_int_equal(changed.origin, ORIGIN_LOCAL);
    lease_change_text(running, &changed, NOW, text, sizeof text);
    assert_non_null(strstr(text, "terms suspendable instead of non-preemptable"));
    assert_non_null(strstr(text, "priority 2.5 instead of 0"));
    assert_int_equal(lease_take_change(store, running, &changed, NOW, text), 0);
    assert_int_equal(running->priority, 2500);
    assert_true(running->preemptible);
    assert_int_equal(running->phase, PHASE_RUNNING);
}

/* --- at random -------------------------------------------------------------------------------- */

enum { ROUNDS = 200, CHANGES = 4, LEASES = 6, HOSTS = 2, SLOT = 100 };

static int64_t slots(unsigned most)
{
    return SLOT * (int64_t)((unsigned)rand() % most);
}

/* Each lease needs one of the hosts for [start, end): no more than HOSTS at any time. */
static bool fits(struct lease_record *const *leases, size_t n, const struct lease_record *changed)
{
    for (int64_t at = NOW; at < NOW + 100 * SLOT; at += SLOT) {
        int used = 0;

        for (size_t i = 0; i < n; i++) {
            const struct lease_record *lease = changed->id == leases[i]->id ? changed : leases[i];

            used += lease->start <= at && at < lease->start + lease->duration;
        }
        if (used > HOSTS)
            return false;
    }
    return true;
}

/* Reservations that fit, the first one running. */
static size_t fill(struct store *store, struct lease_record **leases, int64_t base)
{
    size_t n = 0;

    leases[n] = add_running(store, base, NOW - SLOT, 2 * SLOT + slots(5));
    vm_to_change(store, (int32_t)base)->host = 0;
    n++;
    for (int64_t i = 1; i < LEASES; i++) {
        struct lease_record wanted = {.id = base + i, .start = NOW + SLOT + slots(15)};
        struct lease_record *const last = leases[n - 1];

        wanted.duration = SLOT + slots(6);
        leases[n] = &wanted;
        if (!fits(leases, n + 1, &wanted)) {
            leases[n] = last;
            continue;
        }
        leases[n++] = add_reservation(store, wanted.id, wanted.start, wanted.duration);
        vm_to_change(store, (int32_t)wanted.id)->host = -1;
    }
    return n;
}

static void forget(struct store *store, struct lease_record *const *leases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lease_apply(store, leases[i], EVENT_ENDED, NOW, "over");
}

/* One change of one of the leases. */
static struct lease_record random_change(struct lease_record *const *leases, size_t n)
{
    size_t which = (size_t)rand() % n;
    struct lease_record changed = *leases[which];

    if (which == 0 || rand() % 2)
        changed.duration = 2 * SLOT + slots(12);
    else
        changed.start = NOW + SLOT + slots(15);
    return changed;
}

static void make(struct house *house, struct store *store, const struct lease_record *changed,
                 const struct planner_change *verdict)
{
    const struct lease_record *lease = store_lease(store, changed->id);

    assert_int_equal(lease_take_change(store, lease, changed, NOW, "at random"), 0);
    for (size_t i = 0; i < verdict->n_places; i++)
        vm_to_change(store, verdict->places[i].vm)->host = verdict->places[i].host;
    rebuild(house, NOW);
    assert_int_equal(planner_unplaced(house->planner), 0);
}

/* Against a count of the hosts in use: what does not fit is refused, and changes nothing; after
 * what is accepted each lease still has its place. Returns whether it was accepted. */
static bool change_at_random(struct house *house, struct store *store,
                             struct lease_record *const *leases, size_t n)
{
    struct lease_record before[LEASES], changed = random_change(leases, n);
    struct planner_change verdict;

    for (size_t i = 0; i < n; i++)
        before[i] = *leases[i];
    verdict = try_change(house, &changed);
    for (size_t i = 0; i < n; i++)
        assert_memory_equal(leases[i], &before[i], sizeof before[i]);
    if (!fits(leases, n, &changed))
        assert_false(verdict.accepted);
    if (verdict.accepted)
        make(house, store, &changed, &verdict);
    return verdict.accepted;
}

static void changes_break_no_promise(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    size_t accepted = 0, tried = 0;
    struct house house;

    open_house(&house, store, HOSTS);
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        struct lease_record *leases[LEASES];
        size_t n = fill(store, leases, 1 + round * LEASES);

        rebuild(&house, NOW);
        for (int i = 0; i < CHANGES && planner_unplaced(house.planner) == 0; i++, tried++)
            accepted += change_at_random(&house, store, leases, n);
        forget(store, leases, n);
    }
    assert_in_range(tried, ROUNDS, ROUNDS * CHANGES);
    assert_in_range(accepted, tried / 5, tried * 4 / 5);
    close_house(&house);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_running_lease_is_extended_up_to_a_promise),
        TEST(a_booking_that_does_not_exist_is_refused),
        TEST(a_lease_grows_up_to_a_promise),
        TEST(a_reservation_is_shifted_over_its_own_time),
        TEST(a_change_tells_who_makes_room),
        TEST(what_is_lost_already_is_not_in_the_way),
        TEST(what_cannot_be_is_refused_at_once),
        TEST(an_undecided_lease_is_changed_later),
        TEST(a_change_is_stored_and_told),
        TEST(a_waiting_lease_is_promoted_and_demoted),
        TEST(a_parked_lease_changes_without_a_promise),
        TEST(terms_change_as_they_are_given),
        TEST(changes_break_no_promise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
