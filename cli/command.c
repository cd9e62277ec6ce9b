/* The table of galerna's commands; finding, explaining and running the typed one. */
#include "cli/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/append.h"
#include "util/suggest.h"

#define COMMAND_ENTRY(name)     {&name##_line, command_##name},
#define COMMAND_ELSEWHERE(name) {&name##_line, NULL},

const struct command_entry command_table[] = {COMMANDS(COMMAND_ENTRY)
                                                  COMMANDS_ELSEWHERE(COMMAND_ELSEWHERE)};

const size_t command_count = sizeof command_table / sizeof *command_table;

static const char program[] = "galerna";

/* The part of a command's name after "galerna ": "lease list". */
static const char *words_of(const struct command_entry *command)
{
    return command->line->name + sizeof program;
}

static size_t noun_length(const struct command_entry *command)
{
    return strcspn(words_of(command), " ");
}

/* "list", or NULL for a noun without verbs. */
static const char *verb_of(const struct command_entry *command)
{
    const char *space = strchr(words_of(command), ' ');

    return space ? space + 1 : NULL;
}

static bool has_noun(const struct command_entry *command, const char *noun)
{
    return strlen(noun) == noun_length(command) &&
           !strncmp(noun, words_of(command), noun_length(command));
}

static void print_commands(FILE *stream, const char *noun)
{
    for (size_t i = 0; i < command_count; i++) {
        const struct command_entry *command = &command_table[i];
        const char *verb = verb_of(command);

        if (!noun || has_noun(command, noun))
            fprintf(stream, "  %-11.*s%-11s%s\n", (int)noun_length(command), words_of(command),
                    verb ? verb : "", command->line->summary);
    }
}

static int print_help(void)
{
    printf("usage: galerna COMMAND [ARGUMENT]...\n\n"
           "Galerna schedules leases of virtual machines.\n\nCommands:\n");
    print_commands(stdout, NULL);
    printf("\n'galerna help COMMAND' and 'galerna COMMAND --help' describe a command;\n"
           "'galerna --version' prints the version.\n");
    return EXIT_DONE;
}

static int print_version(void)
{
    printf("galerna %s\n", GALERNA_VERSION);
    return EXIT_DONE;
}

/* Writes ", did you mean 'lease show' or 'host show'?" if the word is a verb. */
static void offer_commands_with(const char *word, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < command_count; i++) {
        const char *verb = verb_of(&command_table[i]);

        if (verb && strcmp(verb, word) == 0)
            length = append_text(text, size, length, "%s '%s'", length ? " or" : ", did you mean",
                                 words_of(&command_table[i]));
    }
    if (length)
        append_text(text, size, length, "?");
}

static int unknown_noun(const char *noun)
{
    struct suggestion suggestion;
    char near[160], nouns[sizeof command_table / sizeof *command_table][24];

    suggestion_init(&suggestion, noun);
    for (size_t i = 0; i < command_count; i++) {
        snprintf(nouns[i], sizeof nouns[i], "%.*s", (int)noun_length(&command_table[i]),
                 words_of(&command_table[i]));
        suggestion_offer(&suggestion, nouns[i]);
    }
    offer_commands_with(noun, near, sizeof near);
    return command_usage_error(program, "unknown command '%.60s'%s", noun,
                               *near ? near : suggestion_text(&suggestion));
}

/* The noun needs a verb, and has none or a wrong one. */
static int explain_noun(const char *noun, const char *verb)
{
    struct suggestion suggestion;
    char name[80];

    snprintf(name, sizeof name, "%s %.60s", program, noun);
    if (!verb) {
        fprintf(stderr, "%s: missing verb, one of:\n", name);
        print_commands(stderr, noun);
        return EXIT_USAGE;
    }
    if (!strcmp(verb, "--help") || !strcmp(verb, "-h")) {
        printf("usage: %s VERB [ARGUMENT]...\n\nCommands:\n", name);
        print_commands(stdout, noun);
        return EXIT_DONE;
    }
    if (!strcmp(verb, "--version"))
        return print_version();
    suggestion_init(&suggestion, verb);
    for (size_t i = 0; i < command_count; i++)
        if (has_noun(&command_table[i], noun) && verb_of(&command_table[i]))
            suggestion_offer(&suggestion, verb_of(&command_table[i]));
    return command_usage_error(name, "unknown verb '%.60s'%s", verb, suggestion_text(&suggestion));
}

/* The command named by the first of n words, and the number of words that name it. known: the noun
 * exists. */
static const struct command_entry *find(char **words, int n, int *taken, bool *known)
{
    const struct command_entry *alone = NULL;

    *known = false;
    for (size_t i = 0; i < command_count; i++) {
        const struct command_entry *command = &command_table[i];
        const char *verb = verb_of(command);

        if (n < 1 || !has_noun(command, words[0]))
            continue;
        *known = true;
        *taken = 2;
        if (verb && n > 1 && !strcmp(verb, words[1]))
            return command;
        if (!verb)
            alone = command;
    }
    *taken = 1;
    return alone;
}

static int find_and_run(int argc, char **argv)
{
    bool known;
    int taken;
    const struct command_entry *command = find(argv + 1, argc - 1, &taken, &known);

    if (!known)
        return unknown_noun(argv[1]);
    if (!command)
        return explain_noun(argv[1], argc > 2 ? argv[2] : NULL);
    if (argc > taken + 1 && !strcmp(argv[taken + 1], "--version"))
        return print_version();
    return command_line_run(command->line, command->run ? command->run : command_run_elsewhere,
                            argc - taken, argv + taken);
}

/* galerna help [NOUN [VERB]] */
static int help_about(int argc, char **argv)
{
    bool known;
    int taken;
    const struct command_entry *command = find(argv, argc, &taken, &known);

    if (argc == 0)
        return print_help();
    if (!known)
        return unknown_noun(argv[0]);
    if (!command)
        return explain_noun(argv[0], argc > 1 ? argv[1] : "--help");
    if (argc > taken)
        return explain_noun(argv[0], argv[taken]);
    command_line_print_help(command->line, stdout);
    return EXIT_DONE;
}

static void offer_nouns(FILE *stream)
{
    for (size_t i = 0; i < command_count; i++)
        if (i == 0 || noun_length(&command_table[i]) != noun_length(&command_table[i - 1]) ||
            strncmp(words_of(&command_table[i]), words_of(&command_table[i - 1]),
                    noun_length(&command_table[i])) != 0)
            fprintf(stream, "%.*s\n", (int)noun_length(&command_table[i]),
                    words_of(&command_table[i]));
}

/* galerna __complete WORD...: completions for the last word. */
static int complete(int n, char **words)
{
    bool known = false, asks_help = n > 1 && !strcmp(words[0], "help");
    const struct command_entry *command;
    int taken = 0, kept = 0;

    for (int i = 0; i < n; i++) /* the shell takes --set=a.b for three words */
        if (strcmp(words[i], "=") != 0 || i + 1 == n)
            words[kept++] = words[i];
    n = kept - asks_help;
    words += asks_help;
    if (n < 1)
        return EXIT_DONE;
    if (n == 1)
        command_line_offer(offer_nouns, "help|--help|--version", words[0], stdout);
    command = n > 1 ? find(words, n - 1, &taken, &known) : NULL;
    for (size_t i = 0; n == 2 && i < command_count; i++)
        if (has_noun(&command_table[i], words[0]) && verb_of(&command_table[i]))
            command_line_offer(NULL, verb_of(&command_table[i]), words[1], stdout);
    if (command && !asks_help)
        command_line_complete(command->line, words + taken, n - taken, stdout);
    else if (known && n == 2)
        command_line_offer(NULL, "--help", words[1], stdout);
    return EXIT_DONE;
}

int command_main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: galerna COMMAND [ARGUMENT]...\n\nCommands:\n");
        print_commands(stderr, NULL);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return command_end(help_about(argc - 2, argv + 2));
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))
        return command_end(print_version());
    if (!strcmp(argv[1], "__complete"))
        return command_end(complete(argc - 2, argv + 2));
    return command_end(find_and_run(argc, argv));
}
