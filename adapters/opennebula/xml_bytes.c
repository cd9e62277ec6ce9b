/* Recognizes, replaces and decodes bytes of XML. */
#include "adapters/opennebula/xml_bytes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static size_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    if (first >= 0xF0 && first <= 0xF4)
        return 4;
    return 0;
}

/* Plain characters, the most frequent ones, need no decoding. */
static bool is_plain(char c)
{
    return c >= 0x20 && c <= 0x7E;
}

size_t xml_character(const char *text, size_t length)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t n = sequence_length(bytes[0]);
    uint32_t code;

    if (n == 0 || n > length)
        return 0;
    if (n == 1)
        return bytes[0] >= 0x20 || bytes[0] == '\t' || bytes[0] == '\n' || bytes[0] == '\r';
    code = bytes[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3F);
    }
    if (code < smallest[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ||
        code == 0xFFFE || code == 0xFFFF)
        return 0;
    return n;
}

char *xml_bytes_mended(const char *text, size_t length)
{
    char *copy = NULL;
    size_t n;

    for (size_t i = 0; i < length; i += n ? n : 1) {
        n = is_plain(text[i]) ? 1 : xml_character(text + i, length - i);
        if (n > 0)
            continue;
        if (!copy) {
            copy = memory_new(length + 1, 1);
            memcpy(copy, text, length);
        }
        copy[i] = '?';
    }
    return copy;
}

/* The length of the reference at `text`, 0 if it is not one of the usual ones; *c is the
 * character. */
static size_t reference(const char *text, size_t length, char *c)
{
    if (length >= 4 && text[2] == 't' && text[3] == ';' && (text[1] == 'l' || text[1] == 'g')) {
        *c = text[1] == 'l' ? '<' : '>';
        return 4;
    }
    if (length >= 5 && memcmp(text, "&amp;", 5) == 0) {
        *c = '&';
        return 5;
    }
    return 0;
}

/* Copies a character other than '&' to *to. Its length, or 0: it needs an XML parser. */
static size_t copy_character(const char *text, size_t length, char *to)
{
    size_t n = *text == '<' || *text == '\r' ? 0 : xml_character(text, length);

    memcpy(to, text, n);
    return n;
}

/* Copies a character or a reference to *to. Its length, or 0: it needs an XML parser. */
static inline size_t decode_one(const char *text, size_t length, char **to)
{
    size_t n;

    if (*text == '&') {
        n = reference(text, length, *to);
        *to += n > 0;
    } else {
        n = copy_character(text, length, *to);
        *to += n;
    }
    return n;
}

enum { AT_ONCE = 16 };

/* The bytes of the next AT_ONCE that are not plain or begin markup: a bit for each. */
static unsigned marked(const char *text)
{
#ifdef __SSE2__
    const __m128i bytes = _mm_loadu_si128((const __m128i *)text);
    const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)); /* signed: also above 0x7F */
    const __m128i markup = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')),
                                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('<')));

    return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, markup));
#else
    unsigned marks = 0;

    for (int i = 0; i < AT_ONCE; i++)
        if (!is_plain(text[i]) || text[i] == '&' || text[i] == '<')
            marks |= 1u << i;
    return marks;
#endif
}

/* Decodes from *at to `end`. False: it needs an XML parser. */
static bool decode_rest(const char **at, const char *end, char **to)
{
    while (*at < end) {
        size_t n = decode_one(*at, (size_t)(end - *at), to);

        if (n == 0)
            return false;
        *at += n;
    }
    return true;
}

/* Decodes whole blocks, from *at on. Blocks begin at fixed distances, so that the processor looks
 * at the next one while it decodes this one. False: it needs an XML parser. */
static bool decode_blocks(const char **at, const char *end, char **to)
{
    for (const char *block = *at; end - block >= 2 * AT_ONCE; block += AT_ONCE) {
        for (unsigned marks = marked(block); marks; marks &= marks - 1) {
            const char *mark = block + __builtin_ctz(marks);
            size_t n;

            if (mark < *at) /* of a character that began before */
                continue;
            memcpy(*to, *at, AT_ONCE);
            *to += mark - *at;
            n = decode_one(mark, (size_t)(end - mark), to);
            if (n == 0)
                return false;
            *at = mark + n;
        }
        if (*at < block + AT_ONCE) {
            memcpy(*to, *at, AT_ONCE);
            *to += block + AT_ONCE - *at;
            *at = block + AT_ONCE;
        }
    }
    return true;
}

char *xml_text_decoded(const char *text, size_t length, size_t *decoded)
{
    const char *end = text + length;
    char *copy = memory_new(length + 1, 1), *to = copy;

    if (!decode_blocks(&text, end, &to) || !decode_rest(&text, end, &to)) {
        free(copy);
        return NULL;
    }
    *to = '\0';
    *decoded = (size_t)(to - copy);
    return copy;
}
