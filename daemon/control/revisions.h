/* revisions.h: finds the items of a list that have changed since a reader last saw it.
 *
 * The list has a revision, a growing number; each item has the revision of its last change. An item
 * has changed if the digest of its display differs. Readers receive a revision as a text, which no
 * other list or process accepts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

enum { REVISION_TEXT_MAX = 48 };

struct revised {
    uint64_t digest, revision;
    int64_t until; /* when the display may change by itself; INSTANT_NEVER: never */
    bool gone;
};

struct revisions {
    struct map items;         /* struct revised, by id */
    uint64_t last, forgotten; /* of the list; of the last gone item that was forgotten */
    size_t n_gone;
    uint64_t name; /* random */
};

void revisions_init(struct revisions *revisions);
void revisions_finish(struct revisions *revisions);

/* Note that an item is in the list, or no longer is. O(1). */
void revisions_note(struct revisions *revisions, int64_t id, const char *shown, size_t length,
                    int64_t until);
void revisions_drop(struct revisions *revisions, int64_t id);
/* Forget gone items once there are many: readers with an older revision get the whole list. */
void revisions_tidy(struct revisions *revisions);
/* The number of items in the list. */
size_t revisions_count(const struct revisions *revisions);
bool revisions_changed(const struct revisions *revisions, int64_t id, uint64_t since);

/* The revision that a text names. False: the text is unknown, so everything may have changed. */
bool revisions_read(const struct revisions *revisions, const char *text, uint64_t *since);
void revisions_write(const struct revisions *revisions, char text[REVISION_TEXT_MAX]);
