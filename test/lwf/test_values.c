/* Times, numbers and words in traces. */
#include "lwf_test.h"

#include "lwf/values.h"

static bool parse(const char *text, int64_t *seconds)
{
    return value_parse_delta(text, text + strlen(text), seconds);
}

static void expect_delta(const char *text, int64_t expected)
{
    int64_t seconds;

    if (!parse(text, &seconds))
        fail_msg("\"%s\" is refused", text);
    assert_int_equal(seconds, expected);
}

static void test_delta(void **state)
{
    expect_delta("00:00", 0);
    expect_delta("01:30", 5400);
    expect_delta("00:00:43.00", 43);
    expect_delta("2:03:04:05", 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
    expect_delta("100:00:00", 360000);
    expect_delta("00:90:90", 5490);
    expect_delta(" 00:01:00\n", 60);
    expect_delta("00:00:01.4999", 1);
    expect_delta("00:00:01.5", 2);
    expect_delta("1157407:09:46:40", TRACE_TIME_MAX);
}

static void test_no_delta(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "5",
        "abc",
        "1:2:3:4:5",
        ":",
        "1:",
        ":1",
        "1::2",
        "-00:01:00",
        "00:01:00x",
        "00:01.5",
        "1157407:09:46:41",
        "99999999999999999999:00",
        "00:01:00 00:02:00",
        "0x1:00",
    };
    int64_t seconds;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (parse(texts[i], &seconds))
            fail_msg("\"%s\" is taken as %" PRId64, texts[i], seconds);
}

static void expect_haizea(const char *text, int64_t expected)
{
    assert_int_equal(value_parse_delta_haizea(text, text + strlen(text)), expected);
}

static void test_delta_as_haizea(void **state)
{
    expect_haizea("", 0);
    expect_haizea("soon", 0);
    expect_haizea("90", 0);
    expect_haizea("01:30", 5400);
    expect_haizea("+1:00:00:05", 86405);
    expect_haizea("about 00:02:00, perhaps", 120);
    expect_haizea("2 days, 01:00", 2 * 86400 + 3600);
    expect_haizea("5h 30min", 5 * 3600 + 1800);
    expect_haizea("unlimited", 0);
    expect_haizea("99999999999999999999:00", TRACE_TIME_MAX);
}

static void test_every_delta_is_read_back(void **state)
{
    static const int64_t values[] = {0, 1, 59, 60, 3599, 86399, 86400, 2587918, TRACE_TIME_MAX};
    char text[VALUE_DELTA_MAX];

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        value_format_delta(values[i], text);
        expect_delta(text, values[i]);
        if (values[i] < TRACE_TIME_MAX)
            expect_haizea(text, values[i]);
    }
}

static void test_integer(void **state)
{
    static const char *const bad[] = {"", "-", "1.0", "1e3", "1 2", "101", "-101", "x", "0x10"};
    static const char hundred[] = "100", negative[] = " -100 ";
    int64_t value;

    assert_true(value_parse_integer(hundred, hundred + 3, 100, &value));
    assert_int_equal(value, 100);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (value_parse_integer(bad[i], bad[i] + strlen(bad[i]), 100, &value))
            fail_msg("\"%s\" is taken as %" PRId64, bad[i], value);
    assert_true(value_parse_integer(negative, negative + 6, 100, &value));
    assert_int_equal(value, -100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta),           cmocka_unit_test(test_no_delta),
        cmocka_unit_test(test_delta_as_haizea), cmocka_unit_test(test_every_delta_is_read_back),
        cmocka_unit_test(test_integer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
