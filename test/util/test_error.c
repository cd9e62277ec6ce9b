/* Errors as values. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/error.h"

static void an_error_has_a_code_and_a_text(void **state)
{
    struct error err = {0};

    errno = 0;
    assert_int_equal(error_set(&err, ENOENT, "%s: line %d", "file", 7), -1);
    assert_int_equal(err.code, ENOENT);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(err.text, "file: line 7");
    assert_null(error_null(&err, EINVAL, "no %s", "name"));
    assert_int_equal(err.code, EINVAL);
    assert_string_equal(err.text, "no name");
}

static void the_text_of_errno_follows(void **state)
{
    struct error err = {0};

    errno = ENOENT;
    assert_int_equal(error_errno(&err, "%s: cannot read", "file"), -1);
    assert_int_equal(err.code, ENOENT);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(err.text, "file: cannot read: No such file or directory");
    assert_int_equal(error_errno(NULL, "unread"), -1);
    assert_int_equal(errno, ENOENT);
}

static void nobody_has_to_want_the_text(void **state)
{
    errno = 0;
    assert_int_equal(error_set(NULL, EINVAL, "%s", "unread"), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(error_prefix(NULL, "file"), -1);
}

static void prefixes_are_put_in_front(void **state)
{
    struct error err = {0};

    error_set(&err, EINVAL, "is negative");
    assert_int_equal(error_prefix(&err, "line %d", 3), -1);
    assert_int_equal(error_prefix(&err, "a.conf"), -1);
    assert_string_equal(err.text, "a.conf: line 3: is negative");
    assert_int_equal(err.code, EINVAL);
}

static void long_texts_are_cut_and_terminated(void **state)
{
    struct error err;
    char text[2 * ERROR_TEXT_MAX];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    memset(&err, 'y', sizeof err);
    error_set(&err, EINVAL, "%s", text);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
    error_prefix(&err, "first");
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
    assert_memory_equal(err.text, "first: xxx", 10);
    error_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_has_a_code_and_a_text),
        cmocka_unit_test(the_text_of_errno_follows),
        cmocka_unit_test(nobody_has_to_want_the_text),
        cmocka_unit_test(prefixes_are_put_in_front),
        cmocka_unit_test(long_texts_are_cut_and_terminated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
