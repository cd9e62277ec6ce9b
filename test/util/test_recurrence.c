/* What recurs does so by the clock on the wall, when it is set to daylight saving time, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "util/recurrence.h"
#include "util/time_parse.h"
#include "util/time_text.h"

/* Central European time by its rule: 2027-03-28 and 2027-10-31 are the days of change. */
static int in_berlin(void **state)
{
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return 0;
}

static int64_t at(const char *text)
{
    int64_t instant;

    if (time_parse_instant(text, 0, &instant))
        fail_msg("%s", text);
    return instant;
}

static void expect(enum recurrence recurrence, const char *first, uint32_t n, const char *wanted)
{
    char text[TIME_TEXT_MAX];

    time_text_local(recurrence_at(recurrence, at(first), n), text, sizeof text);
    if (strcmp(text, wanted) != 0)
        fail_msg("%s %s %u: %s, not %s", recurrence_name(recurrence), first, n, text, wanted);
}

static void days_keep_their_time(void **state)
{
    expect(RECURRENCE_DAILY, "2027-03-27 09:00", 0, "2027-03-27 09:00:00");
    expect(RECURRENCE_DAILY, "2027-03-27 09:00", 1, "2027-03-28 09:00:00");
    expect(RECURRENCE_DAILY, "2027-10-30 09:00", 2, "2027-11-01 09:00:00");
    expect(RECURRENCE_WEEKLY, "2027-03-25 23:30", 1, "2027-04-01 23:30:00");
    expect(RECURRENCE_WEEKLY, "2027-12-30 00:00", 1, "2028-01-06 00:00:00");
    assert_int_equal(recurrence_at(RECURRENCE_DAILY, at("2027-03-27 09:00"), 1) -
                         at("2027-03-27 09:00"),
                     23 * 3600);
}

static void weekends_are_left_out(void **state)
{
    static const char *const days[] = {"2027-01-06 08:00:00", "2027-01-07 08:00:00",
                                       "2027-01-08 08:00:00", "2027-01-11 08:00:00",
                                       "2027-01-12 08:00:00", "2027-01-13 08:00:00"};

    for (uint32_t i = 0; i < sizeof days / sizeof *days; i++)
        expect(RECURRENCE_WEEKDAYS, "2027-01-06 08:00", i, days[i]); /* a Wednesday */
    expect(RECURRENCE_WEEKDAYS, "2027-01-08 08:00", 1, "2027-01-11 08:00:00");
    expect(RECURRENCE_WEEKDAYS, "2027-01-09 08:00", 0, "2027-01-11 08:00:00"); /* Saturday */
    expect(RECURRENCE_WEEKDAYS, "2027-01-10 08:00", 5, "2027-01-18 08:00:00"); /* Sunday */
    expect(RECURRENCE_WEEKDAYS, "2027-03-26 08:00", 1, "2027-03-29 08:00:00");
}

static void times_that_the_clock_skips_or_repeats(void **state)
{
    expect(RECURRENCE_DAILY, "2027-03-27 02:30", 1, "2027-03-28 03:30:00");
    expect(RECURRENCE_DAILY, "2027-03-27 02:30", 2, "2027-03-29 02:30:00");
    assert_int_equal(recurrence_at(RECURRENCE_DAILY, at("2027-10-30 02:30"), 1),
                     at("2027-10-31T02:30:00+02:00"));
}

static void hours_are_hours(void **state)
{
    for (uint32_t n = 0; n < 30; n++)
        assert_int_equal(recurrence_at(RECURRENCE_HOURLY, at("2027-03-27 20:00"), n),
                         at("2027-03-27 20:00") + 3600 * (int64_t)n);
}

/* Where clocks are never set. */
static void without_daylight_saving_time(void **state)
{
    setenv("TZ", "JST-9", 1);
    tzset();
    expect(RECURRENCE_DAILY, "2027-03-27 02:30", 1, "2027-03-28 02:30:00");
    expect(RECURRENCE_WEEKLY, "2027-06-27 12:00", 52, "2028-06-25 12:00:00");
    in_berlin(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_keep_their_time),
        cmocka_unit_test(weekends_are_left_out),
        cmocka_unit_test(times_that_the_clock_skips_or_repeats),
        cmocka_unit_test(hours_are_hours),
        cmocka_unit_test(without_daylight_saving_time),
    };

    return cmocka_run_group_tests(tests, in_berlin, NULL);
}
