/* A small part of each experiment, twice: the same bytes, and sound documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/experiment.h"
#include "util/unqualified.h"

enum { FILE_MAX = 4 << 20 };

static size_t read_file(const char *folder, const char *name, char *text)
{
    char path[400];
    FILE *file;
    size_t n;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_non_null(file);
    n = fread(text, 1, FILE_MAX - 1, file);
    text[n] = '\0';
    fclose(file);
    unlink(path);
    return n;
}

static void check_summary(const char *text, const char *name)
{
    json_t *root = json_loads(text, 0, NULL), *claims;

    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "experiment")), name);
    assert_false(json_is_true(json_object_get(root, "complete")));
    claims = json_object_get(root, "claims");
    assert_true(json_array_size(claims) >= 4);
    for (size_t i = 0; i < json_array_size(claims); i++) {
        const json_t *claim = json_array_get(claims, i);

        assert_true(json_string_length(json_object_get(claim, "claim")) > 0);
        assert_true(json_string_length(json_object_get(claim, "paper")) > 0);
        assert_true(json_string_length(json_object_get(claim, "ours")) > 0);
    }
    json_decref(root);
}

/* Files of both folders, pair by pair. */
static void compare(const char *folder, const char *again, const char *name)
{
    char *one = malloc(FILE_MAX), *two = malloc(FILE_MAX);
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort), pictures = 0, tables = 0;

    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        const char *file = entries[i]->d_name;

        if (file[0] != '.') {
            size_t size = read_file(folder, file, one);

            assert_int_equal(read_file(again, file, two), size);
            assert_memory_equal(one, two, size);
            pictures += strstr(file, ".svg") != NULL;
            tables += strstr(file, ".csv") != NULL;
            if (strcmp(file, "summary.json") == 0)
                check_summary(one, name);
        }
        free(entries[i]);
    }
    free(entries);
    free(one);
    free(two);
    assert_true(pictures >= 2 && tables >= 1);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rmdir(again), 0);
}

static void test_twice(void **state)
{
    const struct experiment *experiment = *state;
    char folders[2][40] = {"/tmp/galerna-quick-XXXXXX", "/tmp/galerna-quick-XXXXXX"};
    struct error err = {0};

    for (int i = 0; i < 2; i++) {
        const struct experiment_request request = {
            .folder = folders[i], .quick = true, .parallel = i + 1};
        size_t verdicts[VERDICTS];

        assert_non_null(mkdtemp(folders[i]));
        if (experiment_perform(experiment, &request, verdicts, &err) < 0)
            fail_msg("%s: %s", experiment->name, err.text);
        assert_true(verdicts[VERDICT_AGREES] + verdicts[VERDICT_SAME_SHAPE] +
                        verdicts[VERDICT_DIFFERS] >=
                    4);
    }
    compare(folders[0], folders[1], experiment->name);
}

/* What needs no large run must agree in every run. */
static void test_gridway_agrees(void **state)
{
    char folder[] = "/tmp/galerna-gridway-XXXXXX", command[80];
    const struct experiment_request request = {.folder = folder};
    size_t verdicts[VERDICTS];
    struct error err;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(experiment_perform(&experiment_gridway, &request, verdicts, &err), 0);
    assert_int_equal(verdicts[VERDICT_AGREES], 9);
    assert_int_equal(verdicts[VERDICT_DIFFERS], 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* A text of the claim. */
static const char *told_of(const json_t *root, const char *id, const char *key)
{
    const json_t *claims = json_object_get(root, "claims");

    for (size_t i = 0; i < json_array_size(claims); i++) {
        const json_t *claim = json_array_get(claims, i);

        if (strcmp(json_string_value(json_object_get(claim, "id")), id) == 0)
            return json_string_value(json_object_get(claim, key));
    }
    fail_msg("there is no claim %s", id);
    return NULL;
}

static const char *verdict_of(const json_t *root, const char *id)
{
    return told_of(root, id, "verdict");
}

/* What follows from the definitions shows in a small run, too: nobody is disturbed without a policy
 * for it, and the policies keep their order in equal situations. */
static void test_intergrid_keeps_its_definitions(void **state)
{
    static const char *const agree[] = {"same-choices", "table-2-vms", "table-2-best-effort",
                                        "table-2-deadline", "table-2-local"};
    char folder[] = "/tmp/galerna-intergrid-XXXXXX", command[80];
    const struct experiment_request request = {.folder = folder, .quick = true};
    char *text = malloc(FILE_MAX);
    int without = 0, with = 0;
    struct error err;
    json_t *root;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(experiment_perform(&experiment_intergrid, &request, NULL, &err), 0);
    read_file(folder, "runs.csv", text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char policy[40];
        double local, grid, preemptions;

        if (sscanf(line, "%*[^,],%*[^,],%39[^,],%*d,%lf,%lf,%lf", policy, &local, &grid,
                   &preemptions) != 4)
            continue; /* the heading */
        without += strcmp(policy, "no-preemption") == 0;
        with += preemptions > 0;
        if (strcmp(policy, "no-preemption") == 0)
            assert_true(preemptions == 0);
    }
    assert_true(without >= 16 && with >= 24);
    read_file(folder, "summary.json", text);
    root = json_loads(text, 0, NULL);
    assert_non_null(root);
    for (size_t i = 0; i < sizeof agree / sizeof *agree; i++)
        assert_string_equal(verdict_of(root, agree[i]), "agrees");
    json_decref(root);
    free(text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void write_log(const char *folder, const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char *ours_of(const json_t *root, const char *id)
{
    return told_of(root, id, "ours");
}

/* On 4 processors: 3 for 100 s; then all 4 for 50 s, which wait until 100; then one for 20 of at
 * most 40 s, which EASY starts at once, and FCFS at 150. Slowdowns 1, 2.8, and 1 or 7.5. One job
 * is larger than the machine, one did not run. */
static void test_backfilling_reads_logs(void **state)
{
    char folder[] = "/tmp/galerna-logs-XXXXXX", command[80];
    const struct experiment_request request = {.folder = folder, .logs = folder};
    char *text = malloc(FILE_MAX);
    struct error err;
    json_t *root;

    assert_non_null(mkdtemp(folder));
    write_log(folder, "KTH-SP2-1996-2.1-cln.swf",
              "; MaxProcs: 4\n"
              "1 0 -1 100 3 -1 -1 3 100 -1 1 1 -1 -1 -1 -1 -1 -1\n"
              "2 10 -1 50 4 -1 -1 4 50 -1 1 2 -1 -1 -1 -1 -1 -1\n"
              "3 12 -1 50 9 -1 -1 9 50 -1 1 2 -1 -1 -1 -1 -1 -1\n"
              "4 14 -1 0 1 -1 -1 1 50 -1 1 2 -1 -1 -1 -1 -1 -1\n"
              "5 20 -1 20 1 -1 -1 1 40 -1 1 3 -1 -1 -1 -1 -1 -1\n");
    assert_int_equal(experiment_perform(&experiment_backfilling, &request, NULL, &err), 0);
    read_file(folder, "summary.json", text);
    root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_string_equal(ours_of(root, "easy-KTH-SP2-1996-2.1-cln"), "1.60");
    assert_string_equal(verdict_of(root, "easy-KTH-SP2-1996-2.1-cln"), "differs");
    assert_string_equal(ours_of(root, "easy-lowers-slowdown"),
                        "KTH-SP2-1996-2.1-cln: 1.60, FCFS 3.77");
    assert_string_equal(verdict_of(root, "easy-lowers-slowdown"), "agrees");
    json_decref(root);
    free(text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_backfilling_says_which_logs_it_wants(void **state)
{
    char folder[] = "/tmp/galerna-logs-XXXXXX", command[80];
    const struct experiment_request request = {.folder = folder, .logs = folder};
    struct error err;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(experiment_perform(&experiment_backfilling, &request, NULL, &err), -1);
    assert_int_equal(err.code, ENOENT);
    assert_non_null(strstr(err.text, "SDSC-BLUE-2000-4.2-cln.swf"));
    write_log(folder, "SDSC-BLUE-2000-4.2-cln.swf.gz", "");
    assert_int_equal(experiment_perform(&experiment_backfilling, &request, NULL, &err), -1);
    assert_non_null(strstr(err.text, "SDSC-BLUE-2000-4.2-cln.swf.gz"));
    assert_non_null(strstr(err.text, "gunzip"));
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"suspend", test_twice, NULL, NULL, unqualified(&experiment_suspend)},
        {"priority", test_twice, NULL, NULL, unqualified(&experiment_priority)},
        {"pacp", test_twice, NULL, NULL, unqualified(&experiment_pacp)},
        {"intergrid", test_twice, NULL, NULL, unqualified(&experiment_intergrid)},
        {"gridway", test_twice, NULL, NULL, unqualified(&experiment_gridway)},
        {"backfilling", test_twice, NULL, NULL, unqualified(&experiment_backfilling)},
        cmocka_unit_test(test_gridway_agrees),
        cmocka_unit_test(test_intergrid_keeps_its_definitions),
        cmocka_unit_test(test_backfilling_reads_logs),
        cmocka_unit_test(test_backfilling_says_which_logs_it_wants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
