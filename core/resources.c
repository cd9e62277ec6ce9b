/* Resource types and their names. */
#include "core/resources.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "util/printable.h"

void resource_types_init(struct resource_types *types)
{
    static const char *const fixed[RESOURCE_TYPES_FIXED] = {"CPU", "Memory", "Disk", "Net-in",
                                                            "Net-out"};

    memset(types, 0, sizeof *types);
    for (int i = 0; i < RESOURCE_TYPES_FIXED; i++)
        strcpy(types->names[i], fixed[i]);
    types->count = RESOURCE_TYPES_FIXED;
}

int resource_types_find(const struct resource_types *types, const char *name)
{
    for (int i = 0; i < types->count; i++)
        if (strcmp(types->names[i], name) == 0)
            return i;
    return -1;
}

/* Can the name be written in records and shown in tables? */
static bool is_text(const char *name)
{
    if (!utf8_is_valid(name, strlen(name)))
        return false;
    while (*name && !control_length(name))
        name++;
    return !*name;
}

int resource_types_add(struct resource_types *types, const char *name, struct error *err)
{
    int found = resource_types_find(types, name);

    if (found >= 0)
        return found;
    if (!*name || strlen(name) >= RESOURCE_NAME_MAX)
        return error_set(err, EINVAL, "resource type '%.64s': a name has 1 to %d characters", name,
                         RESOURCE_NAME_MAX - 1);
    if (!is_text(name))
        return error_set(
            err, EINVAL,
            "the name of a resource type is not UTF-8 text, or has control characters");
    if (types->count == RESOURCE_TYPES_MAX)
        return error_set(err, ENOSPC, "resource type '%s': a site has at most %d types", name,
                         RESOURCE_TYPES_MAX);
    strcpy(types->names[types->count], name);
    return types->count++;
}
