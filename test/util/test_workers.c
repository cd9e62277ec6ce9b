/* Pieces of work in child processes: results, failures, early ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/workers.h"

enum { PIECES = 20, LARGE = 100000 };

struct trial {
    size_t bad, killed, exiting; /* 1 + the piece; 0: none */
    bool sleeping, stop_at_once;
    size_t n_results, n_failed;
    bool seen[PIECES];
    struct error failure;
    double share;
};

static volatile sig_atomic_t stop;

static int perform(void *context, size_t piece, void *result, volatile double *done,
                   struct error *err)
{
    const struct trial *trial = context;

    *done = 0.5;
    if (trial->bad == piece + 1)
        return error_set(err, EDOM, "piece %zu is bad", piece);
    if (trial->killed == piece + 1)
        raise(SIGKILL);
    if (trial->exiting == piece + 1)
        _exit(3);
    if (trial->sleeping)
        pause();
    memset(result, (int)piece, LARGE);
    return 0;
}

static int ended(void *context, size_t piece, const void *result, struct error *err)
{
    struct trial *trial = context;
    const unsigned char *bytes = result;

    assert_false(trial->seen[piece]);
    trial->seen[piece] = true;
    if (!result) {
        trial->n_failed++;
        trial->failure = *err;
        return -1;
    }
    assert_int_equal(bytes[0], piece);
    assert_int_equal(bytes[LARGE - 1], piece);
    trial->n_results++;
    return 0;
}

static void progress(void *context, size_t n_ended, double share)
{
    struct trial *trial = context;

    assert_true(share >= 0 && share <= 1);
    trial->share = share;
    if (trial->stop_at_once)
        stop = 1;
}

static int run(struct trial *trial, bool in_order, struct error *err)
{
    const struct workers workers = {
        .n_pieces = PIECES,
        .parallel = 3,
        .result_size = LARGE,
        .context = trial,
        .perform = perform,
        .ended = ended,
        .progress = progress,
        .stop = &stop,
        .in_order = in_order,
    };
    int result;

    stop = 0;
    result = workers_run(&workers, err);
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD); /* no child is left */
    return result;
}

static void all_results_arrive_whole(void **state)
{
    struct trial trial = {0};
    struct error err = {0};

    assert_int_equal(run(&trial, true, &err), 0);
    assert_int_equal(trial.n_results, PIECES);
    assert_true(trial.share == 1);
}

static void no_pieces_are_done_at_once(void **state)
{
    assert_int_equal(workers_run(&(struct workers){.parallel = 2}, NULL), 0);
}

static void a_failure_keeps_its_code_and_text(void **state)
{
    struct trial trial = {.bad = 2};
    struct error err = {0};

    assert_int_equal(run(&trial, true, &err), -1);
    assert_int_equal(err.code, EDOM);
    assert_string_equal(err.text, "piece 1 is bad");
    assert_int_equal(trial.n_failed, 1);
    assert_true(trial.n_results < PIECES); /* no further ones were begun */
}

static void a_process_that_ends_early_is_told_from_one_that_fails(void **state)
{
    struct trial killed = {.killed = 1}, exiting = {.exiting = 1};
    struct error err = {0};

    assert_int_equal(run(&killed, true, &err), -1);
    assert_int_equal(err.code, ECHILD);
    assert_non_null(strstr(err.text, "signal 9"));
    assert_int_equal(run(&exiting, true, &err), -1);
    assert_int_equal(err.code, ECHILD);
    assert_non_null(strstr(err.text, "status 3"));
}

/* The others sleep forever: they have to be ended. */
static void a_failure_ends_the_others_unless_they_end_in_order(void **state)
{
    struct trial trial = {.bad = 1, .sleeping = true};
    struct error err = {0};

    assert_int_equal(run(&trial, false, &err), -1);
    assert_int_equal(err.code, EDOM);
}

static void a_stop_ends_all_children(void **state)
{
    struct trial trial = {.sleeping = true, .stop_at_once = true};
    struct error err = {0};

    assert_int_equal(run(&trial, false, &err), -1);
    assert_int_equal(err.code, EINTR);
    assert_int_equal(trial.n_results, 0);
    assert_int_equal(trial.n_failed, 0);
}

static void a_system_call_that_fails_keeps_its_error_number(void **state)
{
    struct trial trial = {0};
    struct error err = {0};
    struct rlimit before, none;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 3, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(run(&trial, true, &err), -1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(err.code, EMFILE);
    assert_non_null(strstr(err.text, strerror(EMFILE)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_results_arrive_whole),
        cmocka_unit_test(no_pieces_are_done_at_once),
        cmocka_unit_test(a_failure_keeps_its_code_and_text),
        cmocka_unit_test(a_process_that_ends_early_is_told_from_one_that_fails),
        cmocka_unit_test(a_failure_ends_the_others_unless_they_end_in_order),
        cmocka_unit_test(a_stop_ends_all_children),
        cmocka_unit_test(a_system_call_that_fails_keeps_its_error_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
