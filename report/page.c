/* Writes the page: the runs of all databases, and the text around their data. */
#include "report/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/page_private.h"

static const char place_of_data[] = "@DATA@";

/* The state of writing a page. */
struct report {
    struct json_writer json;
    int64_t n_runs, n_details;
    int64_t bars_size; /* of one run */
};

/* Columns common to both kinds of databases; end_time is the fourth in queries. */
#define FIGURES                                                                                    \
    "end_time, waiting_mean, waiting_median, waiting_p95, waiting_p99, waiting_max, "              \
    "bounded_slowdown_mean, bounded_slowdown_p95, utilization, queue_mean, fairness, "             \
    "preempted_suspend, preempted_requeue, preempted_cancel, migrations, makespan"
static void write_figures(struct json_writer *json, sqlite3_stmt *runs)
{
    json_open_object(json, "figures");
    for (int i = 3; i < sqlite3_column_count(runs); i++) {
        json_write_key(json, sqlite3_column_name(runs, i));
        if (sqlite3_column_type(runs, i) == SQLITE_NULL)
            json_write_null(json);
        else
            json_write_double(json, sqlite3_column_double(runs, i));
    }
    json_end_object(json);
}

static int write_run(struct report *report, struct page_input *input, sqlite3_stmt *runs,
                     struct error *err)
{
    struct json_writer *json = &report->json;
    struct page_run run = {.input = input,
                           .cell = sqlite3_column_int64(runs, 0),
                           .end = sqlite3_column_int64(runs, 3),
                           .bars_size = report->bars_size};
    const bool ended = sqlite3_column_type(runs, 3) != SQLITE_NULL;
    char name[200], status[40];
    int result = 0;

    snprintf(name, sizeof name, "%s", (const char *)sqlite3_column_text(runs, 1));
    snprintf(status, sizeof status, "%s", (const char *)sqlite3_column_text(runs, 2));
    json_begin_object(json);
    json_put_string(json, "name", name);
    json_put_string(json, "file", input->path);
    json_put_string(json, "status", status);
    write_figures(json, runs);
    if (ended && report->n_details++ < PAGE_DETAILS) {
        result = page_run_begin(&run, err);
        if (result == 0)
            result = page_run_write(&run, json, err);
    }
    json_end_object(json);
    return result;
}

static sqlite3_stmt *query_runs(struct page_input *input, struct error *err)
{
    return page_input_query(input,
                            input->is_sweep ? "SELECT cell, name, status, " FIGURES
                                              " FROM cells ORDER BY cell"
                                            : "SELECT 0, name, status, " FIGURES " FROM run",
                            err);
}

static int write_input(struct report *report, const char *path, struct error *err)
{
    struct page_input input;
    sqlite3_stmt *runs = NULL;
    int code = SQLITE_DONE, result = page_input_open(&input, path, err);

    if (result == 0)
        runs = query_runs(&input, err);
    result = runs ? 0 : -1;
    while (result == 0 && (code = sqlite3_step(runs)) == SQLITE_ROW)
        if (report->n_runs++ < PAGE_RUNS)
            result = write_run(report, &input, runs, err);
    if (result == 0 && code != SQLITE_DONE)
        result = page_input_error(&input, err);
    sqlite3_finalize(runs);
    page_input_close(&input);
    return result;
}

/* The number of runs in the inputs; -1 with err. */
static int64_t count_runs(const struct page_options *options, struct error *err)
{
    int64_t n = 0;

    for (size_t i = 0; i < options->n_inputs; i++) {
        struct page_input input;
        sqlite3_stmt *query = NULL;
        int code = SQLITE_ERROR;

        if (page_input_open(&input, options->inputs[i], err) == 0)
            query = page_input_query(
                &input, input.is_sweep ? "SELECT count(*) FROM cells" : "SELECT count(*) FROM run",
                err);
        if (query && (code = sqlite3_step(query)) == SQLITE_ROW)
            n += sqlite3_column_int64(query, 0);
        else if (query)
            page_input_error(&input, err);
        sqlite3_finalize(query);
        page_input_close(&input);
        if (code != SQLITE_ROW)
            return -1;
    }
    return n > 0 ? n : error_set(err, EINVAL, "%s: contains no runs", options->inputs[0]);
}

static int write_data(const struct page_options *options, struct output *out, struct error *err)
{
    struct report report = {0};
    struct json_writer *json = &report.json;
    int64_t n = count_runs(options, err);

    if (n < 0)
        return -1;
    report.bars_size = PAGE_BARS_BYTES / (n < PAGE_DETAILS ? n : PAGE_DETAILS);
    json_writer_init(json, out);
    json_begin_object(json);
    json_put_string(json, "title", options->title);
    json_put_integer(json, "details", PAGE_DETAILS);
    json_open_array(json, "runs");
    for (size_t i = 0; i < options->n_inputs; i++)
        if (write_input(&report, options->inputs[i], err) < 0)
            return -1;
    json_end_array(json);
    json_put_integer(json, "left_out", n > PAGE_RUNS ? n - PAGE_RUNS : 0);
    json_end_object(json);
    return output_check(out, err);
}

/* Writes JSON inside a page: only its strings have '<', which must not begin a tag. */
static void put_data(struct output *page, const struct output *data)
{
    size_t n, part;
    const char *text = output_held(data, &n);

    for (const char *end = text + n; text < end; text += part + 1) {
        const char *tag = memchr(text, '<', (size_t)(end - text));

        part = tag ? (size_t)(tag - text) : (size_t)(end - text);
        output_bytes(page, text, part);
        if (tag)
            output_text(page, "\\u003c");
    }
}

static int put_page(const char *path, const struct output *data, struct error *err)
{
    const char *text = (const char *)page_text, *place = strstr(text, place_of_data);
    struct output *page = output_create(path, err);

    if (!page)
        return -1;
    output_bytes(page, text, (size_t)(place - text));
    put_data(page, data);
    output_text(page, place + sizeof place_of_data - 1);
    return output_close(page, err);
}

int page_write(const struct page_options *options, struct error *err)
{
    struct output *data = output_create_memory();
    int result = write_data(options, data, err);

    if (result == 0)
        result = put_page(options->path, data, err);
    output_destroy(data);
    return result;
}
