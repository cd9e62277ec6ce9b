/* Reads numbers, texts and lists of ids from documents. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "adapters/opennebula/pool_inside.h"
#include "util/memory.h"
#include "util/printable.h"

enum { SHOWN_MAX = 40 };

void *pool_reader_scratch(struct pool_reader *reader)
{
    return reader->scratch;
}

struct pool_memory *pool_reader_memory(struct pool_reader *reader)
{
    return reader->items.memory;
}

void pool_reader_reject(struct pool_reader *reader, const char *format, ...)
{
    struct pool_errors *errors = &reader->items.errors;
    va_list arguments;

    if (!reader->rejected && errors->n++ == 0) {
        va_start(arguments, format);
        vsnprintf(errors->first, sizeof errors->first, format, arguments);
        va_end(arguments);
    }
    reader->rejected = true;
}

void pool_reader_unsized(struct pool_reader *reader, int32_t vm, const char *name,
                         const char *value)
{
    struct pool_errors *errors = &reader->items.errors;
    char shown[SHOWN_MAX];

    if (errors->n_unsized++ > 0)
        return;
    if (value)
        snprintf(errors->unsized, sizeof errors->unsized, "VM %d: %s is \"%s\", not a number", vm,
                 name, printable(shown, sizeof shown, value));
    else
        snprintf(errors->unsized, sizeof errors->unsized, "VM %d has no %s", vm, name);
}

/* The object's first member is its id, which has usually been read before an invalid value. */
static void reject_value(struct pool_reader *reader, const struct pool_value *given,
                         const char *wanted)
{
    const struct pool_items *items = &reader->items;
    size_t size = reader->format->size;
    char shown[SHOWN_MAX];
    int32_t id = 0;

    if (!reader->format->unsorted)
        memcpy(&id, (const char *)items->items + items->n * size, sizeof id);
    pool_reader_reject(reader, "%s %d: %.40s is \"%s\", not %s", reader->format->object, id,
                       given->elements[given->n - 1]->name,
                       printable(shown, sizeof shown, given->text), wanted);
}

static const char *after_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')
        text++;
    return text;
}

/* False: not a number; one of more than 64 bits counts as the largest of them. Surrounding blanks
 * are allowed. */
static bool parse_integer(const char *text, int64_t *value)
{
    bool negative = false;
    uint64_t sum = 0;

    text = after_blanks(text);
    if (*text == '-' || *text == '+')
        negative = *text++ == '-';
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        sum = sum > (uint64_t)INT64_MAX / 10 - 1 ? (uint64_t)INT64_MAX
                                                 : sum * 10 + (uint64_t)(*text - '0');
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    return *after_blanks(text) == '\0';
}

void pool_read_number(struct pool_reader *reader, const struct pool_value *given,
                      struct pool_range range, int64_t *value)
{
    int64_t number;

    if (given->length == 0)
        return;
    if (!parse_integer(given->text, &number) || number < range.smallest || number > range.largest)
        reject_value(reader, given, "a whole number within limits");
    else
        *value = number;
}

void pool_read_amount(struct pool_reader *reader, const struct pool_value *given,
                      struct pool_range range, int64_t *value)
{
    int64_t number;

    if (!parse_integer(given->text, &number) || (number < 0 && range.smallest >= 0))
        pool_read_number(reader, given, range, value);
    else
        *value = number < range.smallest  ? range.smallest
                 : number > range.largest ? range.largest
                                          : number;
}

bool pool_is_amount(const struct pool_value *given, int64_t largest, int64_t *value)
{
    int64_t number;

    if (!parse_integer(given->text, &number) || number < 0)
        return false;
    *value = number < largest ? number : largest;
    return true;
}

void pool_read_int(struct pool_reader *reader, const struct pool_value *given, int32_t smallest,
                   int32_t *value)
{
    int64_t number = *value;

    pool_read_number(reader, given, (struct pool_range){smallest, INT32_MAX}, &number);
    *value = (int32_t)number;
}

/* Digits and a power of ten, independent of the locale and without binary fractions. */
struct pool_decimal {
    int64_t digits;
    int power;
};

static const char *parse_digits(const char *text, struct pool_decimal *decimal, bool *any)
{
    bool fraction = false;

    for (;; text++) {
        if (*text == '.' && !fraction) {
            fraction = true;
        } else if (*text >= '0' && *text <= '9') {
            *any = true;
            /* Digits after the 17th only affect the magnitude. */
            if (decimal->digits < INT64_C(10000000000000000)) {
                decimal->digits = decimal->digits * 10 + (*text - '0');
                decimal->power -= fraction;
            } else {
                decimal->power += !fraction;
            }
        } else {
            return text;
        }
    }
}

static bool parse_decimal(const char *text, struct pool_decimal *decimal)
{
    int64_t exponent = 0;
    bool any = false;

    *decimal = (struct pool_decimal){0};
    text = after_blanks(text);
    text = parse_digits(text + (*text == '+'), decimal, &any);
    if (any && (*text == 'e' || *text == 'E')) {
        if (!parse_integer(text + 1, &exponent))
            return false;
        exponent = exponent < -100 ? -100 : exponent > 100 ? 100 : exponent;
        text += strlen(text);
    }
    decimal->power += (int)exponent;
    return any && *after_blanks(text) == '\0';
}

bool pool_is_hundredths(const struct pool_value *given, int64_t *value)
{
    struct pool_decimal decimal;
    int dropped = 0;

    if (!parse_decimal(given->text, &decimal))
        return false;
    for (decimal.power += 2; decimal.power < 0; decimal.power++) {
        dropped = (int)(decimal.digits % 10);
        decimal.digits /= 10;
    }
    if (dropped >= 5)
        decimal.digits++;
    for (; decimal.power > 0 && decimal.digits > 0 && decimal.digits < POOL_HUNDREDTHS_MAX;
         decimal.power--)
        decimal.digits *= 10;
    *value = decimal.digits < POOL_HUNDREDTHS_MAX ? decimal.digits : POOL_HUNDREDTHS_MAX;
    return true;
}

const char *pool_read_text(struct pool_reader *reader, const struct pool_value *given)
{
    return pool_memory_text(reader->items.memory, given->text, given->length);
}

void *pool_append(struct pool_reader *reader, void *array, size_t n, size_t *allocated, size_t size)
{
    void *larger;

    if (n < *allocated)
        return array;
    *allocated = *allocated ? 2 * *allocated : 4;
    larger = pool_memory_array(reader->items.memory, *allocated, size);
    if (n)
        memcpy(larger, array, n * size);
    return larger;
}

void pool_add_attribute(struct pool_reader *reader, size_t which, const struct pool_value *given,
                        size_t from)
{
    struct attributes *list = &reader->lists[which];
    const struct element *const *elements = given->elements + from;
    size_t n = given->n - from;
    const char *name;

    if ((given->length == 0 && !reader->format->keeps_empty) || n < 1 || n > 2)
        return;
    name = n == 1 ? elements[0]->name : pool_names_joined(&reader->names, elements[0], elements[1]);
    MEMORY_GROW(list->items, list->allocated, list->n + 1);
    list->items[list->n++] = (struct attribute){name, pool_read_text(reader, given)};
}

void pool_take_attributes(struct pool_reader *reader, size_t first, size_t last,
                          struct attributes *attributes)
{
    size_t n = 0;

    for (size_t i = first; i <= last; i++)
        n += reader->lists[i].n;
    *attributes = (struct attributes){.allocated = n};
    if (n == 0)
        return;
    attributes->items = pool_memory_array(reader->items.memory, n, sizeof *attributes->items);
    for (size_t i = first; i <= last; i++) {
        const struct attributes *list = &reader->lists[i];

        if (list->n > 0)
            memcpy(attributes->items + attributes->n, list->items, list->n * sizeof *list->items);
        attributes->n += list->n;
    }
}

void pool_add_id(struct pool_reader *reader, const struct pool_value *given)
{
    struct id_list *ids = &reader->ids;
    int32_t id = -1;

    pool_read_int(reader, given, 0, &id);
    if (id < 0)
        return;
    MEMORY_GROW(ids->items, ids->allocated, ids->n + 1);
    ids->items[ids->n++] = id;
}

int32_t *pool_take_ids(struct pool_reader *reader, size_t *n)
{
    int32_t *ids = NULL;

    *n = reader->ids.n;
    if (*n > 0) {
        ids = pool_memory_array(reader->items.memory, *n, sizeof *ids);
        memcpy(ids, reader->ids.items, *n * sizeof *ids);
    }
    return ids;
}
