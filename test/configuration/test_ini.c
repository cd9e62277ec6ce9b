/* The grammar of configuration files, and what is refused with which words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/ini.h"

static struct ini ini;

static int begin(void **state)
{
    ini_init(&ini);
    return 0;
}

static int end(void **state)
{
    ini_finish(&ini);
    return 0;
}

static void read_text(const char *text)
{
    struct error err = {0};

    if (ini_read_text(&ini, "a.conf", text, strlen(text), &err) < 0)
        fail_msg("refused: %s", err.text);
}

static void refused(const char *text, size_t length, const char *words)
{
    struct error err = {0};

    assert_int_equal(ini_read_text(&ini, "a.conf", text, length, &err), -1);
    assert_int_equal(err.code, EINVAL);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static const char *value(const char *section, const char *key)
{
    const struct ini_entry *entry = ini_find(&ini, section, key);

    return entry ? entry->value : "(none)";
}

static void test_both_separators_and_comments(void **state)
{
    read_text("# comment\n; comment\n[a]\none: 1\ntwo=2\n three : not an option\n[b]\n"
              "four = x:y ; inline comment\nfive: a;b\nsix: a # not a comment\nseven:\n");
    assert_string_equal(value("a", "one"), "1");
    assert_string_equal(value("a", "two"), "2 three : not an option");
    assert_string_equal(value("b", "four"), "x:y");
    assert_string_equal(value("b", "five"), "a;b");
    assert_string_equal(value("b", "six"), "a # not a comment");
    assert_string_equal(value("b", "seven"), "");
    assert_int_equal(ini.n_entries, 6);
}

static void test_lines_are_counted(void **state)
{
    char where[80];

    read_text("[a]\n\none: 1\n# x\ntwo: 2\n  goes on\n\nthree: 3\n");
    assert_int_equal(ini_find(&ini, "a", "one")->line, 3);
    assert_int_equal(ini_find(&ini, "a", "two")->line, 5);
    assert_string_equal(value("a", "two"), "2 goes on");
    assert_int_equal(ini_find(&ini, "a", "three")->line, 8);
    assert_string_equal(ini_where(ini_find(&ini, "a", "three"), where, sizeof where), "a.conf:8");
}

static void test_mark_carriage_returns_and_no_last_newline(void **state)
{
    read_text("\xef\xbb\xbf[a]\r\none: 1\r\n\r\ntwo: 2");
    assert_string_equal(value("a", "one"), "1");
    assert_string_equal(value("a", "two"), "2");
    assert_int_equal(ini.sections[0].line, 1);
}

static void test_case_of_names(void **state)
{
    read_text("[A]\nKey: 1\n[a]\nkey: 2\n");
    assert_string_equal(value("A", "key"), "1");
    assert_string_equal(value("a", "key"), "2");
}

static void test_last_value_wins(void **state)
{
    read_text("[a]\nkey: 1\nkey: 2\n");
    ini_add(&ini,
            &(struct ini_entry){.section = "a", .key = "key", .value = "3", .origin = "--set"});
    assert_string_equal(value("a", "key"), "3");
}

static void test_empty_section_is_known(void **state)
{
    read_text("[accounting]\n[a]\nx: 1\n");
    assert_true(ini_has_section(&ini, "accounting"));
    assert_false(ini_has_section(&ini, "b"));
}

static void test_long_value_is_kept_whole(void **state)
{
    char text[10020];

    memcpy(text, "[a]\nkey: ", 9);
    memset(text + 9, 'x', 10000);
    text[10009] = '\0';
    read_text(text);
    assert_int_equal(strlen(value("a", "key")), 10000);
}

static void refused_text(const char *text, const char *words)
{
    refused(text, strlen(text), words);
    end(NULL);
    begin(NULL);
}

static void test_what_is_no_line(void **state)
{
    refused_text("[a]\nx: 1\nnonsense\n", "a.conf:3: expected '[section]' or 'option: value'");
    refused_text("[a]\n: 1\n", "a.conf:2: expected the name of an option");
    refused_text("x: 1\n", "a.conf:1: an option before the first [section]");
    refused_text("[a\nx: 1\n", "a.conf:1: the section's name has no closing ']'");
    refused_text("[]\nx: 1\n", "a.conf:1: the section has no name");
}

static void test_nul_byte(void **state)
{
    refused("[a]\n# \xff\nx: \xc3\xa9\n \xe9\n", 17, "a.conf:4: the line is not UTF-8 text");
    refused("[a]\nx\xc3", 6, "a.conf:2: the line is not UTF-8 text");
    refused("[a]\nx: 1\ny\0: 2\n", 15, "a.conf:3: the line contains a NUL byte");
}

static void test_names_too_long(void **state)
{
    char text[200] = "[a]\n";

    memset(text + 4, 'k', 60);
    strcpy(text + 64, ": 1\n");
    refused_text(text, "a.conf:2: the option's name is longer than 49 characters");
    memset(text, 's', 60);
    text[0] = '[';
    strcpy(text + 60, "]\nx: 1\n");
    refused_text(text, "a.conf:1: the section's name is longer than 49 characters");
}

static void test_size_limits(void **state)
{
    size_t size = INI_FILE_MAX + 100;
    char *text = malloc(size);

    assert_non_null(text);
    memset(text, '#', size);
    refused(text, size, "at most 1048576 are allowed");
    end(NULL);
    memcpy(text, "[a]\nk: ", 7);
    memset(text + 7, 'x', INI_LINE_MAX);
    refused(text, INI_LINE_MAX + 7, "a.conf:2: the line has");
    end(NULL);
    for (size_t i = 0; i + 5 <= INI_FILE_MAX; i += 5)
        memcpy(text + i, "[ab]\n", 5);
    assert_int_equal(ini_read_text(&ini, "a.conf", text, INI_FILE_MAX / 5 * 5, NULL), 0);
    end(NULL);
    for (size_t i = 0; i < INI_FILE_MAX / 8; i++) {
        text[8 * i] = '[';
        for (int digit = 0; digit < 5; digit++)
            text[8 * i + 1 + (size_t)digit] = (char)('a' + (i >> (4 * digit)) % 16);
        memcpy(text + 8 * i + 6, "]\n", 2);
    }
    refused(text, INI_FILE_MAX / 8 * 8, "more than 500 sections");
    end(NULL);
    memcpy(text, "[a]\n", 4);
    for (size_t i = 1; i < INI_FILE_MAX / 4; i++)
        memcpy(text + 4 * i, "k:1\n", 4);
    refused(text, INI_FILE_MAX / 4 * 4, "more than 5000 options");
    free(text);
}

static void test_missing_file(void **state)
{
    struct error err = {0};

    assert_int_equal(ini_read_file(&ini, "no/such.conf", &err), -1);
    assert_int_equal(err.code, ENOENT);
    assert_non_null(strstr(err.text, "no/such.conf"));
    assert_int_equal(ini_read_file(&ini, "/", &err), -1);
    assert_int_equal(err.code, EISDIR);
}

static void test_names_stand_for_values(void **state)
{
    read_text("[DEFAULT]\nroot: /data\nsize = 10\n[a]\nDir: %(root)s/a\nfile: %(dir)s/x-%(SIZE)s\n"
              "percent: 50%% of %(root)s\nplain: 50%%\n[b]\nroot: /other\nfile: %(root)s/y\n");
    assert_string_equal(value("a", "dir"), "/data/a");
    assert_string_equal(value("a", "file"), "/data/a/x-10");
    assert_string_equal(value("a", "percent"), "50% of /data");
    assert_string_equal(value("a", "plain"), "50%%");
    assert_string_equal(value("a", "root"), "/data");
    assert_true(ini_find(&ini, "a", "root")->inherited);
    assert_string_equal(value("b", "root"), "/other");
    assert_string_equal(value("b", "file"), "/other/y");
    assert_false(ini_find(&ini, "b", "root")->inherited);
}

static void test_wrong_names_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"[a]\nx: 1\ny: %(z)s\n", "a.conf:3: the value of y names %(z)s, which is set neither"},
        {"[a]\nx: %(y)s\ny: %(x)s\n",
         "a.conf:2: the %(name)s of x refer to each other in a circle"},
        {"[a]\nx: %(x\n", "a.conf:2: '%(x' in the value of x: expected %(name)s"},
        {"[a]\ny: 1\nx: %(y)d\n", "expected %(name)s"},
        {"[a]\ny: 1\nx: %(y)s 5% more\n", "write %% for a percent sign"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
        ini_finish(&ini);
    }
}

/* Every name of a value doubles it. */
static void test_values_do_not_explode(void **state)
{
    static const char text[] =
        "[a]\na0: 0123456789012345678901234567890123456789\na1: %(a0)s%(a0)s%(a0)s%(a0)s\n"
        "a2: %(a1)s%(a1)s%(a1)s%(a1)s\na3: %(a2)s%(a2)s%(a2)s%(a2)s\n"
        "a4: %(a3)s%(a3)s%(a3)s%(a3)s\na5: %(a4)s%(a4)s%(a4)s%(a4)s\n";

    refused(text, strlen(text), "is longer than");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_stand_for_values, begin, end),
        cmocka_unit_test_setup_teardown(test_wrong_names_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_values_do_not_explode, begin, end),
        cmocka_unit_test_setup_teardown(test_both_separators_and_comments, begin, end),
        cmocka_unit_test_setup_teardown(test_lines_are_counted, begin, end),
        cmocka_unit_test_setup_teardown(test_mark_carriage_returns_and_no_last_newline, begin, end),
        cmocka_unit_test_setup_teardown(test_case_of_names, begin, end),
        cmocka_unit_test_setup_teardown(test_last_value_wins, begin, end),
        cmocka_unit_test_setup_teardown(test_empty_section_is_known, begin, end),
        cmocka_unit_test_setup_teardown(test_long_value_is_kept_whole, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_no_line, begin, end),
        cmocka_unit_test_setup_teardown(test_nul_byte, begin, end),
        cmocka_unit_test_setup_teardown(test_names_too_long, begin, end),
        cmocka_unit_test_setup_teardown(test_size_limits, begin, end),
        cmocka_unit_test_setup_teardown(test_missing_file, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
