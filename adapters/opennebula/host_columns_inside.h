/* host_columns_inside.h: shared by the files of host_columns. */
#pragma once

#include "adapters/opennebula/host_columns.h"
#include "util/map.h"

/* One value of a host. */
struct entry {
    uint32_t host, text;
};

/* A text as numbers. */
struct parsed_value {
    bool has_integer, has_number;
    int64_t integer;
    double number;
};

/* The values of one attribute. */
struct host_attribute {
    size_t first, n;             /* in the entries, ascending by host */
    bool made;                   /* the rest is valid */
    struct parsed_value *parsed; /* per entry */
    uint32_t *values;            /* per host: the first value's text, or MAP_NONE */
    uint64_t *has_value;         /* bitmap */
    struct entry *by_text;       /* the first values, ascending by text */
    size_t n_by_text;
    uint32_t *texts; /* distinct ones */
    size_t n_texts;
    int64_t *integers;                  /* per host: the first integer value */
    double *numbers;                    /* 0: none */
    uint64_t *has_integer, *has_number; /* bitmaps */
};

/* Limits of the cache of comparisons' answers: bytes of all answers, and length of texts, because
 * users write them. */
enum { ANSWERS_BYTES_MAX = 1024 * 1024, ANSWER_TEXT_MAX = 64 };

struct attribute_question {
    uint32_t column;
    enum comparison_test test;
    enum literal_kind kind;
    int64_t integer;
    double number;
    char text[ANSWER_TEXT_MAX];
};

struct host_columns {
    const struct host_pool *hosts;
    const struct cluster_pool *clusters;
    size_t n_hosts, n_words;
    bool is_read;     /* the rest is valid */
    struct map names; /* of attributes, one column each */
    struct map texts; /* their values */
    struct host_attribute *columns;
    struct entry *entries;
    bool *text_matches; /* scratch: per text; false between uses */
    struct map answers; /* bitmaps of hosts by struct attribute_question */
    double *counts;     /* per host: values of CURRENT_VMS; NULL: not counted yet */
    uint64_t *bitmap_stack;
    size_t bitmap_stack_allocated;
};

/* Reads the hosts' attributes on the first call. */
void host_columns_read(struct host_columns *columns);

/* The column of a name's number, built on first use. */
struct host_attribute *host_column(struct host_columns *columns, uint32_t name);

/* Inverts a bitmap; bits after the last host stay 0. */
void host_columns_invert(const struct host_columns *columns, uint64_t *bitmap);

/* --- host_comparison.c --- */
/* The hosts for which a comparison is true; name: the number of its attribute, or MAP_NONE. */
void host_columns_compare(struct host_columns *columns, uint32_t name,
                          const struct comparison *comparison, uint64_t *bitmap);

/* --- host_answers.c --- */
/* The cached answer of host_columns_compare(). */
void host_columns_answer(struct host_columns *columns, const struct comparison *comparison,
                         uint64_t *bitmap);
