/* suggest.h: "did you mean": the known word nearest to a mistyped one. */
#pragma once

#include <stddef.h>

struct suggestion {
    const char *word; /* what was typed */
    const char *best; /* the nearest word so far, or NULL when none is near enough */
    size_t distance;  /* letters to insert, drop, change or swap; 2 from a part of a word */
    char text[128];
};

void suggestion_init(struct suggestion *suggestion, const char *word);

/* Offer a word that would have been right; it must outlive the suggestion.
 * O(length of both words). */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

/* ", did you mean 'best'?" or "" when nothing is near; part of the suggestion. */
const char *suggestion_text(struct suggestion *suggestion);
