#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/log.h"

static int file, before;

/* Standard error goes to a file without a name. */
static int begin(void **state)
{
    char path[] = "log-XXXXXX";

    (void)state;
    unsetenv("JOURNAL_STREAM");
    file = mkstemp(path);
    before = dup(STDERR_FILENO);
    if (file < 0 || before < 0)
        return -1;
    unlink(path);
    return dup2(file, STDERR_FILENO) < 0 ? -1 : 0;
}

static int end(void **state)
{
    (void)state;
    log_count_repeats();
    dup2(before, STDERR_FILENO);
    close(before);
    close(file);
    return 0;
}

/* How many lines contain the text. */
static size_t lines_with(const char *text)
{
    static char all[65536];
    ssize_t length = pread(file, all, sizeof all - 1, 0);
    size_t n = 0;

    assert_true(length >= 0);
    all[length] = '\0';
    for (char *line = strtok(all, "\n"); line; line = strtok(NULL, "\n"))
        n += strstr(line, text) != NULL;
    return n;
}

static void the_same_line_is_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        log_error("cannot: %s", "why");
        log_info("turn %d", i % 2);
    }
    assert_int_equal(lines_with("cannot: why"), 3);
    assert_int_equal(lines_with("turn 1"), 3);
    log_count_repeats();
    assert_int_equal(lines_with("error: cannot: why (repeated 997 times)"), 1);
    assert_int_equal(lines_with("turn 0 (repeated 497 times)"), 1);
    log_count_repeats();
    assert_int_equal(lines_with("repeated"), 3);
    log_error("cannot: why");
    assert_int_equal(lines_with("cannot: why"), 5);
}

static void other_lines_are_all_written(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        log_info("VM %d started", i);
    assert_int_equal(lines_with("started"), 100);
    assert_int_equal(lines_with("repeated"), 0);
}

/* What was counted is told before its line is forgotten. */
static void counts_are_not_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        log_warning("again");
    for (int i = 0; i < 100; i++)
        log_info("VM %d started", i);
    assert_int_equal(lines_with("warning: again (repeated 7 times)"), 1);
}

static void texts_cannot_command_the_terminal(void **state)
{
    (void)state;
    log_info("VM \x1b[31m \xe2\x80\xae evil\nline");
    assert_int_equal(lines_with("VM  [31m   evil line"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_line_is_counted, begin, end),
        cmocka_unit_test_setup_teardown(other_lines_are_all_written, begin, end),
        cmocka_unit_test_setup_teardown(counts_are_not_lost, begin, end),
        cmocka_unit_test_setup_teardown(texts_cannot_command_the_terminal, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
