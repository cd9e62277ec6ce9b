/* galerna experiment report: the findings of all experiments below a folder. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "experiments/findings.h"
#include "util/memory.h"
#include "util/output.h"

struct summary {
    json_t *root;
    char *folder; /* below the requested one; "" for that one */
};

struct report {
    const char *folder;
    struct summary *items;
    size_t n, allocated;
};

/* 0: no summary. */
static int add(struct report *report, const char *name, struct error *err)
{
    json_error_t failed;
    json_t *root;
    FILE *file;
    char *path;

    path = memory_format("%s/%s%ssummary.json", report->folder, name, *name ? "/" : "");
    file = fopen(path, "re");
    if (!file) {
        int result = errno == ENOENT || errno == ENOTDIR ? 0 : error_errno(err, "%s", path);
        free(path);
        return result;
    }
    root = json_loadf(file, 0, &failed);
    fclose(file);
    if (!root || strcmp(client_text(root, "schema"), "galerna-experiment") != 0) {
        error_set(err, EINVAL, "%s:%d: not a summary of an experiment: %s", path,
                  root ? 1 : failed.line, root ? "unknown schema" : failed.text);
        json_decref(root);
        free(path);
        return -1;
    }
    MEMORY_GROW(report->items, report->allocated, report->n + 1);
    report->items[report->n++] = (struct summary){root, memory_text(name)};
    free(path);
    return 1;
}

static int collect(struct report *report, struct error *err)
{
    struct dirent **entries = NULL;
    int n, result = add(report, "", err);

    if (result != 0)
        return result;
    n = scandir(report->folder, &entries, NULL, alphasort);
    if (n < 0)
        return error_errno(err, "%s", report->folder);
    for (int i = 0; i < n; i++) {
        if (result >= 0 && entries[i]->d_name[0] != '.')
            result = add(report, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    if (result >= 0 && report->n == 0)
        return error_set(err, ENOENT,
                         "%s contains no summary.json of an experiment; 'galerna experiment run "
                         "all --out %s' creates them",
                         report->folder, report->folder);
    return result;
}

static void print(const struct report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        const json_t *root = report->items[i].root, *claims = json_object_get(root, "claims");

        printf("%s%s: %s%s\n", i ? "\n" : "", client_text(root, "experiment"),
               client_text(root, "title"),
               json_is_true(json_object_get(root, "complete")) ? "" : " (only a part was run)");
        for (size_t k = 0; k < json_array_size(claims); k++) {
            const json_t *claim = json_array_get(claims, k);

            printf("  %-10s  %s\n              paper: %s; ours: %s\n",
                   client_text(claim, "verdict"), client_text(claim, "claim"),
                   client_text(claim, "paper"), client_text(claim, "ours"));
        }
    }
}

static void write_counts(struct output *out, const json_t *root)
{
    const json_t *claims = json_object_get(root, "claims");

    for (int v = 0; v < VERDICTS; v++) {
        size_t n = 0;

        for (size_t k = 0; k < json_array_size(claims); k++)
            n += strcmp(client_text(json_array_get(claims, k), "verdict"),
                        verdict_name((enum verdict)v)) == 0;
        output_format(out, "<td>%zu</td>", n);
    }
}

/* Links to the pages of the experiments. A single experiment has its own page there already. */
static int write_index(const struct report *report, struct error *err)
{
    struct output *out;
    char *path;

    if (!report->n || !*report->items[0].folder)
        return 0;
    path = memory_format("%s/index.html", report->folder);
    out = output_create(path, err);
    free(path);
    if (!out)
        return -1;
    output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                     "<title>Experiments</title></head>\n<body>\n<h1>Experiments</h1>\n"
                     "<table border=\"1\" cellpadding=\"5\">\n<tr><th>Experiment</th>"
                     "<th>Agrees</th><th>Same shape</th><th>Differs</th></tr>\n");
    for (size_t i = 0; i < report->n; i++) {
        output_format(out, "<tr><td><a href=\"%s/index.html\">", report->items[i].folder);
        output_escaped(out, client_text(report->items[i].root, "title"));
        output_text(out, "</a></td>");
        write_counts(out, report->items[i].root);
        output_text(out, "</tr>\n");
    }
    output_text(out, "</table>\n</body>\n</html>\n");
    return output_close(out, err);
}

static void finish(struct report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        json_decref(report->items[i].root);
        free(report->items[i].folder);
    }
    free(report->items);
}

const struct command_line experiment_report_line = {
    .name = "galerna experiment report",
    .summary = "Summarize the results of experiments",
    .purpose = "Print the claims, numbers and verdicts of the experiments in DIR and the "
               "directories below it, and write DIR/index.html with links to their pages.",
    .operands = "DIR",
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "There are no results, or they cannot be read or written"}},
};

int command_experiment_report(const struct call *call)
{
    struct report report = {.folder = call->operands[0]};
    struct error err;
    int code = EXIT_DONE;

    if (collect(&report, &err) < 0)
        code = command_failed(call->name, &err);
    else
        print(&report);
    if (code == EXIT_DONE && write_index(&report, &err) < 0)
        code = command_failed(call->name, &err);
    finish(&report);
    return code;
}
