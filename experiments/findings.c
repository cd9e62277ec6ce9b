/* The findings of an experiment: claims with verdicts, tables, pictures, remarks. */
#include "experiments/findings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/findings_private.h"
#include "util/memory.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICTS] = {"agrees", "same shape", "differs"};

    return names[verdict];
}

/* Takes the text over. */
static void append(struct text_array *array, char *text)
{
    MEMORY_GROW(array->items, array->allocated, array->n + 1);
    array->items[array->n++] = text;
}

static void array_finish(struct text_array *array)
{
    for (size_t i = 0; i < array->n; i++)
        free(array->items[i]);
    free(array->items);
}

struct findings *findings_create(void)
{
    return memory_new(1, sizeof(struct findings));
}

static void claim_finish(struct kept_claim *kept)
{
    memory_free(kept->claim.id);
    memory_free(kept->claim.text);
    memory_free(kept->claim.paper);
    memory_free(kept->claim.reason);
    free(kept->ours);
}

void findings_destroy(struct findings *findings)
{
    if (!findings)
        return;
    for (size_t i = 0; i < findings->n_claims; i++)
        claim_finish(&findings->claims[i]);
    for (size_t i = 0; i < findings->n_tables; i++) {
        free(findings->tables[i].name);
        free(findings->tables[i].title);
        array_finish(&findings->tables[i].columns);
        array_finish(&findings->tables[i].cells);
    }
    for (size_t i = 0; i < findings->n_plots; i++) {
        free(findings->plots[i].name);
        plot_destroy(findings->plots[i].plot);
    }
    array_finish(&findings->remarks);
    array_finish(&findings->options);
    free(findings->claims);
    free(findings->tables);
    free(findings->plots);
    free(findings);
}

void findings_claim(struct findings *findings, const struct finding_claim *claim, const char *ours,
                    ...)
{
    struct kept_claim *kept;
    va_list args;

    MEMORY_GROW(findings->claims, findings->claims_allocated, findings->n_claims + 1);
    kept = &findings->claims[findings->n_claims++];
    kept->claim = (struct finding_claim){
        .id = memory_text(claim->id),
        .text = memory_text(claim->text),
        .paper = memory_text(claim->paper),
        .verdict = claim->verdict,
        .reason = memory_text(claim->reason ? claim->reason : ""),
    };
    va_start(args, ours);
    kept->ours = memory_vformat(ours, args);
    va_end(args);
}

void findings_remark(struct findings *findings, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append(&findings->remarks, memory_vformat(format, args));
    va_end(args);
}

void findings_option(struct findings *findings, const char *name, const char *value,
                     const char *preset, const char *description)
{
    append(&findings->options, memory_text(name));
    append(&findings->options, memory_text(value));
    append(&findings->options, memory_text(preset));
    append(&findings->options, memory_text(description));
}

void findings_table(struct findings *findings, const char *name, const char *title,
                    const char *columns, size_t shown)
{
    struct findings_table *table;
    char *copy = memory_text(columns), *rest = copy;

    MEMORY_GROW(findings->tables, findings->tables_allocated, findings->n_tables + 1);
    table = &findings->tables[findings->n_tables++];
    *table = (struct findings_table){
        .name = memory_text(name), .title = memory_text(title), .shown = shown};
    for (char *column; (column = strsep(&rest, ","));)
        append(&table->columns, memory_text(column));
    free(copy);
}

void findings_cells(struct findings *findings, const char *format, ...)
{
    char *texts, *rest;
    va_list args;

    va_start(args, format);
    texts = rest = memory_vformat(format, args);
    va_end(args);
    for (char *cell; (cell = strsep(&rest, "|"));)
        append(&findings->tables[findings->n_tables - 1].cells, memory_text(cell));
    free(texts);
}

void findings_plot(struct findings *findings, const char *name, struct plot *plot)
{
    MEMORY_GROW(findings->plots, findings->plots_allocated, findings->n_plots + 1);
    findings->plots[findings->n_plots++] = (struct findings_plot){memory_text(name), plot};
}

size_t findings_count(const struct findings *findings, enum verdict verdict)
{
    size_t n = 0;

    for (size_t i = 0; i < findings->n_claims; i++)
        n += findings->claims[i].claim.verdict == verdict;
    return n;
}
