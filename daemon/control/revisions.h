/* revisions.h: which items of a list have changed since a reader saw it.
 *
 * The list has a revision, a number that grows; each item has that of its last change. Whether an
 * item has changed is seen by a digest of what is shown of it. Readers name a revision by a text,
 * which no other list and no other process knows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

enum { REVISION_TEXT_MAX = 48 };

struct revised {
    uint64_t digest, revision;
    int64_t until; /* then it may be shown differently, though nothing happens; INSTANT_NEVER */
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

/* An item is, or is no longer, in the list. O(1). */
void revisions_note(struct revisions *revisions, int64_t id, const char *shown, size_t length,
                    int64_t until);
void revisions_drop(struct revisions *revisions, int64_t id);
/* When very many are gone, forgets them: whoever has not heard of it reads the whole list. */
void revisions_tidy(struct revisions *revisions);
/* How many items are in the list. */
size_t revisions_count(const struct revisions *revisions);
bool revisions_changed(const struct revisions *revisions, int64_t id, uint64_t since);

/* The number of the revision that a text names. False: it is not known, so all may have changed. */
bool revisions_read(const struct revisions *revisions, const char *text, uint64_t *since);
void revisions_write(const struct revisions *revisions, char text[REVISION_TEXT_MAX]);
