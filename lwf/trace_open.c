/* Open a trace of any format. */
#include "lwf/trace_open.h"

#include <errno.h>
#include <string.h>

#include "lwf/old_reader.h"
#include "lwf/trace_methods.h"

void trace_options_init(struct trace_options *options)
{
    memset(options, 0, sizeof *options);
    swf_options_init(&options->swf);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Columns of the line at *p, which moves behind it. */
static int count_columns(const char **p, const char *end)
{
    int columns = 0;

    while (*p < end && **p != '\n') {
        while (*p < end && is_blank(**p))
            (*p)++;
        if (*p < end && **p != '\n')
            columns++;
        while (*p < end && **p != '\n' && !is_blank(**p))
            (*p)++;
    }
    if (*p < end)
        (*p)++;
    return columns;
}

int trace_format_of(struct source *source, struct error *err)
{
    const char *bytes, *p, *end;
    ssize_t n = source_peek(source, &bytes, err);
    bool has_comment = false;

    if (n < 0)
        return -1;
    p = bytes;
    end = bytes + n;
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    /* UTF-16 can only be XML. */
    if (end - p >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return TRACE_FORMAT_LWF;
    while (p < end) {
        int columns;

        while (p < end && (is_blank(*p) || *p == '\n'))
            p++;
        if (p == end)
            break;
        if (*p == '<')
            return TRACE_FORMAT_LWF;
        if (*p == ';')
            return TRACE_FORMAT_SWF;
        if (*p == '#') {
            has_comment = true;
            count_columns(&p, end);
            continue;
        }
        columns = (*p >= '0' && *p <= '9') || *p == '-' ? count_columns(&p, end) : 0;
        if (columns == 10)
            return TRACE_FORMAT_OLD;
        if (columns == 18)
            return TRACE_FORMAT_SWF;
        return error_set(err, EINVAL,
                         "%s: not a trace: expected LWF (XML that begins with <), SWF "
                         "(comments with ; and lines of 18 numbers) or Haizea's old format (lines "
                         "of ten columns)",
                         source_name(source));
    }
    if (has_comment)
        return TRACE_FORMAT_OLD;
    return error_set(err, EINVAL,
                     "%s: is empty: expected a trace in LWF, SWF or Haizea's old "
                     "format",
                     source_name(source));
}

const char *trace_format_name(enum trace_format format)
{
    static const char *const names[] = {"LWF", "SWF", "ten columns"};

    return names[format];
}

struct trace *trace_open_source(struct source *source, const struct trace_options *options,
                                struct error *err)
{
    struct trace_options defaults;
    int format = trace_format_of(source, err);

    if (!options) {
        trace_options_init(&defaults);
        options = &defaults;
    }
    switch (format) {
    case TRACE_FORMAT_LWF:
        return lwf_open_source(source, &options->lwf, err);
    case TRACE_FORMAT_SWF:
        return swf_open_source(source, &options->swf, err);
    case TRACE_FORMAT_OLD:
        return old_open_source(source);
    default:
        source_close(source);
        return NULL;
    }
}

struct trace *trace_open(const char *path, const struct trace_options *options, struct error *err)
{
    struct source *source = source_open(path, err);

    return source ? trace_open_source(source, options, err) : NULL;
}
