/* OpenNebula's templates: names with values, or with further names and values. */
#include "sandbox/attributes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static void attribute_finish(struct oned_attribute *attribute)
{
    free(attribute->name);
    free(attribute->value);
    oned_attributes_finish(&attribute->children);
}

void oned_attributes_finish(struct oned_attributes *list)
{
    for (size_t i = 0; i < list->count; i++)
        attribute_finish(&list->items[i]);
    free(list->items);
    *list = (struct oned_attributes){0};
}

/* The index behind the last attribute whose name sorts before `name` or equals it. */
static size_t position_after(const struct oned_attributes *list, const char *name)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(list->items[middle].name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct oned_attribute *insert(struct oned_attributes *list, const char *name)
{
    size_t position = position_after(list, name);

    MEMORY_GROW(list->items, list->allocated, list->count + 1);
    memmove(&list->items[position + 1], &list->items[position],
            (list->count - position) * sizeof *list->items);
    list->count++;
    list->items[position] = (struct oned_attribute){.name = memory_text(name)};
    return &list->items[position];
}

void oned_attributes_add(struct oned_attributes *list, const char *name, const char *value)
{
    insert(list, name)->value = memory_text(value ? value : "");
}

void oned_attributes_add_number(struct oned_attributes *list, const char *name, int64_t value)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, value);
    oned_attributes_add(list, name, digits);
}

struct oned_attributes *oned_attributes_add_vector(struct oned_attributes *list, const char *name)
{
    return &insert(list, name)->children;
}

void oned_attributes_set(struct oned_attributes *list, const char *name, const char *value)
{
    oned_attributes_remove(list, name);
    oned_attributes_add(list, name, value);
}

void oned_attributes_set_number(struct oned_attributes *list, const char *name, int64_t value)
{
    oned_attributes_remove(list, name);
    oned_attributes_add_number(list, name, value);
}

/* Attributes of one name are adjacent. */
void oned_attributes_remove(struct oned_attributes *list, const char *name)
{
    size_t end = position_after(list, name), begin = end;

    while (begin > 0 && !strcmp(list->items[begin - 1].name, name))
        begin--;
    for (size_t i = begin; i < end; i++)
        attribute_finish(&list->items[i]);
    if (begin < end)
        memmove(&list->items[begin], &list->items[end], (list->count - end) * sizeof *list->items);
    list->count -= end - begin;
}

static const struct oned_attribute *find(const struct oned_attributes *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

const char *oned_attributes_get(const struct oned_attributes *list, const char *name)
{
    const struct oned_attribute *found = find(list, name);

    return found ? found->value : NULL;
}

int64_t oned_attributes_number(const struct oned_attributes *list, const char *name,
                               int64_t otherwise)
{
    const char *value = oned_attributes_get(list, name);
    char *end;
    int64_t number;

    if (!value)
        return otherwise;
    number = strtoll(value, &end, 10);
    return end == value ? otherwise : number;
}

struct oned_attributes *oned_attributes_vector(const struct oned_attributes *list, const char *name,
                                               size_t index)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].value && !strcmp(list->items[i].name, name) && index-- == 0)
            return &list->items[i].children;
    return NULL;
}

static void add_copy(struct oned_attributes *list, const struct oned_attribute *attribute)
{
    if (attribute->value)
        oned_attributes_add(list, attribute->name, attribute->value);
    else
        oned_attributes_copy(oned_attributes_add_vector(list, attribute->name),
                             &attribute->children);
}

void oned_attributes_move(struct oned_attributes *to, struct oned_attributes *from,
                          const char *name)
{
    for (size_t i = 0; i < from->count; i++)
        if (!strcmp(from->items[i].name, name))
            add_copy(to, &from->items[i]);
    oned_attributes_remove(from, name);
}

void oned_attributes_merge(struct oned_attributes *list, const struct oned_attributes *other)
{
    for (size_t i = 0; i < other->count; i++)
        oned_attributes_remove(list, other->items[i].name);
    for (size_t i = 0; i < other->count; i++)
        add_copy(list, &other->items[i]);
}

void oned_attributes_copy(struct oned_attributes *list, const struct oned_attributes *other)
{
    oned_attributes_finish(list);
    for (size_t i = 0; i < other->count; i++)
        add_copy(list, &other->items[i]);
}

void oned_attributes_write(const struct oned_attributes *list, struct oned_text *text)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct oned_attribute *attribute = &list->items[i];

        if (attribute->value) {
            oned_text_cdata(text, attribute->name, attribute->value);
            continue;
        }
        oned_text_format(text, "<%s>", attribute->name);
        oned_attributes_write(&attribute->children, text);
        oned_text_format(text, "</%s>", attribute->name);
    }
}
