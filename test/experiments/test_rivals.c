/* Policies that are asked what another one is asked, and only counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiments/rivals.h"

/* Takes the first so many of those offered. */
struct taker {
    size_t takes;
    int asked;
};

static size_t take(void *context, const struct victim_batch *batch, const struct victim_test *test,
                   size_t *chosen)
{
    struct taker *taker = context;

    (void)batch->victims, (void)test;
    taker->asked++;
    for (size_t i = 0; i < taker->takes && i < batch->n; i++)
        chosen[i] = i;
    return taker->takes < batch->n ? taker->takes : batch->n;
}

static bool only_first(void *context, const struct lease *preemptor)
{
    return preemptor->request.id == 1;
}

static void answers_are_counted_and_the_decider_decides(void **state)
{
    const struct lease leases[3] = {{.n_vms = 1}, {.n_vms = 2}, {.n_vms = 4}};
    const struct victim victims[3] = {{.lease = &leases[0], .overhead = 10},
                                      {.lease = &leases[1], .overhead = 20},
                                      {.lease = &leases[2], .overhead = 40}};
    struct taker takers[3] = {{.takes = 2}, {.takes = 1}, {.takes = 2}};
    struct policy_hooks hooks[3];
    const struct policy_hooks *others[] = {&hooks[1], &hooks[2]};
    struct rivals_count count = {0};
    struct rivals rivals;
    size_t chosen[3];

    for (int i = 0; i < 3; i++)
        hooks[i] = (struct policy_hooks){.context = &takers[i], .choose_victims = take};
    hooks[0].may_preempt = only_first;
    rivals_init(&rivals, &hooks[0], others, 2, &count);
    assert_null(rivals.hooks.admit);
    assert_true(
        rivals.hooks.may_preempt(rivals.hooks.context, &(struct lease){.request = {.id = 1}}));
    assert_false(
        rivals.hooks.may_preempt(rivals.hooks.context, &(struct lease){.request = {.id = 2}}));
    assert_int_equal(rivals.hooks.choose_victims(rivals.hooks.context,
                                                 &(struct victim_batch){.victims = victims, .n = 3},
                                                 NULL, chosen),
                     2);
    assert_true(chosen[0] == 0 && chosen[1] == 1);
    assert_int_equal(count.choices, 1);
    assert_int_equal(count.in_common, 0);
    assert_int_equal(count.of[0].leases, 2);
    assert_int_equal(count.of[0].vms, 3);
    assert_int_equal(count.of[0].overhead, 30);
    assert_int_equal(count.of[1].leases, 1);
    assert_int_equal(count.of[1].overhead, 10);
    assert_int_equal(count.of[1].fewer_leases, 1);
    assert_int_equal(count.of[1].less_overhead, 1);
    assert_int_equal(count.of[1].more_leases, 0);
    assert_int_equal(count.of[2].overhead, 30);
    assert_int_equal(count.of[2].fewer_leases + count.of[2].more_overhead, 0);

    /* Of one lease all take the same. */
    rivals.hooks.choose_victims(rivals.hooks.context,
                                &(struct victim_batch){.victims = victims, .n = 1}, NULL, chosen);
    assert_int_equal(count.choices, 2);
    assert_int_equal(count.in_common, 1);
    assert_int_equal(count.of[1].leases, 2);
}

static void where_nothing_helps_rivals_are_not_asked(void **state)
{
    struct taker decider = {.takes = 0}, other = {.takes = 1};
    const struct policy_hooks hooks[] = {{.context = &decider, .choose_victims = take},
                                         {.context = &other, .choose_victims = take}};
    const struct policy_hooks *others[] = {&hooks[1]};
    const struct victim victim = {.overhead = 5};
    struct rivals_count count = {0};
    struct rivals rivals;
    size_t chosen;

    rivals_init(&rivals, &hooks[0], others, 1, &count);
    assert_int_equal(rivals.hooks.choose_victims(rivals.hooks.context,
                                                 &(struct victim_batch){.victims = &victim, .n = 1},
                                                 NULL, &chosen),
                     0);
    assert_int_equal(decider.asked, 1);
    assert_int_equal(other.asked, 0);
    assert_int_equal(count.choices, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_counted_and_the_decider_decides),
        cmocka_unit_test(where_nothing_helps_rivals_are_not_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
