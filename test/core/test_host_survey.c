/* A survey that is kept up to date says what a fresh look at all hosts says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/host_survey.h"
#include "core/lease.h"

enum { HOSTS = 7, BOOKED = 24, LEASES = 5 };

struct bench {
    struct site site;
    struct slot_table *table;
    struct surveys *surveys;
    struct lease leases[LEASES];
    struct reservation r[BOOKED];
    uint32_t x;
};

static uint32_t draw(struct bench *b, uint32_t below)
{
    b->x = b->x * 1664525 + 1013904223;
    return (b->x >> 8) % below;
}

static void set_up(struct bench *b, uint32_t seed)
{
    struct amounts capacity = {{100, 1000}};

    memset(b, 0, sizeof *b);
    b->x = seed;
    site_init(&b->site);
    assert_int_equal(site_add_hosts(&b->site, HOSTS, &capacity, NULL), 0);
    b->table = slot_table_create(&b->site);
    b->surveys = surveys_create(HOSTS);
    slot_table_advance(b->table, 0);
    for (int i = 0; i < LEASES; i++)
        b->leases[i].request.id = i + 1;
}

static void tear_down(struct bench *b)
{
    for (int i = 0; i < BOOKED; i++)
        free(b->r[i].placement);
    surveys_destroy(b->surveys);
    slot_table_destroy(b->table);
    site_finish(&b->site);
}

/* Book something in that place, or release what is there. */
static void change(struct bench *b)
{
    struct reservation *r = &b->r[draw(b, BOOKED)];
    struct placement *placement = r->placement;
    uint32_t first = draw(b, HOSTS);

    if (placement) {
        slot_table_release(b->table, r);
        free(placement);
        r->placement = NULL;
        return;
    }
    placement = calloc(1, sizeof *placement + 4 * sizeof(int64_t) + 2 * sizeof(uint32_t));
    placement->n_hosts = first + 1 < HOSTS ? 1 + draw(b, 2) : 1;
    placement->n_types = 2;
    placement->amounts = (int64_t *)(placement + 1);
    placement->hosts = (uint32_t *)(placement->amounts + 4);
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        placement->hosts[i] = first + i;
        placement->amounts[2 * i] = draw(b, 60);
        placement->amounts[2 * i + 1] = draw(b, 600);
    }
    *r = (struct reservation){.lease = &b->leases[draw(b, LEASES)],
                              .from = slot_table_now(b->table) + draw(b, 3) * 5,
                              .placement = placement};
    r->until = r->from + 1 + draw(b, 60);
    slot_table_book(b->table, r);
}

static void check(struct bench *b, const struct survey *survey, const struct amounts *vm,
                  int64_t from)
{
    struct host_look looks[HOSTS];
    uint32_t fitting = 0;

    slot_table_look(b->table, vm, from, NULL, HOSTS, looks);
    for (int host = 0; host < HOSTS; host++) {
        assert_true(survey->looks[host].fits_until == looks[host].fits_until);
        fitting += looks[host].fits_until != INSTANT_NONE;
        if (looks[host].fits_until == INSTANT_NONE)
            continue;
        assert_true(survey->looks[host].unchanged_until == looks[host].unchanged_until);
        assert_int_equal(survey->looks[host].leases, looks[host].leases);
    }
    assert_int_equal(survey->n_fitting, fitting);
    for (int64_t until = from + 1; until < from + 80; until += 7) {
        uint32_t count = 0;

        for (int host = 0; host < HOSTS; host++)
            count += looks[host].fits_until >= until;
        assert_int_equal(survey_count_until(survey, until), count);
    }
}

static void it_is_mended_where_hosts_change(void **state)
{
    static const struct amounts vms[] = {{{40, 100}}, {{10, 500}}, {{0, 300}}};

    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct bench b;

        set_up(&b, seed);
        for (int step = 0; step < 200; step++) {
            const struct amounts *vm = &vms[draw(&b, 3)];
            int64_t now = slot_table_now(b.table), later = now + 1 + draw(&b, 40);

            for (uint32_t n = draw(&b, 4); n; n--)
                change(&b);
            if (draw(&b, 4) == 0)
                slot_table_advance(b.table, now += draw(&b, 9));
            check(&b, survey_now(b.surveys, b.table, vm), vm, now);
            if (draw(&b, 2))
                check(&b, survey_at(b.surveys, b.table, vm, later), vm, later);
            assert_int_equal(survey_vms_now(b.surveys, b.table, vm),
                             slot_table_count(b.table, vm, now, now + 1, UINT32_MAX));
        }
        tear_down(&b);
    }
}

static void more_changes_than_are_remembered_do_no_harm(void **state)
{
    static const struct amounts vm = {{40, 100}};
    struct bench b;

    set_up(&b, 99);
    survey_now(b.surveys, b.table, &vm);
    for (int round = 0; round < 3; round++) {
        while (slot_table_changes(b.table) < (uint64_t)(round + 1) * (SLOT_TABLE_CHANGES_KEPT + 10))
            change(&b);
        check(&b, survey_now(b.surveys, b.table, &vm), &vm, 0);
    }
    tear_down(&b);
}

static void what_a_trial_changes_is_seen_and_forgotten(void **state)
{
    static const struct amounts vm = {{40, 100}};
    struct bench b;
    size_t mark;

    set_up(&b, 5);
    for (int i = 0; i < 9; i++)
        change(&b);
    check(&b, survey_now(b.surveys, b.table, &vm), &vm, 0);
    mark = slot_table_mark(b.table);
    for (int i = 0; i < BOOKED; i++)
        if (b.r[i].placement)
            slot_table_release(b.table, &b.r[i]);
    check(&b, survey_now(b.surveys, b.table, &vm), &vm, 0);
    slot_table_undo(b.table, mark);
    check(&b, survey_now(b.surveys, b.table, &vm), &vm, 0);
    tear_down(&b);
}

static void the_most_on_a_host_follows_the_size(void **state)
{
    static const struct amounts small = {{10, 100}}, large = {{60, 100}};
    struct bench b;

    set_up(&b, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(survey_most_on_a_host(b.surveys, b.table, &small), 10);
        assert_int_equal(survey_most_on_a_host(b.surveys, b.table, &large), 1);
    }
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_mended_where_hosts_change),
        cmocka_unit_test(more_changes_than_are_remembered_do_no_harm),
        cmocka_unit_test(what_a_trial_changes_is_seen_and_forgotten),
        cmocka_unit_test(the_most_on_a_host_follows_the_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
