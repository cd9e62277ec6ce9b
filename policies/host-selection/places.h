/* places.h: lists of hosts and other places with numbers, for gridway's options.
 *
 *     NAME:NUMBER,...          PLACES_ONE
 *     NAME/NAME:NUMBER,...     PLACES_PAIR; numbers above 0
 *     NAME:NAME,...            PLACES_NAMES
 *
 * A name is a host's id, a host's name if the driver has names, `*` for all, or any other word for
 * a place outside the site.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "galerna_policy.h"

enum places_form { PLACES_ONE, PLACES_PAIR, PLACES_NAMES };

struct places_item {
    char *name, *other; /* into the list's text */
    double number;
};

struct places_list {
    char *text;
    struct places_item *items;
    size_t n;
};

struct places_reader {
    const struct galerna_host *host;
    struct galerna_result *result;
};

static inline void places_finish(struct places_list *list)
{
    free(list->text);
    free(list->items);
    *list = (struct places_list){0};
}

static inline bool places_wrong(const struct places_reader *reader, const char *option,
                                const char *item, const char *expected)
{
    reader->host->answer(reader->result, GALERNA_ERROR, "bad-list", "%s: expected %s at '%.60s'",
                         option, expected, item);
    return false;
}

/* Removes spaces around a word. */
static inline char *places_trimmed(char *word)
{
    size_t length;

    word += strspn(word, " \t");
    for (length = strlen(word); length && strchr(" \t", word[length - 1]);)
        word[--length] = '\0';
    return word;
}

static inline bool places_read_item(char *text, enum places_form form, struct places_item *item)
{
    char *colon = strrchr(text, ':'), *slash, *end;

    if (!colon)
        return false;
    *colon = '\0';
    item->name = places_trimmed(text);
    item->other = places_trimmed(colon + 1);
    if (form != PLACES_NAMES) {
        item->number = strtod(item->other, &end);
        if (end == item->other || *end || !(item->number >= 0 && item->number < 1e18))
            return false;
    }
    if (form == PLACES_PAIR) {
        slash = strchr(item->name, '/');
        if (!slash || !(item->number > 0))
            return false;
        *slash = '\0';
        item->other = places_trimmed(slash + 1);
        item->name = places_trimmed(item->name);
    }
    return *item->name && *item->other;
}

/* False: malformed, with the result filled; the caller must still finish the part read so far. */
static inline bool places_read(const struct places_reader *reader, const char *option,
                               const char *written, enum places_form form, struct places_list *list)
{
    static const char *const expected[] = {"PLACE:NUMBER", "PLACE/PLACE:MB-PER-SECOND above 0",
                                           "IMAGE:PLACE"};
    size_t room = 1;

    for (const char *c = written; *c; c++)
        room += *c == ',';
    list->text = strdup(written);
    list->items = calloc(room, sizeof *list->items);
    if (!list->text || !list->items)
        return places_wrong(reader, option, written, "less (out of memory)");
    if (!written[strspn(written, " \t")])
        return true;
    for (char *rest = list->text, *item; (item = strsep(&rest, ","));) {
        size_t at = (size_t)(item - list->text);

        if (!places_read_item(item, form, &list->items[list->n]))
            return places_wrong(reader, option, written + at, expected[form]);
        list->n++;
    }
    return true;
}

/* Does a word of a list match this name? */
static inline bool name_fits(const char *name, const char *written)
{
    return strcmp(written, "*") == 0 || strcmp(written, name) == 0;
}

/* Does a word of a list match this host, by id or name? */
static inline bool place_is(const struct galerna_host *host, uint32_t place, const char *written)
{
    const char *name;
    char *end;
    long id;

    if (strcmp(written, "*") == 0)
        return true;
    id = strtol(written, &end, 10);
    if (*written && !*end)
        return id == host->host_id(host, place);
    name = host->host_attribute(host, place, "NAME");
    return name && strcmp(written, name) == 0;
}
