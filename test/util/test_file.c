/* Whole files in memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/file.h"
#include "util/memory.h"

enum { SIZE = 200000 }; /* several pieces of a reader */

static void a_file_is_read_up_to_its_limit(void **state)
{
    char path[] = "file-XXXXXX", *text;
    FILE *file = fdopen(mkstemp(path), "w");
    struct error err;
    size_t length;

    assert_non_null(file);
    for (int i = 0; i < SIZE; i++)
        fputc(i % 7, file);
    fclose(file);
    text = file_read(path, SIZE, &length, &err);
    assert_non_null(text);
    assert_int_equal(length, SIZE);
    assert_int_equal(text[SIZE - 1], (SIZE - 1) % 7);
    assert_int_equal(text[SIZE], '\0');
    free(text);
    assert_null(file_read(path, SIZE - 1, &length, &err));
    assert_int_equal(err.code, EFBIG);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(truncate(path, 0), 0);
    text = file_read(path, 0, &length, &err);
    assert_string_equal(text, "");
    free(text);
    unlink(path);
}

static void what_cannot_be_read_is_named(void **state)
{
    struct error err;
    size_t length;

    assert_null(file_read("no/such/file", SIZE, &length, &err));
    assert_int_equal(err.code, ENOENT);
    assert_non_null(strstr(err.text, "no/such/file: cannot be read"));
    assert_null(file_read(".", SIZE, &length, &err));
    assert_int_equal(err.code, EISDIR);
}

static void an_input_is_kept(void **state)
{
    char path[] = "file-XXXXXX", *other;
    struct error err;

    close(mkstemp(path));
    other = memory_format("./%s", path);
    assert_int_equal(file_keep_input(path, NULL, &err), 0);
    assert_int_equal(file_keep_input("-", path, &err), 0);
    assert_int_equal(file_keep_input("/dev/null", "/dev/null", &err), 0);
    assert_int_equal(file_keep_input("no/such/file", path, &err), 0);
    assert_int_equal(file_keep_input(other, path, &err), -1);
    assert_int_equal(err.code, EINVAL);
    assert_non_null(strstr(err.text, "is an input as well"));
    free(other);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_up_to_its_limit),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(an_input_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
