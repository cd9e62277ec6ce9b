/* What is counted, and how it is shown. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/accounting.h"
#include "report/gantt_boxes.h"
#include "report/summary.h"
#include "test/report/golden_run.h"
#include "util/time_text.h"

struct fixture {
    struct golden_run *run; /* only lends its engine */
    struct accounting *accounting;
    struct observer observer;
    struct engine_output outputs[8];
    size_t n;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    if (!fixture)
        return -1;
    fixture->run = golden_run_load(GOLDEN_DATA "/haizea-1.0/im-reject.json");
    fixture->accounting = accounting_create(true);
    fixture->observer = accounting_observer(fixture->accounting);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    golden_run_destroy(fixture->run);
    accounting_destroy(fixture->accounting);
    free(fixture);
    return 0;
}

static void tell(struct fixture *fixture, enum engine_output_kind kind, int64_t time,
                 const struct lease *lease, bool accepted)
{
    fixture->outputs[fixture->n++] =
        (struct engine_output){.kind = kind, .time = time, .lease = lease, .accepted = accepted};
}

static void step(struct fixture *fixture, int64_t now)
{
    struct engine_outputs outputs = {fixture->outputs, fixture->n, fixture->n};

    assert_int_equal(fixture->observer.step(fixture->observer.context,
                                            golden_run_engine(fixture->run), now, &outputs, NULL),
                     0);
    fixture->n = 0;
}

static void end(struct fixture *fixture, int64_t at)
{
    assert_int_equal(
        fixture->observer.end(fixture->observer.context, golden_run_engine(fixture->run), at, NULL),
        0);
}

static struct lease best_effort(int64_t id, int64_t submit, int64_t start, int64_t finish)
{
    return (struct lease){
        .request = {.id = id, .submit = submit, .duration_original = 100},
        .state = LEASE_DONE,
        .start_actual = start,
        .end = finish,
    };
}

static void waiting_times_are_ranked(void **state)
{
    struct fixture *fixture = *state;
    struct accounting_summary summary;

    /* Waits 0, 7, 14, ... in an order that is not sorted: 37 is prime to 100. */
    for (int64_t i = 0; i < 100; i++) {
        int64_t wait = i * 37 % 100 * 7;
        struct lease lease = best_effort(i + 1, i, i + wait, i + wait + 100);

        tell(fixture, OUTPUT_REQUESTED, i, &lease, true);
        tell(fixture, OUTPUT_FINISHED, 1000, &lease, true);
        step(fixture, 1000 + i);
    }
    accounting_summarize(fixture->accounting, &summary);
    assert_int_equal(summary.service.waiting.count, 100);
    assert_true(fabs(summary.service.waiting.mean - 346.5) < 1e-9);
    assert_int_equal(summary.service.waiting.median, 49 * 7);
    assert_int_equal(summary.service.waiting.p95, 94 * 7);
    assert_int_equal(summary.service.waiting.max, 99 * 7);
    assert_true(fabs(summary.haizea_slowdown_mean - 4.465) < 1e-9);
    accounting_summarize(fixture->accounting, &summary);
    assert_int_equal(summary.service.waiting.median, 49 * 7);
}

/* A reservation that the scheduler refuses was accepted by admission: Haizea counts it twice. */
static void refusals_are_counted_once(void **state)
{
    struct fixture *fixture = *state;
    struct lease by_admission = {.request = {.id = 1, .kind = LEASE_RESERVATION},
                                 .state = LEASE_REJECTED};
    struct lease by_scheduler = {.request = {.id = 2, .kind = LEASE_RESERVATION},
                                 .state = LEASE_REJECTED};
    struct lease cancelled = {.request = {.id = 3, .kind = LEASE_IMMEDIATE},
                              .state = LEASE_CANCELLED,
                              .end = INSTANT_NONE};
    struct lease failed = {
        .request = {.id = 4, .kind = LEASE_DEADLINE}, .state = LEASE_FAILED, .end = INSTANT_NONE};
    struct accounting_summary summary;
    const struct counter_entry *entries;

    tell(fixture, OUTPUT_REQUESTED, 10, &by_admission, false);
    tell(fixture, OUTPUT_FINISHED, 10, &by_admission, false);
    tell(fixture, OUTPUT_REQUESTED, 10, &by_scheduler, true);
    tell(fixture, OUTPUT_FINISHED, 10, &by_scheduler, false);
    step(fixture, 10);
    tell(fixture, OUTPUT_REQUESTED, 20, &cancelled, true);
    tell(fixture, OUTPUT_REQUESTED, 20, &failed, true);
    tell(fixture, OUTPUT_FINISHED, 20, &cancelled, false);
    tell(fixture, OUTPUT_FINISHED, 20, &failed, false);
    step(fixture, 20);
    end(fixture, 30);
    accounting_summarize(fixture->accounting, &summary);
    assert_int_equal(summary.kinds[LEASE_RESERVATION].requested, 2);
    assert_int_equal(summary.kinds[LEASE_RESERVATION].accepted, 0);
    assert_int_equal(summary.kinds[LEASE_RESERVATION].rejected, 2);
    assert_int_equal(summary.kinds[LEASE_IMMEDIATE].cancelled, 1);
    assert_int_equal(summary.kinds[LEASE_DEADLINE].failed, 1);
    assert_int_equal(summary.totals[COUNTER_ACCEPTED_RESERVATIONS], 1);
    assert_int_equal(summary.totals[COUNTER_REJECTED_RESERVATIONS], 2);
    assert_int_equal(summary.service.waiting.count, 0);
    assert_int_equal(summary.makespan, 0);
    /* (0), (10: lease 1, 2 rejected), closed at 30 without a lease. */
    assert_int_equal(
        accounting_history(fixture->accounting, COUNTER_REJECTED_RESERVATIONS, &entries), 3);
    assert_int_equal(entries[1].lease, 1);
    assert_true(entries[1].value == 2);
    assert_int_equal(entries[2].time, 30);
    assert_int_equal(entries[2].lease, COUNTER_NO_LEASE);
}

static void no_history_is_kept_unless_asked_for(void **state)
{
    struct accounting *accounting = accounting_create(false);
    struct observer observer = accounting_observer(accounting);
    struct golden_run *run = golden_run_load(GOLDEN_DATA "/haizea-1.0/pre-order.json");
    struct accounting_summary summary;
    const struct counter_entry *entries;

    assert_int_equal(golden_run_play(run, &observer, 1, NULL), 0);
    accounting_summarize(accounting, &summary);
    for (int i = 0; i < ACCOUNTING_COUNTERS; i++)
        assert_int_equal(accounting_history(accounting, (enum accounting_counter)i, &entries), 0);
    assert_true(fabs(summary.utilization - 0.8640776699029126) < 1e-12);
    assert_true(fabs(summary.queue_mean - 1200.0 / 9064) < 1e-12);
    assert_int_equal(summary.all_best_effort, 9064);
    golden_run_destroy(run);
    accounting_destroy(accounting);
}

static char *text_of(struct output *out, const char *path)
{
    FILE *file;
    char *content = NULL;
    size_t size = 0;

    assert_int_equal(output_close(out, NULL), 0);
    file = fopen(path, "r");
    assert_true(getdelim(&content, &size, '\0', file) >= 0);
    fclose(file);
    unlink(path);
    return content;
}

static void make_runs(struct summary_run runs[2])
{
    runs[0] = (struct summary_run){.name = "greedy", .cpu_seconds = -1, .peak_memory_kb = -1};
    runs[0].figures.kinds[LEASE_BEST_EFFORT] =
        (struct accounting_kind){.requested = 12345, .accepted = 12345, .completed = 12345};
    runs[0].figures.service = (struct service_summary){
        .waiting = {12345, 3661.4, 0, 90061, 100000, 360000},
        .turnaround = {12345, 3761.4, 100, 90161, 100100, 360100},
        .slowdown = {12345, 19.634, 1, 42.5, 80, 3601},
        .bounded_slowdown = {12345, 9.634, 1, 21.5, 40, 1800.5},
        .users = 2,
        .fairness = 0.75,
    };
    runs[0].figures.haizea_slowdown_mean = 0.7204;
    runs[0].figures.utilization = 0.6815;
    runs[0].figures.best_effort_end = 500000;
    runs[0].figures.all_best_effort = 600000;
    runs[0].figures.end_time = 600000;
    runs[1] = runs[0];
    runs[1].name = "päck";
    runs[1].status = "interrupted";
    runs[1].haizea = true;
    runs[1].figures.service.users = 1;
    runs[1].figures.kinds[LEASE_BEST_EFFORT].completed = 12340;
    runs[1].figures.refused[REASON_TOO_BIG] = 1;
    runs[1].figures.suspensions = 1928;
    runs[1].suspended_jobs = true;
    runs[1].figures.kinds[LEASE_RESERVATION] =
        (struct accounting_kind){.requested = 3, .accepted = 2, .rejected = 1, .cancelled = 2};
    runs[1].figures.preemptions[PREEMPTED_REQUEUE] = 58;
    runs[1].cpu_seconds = 0.25;
}

static void tables_stand_side_by_side(void **state)
{
    struct summary_run runs[2];
    struct output *out = output_create("summary.txt", NULL);
    char *table;

    make_runs(runs);
    summary_write_table(out, runs, 2, 0);
    table = text_of(out, "summary.txt");
    assert_string_equal(
        table, "                                           greedy                   päck\n"
               "Stopped                                         -            interrupted\n"
               "Best-effort leases\n"
               "  requested                                12,345                 12,345\n"
               "  accepted                                 12,345                 12,345\n"
               "  rejected                                      0                      0\n"
               "  completed                                12,345                 12,340\n"
               "Advance reservations\n"
               "  requested                                     -                      3\n"
               "  accepted                                      -                      2\n"
               "  rejected                                      -                      1\n"
               "  completed                                     -                      0\n"
               "  cancelled                                     -                      2\n"
               "Waiting time (best-effort)\n"
               "  mean                          1:01:01 (3,661 s)      1:01:01 (3,661 s)\n"
               "  median                            0:00:00 (0 s)          0:00:00 (0 s)\n"
               "  95th percentile             25:01:01 (90,061 s)    25:01:01 (90,061 s)\n"
               "  99th percentile            27:46:40 (100,000 s)   27:46:40 (100,000 s)\n"
               "  maximum                   100:00:00 (360,000 s)  100:00:00 (360,000 s)\n"
               "Turnaround (best-effort)\n"
               "  mean                          1:02:41 (3,761 s)      1:02:41 (3,761 s)\n"
               "  median                          0:01:40 (100 s)        0:01:40 (100 s)\n"
               "  95th percentile             25:02:41 (90,161 s)    25:02:41 (90,161 s)\n"
               "  99th percentile            27:48:20 (100,100 s)   27:48:20 (100,100 s)\n"
               "  maximum                   100:01:40 (360,100 s)  100:01:40 (360,100 s)\n"
               "Slowdown (by run time)\n"
               "  mean                                      19.63                  19.63\n"
               "  median                                     1.00                   1.00\n"
               "  95th percentile                           42.50                  42.50\n"
               "  99th percentile                           80.00                  80.00\n"
               "  maximum                                 3601.00                3601.00\n"
               "Bounded slowdown (10 s)\n"
               "  mean                                       9.63                   9.63\n"
               "  median                                     1.00                   1.00\n"
               "  95th percentile                           21.50                  21.50\n"
               "  99th percentile                           40.00                  40.00\n"
               "  maximum                                 1800.50                1800.50\n"
               "Haizea's slowdown, mean                         -                  0.720\n"
               "Fairness between users                      0.750                      -\n"
               "CPU utilization                           68.15 %                68.15 %\n"
               "Preemptions                                     0                     58\n"
               "  by requeueing                                 -                     58\n"
               "Suspensions                                     0                  1,928\n"
               "All best-effort done        138:53:20 (500,000 s)                      -\n"
               "End of the run              166:40:00 (600,000 s)  166:40:00 (600,000 s)\n"
               "Scheduling attempts                             0                      0\n"
               "CPU time                                        -                0.250 s\n"
               "Refused leases\n"
               "  too-big                                       -                      1\n"
               "\n"
               "päck: leases were suspended 1,928 times (scheduling.suspension).\n"
               "The jobs of a log in the Standard Workload Format ran without interruption: "
               "replay\n"
               "it with --as-jobs to compare it with textbook backfilling.\n");
    free(table);
}

static void tables_fold_when_the_terminal_is_narrow(void **state)
{
    struct summary_run runs[2];
    struct output *out = output_create("summary.txt", NULL);
    char *table;

    make_runs(runs);
    summary_write_table(out, runs, 2, 60);
    table = text_of(out, "summary.txt");
    *strstr(table, "\npäck: ") = '\0'; /* a paragraph, not part of the tables */
    for (const char *line = table; *line; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 61);
    assert_non_null(strstr(table, "greedy\n"));
    assert_non_null(strstr(table, "päck\n"));
    free(table);
}

static void summaries_are_json_too(void **state)
{
    struct summary_run runs[2];
    struct output *out = output_create("summary.json", NULL);
    char *document;
    json_t *object;
    json_t *run, *object_of_slowdown;

    make_runs(runs);
    summary_write_json(out, runs, 2);
    document = text_of(out, "summary.json");
    object = json_loads(document, JSON_REJECT_DUPLICATES, NULL);
    assert_string_equal(json_string_value(json_object_get(object, "schema")), "galerna-summary");
    assert_int_equal(json_integer_value(json_object_get(object, "version")), 2);
    run = json_array_get(json_object_get(object, "runs"), 1);
    assert_string_equal(json_string_value(json_object_get(run, "name")), "päck");
    assert_string_equal(json_string_value(json_object_get(run, "status")), "interrupted");
    assert_int_equal(json_integer_value(json_object_get(run, "all_best_effort")), 500000);
    assert_true(json_is_null(json_object_get(run, "peak_memory_kb")));
    assert_true(json_number_value(json_object_get(run, "cpu_seconds")) == 0.25);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(run, "preemptions"), "requeue")), 58);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(run, "refused"), "too-big")), 1);
    assert_true(json_is_true(json_object_get(run, "suspended_jobs")));
    object_of_slowdown = json_object_get(run, "bounded_slowdown");
    assert_true(json_number_value(json_object_get(object_of_slowdown, "p99")) == 40);
    run = json_array_get(json_object_get(object, "runs"), 0);
    assert_int_equal(json_integer_value(json_object_get(run, "all_best_effort")), 500000);
    json_decref(object);
    free(document);
}

/* A million boxes fit into the memory of a few thousand, and no second of use is lost. */
static void pictures_stay_small(void **state)
{
    struct gantt_boxes boxes;
    double shown = 0;
    double used = 0;

    gantt_boxes_init(&boxes);
    gantt_boxes_set_hosts(&boxes, 1000);
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t host = i * 7919u % 1000;
        struct gantt_box box = {.from = i, .until = i + 1 + i % 5000, .lease = i};

        gantt_boxes_add(&boxes, &box, &host, 1);
        used += (double)(box.until - box.from);
    }
    assert_true(boxes.n_boxes <= GANTT_BOXES_MAX);
    for (size_t i = 0; i < boxes.n_boxes; i++)
        shown += (double)(boxes.boxes[i].until - boxes.boxes[i].from);
    for (size_t group = 0; group < boxes.n_groups; group++) {
        for (size_t bucket = 0; bucket < GRID_BUCKETS; bucket++)
            shown += gantt_grid_use(&boxes, group, bucket) * (double)boxes.bucket *
                     (double)boxes.hosts_per_group;
    }
    assert_true(fabs(shown - used) < used * 1e-4);
    gantt_boxes_finish(&boxes);
}

static void times_are_readable(void **state)
{
    char text[32];

    time_text_hours(4711, text, sizeof text);
    assert_string_equal(text, "1:18:31");
    time_text_hours(-5, text, sizeof text);
    assert_string_equal(text, "-0:00:05");
    time_text_hours(INSTANT_NEVER, text, sizeof text);
    assert_string_equal(text, "never");
    time_text_seconds(4711, text, sizeof text);
    assert_string_equal(text, "4711 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waiting_times_are_ranked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals_are_counted_once, set_up, tear_down),
        cmocka_unit_test(no_history_is_kept_unless_asked_for),
        cmocka_unit_test(tables_stand_side_by_side),
        cmocka_unit_test(tables_fold_when_the_terminal_is_narrow),
        cmocka_unit_test(summaries_are_json_too),
        cmocka_unit_test(pictures_stay_small),
        cmocka_unit_test(times_are_readable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
