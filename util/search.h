/* search.h: where something is in an ascending array, or would be. */
#pragma once

#include <stddef.h>

/* Order of a key and an item, as for bsearch(): below, at or above 0. */
typedef int search_order(const void *key, const void *item);

/* The index of the first of n items of `size` bytes that is not before the key; n: all are. The
 * items ascend by `order`; `items` may be NULL when n is 0. O(log n). */
size_t search_place(const void *key, const void *items, size_t n, size_t size, search_order *order);

/* The key is an int64_t, and each item is one or begins with one; search_by_id: an int32_t. Both
 * serve qsort(), too. */
search_order search_by_number, search_by_id;
