/* sweep_text.h: the text output of `galerna sweep`. */
#pragma once

#include "sweep/sweep.h"

/* "12 of 48, 2:05 left". */
void sweep_progress_text(const struct sweep_progress *progress, char *text, size_t size);

/* Prints the cells with their axes. Returns EXIT_DONE. */
int sweep_print_list(const struct sweep *sweep);

/* Prints the axes on which cells differ and some figures, then the number of computed cells. */
void sweep_print_table(const struct sweep *sweep, const struct sweep_outcome *outcomes,
                       const char *results);
