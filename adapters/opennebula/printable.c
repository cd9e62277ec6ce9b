/* Makes untrusted text safe to display. */
#include "adapters/opennebula/printable.h"

#include <string.h>

static char shown_as(char c)
{
    if (c == '\t' || c == '\n' || c == '\r')
        return ' ';
    if (c == '"') /* a message travels between double quotes */
        return '\'';
    return c >= ' ' && c <= '~' ? c : '?';
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
