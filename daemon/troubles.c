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

bool troubles_note(struct troubles *troubles, int32_t host, int32_t vm, int64_t now)
{
    struct host_trouble *trouble = find(troubles, host);
    bool another;

    if (host < 0)
        return false;
    if (!trouble) {
        troubles->items = memory_grow(troubles->items, &troubles->allocated, troubles->n + 1,
                                      sizeof *troubles->items);
        troubles->items[troubles->n++] = (struct host_trouble){.host = host, .vm = vm, .at = now};
        return false;
    }
    another = trouble->vm != vm && now - trouble->at <= TROUBLE_SECONDS && trouble->until <= now;
    trouble->vm = vm;
    trouble->at = now;
    if (another)
        trouble->until = now + TROUBLE_SECONDS;
    return another;
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
