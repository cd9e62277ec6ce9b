/* The store's file: who may open it, and what happens when it is damaged, newer, or cannot grow. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/store/state_directory.h"
#include "daemon/store/sums.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"

static void assert_refused(const char *directory, int code, const char *part)
{
    struct error err = {0};
    struct store *store = store_open(directory, &err);

    if (store)
        fail_msg("opened, but '%s' was expected", part);
    if (err.code != code || !strstr(err.text, part))
        fail_msg("expected code %d and '%s', got %d: %s", code, part, err.code, err.text);
}

static void a_second_opener_is_refused(void **state)
{
    struct store_fixture *fixture = *state;
    char expected[64];
    pid_t child;
    int status;

    snprintf(expected, sizeof expected, "process %ld", (long)getpid());
    child = fork();
    if (child == 0) {
        struct error err = {0};

        _exit(!store_open(fixture->directory, &err) && err.code == EBUSY &&
                      strstr(err.text, expected)
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    /* The refused one has not disturbed the first. */
    store_add_lease(fixture->store, 1);
    store_must_commit(fixture->store);
    assert_refused(fixture->directory, EBUSY, expected);
}

static void the_lock_ends_with_its_process(void **state)
{
    struct store_fixture *fixture = *state;
    pid_t child;
    int status;

    store_close(fixture->store);
    fixture->store = NULL;
    child = fork();
    if (child == 0)
        _exit(store_open(fixture->directory, NULL) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    fixture->store = store_must_open(fixture->directory);
}

/* As the simulated OpenNebula does: a process that the owner left behind ends a little later. */
static void what_its_process_left_behind_is_waited_for(void **state)
{
    struct store_fixture *fixture = *state;
    int ends[2], status;
    pid_t child, left = 0;

    store_close(fixture->store);
    fixture->store = NULL;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        if (!store_open(fixture->directory, NULL))
            _exit(1);
        left = fork();
        if (left == 0) {
            usleep(300 * 1000);
            _exit(0);
        }
        _exit(write(ends[1], &left, sizeof left) == sizeof left && left > 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &left, sizeof left), sizeof left);
    assert_int_equal(kill(left, 0), 0);
    fixture->store = store_must_open(fixture->directory);
    close(ends[0]);
    close(ends[1]);
}

static void only_its_user_can_read_it(void **state)
{
    struct store_fixture *fixture = *state;
    static const char *const names[] = {"", "store.db", "store.db-wal", "lock"};
    struct stat status;
    char path[128];

    store_add_lease(fixture->store, 1);
    store_must_commit(fixture->store);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        store_path_in(fixture, names[i], path);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 077, 0);
    }
    store_close(fixture->store);
    fixture->store = NULL;
    store_path_in(fixture, "store.db", path);
    chmod(path, 0640);
    assert_refused(fixture->directory, EPERM, "is accessible to other users (mode 640)");
    chmod(path, 0600);
    chmod(fixture->directory, 0755); /* and not empty */
    assert_refused(fixture->directory, EPERM, "chmod go=");
    chmod(fixture->directory, 0700);
}

static void links_and_files_are_no_state(void **state)
{
    struct store_fixture *fixture = *state;
    char path[128], other[128];

    store_path_in(fixture, "store.db", path);
    assert_refused(path, ENOTDIR, "is not a directory");
    store_path_in(fixture, "missing/deeper", other);
    assert_refused(other, ENOENT, "cannot create the state directory");
    assert_int_equal(setenv("HOME", fixture->directory, true), 0);
    assert_int_equal(store_make_directory(other), 0);
    store_close(fixture->store);
    fixture->store = NULL;
    store_path_in(fixture, "elsewhere.db", other);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_refused(fixture->directory, ELOOP, "store.db");
}

static void newer_files_are_refused(void **state)
{
    struct store_fixture *fixture = *state;

    store_close(fixture->store);
    fixture->store = NULL;
    store_run_sql(fixture, "INSERT INTO migration (version, applied) VALUES (99, 0)");
    assert_refused(fixture->directory, EPROTO, "newer version of Galerna (format 99");
    store_run_sql(fixture, "DELETE FROM migration WHERE version = 99");
    fixture->store = store_must_open(fixture->directory);
}

/* The write-ahead log has what the database does not have yet. */
static void the_former_name_is_taken_over(void **state)
{
    static const char *const parts[] = {"", "-wal", "-shm"};
    struct store_fixture *fixture = *state;
    char from[128], to[128], name[32];
    struct store *store = fixture->store;

    store_add_lease(store, 1)->priority = 9;
    store_must_commit(store);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) { /* as a killed process leaves it */
        snprintf(name, sizeof name, "store.db%s", parts[i]);
        store_path_in(fixture, name, from);
        snprintf(name, sizeof name, "book.db%s", parts[i]);
        store_path_in(fixture, name, to);
        if (access(from, F_OK) == 0)
            assert_int_equal(link(from, to), 0);
    }
    store_close(store); /* writes the log into the database, and removes it, under this name */
    fixture->store = NULL;
    store_path_in(fixture, "store.db", from);
    assert_int_equal(unlink(from), 0);
    /* Interrupted after the log was renamed. */
    store_path_in(fixture, "book.db-wal", from);
    store_path_in(fixture, "store.db-wal", to);
    assert_int_equal(rename(from, to), 0);
    fixture->store = store_must_open(fixture->directory);
    assert_int_equal(store_lease(fixture->store, 1)->priority, 9);
    store_path_in(fixture, "book.db", from);
    assert_int_equal(access(from, F_OK), -1);
}

/* Of both, the present name counts. */
static void a_former_file_beside_the_present_one_stays(void **state)
{
    struct store_fixture *fixture = *state;
    char path[128];
    FILE *file;

    store_close(fixture->store);
    store_path_in(fixture, "book.db", path);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("something else", file);
    fclose(file);
    fixture->store = store_must_open(fixture->directory);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
}

/* Format 2 had the time of the next try in the sentence. */
static void older_files_are_brought_up(void **state)
{
    struct store_fixture *fixture = *state;
    const struct lease_record *lease;
    char text[128];

    store_add_lease(fixture->store, 1);
    store_add_lease(fixture->store, 2);
    store_add_vm(fixture->store, 2, 2); /* so it is loaded when it is over */
    store_must_commit(fixture->store);
    store_close(fixture->store);
    fixture->store = NULL;
    for (int i = 0; i < SUMMED_TABLES; i++) {
        snprintf(text, sizeof text, "ALTER TABLE %s DROP COLUMN sum", summed_tables[i].name);
        store_run_sql(fixture, i == 0 ? "DROP TABLE seal" : "");
        store_run_sql(fixture, text);
    }
    store_path_in(fixture, "store.seal", text);
    assert_int_equal(unlink(text), 0);
    for (int term = TERM_ID_priority + 1; term < LEASE_TERM_COUNT; term++) { /* came later */
        snprintf(text, sizeof text, "ALTER TABLE lease DROP COLUMN %s", lease_terms[term].name);
        store_run_sql(fixture, text);
    }
    store_run_sql(fixture,
                  "UPDATE lease SET priority = -7 WHERE id = 1;" /* whole numbers */
                  "DELETE FROM migration WHERE version > 2;"
                  "DELETE FROM fact WHERE name IN ('commits', 'schema');"
                  "ALTER TABLE lease DROP COLUMN retry;"
                  "ALTER TABLE vm DROP COLUMN promise_number;"
                  "ALTER TABLE vm DROP COLUMN promise_digest;"
                  "ALTER TABLE vm DROP COLUMN promise_sent;"
                  "ALTER TABLE vm DROP COLUMN asked;"
                  "ALTER TABLE vm DROP COLUMN stays;"
                  "ALTER TABLE vm DROP COLUMN message_kind;"
                  "ALTER TABLE vm DROP COLUMN created;"
                  "ALTER TABLE lease DROP COLUMN unused_until;"
                  "ALTER TABLE lease DROP COLUMN delayed_by;"
                  "ALTER TABLE lease DROP COLUMN change_refused;"
                  "ALTER TABLE lease DROP COLUMN changes;"
                  "ALTER TABLE lease DROP COLUMN extended;"
                  "ALTER TABLE vm DROP COLUMN unlocked;"
                  "ALTER TABLE lease DROP COLUMN charged;"
                  "ALTER TABLE vm RENAME COLUMN suspended_by_us TO ours;"
                  "ALTER TABLE lease DROP COLUMN reason_id;"
                  "ALTER TABLE lease DROP COLUMN reason_n;"
                  "UPDATE lease SET reason_word = 'start-failed', reason = 'VM 1 failed on "
                  "host 3; it is tried again at 2026-11-22 10:00:00' WHERE id = 1;"
                  "UPDATE lease SET reason = 'has no room', phase = 'refused', "
                  "reason_word = 'missed' WHERE id = 2");
    fixture->store = store_must_open(fixture->directory);
    lease = store_lease(fixture->store, 1);
    assert_string_equal(lease->reason_word, "start-failed");
    assert_int_equal(lease->priority, -7 * PRIORITY_ONE);
    assert_int_equal(lease->reason_id, REASON_NONE);
    assert_string_equal(lease->reason, "VM 1 failed on host 3");
    assert_true(lease->retry == INSTANT_NONE);
    assert_string_equal(store_lease(fixture->store, 2)->reason, "has no room");
    assert_int_equal(store_lease(fixture->store, 2)->phase, PHASE_MISSED);
    lease_to_change(fixture->store, 1)->retry = 1234;
    store_must_commit(fixture->store);
    store_reopen(fixture);
    assert_int_equal(store_lease(fixture->store, 1)->retry, 1234);
    assert_true(store_lease(fixture->store, 2)->retry == INSTANT_NONE);
}

static void other_databases_are_refused(void **state)
{
    struct store_fixture *fixture = *state;
    char path[128];

    store_close(fixture->store);
    fixture->store = NULL;
    store_path_in(fixture, "store.db", path);
    unlink(path);
    store_path_in(fixture, "store.seal", path);
    unlink(path);
    store_path_in(fixture, "store.db", path);
    store_run_sql(fixture, "CREATE TABLE t (x)");
    chmod(path, 0600);
    assert_refused(fixture->directory, EPROTO, "another program");
}

static void overwrite(const struct store_fixture *fixture, long from, size_t n)
{
    char path[128];
    FILE *file;

    store_path_in(fixture, "store.db", path);
    file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, from, SEEK_SET);
    for (size_t i = 0; i < n; i++)
        fputc(0xa5, file);
    assert_int_equal(fclose(file), 0);
}

static void damaged_files_are_refused(void **state)
{
    struct store_fixture *fixture = *state;

    for (int i = 0; i < 200; i++)
        store_fill_lease(store_add_lease(fixture->store, i));
    store_must_commit(fixture->store);
    store_close(fixture->store);
    fixture->store = NULL;
    overwrite(fixture, 4096 * 10, 4096 * 3);
    assert_refused(fixture->directory, EBADMSG, "store.db is damaged: ");
    overwrite(fixture, 0, 100);
    assert_refused(fixture->directory, EBADMSG, "store.db is damaged: ");
}

static void impossible_values_are_refused(void **state)
{
    struct store_fixture *fixture = *state;
    static const struct {
        const char *change, *back, *text;
    } cases[] = {
        {"UPDATE lease SET phase = 'dancing'", "UPDATE lease SET phase = 'waiting'",
         "table lease, row 1: 'phase' is dancing"},
        {"UPDATE lease SET contract = 2", "UPDATE lease SET contract = 0", "'contract' is 2"},
        {"UPDATE lease SET uid = 5000000000", "UPDATE lease SET uid = 0", "'uid' is 5000000000"},
        {"UPDATE vm SET avoid = '1 2'", "UPDATE vm SET avoid = '1 2 3 4 5 6 7 8'", "'avoid'"},
        {"UPDATE vm SET lease = 9", "UPDATE vm SET lease = 1", "lease 9, which does not exist"},
    };

    store_add_lease(fixture->store, 1);
    store_add_vm(fixture->store, 1, 1);
    store_must_commit(fixture->store);
    store_close(fixture->store);
    fixture->store = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store_run_sql(fixture, cases[i].change);
        assert_refused(fixture->directory, EBADMSG, cases[i].text);
        store_run_sql(fixture, cases[i].back);
    }
    fixture->store = store_must_open(fixture->directory);
}

/* A limit on the size of files stands for a full disk. */
static void a_full_disk_changes_nothing(void **state)
{
    struct store_fixture *fixture = *state;
    struct rlimit old, small = {.rlim_cur = 100000};
    struct error err = {0};
    size_t n;

    store_add_lease(fixture->store, 1)->priority = 1;
    store_must_commit(fixture->store);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    lease_to_change(fixture->store, 1)->priority = 2;
    for (int i = 2; i < 1000; i++)
        store_fill_lease(store_add_lease(fixture->store, i));
    assert_int_equal(store_commit(fixture->store, &err), -1);
    assert_true(err.code == ENOSPC || err.code == EIO);
    assert_non_null(strstr(err.text, "store.db: cannot write"));
    assert_true(store_has_changes(fixture->store));
    assert_true(store_lease(fixture->store, 1)->marked);
    setrlimit(RLIMIT_FSIZE, &old);
    store_must_commit(fixture->store); /* there is room again: nothing was forgotten */
    store_reopen(fixture);
    store_leases(fixture->store, &n);
    assert_int_equal(n, 999);
    assert_int_equal(store_lease(fixture->store, 1)->priority, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_second_opener_is_refused),
        TEST(the_lock_ends_with_its_process),
        TEST(what_its_process_left_behind_is_waited_for),
        TEST(only_its_user_can_read_it),
        TEST(links_and_files_are_no_state),
        TEST(newer_files_are_refused),
        TEST(other_databases_are_refused),
        TEST(the_former_name_is_taken_over),
        TEST(a_former_file_beside_the_present_one_stays),
        TEST(older_files_are_brought_up),
        TEST(damaged_files_are_refused),
        TEST(impossible_values_are_refused),
        TEST(a_full_disk_changes_nothing),
    };
#undef TEST

    signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
