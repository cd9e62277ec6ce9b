/* The page of an experiment. */
#include "experiments/findings_private.h"

static void element(struct output *out, const char *name, const char *text)
{
    output_format(out, "<%s>", name);
    output_escaped(out, text);
    output_format(out, "</%s>", name);
}

static const char style[] =
    "body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}"
    "th,td{border:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}"
    "th{background:#f2f2f2}"
    ".agrees{background:#d8f0dc}.same-shape{background:#fdf3cf}.differs{background:#f9d9d4}"
    "svg{max-width:100%;height:auto;display:block;margin:1em 0}"
    "table{max-width:100%}@media(max-width:50em){table{display:block;overflow-x:auto}}";

static void write_claims(const struct findings *findings, struct output *out)
{
    static const char *const classes[VERDICTS] = {"agrees", "same-shape", "differs"};

    output_text(out, "<h2>Paper and "
                     "results</h2>\n<table>\n<tr><th>Claim</th><th>Paper</th><th>Ours</"
                     "th><th>Verdict</th><th>Why</th></tr>\n");
    for (size_t i = 0; i < findings->n_claims; i++) {
        const struct finding_claim *claim = &findings->claims[i].claim;

        output_format(out, "<tr id=\"%s\">", claim->id);
        element(out, "td", claim->text);
        element(out, "td", claim->paper);
        element(out, "td", findings->claims[i].ours);
        output_format(out, "<td class=\"%s\">%s</td>", classes[claim->verdict],
                      verdict_name(claim->verdict));
        element(out, "td", claim->reason);
        output_text(out, "</tr>\n");
    }
    output_text(out, "</table>\n");
}

static void write_options(const struct findings *findings, struct output *out)
{
    if (findings->options.n == 0)
        return;
    output_text(out, "<h2>Parameters that the paper leaves open</h2>\n<p>Each is an option of the "
                     "command (<code>--set "
                     "NAME=VALUE</code>).</p>\n<table>\n<tr><th>Option</th><th>Value</"
                     "th><th>Default</th><th>Meaning</th></tr>\n");
    for (size_t i = 0; i < findings->options.n; i += 4) {
        output_text(out, "<tr>");
        for (size_t k = 0; k < 4; k++)
            element(out, "td", findings->options.items[i + k]);
        output_text(out, "</tr>\n");
    }
    output_text(out, "</table>\n");
}

static void write_row(struct output *out, const char *cell, char *const *cells, size_t n)
{
    output_text(out, "<tr>");
    for (size_t i = 0; i < n; i++)
        element(out, cell, cells[i]);
    output_text(out, "</tr>\n");
}

static void write_table(const struct findings_table *table, struct output *out)
{
    size_t n = table->columns.n, rows = table->cells.n / n;

    output_text(out, "<h3>");
    output_escaped(out, table->title);
    output_format(out, "</h3>\n<p><a href=\"%s.csv\">%s.csv</a>, %zu rows</p>\n", table->name,
                  table->name, rows);
    if (rows > table->shown)
        return;
    output_text(out, "<table>\n");
    write_row(out, "th", table->columns.items, n);
    for (size_t i = 0; i < rows; i++)
        write_row(out, "td", table->cells.items + i * n, n);
    output_text(out, "</table>\n");
}

void findings_write_page(const struct findings *findings, const struct findings_head *head,
                         struct output *out)
{
    output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                     "<title>");
    output_escaped(out, head->title);
    output_format(out, "</title><style>%s</style></head>\n<body>\n", style);
    element(out, "h1", head->title);
    output_text(out, "\n");
    element(out, "p", head->paper);
    output_text(out, "\n");
    element(out, "p", head->summary);
    output_text(out, "\n");
    if (head->quick)
        element(out, "p", head->quick);
    write_claims(findings, out);
    for (size_t i = 0; i < findings->remarks.n; i++) {
        element(out, "p", findings->remarks.items[i]);
        output_text(out, "\n");
    }
    output_text(out, "<h2>Pictures</h2>\n");
    for (size_t i = 0; i < findings->n_plots; i++)
        plot_draw(findings->plots[i].plot, out);
    write_options(findings, out);
    output_text(out, "<h2>Numbers</h2>\n");
    for (size_t i = 0; i < findings->n_tables; i++)
        write_table(&findings->tables[i], out);
    output_text(out, "</body>\n</html>\n");
}
