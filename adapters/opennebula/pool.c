#include "adapters/opennebula/pool.h"

#include <string.h>

const char *attributes_find(const struct attributes *attributes, const char *name)
{
    for (size_t i = 0; i < attributes->n; i++)
        if (strcmp(attributes->items[i].name, name) == 0)
            return attributes->items[i].value;
    return NULL;
}
