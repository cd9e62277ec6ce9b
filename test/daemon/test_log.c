/* Lines of the log: repeats, control characters, fields of the journal, formats. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/log.h"
#include "daemon/live/complaint.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

static int file, before;

/* The journal. */
static char fields[4096];
static int journal_fails;

int __wrap_sd_journal_sendv(const struct iovec *list, int n);
int __wrap_sd_journal_sendv(const struct iovec *list, int n)
{
    size_t length = strlen(fields);

    for (int i = 0; i < n; i++)
        length += (size_t)snprintf(fields + length, sizeof fields - length, "%.*s\n",
                                   (int)list[i].iov_len, (const char *)list[i].iov_base);
    return journal_fails;
}

/* Standard error goes to a file without a name. */
static int begin(void **state)
{
    char path[] = "log-XXXXXX";

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
    log_count_repeats();
    log_set_format(LOG_FORMAT_TEXT);
    log_set_level(LOG_LEVEL_INFO);
    for (int i = 0; i < LOG_SUBSYSTEM_COUNT; i++)
        log_set_subsystem_level((enum log_subsystem)i, LOG_LEVEL_CONFIGURED);
    unsetenv("JOURNAL_STREAM");
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
    for (int i = 0; i < 100; i++)
        log_info("VM %d started", i);
    assert_int_equal(lines_with("started"), 100);
    assert_int_equal(lines_with("repeated"), 0);
}

/* What was counted is told before its line is forgotten. */
static void counts_are_not_lost(void **state)
{
    for (int i = 0; i < 10; i++)
        log_warning("again");
    for (int i = 0; i < 100; i++)
        log_info("VM %d started", i);
    assert_int_equal(lines_with("warning: again (repeated 7 times)"), 1);
}

static void texts_cannot_command_the_terminal(void **state)
{
    log_info("VM \x1b[31m \xe2\x80\xae evil\nline");
    assert_int_equal(lines_with("VM  [31m   evil line"), 1);
}

/* Standard error is the journal from now on. */
static void connect_journal(void)
{
    char stream[64];
    struct stat status;

    assert_int_equal(fstat(STDERR_FILENO, &status), 0);
    snprintf(stream, sizeof stream, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    fields[0] = '\0';
    journal_fails = 0;
}

static void the_journal_gets_fields(void **state)
{
    connect_journal();
    log_warning_of(17, 18, "VM %d is\nlate", 18);
    assert_string_equal(fields, "MESSAGE=VM 18 is late\nPRIORITY=4\nSYSLOG_IDENTIFIER=galernad\n"
                                "GALERNA_SUBSYSTEM=leases\nGALERNA_LEASE=17\nGALERNA_VM=18\n");
    fields[0] = '\0';
    log_info("ready");
    assert_string_equal(fields, "MESSAGE=ready\nPRIORITY=6\nSYSLOG_IDENTIFIER=galernad\n"
                                "GALERNA_SUBSYSTEM=leases\n");
    assert_int_equal(lines_with("ready"), 0);
}

static void a_journal_that_fails_loses_nothing(void **state)
{
    connect_journal();
    journal_fails = -5;
    log_error("disk full");
    assert_int_equal(lines_with("<3>disk full"), 1);
}

static void json_is_an_object_on_each_line(void **state)
{
    log_set_format(LOG_FORMAT_JSON);
    log_error_of(0, -1, "a \"b\" \xff");
    log_info("plain");
    assert_int_equal(lines_with("\"level\":\"error\",\"subsystem\":\"leases\",\"lease\":0,"
                                "\"message\":\"a \\\"b\\\"  \"}"),
                     1);
    assert_int_equal(lines_with("\"subsystem\":\"leases\",\"message\":\"plain\"}"), 1);
}

static void a_subsystem_has_a_level_of_its_own(void **state)
{
    log_debug("one");
    log_set_subsystem_level(LOG_OF_PLANNER, LOG_LEVEL_DEBUG);
    log_debug("two");
    log_set_subsystem_level(LOG_OF_LEASES, LOG_LEVEL_DEBUG);
    log_debug("three");
    log_set_level(LOG_LEVEL_ERROR);
    log_debug("four");
    log_set_subsystem_level(LOG_OF_LEASES, LOG_LEVEL_CONFIGURED);
    log_warning("five");
    assert_int_equal(lines_with("one") + lines_with("two") + lines_with("five"), 0);
    assert_int_equal(lines_with("debug: three") + lines_with("debug: four"), 2);
}

static void repeated_failures_are_named(void **state)
{
    const struct reason reason = {.id = REASON_VM_FAILED, .text = "BOOT_FAILURE: no disk"};
    struct complaint last = {0};

    for (int32_t i = 0; i < 7; i++)
        complaint_make(&last, &(struct vm_record){.id = 51 + i, .lease = 51 + i}, &reason,
                       "it failed", 1000 + i);
    assert_int_equal(lines_with("lease 51: it failed"), 1);
    complaint_tell_repeated(&last, 1059);
    assert_int_equal(lines_with("warning"), 1);
    complaint_tell_repeated(&last, 1060);
    complaint_tell_repeated(&last, 1120);
    assert_int_equal(lines_with("6 more failures like that of VM 51: BOOT_FAILURE: no disk"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_line_is_counted, begin, end),
        cmocka_unit_test_setup_teardown(other_lines_are_all_written, begin, end),
        cmocka_unit_test_setup_teardown(counts_are_not_lost, begin, end),
        cmocka_unit_test_setup_teardown(texts_cannot_command_the_terminal, begin, end),
        cmocka_unit_test_setup_teardown(the_journal_gets_fields, begin, end),
        cmocka_unit_test_setup_teardown(a_journal_that_fails_loses_nothing, begin, end),
        cmocka_unit_test_setup_teardown(json_is_an_object_on_each_line, begin, end),
        cmocka_unit_test_setup_teardown(repeated_failures_are_named, begin, end),
        cmocka_unit_test_setup_teardown(a_subsystem_has_a_level_of_its_own, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
