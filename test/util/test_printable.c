/* Characters that are masked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "util/printable.h"

static void expect(const char *text, const char *wanted)
{
    char copy[64];

    snprintf(copy, sizeof copy, "%s", text);
    mask_controls(copy, '?');
    assert_string_equal(copy, wanted);
}

static void controls_are_masked(void **state)
{
    expect("", "");
    expect("plain \xc3\xa9\xe2\x82\xac", "plain \xc3\xa9\xe2\x82\xac");
    expect("\x1b[31m\t\n\x7f", "?[31m???");
    expect("a\xc2\x9b"
           "b",
           "a?b");
}

static void what_turns_the_direction_is_masked(void **state)
{
    expect("a\xe2\x80\xae"
           "b",
           "a?b"); /* U+202E */
    expect("\xe2\x80\xa8\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "????");
    expect("\xe2\x81\xa6x\xe2\x81\xa9", "?x?");
    expect("\xe2\x80\x93\xe2\x81\xa5", "\xe2\x80\x93\xe2\x81\xa5");
}

static void what_is_not_utf8_is_masked(void **state)
{
    expect("a\xe2", "a?");
    expect("a\xe2\x80", "a??");
    expect("\xff\xfe\xc3\xa9\xc3", "??\xc3\xa9?");
}

static void expect_cut(const char *text, const char *wanted)
{
    char cut[16] = "";

    strncpy(cut, text, sizeof cut - 1);
    mark_cut(cut, sizeof cut);
    assert_string_equal(cut, wanted);
}

static void what_was_cut_ends_after_a_word(void **state)
{
    expect_cut("no room for it", "no room for it");
    expect_cut("no room for this lease", "no room for ...");
    expect_cut("abcdefghijklmnopqrstuvwxyz", "abcdefghijkl...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_masked),
        cmocka_unit_test(what_turns_the_direction_is_masked),
        cmocka_unit_test(what_is_not_utf8_is_masked),
        cmocka_unit_test(what_was_cut_ends_after_a_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
