/* Matches patterns of fnmatch() (no flags, C locale), which are prepared once and matched without
 * recursion to bound the costs of users' patterns. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/expression.h"
#include "util/memory.h"

/* An element is a byte, one of these, or SET plus the number of a set. */
enum { ANY_BYTE = 256, ANY_TEXT, NOTHING, SET };

/* Each '[' without a ']' costs a search of the whole text; after this number, '[' is an ordinary
 * byte. */
enum { UNCLOSED_MAX = 16 };

struct byte_set {
    uint64_t bits[4];
};

struct pattern {
    uint32_t *elements;
    size_t n, allocated;
    struct byte_set *sets;
    size_t n_sets, sets_allocated;
    size_t least; /* least bytes of a match */
};

bool pattern_has_wildcards(const char *text)
{
    return strpbrk(text, "*?[\\") != NULL;
}

static void set_add(struct byte_set *set, unsigned char byte)
{
    set->bits[byte >> 6] |= (uint64_t)1 << (byte & 63);
}

static bool set_has(const struct byte_set *set, unsigned char byte)
{
    return (set->bits[byte >> 6] >> (byte & 63)) & 1;
}

/* Adds a class such as [:alpha:]; `at` is after its "[:". Returns the following text, or NULL. */
static const char *add_class(struct byte_set *set, const char *at)
{
    static const struct {
        const char *name;
        int (*has)(int);
    } classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum},
                   {"upper", isupper}, {"lower", islower}, {"space", isspace},
                   {"blank", isblank}, {"punct", ispunct}, {"print", isprint},
                   {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t length = strlen(classes[i].name);

        if (strncmp(at, classes[i].name, length) || strncmp(at + length, ":]", 2))
            continue;
        for (int byte = 0; byte < 128; byte++)
            if (classes[i].has(byte))
                set_add(set, (unsigned char)byte);
        return at + length + 2;
    }
    return NULL;
}

/* One byte of a bracket expression, possibly escaped by a backslash; NULL at the end of the
 * text. */
static const char *bracket_byte(const char *at, unsigned char *byte)
{
    if (*at == '\\' && at[1])
        at++;
    *byte = (unsigned char)*at;
    return *at ? at + 1 : NULL;
}

/* Reads a set after its '['. Returns the text after its ']', or NULL: not a set. */
static const char *read_set(const char *at, struct byte_set *set)
{
    bool negated = *at == '!' || *at == '^', first = true;

    *set = (struct byte_set){0};
    at += negated;
    for (; first || *at != ']'; first = false) {
        unsigned char from, to;
        const char *behind = strncmp(at, "[:", 2) ? NULL : add_class(set, at + 2);

        if (behind) {
            at = behind;
            continue;
        }
        at = bracket_byte(at, &from);
        if (!at)
            return NULL;
        to = from;
        if (*at == '-' && at[1] && at[1] != ']') {
            at = bracket_byte(at + 1, &to);
            if (!at)
                return NULL;
        }
        for (int byte = from; byte <= to; byte++)
            set_add(set, (unsigned char)byte);
    }
    for (int i = 0; negated && i < 4; i++)
        set->bits[i] = ~set->bits[i];
    return at + 1;
}

static void add_element(struct pattern *pattern, uint32_t element)
{
    if (element == ANY_TEXT && pattern->n && pattern->elements[pattern->n - 1] == ANY_TEXT)
        return;
    pattern->least += element != ANY_TEXT;
    MEMORY_GROW(pattern->elements, pattern->allocated, pattern->n + 1);
    pattern->elements[pattern->n++] = element;
}

static const char *add_set(struct pattern *pattern, const char *at, int *unclosed)
{
    struct byte_set set;
    const char *behind = *unclosed == UNCLOSED_MAX ? NULL : read_set(at, &set);

    if (!behind) { /* as in fnmatch(): an ordinary byte */
        *unclosed += *unclosed < UNCLOSED_MAX;
        add_element(pattern, '[');
        return at;
    }
    MEMORY_GROW(pattern->sets, pattern->sets_allocated, pattern->n_sets + 1);
    pattern->sets[pattern->n_sets] = set;
    add_element(pattern, (uint32_t)(SET + pattern->n_sets++));
    return behind;
}

struct pattern *pattern_create(const char *text)
{
    struct pattern *pattern = memory_new(1, sizeof *pattern);
    int unclosed = 0;

    while (*text) {
        unsigned char byte = (unsigned char)*text++;

        if (byte == '*') {
            add_element(pattern, ANY_TEXT);
        } else if (byte == '?') {
            add_element(pattern, ANY_BYTE);
        } else if (byte == '[') {
            text = add_set(pattern, text, &unclosed);
        } else if (byte == '\\') {
            add_element(pattern, *text ? (unsigned char)*text : NOTHING);
            text += *text != '\0';
        } else {
            add_element(pattern, byte);
        }
    }
    return pattern;
}

void pattern_destroy(struct pattern *pattern)
{
    if (!pattern)
        return;
    free(pattern->elements);
    free(pattern->sets);
    free(pattern);
}

static bool element_matches(const struct pattern *pattern, uint32_t element, unsigned char byte)
{
    if (element < 256)
        return element == byte;
    if (element >= SET)
        return set_has(&pattern->sets[element - SET], byte);
    return element == ANY_BYTE;
}

bool pattern_matches(const struct pattern *pattern, const char *text)
{
    size_t at = 0, star = pattern->n; /* the last ANY_TEXT passed; initially none */
    const char *resume = NULL;        /* the current end of its text */

    if (strnlen(text, pattern->least) < pattern->least)
        return false;
    while (*text) {
        if (at < pattern->n && pattern->elements[at] == ANY_TEXT) {
            star = at++;
            resume = text;
        } else if (at < pattern->n &&
                   element_matches(pattern, pattern->elements[at], (unsigned char)*text)) {
            at++;
            text++;
        } else if (resume) {
            at = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (at < pattern->n && pattern->elements[at] == ANY_TEXT)
        at++;
    return at == pattern->n;
}
