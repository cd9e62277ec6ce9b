/* Parses time spans like mxDateTime, the parser of Haizea 1.0: the first substring that resembles a
 * span counts, any surrounding text is ignored, and there are no errors. */
#include <math.h>
#include <string.h>

#include "lwf/values.h"

struct site_scan {
    const char *at, *end;
};

static bool is_digit(const struct site_scan *scan)
{
    return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

static bool take_number(struct site_scan *scan, double *value)
{
    double unit = 1;

    if (!is_digit(scan))
        return false;
    for (*value = 0; is_digit(scan); scan->at++)
        *value = *value * 10 + (*scan->at - '0');
    if (scan->end - scan->at >= 2 && (*scan->at == '.' || *scan->at == ',') && scan->at[1] >= '0' &&
        scan->at[1] <= '9')
        for (scan->at++; is_digit(scan); scan->at++)
            *value += (*scan->at - '0') * (unit /= 10);
    return true;
}

/* Parses up to `most` numbers separated by colons. Returns how many were found. */
static int take_clock(struct site_scan *scan, int most, double parts[])
{
    int n = 0;

    while (n < most && take_number(scan, &parts[n])) {
        n++;
        if (scan->at == scan->end || *scan->at != ':')
            break;
        scan->at++;
    }
    return n;
}

/* Parses a number and a word that begins with `letter`: "2 days, ". */
static bool take_worded(struct site_scan *scan, char letter, double *value)
{
    struct site_scan ahead = *scan;

    if (!take_number(&ahead, value))
        return false;
    while (ahead.at < ahead.end && *ahead.at == ' ')
        ahead.at++;
    if (ahead.at == ahead.end || *ahead.at != letter)
        return false;
    while (ahead.at < ahead.end && *ahead.at >= 'a' && *ahead.at <= 'z')
        ahead.at++;
    while (ahead.at < ahead.end && (*ahead.at == ',' || *ahead.at == ';' || *ahead.at == ' '))
        ahead.at++;
    *scan = ahead;
    return true;
}

/* Finds the days, hours, minutes and seconds of the first span, or sets all to 0. */
static void find_span(const char *text, const char *end, double span[4])
{
    static const char letters[4] = {'d', 'h', 'm', 's'};
    struct site_scan scan;

    for (const char *p = text; p < end; p++) {
        scan = (struct site_scan){p, end};
        if (take_clock(&scan, 4, span) == 4)
            return;
    }
    memset(span, 0, 4 * sizeof *span);
    for (const char *p = text; p < end; p++) {
        double parts[3];
        int n;

        scan = (struct site_scan){p, end};
        if (!take_worded(&scan, 'd', &span[0]))
            span[0] = 0;
        n = take_clock(&scan, 3, parts);
        if (n < 2) {
            span[0] = 0;
            continue;
        }
        for (int i = 0; i < 3; i++)
            span[1 + i] = i < n ? parts[i] : 0;
        return;
    }
    scan = (struct site_scan){text, end};
    if (scan.at < scan.end && (*scan.at == '+' || *scan.at == '-'))
        scan.at++;
    for (int i = 0; i < 4; i++)
        if (!take_worded(&scan, letters[i], &span[i]))
            span[i] = 0;
}

int64_t value_parse_delta_haizea(const char *text, const char *end)
{
    double span[4] = {0}, seconds;

    find_span(text, end, span);
    seconds = floor(span[0] * 86400 + span[1] * 3600 + span[2] * 60 + span[3] + 0.5);
    return seconds < (double)TRACE_TIME_MAX ? (int64_t)seconds : TRACE_TIME_MAX;
}
