/* findings_private.h: the parts of findings, for those who write them. */
#pragma once

#include "experiments/findings.h"

struct text_array {
    char **items;
    size_t n, allocated;
};

struct findings_table {
    char *name, *title;
    struct text_array columns, cells;
    size_t shown;
};

struct kept_claim {
    struct finding_claim claim; /* owns its texts */
    char *ours;
};

struct findings_plot {
    char *name;
    struct plot *plot;
};

struct findings {
    struct kept_claim *claims;
    size_t n_claims, claims_allocated;
    struct text_array remarks;
    struct text_array options; /* four texts each */
    struct findings_table *tables;
    size_t n_tables, tables_allocated;
    struct findings_plot *plots;
    size_t n_plots, plots_allocated;
};

/* The page, without its file. */
void findings_write_page(const struct findings *findings, const struct findings_head *head,
                         struct output *out);
