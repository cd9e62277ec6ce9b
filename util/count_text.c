/* Counts in words: singular or plural. */
#include "util/count_text.h"

#include <stdio.h>
#include <string.h>

int count_text(char *text, size_t size, size_t n, size_t all, const char *predicate)
{
    static const struct {
        const char *many, *one;
    } verbs[] = {{"are ", "is "}, {"do ", "does "}, {"have ", "has "}};
    const char *verb = "", *rest = predicate;

    for (size_t i = 0; n == 1 && i < sizeof verbs / sizeof *verbs; i++) {
        size_t length = strlen(verbs[i].many);

        if (strncmp(predicate, verbs[i].many, length) == 0) {
            verb = verbs[i].one;
            rest = predicate + length;
        }
    }
    if (all == 1)
        return snprintf(text, size, "it %s%s", verb, rest);
    return snprintf(text, size, "%zu %s%s", n, verb, rest);
}
