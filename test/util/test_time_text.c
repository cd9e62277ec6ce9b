/* Times as people and programs read and write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "util/instant.h"
#include "util/time_parse.h"
#include "util/time_text.h"

/* 2026-11-21T15:00:00Z */
#define NOW INT64_C(1795273200)

static void times_for_programs_are_read_as_they_are_written(void **state)
{
    static const char *const wrong[] = {
        "",
        "2026-11-21",
        "2026-11-21T15:00:00",
        "2026-11-21 15:00:00Z",
        "2026-02-30T15:00:00Z",
        "2026-13-01T15:00:00Z",
        "2026-11-21T24:00:00Z",
        "2026-11-21T15:60:00Z",
        "2026-11-21T15:00:00+1:00",
        "2026-11-21T15:00:00+24:00",
        "2026-11-21T15:00:00+01:00x",
        "2026-11-21T15:00:00.Z",
        "2026-11-21T15:00:00Zz",
    };
    char text[TIME_TEXT_MAX];
    int64_t instant;

    time_text_utc(NOW, text, sizeof text);
    assert_string_equal(text, "2026-11-21T15:00:00Z");
    assert_true(time_parse_utc(text, &instant));
    assert_int_equal(instant, NOW);
    assert_true(time_parse_utc("2026-11-21T10:00:00.75-05:00", &instant));
    assert_int_equal(instant, NOW);
    assert_true(time_parse_utc("1969-12-31T23:59:59Z", &instant));
    assert_int_equal(instant, -1);
    time_text_utc(INSTANT_NEVER, text, sizeof text);
    assert_string_equal(text, "never");
    time_text_utc(INSTANT_NONE, text, sizeof text);
    assert_string_equal(text, "unset");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (time_parse_utc(wrong[i], &instant))
            fail_msg("'%s' was taken for a time", wrong[i]);
}

/* Every day of four centuries, then the last ones that have a date. */
static void each_day_has_its_date(void **state)
{
    const int64_t day = 86400, days = 146097 + 2, last = INT64_C(253402300799);
    char text[TIME_TEXT_MAX], expected[TIME_TEXT_MAX];

    for (int64_t i = 0; i < 2 * days; i++) {
        time_t instant = (time_t)(i < days ? i * day + i % day : last - (i - days) * day);
        struct tm parts;

        time_text_utc(instant, text, sizeof text);
        gmtime_r(&instant, &parts);
        strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%SZ", &parts);
        assert_string_equal(text, expected);
    }
    time_text_utc(last + 1, text, sizeof text);
    assert_string_equal(text, "never");
}

static const char *local(int64_t instant)
{
    static char text[TIME_TEXT_MAX];

    time_text_local(instant, text, sizeof text);
    return text;
}

static void times_for_people_are_local_and_read_as_they_are_written(void **state)
{
    int64_t instant;

    assert_string_equal(local(NOW), "2026-11-21 16:00:00");
    assert_string_equal(local(INSTANT_NEVER), "never");
    assert_string_equal(local(INSTANT_NONE), "-");
    assert_null(time_parse_instant(local(NOW), NOW, &instant));
    assert_int_equal(instant, NOW);
    assert_null(time_parse_instant("2026-11-21", NOW, &instant));
    assert_string_equal(local(instant), "2026-11-21 00:00:00");
    assert_null(time_parse_instant("2026-11-21T16:00", NOW, &instant));
    assert_int_equal(instant, NOW);
    assert_null(time_parse_instant("2026-11-21 16:00:00+01:00", NOW, &instant));
    assert_int_equal(instant, NOW);
    assert_null(time_parse_instant("16:30", NOW, &instant));
    assert_int_equal(instant, NOW + 1800);
    assert_null(time_parse_instant("15:30", NOW, &instant));
    assert_int_equal(instant, NOW + 86400 - 1800);
    assert_null(time_parse_instant("+1h30m", NOW, &instant));
    assert_int_equal(instant, NOW + 5400);
    assert_non_null(time_parse_instant("tomorrow", NOW, &instant));
    assert_non_null(time_parse_instant("2026-02-31 10:00", NOW, &instant));
}

/* Of two equal times, the second one has its UTC offset; what is read is the same instant. */
static void a_time_that_is_repeated_has_its_offset(void **state)
{
    static const char *const shown[] = {"2027-10-31 01:59:59",       "2027-10-31 02:00:00",
                                        "2027-10-31 02:59:59",       "2027-10-31 02:00:00+01:00",
                                        "2027-10-31 02:59:59+01:00", "2027-10-31 03:00:00"};
    static const int64_t seconds[] = {-3601, -3600, -1, 0, 3599, 3600};
    const int64_t set_back = 1824944400; /* 3:00 +02:00 */
    int64_t instant;

    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        assert_string_equal(local(set_back + seconds[i]), shown[i]);
        assert_null(time_parse_instant(shown[i], NOW, &instant));
        assert_int_equal(instant, set_back + seconds[i]);
    }
    assert_string_equal(local(1806195600), "2027-03-28 03:00:00");
    setenv("TZ", "CET-1", 1);
    tzset();
}

static const char *span(int64_t seconds)
{
    static char text[TIME_TEXT_MAX];

    time_text_span(seconds, text, sizeof text);
    return text;
}

static const char *exact(int64_t seconds)
{
    static char text[TIME_TEXT_MAX];

    time_text_exact(seconds, text, sizeof text);
    return text;
}

static const char *relative(int64_t instant)
{
    static char text[TIME_TEXT_MAX];

    time_text_relative(instant, NOW, text, sizeof text);
    return text;
}

static void spans_have_two_units(void **state)
{
    char text[TIME_TEXT_MAX];

    assert_string_equal(span(45), "45s");
    assert_string_equal(span(310), "5m10s");
    assert_string_equal(span(3 * 3600 + 12 * 60), "3h12m");
    assert_string_equal(span(2 * 86400 + 5 * 3600), "2d05h");
    assert_string_equal(span(SPAN_UNLIMITED), "unlimited");
    assert_string_equal(span(SPAN_NONE), "-");
    assert_string_equal(exact(0), "0s");
    assert_string_equal(exact(310), "5m10s");
    assert_string_equal(exact(90 * 86400), "90d");
    assert_string_equal(exact(5400), "1h30m");
    assert_string_equal(exact(2 * 86400 + 1), "2d00h00m01s");
    assert_string_equal(exact(-61), "-1m01s");
    assert_string_equal(exact(INT64_MAX - 1), "106751991167300d15h30m06s");
    assert_string_equal(exact(SPAN_UNLIMITED), "unlimited");
    assert_string_equal(exact(SPAN_NONE), "-");
    assert_string_equal(relative(NOW), "now");
    assert_string_equal(relative(NOW + 310), "in 5m10s");
    assert_string_equal(relative(NOW - 45), "45s ago");
    assert_string_equal(relative(INSTANT_NEVER), "never");
    time_text_hours(-5, text, sizeof text);
    assert_string_equal(text, "-0:00:05");
    time_text_hours(90000, text, sizeof text);
    assert_string_equal(text, "25:00:00");
    time_text_seconds(4711, text, sizeof text);
    assert_string_equal(text, "4711 s");
}

static void spans_are_read_with_units_or_colons(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds; /* 0: it is none */
    } cases[] = {
        {"90s", 90},
        {"30m", 1800},
        {"1h30m", 5400},
        {"2d", 172800},
        {"1:30", 5400},
        {"1:30:15", 5415},
        {"2:00:00:00", 172800},
        {"unlimited", SPAN_UNLIMITED},
        {"0s", 0},
        {"1:60", 0},
        {"", 0},
        {"5", 0},
        {"5y", 0},
        {"37000d", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t seconds = 0;

        assert_int_equal(!time_parse_duration(cases[i].text, &seconds), cases[i].seconds != 0);
        if (cases[i].seconds)
            assert_int_equal(seconds, cases[i].seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_for_programs_are_read_as_they_are_written),
        cmocka_unit_test(each_day_has_its_date),
        cmocka_unit_test(times_for_people_are_local_and_read_as_they_are_written),
        cmocka_unit_test(a_time_that_is_repeated_has_its_offset),
        cmocka_unit_test(spans_have_two_units),
        cmocka_unit_test(spans_are_read_with_units_or_colons),
    };

    setenv("TZ", "CET-1", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
