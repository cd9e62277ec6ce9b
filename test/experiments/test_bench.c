/* Options, and work in processes of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/experiment.h"

static const struct experiment_option options[] = {
    {"number", "5", NULL, 1, 10, "a number"},
    {"count", "5", "", 1, 10, "a whole number"},
    {"word", "one", "one|other", 0, 0, "a word"},
};

static int square(const void *context, size_t i, void *result, struct error *err)
{
    const size_t *bad = context;

    if (i == *bad)
        return error_set(err, EDOM, "piece %zu is bad", i);
    if (i == 100)
        _exit(3);
    *(double *)result = (double)(i * i);
    return 0;
}

struct seen {
    double number;
    bool other;
    size_t pieces, bad;
    double results[200];
};

static struct seen seen;

static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    const struct experiment_work work = {.n = seen.pieces,
                                         .result_size = sizeof(double),
                                         .perform = square,
                                         .context = &seen.bad,
                                         .until = 1};

    seen.number = experiment_number(bench, "number");
    seen.other = experiment_chosen(bench, "word", "other");
    return experiment_share_out(bench, &work, seen.results, err);
}

static const struct experiment experiment = {.name = "test",
                                             .title = "t",
                                             .paper = "p",
                                             .summary = "s",
                                             .options = options,
                                             .n_options = 3,
                                             .run = run};

static int perform(const char *const *set, size_t n, struct error *err)
{
    char folder[] = "/tmp/galerna-bench-XXXXXX", path[100];
    struct experiment_request request = {.folder = folder, .parallel = 3, .set = set, .n_set = n};
    int result;

    assert_non_null(mkdtemp(folder));
    result = experiment_perform(&experiment, &request, NULL, err);
    snprintf(path, sizeof path, "%s/summary.json", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/index.html", folder);
    unlink(path);
    rmdir(folder);
    return result;
}

static void test_results_come_back_in_order(void **state)
{
    const char *const set[] = {"number=7.5", "word=other"};
    struct error err;

    seen = (struct seen){.pieces = 40, .bad = 1000};
    assert_int_equal(perform(set, 2, &err), 0);
    assert_float_equal(seen.number, 7.5, 0);
    assert_true(seen.other);
    for (size_t i = 0; i < 40; i++)
        assert_float_equal(seen.results[i], (double)(i * i), 0);
    seen = (struct seen){.pieces = 0};
    assert_int_equal(perform(NULL, 0, &err), 0);
    assert_float_equal(seen.number, 5, 0);
    assert_false(seen.other);
}

static void test_failures_are_told(void **state)
{
    struct error err;

    seen = (struct seen){.pieces = 20, .bad = 11};
    assert_int_equal(perform(NULL, 0, &err), -1);
    assert_int_equal(err.code, EDOM);
    assert_string_equal(err.text, "piece 11 is bad");
    seen = (struct seen){.pieces = 101, .bad = 1000};
    assert_int_equal(perform(NULL, 0, &err), -1);
    assert_int_equal(err.code, ECHILD);
}

static void expect_refused(const char *pair, const char *words)
{
    struct error err;

    assert_int_equal(perform(&pair, 1, &err), -1);
    assert_int_equal(err.code, EINVAL);
    assert_non_null(strstr(err.text, words));
    err.text[0] = '\0';
    assert_int_equal(experiment_check_options(&experiment, &pair, 1, &err), -1);
    assert_int_equal(err.code, EINVAL);
    assert_non_null(strstr(err.text, words));
}

static void test_bad_options(void **state)
{
    seen = (struct seen){.pieces = 0};
    expect_refused("number=11", "expected a number, 1 to 10");
    expect_refused("number=x", "expected a number, 1 to 10");
    expect_refused("number=", "expected a number, 1 to 10");
    expect_refused("count=1.5", "expected a whole number, 1 to 10");
    expect_refused("word=on", "expected one|other");
    expect_refused("word=", "expected one|other");
    expect_refused("numbre=1", "did you mean 'number'?");
    expect_refused("number", "expected OPTION=VALUE");
}

/* Told before any work is done. */
static void expect_no_folder(const char *folder, const char *words)
{
    const struct experiment_request request = {.folder = folder, .parallel = 1};
    struct error err;

    seen = (struct seen){.pieces = 20, .bad = 1};
    assert_int_equal(experiment_perform(&experiment, &request, NULL, &err), -1);
    assert_non_null(strstr(err.text, folder));
    assert_non_null(strstr(err.text, words));
    assert_float_equal(seen.number, 0, 0); /* never ran */
}

static void test_bad_folders(void **state)
{
    expect_no_folder("/dev/null", "cannot write: ");
    expect_no_folder("/dev/null/below", "cannot create the directory");
    expect_no_folder("/proc", "cannot write: ");
}

static void test_names(void **state)
{
    struct error err;

    for (size_t i = 0; i < experiment_count; i++)
        assert_ptr_equal(experiment_find(experiment_table[i]->name, &err), experiment_table[i]);
    assert_null(experiment_find("suspent", &err));
    assert_int_equal(err.code, ENOENT);
    assert_non_null(strstr(err.text, "did you mean 'suspend'?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_come_back_in_order),
        cmocka_unit_test(test_failures_are_told),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_folders),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
