#include "daemon/troubles.h"

#include <stdlib.h>

#include "util/memory.h"

static struct host_trouble *find(const struct troubles *troubles, int32_t host)
{
    for (size_t i = 0; i < troubles->n; i++)
        if (troubles->items[i].host == host)
            return &troubles->items[i];
    return NULL;
}

static struct host_trouble *add(struct troubles *troubles, int32_t host, int32_t vm, int64_t now)
{
    troubles->items = memory_grow(troubles->items, &troubles->allocated, troubles->n + 1,
                                  sizeof *troubles->items);
    troubles->items[troubles->n] = (struct host_trouble){.host = host, .vm = vm, .at = now};
    return &troubles->items[troubles->n++];
}

/* Another one may be left alone. */
static bool may_be_left(const struct troubles *troubles, int64_t now)
{
    size_t n = 1;

    for (size_t i = 0; i < troubles->n; i++)
        n += troubles->items[i].until > now;
    return troubles->hosts == 0 || n * 2 <= troubles->hosts;
}

bool troubles_note(struct troubles *troubles, int32_t host, int32_t vm, int64_t now)
{
    struct host_trouble *trouble = find(troubles, host);
    bool another;

    if (host < 0)
        return false;
    if (!trouble) {
        add(troubles, host, vm, now);
        return false;
    }
    another = trouble->vm != vm && now - trouble->at <= TROUBLE_SECONDS && trouble->until <= now &&
              may_be_left(troubles, now);
    trouble->vm = vm;
    trouble->at = now;
    if (another)
        trouble->until = now + TROUBLE_SECONDS;
    return another;
}

bool troubles_stuck(struct troubles *troubles, int32_t host, int64_t now)
{
    struct host_trouble *trouble = find(troubles, host);
    bool left = trouble && trouble->until > now;

    if (host < 0 || (!left && !may_be_left(troubles, now)))
        return false;
    if (!trouble)
        trouble = add(troubles, host, -1, now);
    trouble->at = now;
    trouble->until = now + TROUBLE_SECONDS;
    return !left;
}

bool troubles_clear(struct troubles *troubles, int32_t host)
{
    struct host_trouble *trouble = find(troubles, host);
    bool left_alone = trouble && trouble->until > 0;

    if (trouble)
        *trouble = troubles->items[--troubles->n];
    return left_alone;
}

bool troubles_expire(struct troubles *troubles, int64_t now)
{
    bool expired = false;

    for (size_t i = troubles->n; i-- > 0;) {
        struct host_trouble *trouble = &troubles->items[i];

        if (now - trouble->at <= TROUBLE_SECONDS || trouble->until > now)
            continue;
        expired = expired || trouble->until > 0;
        *trouble = troubles->items[--troubles->n];
    }
    return expired;
}

bool troubles_has(const struct troubles *troubles, int32_t host, int64_t now)
{
    const struct host_trouble *trouble = find(troubles, host);

    return trouble && trouble->until > now;
}

void troubles_finish(struct troubles *troubles)
{
    free(troubles->items);
    *troubles = (struct troubles){0};
}

void troubles_move(struct troubles *troubles, int64_t by)
{
    for (size_t i = 0; i < troubles->n; i++) {
        troubles->items[i].at += by;
        if (troubles->items[i].until > 0)
            troubles->items[i].until += by;
    }
}
