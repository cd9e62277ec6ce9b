/* Opens traces of any format. */
#include "lwf/trace_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lwf/old_reader.h"
#include "lwf/trace_methods.h"
#include "lwf/values.h"

void trace_options_init(struct trace_options *options)
{
    memset(options, 0, sizeof *options);
    swf_options_init(&options->swf);
}

/* Counts the columns of the line at *p, and moves *p past the line. */
static int count_columns(const char **p, const char *end)
{
    int columns = 0;

    while (*p < end && **p != '\n') {
        while (*p < end && value_is_blank(**p))
            (*p)++;
        if (*p < end && **p != '\n')
            columns++;
        while (*p < end && **p != '\n' && !value_is_blank(**p))
            (*p)++;
    }
    if (*p < end)
        (*p)++;
    return columns;
}

/* Beginnings of compressed files, as archives of logs offer them. */
static const struct {
    const char *bytes, *remedy;
} compressions[] = {
    {"\x1f\x8b", "gunzip"},         {"BZh", "bunzip2"},         {"\xfd\x37zXZ", "unxz"},
    {"\x28\xb5\x2f\xfd", "unzstd"}, {"\x1f\x9d", "uncompress"},
};

/* The program that decompresses the text; NULL: it is not compressed. */
static const char *remedy_for(const char *bytes, ssize_t n)
{
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        size_t length = strlen(compressions[i].bytes);

        if ((size_t)n >= length && memcmp(bytes, compressions[i].bytes, length) == 0)
            return compressions[i].remedy;
    }
    return NULL;
}

enum { FORMAT_UNKNOWN = -1, FORMAT_NOTHING = -2 };

/* The format of a text by its first significant line, or one of the above. *columns: those of the
 * line if it begins with a number. */
static int format_of_text(const char *p, const char *end, int *columns)
{
    bool has_comment = false;

    /* UTF-16 can only be XML. */
    if (end - p >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return TRACE_FORMAT_LWF;
    for (;;) {
        while (p < end && (value_is_blank(*p) || *p == '\n'))
            p++;
        if (p == end)
            return has_comment ? TRACE_FORMAT_OLD : FORMAT_NOTHING;
        if (*p == '<')
            return TRACE_FORMAT_LWF;
        if (*p == ';')
            return TRACE_FORMAT_SWF;
        if (*p != '#')
            break;
        has_comment = true;
        count_columns(&p, end);
    }
    *columns = (*p >= '0' && *p <= '9') || *p == '-' ? count_columns(&p, end) : 0;
    return *columns == 10 ? TRACE_FORMAT_OLD : *columns == 18 ? TRACE_FORMAT_SWF : FORMAT_UNKNOWN;
}

static int complain_unknown(const struct source *source, int columns, struct error *err)
{
    char found[64] = "";

    if (columns > 0)
        snprintf(found, sizeof found, "; its first line has %d column%s", columns,
                 columns == 1 ? "" : "s");
    return error_set(err, EINVAL,
                     "%s: not a trace: expected LWF (XML that begins with <), SWF "
                     "(comments with ; and lines of 18 numbers) or Haizea's old format (lines "
                     "of ten columns)%s",
                     source_name(source), found);
}

int trace_format_of(struct source *source, struct error *err)
{
    const char *bytes;
    ssize_t n = source_peek(source, &bytes, err);
    bool has_mark = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    const char *remedy;
    int format, columns = 0;

    if (n < 0)
        return -1;
    remedy = remedy_for(bytes, n);
    if (remedy)
        return error_set(err, EINVAL, "%s: is compressed; decompress it with %s",
                         source_name(source), remedy);
    format = format_of_text(bytes + (has_mark ? 3 : 0), bytes + n, &columns);
    if (format == FORMAT_UNKNOWN)
        return complain_unknown(source, columns, err);
    if (format == FORMAT_NOTHING)
        return error_set(err, EINVAL,
                         "%s: is empty: expected a trace in LWF, SWF or Haizea's old format",
                         source_name(source));
    return format;
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
