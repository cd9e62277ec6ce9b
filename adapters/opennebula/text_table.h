/* text_table.h: texts and the small numbers that stand for them. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_TEXT_TABLE_H
#define GALERNA_ADAPTERS_OPENNEBULA_TEXT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_NONE UINT32_MAX

/* Texts are numbered 0, 1, ... in the order in which they came. They are not copied. */
struct text_table {
    const char **texts;
    uint64_t *hashes;
    size_t n, allocated, hashes_allocated;
    uint32_t *slots;
    size_t n_slots; /* a power of two, or 0 */
    uint64_t seed;  /* users write the texts, and shall not know which of them collide */
};

void text_table_init(struct text_table *table);
void text_table_finish(struct text_table *table);

/* The text's number, or TEXT_NONE. O(length). */
uint32_t text_table_find(const struct text_table *table, const char *text);

/* The text's number; a new one if there is none: the text must then outlive the table. */
uint32_t text_table_add(struct text_table *table, const char *text);

#endif
