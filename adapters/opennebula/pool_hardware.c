/* Parses numbers of devices and nodes. */
#include "adapters/opennebula/pool_hardware.h"

#include <errno.h>
#include <stdlib.h>

/* The number in a text without other characters, or -1. */
static int64_t number_of(const char *text, int base)
{
    char *end;
    long long number;

    if (*text == '-' || *text == '+')
        return -1;
    errno = 0;
    number = strtoll(text, &end, base);
    return errno || end == text || *end ? -1 : number;
}

bool pool_is_pci(const struct pool_value *given, uint32_t *value)
{
    int64_t number;

    if (given->length == 0)
        return true;
    number = number_of(given->text, 16);
    if (number < 0 || number >= DEMAND_ANY)
        return false;
    *value = (uint32_t)number;
    return true;
}

bool pool_is_count(const struct pool_value *given, int64_t largest, int64_t *value)
{
    int64_t number;

    if (given->length == 0)
        return true;
    number = number_of(given->text, 10);
    if (number < 0 || number > largest)
        return false;
    *value = number;
    return true;
}
