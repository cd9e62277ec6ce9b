/* --help, printed from the description of a command line. */
#include <string.h>

#include "util/command_line.h"

enum { WIDTH = 80, COLUMN_MOST = 28 };

void command_line_wrap(const char *text, size_t at, size_t indent, FILE *stream)
{
    bool first = true; /* of its line: no space in front */

    while (*text) {
        size_t length = strcspn(text, " \n");

        if (first && *text == ' ') { /* kept as it is */
            length = strcspn(text, "\n");
        } else if (!first && at + 1 + length >= WIDTH) {
            fprintf(stream, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        at += (size_t)fprintf(stream, "%s%.*s", first ? "" : " ", (int)length, text);
        first = false;
        text += length;
        if (*text == '\n') {
            fprintf(stream, "\n%*s", text[1] && text[1] != '\n' ? (int)indent : 0, "");
            at = indent;
            first = true;
        }
        text += *text != '\0';
    }
    fputc('\n', stream);
}

bool command_line_code(const struct command_line *line, size_t i, struct exit_code *code)
{
    const struct exit_code usage = {EXIT_USAGE, "The command line is wrong"};
    size_t before = 0; /* of its own codes, those below EXIT_USAGE */

    while (before < EXIT_CODES_MAX && line->codes[before].when &&
           line->codes[before].code < EXIT_USAGE)
        before++;
    *code = i == before ? usage : line->codes[i > before ? i - 1 : i];
    return i <= EXIT_CODES_MAX && code->when;
}

/* " (default: 3)", or "". Returns text. */
static const char *command_option_default(const struct command_option *option, char *text,
                                          size_t size)
{
    text[0] = '\0';
    if (option->otherwise && *option->otherwise)
        snprintf(text, size, " (default: %s)", option->otherwise);
    return text;
}

static size_t option_width(const struct command_option *option)
{
    return strlen("  -x, --  ") + strlen(option->name) +
           (option->argument ? 1 + strlen(option->argument) : 0);
}

static void print_option(const struct command_option *option, size_t column, FILE *stream)
{
    size_t width = option_width(option);
    char more[80], help[1024];

    fprintf(stream, "  %c%c%c --%s%s%s", option->letter ? '-' : ' ',
            option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
            option->argument ? " " : "", option->argument ? option->argument : "");
    if (width > column)
        fprintf(stream, "\n%*s", (int)column, "");
    else
        fprintf(stream, "%*s", (int)(column - width + 2), "");
    snprintf(help, sizeof help, "%s%s", option->help,
             command_option_default(option, more, sizeof more));
    command_line_wrap(help, column, column, stream);
}

static size_t options_column(const struct command_line *line)
{
    struct command_option option;
    size_t column = 0;

    for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++) {
        size_t width = option_width(&option);

        if (width > column && width <= COLUMN_MOST)
            column = width;
    }
    return column;
}

/* One group's options; the last is --help, which belongs to the first. */
static void print_groups(const struct command_line *line, bool titled, FILE *stream)
{
    size_t column = options_column(line);
    const struct option_group *group = NULL;
    struct command_option option;

    for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++) {
        const struct option_group *at = command_line_group(line, i);
        bool has_title = at && at->title;

        if (has_title && titled && at != group)
            fprintf(stream, "\n%s:\n", at->title);
        group = at;
        if (has_title == titled)
            print_option(&option, column, stream);
    }
}

static void print_codes(const struct command_line *line, FILE *stream)
{
    struct exit_code code;

    fprintf(stream, "\nExit status:\n");
    for (size_t i = 0; command_line_code(line, i, &code); i++) {
        fprintf(stream, "  %-4d", code.code);
        command_line_wrap(code.when, 6, 6, stream);
    }
}

void command_line_print_help(const struct command_line *line, FILE *stream)
{
    fprintf(stream, "usage: %s [OPTION]...%s%s\n\n", line->name, line->operands ? " " : "",
            line->operands ? line->operands : "");
    command_line_wrap(line->purpose ? line->purpose : line->summary, 0, 0, stream);
    fprintf(stream, "\nOptions:\n");
    print_groups(line, false, stream);
    print_groups(line, true, stream);
    if (line->more) {
        fputc('\n', stream);
        line->more(stream);
    }
    if (line->notes) {
        fputc('\n', stream);
        command_line_wrap(line->notes, 0, 0, stream);
    }
    print_codes(line, stream);
}
