/* Priority, with its fractions, orders the queue whatever the preemption policy is: no lease waits
 * for one of lower priority that had not started before it was there. Random queues on one host are
 * compared with plain list scheduling over an array of seconds. */
#include <stdlib.h>
#include <string.h>

#include "plugin/policy_host.h"
#include "test/core/scenario.h"
#include "test/support/random.h"

enum { QUEUES = 60, LEASES = 24, SECONDS = 4000 };

struct wish {
    int64_t submit, cpu, duration;
    int32_t priority;
};

struct reference {
    struct wish wishes[LEASES + 1]; /* by id */
    int64_t start[LEASES + 1];      /* -1: not planned by the reference yet */
    int64_t used[SECONDS];
    int n;
};

static void occupy(struct reference *reference, int id)
{
    const struct wish *wish = &reference->wishes[id];

    for (int64_t i = 0; i < wish->duration; i++)
        reference->used[reference->start[id] + i] += wish->cpu;
}

static bool is_free(const struct reference *reference, const struct wish *wish, int64_t at)
{
    for (int64_t i = 0; i < wish->duration; i++)
        if (reference->used[at + i] + wish->cpu > SCENARIO_CPU)
            return false;
    return true;
}

/* The highest priority, then the oldest, of those without a start; 0: all have one. */
static int next_of(const struct reference *reference)
{
    int next = 0;

    for (int id = 1; id <= reference->n; id++)
        if (reference->start[id] < 0 &&
            (!next || reference->wishes[id].priority > reference->wishes[next].priority))
            next = id;
    return next;
}

static bool has_started(struct scenario *s, int id)
{
    const struct lease *lease = lease_of(s, id);

    return lease->start_actual != INSTANT_NONE;
}

/* Everything that has not started is planned again. */
static void plan_all(struct reference *reference, struct scenario *s)
{
    int id;

    memset(reference->used, 0, sizeof reference->used);
    for (id = 1; id <= reference->n; id++) {
        reference->start[id] = has_started(s, id) ? lease_of(s, id)->start_actual : -1;
        if (reference->start[id] >= 0)
            occupy(reference, id);
    }
    while ((id = next_of(reference)) != 0) {
        reference->start[id] = s->now;
        while (!is_free(reference, &reference->wishes[id], reference->start[id]))
            reference->start[id]++;
        occupy(reference, id);
    }
}

static int32_t lowest_waiting(const struct reference *reference, struct scenario *s)
{
    int32_t lowest = INT32_MAX;

    for (int id = 1; id <= reference->n; id++)
        if (!has_started(s, id) && reference->wishes[id].priority < lowest)
            lowest = reference->wishes[id].priority;
    return lowest;
}

/* All of a priority above the lowest are planned as the reference has them. */
static void compare(const struct reference *reference, struct scenario *s)
{
    int32_t lowest = lowest_waiting(reference, s);

    for (int id = 1; id <= reference->n; id++) {
        const struct lease *lease = lease_of(s, id);

        if (has_started(s, id) || reference->wishes[id].priority == lowest)
            continue;
        if (!lease->n_reservations || lease->reservations[0]->from != reference->start[id])
            fail_msg("queue %u at %lld: lease %d of priority %d starts at %lld, not at %lld",
                     s->seed, (long long)s->now, id, lease->request.priority,
                     lease->n_reservations ? (long long)lease->reservations[0]->from : -1LL,
                     (long long)reference->start[id]);
    }
}

static void add_lease(struct reference *reference, struct scenario *s, struct random *random)
{
    static const int32_t priorities[] = {-1500, -250, 0, 1, 500, 2000};
    struct wish *wish = &reference->wishes[++reference->n];

    *wish = (struct wish){.submit = s->now,
                          .cpu = random_between(random, 1, 10) * 10,
                          .duration = random_between(random, 1, 60),
                          .priority = priorities[random_between(random, 0, 5)]};
    reference->start[reference->n] = -1;
    ask(s, (struct ask){.id = reference->n,
                        .kind = LEASE_BEST_EFFORT,
                        .cpu = wish->cpu,
                        .memory = 1,
                        .duration = wish->duration,
                        .priority = wish->priority,
                        .non_preemptable = true});
}

static void play(uint32_t seed, enum backfilling backfilling, const struct policy_hooks *policies)
{
    static struct reference reference;
    struct scenario s;
    struct random random;
    int n;

    random_init(&random, seed);
    n = (int)random_between(&random, 2, LEASES);
    memset(&reference, 0, sizeof reference);
    scenario_begin(&s, 1);
    s.seed = seed;
    if (policies)
        s.policies = *policies;
    s.settings.backfilling = backfilling;
    s.settings.backfilling_reservations = 2;
    while (reference.n < n) {
        for (int64_t batch = random_between(&random, 1, 6); batch && reference.n < n; batch--)
            add_lease(&reference, &s, &random);
        settle(&s);
        plan_all(&reference, &s);
        compare(&reference, &s);
        at(&s, s.now + random_between(&random, 1, 40));
    }
    run_to_end(&s);
    expect_nothing_left(&s);
    scenario_end(&s);
}

static struct policy_host *load(const char *preemption)
{
    const char *directory = POLICIES;
    struct policy_host_settings settings;
    struct policy_host *host;
    struct error err = {0};

    policy_host_settings_init(&settings);
    settings.preemption = preemption;
    settings.directories = &directory;
    settings.n_directories = 1;
    host = policy_host_create(&settings, &err);
    if (!host)
        fail_msg("%s", err.text);
    return host;
}

static void no_lease_is_delayed_by_one_of_lower_priority(void **state)
{
    static const char *const modules[] = {
        NULL, "no-preemption", "ar-preempts-everything", "priority", "mov", "mlip", "moml"};

    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        struct policy_host *host = load(modules[i]);
        const struct policy_hooks *hooks = modules[i] ? policy_host_hooks(host) : NULL;

        for (uint32_t seed = 1; seed <= QUEUES; seed++) {
            play(seed, BACKFILLING_AGGRESSIVE, hooks);
            play(seed, BACKFILLING_INTERMEDIATE, hooks);
            play(seed, BACKFILLING_CONSERVATIVE, hooks);
        }
        policy_host_destroy(host);
    }
}

static void wish_for(struct scenario *s, int64_t id, int64_t cpu, int32_t priority)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_BEST_EFFORT,
                        .cpu = cpu,
                        .memory = 1,
                        .duration = SPAN_UNLIMITED,
                        .priority = priority});
}

/* What ends when it likes tells no time: what becomes free is kept for the highest priority. */
static void room_is_kept_for_the_highest_priority(void **state)
{
    struct scenario s;

    scenario_begin(&s, 2);
    for (int64_t id = 1; id <= 4; id++)
        wish_for(&s, id, 50, 0);
    settle(&s);
    at(&s, 10);
    wish_for(&s, 5, 50, 0);
    wish_for(&s, 6, 100, 1000);
    wish_for(&s, 7, 50, -5);
    settle(&s);
    at(&s, 20);
    ends(&s, 1);
    settle(&s);
    assert_int_equal(state_of(&s, 5), LEASE_QUEUED); /* 6 waits for the other half */
    at(&s, 30);
    ends(&s, 2);
    settle(&s);
    assert_int_equal(state_of(&s, 6), LEASE_ACTIVE);
    at(&s, 40);
    ends(&s, 3);
    settle(&s);
    assert_int_equal(state_of(&s, 5), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 7), LEASE_QUEUED);
    at(&s, 50);
    ends(&s, 4);
    settle(&s);
    assert_int_equal(state_of(&s, 7), LEASE_ACTIVE);
    scenario_end(&s);
}

/* Only as many hosts as it needs are kept, and none that are too small for it. */
static void other_hosts_are_used(void **state)
{
    struct scenario s;

    scenario_begin(&s, 1);
    add_hosts(&s, 2, 200, 1024);
    wish_for(&s, 1, 60, 0); /* the small host */
    for (int64_t id = 2; id <= 3; id++)
        wish_for(&s, id, 150, 0);
    settle(&s);
    at(&s, 10);
    wish_for(&s, 4, 150, 7);
    for (int64_t id = 5; id <= 6; id++)
        wish_for(&s, id, 40, 0);
    wish_for(&s, 7, 20, 0);
    settle(&s);
    assert_int_equal(state_of(&s, 4), LEASE_QUEUED);
    assert_int_equal(state_of(&s, 5), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 6), LEASE_ACTIVE);
    assert_int_equal(state_of(&s, 7), LEASE_QUEUED);
    scenario_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lease_is_delayed_by_one_of_lower_priority),
        cmocka_unit_test(room_is_kept_for_the_highest_priority),
        cmocka_unit_test(other_hosts_are_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
