/* Parses and formats numbers and times of traces. */
#include "lwf/values.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void trim(const char **text, const char **end)
{
    while (*text < *end && is_blank(**text))
        (*text)++;
    while (*end > *text && is_blank((*end)[-1]))
        (*end)--;
}

/* Parses digits from *text on; false: no digit, or a number above max. */
static bool take_digits(const char **text, const char *end, int64_t max, int64_t *value)
{
    const char *p = *text;
    int64_t v = 0;

    while (p < end && *p >= '0' && *p <= '9') {
        v = v * 10 + (*p - '0');
        if (v > max)
            return false;
        p++;
    }
    if (p == *text)
        return false;
    *text = p;
    *value = v;
    return true;
}

bool value_parse_delta(const char *text, const char *end, int64_t *seconds)
{
    static const int64_t units[5][4] = {
        {0, 0, 0, 0}, {0, 0, 0, 0}, {3600, 60, 0, 0}, {3600, 60, 1, 0}, {86400, 3600, 60, 1}};
    int64_t parts[4], sum = 0;
    int n = 0;

    trim(&text, &end);
    for (;;) {
        if (!take_digits(&text, end, TRACE_TIME_MAX, &parts[n]))
            return false;
        n++;
        if (text == end || *text != ':' || n == 4)
            break;
        text++;
    }
    if (n < 2)
        return false;
    if (text < end && *text == '.' && n > 2) {
        int64_t first = 0;

        if (++text < end && *text >= '5' && *text <= '9')
            first = 1;
        while (text < end && *text >= '0' && *text <= '9')
            text++;
        sum = first;
    }
    if (text != end)
        return false;
    for (int i = 0; i < n; i++)
        sum += parts[i] * units[n][i];
    if (sum > TRACE_TIME_MAX)
        return false;
    *seconds = sum;
    return true;
}

bool value_parse_integer(const char *text, const char *end, int64_t max, int64_t *value)
{
    bool negative = false;

    trim(&text, &end);
    if (text < end && (*text == '-' || *text == '+'))
        negative = *text++ == '-';
    if (!take_digits(&text, end, max, value) || text != end)
        return false;
    if (negative)
        *value = -*value;
    return true;
}

void value_format_delta(int64_t seconds, char text[VALUE_DELTA_MAX])
{
    int64_t days = seconds / 86400;
    int hours = (int)(seconds / 3600 % 24);
    int minutes = (int)(seconds / 60 % 60);
    int rest = (int)(seconds % 60);

    if (days > 0)
        snprintf(text, VALUE_DELTA_MAX, "%" PRId64 ":%02d:%02d:%02d", days, hours, minutes, rest);
    else
        snprintf(text, VALUE_DELTA_MAX, "%02d:%02d:%02d", hours, minutes, rest);
}
