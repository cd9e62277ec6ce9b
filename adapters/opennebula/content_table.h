/* content_table.h: equal blocks of memory, kept once. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_CONTENT_TABLE_H
#define GALERNA_ADAPTERS_OPENNEBULA_CONTENT_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* For blocks of `size` bytes each; all 0 otherwise: empty. */
struct content_table {
    size_t size;
    void **blocks; /* a hash table; NULL: free */
    uint64_t *hashes;
    size_t n, n_slots;
};

/* The kept block with the same content, a copy if it is new. It stays until the table's end. */
void *content_table_keep(struct content_table *table, const void *block);

void content_table_finish(struct content_table *table);

#endif
