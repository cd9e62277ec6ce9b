/* Writes summaries of runs as a table and as JSON. */
#include "report/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/engine.h"
#include "core/reason.h"
#include "util/json_writer.h"
#include "util/time_text.h"

enum { SUMMARY_VERSION = 2, CELL_MAX = 96, LABEL_WIDTH = 26 };

/* One line of the table. `fill` writes a cell, which is empty if the line does not apply to the
 * run. */
struct line {
    const char *label;
    void (*fill)(const struct summary_run *run, int detail, char *cell);
    int detail;
};

static void cell_count(char *cell, int64_t value)
{
    char digits[32];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRId64, value);
    char *to = cell;

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
}

static void cell_span(char *cell, int64_t seconds)
{
    char hours[32];
    char count[48];

    time_text_hours(seconds, hours, sizeof hours);
    cell_count(count, seconds);
    snprintf(cell, CELL_MAX, "%s (%s s)", hours, count);
}

static int64_t rounded(double value)
{
    return (int64_t)(value + (value < 0 ? -0.5 : 0.5));
}

/* The distributions of a summary, with their names in JSON. */
enum measure { MEASURE_WAITING, MEASURE_TURNAROUND, MEASURE_SLOWDOWN, MEASURE_BOUNDED, MEASURES };

static const char *const measure_names[MEASURES] = {"waiting_time", "turnaround_time", "slowdown",
                                                    "bounded_slowdown"};

static const struct distribution *distribution(const struct summary_run *run, int measure)
{
    const struct service_summary *service = &run->figures.service;
    const struct distribution *const all[MEASURES] = {
        &service->waiting, &service->turnaround, &service->slowdown, &service->bounded_slowdown};

    return all[measure];
}

static void fill_name(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    snprintf(cell, CELL_MAX, "%s", run->name);
}

static void fill_status(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    if (run->status && strcmp(run->status, "ok") != 0)
        snprintf(cell, CELL_MAX, "%s", run->status);
}

static void fill_kind(const struct summary_run *run, int detail, char *cell)
{
    const struct accounting_kind *kind = &run->figures.kinds[detail / 8];
    const int64_t values[] = {kind->requested, kind->accepted,  kind->rejected,
                              kind->completed, kind->cancelled, kind->failed};

    /* Cancelled and failed leases are rare: their lines appear only if there are any. */
    if (kind->requested > 0 && (detail % 8 < 4 || values[detail % 8] > 0))
        cell_count(cell, values[detail % 8]);
}

/* detail: 8 x measure + index of a figure in its distribution. */
static void fill_distribution(const struct summary_run *run, int detail, char *cell)
{
    const struct distribution *of = distribution(run, detail / 8);
    const double values[] = {of->mean, of->median, of->p95, of->p99, of->max};

    if (of->count == 0)
        return;
    if (detail / 8 < MEASURE_SLOWDOWN)
        cell_span(cell, rounded(values[detail % 8]));
    else
        snprintf(cell, CELL_MAX, "%.2f", values[detail % 8]);
}

static void fill_haizea_slowdown(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    if (run->haizea && run->figures.service.waiting.count > 0)
        snprintf(cell, CELL_MAX, "%.3f", run->figures.haizea_slowdown_mean);
}

static void fill_fairness(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    if (run->figures.service.users > 1)
        snprintf(cell, CELL_MAX, "%.3f", run->figures.service.fairness);
}

static void fill_utilization(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    snprintf(cell, CELL_MAX, "%.2f %%", run->figures.utilization * 100);
}

static void fill_preemptions(const struct summary_run *run, int detail, char *cell)
{
    const int64_t *how = run->figures.preemptions;
    int64_t all = how[PREEMPTED_SUSPEND] + how[PREEMPTED_REQUEUE] + how[PREEMPTED_CANCEL];

    if (detail < 0)
        cell_count(cell, all);
    else if (how[detail] > 0)
        cell_count(cell, how[detail]);
}

static void fill_suspensions(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    cell_count(cell, run->figures.suspensions);
}

static void fill_migrations(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    if (run->figures.migrations > 0)
        cell_count(cell, run->figures.migrations);
}

static void fill_all_best_effort(const struct summary_run *run, int detail, char *cell)
{
    const struct accounting_kind *all = &run->figures.kinds[LEASE_BEST_EFFORT];
    int64_t over = all->rejected + all->completed + all->failed + all->cancelled;

    (void)detail;
    if (all->requested > 0 && over == all->requested)
        cell_span(cell, run->figures.best_effort_end);
}

static void fill_end(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    cell_span(cell, run->figures.end_time);
}

static void fill_attempts(const struct summary_run *run, int detail, char *cell)
{
    (void)detail;
    cell_count(cell, (int64_t)run->figures.attempts);
}

static void fill_cost(const struct summary_run *run, int detail, char *cell)
{
    if (detail == 0 && run->cpu_seconds >= 0)
        snprintf(cell, CELL_MAX, "%.3f s", run->cpu_seconds);
    if (detail == 1 && run->peak_memory_kb >= 0)
        snprintf(cell, CELL_MAX, "%.1f MB", (double)run->peak_memory_kb / 1024);
}

#define KIND_LINES(title, kind)                                                                    \
    {title, NULL, 0}, {"  requested", fill_kind, 8 * (kind)},                                      \
        {"  accepted", fill_kind, 8 * (kind) + 1}, {"  rejected", fill_kind, 8 * (kind) + 2},      \
        {"  completed", fill_kind, 8 * (kind) + 3}, {"  cancelled", fill_kind, 8 * (kind) + 4},    \
    {                                                                                              \
        "  failed", fill_kind, 8 * (kind) + 5                                                      \
    }

#define DISTRIBUTION_LINES(title, measure)                                                         \
    {title, NULL, 0}, {"  mean", fill_distribution, 8 * (measure)},                                \
        {"  median", fill_distribution, 8 * (measure) + 1},                                        \
        {"  95th percentile", fill_distribution, 8 * (measure) + 2},                               \
        {"  99th percentile", fill_distribution, 8 * (measure) + 3},                               \
    {                                                                                              \
        "  maximum", fill_distribution, 8 * (measure) + 4                                          \
    }

static const struct line lines[] = {
    {"", fill_name, 0},
    {"Stopped", fill_status, 0},
    KIND_LINES("Best-effort leases", LEASE_BEST_EFFORT),
    KIND_LINES("Advance reservations", LEASE_RESERVATION),
    KIND_LINES("Immediate leases", LEASE_IMMEDIATE),
    KIND_LINES("Deadline leases", LEASE_DEADLINE),
    DISTRIBUTION_LINES("Waiting time (best-effort)", MEASURE_WAITING),
    DISTRIBUTION_LINES("Turnaround (best-effort)", MEASURE_TURNAROUND),
    DISTRIBUTION_LINES("Slowdown (by run time)", MEASURE_SLOWDOWN),
    DISTRIBUTION_LINES("Bounded slowdown (10 s)", MEASURE_BOUNDED),
    {"Haizea's slowdown, mean", fill_haizea_slowdown, 0},
    {"Fairness between users", fill_fairness, 0},
    {"CPU utilization", fill_utilization, 0},
    {"Preemptions", fill_preemptions, -1},
    {"  by suspending", fill_preemptions, PREEMPTED_SUSPEND},
    {"  by requeueing", fill_preemptions, PREEMPTED_REQUEUE},
    {"  by cancelling", fill_preemptions, PREEMPTED_CANCEL},
    {"Suspensions", fill_suspensions, 0},
    {"VMs migrated", fill_migrations, 0},
    {"All best-effort done", fill_all_best_effort, 0},
    {"End of the run", fill_end, 0},
    {"Scheduling attempts", fill_attempts, 0},
    {"CPU time", fill_cost, 0},
    {"Peak memory", fill_cost, 1},
};

enum { LINES = sizeof lines / sizeof lines[0] };

static void fill(const struct line *line, const struct summary_run *run, char *cell)
{
    cell[0] = '\0';
    if (line->fill)
        line->fill(run, line->detail, cell);
}

static bool line_applies(const struct line *line, const struct summary_run *runs, size_t n)
{
    char cell[CELL_MAX];

    for (size_t i = 0; i < n; i++) {
        fill(line, &runs[i], cell);
        if (cell[0])
            return true;
    }
    return false;
}

/* A heading is shown if one of the indented lines below it is shown. */
static bool heading_applies(size_t heading, const struct summary_run *runs, size_t n)
{
    for (size_t i = heading + 1; i < LINES && lines[i].label[0] == ' '; i++) {
        if (line_applies(&lines[i], runs, n))
            return true;
    }
    return false;
}

/* The width of the text on a terminal, in characters instead of bytes. */
static size_t text_width(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static size_t column_width(const struct summary_run *run)
{
    size_t widest = 8;
    char cell[CELL_MAX];

    for (size_t i = 0; i < LINES; i++) {
        fill(&lines[i], run, cell);
        if (text_width(cell) > widest)
            widest = text_width(cell);
    }
    return widest;
}

static void spaces(struct output *out, size_t n)
{
    while (n-- > 0)
        output_char(out, ' ');
}

static void write_line(struct output *out, const struct line *line, const struct summary_run *runs,
                       size_t n)
{
    char cell[CELL_MAX];

    output_text(out, line->label);
    if (line->fill)
        spaces(out, LABEL_WIDTH - strlen(line->label));
    for (size_t i = 0; line->fill && i < n; i++) {
        fill(line, &runs[i], cell);
        if (!cell[0])
            strcpy(cell, "-");
        spaces(out, 2 + column_width(&runs[i]) - text_width(cell));
        output_text(out, cell);
    }
    output_char(out, '\n');
}

static void fill_refused(const struct summary_run *run, int detail, char *cell)
{
    if (run->figures.refused[detail] > 0)
        cell_count(cell, run->figures.refused[detail]);
}

/* Writes the reasons for refusals, one line for each. */
static void write_refusals(struct output *out, const struct summary_run *runs, size_t n)
{
    const struct line heading = {"Refused leases", NULL, 0};
    bool has_heading = false;
    char label[LABEL_WIDTH];

    for (int id = 0; id < REASONS; id++) {
        const struct line line = {label, fill_refused, id};

        if (!line_applies(&line, runs, n))
            continue;
        if (!has_heading)
            write_line(out, &heading, runs, n);
        has_heading = true;
        snprintf(label, sizeof label, "  %s", reason_name((enum reason_id)id));
        write_line(out, &line, runs, n);
    }
}

static void write_notes(struct output *out, const struct summary_run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char count[48];

        if (!runs[i].suspended_jobs)
            continue;
        cell_count(count, runs[i].figures.suspensions);
        output_format(out,
                      "\n%s: leases were suspended %s time%s (scheduling.suspension).\n"
                      "The jobs of a log in the Standard Workload Format ran without interruption: "
                      "replay\nit with --as-jobs to compare it with textbook backfilling.\n",
                      runs[i].name, count, runs[i].figures.suspensions == 1 ? "" : "s");
    }
}

static void write_block(struct output *out, const struct summary_run *runs, size_t n)
{
    for (size_t i = 0; i < LINES; i++) {
        if (lines[i].fill ? line_applies(&lines[i], runs, n) : heading_applies(i, runs, n))
            write_line(out, &lines[i], runs, n);
    }
    write_refusals(out, runs, n);
}

void summary_write_table(struct output *out, const struct summary_run *runs, size_t n_runs,
                         unsigned width)
{
    size_t first = 0;

    while (first < n_runs) {
        size_t used = LABEL_WIDTH + 2 + column_width(&runs[first]);
        size_t n = 1;

        while (first + n < n_runs) {
            used += 2 + column_width(&runs[first + n]);
            if (width > 0 && used > width)
                break;
            n++;
        }
        if (first > 0)
            output_char(out, '\n');
        write_block(out, runs + first, n);
        first += n;
    }
    write_notes(out, runs, n_runs);
}

static void write_kind(struct json_writer *json, enum lease_kind which,
                       const struct accounting_kind *kind)
{
    json_open_object(json, lease_kind_name(which));
    json_put_integer(json, "requested", kind->requested);
    json_put_integer(json, "accepted", kind->accepted);
    json_put_integer(json, "rejected", kind->rejected);
    json_put_integer(json, "completed", kind->completed);
    json_put_integer(json, "failed", kind->failed);
    json_put_integer(json, "cancelled", kind->cancelled);
    json_end_object(json);
}

static void write_distribution(struct json_writer *json, const struct summary_run *run, int measure)
{
    const struct distribution *of = distribution(run, measure);

    json_open_object(json, measure_names[measure]);
    json_put_integer(json, "leases", of->count);
    json_put_double(json, "mean", of->mean);
    json_put_double(json, "median", of->median);
    json_put_double(json, "p95", of->p95);
    json_put_double(json, "p99", of->p99);
    json_put_double(json, "max", of->max);
    json_end_object(json);
}

static void write_service(struct json_writer *json, const struct summary_run *run)
{
    const struct service_summary *service = &run->figures.service;

    for (int measure = 0; measure < MEASURES; measure++)
        write_distribution(json, run, measure);
    json_open_object(json, "fairness");
    json_put_integer(json, "users", service->users);
    json_put_double(json, "jain_bounded_slowdown",
                    service->users ? service->fairness : __builtin_nan(""));
    json_end_object(json);
    json_put_double(json, "haizea_slowdown_mean", run->figures.haizea_slowdown_mean);
}

static void write_refused(struct json_writer *json, const int64_t refused[REASONS])
{
    json_open_object(json, "refused");
    for (int id = 0; id < REASONS; id++)
        if (refused[id] > 0)
            json_put_integer(json, reason_name((enum reason_id)id), refused[id]);
    json_end_object(json);
}

static void write_run(struct json_writer *json, const struct summary_run *run)
{
    const struct accounting_summary *figures = &run->figures;

    json_begin_object(json);
    json_put_string(json, "name", run->name);
    json_put_string(json, "status", run->status ? run->status : "ok");
    json_put_integer(json, "end_time", figures->end_time);
    json_open_object(json, "leases");
    for (int i = 0; i < 4; i++)
        write_kind(json, (enum lease_kind)i, &figures->kinds[i]);
    json_end_object(json);
    write_refused(json, figures->refused);
    write_service(json, run);
    json_put_double(json, "utilization", figures->utilization);
    json_put_double(json, "queue_mean", figures->queue_mean);
    json_open_object(json, "preemptions");
    json_put_integer(json, "suspend", figures->preemptions[PREEMPTED_SUSPEND]);
    json_put_integer(json, "requeue", figures->preemptions[PREEMPTED_REQUEUE]);
    json_put_integer(json, "cancel", figures->preemptions[PREEMPTED_CANCEL]);
    json_end_object(json);
    json_put_integer(json, "suspensions", figures->suspensions);
    json_put_bool(json, "suspended_jobs", run->suspended_jobs);
    json_put_integer(json, "resumptions", figures->resumptions);
    json_put_integer(json, "migrations", figures->migrations);
    json_put_integer(json, "all_best_effort", figures->best_effort_end);
    json_put_integer(json, "makespan", figures->makespan);
    json_put_integer(json, "scheduling_attempts", (int64_t)figures->attempts);
    json_put_integer(json, "steps", (int64_t)figures->steps);
    json_put_double(json, "cpu_seconds",
                    run->cpu_seconds >= 0 ? run->cpu_seconds : __builtin_nan(""));
    json_write_key(json, "peak_memory_kb");
    if (run->peak_memory_kb >= 0)
        json_write_integer(json, run->peak_memory_kb);
    else
        json_write_null(json);
    json_end_object(json);
}

void summary_write_json(struct output *out, const struct summary_run *runs, size_t n_runs)
{
    struct json_writer json;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_put_string(&json, "schema", "galerna-summary");
    json_put_integer(&json, "version", SUMMARY_VERSION);
    json_open_array(&json, "runs");
    for (size_t i = 0; i < n_runs; i++)
        write_run(&json, &runs[i]);
    json_end_array(&json);
    json_end_object(&json);
    output_char(out, '\n');
}
