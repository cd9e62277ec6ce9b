/* The table of a lease's terms, and access to their values. */
#include "core/lease_terms.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/append.h"
#include "util/decimal.h"

static const char *const terms_words[] = {
    [TERMS_CANCELABLE] = "cancelable",           [TERMS_SUSPENDABLE] = "suspendable",
    [TERMS_MIGRATABLE] = "migratable",           [TERMS_RESTARTABLE] = "restartable",
    [TERMS_NON_PREEMPTABLE] = "non-preemptable", NULL,
};

static const char *const origin_words[] = {
    [ORIGIN_LOCAL] = "local",
    [ORIGIN_EXTERNAL] = "external",
    NULL,
};

#define ROW(type_in_c, member, of_templates, kind, ...)                                            \
    [TERM_ID_##member] = {.name = #member,                                                         \
                          .attribute = (of_templates),                                             \
                          .type = TERM_##kind,                                                     \
                          .offset = offsetof(struct term_values, member),                          \
                          __VA_ARGS__},

const struct lease_term lease_terms[LEASE_TERM_COUNT] = {LEASE_TERMS(ROW)};

/* Words are read and written as unsigned numbers. */
_Static_assert(sizeof(enum lease_terms) == sizeof(unsigned), "enumerations are of one size");

static void *field(const struct lease_term *term, struct term_values *values)
{
    return (char *)values + term->offset;
}

static const void *const_field(const struct lease_term *term, const struct term_values *values)
{
    return (const char *)values + term->offset;
}

const struct lease_term *lease_term_find(const char *name)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (strcmp(lease_terms[i].name, name) == 0)
            return &lease_terms[i];
    return NULL;
}

void term_values_init(struct term_values *values)
{
    memset(values, 0, sizeof *values);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (lease_terms[i].type != TERM_TEXT)
            term_set_number(&lease_terms[i], values, lease_terms[i].otherwise);
}

int64_t term_number(const struct lease_term *term, const struct term_values *values)
{
    const void *at = const_field(term, values);

    assert(term->type != TERM_TEXT);
    if (term->type == TERM_FLAG)
        return *(const bool *)at;
    return term->type == TERM_WORD ? (int64_t) * (const unsigned *)at : *(const int32_t *)at;
}

void term_set_number(const struct lease_term *term, struct term_values *values, int64_t number)
{
    void *at = field(term, values);

    assert(term->type != TERM_TEXT);
    if (term->type == TERM_FLAG)
        *(bool *)at = number != 0;
    else if (term->type == TERM_WORD)
        *(unsigned *)at = (unsigned)number;
    else
        *(int32_t *)at = (int32_t)number;
}

int64_t term_whole(const struct lease_term *term, const struct term_values *values)
{
    const int64_t one = decimal_one(term->decimals), number = term_number(term, values);

    return number / one - (number % one < 0);
}

const char *term_word(const struct lease_term *term, const struct term_values *values)
{
    return term->type == TERM_TEXT ? const_field(term, values)
                                   : term->words[term_number(term, values)];
}

const char *term_write(const struct lease_term *term, const struct term_values *values,
                       char text[TERM_TEXT_MAX])
{
    if (term->type == TERM_FLAG)
        snprintf(text, TERM_TEXT_MAX, "%s", term_number(term, values) ? "yes" : "no");
    else if (term->type == TERM_NUMBER)
        decimal_write(term_number(term, values), term->decimals, text);
    else
        snprintf(text, TERM_TEXT_MAX, "%s", term_word(term, values));
    return text;
}

static void expect_number(const struct lease_term *term, char text[TERM_EXPECTED_MAX])
{
    char least[DECIMAL_TEXT_MAX], most[DECIMAL_TEXT_MAX];
    size_t length = append_text(text, TERM_EXPECTED_MAX, 0, "a %snumber from %s to %s",
                                term->decimals ? "" : "whole ",
                                decimal_write(term->least, term->decimals, least),
                                decimal_write(term->most, term->decimals, most));

    if (term->decimals)
        append_text(text, TERM_EXPECTED_MAX, length, " with at most %d decimals", term->decimals);
}

const char *term_expected(const struct lease_term *term, char text[TERM_EXPECTED_MAX])
{
    size_t length = 0;

    switch (term->type) {
    case TERM_FLAG:
        snprintf(text, TERM_EXPECTED_MAX, "yes or no");
        break;
    case TERM_NUMBER:
        expect_number(term, text);
        break;
    case TERM_TEXT:
        snprintf(text, TERM_EXPECTED_MAX,
                 "up to %d printable ASCII characters, no quotes or backslashes",
                 TERM_TEXT_MAX - 1);
        break;
    case TERM_WORD:
        for (size_t i = 0; term->words[i]; i++)
            length = append_text(text, TERM_EXPECTED_MAX, length, "%s%s",
                                 i == 0               ? ""
                                 : term->words[i + 1] ? ", "
                                                      : " or ",
                                 term->words[i]);
        break;
    }
    return text;
}

static bool read_flag(const char *text, int64_t *number)
{
    static const char *const words[] = {"no", "yes", "false", "true", "0", "1"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *number = (int64_t)(i & 1);
            return true;
        }
    return false;
}

/* Also accepts "non-preemptible", in the spelling of Haizea's attribute PREEMPTIBLE. */
static bool read_word(const struct lease_term *term, const char *text, int64_t *number)
{
    if (strcasecmp(text, "non-preemptible") == 0)
        text = terms_words[TERMS_NON_PREEMPTABLE];
    for (*number = 0; term->words[*number]; ++*number)
        if (strcasecmp(text, term->words[*number]) == 0)
            return true;
    return false;
}

static bool read_number(const struct lease_term *term, const char *text, int64_t *number)
{
    return decimal_parse(text, term->decimals, number) == 0 && *number >= term->least &&
           *number <= term->most;
}

/* Quotes and backslashes would break the value in an OpenNebula template. */
static bool is_text(const char *text)
{
    size_t length = 0;

    while (text[length] >= ' ' && text[length] <= '~' && text[length] != '"' &&
           text[length] != '\\')
        length++;
    return !text[length] && length < TERM_TEXT_MAX;
}

int term_read(const struct lease_term *term, const char *text, struct term_values *values,
              char expected[TERM_EXPECTED_MAX])
{
    int64_t number = 0;
    bool read = term->type == TERM_FLAG     ? read_flag(text, &number)
                : term->type == TERM_WORD   ? read_word(term, text, &number)
                : term->type == TERM_NUMBER ? read_number(term, text, &number)
                                            : is_text(text);

    if (!read) {
        term_expected(term, expected);
        return -1;
    }
    if (term->type == TERM_TEXT)
        snprintf(field(term, values), TERM_TEXT_MAX, "%s", text);
    else
        term_set_number(term, values, number);
    return 0;
}

bool term_is_usual(const struct lease_term *term, const struct term_values *values)
{
    if (term == &lease_terms[TERM_ID_terms])
        return values->terms == lease_terms_usual(values->preemptible);
    return term->type == TERM_TEXT ? !*term_word(term, values)
                                   : term_number(term, values) == term->otherwise;
}

void term_copy(const struct lease_term *term, const struct term_values *from,
               struct term_values *values)
{
    if (term->type == TERM_TEXT)
        memcpy(field(term, values), const_field(term, from), TERM_TEXT_MAX);
    else
        term_set_number(term, values, term_number(term, from));
}

bool term_is_same(const struct lease_term *term, const struct term_values *one,
                  const struct term_values *other)
{
    return term->type == TERM_TEXT ? !strcmp(term_word(term, one), term_word(term, other))
                                   : term_number(term, one) == term_number(term, other);
}

bool terms_settle(struct term_values *values, unsigned given)
{
    bool preemptible = values->terms != TERMS_NON_PREEMPTABLE;

    if (!(given >> TERM_ID_terms & 1)) {
        values->terms = lease_terms_usual(values->preemptible);
        return true;
    }
    if ((given >> TERM_ID_preemptible & 1) && preemptible != values->preemptible)
        return false;
    values->preemptible = preemptible;
    return true;
}

enum lease_terms lease_terms_usual(bool preemptible)
{
    return preemptible ? TERMS_SUSPENDABLE : TERMS_NON_PREEMPTABLE;
}

const char *lease_terms_name(enum lease_terms terms)
{
    return terms_words[terms];
}

const char *lease_origin_name(enum lease_origin origin)
{
    return origin_words[origin];
}
