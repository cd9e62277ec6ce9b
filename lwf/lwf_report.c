/* Reports errors and warnings with their place in the input. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "lwf/lwf_parser.h"
#include "lwf/source.h"

struct lwf_place lwf_parser_place(const struct lwf_reader *reader, const char *where)
{
    const xmlParserInput *input = reader->parser->input;
    const xmlChar *p = (const xmlChar *)where;
    const xmlChar *line;
    struct lwf_place place = {0, 0};

    if (!input)
        return place;
    if (!p || p < input->base || p >= input->cur) {
        /* The parser is at the > of a start tag, but after the > of an end tag. */
        for (p = input->cur; p > input->base && *--p != '<';)
            ;
    }
    place.line = input->line;
    for (line = input->cur; line > p;)
        if (*--line == '\n')
            place.line--;
    if (place.line == input->line) {
        place.column = input->col - (input->cur - p);
    } else {
        while (line > input->base && line[-1] != '\n')
            line--;
        place.column = p - line + 1;
    }
    if (place.column < 1)
        place.column = 1;
    return place;
}

void lwf_parser_stop(struct lwf_reader *reader)
{
    reader->ended = true;
}

static void find(struct lwf_reader *reader, enum lwf_severity severity, struct lwf_place place,
                 const char *format, va_list args)
{
    char text[ERROR_TEXT_MAX / 2];

    if (reader->ended)
        return;
    vsnprintf(text, sizeof text, format, args);
    if (severity == LWF_ERROR)
        reader->request.sound = false;
    if (reader->options.report) {
        struct lwf_finding finding = {severity, place, text};

        if (!reader->repeats && !reader->options.report(reader->options.report_context, &finding))
            lwf_parser_stop(reader);
        return;
    }
    reader->failed = true;
    error_set(&reader->failure, EINVAL, "%s:%ld:%ld: %s", source_name(reader->source), place.line,
              place.column, text);
    lwf_parser_stop(reader);
}

void lwf_complain_at(struct lwf_reader *reader, struct lwf_place place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    find(reader, LWF_ERROR, place, format, args);
    va_end(args);
}

void lwf_complain(struct lwf_reader *reader, const char *where, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    find(reader, LWF_ERROR, lwf_parser_place(reader, where), format, args);
    va_end(args);
}

void lwf_object(struct lwf_reader *reader, const char *where, const char *format, ...)
{
    bool is_ignored = reader->options.quirks.misplaced_elements;
    va_list args;

    if (is_ignored && !reader->options.report)
        return;
    va_start(args, format);
    find(reader, is_ignored ? LWF_WARNING : LWF_ERROR, lwf_parser_place(reader, where), format,
         args);
    va_end(args);
}

void lwf_warn_at(struct lwf_reader *reader, struct lwf_place place, const char *format, ...)
{
    va_list args;

    if (!reader->options.report)
        return;
    va_start(args, format);
    find(reader, LWF_WARNING, place, format, args);
    va_end(args);
}
