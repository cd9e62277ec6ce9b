/* A record beside that of the same run, carried out again: each difference is found, and then
 * nothing is left that is not checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/verify/records.h"
#include "verify/compare.h"

static const struct verify_options haizeas = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};

static void the_same_record_leaves_nothing_unchecked(void **state)
{
    json_t *record = load_record("haizea-1.0/img-migrate");
    struct verification verification;

    check_record(record, &haizeas, &verification);
    assert_true(verification.not_checked[GAP_DISK]);
    verify_compare(record, record, REPEATED_FROM_CONFIGURATION, &verification);
    assert_int_equal(verification.n_violations, 0);
    assert_true(verification.examined[CHECK_REPEATED] > 100);
    for (int gap = 0; gap < GAPS; gap++)
        assert_false(verification.not_checked[gap]);
    verification_finish(&verification);
    json_decref(record);
}

/* Lies that the record alone does not give away. */
static void each_difference_is_named(void **state)
{
    static const struct {
        const char *path, *value, *text; /* value NULL: dropped */
    } lies[] = {
        {"counters/Disk usage/3/2", "1",
         "counters.Disk usage[3][2]: the record has 1, the repeated run 2560"},
        {"counters/Disk usage/8", NULL,
         "counters.Disk usage: the record has a list of 8, the repeated run a list of 9"},
        {"site/1/Memory", NULL, "site.1.Memory: the record has nothing, the repeated run 1024"},
        {"stats/more", "true", "stats.more: the record has true, the repeated run nothing"},
        {"status", "{}", "status: the record has an object of 0 members, the repeated run \"ok\""},
    };

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        json_t *record = load_record("haizea-1.0/img-migrate");
        json_t *lie = json_deep_copy(record);
        struct verification verification;

        change_record(lie, lies[i].path, lies[i].value);
        check_record(record, &haizeas, &verification);
        verify_compare(lie, record, REPEATED_FROM_RECORD, &verification);
        assert_int_equal(verification.n_violations, 1);
        assert_string_equal(verification.violations[0].text, lies[i].text);
        assert_true(verification.not_checked[GAP_TRACE]);
        verification_finish(&verification);
        json_decref(lie);
        json_decref(record);
    }
}

/* The lease, host and time of an entry are told with the difference. */
static void each_difference_is_located(void **state)
{
    static const struct {
        const char *path;
        int64_t lease, host, time;
    } lies[] = {
        {"leases/1/end", 2, SCHEDULE_UNSET, SCHEDULE_UNSET},
        {"site/1/Memory", SCHEDULE_UNSET, 1, SCHEDULE_UNSET},
        {"state_log/0/3", 1, SCHEDULE_UNSET, 0},
        {"counters/Disk usage/0/2", SCHEDULE_UNSET, SCHEDULE_UNSET, 0},
    };

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        json_t *record = load_record("haizea-1.0/img-migrate");
        json_t *lie = json_deep_copy(record);
        struct verification verification;

        change_record(lie, lies[i].path, "77");
        check_record(record, &haizeas, &verification);
        verify_compare(lie, record, REPEATED_FROM_RECORD, &verification);
        assert_int_equal(verification.n_violations, 1);
        assert_int_equal(verification.violations[0].lease, lies[i].lease);
        assert_int_equal(verification.violations[0].host, lies[i].host);
        assert_int_equal(verification.violations[0].time, lies[i].time);
        verification_finish(&verification);
        json_decref(lie);
        json_decref(record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_record_leaves_nothing_unchecked),
        cmocka_unit_test(each_difference_is_named),
        cmocka_unit_test(each_difference_is_located),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
