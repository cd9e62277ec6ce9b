/* command_line.h: a command line described once.
 *
 * A command is a `struct command_line`: its purpose, its options in groups of rows, its operands
 * and its exit codes. From that come parsing with checks and "did you mean", --help, completion and
 * the sections SYNOPSIS, OPTIONS and EXIT STATUS of the manual (doc/fill_page.c). Values go to a
 * structure of the command's, as the rows say. Values and operands that are not names of files must
 * be UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_REFUSED = 2,       /* by policy or for lack of capacity */
    EXIT_USAGE = 64,        /* the command line is wrong */
    EXIT_INTERRUPTED = 130, /* Ctrl-C */
};

enum argument_type {
    ARGUMENT_FLAG,    /* no value; bool */
    ARGUMENT_TEXT,    /* const char *, which points into argv */
    ARGUMENT_LIST,    /* struct text_list: the option may be repeated */
    ARGUMENT_INTEGER, /* int64_t from least to most */
    ARGUMENT_NUMBER,  /* double from least to most */
    ARGUMENT_CHOICE,  /* int (an enum): the place in `words` */
    ARGUMENT_OWN,     /* converted by take(); without `argument`: a flag */
    ARGUMENT_ANSWER,  /* no value: answer() prints something and the command is done */
};

struct text_list {
    char **items; /* copies */
    size_t n, allocated;
};

void text_list_add(struct text_list *list, const char *text);
void text_list_finish(struct text_list *list);

struct command_option {
    const char *name; /* without dashes */
    char letter;      /* 0: none */
    enum argument_type type;
    const char *argument;  /* "FILE"; NULL: takes none. FILE... and DIR complete as such */
    size_t offset;         /* of the value in the structure of its group */
    const char *otherwise; /* default, written as a user would; NULL: none */
    const char *unset;     /* the same, not shown by --help: the value without effect */
    double least, most;    /* INTEGER, NUMBER; both 0: any */
    const char *words;     /* "first|second|...": all choices, or what completion offers */
    int (*take)(const struct command_option *option, void *value, const char *text,
                struct error *err); /* OWN: 0, or -1 with err; text NULL: a flag */
    void (*answer)(FILE *stream);   /* ANSWER */
    void (*offer)(FILE *stream);    /* words for completion, one a line; NULL: by words, argument */
    const char *help;               /* sentences, without a full stop at the end */
};

/* Options that belong together. Rows come from an array or, one at a time, from row(). */
struct option_group {
    const char *title; /* NULL: none */
    const struct command_option *options;
    size_t n;
    bool (*row)(size_t i, struct command_option *option); /* false: there is no i-th */
    size_t offset; /* in the command's arguments, of the structure its values go to */
};

struct exit_code {
    int code;
    const char *when; /* a sentence, without a full stop at the end */
};

/* The group of all options of a table. */
#define OPTION_GROUP(table)                                                                        \
    {                                                                                              \
        .options = (table), .n = sizeof(table) / sizeof *(table)                                   \
    }

enum { OPTION_GROUPS_MAX = 4, EXIT_CODES_MAX = 8 };

struct command_line {
    const char *name;     /* "galerna lease list" */
    const char *summary;  /* one line for the list of commands */
    const char *purpose;  /* paragraphs for --help; separated by empty lines */
    const char *operands; /* "FILE [NAME]...": one, then any number; NULL: none */
    int most;             /* operands, if they may repeat ("..."); 0: any number */
    bool verbatim;        /* options end at the first operand */
    struct option_group groups[OPTION_GROUPS_MAX]; /* ended by an empty one */
    void (*more)(FILE *stream);                    /* below the options in --help; NULL */
    const char *notes;                             /* paragraphs after these; NULL */
    struct exit_code codes[EXIT_CODES_MAX];        /* ascending; EXIT_USAGE is added */
    void (*offer)(FILE *stream);                   /* operands for completion; NULL: files */
    size_t size;                                   /* of the arguments; they are zeroed first */
    void (*init)(void *arguments);                 /* before options are taken; NULL */
    void (*finish)(void *arguments);               /* at the end, also after errors; NULL */
};

/* A parsed command line. */
struct call {
    const char *name; /* of the command, for messages */
    void *arguments;
    int n;           /* operands */
    char **operands; /* in argv */
    char **argv;     /* all, options first */
};

typedef int command_function(const struct call *call); /* returns the exit code */

/* Parses argv (argv[0] is ignored), runs the command, frees lists in its arguments. Returns the
 * exit code. */
int command_line_run(const struct command_line *line, command_function *run, int argc, char **argv);

/* The same for a program with one command, which also completes words: PROGRAM __complete WORD...
 */
int command_line_main(const struct command_line *line, command_function *run, int argc,
                      char **argv);

/* The i-th option of all groups; value: where its value goes, in arguments (both may be NULL).
 * False: there is none. The last is --help. */
bool command_line_option(const struct command_line *line, size_t i, struct command_option *option,
                         void *arguments, void **value);

/* The group of the i-th option; NULL: --help. */
const struct option_group *command_line_group(const struct command_line *line, size_t i);

/* The i-th exit code, in ascending order. False: there is none. */
bool command_line_code(const struct command_line *line, size_t i, struct exit_code *code);

/* The usage, the description, the options and the exit codes. */
void command_line_print_help(const struct command_line *line, FILE *stream);

/* Print text wrapped to 80 columns; the first line begins at column `at`, further ones are indented
 * by `indent`. Lines that begin with a space and empty lines are kept as they are. */
void command_line_wrap(const char *text, size_t at, size_t indent, FILE *stream);

/* Prints completions for the last of n words, one per line: options, values, operands. ":files" and
 * ":directories" ask for names of these. */
void command_line_complete(const struct command_line *line, char **words, int n, FILE *stream);

/* Print the lines of offer() or of words ("a|b") that begin with `begin`. */
void command_line_offer(void (*offer)(FILE *stream), const char *words, const char *begin,
                        FILE *stream);

/* Print "name: message" and a hint at --help to standard error; what cannot be printed safely is
 * shown as '?'. Returns EXIT_USAGE. */
int command_usage_error(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int command_usage_hint(const char *name); /* the hint alone */

/* Print "name: err" to standard error. Returns EXIT_FAILED. */
int command_failed(const char *name, const struct error *err);
