/* The rules of the mark: of several daemons, one at most acts. */
#include "daemon/live/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A daemon that claims, and the calls it has under way. */
struct claimant {
    struct claim claim;
    enum claim_action under_way; /* CLAIM_WAIT: none */
    int64_t carried_out;         /* when OpenNebula does it */
    int64_t answered;
    struct cloud_mark mark; /* to be written, or read */
    bool stopped;
};

struct world {
    struct cloud_mark mark;
    int64_t now;
    uint64_t random;
};

static uint32_t draw(struct world *world, uint32_t limit)
{
    world->random = world->random * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(world->random >> 33) % limit;
}

/* Each call takes up to `slow` milliseconds on its way to OpenNebula and back. */
static void turn(struct claimant *c, struct world *world, uint32_t slow)
{
    if (c->stopped)
        return;
    if (c->under_way != CLAIM_WAIT && c->carried_out == world->now) {
        if (c->under_way == CLAIM_WRITE)
            world->mark = c->mark;
        else
            c->mark = world->mark;
    }
    if (c->under_way != CLAIM_WAIT && c->answered == world->now) {
        if (c->under_way == CLAIM_WRITE)
            claim_written(&c->claim, world->now);
        else
            claim_read(&c->claim, &c->mark, world->now);
        c->under_way = CLAIM_WAIT;
    }
    if (c->under_way != CLAIM_WAIT)
        return;
    c->under_way = claim_next_action(&c->claim, world->now);
    if (c->under_way == CLAIM_WRITE)
        c->mark = *claim_write(&c->claim, world->now);
    c->carried_out = world->now + 1 + draw(world, slow);
    c->answered = c->carried_out + draw(world, slow);
}

static void run(struct world *world, struct claimant *claimants, size_t n, int64_t until,
                uint32_t slow)
{
    for (; world->now < until; world->now++) {
        size_t holding = 0;

        for (size_t i = 0; i < n; i++)
            turn(&claimants[i], world, slow);
        for (size_t i = 0; i < n; i++)
            holding += !claimants[i].stopped && claim_holds(&claimants[i].claim, world->now);
        assert_true(holding <= 1);
    }
}

static void begin(struct claimant *c, const char *instance, const char *place)
{
    *c = (struct claimant){0};
    claim_init(&c->claim, instance, place, "host");
}

static void alone_it_holds_at_once_and_goes_on(void **state)
{
    struct world world = {.random = 1};
    struct claimant a;

    begin(&a, "a", "here");
    run(&world, &a, 1, 1500, 10);
    assert_true(claim_holds(&a.claim, world.now));
    for (int64_t until = 2000; until < 200000; until += 1000) {
        run(&world, &a, 1, until, 10);
        assert_true(claim_holds(&a.claim, world.now));
    }
    assert_true(world.mark.beat >= 18 && world.mark.beat <= 22);
}

static void of_two_one_holds(void **state)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct world world = {.random = seed};
        struct claimant both[2];

        begin(&both[0], "a", "here");
        begin(&both[1], "b", "there");
        both[1].claim.next = draw(&world, seed % 2 ? 500 : 30000);
        run(&world, both, 2, 70000, 300);
        assert_int_equal(
            claim_holds(&both[0].claim, world.now) + claim_holds(&both[1].claim, world.now), 1);
        assert_int_equal((both[0].claim.state == CLAIM_LOST) + (both[1].claim.state == CLAIM_LOST),
                         1);
    }
}

static void a_living_one_is_noticed_in_time(void **state)
{
    struct world world = {.random = 3};
    struct claimant both[2];

    begin(&both[0], "a", "here");
    both[1].stopped = true;
    run(&world, both, 2, 21234, 20);
    begin(&both[1], "b", "there");
    run(&world, both, 2, 21234 + 15000, 20);
    assert_int_equal(both[1].claim.state, CLAIM_LOST);
    assert_string_equal(both[1].claim.other.instance, "a");
    assert_true(claim_holds(&both[0].claim, world.now));
}

static void a_dead_one_is_followed(void **state)
{
    struct world world = {.random = 4};
    struct claimant both[2];

    begin(&both[0], "a", "here");
    both[1].stopped = true;
    run(&world, both, 2, 30000, 20);
    both[0].stopped = true;
    begin(&both[1], "b", "there");
    run(&world, both, 2, 30000 + CLAIM_DEAD - 1000, 20);
    assert_false(claim_holds(&both[1].claim, world.now));
    run(&world, both, 2, 30000 + CLAIM_DEAD + 5000, 20);
    assert_true(claim_holds(&both[1].claim, world.now));

    /* It was asleep: what it finds is not its own any more. */
    both[0].stopped = false;
    assert_false(claim_holds(&both[0].claim, world.now));
    both[0].under_way = CLAIM_WAIT;
    run(&world, both, 2, world.now + 1000, 20);
    assert_int_equal(both[0].claim.state, CLAIM_LOST);
    assert_true(claim_holds(&both[1].claim, world.now));
}

static void the_same_place_is_taken_over_at_once(void **state)
{
    struct world world = {.random = 5};
    struct claimant one;

    begin(&one, "a", "here");
    run(&world, &one, 1, 30000, 20);
    begin(&one, "a", "here"); /* the same store: its mark is as good as written */
    run(&world, &one, 1, 30100, 20);
    assert_true(claim_holds(&one.claim, world.now));
    begin(&one, "new", "here"); /* another store: its predecessor's socket is free */
    run(&world, &one, 1, 32000, 20);
    assert_true(claim_holds(&one.claim, world.now));
    begin(&one, "new", "elsewhere"); /* a store that was copied is another one's */
    run(&world, &one, 1, 34000, 20);
    assert_false(claim_holds(&one.claim, world.now));
}

static void what_was_released_is_free(void **state)
{
    struct world world = {.mark = {.instance = "a", .place = "here", .beat = -1}, .random = 6};
    struct claimant b;

    begin(&b, "b", "there");
    run(&world, &b, 1, 1500, 20);
    assert_true(claim_holds(&b.claim, world.now));
}

static void without_answers_it_does_not_hold(void **state)
{
    struct world world = {.random = 7};
    struct claimant a;
    int64_t now;

    begin(&a, "a", "here");
    run(&world, &a, 1, 15000, 20);
    now = world.now;
    for (; now < 15000 + CLAIM_TRUST + 1000; now += 100)
        if (claim_next_action(&a.claim, now) != CLAIM_WAIT)
            claim_failed(&a.claim, now);
    assert_false(claim_holds(&a.claim, now));
    world.now = now;
    run(&world, &a, 1, now + CLAIM_AGAIN + 100, 20);
    assert_true(claim_holds(&a.claim, world.now));
}

static void what_it_replaced_may_be_shown_once_more(void **state)
{
    const struct cloud_mark old = {.instance = "old", .place = "there", .beat = 12};
    struct claim claim;
    int64_t now = CLAIM_DEAD;

    claim_init(&claim, "a", "here", "host");
    claim_read(&claim, &old, 0);
    claim_read(&claim, &old, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    assert_int_equal(claim_write(&claim, now)->beat, 13);
    claim_written(&claim, now);
    now += CLAIM_PAUSE;
    claim_read(&claim, &old, now);
    assert_int_equal(claim.state, CLAIM_PROVING);
    now += CLAIM_PAUSE;
    claim_read(&claim, &claim.own, now);
    assert_true(claim_holds(&claim, now));
}

/* A deposed oned that comes back can have its leader's log overwritten. */
static void a_write_that_opennebula_confirmed_and_lost_is_repeated(void **state)
{
    const struct cloud_mark old = {.instance = "old", .place = "here", .beat = 12, .term = 3};
    struct claim claim;
    int64_t now = 1;

    claim_init(&claim, "a", "here", "host");
    claim_lead(&claim, 3, 0, 0);
    claim_read(&claim, &old, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    claim_write(&claim, now);
    claim_written(&claim, now);
    for (; now < 1 + CLAIM_REPEAT; now += CLAIM_PAUSE) {
        assert_int_equal(claim.state, CLAIM_PROVING);
        claim_read(&claim, &old, now);
    }
    claim_read(&claim, &old, now);
    now += CLAIM_PAUSE;
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    assert_int_equal(claim_write(&claim, now)->beat, 14);
    claim_written(&claim, now);
    claim_read(&claim, &claim.own, now + CLAIM_PAUSE);
    assert_true(claim_holds(&claim, now + CLAIM_PAUSE));
}

static void one_that_must_not_write_is_not_kept_from_acting(void **state)
{
    const struct cloud_mark other = {.instance = "b", .place = "there", .beat = 1};
    struct claim claim;

    claim_init(&claim, "a", "here", "host");
    claim_refused(&claim, 5);
    assert_true(claim_holds(&claim, 5));
    assert_int_equal(claim_next_action(&claim, 5), CLAIM_WAIT);
    assert_int_equal(claim_next_action(&claim, 5 + CLAIM_BEAT), CLAIM_READ);
    claim_read(&claim, &other, 20000);
    claim.open = false;
    assert_false(claim_holds(&claim, 20000));
}

/* Beside a galernad with other rules, also one that is gone, an older one does not act. */
static void the_mark_of_a_newer_version_is_not_taken(void **state)
{
    struct cloud_mark newer = {.instance = "newer",
                               .place = "elsewhere",
                               .beat = 3,
                               .term = 4,
                               .version = CLOUD_MARK_VERSION + 1};
    struct claim claim;
    int64_t now = 1000;

    claim_init(&claim, "me", "here", "host");
    claim_lead(&claim, 5, 1, now);
    for (; now < 100 * CLAIM_DEAD; now += CLAIM_LOOK)
        if (claim_next_action(&claim, now) != CLAIM_WAIT) {
            assert_int_equal(claim_next_action(&claim, now), CLAIM_READ);
            claim_read(&claim, &newer, now);
            assert_false(claim_holds(&claim, now));
            assert_true(claim_is_outranked(&claim));
        }
    newer.beat = -1; /* released: an operator goes back to the older version */
    claim_read(&claim, &newer, now);
    assert_false(claim_is_outranked(&claim));
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
}

/* Of the same term it is outlasted, or turns out to be alive: a start waits for that. */
static void a_mark_of_a_later_term_is_not_waited_for(void **state)
{
    struct cloud_mark other = {.instance = "other", .place = "elsewhere", .beat = 3, .term = 5};
    struct claim claim;

    claim_init(&claim, "me", "here", "host");
    claim_lead(&claim, 5, 1, 1000);
    claim_read(&claim, &other, 1000 + CLAIM_GRACE);
    assert_int_equal(claim.state, CLAIM_WATCHING);
    assert_false(claim_is_outranked(&claim));
    other.term = 6;
    other.beat++;
    claim_read(&claim, &other, 2000 + CLAIM_GRACE);
    assert_true(claim_is_outranked(&claim));
}

/* Even if OpenNebula refuses the first writes, it acts as soon as its predecessor's last commands
 * are over. */
static void the_mark_is_written_while_the_last_commands_may_arrive(void **state)
{
    const struct cloud_mark old = {.instance = "old", .place = "there", .beat = 3, .term = 4};
    int64_t now = 1000, elected = now;
    struct claim claim;

    claim_init(&claim, "me", "here", "host");
    claim_lead(&claim, 5, 1, now);
    claim_read(&claim, &old, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    claim_write(&claim, now);
    claim_failed(&claim, now);
    now = claim_next_time(&claim, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    claim_write(&claim, now);
    claim_written(&claim, now);
    now = claim_next_time(&claim, now);
    claim_read(&claim, &claim.own, now);
    assert_false(claim_holds(&claim, now));
    assert_false(claim_may_send(&claim, now, now));
    assert_int_equal(claim_next_time(&claim, now), elected + CLAIM_GRACE);
    now = elected + CLAIM_GRACE;
    assert_true(claim_holds(&claim, now));
    assert_true(claim_next_time(&claim, now) > now);
}

/* A new leader refuses writes while it replicates its log: a second after that the mark is there.
 */
static void a_mark_that_was_refused_is_written_again_soon(void **state)
{
    const int64_t accepts = 12000;
    int64_t now = 1000, written = 0;
    struct claim claim;

    claim_init(&claim, "me", "here", "host");
    claim_lead(&claim, 5, 1, now);
    claim_read(&claim, &(struct cloud_mark){0}, now);
    for (; !written; now = claim_next_time(&claim, now)) {
        assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
        claim_write(&claim, now);
        if (now < accepts)
            claim_failed(&claim, now);
        else
            written = now;
    }
    assert_true(written <= accepts + 1000);
}

/* In a slow zone a write takes longer than the mark is fresh: it counts all the same. */
static void one_write_is_enough_for_what_waited_for_it(void **state)
{
    struct claim claim;
    int64_t now = 1000, since, slow = CLAIM_FENCE * 2 / 3;

    claim_init(&claim, "me", "here", "host");
    claim_lead(&claim, 5, 1, now);
    claim_read(&claim, &(struct cloud_mark){.beat = -1}, now);
    claim_write(&claim, now);
    claim_written(&claim, now);
    now += CLAIM_GRACE;
    claim_read(&claim, &claim.own, now);
    since = now;
    assert_false(claim_is_confirmed(&claim, since, now));
    claim_confirm(&claim, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_READ);
    claim_read(&claim, &claim.own, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    claim_write(&claim, now);
    now += slow;
    claim_written(&claim, now);
    assert_true(claim_is_confirmed(&claim, since, now));
    assert_true(claim_may_send(&claim, now, now));
    assert_false(claim_is_confirmed(&claim, now, now)); /* what comes now would be too late */
    assert_false(claim_is_confirmed(&claim, since, since + CLAIM_FENCE));
}

/* While another front-end does not answer, an oned may take a second to say that it leads. */
static void a_slow_answer_that_oned_leads_counts_as_long_as_the_mark(void **state)
{
    struct claim claim;
    int64_t now = 1000, written;

    claim_init(&claim, "me", "here", "host");
    claim_lead(&claim, 5, 1, now);
    claim_read(&claim, &(struct cloud_mark){.beat = -1}, now);
    claim_write(&claim, now);
    claim_written(&claim, now);
    now += CLAIM_GRACE;
    claim_read(&claim, &claim.own, now);
    claim_write(&claim, now);
    written = now + 1000;
    claim_written(&claim, written);
    assert_true(claim_may_send(&claim, written, written + 1500));
    assert_false(claim_may_send(&claim, written - 1, written + 1500)); /* asked before that */
    assert_false(claim_may_send(&claim, written, now + CLAIM_FENCE));
}

/* A single oned under load may take longer than a second each time. */
static void without_raft_a_slow_answer_counts_as_well(void **state)
{
    struct claim claim;
    int64_t asked = 10000;

    claim_init(&claim, "me", "here", "host");
    claim_read(&claim, &(struct cloud_mark){.beat = -1}, 1000);
    claim_write(&claim, 1000);
    claim_written(&claim, 1000);
    claim_read(&claim, &claim.own, 1000 + CLAIM_PAUSE);
    assert_true(claim_may_send(&claim, asked, asked + 1500));
    assert_false(claim_may_send(&claim, asked, asked + CLAIM_FENCE));
}

/* What was commanded before the mark was written is in what is read after the answer to that. */
static void a_picture_after_the_mark_shows_what_was_commanded_before(void **state)
{
    struct claim claim;
    int64_t now = 1000, written;

    claim_init(&claim, "me", "here", "host");
    assert_true(claim_covers(&claim, 0, CLAIM_PAUSE + 1)); /* one front-end has begun by then */
    assert_false(claim_covers(&claim, 0, CLAIM_PAUSE));
    claim_lead(&claim, 5, 1, now);
    assert_false(claim_covers(&claim, 0, now));
    now += CLAIM_GRACE;
    claim_read(&claim, &(struct cloud_mark){.beat = -1}, now);
    assert_int_equal(claim_next_action(&claim, now), CLAIM_WRITE);
    written = now;
    claim_write(&claim, now);
    claim_written(&claim, now + 50);
    assert_true(claim_covers(&claim, written - 1, now + 51));
    assert_false(claim_covers(&claim, written - 1, now + 50)); /* asked for before the answer */
    assert_false(claim_covers(&claim, written, now + 51));     /* commanded after it began */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_holds_at_once_and_goes_on),
        cmocka_unit_test(of_two_one_holds),
        cmocka_unit_test(a_living_one_is_noticed_in_time),
        cmocka_unit_test(a_dead_one_is_followed),
        cmocka_unit_test(the_same_place_is_taken_over_at_once),
        cmocka_unit_test(what_was_released_is_free),
        cmocka_unit_test(without_answers_it_does_not_hold),
        cmocka_unit_test(what_it_replaced_may_be_shown_once_more),
        cmocka_unit_test(a_write_that_opennebula_confirmed_and_lost_is_repeated),
        cmocka_unit_test(one_that_must_not_write_is_not_kept_from_acting),
        cmocka_unit_test(the_mark_of_a_newer_version_is_not_taken),
        cmocka_unit_test(a_mark_of_a_later_term_is_not_waited_for),
        cmocka_unit_test(the_mark_is_written_while_the_last_commands_may_arrive),
        cmocka_unit_test(a_mark_that_was_refused_is_written_again_soon),
        cmocka_unit_test(one_write_is_enough_for_what_waited_for_it),
        cmocka_unit_test(a_slow_answer_that_oned_leads_counts_as_long_as_the_mark),
        cmocka_unit_test(without_raft_a_slow_answer_counts_as_well),
        cmocka_unit_test(a_picture_after_the_mark_shows_what_was_commanded_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
