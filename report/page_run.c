/* Writes the percentiles, curves, bars and leases of a run for the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/host_set.h"
#include "report/page.h"
#include "report/page_private.h"
#include "util/memory.h"

enum { PERCENTILES = 101, LEASE_BYTES = 100 /* about */ };

/* Ends a query; code: the result of its last step. */
static int end_query(const struct page_run *run, sqlite3_stmt *statement, int code,
                     struct error *err)
{
    int result = code == SQLITE_DONE ? 0 : page_input_error(run->input, err);

    sqlite3_finalize(statement);
    return result;
}

int page_run_begin(const struct page_run *run, struct error *err)
{
    char text[120];

    sqlite3_snprintf(sizeof text, text, "DELETE FROM kept; UPDATE shown SET cell = %lld",
                     (long long)run->cell);
    return page_input_execute(run->input, text, err);
}

/* --- values ----------------------------------------------------------------------------------- */

/* Writes a value of any type; texts are truncated. */
static void write_column(struct json_writer *json, sqlite3_stmt *statement, int column)
{
    char text[120];

    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        json_write_integer(json, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        json_write_double(json, round(sqlite3_column_double(statement, column) * 1000) / 1000);
        break;
    case SQLITE_NULL:
        json_write_null(json);
        break;
    default:
        snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, column));
        json_write_string(json, text);
        break;
    }
}

/* Writes all columns of all rows. */
static int write_rows(const struct page_run *run, const char *key, const char *query,
                      struct json_writer *json, struct error *err)
{
    sqlite3_stmt *statement = page_input_query(run->input, query, err);
    int code;

    if (!statement)
        return -1;
    json_open_array(json, key);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        json_begin_array(json);
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            write_column(json, statement, i);
        json_end_array(json);
    }
    json_end_array(json);
    return end_query(run, statement, code, err);
}

/* --- distributions ---------------------------------------------------------------------------- */

/* The index of a percentile among n values: the nearest rank. */
static int64_t rank_of(int percent, int64_t n)
{
    int64_t rank = (percent * n + 99) / 100;

    return rank > 0 ? rank - 1 : 0;
}

/* The query returns each value and its number of occurrences, in ascending order. */
static int write_percentiles(const struct page_run *run, const char *key, const char *query,
                             struct json_writer *json, struct error *err)
{
    sqlite3_stmt *statement = page_input_query(run->input, query, err);
    int code, percent = 0;

    if (!statement)
        return -1;
    json_open_array(json, key);
    for (int64_t place = 0; (code = sqlite3_step(statement)) == SQLITE_ROW; place++)
        while (percent < PERCENTILES &&
               rank_of(percent, sqlite3_column_int64(statement, 1)) == place) {
            write_column(json, statement, 0);
            percent++;
        }
    json_end_array(json);
    return end_query(run, statement, code, err);
}

/* --- over time -------------------------------------------------------------------------------- */

/* Adds a value that holds from one time to another to the sums of the parts of the run. */
static void add_piece(double sums[PAGE_STEPS], double width, const double piece[2], double value)
{
    for (int i = (int)fmax(0, piece[0] / width); i < PAGE_STEPS && i * width < piece[1]; i++)
        sums[i] += value * (fmin(piece[1], (i + 1) * width) - fmax(piece[0], i * width));
}

/* Writes the means of a counter, whose values hold until the next one. */
static int write_means(const struct page_run *run, const char *key, const char *counter,
                       struct json_writer *json, struct error *err)
{
    sqlite3_stmt *statement = page_input_query(
        run->input, "SELECT time, value FROM counters WHERE counter = ? ORDER BY seq", err);
    double sums[PAGE_STEPS] = {0}, width = fmax(1, (double)run->end) / PAGE_STEPS;
    double piece[2] = {0}, value = 0;
    bool any = false;
    int code;

    if (!statement)
        return -1;
    sqlite3_bind_text(statement, 1, counter, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        piece[1] = fmin(sqlite3_column_double(statement, 0), (double)run->end);
        add_piece(sums, width, piece, value);
        piece[0] = piece[1];
        value = sqlite3_column_double(statement, 1);
        any = true;
    }
    piece[1] = (double)run->end;
    add_piece(sums, width, piece, value);
    json_open_array(json, key);
    for (int i = 0; any && i < PAGE_STEPS; i++)
        json_write_double(json, round(sums[i] / width * 1000) / 1000);
    json_end_array(json);
    return end_query(run, statement, code, err);
}

/* --- bars ------------------------------------------------------------------------------------- */

/* Turns "7 0 1" into "0-1 7". */
static char *ranges_of(struct host_set *hosts, const char *text)
{
    struct output *out = output_create_memory();
    const char *held;
    char *end, *ranges;
    size_t n;

    hosts->n_ids = 0;
    for (; text && *text; text = end + (*end == ' '))
        host_set_add(hosts, strtoll(text, &end, 10));
    host_set_sort(hosts);
    host_set_write(hosts, out);
    held = output_held(out, &n);
    ranges = memory_format("%.*s", (int)n, held);
    output_destroy(out);
    return ranges;
}

static void write_bar(struct json_writer *json, sqlite3_stmt *statement, struct host_set *hosts)
{
    char *ranges = ranges_of(hosts, (const char *)sqlite3_column_text(statement, 4));

    json_begin_array(json);
    for (int i = 0; i < 4; i++)
        write_column(json, statement, i);
    json_write_string(json, ranges);
    json_end_array(json);
    free(ranges);
}

/* Adds the lease to `kept`. Returns the bytes needed for the lease, -1 with err. */
static int keep_lease(const struct page_run *run, sqlite3_stmt *keeping, sqlite3_stmt *bar,
                      struct error *err)
{
    int code = sqlite3_bind_value(keeping, 1, sqlite3_column_value(bar, 0));

    if (code == SQLITE_OK)
        sqlite3_step(keeping);
    if (sqlite3_reset(keeping) != SQLITE_OK)
        return page_input_error(run->input, err);
    return sqlite3_changes(run->input->database) > 0 ? LEASE_BYTES : 0;
}

/* Writes the largest leases first, until the room for bars and leases is used up. */
static int write_bars(const struct page_run *run, sqlite3_stmt *bars, sqlite3_stmt *keeping,
                      struct json_writer *json, struct error *err)
{
    int64_t first = output_position(json->out), left_out = 0, leases = 0;
    struct host_set hosts;
    int code = SQLITE_DONE, bytes = 0;

    host_set_init(&hosts);
    json_open_array(json, "bars");
    while (bytes >= 0 && (code = sqlite3_step(bars)) == SQLITE_ROW) {
        if (left_out > 0 || output_position(json->out) - first + leases > run->bars_size) {
            left_out++;
            continue;
        }
        write_bar(json, bars, &hosts);
        bytes = keep_lease(run, keeping, bars, err);
        leases += bytes;
    }
    json_end_array(json);
    json_put_integer(json, "bars_left_out", left_out);
    host_set_finish(&hosts);
    return bytes < 0 ? -1 : code != SQLITE_DONE ? page_input_error(run->input, err) : 0;
}

static int write_stretches(const struct page_run *run, struct json_writer *json, struct error *err)
{
    static const char query[] =
        "SELECT lease, iif(state = 'Withdrawn', state, kind), start_time, end_time, "
        "group_concat(host, ' ') FROM reservations JOIN reservation_hosts ON reservation = id "
        "WHERE kind IN ('VM', 'SUSPEND', 'RESUME', 'SHUTDOWN') AND state <> 'Scheduled' "
        "AND lease IN (SELECT id FROM leases) AND (end_time IS NULL OR end_time > start_time) "
        "GROUP BY id ORDER BY sum(cpu) * (coalesce(end_time, ?) - start_time) DESC, id";
    sqlite3_stmt *bars = page_input_query(run->input, query, err);
    sqlite3_stmt *keeping =
        bars ? page_input_query(run->input, "INSERT OR IGNORE INTO kept VALUES (?)", err) : NULL;
    int result = -1;

    if (keeping) {
        sqlite3_bind_int64(bars, 1, run->end);
        result = write_bars(run, bars, keeping, json, err);
    }
    sqlite3_finalize(bars);
    sqlite3_finalize(keeping);
    if (result < 0)
        return -1;
    return write_rows(run, "leases",
                      "SELECT id, kind, user, vms, submit, start_time, end_time, waiting_time, "
                      "bounded_slowdown, state, reason FROM leases "
                      "WHERE id IN (SELECT lease FROM kept) ORDER BY id",
                      json, err);
}

#define SERVED(column)                                                                             \
    "SELECT " column ", count(*) OVER () FROM leases WHERE kind = 'Best-effort' AND state = "      \
    "'Done' AND " column " IS NOT NULL ORDER BY 1"

int page_run_write(const struct page_run *run, struct json_writer *json, struct error *err)
{
    const struct page_input *input = run->input;
    bool leases = page_input_has(input, "leases"), hosts = page_input_has(input, "hosts");
    bool counters = page_input_has(input, "counters");

    if (!leases && !counters)
        return 0;
    if (write_rows(run, "hosts",
                   hosts ? "SELECT id, cpu / 100.0 FROM hosts ORDER BY id" : "SELECT 0 WHERE 0",
                   json, err) < 0)
        return -1;
    if (leases && (write_percentiles(run, "waiting", SERVED("waiting_time"), json, err) < 0 ||
                   write_percentiles(run, "slowdown", SERVED("bounded_slowdown"), json, err) < 0))
        return -1;
    if (counters && (write_means(run, "utilization", "CPU utilization", json, err) < 0 ||
                     write_means(run, "queue", "Queue size", json, err) < 0))
        return -1;
    return leases && page_input_has(input, "reservation_hosts") ? write_stretches(run, json, err)
                                                                : 0;
}
