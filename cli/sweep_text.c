/* Prints a sweep for people. */
#include "cli/sweep_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/table.h"
#include "util/memory.h"

enum { CELL_TEXT = 48, FIGURES = 8 };

void sweep_progress_text(const struct sweep_progress *progress, char *text, size_t size)
{
    int length = snprintf(text, size, "%zu of %zu", progress->finished, progress->cells);
    int64_t seconds = (int64_t)(progress->seconds_left + 0.5);

    if (progress->seconds_left < 0 || length < 0 || (size_t)length >= size)
        return;
    if (seconds >= 3600)
        snprintf(text + length, size - (size_t)length, ", %" PRId64 ":%02d:%02d left",
                 seconds / 3600, (int)(seconds / 60 % 60), (int)(seconds % 60));
    else
        snprintf(text + length, size - (size_t)length, ", %d:%02d left", (int)(seconds / 60),
                 (int)(seconds % 60));
}

static bool axis_differs(const struct sweep *sweep, size_t axis)
{
    for (size_t cell = 2; cell <= sweep_cells(sweep); cell++)
        if (strcmp(sweep_label(sweep, cell, axis), sweep_label(sweep, 1, axis)) != 0)
            return true;
    return false;
}

/* Columns: number, axes (those that vary, or all), figures. */
struct table_layout {
    const struct sweep *sweep;
    struct table_column *columns;
    size_t *axes;
    size_t n_axes, n_columns;
};

static void layout_init(struct table_layout *layout, const struct sweep *sweep, bool all)
{
    *layout = (struct table_layout){.sweep = sweep};
    layout->axes = memory_new(sweep_axes(sweep), sizeof *layout->axes);
    layout->columns = memory_new(sweep_axes(sweep) + FIGURES + 2, sizeof *layout->columns);
    layout->columns[layout->n_columns++] = (struct table_column){"CELL", TABLE_RIGHT, 0};
    for (size_t i = 0; i < sweep_axes(sweep); i++)
        if (all || axis_differs(sweep, i)) {
            layout->axes[layout->n_axes++] = i;
            layout->columns[layout->n_columns++] =
                (struct table_column){sweep_axis(sweep, i), TABLE_LEFT, 0};
        }
}

static void layout_finish(struct table_layout *layout)
{
    free(layout->axes);
    free(layout->columns);
}

static void fill_axes(const struct table_layout *layout, size_t cell, const char **texts)
{
    for (size_t i = 0; i < layout->n_axes; i++)
        texts[1 + i] = sweep_label(layout->sweep, cell, layout->axes[i]);
}

int sweep_print_list(const struct sweep *sweep)
{
    struct table_layout layout;
    struct table *table;
    const char **texts;
    char number[32];

    layout_init(&layout, sweep, true);
    table = table_create(layout.columns, layout.n_columns);
    texts = memory_new(layout.n_columns, sizeof *texts);
    for (size_t cell = 1; cell <= sweep_cells(sweep); cell++) {
        snprintf(number, sizeof number, "%zu", cell);
        texts[0] = number;
        fill_axes(&layout, cell, texts);
        table_add(table, texts);
    }
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
    free(texts);
    layout_finish(&layout);
    return EXIT_DONE;
}

static void fill_figures(const struct sweep_outcome *outcome, const char **texts,
                         char figures[FIGURES][CELL_TEXT])
{
    const struct accounting_summary *summary = &outcome->figures;
    int64_t completed = 0, rejected = 0, preempted = 0;

    texts[0] = outcome->ending[0] ? outcome->ending : "missing";
    if (outcome->status != SWEEP_OK)
        return;
    for (int i = 0; i < 4; i++) {
        completed += summary->kinds[i].completed;
        rejected += summary->kinds[i].rejected;
    }
    for (int i = 0; i < 3; i++)
        preempted += summary->preemptions[i];
    snprintf(figures[1], CELL_TEXT, "%" PRId64, completed);
    snprintf(figures[2], CELL_TEXT, "%" PRId64, rejected);
    snprintf(figures[3], CELL_TEXT, "%" PRId64, preempted);
    snprintf(figures[4], CELL_TEXT, "%.1f", summary->service.waiting.mean);
    snprintf(figures[5], CELL_TEXT, "%.3f", summary->service.bounded_slowdown.mean);
    snprintf(figures[6], CELL_TEXT, "%.2f", summary->utilization * 100);
    snprintf(figures[7], CELL_TEXT, "%" PRId64, summary->end_time);
    for (int i = 1; i < FIGURES; i++)
        texts[i] = figures[i];
}

static void count_cells(const struct sweep *sweep, const struct sweep_outcome *outcomes,
                        const char *results)
{
    size_t computed = 0, there = 0, n = sweep_cells(sweep);

    for (size_t i = 0; i < n; i++) {
        computed += outcomes[i].computed;
        there += outcomes[i].status != SWEEP_MISSING;
    }
    printf("\n%zu of %zu cells, %zu of them new, in ", there, n, computed);
    table_print_text(stdout, results);
    putchar('\n');
}

void sweep_print_table(const struct sweep *sweep, const struct sweep_outcome *outcomes,
                       const char *results)
{
    static const struct table_column titles[FIGURES] = {
        {"STATUS", TABLE_LEFT, 0},     {"COMPLETED", TABLE_RIGHT, 0}, {"REJECTED", TABLE_RIGHT, 0},
        {"PREEMPTED", TABLE_RIGHT, 0}, {"WAIT [s]", TABLE_RIGHT, 0},  {"SLOWDOWN", TABLE_RIGHT, 0},
        {"CPU [%]", TABLE_RIGHT, 0},   {"END [s]", TABLE_RIGHT, 0},
    };
    struct table_layout layout;
    struct table *table;

    layout_init(&layout, sweep, false);
    memcpy(layout.columns + layout.n_columns, titles, sizeof titles);
    layout.n_columns += FIGURES;
    table = table_create(layout.columns, layout.n_columns);
    for (size_t cell = 1; cell <= sweep_cells(sweep); cell++) {
        const char **texts = memory_new(layout.n_columns, sizeof *texts);
        char number[32], figures[FIGURES][CELL_TEXT];

        snprintf(number, sizeof number, "%zu", cell);
        texts[0] = number;
        fill_axes(&layout, cell, texts);
        fill_figures(&outcomes[cell - 1], texts + 1 + layout.n_axes, figures);
        table_add(table, texts);
        free(texts);
    }
    table_print(table, stdout, table_terminal_width());
    count_cells(sweep, outcomes, results);
    table_destroy(table);
    layout_finish(&layout);
}
