/* The hosts on which a VM has run. */
#include "daemon/store/stays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/append.h"
#include "util/instant.h"

size_t stays_read(const char *text, struct stay stays[STAYS_MAX])
{
    size_t n = 0;

    for (int length = 0; n < STAYS_MAX; text += length, n++) {
        struct stay *stay = &stays[n];

        if (sscanf(text, " %" SCNd32 " %" SCNd64 " %" SCNd64 "%n", &stay->host, &stay->from,
                   &stay->until, &length) == 3)
            continue;
        stay->until = INSTANT_NONE;
        return n + (sscanf(text, " %" SCNd32 " %" SCNd64, &stay->host, &stay->from) == 2);
    }
    return n;
}

void stays_write(const struct stay *stays, size_t n, char text[STORE_STAYS_MAX])
{
    size_t length = 0;

    *text = '\0';
    for (size_t i = 0; i < n; i++) {
        const struct stay *stay = &stays[i];

        length = append_text(text, STORE_STAYS_MAX, length, "%s%" PRId32 " %" PRId64, i ? " " : "",
                             stay->host, stay->from);
        if (stay->until != INSTANT_NONE)
            length = append_text(text, STORE_STAYS_MAX, length, " %" PRId64, stay->until);
    }
}

/* The first stay has a third number. */
bool stays_have_ended(const char *text)
{
    const char *second = strchr(text, ' ');

    return second && strchr(second + 1, ' ');
}

struct stay *stays_open(struct stay *stays, size_t n)
{
    return n > 0 && stays[n - 1].until == INSTANT_NONE ? &stays[n - 1] : NULL;
}

size_t stays_begin(struct stay stays[STAYS_MAX], size_t n, int32_t host, int64_t from)
{
    struct stay *open = stays_open(stays, n);

    if (open && open->host == host)
        return n;
    if (open)
        open->until = instant_later(open->from, from);
    if (n == STAYS_MAX)
        memmove(stays, stays + 1, --n * sizeof *stays);
    stays[n] = (struct stay){host, from, INSTANT_NONE};
    return n + 1;
}
