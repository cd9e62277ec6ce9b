/* Fills in the templates of sentences. */
#include "core/reason_fill.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/lease_terms.h"
#include "core/reason.h"
#include "util/append.h"
#include "util/count_text.h"
#include "util/decimal.h"
#include "util/time_text.h"

/* --- PCI devices: 17 bits each, the highest for "any" ----------------------------------------- */

enum { DEVICE_BITS = 17, DEVICE_ID_ANY = 1 << 16 };

static int64_t pack_id(uint32_t id)
{
    return id < DEVICE_ID_ANY ? id : DEVICE_ID_ANY;
}

int64_t reason_of_device(uint32_t vendor, uint32_t device, uint32_t class_id, bool more)
{
    return (((int64_t)more << DEVICE_BITS | pack_id(vendor)) << DEVICE_BITS | pack_id(device))
               << DEVICE_BITS |
           pack_id(class_id);
}

static void format_device(int64_t packed, char *text, size_t size)
{
    static const char *const names[] = {"class", "device", "vendor"};
    size_t length = 0;

    text[0] = '\0';
    for (int i = 2; i >= 0; i--) {
        int64_t id = packed >> (i * DEVICE_BITS) & ((1 << DEVICE_BITS) - 1);

        if (id < DEVICE_ID_ANY)
            length = append_text(text, size, length, "%s%s %04x", length ? ", " : "", names[i],
                                 (unsigned)id);
    }
    if (packed >> (3 * DEVICE_BITS))
        append_text(text, size, length, "%s", length ? ", as named" : "as named");
}

/* --- templates -------------------------------------------------------------------------------- */

size_t reason_fill_numbers(const char *template)
{
    size_t n = 0;

    for (const char *s = template; (s = strchr(s, '%')); s++)
        n += *++s == 'k' ? 2 : !strchr("sab%", *s);
    return n;
}

struct filling {
    char *buffer;
    size_t size, length;
};

static void put(struct filling *filling, const char *text, size_t length)
{
    size_t left = filling->size - filling->length;

    if (filling->size == 0)
        return;
    length = length < left ? length : left - 1;
    memcpy(filling->buffer + filling->length, text, length);
    filling->length += length;
}

static void put_text(struct filling *filling, char code, const char *text)
{
    bool as_it_is = code == 's' || !text || !*text || strchr(" :", *text);

    if (!as_it_is)
        put(filling, code == 'a' ? ": " : " (", 2);
    if (text)
        put(filling, text, strlen(text));
    if (!as_it_is && code == 'b')
        put(filling, ")", 1);
}

/* rest: of the template; returns how much of it is said. */
static size_t put_count(struct filling *filling, const int64_t *n, const char *rest)
{
    size_t length = strcspn(rest, " ") + 1;
    char verb[8], counted[40];

    snprintf(verb, sizeof verb, "%.*s", (int)length, rest);
    count_text(counted, sizeof counted, (size_t)n[0], (size_t)n[1], verb);
    put(filling, counted, strlen(counted));
    return length;
}

static void put_number(struct filling *filling, char code, int64_t n,
                       void (*time_text)(int64_t instant, char *text, size_t size))
{
    char piece[64] = "";

    if (code == 'n')
        snprintf(piece, sizeof piece, "%" PRId64, n);
    else if (code == 'v')
        snprintf(piece, sizeof piece, "%" PRId64 " VM%s", n, n == 1 ? "" : "s");
    else if (code == 'p')
        format_device(n, piece, sizeof piece);
    else if (code == 'c')
        snprintf(piece, sizeof piece, "%" PRId64 ".%02" PRId64, n / 100, n % 100);
    else if (code == 'd')
        time_text_span(n, piece, sizeof piece);
    else if (code == 'e')
        time_text_exact(n, piece, sizeof piece);
    else if (code == 'm')
        decimal_write(n, PRIORITY_DECIMALS, piece);
    else if (code == 'w')
        snprintf(piece, sizeof piece, "at most %" PRId64 " %s allowed", n, n == 1 ? "is" : "are");
    else if (code == 't')
        time_text(n, piece, sizeof piece);
    put(filling, piece, strlen(piece));
}

size_t reason_fill(const char *template, const int64_t *n, const char *text, char *buffer,
                   size_t size, void (*time_text)(int64_t instant, char *text, size_t size))
{
    struct filling filling = {buffer, size, 0};

    for (const char *s = template; *s; s++) {
        size_t plain = strcspn(s, "%");

        put(&filling, s, plain);
        s += plain;
        if (!*s)
            break;
        s++;
        if (*s == '%') {
            put(&filling, s, 1);
        } else if (strchr("sab", *s)) {
            put_text(&filling, *s, text);
        } else if (*s == 'k') {
            s += put_count(&filling, n, s + 1);
            n += 2;
        } else {
            put_number(&filling, *s, *n++, time_text);
        }
    }
    if (size)
        buffer[filling.length] = '\0';
    return filling.length;
}
