/* The ONE_DRS attributes of a cluster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/cloud/objects.h"
#include "daemon/live/rebalancing.h"

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

    (void)state;
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
                                    {NULL, NULL}};
    struct rebalance_settings settings;
    struct error err;

    (void)state;
    assert_int_equal(read_settings(all, &settings, &err), 0);
    assert_int_equal(settings.automation, AUTOMATION_FULL);
    assert_int_equal(settings.policy, REBALANCE_PACK);
    assert_int_equal(settings.weights[MEASURE_CPU_USAGE], 0);
    assert_int_equal(settings.weights[MEASURE_CPU], USE_WHOLE * 3 / 4);
    assert_int_equal(settings.weights[MEASURE_MEMORY], USE_WHOLE / 4);
    assert_int_equal(settings.most_moves, 4);
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct attribute one[] = {cases[i].attribute, {NULL, NULL}};
        struct rebalance_settings settings;
        struct error err;

        assert_int_equal(read_settings(one, &settings, &err), -1);
        assert_non_null(strstr(err.text, cases[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_attributes),
                                       cmocka_unit_test(all_attributes),
                                       cmocka_unit_test(malformed_ones_are_named)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
