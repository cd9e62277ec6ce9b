/* The record of a run, played from an expected record, must be that record. */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/record.h"
#include "test/golden/compare.h"
#include "test/report/golden_run.h"

static json_t *record_of(struct golden_run *run, struct accounting_summary *summary)
{
    struct configuration configuration = {0};
    struct record_options options = {.configuration = &configuration};
    struct error err = {0};
    char path[] = "record-XXXXXX";
    json_error_t error;
    json_t *document;

    close(mkstemp(path));
    engine_settings_init(&configuration.settings);
    options.path = path;
    struct accounting *accounting = accounting_create(true);
    options.accounting = accounting;
    struct record *record = record_create(&options, &err);
    struct observer observers[2] = {accounting_observer(accounting), record_observer(record)};

    if (golden_run_play(run, observers, 2, &err) < 0)
        fail_msg("%s", err.text);
    document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    accounting_summarize(accounting, summary);
    record_destroy(record);
    accounting_destroy(accounting);
    unlink(path);
    return document;
}

static void equals_expected(const char *path)
{
    struct golden_run *run = golden_run_load(path);
    struct accounting_summary summary;
    json_t *got = record_of(run, &summary);

    if (compare_records(golden_run_document(run), got, stderr) > 0)
        fail_msg("%s", path);
    assert_int_equal(summary.end_time, golden_run_end(run));
    json_decref(got);
    golden_run_destroy(run);
}

static void every_expected_record(const char *pattern, size_t least)
{
    glob_t files;

    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= least);
    for (size_t i = 0; i < files.gl_pathc; i++)
        equals_expected(files.gl_pathv[i]);
    globfree(&files);
}

static void features_are_recorded(void **state)
{
    every_expected_record(GOLDEN_DATA "/haizea-1.0/*.json", 50);
}

static void random_workloads_are_recorded(void **state)
{
    every_expected_record(GOLDEN_DATA "/random/*.json", 20);
}

static void mutated_workloads_are_recorded(void **state)
{
    every_expected_record(GOLDEN_DATA "/mutated/*.json", 60);
}

static void a_trace_is_recorded(void **state)
{
    equals_expected(GOLDEN_DATA "/blue/150requests-T30-local.json");
}

/* Only the text between two keys is looked at: its order is fixed. */
static void extras_are_told(void **state)
{
    struct golden_run *run = golden_run_load(GOLDEN_DATA "/haizea-1.0/pre-order.json");
    struct lease *lease = golden_run_lease(run, 1);
    struct accounting_summary summary;
    const json_t *extras;
    json_t *got;

    lease->request.terms = TERMS_MIGRATABLE;
    lease->request.origin = ORIGIN_EXTERNAL;
    lease->request.priority = -3500;
    lease->request.deadline = 90000;
    lease->request.user = 42;
    lease->reason =
        (struct reason){.id = REASON_REFUSED_BY_POLICY, .text = "says \"no\"\n\x01\xff"};
    got = record_of(run, &summary);
    extras = json_array_get(json_object_get(json_object_get(got, "galerna"), "leases"), 1);
    assert_int_equal(json_integer_value(json_object_get(extras, "id")), 2);
    assert_string_equal(json_string_value(json_object_get(extras, "terms")), "migratable");
    assert_string_equal(json_string_value(json_object_get(extras, "origin")), "external");
    assert_int_equal((int)(1000 * json_number_value(json_object_get(extras, "priority"))), -3500);
    assert_int_equal(json_integer_value(json_object_get(extras, "deadline")), 90000);
    assert_int_equal(json_integer_value(json_object_get(extras, "user")), 42);
    assert_true(json_is_null(json_object_get(extras, "not_before")));
    assert_non_null(
        strstr(json_string_value(json_object_get(extras, "explanation")), "says \"no\""));
    assert_string_equal(json_string_value(json_object_get(extras, "reason")),
                        reason_name(REASON_REFUSED_BY_POLICY));
    json_decref(got);
    golden_run_destroy(run);
}

static void figures_are_summed(void **state)
{
    struct golden_run *run = golden_run_load(GOLDEN_DATA "/haizea-1.0/pre-order.json");
    struct accounting_summary summary;
    json_t *got = record_of(run, &summary);

    assert_int_equal(summary.kinds[LEASE_BEST_EFFORT].requested, 4);
    assert_int_equal(summary.kinds[LEASE_BEST_EFFORT].accepted, 4);
    assert_int_equal(summary.kinds[LEASE_BEST_EFFORT].completed, 4);
    assert_int_equal(summary.kinds[LEASE_RESERVATION].completed, 1);
    assert_int_equal(summary.preemptions[PREEMPTED_SUSPEND], 2);
    assert_int_equal(summary.suspensions, 2);
    assert_int_equal(summary.resumptions, 2);
    assert_int_equal(summary.best_effort_end, 9064);
    assert_int_equal(summary.makespan, 9064);
    assert_int_equal(summary.service.waiting.count, 4);
    assert_int_equal(summary.service.waiting.max, 0);
    assert_true(fabs(summary.utilization - 0.8640776699029126) < 1e-12);
    assert_true(fabs(summary.haizea_slowdown_mean - (2 * 1.1755555555555555 + 2) / 4) < 1e-12);
    json_decref(got);
    golden_run_destroy(run);
}

/* A probe that was not asked for leaves nothing behind; how the run ended is told. */
static void counters_can_be_left_out(void **state)
{
    struct golden_run *run = golden_run_load(GOLDEN_DATA "/haizea-1.0/pre-order.json");
    struct configuration configuration = {0};
    struct accounting *accounting = accounting_create(true);
    struct record_options options = {
        .path = "left-out.json",
        .configuration = &configuration,
        .accounting = accounting,
    };
    struct record *record;
    json_t *got, *stats;

    engine_settings_init(&configuration.settings);
    configuration.counters_left_out = 1u << COUNTER_BEST_EFFORT_COMPLETED |
                                      1u << COUNTER_QUEUE_SIZE |
                                      1u << COUNTER_ACCEPTED_RESERVATIONS;
    record = record_create(&options, NULL);
    assert_non_null(record);
    record_set_ending(record, ENDING_STUCK, 7);
    struct observer observers[2] = {accounting_observer(accounting), record_observer(record)};

    assert_int_equal(golden_run_play(run, observers, 2, NULL), 0);
    record_destroy(record);
    got = json_load_file("left-out.json", JSON_REJECT_DUPLICATES, NULL);
    unlink("left-out.json");
    assert_non_null(got);
    stats = json_object_get(got, "stats");
    assert_int_equal(json_object_size(json_object_get(got, "counters")), ACCOUNTING_COUNTERS - 3);
    assert_null(json_object_get(json_object_get(got, "counters"), "Queue size"));
    assert_non_null(json_object_get(json_object_get(got, "counters"), "CPU utilization"));
    assert_null(json_object_get(stats, "all-best-effort"));
    assert_null(json_object_get(stats, "Total accepted AR"));
    assert_non_null(json_object_get(stats, "Total rejected AR"));
    assert_int_equal(json_object_size(json_object_get(got, "lease_stats")), 0);
    assert_string_equal(json_string_value(json_object_get(got, "status")), "ok");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(got, "galerna"), "ending")), "stuck");
    json_decref(got);
    accounting_destroy(accounting);
    golden_run_destroy(run);
}

static void a_full_disk_is_reported(void **state)
{
    struct golden_run *run = golden_run_load(GOLDEN_DATA "/haizea-1.0/pre-order.json");
    struct configuration configuration = {0};
    struct error err = {0};
    struct accounting *accounting = accounting_create(true);
    struct record_options options = {
        .path = "/dev/full", .configuration = &configuration, .accounting = accounting};
    struct record *record;

    engine_settings_init(&configuration.settings);
    record = record_create(&options, &err);
    assert_non_null(record);
    struct observer observers[2] = {accounting_observer(accounting), record_observer(record)};

    assert_int_equal(golden_run_play(run, observers, 2, &err), -1);
    assert_int_equal(err.code, ENOSPC);
    assert_non_null(strstr(err.text, "/dev/full"));
    record_destroy(record);
    accounting_destroy(accounting);
    golden_run_destroy(run);
}

static void a_wrong_path_is_reported(void **state)
{
    struct configuration configuration = {0};
    struct error err = {0};
    struct record_options options = {.path = "no/such/folder/record.json",
                                     .configuration = &configuration};

    engine_settings_init(&configuration.settings);
    assert_null(record_create(&options, &err));
    assert_int_equal(err.code, ENOENT);
    assert_non_null(strstr(err.text, "no/such/folder/record.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_recorded),
        cmocka_unit_test(random_workloads_are_recorded),
        cmocka_unit_test(mutated_workloads_are_recorded),
        cmocka_unit_test(a_trace_is_recorded),
        cmocka_unit_test(extras_are_told),
        cmocka_unit_test(figures_are_summed),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_wrong_path_is_reported),
        cmocka_unit_test(counters_can_be_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
