/* The key's file: made once, private, and refused if it is not. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "daemon/store/promise_key.h"
#include "test/daemon/directory.h"
#include "util/memory.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_first_start_makes_a_private_key_and_the_next_reads_it(void **state)
{
    char path[PATH_MAX];
    struct promise_key key, again;
    struct stat status;
    struct error err = {0};
    bool made;

    snprintf(path, sizeof path, "%s/promise.key", (const char *)*state);
    assert_int_equal(promise_key_load(path, &key, &made, &err), 0);
    assert_true(made);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(promise_key_load(path, &again, &made, &err), 0);
    assert_false(made);
    assert_memory_equal(&key, &again, sizeof key);
}

static void a_key_that_others_can_read_is_refused(void **state)
{
    char path[PATH_MAX];
    struct promise_key key;
    struct error err = {0};
    bool made;

    snprintf(path, sizeof path, "%s/promise.key", (const char *)*state);
    assert_int_equal(promise_key_load(path, &key, &made, &err), 0);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(promise_key_load(path, &key, &made, &err), -1);
    assert_int_equal(err.code, EPERM);
}

static void what_is_no_key_is_refused_and_kept(void **state)
{
    static const char *const texts[] = {
        "", "short\n", "g123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0\n"};
    char path[PATH_MAX];
    struct promise_key key;
    bool made;

    snprintf(path, sizeof path, "%s/promise.key", (const char *)*state);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error err = {0};

        write_text(path, texts[i]);
        assert_int_equal(chmod(path, 0600), 0);
        assert_int_equal(promise_key_load(path, &key, &made, &err), -1);
        assert_int_equal(err.code, EINVAL);
        assert_false(made);
    }
}

static int make_directory(void **state)
{
    *state = memory_new(DIRECTORY_NAME_MAX, 1);
    directory_make(*state);
    return 0;
}

static int remove_directory(void **state)
{
    directory_remove(*state);
    free(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_start_makes_a_private_key_and_the_next_reads_it),
        TEST(a_key_that_others_can_read_is_refused),
        TEST(what_is_no_key_is_refused_and_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
