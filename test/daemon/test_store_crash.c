/* The process is killed at every point of writing in turn: each transaction is there whole or not
 * at all, and once a commit has returned it is there. Built with crash points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/store/store.h"
#include "test/daemon/change_records.h"
#include "test/daemon/directory.h"
#include "util/crash_point.h"

enum { ROUNDS = 4 };

/* Round r leaves: lease 1 with priority r, lease 10 + r with two VMs, an event and a fact r. After
 * each the number of the round goes to `progress`, as an acceptance would go to a user. */
static int scenario(const char *directory, int progress)
{
    struct store *store = store_open(directory, NULL);

    if (!store)
        return 1;
    if (!store_lease(store, 1))
        store_add_lease(store, 1);
    for (int round = 1; round <= ROUNDS; round++) {
        char text[16];

        if (store_lease(store, 10 + round))
            continue;
        lease_to_change(store, 1)->priority = round;
        store_add_lease(store, 10 + round)->phase = PHASE_ENDED;
        store_add_vm(store, 100 + 2 * round, 10 + round);
        store_add_vm(store, 101 + 2 * round, 10 + round);
        store_history(store, 1, round, "round", "%d", round);
        snprintf(text, sizeof text, "%d", round);
        store_set_fact(store, "round", text);
        if (store_commit(store, NULL) < 0 || write(progress, text, 1) != 1)
            return 1;
    }
    if (store_expire(store, 0, NULL) < 0)
        return 1;
    store_close(store);
    return 0;
}

static void count_event(void *context, const struct store_event *event)
{
    int *n = context;

    assert_int_equal(event->at, ++*n);
}

/* Whatever round the store shows, all of it and nothing of the next one is there. */
static int check_whole(const char *directory)
{
    struct error err = {0};
    struct store *store = store_open(directory, &err);
    const char *fact;
    int round, events = 0;
    size_t n;

    if (!store)
        fail_msg("%s", err.text);
    fact = store_fact(store, "round");
    round = fact ? atoi(fact) : 0;
    assert_int_equal(store_each_event(store, 1, 0, count_event, &events, NULL), 0);
    assert_int_equal(events, round);
    if (round > 0)
        assert_int_equal(store_lease(store, 1)->priority, round);
    for (int i = 1; i <= ROUNDS; i++) {
        assert_int_equal(store_lease(store, 10 + i) != NULL, i <= round);
        store_vms_of(store, 10 + i, &n);
        assert_int_equal(n, i <= round ? 2 : 0);
    }
    store_close(store);
    return round;
}

/* Run the scenario to the given crash point; *told: the rounds that were reported. */
static int run_child(const char *directory, int at, int *told)
{
    int ends[2], status;
    char byte;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        char text[16];

        snprintf(text, sizeof text, "%d", at);
        setenv("GALERNA_CRASH_AT", text, 1);
        close(ends[0]);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        _exit(scenario(directory, ends[1]));
    }
    close(ends[1]);
    *told = 0;
    while (read(ends[0], &byte, 1) == 1)
        *told = byte - '0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void every_crash_leaves_whole_transactions(void **state)
{
    int at = 0, code, told;

    do {
        char directory[DIRECTORY_NAME_MAX];
        int round;

        directory_make(directory);
        code = run_child(directory, ++at, &told);
        assert_true(code == 0 || code == CRASH_POINT_EXIT);
        round = check_whole(directory);
        /* What was reported is there; at most the one just committed is there unreported. */
        if (round != told && round != told + 1)
            fail_msg("point %d: %d rounds were reported, %d are in the store", at, told, round);
        /* Started again, it comes to the same end. */
        assert_int_equal(run_child(directory, 0, &told), 0);
        assert_int_equal(check_whole(directory), ROUNDS);
        directory_remove(directory);
    } while (code != 0);
    /* Two of the migration, three of the name, eight or so of each round, two of expiry. */
    assert_true(at > ROUNDS * 8);
}

static void points_are_counted(void **state)
{
    char directory[DIRECTORY_NAME_MAX], count[128];
    int status;
    long points = 0;
    pid_t child;
    FILE *file;

    directory_make(directory);
    snprintf(count, sizeof count, "%s/count", directory);
    child = fork();
    if (child == 0) {
        setenv("GALERNA_CRASH_COUNT", count, 1);
        for (int i = 0; i < 12; i++)
            crash_point("test");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    file = fopen(count, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld", &points), 1);
    fclose(file);
    assert_int_equal(points, 12);
    directory_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_crash_leaves_whole_transactions),
        cmocka_unit_test(points_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
