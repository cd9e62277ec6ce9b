/* attributes.h: OpenNebula's templates: names with values, or with further names and values.
 *
 * The daemon keeps attributes sorted by name, those of one name in the order they came, and prints
 * them so; names are in capitals.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/text.h"
#include "util/error.h"

struct oned_attributes {
    struct oned_attribute *items;
    size_t count, allocated;
};

struct oned_attribute {
    char *name;
    char *value; /* NULL: a vector, see children */
    struct oned_attributes children;
};

void oned_attributes_finish(struct oned_attributes *list);

/* Adds an attribute after those of the same name. The caller fills the returned vector, which is
 * valid until its list grows. */
void oned_attributes_add(struct oned_attributes *list, const char *name, const char *value);
void oned_attributes_add_number(struct oned_attributes *list, const char *name, int64_t value);
struct oned_attributes *oned_attributes_add_vector(struct oned_attributes *list, const char *name);

/* Replaces all attributes of that name. */
void oned_attributes_set(struct oned_attributes *list, const char *name, const char *value);
void oned_attributes_set_number(struct oned_attributes *list, const char *name, int64_t value);

/* Removes all attributes of that name. */
void oned_attributes_remove(struct oned_attributes *list, const char *name);

/* The first value of that name, or NULL; as a number, or `otherwise` if it has none. */
const char *oned_attributes_get(const struct oned_attributes *list, const char *name);
int64_t oned_attributes_number(const struct oned_attributes *list, const char *name,
                               int64_t otherwise);

/* The index-th vector of that name, or NULL. */
struct oned_attributes *oned_attributes_vector(const struct oned_attributes *list, const char *name,
                                               size_t index);

/* Move all attributes of that name from one list to another. */
void oned_attributes_move(struct oned_attributes *to, struct oned_attributes *from,
                          const char *name);

/* Adds the attributes of other to list, in place of those of the same names, as OpenNebula's
 * "append" does. */
void oned_attributes_merge(struct oned_attributes *list, const struct oned_attributes *other);

/* Replace list by a copy of other. */
void oned_attributes_copy(struct oned_attributes *list, const struct oned_attributes *other);

/* Writes the elements, with values in CDATA sections and without an enclosing element. */
void oned_attributes_write(const struct oned_attributes *list, struct oned_text *text);

/* Add the attributes of a template, in OpenNebula's own notation or, when it begins with '<', as
 * XML inside one element. -1 with line and column when it is malformed; the attributes before the
 * error are in the list. */
int oned_attributes_parse(struct oned_attributes *list, const char *text, struct error *err);
int oned_attributes_parse_xml(struct oned_attributes *list, const char *text, struct error *err);
