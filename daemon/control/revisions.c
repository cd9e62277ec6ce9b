/* Counts the changes of a list, and of each of its items. */
#include "daemon/control/revisions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { GONE_MAX = 4096 };

void revisions_init(struct revisions *revisions)
{
    *revisions = (struct revisions){.last = 1};
    map_init(&revisions->items, sizeof(struct revised));
    if (getrandom(&revisions->name, sizeof revisions->name, 0) < 0)
        revisions->name = (uint64_t)(uintptr_t)revisions;
}

void revisions_finish(struct revisions *revisions)
{
    map_finish(&revisions->items);
}

static uint64_t digest_of(const char *text, size_t length)
{
    uint64_t digest = UINT64_C(14695981039346656037), word = 0;

    for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 29;
    }
    word = 0;
    memcpy(&word, text, length);
    return (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15) + length;
}

void revisions_note(struct revisions *revisions, int64_t id, const char *shown, size_t length,
                    int64_t until)
{
    struct revised *item = map_value(&revisions->items, map_add(&revisions->items, id));
    uint64_t digest = digest_of(shown, length);

    item->until = until;
    if (item->revision && item->digest == digest && !item->gone)
        return;
    revisions->n_gone -= item->gone;
    item->gone = false;
    item->digest = digest;
    item->revision = ++revisions->last;
}

void revisions_drop(struct revisions *revisions, int64_t id)
{
    struct revised *item = map_value(&revisions->items, map_find(&revisions->items, id));

    if (!item || item->gone)
        return;
    item->gone = true;
    item->revision = ++revisions->last;
    revisions->n_gone++;
}

void revisions_tidy(struct revisions *revisions)
{
    if (revisions->n_gone <= GONE_MAX)
        return;
    for (uint32_t i = (uint32_t)revisions->items.n; i-- > 0;)
        if (((const struct revised *)map_value(&revisions->items, i))->gone)
            map_remove(&revisions->items, i);
    revisions->forgotten = revisions->last;
    revisions->n_gone = 0;
}

size_t revisions_count(const struct revisions *revisions)
{
    return revisions->items.n - revisions->n_gone;
}

bool revisions_changed(const struct revisions *revisions, int64_t id, uint64_t since)
{
    const struct revised *item = map_value(&revisions->items, map_find(&revisions->items, id));

    return item && item->revision > since;
}

bool revisions_read(const struct revisions *revisions, const char *text, uint64_t *since)
{
    uint64_t name;

    return sscanf(text, "%16" SCNx64 ".%" SCNu64, &name, since) == 2 && name == revisions->name &&
           *since >= revisions->forgotten && *since <= revisions->last;
}

void revisions_write(const struct revisions *revisions, char text[REVISION_TEXT_MAX])
{
    snprintf(text, REVISION_TEXT_MAX, "%016" PRIx64 ".%" PRIu64, revisions->name, revisions->last);
}
