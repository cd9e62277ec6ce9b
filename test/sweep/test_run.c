/* Sweeps that are carried out: interrupted, resumed, changed, damaged, failing. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sweep/grid.h"
#include "sweep/sweep.h"
#include "test/sweep/folder.h"

enum { CELLS = 6 };

static const char *const rates[CELLS] = {"8", "16", "32", "64", "128", "256"};

/* A cell per suspend rate, on a workload that suspends. */
static struct sweep *make(const char *const *labels, size_t n, const char *jobs)
{
    static const char *const axes[] = {"rate"};
    struct sweep *sweep = sweep_create(axes, 1);
    char stream[100];

    snprintf(stream, sizeof stream, "poisson,jobs=%s,gap=10m,time=1h,vms=1:12", jobs);
    for (size_t i = 0; i < n; i++) {
        const char *streams[] = {stream, "poisson,jobs=8,gap=3h,time=1h,vms=4:12,class=local"};
        struct ini_entry settings[] = {
            {.section = "simulation", .key = "resources", .value = "16,cpu=100,memory=1024"},
            {.section = "scheduling",
             .key = "policy-preemption",
             .value = "ar-preempts-everything"},
            {.section = "scheduling", .key = "suspend-rate", .value = labels[i]},
        };
        struct sweep_cell cell = {.labels = &labels[i],
                                  .settings = settings,
                                  .n_settings = 3,
                                  .streams = streams,
                                  .n_streams = 2,
                                  .workload_seed = 3};
        struct error err = {0};

        assert_int_equal(sweep_add(sweep, &cell, &err), 0);
    }
    return sweep;
}

static void run(struct sweep *sweep, const struct sweep_options *options,
                struct sweep_outcome *outcomes)
{
    struct error err = {0};

    if (sweep_run(sweep, options, outcomes, &err) < 0)
        fail_msg("%s", err.text);
}

static size_t computed(const struct sweep_outcome *outcomes, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += outcomes[i].computed;
    return count;
}

static char *csv(const char *results)
{
    struct error err = {0};

    if (sweep_write_csv(results, "out.csv", &err) < 0)
        fail_msg("%s", err.text);
    return read_file("out.csv");
}

static void same_table(const char *a, const char *b)
{
    char *first = csv(a), *second = csv(b);

    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void the_table_is_the_same_however_many_at_a_time(void **state)
{
    struct sweep *sweep = make(rates, CELLS, "40");
    struct sweep_outcome one[CELLS], four[CELLS];

    run(sweep, &(struct sweep_options){.results = "one.db", .jobs = 1, .keep = -1}, one);
    run(sweep, &(struct sweep_options){.results = "four.db", .jobs = 4, .keep = -1}, four);
    assert_int_equal(computed(one, CELLS), CELLS);
    assert_int_equal(
        memcmp(&one[2].figures.service, &four[2].figures.service, sizeof one[2].figures.service),
        0);
    same_table("one.db", "four.db");
    assert_true(access("one.db.cells", F_OK) < 0);

    /* The cells differ, so the comparison means something. */
    assert_true(one[0].figures.end_time != one[5].figures.end_time);
    assert_int_equal(one[0].requested[ORIGIN_LOCAL] + one[0].requested[ORIGIN_EXTERNAL], 48);
    assert_int_equal(one[0].requested[ORIGIN_LOCAL], 48);
    assert_int_equal(query_number("one.db", "SELECT count(*) FROM leases WHERE cell = 4"), 48);
    assert_int_equal(query_number("one.db", "SELECT count(*) FROM sweep WHERE rate > 30"), 4);
    assert_int_equal(query_number("one.db", "SELECT end_time FROM sweep WHERE rate = 256"),
                     one[5].figures.end_time);
    assert_true(query_number("one.db", "SELECT count(*) FROM counters") > 0);
    assert_true(query_number("one.db", "SELECT count(*) FROM reservation_hosts") > 0);
    sweep_destroy(sweep);
}

/* What is there is read back as it was, and not computed again. */
static void resumes(void **state)
{
    struct sweep *sweep = make(rates, CELLS, "40");
    struct sweep_outcome first[CELLS], second[CELLS];
    struct sweep_options options = {.results = "resumes.db", .keep = SWEEP_KEEP_LEASES};

    run(sweep, &options, first);
    run(sweep, &options, second);
    assert_int_equal(computed(second, CELLS), 0);
    for (size_t i = 0; i < CELLS; i++) {
        second[i].computed = first[i].computed;
        memset(first[i].figures.totals, 0, sizeof first[i].figures.totals);
        assert_int_equal(second[i].status, SWEEP_OK);
        assert_string_equal(second[i].ending, "ok");
        assert_memory_equal(&first[i].figures, &second[i].figures, sizeof first[i].figures);
        assert_memory_equal(first[i].requested, second[i].requested, sizeof first[i].requested);
    }
    assert_int_equal(query_number("resumes.db", "SELECT count(*) FROM sqlite_schema "
                                                "WHERE name IN ('hosts', 'counters')"),
                     0);
    options.again = true;
    run(sweep, &options, second);
    assert_int_equal(computed(second, CELLS), CELLS);
    assert_int_equal(query_number("resumes.db", "SELECT count(*) FROM leases"), CELLS * 48);
    sweep_destroy(sweep);
}

/* A cell more, one less, another order: only what is new is computed. */
static void follows_changes_of_the_grid(void **state)
{
    static const char *const changed[] = {"512", "256", "8", "32", "16"};
    struct sweep *before = make(rates, CELLS, "40"), *after = make(changed, 5, "40");
    struct sweep *other = make(changed, 5, "41");
    struct sweep_outcome outcomes[CELLS];
    int64_t end;

    run(before, &(struct sweep_options){.results = "grid.db", .keep = -1}, outcomes);
    end = outcomes[1].figures.end_time;
    run(after, &(struct sweep_options){.results = "grid.db", .keep = -1}, outcomes);
    assert_int_equal(computed(outcomes, 5), 1);
    assert_true(outcomes[0].computed);
    assert_int_equal(outcomes[4].figures.end_time, end);
    assert_int_equal(query_number("grid.db", "SELECT count(*) FROM cells"), 5);
    assert_int_equal(query_number("grid.db", "SELECT count(*) FROM leases"), 5 * 48);
    assert_int_equal(query_number("grid.db", "SELECT label FROM axes WHERE cell = 4"), 32);
    run(after, &(struct sweep_options){.results = "fresh.db", .keep = -1}, NULL);
    same_table("grid.db", "fresh.db");

    /* Another workload is another sweep. */
    run(other, &(struct sweep_options){.results = "grid.db", .keep = -1}, outcomes);
    assert_int_equal(computed(outcomes, 5), 5);
    sweep_destroy(before);
    sweep_destroy(after);
    sweep_destroy(other);
}

struct stopper {
    volatile sig_atomic_t stop;
    size_t after;
    double last_left;
    size_t calls;
};

static void stop_after(void *context, const struct sweep_progress *progress)
{
    struct stopper *stopper = context;

    stopper->calls++;
    assert_int_equal(progress->cells, CELLS);
    assert_true(progress->done >= 0 && progress->done <= 1);
    stopper->last_left = progress->seconds_left;
    if (progress->finished >= stopper->after)
        stopper->stop = 1;
}

static void stops_in_order(void **state)
{
    struct sweep *sweep = make(rates, CELLS, "400");
    struct stopper stopper = {.after = 2};
    struct sweep_outcome outcomes[CELLS];
    struct sweep_options options = {.results = "stop.db",
                                    .jobs = 1,
                                    .keep = 0,
                                    .stop = &stopper.stop,
                                    .progress = stop_after,
                                    .context = &stopper};
    struct error err = {0};
    size_t there = 0;

    assert_int_equal(sweep_run(sweep, &options, outcomes, &err), -1);
    assert_int_equal(err.code, EINTR);
    assert_non_null(strstr(err.text, "of 6 cells done"));
    for (size_t i = 0; i < CELLS; i++)
        there += outcomes[i].status == SWEEP_OK;
    assert_in_range(there, 2, 3);
    assert_true(stopper.last_left >= 0);

    stopper = (struct stopper){.after = CELLS + 1};
    run(sweep, &options, outcomes);
    assert_int_equal(computed(outcomes, CELLS), CELLS - there);
    assert_true(stopper.calls > 0);
    run(sweep, &(struct sweep_options){.results = "whole.db", .keep = 0}, NULL);
    same_table("stop.db", "whole.db");
    sweep_destroy(sweep);
}

/* Killed at any time, a sweep goes on and ends with the same table. */
static void survives_being_killed(void **state)
{
    struct sweep *sweep = make(rates, CELLS, "150");
    struct sweep_options options = {.results = "killed.db", .jobs = 2, .keep = -1};

    run(sweep, &(struct sweep_options){.results = "quiet.db", .keep = -1}, NULL);
    for (unsigned i = 0; i < 12; i++) {
        struct error err = {0};
        pid_t process = fork();

        assert_true(process >= 0);
        if (process == 0)
            _exit(sweep_run(sweep, &options, NULL, &err) < 0);
        usleep(10000 + 17000 * i);
        kill(process, SIGKILL);
        assert_int_equal(waitpid(process, NULL, 0), process);
    }
    /* Its children die by themselves, but not at once: they hold the lock until then. */
    for (int tries = 0;; tries++) {
        struct error err = {0};

        if (sweep_run(sweep, &options, NULL, &err) == 0)
            break;
        if (err.code != EBUSY || tries == 100)
            fail_msg("%s", err.text);
        usleep(50000);
    }
    same_table("killed.db", "quiet.db");
    assert_int_equal(query_number("killed.db", "SELECT count(*) FROM leases"), CELLS * 158);
    assert_true(access("killed.db.cells", F_OK) < 0);
    sweep_destroy(sweep);
}

/* Cells that somebody else carried out are collected; a damaged file is not. */
static void collects(void **state)
{
    struct sweep *sweep = make(rates, CELLS, "40");
    struct sweep_options options = {.results = "collect.db", .keep = -1};
    struct sweep_outcome outcomes[CELLS], outcome;
    struct error err = {0};
    char damaged[100];

    for (size_t cell = 1; cell <= 3; cell++)
        assert_int_equal(sweep_perform(sweep, cell, &options, &outcome, &err), 0);
    assert_int_equal(sweep_check(sweep, &err), 0);
    snprintf(damaged, sizeof damaged, "collect.db.cells/%016" PRIx64 ".db",
             grid_cell(sweep, 3)->digest);
    assert_int_equal(access(damaged, F_OK), 0);
    assert_int_equal(truncate(damaged, 5000), 0);
    if (sweep_collect(sweep, &options, outcomes, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(outcomes[0].status, SWEEP_OK);
    assert_int_equal(outcomes[1].status, SWEEP_OK);
    assert_int_equal(outcomes[2].status, SWEEP_MISSING);
    assert_int_equal(outcomes[5].status, SWEEP_MISSING);
    run(sweep, &options, outcomes);
    assert_int_equal(computed(outcomes, CELLS), 4);
    run(sweep, &(struct sweep_options){.results = "local.db", .keep = -1}, NULL);
    same_table("collect.db", "local.db");

    assert_int_equal(sweep_perform(sweep, 7, &options, &outcome, &err), -1);
    assert_string_equal(err.text, "no cell 7: the sweep has 6");
    sweep_destroy(sweep);
}

/* A cell that fails says why, does not stop the others, and is tried again. */
static void failures_are_results(void **state)
{
    static const char *const axes[] = {"trace"}, *const labels[] = {"bad", "made"};
    static const char *const streams[] = {"poisson,jobs=5"};
    struct ini_entry site = {
        .section = "simulation", .key = "resources", .value = "16,cpu=100,memory=1024"};
    struct sweep_cell bad = {
        .labels = &labels[0], .settings = &site, .n_settings = 1, .trace = "bad.lwf"};
    struct sweep_cell made = {.labels = &labels[1],
                              .settings = &site,
                              .n_settings = 1,
                              .streams = streams,
                              .n_streams = 1};
    struct sweep *sweep = sweep_create(axes, 1);
    struct sweep_options options = {.results = "failures.db", .keep = -1};
    struct sweep_outcome outcomes[2];
    struct error err = {0};

    write_file("bad.lwf", "<lease-workload><lease-requests><broken>");
    assert_int_equal(sweep_add(sweep, &bad, &err), 0);
    assert_int_equal(sweep_add(sweep, &made, &err), 0);
    run(sweep, &options, outcomes);
    assert_int_equal(outcomes[0].status, SWEEP_FAILED);
    assert_non_null(strstr(outcomes[0].message, "bad.lwf:1"));
    assert_int_equal(outcomes[1].status, SWEEP_OK);
    assert_int_equal(query_number("failures.db", "SELECT status = 'failed' AND end_time IS NULL "
                                                 "FROM sweep WHERE cell = 1"),
                     1);
    run(sweep, &options, outcomes);
    assert_true(outcomes[0].computed);
    assert_false(outcomes[1].computed);
    sweep_destroy(sweep);
}

static void refuses_what_is_not_its_own(void **state)
{
    struct sweep *sweep = make(rates, 1, "5");
    struct sweep_options options = {.results = "other.db", .keep = -1};
    struct sweep_outcome outcome;
    struct error err = {0};
    static const char *const twice[] = {"8", "8"};

    write_file("other.db", "a text, and not at all a database of anything, long enough to be read");
    assert_int_equal(sweep_run(sweep, &options, &outcome, &err), -1);
    assert_non_null(strstr(err.text, "other.db"));
    assert_int_equal(outcome.status, SWEEP_MISSING);
    assert_int_equal(system("rm other.db; command -v sqlite3 >/dev/null || exit 0; "
                            "sqlite3 other.db 'CREATE TABLE mine (x)'"),
                     0);
    if (access("other.db", F_OK) == 0) {
        assert_int_equal(sweep_run(sweep, &options, NULL, &err), -1);
        assert_non_null(strstr(err.text, "other.db: exists and is not a database of a sweep"));
    }
    options.results = "no/where/x.db";
    assert_int_equal(sweep_run(sweep, &options, NULL, &err), -1);
    assert_non_null(strstr(err.text, "no/where/x.db.cells"));
    assert_int_equal(sweep_write_csv("none.db", "-", &err), -1);
    assert_non_null(strstr(err.text, "none.db"));
    sweep_destroy(sweep);

    sweep = make(twice, 2, "5");
    assert_int_equal(sweep_check(sweep, &err), -1);
    assert_non_null(strstr(err.text, "two cells are the same"));
    sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_the_same_however_many_at_a_time),
        cmocka_unit_test(resumes),
        cmocka_unit_test(follows_changes_of_the_grid),
        cmocka_unit_test(stops_in_order),
        cmocka_unit_test(survives_being_killed),
        cmocka_unit_test(collects),
        cmocka_unit_test(failures_are_results),
        cmocka_unit_test(refuses_what_is_not_its_own),
    };

    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
