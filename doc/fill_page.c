/* fill_page.c: prints a page of the manual with the lines "@OPTIONS@" and "@CHECKS@" replaced by the
 * tables that the program itself works by, so that the page cannot say anything else than it does.
 *
 *   fill_page PAGE.scd.in
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/option.h"
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
