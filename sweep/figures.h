/* figures.h: the figures of a cell as columns; internal. */
#pragma once

#include <sqlite3.h>

#include "sweep/sweep.h"

enum figure_type {
    FIGURE_INTEGER,
    FIGURE_INSTANT, /* INSTANT_NONE is NULL */
    FIGURE_REAL,
};

struct figure {
    const char *name;
    enum figure_type type;
    size_t offset; /* in struct sweep_outcome */
};

extern const struct figure figure_table[];
extern const size_t figure_count;

/* "name TYPE, name TYPE" and "name, name", to be freed with sqlite3_free(). */
char *figures_list(bool with_types);

/* Binds the figures of outcome to the parameters from `first` on; NULL unless SWEEP_OK. */
int figures_bind(sqlite3_stmt *statement, int first, const struct sweep_outcome *outcome);

/* Reads the figures from the columns from `first` on. */
void figures_read(sqlite3_stmt *statement, int first, struct sweep_outcome *outcome);
