/* Numbers with decimals as integers: text in, text out, nothing lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/decimal.h"

static void expect(const char *text, int decimals, int64_t number, const char *written)
{
    char shown[DECIMAL_TEXT_MAX];
    int64_t value;

    if (decimal_parse(text, decimals, &value) < 0)
        fail_msg("%s", text);
    assert_int_equal(value, number);
    assert_string_equal(decimal_write(number, decimals, shown), written);
}

static void numbers_come_out_as_they_went_in(void **state)
{
    expect("0", 3, 0, "0");
    expect("-0", 3, 0, "0");
    expect("0.5", 3, 500, "0.5");
    expect("-0.5", 3, -500, "-0.5");
    expect("-.05", 3, -50, "-0.05");
    expect("+12.340", 3, 12340, "12.34");
    expect("12.", 3, 12000, "12");
    expect("-7", 0, -7, "-7");
    expect("9223372036854775807", 0, INT64_MAX, "9223372036854775807");
    expect("-9223372036854775.808", 3, INT64_MIN, "-9223372036854775.808");
    expect("0.000000001", 9, 1, "0.000000001");
}

static void anything_else_is_refused(void **state)
{
    static const char *const wrong[] = {"",    ".",      "-",    "+-1", " 1",
                                        "1 ",  "1.2.3",  "0x10", "1e3", "nan",
                                        "inf", "1.0000", "1,5",  "--1", "9223372036854775.808"};
    int64_t value = 4711;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (decimal_parse(wrong[i], 3, &value) == 0)
            fail_msg("'%s' is read", wrong[i]);
    assert_int_equal(decimal_parse("1.5", 0, &value), -1);
    assert_int_equal(value, 4711);
}

static void a_real_number_is_read_whole_or_not_at_all(void **state)
{
    static const char *const wrong[] = {"", ".", "e3", " 1", "1 ", "0x10", "nan", "inf", "1e999"};
    double value = 4711;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (decimal_parse_real(wrong[i], &value) == 0)
            fail_msg("'%s' is read", wrong[i]);
    assert_true(value == 4711);
    assert_int_equal(decimal_parse_real("-1.5e3", &value), 0);
    assert_true(value == -1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_out_as_they_went_in),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(a_real_number_is_read_whole_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
