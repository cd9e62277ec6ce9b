/* Completion, answered from the description of a command line. */
#include <stdlib.h>
#include <string.h>

#include "util/command_line.h"

static bool begins_with(const char *word, const char *begin)
{
    return strncmp(word, begin, strlen(begin)) == 0;
}

/* The lines of a stream that begin with the typed prefix. */
static void filter(FILE *lines, const char *begin, FILE *stream)
{
    char *line = NULL;
    size_t size = 0;

    rewind(lines);
    while (getline(&line, &size, lines) > 0)
        if (begins_with(line, begin) || line[0] == ':')
            fputs(line, stream);
    free(line);
}

void command_line_offer(void (*offer)(FILE *stream), const char *words, const char *begin,
                        FILE *stream)
{
    FILE *lines = tmpfile();

    if (!lines)
        return;
    if (offer)
        offer(lines);
    for (; words && *words; words += strcspn(words, "|"), words += *words == '|')
        fprintf(lines, "%.*s\n", (int)strcspn(words, "|"), words);
    filter(lines, begin, stream);
    fclose(lines);
}

static void complete_value(const struct command_option *option, const char *begin, FILE *stream)
{
    if (option->offer || option->words)
        command_line_offer(option->offer, option->words, begin, stream);
    else if (begins_with(option->argument, "FILE"))
        fputs(":files\n", stream);
    else if (begins_with(option->argument, "DIR"))
        fputs(":directories\n", stream);
}

/* The option that a word names and whose value the next one is. */
static bool find_named(const struct command_line *line, const char *word,
                       struct command_option *option)
{
    for (size_t i = 0; command_line_option(line, i, option, NULL, NULL); i++)
        if (option->argument &&
            ((word[0] == '-' && word[1] == '-' && !strcmp(word + 2, option->name)) ||
             (word[0] == '-' && word[1] && word[1] == option->letter && !word[2])))
            return true;
    return false;
}

void command_line_complete(const struct command_line *line, char **words, int n, FILE *stream)
{
    struct command_option option;
    const char *begin = words[n - 1];

    if (n > 1 && find_named(line, words[n - 2], &option)) {
        complete_value(&option, begin, stream);
    } else if (begin[0] == '-') {
        for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++)
            if (!begin[1] || (begin[1] == '-' && begins_with(option.name, begin + 2)))
                fprintf(stream, "--%s\n", option.name);
    } else if (line->offer) {
        command_line_offer(line->offer, NULL, begin, stream);
    } else if (line->operands) {
        fputs(":files\n", stream);
    }
}

int command_line_main(const struct command_line *line, command_function *run, int argc, char **argv)
{
    if (argc <= 2 || strcmp(argv[1], "__complete") != 0)
        return command_line_run(line, run, argc, argv);
    command_line_complete(line, argv + 2, argc - 2, stdout);
    return EXIT_DONE;
}
