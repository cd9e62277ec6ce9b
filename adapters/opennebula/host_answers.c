/* Caches the answers of comparisons for all VMs. */
#include "adapters/opennebula/host_columns_inside.h"

#include <string.h>

#include "util/memory.h"

/* Also zeroes the padding, to give equal questions equal hashes. */
static void ask(struct attribute_question *question, uint32_t name,
                const struct comparison *comparison)
{
    memset(question, 0, sizeof *question);
    question->column = name;
    question->test = comparison->test;
    question->kind = comparison->kind;
    if (comparison->kind == LITERAL_TEXT) {
        memcpy(question->text, comparison->text, strlen(comparison->text));
    } else {
        question->integer = comparison->integer;
        question->number = comparison->number;
    }
}

void host_columns_answer(struct host_columns *columns, const struct comparison *comparison,
                         uint64_t *bitmap)
{
    uint32_t name = map_find_text(&columns->names, comparison->name);
    size_t size = columns->n_words * sizeof *bitmap;
    struct attribute_question question;
    uint64_t **kept;

    if (name == MAP_NONE ||
        (comparison->kind == LITERAL_TEXT && strlen(comparison->text) >= ANSWER_TEXT_MAX)) {
        host_columns_compare(columns, name, comparison, bitmap);
        return;
    }
    ask(&question, name, comparison);
    kept =
        map_value(&columns->answers, map_find_bytes(&columns->answers, &question, sizeof question));
    if (kept) {
        memcpy(bitmap, *kept, size);
        return;
    }
    host_columns_compare(columns, name, comparison, bitmap);
    if ((columns->answers.n + 1) * size > ANSWERS_BYTES_MAX)
        return;
    kept =
        map_value(&columns->answers, map_add_bytes(&columns->answers, &question, sizeof question));
    *kept = memory_copy(bitmap, size);
}
