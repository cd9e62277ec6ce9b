/* The position of an item in an ascending array, or the one where it would be. */
#include "util/search.h"

#include <stdint.h>

size_t search_place(const void *key, const void *items, size_t n, size_t size, search_order *order)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (order(key, (const char *)items + middle * size) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int search_by_number(const void *key, const void *item)
{
    int64_t a = *(const int64_t *)key, b = *(const int64_t *)item;

    return (a > b) - (a < b);
}

int search_by_id(const void *key, const void *item)
{
    int32_t a = *(const int32_t *)key, b = *(const int32_t *)item;

    return (a > b) - (a < b);
}
