/* Reads values of the texts that describe hardware, networks and VMs. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/simulated/simulated_inside.h"

int simulated_number(const struct attributes *vector, struct simulated_number number,
                     int64_t *value, struct error *err)
{
    const char *text = attributes_find(vector, number.name);
    char *end = NULL;

    if (text) {
        *value = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : -1;
        if (*value < 0 || *end)
            return error_set(err, EINVAL, "%s: expected a whole number, not '%.40s'", number.name,
                             text);
    }
    if (*value < number.least || *value > number.most)
        return error_set(err, EINVAL, "%s: expected a number from %lld to %lld", number.name,
                         (long long)number.least, (long long)number.most);
    return 0;
}

bool simulated_is_of(const struct attributes *vector, const char *kind)
{
    size_t n = strlen(kind);

    return strncmp(vector->items[0].name, kind, n) == 0 && vector->items[0].name[n] == '/';
}

const char *simulated_next_item(const char *at, struct pool_memory *memory, struct attributes *item,
                                struct error *err)
{
    const char *rest = simulated_read_item(at, memory, item);

    if (!rest || !item->n)
        error_set(err, EINVAL, "expected NAME=\"value\" or NAME=[NAME=\"value\", ...] at '%.40s'",
                  at);
    return item->n ? rest : NULL;
}

void *simulated_lengthen(struct pool_memory *memory, const void *items, size_t n, size_t added,
                         size_t size)
{
    unsigned char *longer = pool_memory_array(memory, n + added, size);

    if (n)
        memcpy(longer, items, n * size);
    memset(longer + n * size, 0, added * size);
    return longer;
}
