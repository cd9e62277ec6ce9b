/* Keeps the hosts that operators empty. */
#include "daemon/live/drains.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/memory.h"

static const char fact[] = "drains";

enum { DRAIN_TEXT = 64 /* characters of one drain: a host, two times */ };

/* The value is "HOST FROM UNTIL;" for each. */
void drains_load(struct drains *drains, const struct store *store)
{
    const char *text = store_fact(store, fact);
    struct drain drain;
    int length;

    for (; text && sscanf(text, "%" SCNd32 " %" SCNd64 " %" SCNd64 ";%n", &drain.host, &drain.from,
                          &drain.until, &length) == 3;
         text += length)
        if (drain.host >= 0 && drain.from < drain.until)
            drains_put(drains, &drain);
}

void drains_save(const struct drains *drains, struct store *store)
{
    size_t size = drains->n * DRAIN_TEXT + 1, length = 0;
    char *text = memory_new(size, 1);

    for (size_t i = 0; i < drains->n; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%" PRId32 " %" PRId64 " %" PRId64 ";",
                             drains->items[i].host, drains->items[i].from, drains->items[i].until);
    store_set_fact(store, fact, length ? text : NULL);
    free(text);
}

const struct drain *drains_of(const struct drains *drains, int32_t host)
{
    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].host == host)
            return &drains->items[i];
    return NULL;
}

size_t drains_count(const struct drains *drains, int32_t host)
{
    size_t n = 0;

    for (size_t i = 0; i < drains->n; i++)
        n += drains->items[i].host == host;
    return n;
}

static bool holds(const struct drain *drain, int64_t at)
{
    return drain->from <= at && at < drain->until;
}

static void take_out(struct drains *drains, size_t i)
{
    drains->n--;
    memmove(&drains->items[i], &drains->items[i + 1], (drains->n - i) * sizeof *drains->items);
}

void drains_put(struct drains *drains, const struct drain *drain)
{
    size_t place = 0;

    for (size_t i = drains->n; i-- > 0;)
        if (drains->items[i].host == drain->host && drains->items[i].from < drain->until &&
            drain->from < drains->items[i].until)
            take_out(drains, i);
    drains->items =
        memory_grow(drains->items, &drains->allocated, drains->n + 1, sizeof *drains->items);
    while (place < drains->n && drains->items[place].from <= drain->from)
        place++;
    memmove(&drains->items[place + 1], &drains->items[place],
            (drains->n - place) * sizeof *drains->items);
    drains->items[place] = *drain;
    drains->n++;
}

bool drains_remove(struct drains *drains, int32_t host, int64_t at)
{
    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].host == host && (at == INSTANT_NONE || holds(&drains->items[i], at))) {
            take_out(drains, i);
            return true;
        }
    return false;
}

bool drains_expire(struct drains *drains, int64_t now)
{
    size_t before = drains->n;

    for (size_t i = drains->n; i-- > 0;)
        if (drains->items[i].until <= now)
            take_out(drains, i);
    return drains->n < before;
}

void drains_copy(struct drains *copy, const struct drains *drains)
{
    *copy = (struct drains){0};
    for (size_t i = 0; i < drains->n; i++)
        drains_put(copy, &drains->items[i]);
}

void drains_finish(struct drains *drains)
{
    free(drains->items);
    *drains = (struct drains){0};
}

bool drains_has(const struct drains *drains, int32_t host, int64_t now)
{
    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].host == host && holds(&drains->items[i], now))
            return true;
    return false;
}

int64_t drains_next_end(const struct drains *drains)
{
    int64_t next = INSTANT_NEVER;

    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].until < next)
            next = drains->items[i].until;
    return next;
}
