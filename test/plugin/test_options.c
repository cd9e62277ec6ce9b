/* Options: one table, every error with file and line. */
#include <errno.h>
#include <stdio.h>

#include "support.h"

static struct reason ask(struct bench *bench, struct lease *lease)
{
    struct reason reason = {0};

    assert_false(bench->hooks->admit(bench->hooks->context, lease, 1000, &reason));
    assert_int_equal(reason.id, REASON_REFUSED_BY_POLICY);
    return reason;
}

static void expect_values(struct bench *bench, const char *values)
{
    struct lease lease = test_lease(1, LEASE_BEST_EFFORT);
    char expected[128];

    bench->settings.admission = "witness";
    bench_start(bench);
    snprintf(expected, sizeof expected, "%s (a later request may be accepted)", values);
    assert_string_equal(ask(bench, &lease).text, expected);
    bench_stop(bench);
}

static void defaults_follow_the_mode(void **state)
{
    struct bench bench;

    bench_init(&bench);
    expect_values(&bench, "witness: 0 7 0.5 '' 1 7200");
    assert_int_equal(bench_logged(&bench, "policy witness: created in mode 0"), 1);
    bench.settings.haizea_compatible = true;
    expect_values(&bench, "witness: 1 7 0.5 '' 1 7200");
    assert_int_equal(bench_logged(&bench, "policy witness: created in mode 1"), 1);
}

static void all_types_are_read(void **state)
{
    struct bench bench;

    bench_init(&bench);
    bench_option(&bench, "Witness", "YES", "On");
    bench_option(&bench, "witness", "whole", "10");
    bench_option(&bench, "witness", "real", "2.5e-1");
    bench_option(&bench, "witness", "words", "some words");
    bench_option(&bench, "witness", "which", "Three");
    bench_option(&bench, "witness", "long", "1:02:03:04");
    bench_option(&bench, "witness", "whole", "3"); /* the last one wins */
    expect_values(&bench, "witness: 1 3 0.25 'some words' 2 93784");
}

static void durations(void **state)
{
    static const struct {
        const char *text, *values;
    } cases[] = {
        {"90", "witness: 0 7 0.5 '' 1 90"},          {"90s", "witness: 0 7 0.5 '' 1 90"},
        {"15m", "witness: 0 7 0.5 '' 1 900"},        {"7d", "witness: 0 7 0.5 '' 1 604800"},
        {"25:00:01", "witness: 0 7 0.5 '' 1 90001"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;

        bench_init(&bench);
        bench_option(&bench, "witness", "long", cases[i].text);
        expect_values(&bench, cases[i].values);
    }
}

static void wrong_values_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *key, *value, *text;
    } cases[] = {
        {"yes", "maybe", "site.conf:11: policy witness: option yes is 'maybe', expected yes or no"},
        {"whole", "11", "option whole is '11', expected a whole number, 1 to 10"},
        {"whole", "3x", "option whole is '3x', expected a whole number, 1 to 10"},
        {"whole", "", "option whole is '', expected a whole number"},
        {"whole", "99999999999999999999", "expected a whole number, 1 to 10"},
        {"real", "nan", "option real is 'nan', expected a number, 0 to 1"},
        {"real", "0x1", "option real is '0x1', expected a number, 0 to 1"},
        {"real", "1.5", "option real is '1.5', expected a number, 0 to 1"},
        {"which", "four", "option which is 'four', expected one, two or three"},
        {"which", "on", "option which is 'on', expected one, two or three"},
        {"long", "-5", "option long is '-5', expected a duration such as 90, 15m, 2h, 7d"},
        {"long", "2y", "expected a duration"},
        {"long", "5mm", "expected a duration"},
        {"long", "10:60:00", "expected a duration"},
        {"long", "10:00:60", "expected a duration"},
        {"long", "1:2:3:4:5", "expected a duration"},
        {"long", "1::3", "expected a duration"},
        {"long", "99999999999d", "expected a duration"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;

        bench_init(&bench);
        bench.settings.admission = "witness";
        bench_option(&bench, "witness", cases[i].key, cases[i].value);
        bench_refused(&bench, EINVAL, cases[i].text);
        assert_has(bench.err.text, "site.conf:11: ");
    }
}

static void unknown_options_and_modules(void **state)
{
    struct bench bench;

    bench_init(&bench);
    bench.settings.admission = "witness";
    bench_option(&bench, "witness", "whoel", "3");
    bench_refused(&bench, EINVAL, "site.conf:11: policy witness has no option 'whoel'");
    assert_has(bench.err.text, "did you mean 'whole'?");

    bench_init(&bench);
    bench.settings.admission = "witness";
    bench_option(&bench, "witnes", "whole", "3");
    bench_refused(&bench, ENOENT,
                  "site.conf:11: option whole: unknown policy 'witnes', did "
                  "you mean 'witness'?");

    /* A module that exists but is not in use may keep its options. */
    bench_init(&bench);
    bench_option(&bench, "hosts", "score", "not looked at");
    expect_values(&bench, "witness: 0 7 0.5 '' 1 7200");

    bench_init(&bench);
    bench.settings.admission = "needy";
    bench_refused(&bench, EINVAL, "policy needy needs the option needed: What nobody can guess");

    bench_init(&bench);
    bench.settings.admission = "accept-all";
    bench_option(&bench, "accept-all", "x", "1");
    bench_refused(&bench, EINVAL, "policy accept-all has no option 'x' (it has no options)");
}

static void an_option_without_a_file_names_itself(void **state)
{
    struct bench bench;

    bench_init(&bench);
    bench.settings.admission = "witness";
    bench_option(&bench, "witness", "whole", "0");
    bench.options[0].file = NULL;
    bench_refused(&bench, EINVAL, "witness.whole=0: policy witness: option whole is '0'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_follow_the_mode),
        cmocka_unit_test(all_types_are_read),
        cmocka_unit_test(durations),
        cmocka_unit_test(wrong_values_are_refused_with_their_place),
        cmocka_unit_test(unknown_options_and_modules),
        cmocka_unit_test(an_option_without_a_file_names_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
