/* words.h: lists of words, and the names in paths. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/memory.h"

/* strcmp() == 0, without a call for words that begin differently, as most do. */
static inline bool words_equal(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

/* The index of a word among n; -1: it is none of them. O(n). */
static inline int words_find(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (words_equal(words[i], word))
            return (int)i;
    return -1;
}

/* Is the word one of an array of words? */
#define WORDS_HAVE(words, word) (words_find(words, sizeof(words) / sizeof *(words), word) >= 0)

/* Of a list of ROW(enumerator, "word"): its enumeration, and its array of words. */
#define WORDS_ENUMERATOR(enumerator, word) enumerator,
#define WORDS_WORD(enumerator, word)       [enumerator] = (word),

/* The part of a path behind its folder. */
static inline const char *words_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The same, without the ending; to be freed. */
static inline char *words_file_stem(const char *path)
{
    char *name = memory_text(words_file_name(path)), *dot = strrchr(name, '.');

    if (dot && dot != name)
        *dot = '\0';
    return name;
}
