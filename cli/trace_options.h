/* trace_options.h: the options that `galerna trace check`, `convert` and `stats` share: how a trace
 * is read; and --site, which `galerna trace generate` has too.
 */
#pragma once

#include <stdbool.h>

#include "lwf/trace_open.h"
#include "util/command_line.h"

struct site_argument {
    struct site site;
    bool given;
};

/* Arguments of all three commands; each uses those for which it has options. */
struct trace_arguments {
    struct trace_options reading;
    struct site_argument site;
    bool json;
    const char *output; /* convert: NULL = standard output */
    const char *name;   /* convert: NULL = the file's name */
    int64_t limit;      /* check: findings to print */
};

enum { TRACE_READING_OPTIONS = 2, TRACE_SWF_OPTIONS = 10 };
extern const struct command_option trace_reading_options[TRACE_READING_OPTIONS];
extern const struct command_option trace_swf_options[TRACE_SWF_OPTIONS];
#define TRACE_READING_GROUPS                                                                       \
    {.options = trace_reading_options, .n = TRACE_READING_OPTIONS},                                \
    {                                                                                              \
        .title = "Options for logs in SWF", .options = trace_swf_options, .n = TRACE_SWF_OPTIONS   \
    }

/* init and finish of the three command lines. */
void trace_arguments_init(void *arguments);
void trace_arguments_finish(void *arguments);

/* How to read traces; the pointers in it go to arguments. */
const struct trace_options *trace_arguments_reading(struct trace_arguments *arguments);

/* How many jobs a log in SWF has, and why some make no lease: "8 jobs; without a lease: 3
 * partial executions". */
enum { TRACE_JOBS_TEXT_MAX = 320 };
const char *trace_jobs_text(const struct swf_counts *counts, char text[TRACE_JOBS_TEXT_MAX]);

/* The site of --site, or NULL. */
const struct site *site_argument_site(const struct site_argument *argument);

/* take() of --site, whose value is a struct site_argument. */
int site_argument_take(const struct command_option *option, void *value, const char *text,
                       struct error *err);
