#include "daemon/live/quarantine.h"

#include <stdlib.h>

#include "util/instant.h"
#include "util/memory.h"

static struct host_trouble *find(const struct quarantine *quarantine, int32_t host)
{
    for (size_t i = 0; i < quarantine->n; i++)
        if (quarantine->items[i].host == host)
            return &quarantine->items[i];
    return NULL;
}

static struct host_trouble *add(struct quarantine *quarantine, int32_t host, int32_t vm,
                                int64_t now)
{
    quarantine->items = memory_grow(quarantine->items, &quarantine->allocated, quarantine->n + 1,
                                    sizeof *quarantine->items);
    quarantine->items[quarantine->n] = (struct host_trouble){.host = host, .vm = vm, .at = now};
    return &quarantine->items[quarantine->n++];
}

/* May one more host be quarantined? At most half of them may. */
static bool may_be_left(const struct quarantine *quarantine, int64_t now)
{
    size_t n = 1;

    for (size_t i = 0; i < quarantine->n; i++)
        n += quarantine->items[i].until > now;
    return quarantine->hosts == 0 || n * 2 <= quarantine->hosts;
}

bool quarantine_note(struct quarantine *quarantine, int32_t host, int32_t vm, int64_t now)
{
    struct host_trouble *trouble = find(quarantine, host);
    bool another;

    if (host < 0)
        return false;
    if (!trouble) {
        add(quarantine, host, vm, now);
        return false;
    }
    another = trouble->vm != vm && now - trouble->at <= QUARANTINE_SECONDS &&
              trouble->until <= now && may_be_left(quarantine, now);
    trouble->vm = vm;
    trouble->at = now;
    if (another)
        trouble->until = now + QUARANTINE_SECONDS;
    return another;
}

bool quarantine_stuck(struct quarantine *quarantine, int32_t host, int64_t now)
{
    struct host_trouble *trouble = find(quarantine, host);
    bool left = trouble && trouble->until > now;

    if (host < 0 || (!left && !may_be_left(quarantine, now)))
        return false;
    if (!trouble)
        trouble = add(quarantine, host, -1, now);
    trouble->at = now;
    trouble->until = now + QUARANTINE_SECONDS;
    return !left;
}

bool quarantine_clear(struct quarantine *quarantine, int32_t host)
{
    struct host_trouble *trouble = find(quarantine, host);
    bool left_alone = trouble && trouble->until > 0;

    if (trouble)
        *trouble = quarantine->items[--quarantine->n];
    return left_alone;
}

bool quarantine_expire(struct quarantine *quarantine, int64_t now)
{
    bool expired = false;

    for (size_t i = quarantine->n; i-- > 0;) {
        struct host_trouble *trouble = &quarantine->items[i];

        if (now - trouble->at <= QUARANTINE_SECONDS || trouble->until > now)
            continue;
        expired = expired || trouble->until > 0;
        *trouble = quarantine->items[--quarantine->n];
    }
    return expired;
}

int64_t quarantine_until(const struct quarantine *quarantine, int32_t host, int64_t now)
{
    const struct host_trouble *trouble = find(quarantine, host);

    return trouble && trouble->until > now ? trouble->until : INSTANT_NONE;
}

bool quarantine_has(const struct quarantine *quarantine, int32_t host, int64_t now)
{
    return quarantine_until(quarantine, host, now) != INSTANT_NONE;
}

void quarantine_finish(struct quarantine *quarantine)
{
    free(quarantine->items);
    *quarantine = (struct quarantine){0};
}

void quarantine_move(struct quarantine *quarantine, int64_t by)
{
    for (size_t i = 0; i < quarantine->n; i++) {
        quarantine->items[i].at += by;
        if (quarantine->items[i].until > 0)
            quarantine->items[i].until += by;
    }
}
