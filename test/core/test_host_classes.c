/* Hosts by classes: they hold what was put there, and schedules are those of hosts looked at one by
 * one. */
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

#include "core/host_classes.h"
#include "core/lease_plan.h"

enum { HOSTS = 5000, STATES = 40, PUTS = 20000, DAYS = 60, LEASES = 60 };

struct dice {
    uint32_t x;
};

static uint32_t draw(struct dice *dice, uint32_t below)
{
    dice->x = dice->x * 1664525 + 1013904223;
    return (dice->x >> 8) % below;
}

/* --- the classes themselves ------------------------------------------------------------------- */

static struct host_state state_number(uint32_t n)
{
    return (struct host_state){100 + n % 3, 50 + n % 5, (int32_t)(n % 2), n % 7, {{n, n / 8}}};
}

/* Every class has the hosts that were put there, in order; `in` says which. */
static void check(const struct host_classes *classes, const uint32_t *in)
{
    size_t n_hosts = 0, n_expected = 0;

    for (size_t i = 0; i < host_classes_count(classes); i++) {
        uint32_t n = (uint32_t)host_classes_state(classes, i)->free.of[0];
        uint32_t host = host_classes_first(classes, i), before = 0;

        assert_int_not_equal(host, HOST_NONE);
        for (; host != HOST_NONE; host = host_classes_next(classes, host)) {
            assert_int_equal(in[host], n);
            assert_true(before == 0 || host > before);
            before = host;
            n_hosts++;
        }
    }
    for (size_t host = 0; host < HOSTS; host++)
        n_expected += in[host] != STATES;
    assert_int_equal(n_hosts, n_expected);
}

static void hosts_are_where_they_were_put(void **state)
{
    struct host_classes *classes = host_classes_create(HOSTS);
    uint32_t *in = malloc(HOSTS * sizeof *in);
    struct dice dice = {1};

    assert_non_null(in);
    for (size_t host = 0; host < HOSTS; host++)
        in[host] = STATES;
    for (int i = 0; i < PUTS; i++) {
        uint32_t host = draw(&dice, i % 3 ? HOSTS : 130);
        struct host_state where = state_number(draw(&dice, STATES));

        in[host] = draw(&dice, 3) ? (uint32_t)where.free.of[0] : STATES;
        assert_true(host_classes_put(classes, host, in[host] == STATES ? NULL : &where));
        if (i % 1000 == 0)
            check(classes, in);
    }
    check(classes, in);
    host_classes_clear(classes);
    assert_int_equal(host_classes_count(classes), 0);
    host_classes_destroy(classes);
    free(in);
}

static void too_many_classes_are_refused(void **state)
{
    struct host_classes *classes = host_classes_create(64);
    struct host_state where = {0};
    uint32_t host = 0;

    for (; host < 64; host++) {
        where.leases = (int32_t)host;
        if (!host_classes_put(classes, host, &where))
            break;
    }
    assert_in_range(host, 1, 63);
    /* One that is there already takes more. */
    where.leases = 0;
    assert_true(host_classes_put(classes, host, &where));
    assert_int_equal(host_classes_next(classes, 0), host);
    host_classes_destroy(classes);
}

/* --- the same schedules ----------------------------------------------------------------------- */

struct selection {
    uint32_t way;  /* what the policy goes by */
    size_t scored; /* hosts it was asked about */
};

static int64_t score_of(uint32_t way, const struct host_batch *batch, size_t i)
{
    int n_types = batch->site->types.count;

    switch (way) {
    case 0:
        return batch->leases_present[i] ? 10 : 20 + (batch->unchanged_until[i] > batch->at + 50);
    case 1:
        return 1000 - batch->free[i * (size_t)n_types];
    case 2:
        return batch->leases_present[i] > 2 ? POLICY_VETO : batch->free[i * (size_t)n_types + 1];
    default:
        return 5;
    }
}

static void score(void *context, const struct host_batch *batch, int64_t *scores)
{
    struct selection *selection = context;

    selection->scored += batch->n_hosts;
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = score_of(selection->way, batch, i);
}

/* Requirements and ranks, as thousands of VMs of a live site each have their own. */
enum { FILTERS = 5, WORDS_MOST = 2, HOSTS_MOST = 64 * WORDS_MOST };

struct filters {
    struct host_filter items[FILTERS];
    uint64_t allowed[FILTERS][WORDS_MOST];
    double column[HOSTS_MOST];
    int64_t preferences[HOSTS_MOST];
    struct rank_step steps[3];
    struct host_rank rank;
    struct rank_values *values;
};

static void draw_filters(struct filters *filters, struct dice *dice)
{
    *filters = (struct filters){0};
    filters->steps[0] = (struct rank_step){.operation = RANK_COLUMN, .column = filters->column};
    filters->steps[1] = (struct rank_step){.operation = RANK_NUMBER, .number = draw(dice, 9)};
    filters->steps[2] = (struct rank_step){.operation = RANK_SUBTRACT};
    filters->rank = (struct host_rank){.steps = filters->steps, .n = 3, .depth = 2};
    if (draw(dice, 2))
        filters->rank.preferences = filters->preferences;
    for (int host = 0; host < HOSTS_MOST; host++) {
        filters->column[host] = draw(dice, 4);
        filters->preferences[host] = draw(dice, 3);
    }
    filters->values = rank_values_create(filters->column, HOSTS_MOST);
    filters->rank.values = filters->values;
    for (int i = 0; i < FILTERS; i++) {
        for (int host = 0; host < HOSTS_MOST; host++)
            if (draw(dice, 3))
                bitmap_add(filters->allowed[i], (size_t)host);
        filters->items[i].allowed = i ? filters->allowed[i] : NULL;
        filters->items[i].rank = i % 2 ? &filters->rank : NULL;
        filters->items[i].rank_per_vm = i > 2 ? (int64_t)draw(dice, 3) - 1 : 0;
    }
}

static void ask_something(struct scenario *s, struct dice *dice, int64_t id, bool whole_hosts,
                          const struct filters *filters)
{
    struct ask what = {.id = id,
                       .kind = draw(dice, 5) ? LEASE_BEST_EFFORT : LEASE_RESERVATION,
                       .vms = draw(dice, 3) ? 1 + draw(dice, 12) : 1,
                       .cpu = whole_hosts ? 0 : 20 + 20 * draw(dice, 4),
                       .memory = whole_hosts ? 0 : 128 * (1 + draw(dice, 4)),
                       .duration = 20 + draw(dice, 400),
                       .non_preemptable = draw(dice, 4) == 0};

    if (what.kind == LEASE_RESERVATION)
        what.start = s->now + 1 + draw(dice, 300);
    if (filters && draw(dice, 2))
        what.hosts = &filters->items[draw(dice, FILTERS)];
    ask(s, what);
}

/* A day of random leases; what happened, to be freed. */
static char *play(uint32_t seed, unsigned columns, struct selection *selection)
{
    struct dice dice = {seed * 7919};
    bool filtered = seed % 2;
    struct filters filters;
    struct scenario s;
    int64_t cancelled;
    char *log;

    scenario_begin(&s, 24 + draw(&dice, 40));
    draw_filters(&filters, &dice);
    s.seed = seed;
    s.unchecked = true;
    if (draw(&dice, 2))
        add_hosts(&s, 8, 200, 2048);
    if (draw(&dice, 4) == 0)
        as_haizea(&s);
    if (filtered && draw(&dice, 2))
        s.site.hosts[draw(&dice, 24)].closed = true;
    s.settings.backfilling = (enum backfilling)draw(&dice, 4);
    s.settings.backfilling_reservations = 1 + draw(&dice, 3);
    s.settings.suspension = draw(&dice, 2) ? SUSPENSION_ALL : SUSPENSION_NONE;
    if (draw(&dice, 2))
        reservations_preempt(&s);
    selection->way = filtered ? seed / 2 % 4 : seed % 4;
    s.policies.context = selection;
    s.policies.score_hosts = score;
    s.policies.host_columns = columns;
    for (int64_t id = 1; id <= LEASES; id++) {
        at(&s, s.now + draw(&dice, 40));
        ask_something(&s, &dice, id, seed % 3 == 0, filtered ? &filters : NULL);
        settle(&s);
        cancelled = 1 + draw(&dice, (uint32_t)id);
        if (draw(&dice, 4) == 0 && !lease_state_is_final(state_of(&s, cancelled))) {
            cancel(&s, cancelled);
            settle(&s);
        }
    }
    run_to_end(&s);
    fflush(s.log);
    log = strdup(log_of(&s));
    assert_non_null(log);
    for (int64_t id = 1; id <= LEASES; id++) {
        const char *plan = plan_of(&s, id);

        log = realloc(log, strlen(log) + strlen(plan) + 2);
        assert_non_null(log);
        strcat(strcat(log, "\n"), plan);
    }
    scenario_end(&s);
    rank_values_destroy(filters.values);
    return log;
}

static void schedules_are_those_of_hosts_one_by_one(void **state)
{
    const unsigned columns = HOST_COLUMN_LEASES | HOST_COLUMN_CHANGE | HOST_COLUMN_FREE;

    for (uint32_t seed = 1; seed <= DAYS; seed++) {
        struct selection one_by_one = {0}, by_classes = {0};
        unsigned read = seed % 4 == 0 ? HOST_COLUMN_LEASES | HOST_COLUMN_CHANGE : columns;
        char *expected = play(seed, read, &one_by_one);
        char *log = play(seed, read | HOST_COLUMNS_SUFFICE, &by_classes);

        if (strcmp(log, expected) != 0)
            print_message("day %u\n", seed);
        assert_string_equal(log, expected);
        assert_true(by_classes.scored < one_by_one.scored);
        free(log);
        free(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_where_they_were_put),
        cmocka_unit_test(too_many_classes_are_refused),
        cmocka_unit_test(schedules_are_those_of_hosts_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
