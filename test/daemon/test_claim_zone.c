/* In a zone of three front-ends only the galernad beside the leader acts, through elections,
 * partitions and pauses at random. */
#include "daemon/live/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A daemon beside each oned; a tick is 50 ms. Election, partition and pause come at random. Each
 * oned thinks that it leads until it hears of a later term: one that is cut off does not notice. */
enum {
    FRONT_ENDS = 3,
    TICK = 50,
    TAKEOVER = 6500,    /* the leader's daemon acts after */
    ASKED_AGAIN = 1000, /* at the latest, while there is something to send */
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
    if (!claim_may_send(claim, front_end->led, zone->now) ||
        zone->now - front_end->led >= ASKED_AGAIN)
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

    for (uint64_t seed = 1; seed <= 500; seed++)
        a_zone_lives_through(seed, &takeovers, &calm);
    assert_true(takeovers > 1000 && calm > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_zone_only_the_daemon_of_the_leader_acts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
