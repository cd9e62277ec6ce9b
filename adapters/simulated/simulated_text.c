/* The attributes of a VM in the text it was made from. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "adapters/simulated/simulated_inside.h"

enum { ATTRIBUTES_MAX = 64, NAME_MAX_LENGTH = 64 };

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n,");
}

/* NAME= : its length, 0 when there is none. */
static size_t name_length(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n < NAME_MAX_LENGTH && at[n] == '=' ? n : 0;
}

static void add(struct pool_memory *memory, struct attributes *attributes, const char *vector,
                const char *name, size_t n_name, const char *value, size_t n_value)
{
    char full[2 * NAME_MAX_LENGTH + 2];
    int length;

    if (attributes->n == ATTRIBUTES_MAX - 1) /* the message comes behind */
        return;
    length = snprintf(full, sizeof full, "%s%s%.*s", vector, *vector ? "/" : "", (int)n_name, name);
    for (char *at = full; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    attributes->items[attributes->n++] = (struct attribute){
        pool_memory_text(memory, full, (size_t)length), pool_memory_text(memory, value, n_value)};
}

/* One NAME="value"; NULL: it is none. */
static const char *read_one(const char *at, const char *vector, struct pool_memory *memory,
                            struct attributes *attributes)
{
    size_t n = name_length(at);
    const char *value = at + n + 1, *end;

    if (!n || *value != '"')
        return NULL;
    end = strchr(++value, '"');
    if (!end)
        return NULL;
    add(memory, attributes, vector, at, n, value, (size_t)(end - value));
    return end + 1;
}

static const char *read_vector(const char *at, struct pool_memory *memory,
                               struct attributes *attributes)
{
    char name[NAME_MAX_LENGTH];
    size_t n = name_length(at);

    if (!n || at[n + 1] != '[')
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    at = skip_blanks(at + n + 2);
    while (at && *at != ']') {
        at = read_one(at, name, memory, attributes);
        at = at ? skip_blanks(at) : NULL;
    }
    return at ? at + 1 : NULL;
}

static void begin(struct pool_memory *memory, struct attributes *attributes)
{
    *attributes = (struct attributes){
        .items = pool_memory_array(memory, ATTRIBUTES_MAX, sizeof *attributes->items),
        .allocated = ATTRIBUTES_MAX};
}

static const char *read_next(const char *text, struct pool_memory *memory,
                             struct attributes *attributes)
{
    const char *at = skip_blanks(text), *rest = read_one(at, "", memory, attributes);

    if (!rest)
        rest = read_vector(at, memory, attributes);
    return rest ? skip_blanks(rest) : NULL;
}

const char *simulated_read_item(const char *text, struct pool_memory *memory,
                                struct attributes *attributes)
{
    begin(memory, attributes);
    return read_next(text, memory, attributes);
}

void simulated_read(const char *text, struct pool_memory *memory, struct attributes *attributes)
{
    begin(memory, attributes);
    for (const char *at = text; at && *at;)
        at = read_next(at, memory, attributes);
}
