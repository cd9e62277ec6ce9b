/* fill_page.c: prints a page of the manual with the lines "@OPTIONS@", "@RIGHTS@", "@STREAMS@"
 * and "@CHECKS@" replaced by the tables that the program itself works by, so that the page cannot
 * say anything else than it does.
 *
 *   fill_page PAGE.scd.in
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/rights.h"
#include "configuration/option.h"
#include "lwf/generate.h"
#include "verify/verify.h"

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

static void print_checks(void)
{
    for (int i = 0; i < CHECKS; i++) {
        printf("*%s*\n\t", verify_check_name((enum verify_check)i));
        print_text(verify_check_promise((enum verify_check)i));
        printf(".\n\n");
    }
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
        if (!strcmp(line, "@OPTIONS@\n"))
            print_options();
        else if (!strcmp(line, "@RIGHTS@\n"))
            print_rights();
        else if (!strcmp(line, "@STREAMS@\n"))
            print_streams();
        else if (!strcmp(line, "@CHECKS@\n"))
            print_checks();
        else
            fputs(line, stdout);
    }
    if (ferror(page) || fclose(page) == EOF || fflush(stdout) == EOF || ferror(stdout)) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
