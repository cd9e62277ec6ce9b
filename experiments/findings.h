/* findings.h: what an experiment found: claims with verdicts, tables, pictures, remarks.
 *
 * Texts are copied. Only writing can fail.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "experiments/plot.h"
#include "util/error.h"

enum verdict {
    VERDICT_AGREES,
    VERDICT_SAME_SHAPE, /* other numbers, the same relation between them */
    VERDICT_DIFFERS,
    VERDICTS
};

/* "agrees", "same shape", "differs". */
const char *verdict_name(enum verdict verdict);

static inline enum verdict verdict_if(bool agrees, bool has_same_shape)
{
    return agrees ? VERDICT_AGREES : has_same_shape ? VERDICT_SAME_SHAPE : VERDICT_DIFFERS;
}

struct finding_claim {
    const char *id; /* stable, for programs: "t10-below-1.02" */
    const char *text;
    const char *paper; /* numbers, as people read them */
    enum verdict verdict;
    const char *reason; /* of the verdict; "" when the numbers say it */
};

struct findings; /* opaque */

struct findings *findings_create(void);
void findings_destroy(struct findings *findings); /* NULL is allowed */

/* ours: the numbers found, beside those of the paper. */
void findings_claim(struct findings *findings, const struct finding_claim *claim, const char *ours,
                    ...) __attribute__((format(printf, 3, 4)));

/* A paragraph on the page. */
void findings_remark(struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An option with its value, and whether it is the default. */
void findings_option(struct findings *findings, const char *name, const char *value,
                     const char *preset, const char *description);

/* A table: NAME.csv; on the page too when it has at most `shown` rows. `columns` are separated by
 * commas. Cells are added row by row; those of a format are separated by '|'. */
void findings_table(struct findings *findings, const char *name, const char *title,
                    const char *columns, size_t shown);
void findings_cells(struct findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A picture: NAME.svg, and on the page. The findings own it from then on. */
void findings_plot(struct findings *findings, const char *name, struct plot *plot);

size_t findings_count(const struct findings *findings, enum verdict verdict);

struct findings_head {
    const char *name, *title, *paper, *summary;
    const char *quick; /* NULL: the whole experiment */
};

/* Write all files into a folder that is there. */
int findings_write(const struct findings *findings, const struct findings_head *head,
                   const char *folder, struct error *err);
