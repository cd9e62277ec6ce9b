/* The files of findings: summary.json, tables as CSV, diagrams as SVG; the page is elsewhere. */
#include <stdlib.h>

#include "experiments/findings_private.h"
#include "util/json_writer.h"
#include "util/memory.h"

static struct output *create(const char *folder, const char *name, const char *ending,
                             struct error *err)
{
    struct output *out;
    char *path;

    path = memory_format("%s/%s%s", folder, name, ending);
    out = output_create(path, err);
    free(path);
    return out;
}

static void write_claims(const struct findings *findings, struct json_writer *json)
{
    json_open_array(json, "claims");
    for (size_t i = 0; i < findings->n_claims; i++) {
        const struct finding_claim *claim = &findings->claims[i].claim;

        json_begin_object(json);
        json_put_string(json, "id", claim->id);
        json_put_string(json, "claim", claim->text);
        json_put_string(json, "paper", claim->paper);
        json_put_string(json, "ours", findings->claims[i].ours);
        json_put_string(json, "verdict", verdict_name(claim->verdict));
        json_put_string(json, "reason", claim->reason);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_options(const struct findings *findings, struct json_writer *json)
{
    json_open_object(json, "options");
    for (size_t i = 0; i < findings->options.n; i += 4)
        json_put_string(json, findings->options.items[i], findings->options.items[i + 1]);
    json_end_object(json);
}

static int write_summary(const struct findings *findings, const struct findings_head *head,
                         const char *folder, struct error *err)
{
    struct output *out = create(folder, "summary", ".json", err);
    struct json_writer json;

    if (!out)
        return -1;
    json_writer_init(&json, out);
    json_begin_object(&json);
    json_put_string(&json, "schema", "galerna-experiment");
    json_put_integer(&json, "version", 1);
    json_put_string(&json, "experiment", head->name);
    json_put_string(&json, "title", head->title);
    json_put_string(&json, "paper", head->paper);
    json_put_bool(&json, "complete", !head->quick);
    write_options(findings, &json);
    write_claims(findings, &json);
    json_end_object(&json);
    output_char(out, '\n');
    return output_close(out, err);
}

static void write_row(struct output *out, char *const *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            output_char(out, ',');
        output_csv(out, cells[i]);
    }
    output_char(out, '\n');
}

static int write_table(const struct findings_table *table, const char *folder, struct error *err)
{
    struct output *out = create(folder, table->name, ".csv", err);
    size_t n = table->columns.n;

    if (!out)
        return -1;
    write_row(out, table->columns.items, n);
    for (size_t i = 0; i + n <= table->cells.n; i += n)
        write_row(out, table->cells.items + i, n);
    return output_close(out, err);
}

static int write_plot(const struct findings_plot *plot, const char *folder, struct error *err)
{
    struct output *out = create(folder, plot->name, ".svg", err);

    if (!out)
        return -1;
    plot_draw(plot->plot, out);
    return output_close(out, err);
}

int findings_write(const struct findings *findings, const struct findings_head *head,
                   const char *folder, struct error *err)
{
    struct output *page;

    for (size_t i = 0; i < findings->n_tables; i++)
        if (write_table(&findings->tables[i], folder, err) < 0)
            return -1;
    for (size_t i = 0; i < findings->n_plots; i++)
        if (write_plot(&findings->plots[i], folder, err) < 0)
            return -1;
    page = create(folder, "index", ".html", err);
    if (!page)
        return -1;
    findings_write_page(findings, head, page);
    if (output_close(page, err) < 0)
        return -1;
    return write_summary(findings, head, folder, err);
}
