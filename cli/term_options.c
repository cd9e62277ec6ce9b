/* Makes options of the terms of a lease. */
#include "cli/term_options.h"

#include <errno.h>
#include <stdio.h>

#include "daemon/control/json_term.h"
#include "util/append.h"

static int take_term(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    struct term_options *terms = value;
    const struct lease_term *term = lease_term_find(option->name);
    char expected[TERM_EXPECTED_MAX];

    if (term_read(term, text ? text : "yes", &terms->values, expected) < 0)
        return error_set(err, EINVAL, "expected %s", expected);
    terms->given |= 1U << (term - lease_terms);
    return 0;
}

/* "first|second", for completion; the same on every call. */
static const char *words_of(size_t i)
{
    static char words[LEASE_TERM_COUNT][TERM_EXPECTED_MAX];
    const struct lease_term *term = &lease_terms[i];
    size_t length = 0;

    for (size_t k = 0; term->words && term->words[k]; k++)
        length =
            append_text(words[i], sizeof words[i], length, "%s%s", k ? "|" : "", term->words[k]);
    return term->words ? words[i] : NULL;
}

static const char *help_of(size_t i)
{
    static char help[LEASE_TERM_COUNT][512];
    struct term_values usual;
    char text[TERM_TEXT_MAX];

    term_values_init(&usual);
    if (lease_terms[i].type == TERM_FLAG || !*term_write(&lease_terms[i], &usual, text))
        return lease_terms[i].sentence;
    snprintf(help[i], sizeof help[i], "%s (default: %s)", lease_terms[i].sentence, text);
    return help[i];
}

bool term_option_requested(size_t i, struct command_option *option)
{
    static const char *const arguments[] = {
        [TERM_FLAG] = NULL, [TERM_WORD] = "WORD", [TERM_NUMBER] = "N", [TERM_TEXT] = "TEXT"};

    if (i >= LEASE_TERM_COUNT)
        return false;
    *option = (struct command_option){.name = lease_terms[i].name,
                                      .type = ARGUMENT_OWN,
                                      .argument = arguments[lease_terms[i].type],
                                      .take = take_term,
                                      .words = words_of(i),
                                      .help = help_of(i)};
    return true;
}

bool term_option_changed(size_t i, struct command_option *option)
{
    if (!term_option_requested(i, option))
        return false;
    option->help = lease_terms[i].sentence;
    if (lease_terms[i].type == TERM_FLAG) {
        option->argument = "yes|no";
        option->words = "yes|no";
    }
    return true;
}

void term_options_put(const struct term_options *options, json_t *request)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (options->given >> i & 1)
            json_object_set_new(request, lease_terms[i].name,
                                json_from_term(&lease_terms[i], &options->values));
}
