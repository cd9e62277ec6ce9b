/* Stores each text of users and oned, and each answer, once. */
#include <stdio.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/words.h"

uint32_t eligibility_number(struct map *table, const char *text, bool *is_new)
{
    size_t before = table->n;
    uint32_t number = map_add_text(table, text);

    *is_new = table->n > before;
    return number;
}

const void *eligibility_kept(struct map *columns, const void *column, size_t size)
{
    return map_key_bytes(columns, map_add_bytes(columns, column, size));
}

char *eligibility_fault(const char *name, const char *text, const struct error *fault)
{
    char shown[64], sentence[256];

    snprintf(sentence, sizeof sentence, "%s '%s' cannot be read: %.140s", name,
             printable(shown, sizeof shown, text), fault->text);
    return memory_text(sentence);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

const char *eligibility_text(const struct vm *vm, const char *name)
{
    const char *text = attributes_find(&vm->user_template, name);

    if (!text || is_blank(text))
        text = attributes_find(&vm->template, name);
    return text && !is_blank(text) ? text : NULL;
}

bool eligibility_changes_all_the_time(const char *name)
{
    static const char *const names[] = {"FREE_CPU",    "FREE_MEMORY", "USED_CPU",  "USED_MEMORY",
                                        "RUNNING_VMS", "CPU_USAGE",   "MEM_USAGE", "CURRENT_VMS",
                                        "NETRX",       "NETTX",       "STATE",     "TIMESTAMP"};

    return WORDS_HAVE(names, name);
}
