/* Parses a command line by its description. getopt_long() splits it; value checks and error texts
 * are done here. */
#include "util/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/append.h"
#include "util/decimal.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/suggest.h"

enum { LONG_OPTION = 256, OPTIONS_MAX = 80 };

void text_list_add(struct text_list *list, const char *text)
{
    MEMORY_GROW(list->items, list->allocated, list->n + 1);
    list->items[list->n++] = memory_text(text);
}

void text_list_finish(struct text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct text_list){0};
}

int command_usage_error(const char *name, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mask_controls(text, '?');
    fprintf(stderr, "%s: %s\n", name, text);
    return command_usage_hint(name);
}

int command_usage_hint(const char *name)
{
    fprintf(stderr, "Try '%s --help'.\n", name);
    return EXIT_USAGE;
}

int command_failed(const char *name, const struct error *err)
{
    struct error shown = *err;

    mask_controls(shown.text, '?');
    fprintf(stderr, "%s: %s\n", name, shown.text);
    return EXIT_FAILED;
}

static int store_integer(const struct command_option *option, void *value, const char *text,
                         struct error *err)
{
    bool limits = option->least < option->most;
    int64_t number;

    if (decimal_parse(text, 0, &number) == 0 &&
        (!limits || ((double)number >= option->least && (double)number <= option->most))) {
        *(int64_t *)value = number;
        return 0;
    }
    if (!limits)
        return error_set(err, EINVAL, "expected a whole number");
    return error_set(err, EINVAL, "expected a whole number from %.0f to %.0f", option->least,
                     option->most);
}

static int store_number(const struct command_option *option, void *value, const char *text,
                        struct error *err)
{
    bool limits = option->least < option->most;
    double number;

    if (decimal_parse_real(text, &number) == 0 &&
        (!limits || (number >= option->least && number <= option->most))) {
        *(double *)value = number;
        return 0;
    }
    if (!limits)
        return error_set(err, EINVAL, "expected a number");
    return error_set(err, EINVAL, "expected a number from %.15g to %.15g", option->least,
                     option->most);
}

/* Copies the word at *words and moves on; false: there is none. */
static bool next_word(const char **words, char *word, size_t size)
{
    size_t length = strcspn(*words, "|");

    if (!length)
        return false;
    snprintf(word, size, "%.*s", (int)length, *words);
    *words += length + ((*words)[length] == '|');
    return true;
}

static int store_choice(const struct command_option *option, void *value, const char *text,
                        struct error *err)
{
    const char *words = option->words;
    char word[40], all[256] = "";
    size_t length = 0;

    for (int place = 0; next_word(&words, word, sizeof word); place++) {
        if (!strcmp(text, word)) {
            *(int *)value = place;
            return 0;
        }
        length = append_text(all, sizeof all, length, "%s%s",
                             !place   ? ""
                             : *words ? ", "
                                      : " or ",
                             word);
    }
    return error_set(err, EINVAL, "expected %s", all);
}

/* File names may be any bytes. */
static bool names_file(const char *argument)
{
    return strncmp(argument, "FILE", 4) == 0 || strncmp(argument, "DIR", 3) == 0;
}

/* An empty name would mean the current directory, or no file. */
static int check_file_name(const char *text, struct error *err)
{
    return *text ? 0 : error_set(err, EINVAL, "expected a name");
}

/* An option that a document cannot hold must not be left out of it. */
static int check_text(const char *text, struct error *err)
{
    return utf8_is_valid(text, strlen(text)) ? 0 : error_set(err, EINVAL, "is not valid UTF-8");
}

static int store(const struct command_option *option, void *value, const char *text,
                 struct error *err)
{
    if (option->argument &&
        (names_file(option->argument) ? check_file_name(text, err) : check_text(text, err)) < 0)
        return -1;
    switch (option->type) {
    case ARGUMENT_FLAG:
        *(bool *)value = true;
        return 0;
    case ARGUMENT_TEXT:
        *(const char **)value = text;
        return 0;
    case ARGUMENT_LIST:
        text_list_add(value, text);
        return 0;
    case ARGUMENT_INTEGER:
        return store_integer(option, value, text, err);
    case ARGUMENT_NUMBER:
        return store_number(option, value, text, err);
    case ARGUMENT_CHOICE:
        return store_choice(option, value, text, err);
    default:
        return option->take(option, value, text, err);
    }
}

static void set_defaults(const struct command_line *line, void *arguments)
{
    struct command_option option;
    struct error err;
    void *value = NULL;

    for (size_t i = 0; command_line_option(line, i, &option, arguments, &value); i++) {
        const char *text = option.otherwise ? option.otherwise : option.unset;

        if (text && store(&option, value, text, &err) < 0)
            abort();
    }
}

/* The tables in getopt's form. vals: LONG_OPTION and the row's place. */
struct getopt_tables {
    struct option rows[OPTIONS_MAX + 1];
    char letters[2 * OPTIONS_MAX + 4];
    size_t n;
};

static void make_tables(const struct command_line *line, struct getopt_tables *tables)
{
    struct command_option option;
    char *letter = tables->letters;

    memset(tables, 0, sizeof *tables);
    if (line->verbatim)
        *letter++ = '+';
    *letter++ = ':'; /* a missing value is told from an unknown option */
    for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++) {
        if (i == OPTIONS_MAX)
            abort();
        tables->rows[tables->n++] =
            (struct option){option.name, option.argument ? required_argument : no_argument, NULL,
                            LONG_OPTION + (int)i};
        if (option.letter)
            *letter++ = option.letter;
        if (option.letter && option.argument)
            *letter++ = ':';
    }
}

static int unknown_option(const struct command_line *line, const char *typed)
{
    size_t length = strcspn(typed, "="), matches = 0;
    struct suggestion suggestion;
    struct command_option option;
    char word[80], near[120], both[160] = "";

    if (typed[0] != '-' || typed[1] != '-')
        return command_usage_error(line->name, "unknown option '-%c'", optopt);
    snprintf(word, sizeof word, "%.*s", (int)length, typed);
    suggestion_init(&suggestion, word + 2);
    for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++) {
        size_t at = strlen(both);

        suggestion_offer(&suggestion, option.name);
        if (length > 2 && strstr(option.name, word + 2) == option.name && ++matches)
            append_text(both, sizeof both, at, "%s--%s", at ? ", " : "", option.name);
    }
    if (matches > 1)
        return command_usage_error(line->name, "'%s' is ambiguous: %s", word, both);
    near[0] = '\0';
    if (suggestion.best)
        snprintf(near, sizeof near, ", did you mean '--%s'?", suggestion.best);
    return command_usage_error(line->name, "unknown option '%s'%s", word, near);
}

/* An error found by getopt: ':' a missing value, '?' anything else. */
static int getopt_error(const struct command_line *line, int found, char **argv)
{
    struct command_option option;

    for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++)
        if (optopt == LONG_OPTION + (int)i || (optopt && optopt == option.letter)) {
            if (found == ':')
                return command_usage_error(line->name, "option '--%s' needs a value: %s",
                                           option.name, option.argument);
            return command_usage_error(line->name, "option '--%s' takes no value", option.name);
        }
    return unknown_option(line, argv[optind - 1]);
}

/* -1: continue; else the exit code. */
static int take_option(const struct command_line *line, int letter, struct call *call)
{
    struct command_option option;
    struct error err;
    void *value = NULL;

    for (size_t i = 0; command_line_option(line, i, &option, call->arguments, &value); i++) {
        if (letter != LONG_OPTION + (int)i && letter != option.letter)
            continue;
        if (option.type == ARGUMENT_ANSWER) {
            if (option.answer)
                option.answer(stdout);
            else
                command_line_print_help(line, stdout);
            return EXIT_DONE;
        }
        if (store(&option, value, optarg, &err) == 0)
            return -1;
        return optarg ? command_usage_error(line->name, "--%s %.80s: %s", option.name, optarg,
                                            err.text)
                      : command_usage_error(line->name, "--%s: %s", option.name, err.text);
    }
    return EXIT_USAGE;
}

static int check_operands(const struct command_line *line, const struct call *call)
{
    int least = 0, most = 0;
    struct error err;

    for (const char *word = line->operands; word; word = strchr(word + 1, ' ')) {
        least += word[*word == ' '] != '[';
        most++;
    }
    if (most && strstr(line->operands, "..."))
        most = line->most ? line->most : INT_MAX;
    if (call->n < least)
        return command_usage_error(line->name, "missing argument: %s", line->operands);
    if (call->n > most)
        return command_usage_error(line->name, "unexpected argument '%.60s'", call->operands[most]);
    for (int i = 0; line->offer && i < call->n; i++)
        if (check_text(call->operands[i], &err) < 0)
            return command_usage_error(line->name, "'%.60s' %s", call->operands[i], err.text);
    return -1;
}

static int parse(const struct command_line *line, int argc, char **argv, struct call *call)
{
    struct getopt_tables tables;
    int letter, code;

    make_tables(line, &tables);
    optind = 0;
    opterr = 0;
    while ((letter = getopt_long(argc, argv, tables.letters, tables.rows, NULL)) != -1) {
        code = letter == '?' || letter == ':' ? getopt_error(line, letter, argv)
                                              : take_option(line, letter, call);
        if (code >= 0)
            return code;
    }
    call->n = argc - optind;
    call->operands = argv + optind;
    call->argv = argv;
    return check_operands(line, call);
}

static void free_lists(const struct command_line *line, void *arguments)
{
    struct command_option option;
    void *value;

    for (size_t i = 0; command_line_option(line, i, &option, arguments, &value); i++)
        if (option.type == ARGUMENT_LIST)
            text_list_finish(value);
}

int command_line_run(const struct command_line *line, command_function *run, int argc, char **argv)
{
    struct call call = {.name = line->name, .arguments = memory_new(1, line->size)};
    int code;

    if (line->init)
        line->init(call.arguments);
    set_defaults(line, call.arguments);
    code = parse(line, argc, argv, &call);
    if (code < 0)
        code = run(&call);
    if (line->finish)
        line->finish(call.arguments);
    free_lists(line, call.arguments);
    free(call.arguments);
    return code;
}
