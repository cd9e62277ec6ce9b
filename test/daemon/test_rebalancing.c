/* The ONE_DRS attributes of a cluster, and plans that survive a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/cloud/objects.h"
#include "daemon/live/rebalancing.h"
#include "test/daemon/store_fixture.h"
#include "util/memory.h"

enum { ATTRIBUTES_MOST = 8 };

static int read_settings(const struct attribute *attributes, struct rebalance_settings *settings,
                         struct error *err)
{
    struct attribute items[ATTRIBUTES_MOST];
    struct cluster cluster = {.id = 7, .name = "c", .attributes = {.items = items}};

    while (attributes[cluster.attributes.n].name) {
        items[cluster.attributes.n] = attributes[cluster.attributes.n];
        cluster.attributes.n++;
    }
    return rebalance_settings_read(&cluster, settings, err);
}

static void without_attributes(void **state)
{
    const struct attribute none[] = {{NULL, NULL}};
    struct rebalance_settings settings;
    struct error err;

    assert_int_equal(read_settings(none, &settings, &err), 0);
    assert_int_equal(settings.automation, AUTOMATION_MANUAL);
    assert_int_equal(settings.policy, REBALANCE_BALANCE);
    assert_int_equal(settings.weights[MEASURE_CPU_USAGE], USE_WHOLE);
    assert_int_equal(settings.most_moves, UINT32_MAX);
}

static void all_attributes(void **state)
{
    const struct attribute all[] = {{"ONE_DRS/POLICY", "pack"},
                                    {"ONE_DRS/AUTOMATION", "FULL"},
                                    {"ONE_DRS/CPU_WEIGHT", "0.6"},
                                    {"ONE_DRS/MEMORY_WEIGHT", "0.2"},
                                    {"ONE_DRS/MIGRATION_THRESHOLD", "-1"},
                                    {"ONE_DRS/HOST_MIGRATION_THRESHOLD", "4"},
                                    {"ONE_DRS/PREDICTIVE", "0.3"},
                                    {NULL, NULL}};
    struct rebalance_settings settings;
    struct error err;

    assert_int_equal(read_settings(all, &settings, &err), 0);
    assert_int_equal(settings.automation, AUTOMATION_FULL);
    assert_int_equal(settings.policy, REBALANCE_PACK);
    assert_int_equal(settings.weights[MEASURE_CPU_USAGE], 0);
    assert_int_equal(settings.weights[MEASURE_CPU], USE_WHOLE * 3 / 4);
    assert_int_equal(settings.weights[MEASURE_MEMORY], USE_WHOLE / 4);
    assert_int_equal(settings.most_moves, 4);
    assert_true(settings.predictive == 0.3);
}

static void net_and_disk(void **state)
{
    const struct attribute some[] = {{"ONE_DRS/NET_WEIGHT", "0.3"},
                                     {"ONE_DRS/DISK_WEIGHT", "0.1"},
                                     {"ONE_DRS/PREDICTIVE", "2"},
                                     {NULL, NULL}};
    struct rebalance_settings settings;
    struct error err;

    assert_int_equal(read_settings(some, &settings, &err), 0);
    assert_int_equal(settings.weights[MEASURE_CPU_USAGE], 0);
    assert_int_equal(settings.weights[MEASURE_NET], USE_WHOLE * 3 / 4);
    assert_int_equal(settings.weights[MEASURE_DISK], USE_WHOLE / 4);
    assert_true(settings.predictive == 1);
}

static void malformed_ones_are_named(void **state)
{
    static const struct {
        struct attribute attribute;
        const char *text;
    } cases[] = {
        {{"ONE_DRS/POLICY", "sideways"},
         "cluster 7: ONE_DRS/POLICY is 'sideways': expected balance"},
        {{"ONE_DRS/AUTOMATION", "no"},
         "ONE_DRS/AUTOMATION is 'no': expected manual, partial or full"},
        {{"ONE_DRS/CPU_WEIGHT", "0.5x"}, "ONE_DRS/CPU_WEIGHT is '0.5x': expected a number"},
        {{"ONE_DRS/MEMORY_WEIGHT", "nan"}, "ONE_DRS/MEMORY_WEIGHT is 'nan'"},
        {{"ONE_DRS/MIGRATION_THRESHOLD", ""}, "ONE_DRS/MIGRATION_THRESHOLD is ''"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct attribute one[] = {cases[i].attribute, {NULL, NULL}};
        struct rebalance_settings settings;
        struct error err;

        assert_int_equal(read_settings(one, &settings, &err), -1);
        assert_non_null(strstr(err.text, cases[i].text));
    }
}

static void applied_plans_survive_a_restart(void **state)
{
    const struct rebalance_move move = {.vm = 5, .from = 1, .to = 2, .lease = 5000000000};
    const struct rebalanced_host host = {.host = 2, .before = 250000, .after = 500000};
    struct store_fixture *fixture = *state;
    struct rebalancing rebalancing = {0};
    struct rebalance_plan plan = {
        .cluster = 100,
        .settings = {.automation = AUTOMATION_PARTIAL, .policy = REBALANCE_PACK},
        .made = 1700000000,
        .applied = 1700000030,
        .moves = memory_copy(&move, sizeof move),
        .n_moves = 1,
        .hosts = memory_copy(&host, sizeof host),
        .n_hosts = 1,
        .n_unread = 3};
    const struct rebalance_plan *kept;

    rebalance_plan_keep(&plan, fixture->store);
    store_must_commit(fixture->store);
    store_reopen(fixture);
    rebalancing_load(&rebalancing, fixture->store);
    kept = rebalancing_plan(&rebalancing, 100);
    assert_non_null(kept);
    assert_int_equal(kept->settings.automation, AUTOMATION_PARTIAL);
    assert_int_equal(kept->settings.policy, REBALANCE_PACK);
    assert_int_equal(kept->made, 1700000000);
    assert_int_equal(kept->applied, 1700000030);
    assert_int_equal(kept->n_moves, 1);
    assert_int_equal(kept->moves[0].vm, 5);
    assert_int_equal(kept->moves[0].from, 1);
    assert_int_equal(kept->moves[0].to, 2);
    assert_int_equal(kept->moves[0].lease, 5000000000);
    assert_int_equal(kept->n_hosts, 1);
    assert_int_equal(kept->hosts[0].host, 2);
    assert_int_equal(kept->hosts[0].before, 250000);
    assert_int_equal(kept->hosts[0].after, 500000);
    assert_int_equal(kept->n_unread, 3);
    rebalance_plan_unkeep(&plan, fixture->store);
    rebalance_plan_finish(&plan);
    rebalancing_finish(&rebalancing);
    rebalancing_load(&rebalancing, fixture->store);
    assert_int_equal(rebalancing.n_plans, 0);
}

static void plans_that_cannot_be_read_are_left_out(void **state)
{
    struct store_fixture *fixture = *state;
    struct rebalancing rebalancing = {0};

    store_set_fact(fixture->store, "rebalanced 1", "{");
    store_set_fact(fixture->store, "rebalanced 2",
                   "{\"made\":1,\"applied\":2,\"policy\":7,\"automation\":0,\"unread\":0,"
                   "\"moves\":[],\"hosts\":[]}");
    store_set_fact(fixture->store, "rebalanced 3",
                   "{\"made\":1,\"applied\":2,\"policy\":0,\"automation\":0,\"unread\":0,"
                   "\"moves\":[[1,2]],\"hosts\":[]}");
    rebalancing_load(&rebalancing, fixture->store);
    assert_int_equal(rebalancing.n_plans, 0);
    rebalancing_finish(&rebalancing);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_attributes),
                                       cmocka_unit_test(all_attributes),
                                       cmocka_unit_test(net_and_disk),
                                       cmocka_unit_test(malformed_ones_are_named),
                                       WITH_STORE(applied_plans_survive_a_restart),
                                       WITH_STORE(plans_that_cannot_be_read_are_left_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
