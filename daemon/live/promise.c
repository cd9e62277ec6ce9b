/* Writes, signs and reads promises. */
#include "daemon/live/promise.h"

#include <errno.h>
#include <inttypes.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/append.h"
#include "util/words.h"

#define VERSION "v1:"
#define OVER    "over"

enum {
    ESCAPED_MAX = 3 * STORE_GROUP_MAX,
    BASE = 10,
    BASE_OF_ESCAPES = 16,
};

/* The numbers of a promise, in the order in which they are written. */
enum field {
    FIELD_ZONE,
    FIELD_VM,
    FIELD_LEASE,
    FIELD_PLAIN,
    FIELD_LATE,
    FIELD_RELATIVE,
    FIELD_SUBMIT,
    FIELD_START,
    FIELD_EARLIEST,
    FIELD_DEADLINE,
    FIELD_DURATION,
    FIELD_GROUP_SIZE,
    FIELD_SUSPENDED,
    FIELD_SEQUENCE,
    FIELD_RAN_FOR,
    FIELDS
};

static void numbers_of(const struct promise *promise, int64_t numbers[FIELDS])
{
    const struct lease_record *terms = &promise->terms;

    numbers[FIELD_ZONE] = promise->zone;
    numbers[FIELD_VM] = promise->vm;
    numbers[FIELD_LEASE] = promise->lease;
    numbers[FIELD_PLAIN] = terms->plain;
    numbers[FIELD_LATE] = terms->late;
    numbers[FIELD_RELATIVE] = terms->relative;
    numbers[FIELD_SUBMIT] = terms->submit;
    numbers[FIELD_START] = terms->start;
    numbers[FIELD_EARLIEST] = terms->earliest;
    numbers[FIELD_DEADLINE] = terms->deadline;
    numbers[FIELD_DURATION] = terms->duration;
    numbers[FIELD_GROUP_SIZE] = terms->group_size;
    numbers[FIELD_SUSPENDED] = promise->suspended;
    numbers[FIELD_SEQUENCE] = promise->sequence;
    numbers[FIELD_RAN_FOR] = promise->ran_for;
}

static void take_numbers(const int64_t numbers[FIELDS], struct promise *promise)
{
    struct lease_record *terms = &promise->terms;

    promise->zone = (int32_t)numbers[FIELD_ZONE];
    promise->vm = (int32_t)numbers[FIELD_VM];
    promise->lease = numbers[FIELD_LEASE];
    terms->plain = numbers[FIELD_PLAIN] != 0;
    terms->late = numbers[FIELD_LATE] != 0;
    terms->relative = (uint32_t)numbers[FIELD_RELATIVE];
    terms->submit = numbers[FIELD_SUBMIT];
    terms->start = numbers[FIELD_START];
    terms->earliest = numbers[FIELD_EARLIEST];
    terms->deadline = numbers[FIELD_DEADLINE];
    terms->duration = numbers[FIELD_DURATION];
    terms->group_size = (uint32_t)numbers[FIELD_GROUP_SIZE];
    promise->suspended = numbers[FIELD_SUSPENDED] != 0;
    promise->sequence = (int32_t)numbers[FIELD_SEQUENCE];
    promise->ran_for = numbers[FIELD_RAN_FOR];
}

/* "v1:", "v27:"; 0: the text does not begin with a version. */
static size_t version_length(const char *text)
{
    size_t digits = text[0] == 'v' ? strspn(text + 1, "0123456789") : 0;

    return digits > 0 && text[1 + digits] == ':' ? digits + 2 : 0;
}

static bool is_signed(const char *text, const struct promise_key *key)
{
    size_t length = strlen(text), version = version_length(text);
    const char *colon = strrchr(text, ':');
    char signature[PROMISE_SIGNATURE_SIZE];

    if (length >= PROMISE_TEXT_MAX || !colon || strlen(colon + 1) != PROMISE_SIGNATURE_SIZE ||
        version == 0 || colon < text + version)
        return false;
    promise_key_sign(key, text, (size_t)(colon - text), signature);
    return memeql_sec(colon + 1, signature, PROMISE_SIGNATURE_SIZE) != 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool is_plain_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

/* Returns `escaped`. */
static const char *escape(const char *text, char escaped[ESCAPED_MAX])
{
    size_t n = 0;

    for (; *text && n + 3 < ESCAPED_MAX; text++) {
        if (is_plain_character(*text))
            escaped[n++] = *text;
        else
            n = append_text(escaped, ESCAPED_MAX, n, "%%%02x", (unsigned char)*text);
    }
    escaped[n] = '\0';
    return escaped;
}

/* Writes the terms that differ from those of a lease without terms: "priority=5;". Returns the
 * length. */
static size_t write_terms(const struct term_values *values, char *text, size_t size)
{
    char escaped[ESCAPED_MAX], value[TERM_TEXT_MAX], usual_value[TERM_TEXT_MAX];
    struct term_values usual;
    size_t n = 0;

    term_values_init(&usual);
    for (int i = 0; i < LEASE_TERM_COUNT; i++)
        if (strcmp(term_write(&lease_terms[i], values, value),
                   term_write(&lease_terms[i], &usual, usual_value)) != 0)
            n = append_text(text, size, n, "%s=%s;", lease_terms[i].name, escape(value, escaped));
    return n;
}

void promise_write(const struct promise *promise, const struct promise_key *key,
                   char text[PROMISE_TEXT_MAX])
{
    char escaped[ESCAPED_MAX];
    int64_t numbers[FIELDS];
    size_t n;

    numbers_of(promise, numbers);
    n = append_text(text, PROMISE_TEXT_MAX, 0, VERSION "%" PRId64 ":%s;%s;", promise->number,
                    promise->over ? OVER : lease_kind_words[promise->terms.kind],
                    promise->over ? "" : escape(promise->terms.group, escaped));
    for (int i = 0; i < FIELDS; i++)
        n = append_text(text, PROMISE_TEXT_MAX, n, "%" PRId64 "%c", numbers[i],
                        i < FIELDS - 1 ? ',' : ';');
    if (!promise->over)
        n += write_terms(&promise->terms.term_values, text + n, PROMISE_TEXT_MAX - n);
    text[n] = ':';
    promise_key_sign(key, text, n, text + n + 1);
    text[n + 1 + PROMISE_SIGNATURE_SIZE] = '\0';
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads a whole number followed by `end`; *text continues after `end`. */
static bool read_number(const char **text, char end, int64_t *number)
{
    char *rest;

    errno = 0;
    *number = strtoll(*text, &rest, BASE);
    if (errno || rest == *text || *rest != end)
        return false;
    *text = rest + 1;
    return true;
}

/* Reads the text before `end` and decodes escapes; *text continues after `end`. */
static bool read_word(const char **text, char end, char *word, size_t size)
{
    size_t n = 0;
    const char *at = *text;

    for (; *at && *at != end; at++) {
        char hex[3] = "";

        if (n + 1 >= size)
            return false;
        if (*at != '%') {
            word[n++] = *at;
            continue;
        }
        if (!at[1] || !at[2])
            return false;
        memcpy(hex, at + 1, 2);
        word[n++] = (char)strtoul(hex, NULL, BASE_OF_ESCAPES);
        at += 2;
    }
    word[n] = '\0';
    *text = *at ? at + 1 : at;
    return *at == end;
}

static bool read_kind(const char **text, struct promise *promise)
{
    char word[STORE_GROUP_MAX];
    int kind;

    if (!read_word(text, ';', word, sizeof word))
        return false;
    promise->over = strcmp(word, OVER) == 0;
    kind = words_find(lease_kind_words, LEASE_KINDS, word);
    if (kind >= 0)
        promise->terms.kind = (enum lease_kind)kind;
    return kind >= 0 || promise->over;
}

static bool read_term(const char **text, struct term_values *values)
{
    char name[TERM_TEXT_MAX], value[TERM_TEXT_MAX], expected[TERM_EXPECTED_MAX];
    const struct lease_term *term;

    if (!read_word(text, '=', name, sizeof name) || !read_word(text, ';', value, sizeof value))
        return false;
    term = lease_term_find(name);
    return term && term_read(term, value, values, expected) == 0;
}

/* The signed text after its version. */
static bool read_body(const char *text, struct promise *promise)
{
    struct lease_record *terms = &promise->terms;
    int64_t numbers[FIELDS];

    if (!read_number(&text, ':', &promise->number) || !read_kind(&text, promise) ||
        !read_word(&text, ';', promise->group, sizeof promise->group))
        return false;
    terms->group = promise->group;
    for (int i = 0; i < FIELDS; i++)
        if (!read_number(&text, i < FIELDS - 1 ? ',' : ';', &numbers[i]))
            return false;
    take_numbers(numbers, promise);
    term_values_init(&terms->term_values);
    while (*text)
        if (!read_term(&text, &terms->term_values))
            return false;
    return promise->number > 0 && promise->lease >= 0 && promise->vm >= 0;
}

enum promise_verdict promise_read(const char *text, const struct promise_key *key, int32_t zone,
                                  int32_t vm, struct promise *promise)
{
    char body[PROMISE_TEXT_MAX];

    if (!text || !*text)
        return PROMISE_NONE;
    if (!is_signed(text, key))
        return PROMISE_NOT_SIGNED;
    if (strncmp(text, VERSION, strlen(VERSION)) != 0)
        return PROMISE_UNREADABLE;
    snprintf(body, sizeof body, "%s", text + strlen(VERSION));
    *strrchr(body, ':') = '\0';
    *promise = (struct promise){0};
    if (!read_body(body, promise))
        return PROMISE_UNREADABLE;
    return promise->zone == zone && promise->vm == vm ? PROMISE_VALID : PROMISE_COPIED;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t n)
{
    static const uint64_t fnv_prime = 1099511628211U;
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++)
        digest = (digest ^ byte[i]) * fnv_prime;
    return digest;
}

int64_t promise_digest(const struct promise *promise)
{
    const struct lease_record *terms = &promise->terms;
    uint64_t digest = 14695981039346656037U; /* FNV-1a */
    int64_t numbers[FIELDS] = {0};

    if (promise->over)
        return 0;
    numbers_of(promise, numbers);
    digest = mix(digest, numbers, sizeof numbers);
    digest = mix(digest, &terms->kind, sizeof terms->kind);
    digest = mix(digest, terms->group, strlen(terms->group) + 1);
    for (int i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];

        if (term->type == TERM_TEXT) {
            const char *text = term_word(term, &terms->term_values);

            digest = mix(digest, text, strlen(text) + 1);
        } else {
            int64_t number = term_number(term, &terms->term_values);

            digest = mix(digest, &number, sizeof number);
        }
    }
    return digest ? (int64_t)digest : 1;
}

int64_t promise_stamp(int64_t number, int64_t digest)
{
    return digest == number ? number : digest ^ number;
}

const char *promise_verdict_text(enum promise_verdict verdict)
{
    static const char *const texts[] = {
        [PROMISE_VALID] = "is valid",
        [PROMISE_NONE] = "was removed",
        [PROMISE_NOT_SIGNED] = "is not signed with this site's key",
        [PROMISE_COPIED] = "was copied from another VM",
        [PROMISE_UNREADABLE] = "was written by another version of Galerna",
    };

    return texts[verdict];
}
