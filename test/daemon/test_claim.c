#include "daemon/live/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

    (void)state;
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
    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
    begin(&b, "b", "there");
    run(&world, &b, 1, 1500, 20);
    assert_true(claim_holds(&b.claim, world.now));
}

static void without_answers_it_does_not_hold(void **state)
{
    struct world world = {.random = 7};
    struct claimant a;
    int64_t now;

    (void)state;
    begin(&a, "a", "here");
    run(&world, &a, 1, 15000, 20);
    now = world.now;
    for (; now < 15000 + CLAIM_TRUST + 1000; now += 100)
        if (claim_next_action(&a.claim, now) != CLAIM_WAIT)
            claim_failed(&a.claim, now);
    assert_false(claim_holds(&a.claim, now));
    world.now = now;
    run(&world, &a, 1, now + CLAIM_LOOK + 100, 20);
    assert_true(claim_holds(&a.claim, world.now));
}

static void what_it_replaced_may_be_shown_once_more(void **state)
{
    const struct cloud_mark old = {.instance = "old", .place = "there", .beat = 12};
    struct claim claim;
    int64_t now = CLAIM_DEAD;

    (void)state;
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

static void one_that_must_not_write_is_not_kept_from_acting(void **state)
{
    const struct cloud_mark other = {.instance = "b", .place = "there", .beat = 1};
    struct claim claim;

    (void)state;
    claim_init(&claim, "a", "here", "host");
    claim_refused(&claim, 5);
    assert_true(claim_holds(&claim, 5));
    assert_int_equal(claim_next_action(&claim, 5), CLAIM_WAIT);
    assert_int_equal(claim_next_action(&claim, 5 + CLAIM_BEAT), CLAIM_READ);
    claim_read(&claim, &other, 20000);
    claim.open = false;
    assert_false(claim_holds(&claim, 20000));
}

/* --- a zone of three front-ends ----------------------------------------------------------------
 */

/* A daemon beside each oned; a tick is 50 ms. Election, partition and pause come at random. Each
 * oned thinks that it leads until it hears of a later term: one that is cut off does not notice. */
enum {
    FRONT_ENDS = 3,
    TICK = 50,
    TAKEOVER = 6500,    /* the leader's daemon acts after */
    TRANSIT_MAX = 1500, /* of a command that has left, on its way through oned to the leader */
    FLIGHTS = 64,
};

struct front_end {
    struct claim claim;
    int64_t term; /* of which its oned knows */
    bool leads;   /* its oned thinks so */
    bool cut;     /* off from the others */
    bool knows;   /* its daemon, that it leads, in that term, as of `led` */
    int64_t known_term;
    int64_t paused_until;
    int64_t led;
    enum claim_action under_way;
    int64_t over;
    struct cloud_mark writes, seen;
    bool done;
};

struct zone {
    struct front_end front_ends[FRONT_ENDS];
    struct cloud_mark mark;
    int64_t now, term, calm_since;
    int leader; /* of the majority */
    uint64_t random;
    int64_t acted_term;        /* latest term in which a command was sent by its leader */
    int sender_of_term;        /* and by whom */
    int64_t arrivals[FLIGHTS]; /* of the commands under way */
    int64_t terms[FLIGHTS];
    int senders[FLIGHTS];
    size_t sent, takeovers, calm;
};

static uint32_t pick(struct zone *zone, uint32_t limit)
{
    zone->random = zone->random * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(zone->random >> 33) % limit;
}

static bool reaches_majority(const struct zone *zone, int i)
{
    return !zone->front_ends[i].cut && zone->leader >= 0;
}

/* An oned in the majority hears of the latest term at once. */
static void tell_term(struct zone *zone)
{
    for (int i = 0; i < FRONT_ENDS; i++) {
        struct front_end *front_end = &zone->front_ends[i];

        if (front_end->cut || front_end->term == zone->term)
            continue;
        front_end->term = zone->term;
        front_end->leads = i == zone->leader;
    }
}

static void disturb(struct zone *zone)
{
    struct front_end *other = &zone->front_ends[pick(zone, FRONT_ENDS)];

    zone->calm_since = zone->now;
    switch (pick(zone, 3)) {
    case 0: /* one is cut off, or all are together again; the majority may elect */
        for (int i = 0; i < FRONT_ENDS; i++)
            zone->front_ends[i].cut = false;
        other->cut = pick(zone, 2) == 0;
        break;
    case 1: /* the process, whose clock goes on */
        other->paused_until = zone->now + pick(zone, 40000);
        break;
    default:
        break;
    }
    if (zone->leader < 0 || zone->front_ends[zone->leader].cut || pick(zone, 2) == 0) {
        do
            zone->leader = (int)pick(zone, FRONT_ENDS);
        while (zone->front_ends[zone->leader].cut);
        zone->term++;
        zone->front_ends[zone->leader].leads = false;
    }
    tell_term(zone);
    zone->front_ends[zone->leader].leads = true;
}

/* A write takes effect with a majority only; an oned that follows passes it on to the leader. */
static void carry_out(struct zone *zone, int i)
{
    struct front_end *front_end = &zone->front_ends[i];
    bool fails = !reaches_majority(zone, i) && front_end->under_way == CLAIM_WRITE;

    front_end->done = !fails;
    if (front_end->under_way == CLAIM_WRITE && !fails)
        zone->mark = front_end->writes;
    else if (front_end->under_way == CLAIM_READ && !front_end->cut)
        front_end->seen = zone->mark; /* one that is cut off reads what it has read before */
}

static void hear(struct zone *zone, int i)
{
    struct front_end *front_end = &zone->front_ends[i];

    carry_out(zone, i);
    if (!front_end->done)
        claim_failed(&front_end->claim, zone->now);
    else if (front_end->under_way == CLAIM_WRITE)
        claim_written(&front_end->claim, zone->now);
    else
        claim_read(&front_end->claim, &front_end->seen, zone->now);
    front_end->under_way = CLAIM_WAIT;
}

/* Even an oned that is cut off may pass a command on in time, when it is together with the others
 * again. No other daemon acts in this term, and no command of an earlier term arrives once another
 * daemon has acted in a later one. */
static void send_command(struct zone *zone, int i)
{
    int64_t term = zone->front_ends[i].claim.own.term;
    size_t flight = zone->sent++ % FLIGHTS;

    assert_true(term >= zone->acted_term);
    if (term > zone->acted_term) {
        zone->acted_term = term;
        zone->sender_of_term = i;
        zone->takeovers++;
    } else if (term == zone->acted_term) {
        assert_int_equal(zone->sender_of_term, i);
    }
    zone->arrivals[flight] = zone->now + pick(zone, TRANSIT_MAX / TICK) * TICK;
    zone->terms[flight] = term;
    zone->senders[flight] = i;
}

static void land(struct zone *zone)
{
    for (size_t i = 0; i < FLIGHTS; i++)
        assert_true(zone->arrivals[i] != zone->now || zone->terms[i] == zone->acted_term ||
                    zone->senders[i] == zone->sender_of_term);
}

/* Whether its oned leads; what it answered last counts until it is asked again. */
static void ask(struct front_end *front_end, int64_t now)
{
    front_end->knows = front_end->leads;
    front_end->known_term = front_end->term;
    front_end->led = now;
}

static void live(struct zone *zone, int i)
{
    struct front_end *front_end = &zone->front_ends[i];
    struct claim *claim = &front_end->claim;

    if (zone->now < front_end->paused_until)
        return;
    if (front_end->under_way != CLAIM_WAIT && zone->now >= front_end->over)
        hear(zone, i);
    if (front_end->under_way != CLAIM_WAIT)
        return;
    if (!claim_may_send(claim, front_end->led, zone->now))
        ask(front_end, zone->now);
    if (!front_end->knows) {
        ask(front_end, zone->now);
        claim_rest(claim, zone->now);
        return;
    }
    claim_lead(claim, front_end->known_term, i, zone->now);
    claim_confirm(claim, zone->now);
    if (claim_may_send(claim, front_end->led, zone->now))
        send_command(zone, i);
    front_end->under_way = claim_next_action(claim, zone->now);
    if (front_end->under_way == CLAIM_WRITE)
        front_end->writes = *claim_write(claim, zone->now);
    front_end->over = zone->now + TICK + pick(zone, 300);
}

/* Nothing happened for the time in which the leader's daemon is to act. One that wakes up may still
 * write a mark that it had on its way. */
static bool is_calm(const struct zone *zone)
{
    bool calm = zone->leader >= 0 && zone->now - zone->calm_since >= TAKEOVER;

    for (int i = 0; i < FRONT_ENDS; i++) {
        int64_t awake = zone->now - zone->front_ends[i].paused_until;

        calm = calm && (awake >= TAKEOVER || (awake < 0 && i != zone->leader));
    }
    return calm;
}

static void check_takeover(struct zone *zone)
{
    if (!is_calm(zone))
        return;
    zone->calm++;
    assert_true(claim_holds(&zone->front_ends[zone->leader].claim, zone->now));
}

static void a_zone_lives_through(uint64_t seed, size_t *takeovers, size_t *calm)
{
    struct zone zone = {.random = seed, .leader = -1};

    for (int i = 0; i < FRONT_ENDS; i++) {
        char name[24];

        snprintf(name, sizeof name, "daemon %d", i);
        claim_init(&zone.front_ends[i].claim, name, name, "host");
    }
    for (; zone.now < 240000; zone.now += TICK) {
        if (zone.leader < 0 || pick(&zone, 8000 / TICK) == 0)
            disturb(&zone);
        land(&zone);
        for (int i = 0; i < FRONT_ENDS; i++)
            live(&zone, i);
        check_takeover(&zone);
    }
    *takeovers += zone.takeovers;
    *calm += zone.calm;
}

static void in_a_zone_only_the_daemon_of_the_leader_acts(void **state)
{
    size_t takeovers = 0, calm = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++)
        a_zone_lives_through(seed, &takeovers, &calm);
    assert_true(takeovers > 1000 && calm > 1000);
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

/* In a slow zone a write takes longer than the mark is fresh: it counts all the same. */
static void one_write_is_enough_for_what_waited_for_it(void **state)
{
    struct claim claim;
    int64_t now = 1000, since, slow = CLAIM_FENCE * 2 / 3;

    (void)state;
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
    assert_false(claim_is_fresh(&claim, now));
    assert_true(claim_is_confirmed(&claim, since, now));
    assert_true(claim_may_send(&claim, now, now));
    assert_false(claim_is_confirmed(&claim, now, now)); /* what comes now would be too late */
    assert_false(claim_is_confirmed(&claim, since, since + CLAIM_FENCE));
}

/* What was commanded before the mark was written is in what is read after the answer to that. */
static void a_picture_after_the_mark_shows_what_was_commanded_before(void **state)
{
    struct claim claim;
    int64_t now = 1000, written;

    (void)state;
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
        cmocka_unit_test(one_that_must_not_write_is_not_kept_from_acting),
        cmocka_unit_test(the_mark_of_a_newer_version_is_not_taken),
        cmocka_unit_test(a_mark_of_a_later_term_is_not_waited_for),
        cmocka_unit_test(the_mark_is_written_while_the_last_commands_may_arrive),
        cmocka_unit_test(one_write_is_enough_for_what_waited_for_it),
        cmocka_unit_test(a_picture_after_the_mark_shows_what_was_commanded_before),
        cmocka_unit_test(in_a_zone_only_the_daemon_of_the_leader_acts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
