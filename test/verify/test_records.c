/* Haizea's own schedules: clean by Haizea's rules, and each oddity is one by the default rules. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test/verify/read_record.h"
#include "test/verify/records.h"

static int check_folder(const char *pattern)
{
    const struct verify_options options = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};
    char path[512];
    glob_t found;
    int n = 0;

    snprintf(path, sizeof path, "%s/%s", RECORDS, pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++, n++) {
        struct verification verification;
        struct schedule schedule;
        struct error err;

        if (read_record_file(&schedule, found.gl_pathv[i], &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(verify_schedule(&schedule, &options, &verification, &err), 0);
        if (verification.n_violations)
            fail_msg("%s: %s: %s", found.gl_pathv[i],
                     verify_check_name(verification.violations[0].check),
                     verification.violations[0].text);
        verification_finish(&verification);
        schedule_finish(&schedule);
    }
    globfree(&found);
    return n;
}

static void haizeas_records_are_clean(void **state)
{
    assert_true(check_folder("haizea-1.0/*.json") > 60);
    assert_true(check_folder("random/*.json") >= 60);
    assert_true(check_folder("haizea-1.1/*.json") >= 20);
    assert_int_equal(check_folder("blue/*.json"), 1);
}

struct oddity_case {
    const char *record;
    enum verify_oddity oddity;
    enum verify_check check; /* by the default rules */
};

static void each_oddity_is_tolerated_only_by_haizeas_rules(void **state)
{
    static const struct oddity_case cases[] = {
        {"haizea-1.0/shutdown-time", ODDITY_SHUTDOWN_INSIDE, CHECK_DURATION},
        {"haizea-1.0/real-at-suspend", ODDITY_PREMATURE_END_LOST, CHECK_DURATION},
        {"haizea-1.0/pre-nonpreemptible", ODDITY_TERMS_IGNORED, CHECK_PREEMPTION},
        {"random/rnd-0034", ODDITY_MOVED_WITHIN_HOSTS, CHECK_PLACE},
        {"random/rnd-0025", ODDITY_RESUMED_MIGRATING, CHECK_OVERLAP},
    };
    const struct verify_options as_haizea = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};
    const struct verify_options strict = {.partial = true, .compatibility = VERIFY_DEFAULT};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *record = load_record(cases[i].record);
        struct verification verification;

        check_record(record, &as_haizea, &verification);
        assert_int_equal(verification.n_violations, 0);
        assert_true(verification.tolerated[cases[i].oddity] > 0);
        verification_finish(&verification);
        check_record(record, &strict, &verification);
        assert_true(verification.violated[cases[i].check] > 0);
        assert_int_equal(verification.tolerated[cases[i].oddity], 0);
        verification_finish(&verification);
        json_decref(record);
    }
}

/* The record says which rules it follows, unless the caller knows better. */
static void the_record_tells_the_rules(void **state)
{
    const struct verify_options options = {.partial = true, .compatibility = VERIFY_AS_RECORDED};
    json_t *record = load_record("haizea-1.0/shutdown-time");
    struct verification verification;

    check_record(record, &options, &verification);
    assert_false(verification.haizea_1_0);
    verification_finish(&verification);
    change_record(record, "galerna",
                  "{\"schema\": \"galerna-record\", \"version\": 1, \"behaviour\": {\"a\": true, "
                  "\"b\": true}}");
    check_record(record, &options, &verification);
    assert_true(verification.haizea_1_0);
    verification_finish(&verification);
    change_record(record, "galerna",
                  "{\"schema\": \"galerna-record\", \"version\": 1, \"behaviour\": {\"a\": true, "
                  "\"b\": false}}");
    check_record(record, &options, &verification);
    assert_false(verification.haizea_1_0);
    verification_finish(&verification);
    json_decref(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(haizeas_records_are_clean),
        cmocka_unit_test(each_oddity_is_tolerated_only_by_haizeas_rules),
        cmocka_unit_test(the_record_tells_the_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
