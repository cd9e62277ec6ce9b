/* Random days with everything in them: all kinds, images, migration, preemption, early ends,
 * cancellations, forgetting, in both behaviours. The scenario checks every step. GALERNA_SEED=n
 * plays day n only, or with GALERNA_DAYS=m the m days from there. */
#include "scenario.h"

#include <stdlib.h>

enum { LEASES = 50, DAYS = 150 };

struct dice {
    uint32_t x;
};

static int64_t draw(struct dice *dice, uint32_t below)
{
    dice->x = dice->x * 1664525 + 1013904223;
    return (int64_t)((dice->x >> 8) % below);
}

static void choose_settings(struct scenario *s, struct dice *dice)
{
    struct engine_settings *settings = &s->settings;

    settings->backfilling = (enum backfilling)draw(dice, 4);
    settings->backfilling_reservations = draw(dice, 4);
    settings->suspension = draw(dice, 4) ? SUSPENSION_ALL : (enum suspension)draw(dice, 2);
    settings->exclusion = (enum suspension_exclusion)draw(dice, 2);
    settings->migration = (enum migration)draw(dice, 3);
    settings->shutdown_time = draw(dice, 2) * 7;
    settings->enactment_overhead = draw(dice, 3);
    settings->preparation = (enum preparation)draw(dice, 2);
    settings->transfer_mechanism = (enum transfer_mechanism)draw(dice, 2);
    settings->image_reuse = (enum image_reuse)draw(dice, 2);
    settings->image_cache_size = 200 + 100 * draw(dice, 5);
    settings->avoid_redundant_transfers = draw(dice, 2);
    if (draw(dice, 4) == 0)
        settings->force_scheduling_threshold = draw(dice, 3) * 20;
    if (draw(dice, 4) == 0)
        settings->override_suspend_time = settings->override_resume_time = draw(dice, 40);
    if (draw(dice, 3))
        reservations_preempt(s);
}

static void ask_something(struct scenario *s, struct dice *dice, int64_t id)
{
    static const char *const images[] = {NULL, "a.img", "b.img", "c.img"};
    struct ask what = {.id = id, .kind = (enum lease_kind)draw(dice, 4)};
    struct node_set sets[2] = {{.count = 1 + (uint32_t)draw(dice, 3),
                                .amounts = {{10 + draw(dice, 90), 64 + draw(dice, 512)}}},
                               {.count = 1 + (uint32_t)draw(dice, 2),
                                .amounts = {{10 + draw(dice, 90), 64 + draw(dice, 900)}}}};

    if (s->settings.behaviour.traces_without_extensions && what.kind == LEASE_DEADLINE)
        what.kind = LEASE_BEST_EFFORT;
    what.duration = draw(dice, 25) ? draw(dice, 500) : SPAN_UNLIMITED;
    if (what.kind == LEASE_DEADLINE && what.duration == SPAN_UNLIMITED)
        what.duration = 5;
    if (what.kind == LEASE_RESERVATION)
        what.start = s->now + draw(dice, 600);
    if (what.kind == LEASE_DEADLINE || (what.kind == LEASE_BEST_EFFORT && draw(dice, 4) == 0)) {
        what.start = draw(dice, 2) ? s->now + draw(dice, 300) : 0;
        what.deadline = s->now + 400 + draw(dice, 2500);
    }
    what.non_preemptable = draw(dice, 5) == 0;
    what.image = images[draw(dice, 4)];
    what.image_size = 50 + 50 * draw(dice, 5);
    what.sets = sets;
    what.n_sets = 1 + (size_t)draw(dice, 2);
    ask(s, what);
}

static bool is_running(struct scenario *s, int64_t id)
{
    const struct lease *lease = lease_of(s, id);

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM &&
            lease->reservations[i]->state == RESERVATION_ACTIVE)
            return true;
    return false;
}

static void disturb(struct scenario *s, struct dice *dice, int64_t newest, bool *forgotten)
{
    int64_t id = 1 + draw(dice, (uint32_t)newest);

    if (forgotten[id])
        return;
    if (lease_state_is_final(state_of(s, id))) {
        forgotten[id] = true;
        assert_int_equal(engine_forget(s->engine, id, NULL), 0);
    } else if (is_running(s, id) && draw(dice, 3)) {
        ends(s, id);
    } else {
        cancel(s, id);
    }
    settle(s);
}

/* Whoever is left at the end waits for an unlimited lease or forever: give all up. */
static void sweep(struct scenario *s, const bool *forgotten)
{
    for (int64_t id = 1; id <= LEASES; id++)
        if (!forgotten[id] && !lease_state_is_final(state_of(s, id))) {
            cancel(s, id);
            settle(s);
        }
    run_to_end(s);
}

static void play(uint32_t seed, bool haizea)
{
    struct dice dice = {seed * 7919};
    bool forgotten[LEASES + 1] = {false};
    struct scenario s;

    scenario_begin(&s, 1 + (size_t)draw(&dice, 3));
    s.seed = seed;
    add_hosts(&s, 1, 200, 2048);
    if (haizea)
        as_haizea(&s);
    choose_settings(&s, &dice);
    for (int64_t id = 1; id <= LEASES; id++) {
        at(&s, s.now + draw(&dice, 120));
        ask_something(&s, &dice, id);
        settle(&s);
        if (draw(&dice, 3) == 0)
            disturb(&s, &dice, id, forgotten);
    }
    run_to_end(&s);
    sweep(&s, forgotten);
    if (!haizea) /* Haizea leaves memory files on the disks */
        expect_nothing_left(&s);
    scenario_end(&s);
}

static uint32_t number_from(const char *variable, uint32_t otherwise)
{
    const char *text = getenv(variable);

    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void play_all(bool haizea)
{
    uint32_t first = number_from("GALERNA_SEED", 1);
    uint32_t days = number_from("GALERNA_DAYS", getenv("GALERNA_SEED") ? 1 : DAYS);

    for (uint32_t seed = first; seed < first + days; seed++) {
        if (seed % 100 == 0)
            print_message("day %u\n", seed);
        play(seed, haizea);
    }
}

static void everything_in_the_default_mode(void **state)
{
    play_all(false);
}

static void everything_as_haizea(void **state)
{
    play_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_in_the_default_mode),
        cmocka_unit_test(everything_as_haizea),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
