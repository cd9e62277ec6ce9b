/* "did you mean": the known word nearest to a mistyped one. */
#include "util/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 48, PART_DISTANCE = 2 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Edit distance with swaps of neighbors, upper and lower case being equal. Three rows suffice. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *previous = rows[1], *current = rows[2];
    size_t n = strlen(a), m = strlen(b);

    if (n > WORD_MAX || m > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= m; j++)
        previous[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *spare = before;

        current[0] = i;
        for (size_t j = 1; j <= m; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);

            current[j] = least(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == y && before[j - 2] + 1 < current[j])
                current[j] = before[j - 2] + 1;
        }
        before = previous;
        previous = current;
        current = spare;
    }
    return previous[m];
}

void suggestion_init(struct suggestion *suggestion, const char *word)
{
    suggestion->word = word;
    suggestion->best = NULL;
    suggestion->distance = 1 + strlen(word) / 3;
    if (suggestion->distance > 4)
        suggestion->distance = 4;
    suggestion->distance++; /* the first distance that is too far */
}

/* Is the word one of those that the candidate is composed of, such as SIZE of GROUP_SIZE? */
static bool is_part(const char *word, const char *candidate)
{
    size_t length = strlen(word);

    for (const char *at = candidate; *at; at += strcspn(at, "-_"), at += *at != '\0')
        if (length > 0 && strcspn(at, "-_") == length && strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

void suggestion_offer(struct suggestion *suggestion, const char *candidate)
{
    size_t distance = edit_distance(suggestion->word, candidate);

    if (distance > PART_DISTANCE && is_part(suggestion->word, candidate))
        distance = PART_DISTANCE;

    /* Words without common letters are not suggested, however short. */
    if (distance < suggestion->distance && distance < strlen(candidate)) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}

const char *suggestion_text(struct suggestion *suggestion)
{
    suggestion->text[0] = '\0';
    if (suggestion->best)
        snprintf(suggestion->text, sizeof suggestion->text, ", did you mean '%s'?",
                 suggestion->best);
    return suggestion->text;
}
