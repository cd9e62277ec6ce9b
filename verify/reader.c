/* Shared by the readers of a record: memory, lists, resource types. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verify/arena.h"
#include "verify/read.h"

void *reader_take(struct reader *reader, size_t count, size_t size)
{
    void *taken = schedule_arena_take(reader->schedule->arena, count, size);

    if (!taken)
        error_set(reader->place.err, ENOMEM, "%s: out of memory", reader->place.file);
    return taken;
}

void *reader_read_list(struct reader *reader, json_t *list, const char *name, size_t size,
                       reader_entry *read)
{
    char *items = reader_take(reader, json_array_size(list), size);
    json_t *entry;
    size_t i;

    if (!items)
        return NULL;
    json_array_foreach(list, i, entry) {
        snprintf(reader->place.where, sizeof reader->place.where, "%.100s[%zu]", name, i);
        if (read(reader, entry, items + i * size) < 0)
            return NULL;
    }
    return items;
}

int reader_find_type(const struct reader *reader, const char *name)
{
    const struct schedule *schedule = reader->schedule;

    for (size_t i = 0; i < schedule->n_types; i++)
        if (strcmp(schedule->types[i], name) == 0)
            return (int)i;
    return json_fail(&reader->place, name, "neither the site nor a VM has this resource type");
}
