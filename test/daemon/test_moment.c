/* Instants in documents for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/instant.h"
#include "daemon/control/moment.h"

/* 2026-11-21T15:00:00Z */
#define NOW INT64_C(1795273200)

static void moments_are_read_as_they_are_written(void **state)
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
    char text[MOMENT_TEXT_MAX];
    int64_t instant;

    (void)state;
    moment_format(NOW, text);
    assert_string_equal(text, "2026-11-21T15:00:00Z");
    assert_true(moment_parse(text, &instant));
    assert_int_equal(instant, NOW);
    assert_true(moment_parse("2026-11-21T10:00:00.75-05:00", &instant));
    assert_int_equal(instant, NOW);
    assert_true(moment_parse("1969-12-31T23:59:59Z", &instant));
    assert_int_equal(instant, -1);
    moment_format(INSTANT_NEVER, text);
    assert_string_equal(text, "never");
    moment_format(INSTANT_NONE, text);
    assert_string_equal(text, "unset");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (moment_parse(wrong[i], &instant))
            fail_msg("'%s' was taken for a time", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_read_as_they_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
