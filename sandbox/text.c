/* A text that grows, and the pieces of XML documents. */
#include "sandbox/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void oned_text_finish(struct oned_text *text)
{
    free(text->bytes);
    *text = (struct oned_text){0};
}

void oned_text_add(struct oned_text *text, const char *bytes, size_t size)
{
    text->bytes = memory_grow(text->bytes, &text->allocated, text->size + size + 1, 1);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void oned_text_put(struct oned_text *text, const char *string)
{
    oned_text_add(text, string, strlen(string));
}

void oned_text_format(struct oned_text *text, const char *format, ...)
{
    char piece[512];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (size < 0)
        return;
    if ((size_t)size < sizeof piece) {
        oned_text_add(text, piece, (size_t)size);
        return;
    }
    text->bytes = memory_grow(text->bytes, &text->allocated, text->size + (size_t)size + 1, 1);
    va_start(args, format);
    vsnprintf(text->bytes + text->size, (size_t)size + 1, format, args);
    va_end(args);
    text->size += (size_t)size;
}

static void add_tag(struct oned_text *text, const char *open, const char *name)
{
    oned_text_put(text, open);
    oned_text_put(text, name);
    oned_text_add(text, ">", 1);
}

void oned_text_number(struct oned_text *text, const char *name, int64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, number);
    add_tag(text, "<", name);
    oned_text_put(text, digits);
    add_tag(text, "</", name);
}

void oned_text_element(struct oned_text *text, const char *name, const char *value)
{
    add_tag(text, "<", name);
    for (const char *c = value ? value : ""; *c; c++)
        switch (*c) {
        case '<':
            oned_text_put(text, "&lt;");
            break;
        case '>':
            oned_text_put(text, "&gt;");
            break;
        case '&':
            oned_text_put(text, "&amp;");
            break;
        default:
            oned_text_add(text, c, 1);
        }
    add_tag(text, "</", name);
}

void oned_text_cdata(struct oned_text *text, const char *name, const char *value)
{
    const char *end;

    add_tag(text, "<", name);
    oned_text_put(text, "<![CDATA[");
    for (value = value ? value : ""; (end = strstr(value, "]]>")); value = end + 2) {
        oned_text_add(text, value, (size_t)(end - value) + 2);
        oned_text_put(text, "]]><![CDATA[");
    }
    oned_text_put(text, value);
    oned_text_put(text, "]]>");
    add_tag(text, "</", name);
}

void oned_text_cdata_number(struct oned_text *text, const char *name, int64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, number);
    oned_text_cdata(text, name, digits);
}
