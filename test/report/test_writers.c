/* The files a run leaves, written from a recorded schedule in which a reservation suspends two
 * best-effort leases. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <libxml/parser.h>
#include <sqlite3.h>

#include "report/events.h"
#include "report/gantt.h"
#include "report/jobs_csv.h"
#include "report/results.h"
#include "test/report/golden_run.h"

static const char schedule[] = GOLDEN_DATA "/haizea-1.0/pre-order.json";

static char *slurp(const char *path)
{
    FILE *file = fopen(path, "r");
    char *content = NULL;
    size_t size = 0;

    assert_non_null(file);
    assert_true(getdelim(&content, &size, '\0', file) >= 0);
    fclose(file);
    unlink(path);
    return content;
}

static void play(const char *path, const struct observer *observers, size_t n)
{
    struct golden_run *run = golden_run_load(path);
    struct error err = {0};

    if (golden_run_play(run, observers, n, &err) < 0)
        fail_msg("%s", err.text);
    golden_run_destroy(run);
}

static void jobs_have_the_columns_of_evalys(void **state)
{
    struct jobs_csv *jobs = jobs_csv_create("jobs.csv", "night, \"long\"", NULL);
    struct observer observer = jobs_csv_observer(jobs);
    char *got;

    play(schedule, &observer, 1);
    jobs_csv_destroy(jobs);
    got = slurp("jobs.csv");
    assert_string_equal(
        got,
        "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,"
        "success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
        "allocated_resources\n"
        "5,\"night, \"\"long\"\"\",1800,2,1200,1,2400,1200,3600,600,1800,1.5,1-2\n"
        "3,\"night, \"\"long\"\"\",1200,1,7200,1,1200,7200,8400,0,7200,1,3\n"
        "1,\"night, \"\"long\"\"\",0,1,7200,1,0,8464,8464,0,8464,1,1\n"
        "4,\"night, \"\"long\"\"\",1500,1,7200,1,1500,7200,8700,0,7200,1,4\n"
        "2,\"night, \"\"long\"\"\",600,1,7200,1,600,8464,9064,0,8464,1,2\n");
    free(got);
}

/* Refused, cancelled, and never started leases leave empty fields. */
static void jobs_that_never_ran_are_listed(void **state)
{
    struct jobs_csv *jobs = jobs_csv_create("jobs.csv", "w", NULL);
    struct observer observer = jobs_csv_observer(jobs);
    char *got;

    play(GOLDEN_DATA "/haizea-1.0/adm-noars.json", &observer, 1);
    jobs_csv_destroy(jobs);
    got = slurp("jobs.csv");
    assert_non_null(strstr(got, "\n2,w,60,2,600,0,,,,,,,\n"));
    free(got);

    jobs = jobs_csv_create("jobs.csv", "w", NULL);
    observer = jobs_csv_observer(jobs);
    play(GOLDEN_DATA "/haizea-1.0/stop-bedone.json", &observer, 1);
    jobs_csv_destroy(jobs);
    got = slurp("jobs.csv");
    assert_non_null(strstr(got, "\n2,w,0,4,1800,0,,,,,,,1-4\n"));
    free(got);
}

static void events_are_lines_of_json(void **state)
{
    struct events *events = events_create("events.jsonl", NULL);
    struct observer observer = events_observer(events);
    size_t lines = 0;
    char *got;

    play(schedule, &observer, 1);
    events_destroy(events);
    got = slurp("events.jsonl");
    assert_non_null(strstr(got, "{\"time\":0,\"lease\":1,\"event\":\"state\",\"from\":\"New\","
                                "\"to\":\"Pending\"}\n"
                                "{\"time\":0,\"lease\":1,\"event\":\"requested\","
                                "\"accepted\":true}\n"));
    assert_non_null(strstr(got, "{\"time\":1800,\"lease\":2,\"event\":\"preempted\",\"for\":0,"
                                "\"at\":2400,\"how\":\"suspend\"}\n"));
    assert_non_null(strstr(got, "\"event\":\"finished\",\"state\":\"Done\",\"reason\":"));
    for (char *rest = got, *line; (line = strsep(&rest, "\n")) && *line; lines++) {
        json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

        assert_true(json_is_object(object));
        json_decref(object);
    }
    assert_int_equal(lines, 43 + 5 + 5 + 2);
    free(got);
}

static int64_t query(sqlite3 *database, const char *text)
{
    sqlite3_stmt *statement;
    int64_t value;

    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(database));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void write_results(const char *path)
{
    struct engine_settings settings;
    struct error err = {0};
    struct accounting *accounting = accounting_create(true);
    struct results_options options = {
        .path = path, .name = "a run", .settings = &settings, .accounting = accounting};
    struct results *results;

    engine_settings_init(&settings);
    results = results_create(&options, &err);
    if (!results)
        fail_msg("%s", err.text);
    struct observer observers[] = {accounting_observer(accounting), results_observer(results)};

    play(schedule, observers, 2);
    results_destroy(results);
    accounting_destroy(accounting);
}

static void results_answer_questions(void **state)
{
    static const struct {
        const char *question;
        int64_t answer;
    } cases[] = {
        {"PRAGMA user_version", RESULTS_VERSION},
        {"PRAGMA application_id", RESULTS_APPLICATION_ID},
        {"SELECT count(*) FROM run WHERE name = 'a run' AND status = 'ok'", 1},
        {"SELECT end_time FROM run", 9064},
        {"SELECT suspensions FROM run", 2},
        {"SELECT count(*) FROM leases", 5},
        {"SELECT count(*) FROM leases WHERE state = 'Done' AND reason <> ''", 5},
        {"SELECT end_time FROM leases WHERE id = 2", 9064},
        {"SELECT count(*) FROM leases WHERE deadline IS NULL AND user IS NULL", 5},
        {"SELECT count(*) FROM reservations WHERE kind = 'SUSPEND' AND lease = 1", 1},
        {"SELECT sum(cpu) FROM reservation_hosts JOIN reservations ON reservation = id "
         "WHERE kind = 'VM' AND lease = 5",
         200},
        {"SELECT count(*) FROM reservations WHERE vms = '1:1 2:2' AND lease = 5", 2},
        {"SELECT count(*) FROM state_log", 43},
        {"SELECT at FROM preemptions WHERE lease = 2 AND how = 'suspend'", 2400},
        {"SELECT count(*) FROM counters WHERE counter = 'CPU utilization'", 8},
        {"SELECT lease FROM counters WHERE counter = 'Accepted AR' AND value = 1 ORDER BY seq", 5},
        {"SELECT count(*) FROM hosts WHERE cpu = 100 AND memory = 1024 AND others IS NULL", 4},
        {"SELECT count(*) FROM settings WHERE name = 'suspension' AND value = 'all'", 1},
    };
    sqlite3 *database;

    unlink("results.db");
    write_results("results.db");
    write_results("results.db"); /* replaces the first */
    assert_int_equal(sqlite3_open("results.db", &database), SQLITE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (query(database, cases[i].question) != cases[i].answer)
            fail_msg("%s: %lld", cases[i].question, (long long)query(database, cases[i].question));
    }
    sqlite3_close(database);
    unlink("results.db");
}

static void results_spare_other_files(void **state)
{
    struct engine_settings settings;
    struct error err = {0};
    struct results_options options = {.path = "letter.txt", .name = "a run", .settings = &settings};
    FILE *file = fopen("letter.txt", "w");
    char *content;

    engine_settings_init(&settings);
    fputs("Dear reader\n", file);
    fclose(file);
    assert_null(results_create(&options, &err));
    assert_int_equal(err.code, EEXIST);
    content = slurp("letter.txt");
    assert_string_equal(content, "Dear reader\n");
    free(content);
    options.path = "no/such/folder/results.db";
    assert_null(results_create(&options, &err));
    assert_non_null(strstr(err.text, "no/such/folder/results.db"));
}

static void an_unfinished_run_leaves_no_results(void **state)
{
    struct engine_settings settings;
    struct accounting *accounting = accounting_create(true);
    struct results_options options = {
        .path = "half.db", .name = "a run", .settings = &settings, .accounting = accounting};
    struct observer observer;
    struct results *results;
    sqlite3 *database;

    engine_settings_init(&settings);
    results = results_create(&options, NULL);
    observer = results_observer(results);
    observer.end = NULL;
    play(schedule, &observer, 1);
    results_destroy(results);
    accounting_destroy(accounting);
    assert_int_equal(sqlite3_open("half.db", &database), SQLITE_OK);
    assert_int_equal(query(database, "SELECT count(*) FROM sqlite_master"), 0);
    sqlite3_close(database);
    unlink("half.db");
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static char *draw(const char *path, const char *title)
{
    struct gantt_options options = {"picture.svg", title, INSTANT_NONE};
    struct gantt *gantt = gantt_create(&options, NULL);
    struct observer observer = gantt_observer(gantt);
    xmlDoc *document;
    char *picture;

    play(path, &observer, 1);
    gantt_destroy(gantt);
    document = xmlReadFile("picture.svg", NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
    assert_non_null(document);
    xmlFreeDoc(document);
    picture = slurp("picture.svg");
    return picture;
}

static void the_picture_shows_the_schedule(void **state)
{
    char *picture = draw(schedule, "Two <suspended> & \"resumed\"");

    assert_non_null(strstr(picture, "Two &lt;suspended&gt; &amp; &quot;resumed&quot;"));
    assert_int_equal(count(picture, "fill=\"url(#suspend)\" d="), 2);
    assert_int_equal(count(picture, "fill=\"url(#resume)\" d="), 2);
    assert_int_equal(count(picture, " reservation\" d="), 1);
    assert_non_null(strstr(picture, "<title>AR lease 5, VM, host 1-2, 0:40:00 to 1:00:00</title>"));
    assert_non_null(strstr(picture, "4 hosts, 5 leases that ran, 2 preemptions"));
    assert_int_equal(count(picture, "h10l-5 8z"), 2 + 1); /* two marks and the legend */
    assert_int_equal(count(picture, "<text class=\"label\""), 7);
    assert_null(strstr(picture, "too small to show"));
    free(picture);
}

static void a_large_picture_stays_readable(void **state)
{
    char *picture = draw(GOLDEN_DATA "/blue/150requests-T30-local.json", "144 hosts");

    assert_true(strlen(picture) < 200000);
    assert_non_null(strstr(picture, "too small to show"));
    assert_non_null(strstr(picture, "class=\"s5\""));
    free(picture);
}

static void full_disks_are_reported(void **state)
{
    struct gantt_options picture = {"/dev/full", NULL, INSTANT_NONE};
    struct jobs_csv *jobs = jobs_csv_create("/dev/full", "w", NULL);
    struct events *events = events_create("/dev/full", NULL);
    struct gantt *gantt = gantt_create(&picture, NULL);
    struct observer observers[] = {jobs_csv_observer(jobs), events_observer(events),
                                   gantt_observer(gantt)};
    struct golden_run *run = golden_run_load(schedule);

    for (size_t i = 0; i < 3; i++) {
        struct error err = {0};

        assert_int_equal(golden_run_play(run, &observers[i], 1, &err), -1);
        assert_int_equal(err.code, ENOSPC);
        assert_non_null(strstr(err.text, "/dev/full"));
    }
    golden_run_destroy(run);
    jobs_csv_destroy(jobs);
    events_destroy(events);
    gantt_destroy(gantt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_have_the_columns_of_evalys),
        cmocka_unit_test(jobs_that_never_ran_are_listed),
        cmocka_unit_test(events_are_lines_of_json),
        cmocka_unit_test(results_answer_questions),
        cmocka_unit_test(results_spare_other_files),
        cmocka_unit_test(an_unfinished_run_leaves_no_results),
        cmocka_unit_test(the_picture_shows_the_schedule),
        cmocka_unit_test(a_large_picture_stays_readable),
        cmocka_unit_test(full_disks_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
