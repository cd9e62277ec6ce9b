/* Makes texts from outside safe to display. */
#include "util/printable.h"

#include <stdint.h>
#include <string.h>

size_t control_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    if (*at == '\0')
        return 0;
    if (*at < ' ' || *at == 0x7f)
        return 1;
    if ((at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c))
        return 2;
    if (at[0] != 0xe2)
        return 0;
    if (at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae)))
        return 3;
    return at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9 ? 3 : 0;
}

void mask_controls(char *text, char mask)
{
    char *to = text;

    while (*text) {
        size_t control = control_length(text), length = 1;

        if ((unsigned char)*text >= 0x80 && !control)
            length = utf8_length(text, SIZE_MAX);
        if (control || !length)
            *to++ = mask;
        else
            to = (char *)memmove(to, text, length) + length;
        text += control ? control : length ? length : 1;
    }
    *to = '\0';
}

static char shown_as(char c)
{
    if (c == '\t' || c == '\n' || c == '\r')
        return ' ';
    if (c == '"') /* a message travels between double quotes */
        return '\'';
    return c >= ' ' && c <= '~' ? c : '?';
}

void mark_cut(char *text, size_t size)
{
    static const char mark[] = "...";
    size_t end = size - sizeof mark, word = end;

    if (strlen(text) + 1 < size)
        return;
    while (word > end / 2 && text[word - 1] != ' ')
        word--;
    memcpy(text + (word > end / 2 ? word : end), mark, sizeof mark);
}

char *printable_part(char *shown, size_t size, const char *text, size_t length)
{
    size_t n = 0;

    while (n < length && n + 1 < size && text[n] != '\0') {
        shown[n] = shown_as(text[n]);
        n++;
    }
    shown[n] = '\0';
    if (n < length && text[n] != '\0')
        memcpy(shown + n - 3, "...", 3);
    return shown;
}

char *printable(char *shown, size_t size, const char *text)
{
    return printable_part(shown, size, text ? text : "", text ? strnlen(text, size) : 0);
}

size_t utf8_length(const void *bytes, size_t n)
{
    static const struct {
        unsigned char first, last, second_first, second_last;
        size_t length;
    } forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    const unsigned char *text = bytes;

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (n < forms[i].length || text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (text[1] < forms[i].second_first || text[1] > forms[i].second_last)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xC0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

bool utf8_is_valid(const void *bytes, size_t n)
{
    const unsigned char *text = bytes;

    for (size_t i = 0; i < n;) {
        size_t length = text[i] < 0x80 ? 1 : utf8_length(text + i, n - i);

        if (length == 0)
            return false;
        i += length;
    }
    return true;
}
