/* fill_page.c: prints a page of the manual with lines such as "@OPTIONS@" replaced by the tables
 * that the programs themselves work by, so that the page cannot say anything else than they do.
 *
 *   fill_page PAGE.scd.in
 *
 * @SYNOPSIS@ NAME, @COMMAND-OPTIONS@ NAME, @EXIT-STATUS@ NAME: of the commands whose names begin
 * with NAME ("galerna lease"); @COMMANDS@: all of galerna. @OPTIONS@, @RIGHTS@: of configuration
 * files.
 * @TERMS@: attributes of templates, @TRACE_TERMS@: of leases in traces.
 * @STREAMS@: models of workloads. @CHECKS@: what galerna verify checks.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/rights.h"
#include "cli/command.h"
#include "configuration/option.h"
#include "core/lease_terms.h"
#include "daemon/startup.h"
#include "lwf/generate.h"
#include "verify/verify.h"
#include "web/options.h"

/* Text with what scdoc would take for markup escaped. */
static void print_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("\\*_#[", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void print_option(const struct configuration_option *option)
{
    char expects[256];

    printf("*%s*", option->name);
    if (option->type != OPTION_ACCEPTED) {
        printf(": ");
        print_text(option_expects(option, expects, sizeof(expects)));
        if (option->otherwise)
            printf(" (default: %s)", option->otherwise);
    }
    printf("\n\t");
    print_text(option->meaning);
    printf("\n\n");
}

static void print_options(void)
{
    const char *section = "";

    for (size_t i = 0; i < option_count; i++) {
        if (strcmp(section, option_table[i].section)) {
            section = option_table[i].section;
            printf("## [%s]\n\n", section);
        }
        print_option(&option_table[i]);
    }
}

/* "name: what it may be" and an indented line of meaning, one after the other. */
static void print_rights(void)
{
    FILE *table = tmpfile();
    char line[1024];

    if (!table) {
        perror("fill_page");
        exit(EXIT_FAILURE);
    }
    rights_print_options(table);
    rewind(table);
    while (fgets(line, sizeof(line), table)) {
        size_t name = strcspn(line, ":");

        if (line[0] == ' ') {
            printf("\t");
            print_text(line + strspn(line, " "));
            printf("\n");
        } else {
            printf("*%.*s*", (int)name, line);
            print_text(line + name);
        }
    }
    fclose(table);
}

/* "Title:" and lines "  name  meaning". */
static void print_streams(void)
{
    FILE *table = tmpfile();
    char line[1024];

    if (!table) {
        perror("fill_page");
        exit(EXIT_FAILURE);
    }
    generate_print_keys(table);
    rewind(table);
    while (fgets(line, sizeof(line), table)) {
        size_t name = strcspn(line + strspn(line, " "), " ");

        line[strcspn(line, "\n")] = '\0';
        if (line[0] == ' ') {
            const char *meaning = line + 2 + name;

            printf("*%.*s*\n\t", (int)name, line + 2);
            print_text(meaning + strspn(meaning, " "));
            printf("\n\n");
        } else if (line[0]) {
            printf("## %.*s\n\n", (int)strcspn(line, ":"), line);
        }
    }
    fclose(table);
}

static void print_term(const struct lease_term *term, const char *name)
{
    char expected[TERM_EXPECTED_MAX];

    printf("*");
    print_text(name);
    printf("*: ");
    print_text(term_expected(term, expected));
    printf("\n\t");
    print_text(term->sentence);
    printf(".");
}

static void print_terms(void)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        print_term(&lease_terms[i], lease_terms[i].attribute);
        if (lease_terms[i].right.name)
            printf(" %s the right _%s_ (*galerna.conf*(5)).",
                   lease_terms[i].type == TERM_WORD && !lease_terms[i].right.otherwise
                       ? "Needs"
                       : "Limited by",
                   lease_terms[i].right.name);
        printf("\n\n");
    }
}

static void print_trace_terms(void)
{
    struct term_values usual;
    char text[TERM_TEXT_MAX];

    term_values_init(&usual);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        if (lease_terms[i].of_haizea)
            continue;
        print_term(&lease_terms[i], lease_terms[i].name);
        if (i != TERM_ID_terms && *term_write(&lease_terms[i], &usual, text))
            printf(" Default: %s.", text);
        printf("\n\n");
    }
}

static void print_checks(void)
{
    for (int i = 0; i < CHECKS; i++) {
        printf("*%s*\n\t", verify_check_name((enum verify_check)i));
        print_text(verify_check_promise((enum verify_check)i));
        printf(".\n\n");
    }
}

/* The i-th command line of those whose names begin with `name`. NULL: there is none. */
static const struct command_line *command_at(const char *name, size_t i)
{
    size_t length = strlen(name);

    if (!strcmp(name, galernad_line.name))
        return i ? NULL : &galernad_line;
    if (!strcmp(name, web_line.name))
        return i ? NULL : &web_line;
    for (size_t k = 0; k < command_count; k++) {
        const struct command_line *line = command_table[k].line;

        if (!strncmp(line->name, name, length) && strchr(" ", line->name[length]) && i-- == 0)
            return line;
    }
    return NULL;
}

static void print_synopsis(const char *name)
{
    const struct command_line *line;

    for (size_t i = 0; (line = command_at(name, i)); i++) {
        printf("%s*%s* [_OPTION_]...", i ? "++\n" : "", line->name);
        if (line->operands) {
            printf(" ");
            print_text(line->operands);
        }
    }
    printf("\n");
}

static bool ends_sentence(const char *text)
{
    return *text && strchr(".:!", text[strlen(text) - 1]);
}

static void print_command_option(const struct command_option *option)
{
    if (option->letter)
        printf("*-%c*, ", option->letter);
    printf("*--%s*", option->name);
    if (option->argument) {
        printf(" ");
        print_text(option->argument);
    }
    printf("\n\t");
    print_text(option->help);
    printf("%s", ends_sentence(option->help) ? "" : ".");
    if (option->otherwise && *option->otherwise) {
        printf(" Default: ");
        print_text(option->otherwise);
        printf(".");
    }
    printf("\n\n");
}

/* Do all commands of that name have the group? */
static bool is_common(const char *name, const struct option_group *group)
{
    const struct command_line *line;

    for (size_t i = 0; (line = command_at(name, i)); i++) {
        bool has = !group;

        for (size_t g = 0; group && g < OPTION_GROUPS_MAX; g++)
            has |= line->groups[g].options == group->options;
        if (!has)
            return false;
    }
    return true;
}

/* The options of a command that the others of its name have too, or those that they have not. */
static void print_groups(const char *name, const struct command_line *line, bool common)
{
    const struct option_group *before = NULL;
    struct command_option option;
    bool begun = false;

    for (size_t i = 0; command_line_option(line, i, &option, NULL, NULL); i++) {
        const struct option_group *group = command_line_group(line, i);

        if (is_common(name, group) != common)
            continue;
        if (!begun && !common)
            printf("## %s\n\n", line->name);
        if (group != before && group && group->title)
            printf("%s:\n\n", group->title);
        begun = true;
        before = group;
        print_command_option(&option);
    }
}

static void print_command_options(const char *name)
{
    const struct command_line *line;

    print_groups(name, command_at(name, 0), true);
    for (size_t i = 0; (line = command_at(name, i)); i++)
        print_groups(name, line, false);
}

/* Once for all commands of that name when they agree. */
static void print_exit_status(const char *name)
{
    const struct command_line *line, *first = command_at(name, 0);
    struct exit_code code, other;
    bool same = true;

    for (size_t i = 1; (line = command_at(name, i)); i++)
        for (size_t k = 0; command_line_code(first, k, &code); k++)
            same =
                same && command_line_code(line, k, &other) && code.code == other.code &&
                !strcmp(code.when, other.when) &&
                !command_line_code(line, k + 1, &other) == !command_line_code(first, k + 1, &other);
    for (size_t i = 0; (line = command_at(name, i)) && (i == 0 || !same); i++) {
        if (!same)
            printf("## %s\n\n", line->name);
        for (size_t k = 0; command_line_code(line, k, &code); k++) {
            printf("*%d*\n\t", code.code);
            print_text(code.when);
            printf(".\n\n");
        }
    }
}

static void print_commands(void)
{
    for (size_t i = 0; i < command_count; i++) {
        const struct command_line *line = command_table[i].line;
        const char *words = line->name + strlen("galerna ");

        printf("*%s*\n\t%s. See *galerna-%.*s*(1).\n\n", line->name, line->summary,
               (int)strcspn(words, " "), words);
    }
}

/* "@WORD@ NAME" of a command: true when it is one and was printed. */
static bool print_section(const char *line)
{
    static const struct {
        const char *word;
        void (*print)(const char *name);
    } sections[] = {{"@SYNOPSIS@ ", print_synopsis},
                    {"@COMMAND-OPTIONS@ ", print_command_options},
                    {"@EXIT-STATUS@ ", print_exit_status}};

    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        size_t length = strlen(sections[i].word);
        char name[40];

        if (strncmp(line, sections[i].word, length) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line + length, "\n"), line + length);
        if (!command_at(name, 0)) {
            fprintf(stderr, "fill_page: there is no command %s\n", name);
            exit(EXIT_FAILURE);
        }
        sections[i].print(name);
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    FILE *page = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[1024];

    if (!page) {
        fprintf(stderr, "usage: fill_page PAGE.scd.in\n");
        return 64;
    }
    while (fgets(line, sizeof(line), page)) {
        if (print_section(line))
            continue;
        if (!strcmp(line, "@COMMANDS@\n"))
            print_commands();
        else if (!strcmp(line, "@OPTIONS@\n"))
            print_options();
        else if (!strcmp(line, "@RIGHTS@\n"))
            print_rights();
        else if (!strcmp(line, "@STREAMS@\n"))
            print_streams();
        else if (!strcmp(line, "@CHECKS@\n"))
            print_checks();
        else if (!strcmp(line, "@TERMS@\n"))
            print_terms();
        else if (!strcmp(line, "@TRACE_TERMS@\n"))
            print_trace_terms();
        else
            fputs(line, stdout);
    }
    if (ferror(page) || fclose(page) == EOF || fflush(stdout) == EOF || ferror(stdout)) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
