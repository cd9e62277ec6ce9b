/* Replacing assignments in oned.conf, and restoring them byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/oned_conf.h"

static char *replaced(const char *text, const char *name, const char *line)
{
    struct error err;
    char *result = oned_conf_replace(text, name, line, &err);

    if (!result)
        fail_msg("%s", err.text);
    return result;
}

static void assert_replaced(const char *text, const char *name, const char *line,
                            const char *expected)
{
    char *once = replaced(text, name, line), *twice = replaced(once, name, line), *back;
    bool changed;

    assert_string_equal(once, expected);
    assert_string_equal(twice, expected);
    back = oned_conf_restore(twice, &changed);
    assert_true(changed);
    assert_string_equal(back, text);
    free(once);
    free(twice);
    free(back);
}

static void one_line(void **state)
{
    assert_replaced("A = 1\nDRS_INTERVAL = 600\nB = 2\n", "DRS_INTERVAL", "DRS_INTERVAL = -1",
                    "A = 1\n#galerna-replaced# DRS_INTERVAL = 600\n"
                    "DRS_INTERVAL = -1   #galerna\nB = 2\n");
}

static void a_vector_over_several_lines(void **state)
{
    assert_replaced("SCHED_MAD = [\n  EXECUTABLE = \"one_sched\", # ] no end\n"
                    "  ARGUMENTS = \"-p [rank]\"\n]\nB = 2\n",
                    "SCHED_MAD", "SCHED_MAD = [ ARGUMENTS = \"-p galerna\" ]",
                    "#galerna-replaced# SCHED_MAD = [\n"
                    "#galerna-replaced#   EXECUTABLE = \"one_sched\", # ] no end\n"
                    "#galerna-replaced#   ARGUMENTS = \"-p [rank]\"\n"
                    "#galerna-replaced# ]\n"
                    "SCHED_MAD = [ ARGUMENTS = \"-p galerna\" ]   #galerna\nB = 2\n");
}

static void comments_and_longer_names_are_left(void **state)
{
    assert_replaced("# DRS_INTERVAL = 1\nDRS_INTERVAL_MAX = 2\n", "DRS_INTERVAL",
                    "DRS_INTERVAL = -1",
                    "# DRS_INTERVAL = 1\nDRS_INTERVAL_MAX = 2\nDRS_INTERVAL = -1   #galerna\n");
}

static void all_of_several_are_replaced(void **state)
{
    assert_replaced("X = 1\nx=2\n", "X", "X = 3",
                    "#galerna-replaced# X = 1\nX = 3   #galerna\n#galerna-replaced# x=2\n");
}

static void a_file_without_a_final_newline_has_none_again(void **state)
{
    (void)state;
    assert_replaced("A = 1", "X", "X = 3", "A = 1\nX = 3   #galerna");
    assert_replaced("A = 1\nX = 2", "X", "X = 3",
                    "A = 1\n#galerna-replaced# X = 2\nX = 3   #galerna");
    assert_replaced("", "X", "X = 3", "X = 3   #galerna");
}

static void a_new_value_takes_the_place_of_ours(void **state)
{
    char *first, *second;

    first = replaced("X = 1\n", "X", "X = 2");
    second = replaced(first, "X", "X = 3");
    assert_string_equal(second, "#galerna-replaced# X = 1\nX = 3   #galerna\n");
    free(first);
    free(second);
}

static void a_vector_without_an_end_is_an_error(void **state)
{
    struct error err;

    assert_null(oned_conf_replace("X = [\n A = \"]\"\n", "X", "X = 1", &err));
    assert_non_null(strstr(err.text, "X has an unclosed ["));
}

static void a_text_without_changes_stays_as_it_is(void **state)
{
    bool changed;
    char *text = oned_conf_restore("X = 1\n# Y\nlast", &changed);

    assert_false(changed);
    assert_string_equal(text, "X = 1\n# Y\nlast");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line),
        cmocka_unit_test(a_vector_over_several_lines),
        cmocka_unit_test(comments_and_longer_names_are_left),
        cmocka_unit_test(all_of_several_are_replaced),
        cmocka_unit_test(a_file_without_a_final_newline_has_none_again),
        cmocka_unit_test(a_new_value_takes_the_place_of_ours),
        cmocka_unit_test(a_vector_without_an_end_is_an_error),
        cmocka_unit_test(a_text_without_changes_stays_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
