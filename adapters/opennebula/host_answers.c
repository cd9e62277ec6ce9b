#include "adapters/opennebula/host_columns_inside.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static uint64_t hash_of(const struct answers *answers, const struct question *question)
{
    const unsigned char *bytes = (const unsigned char *)question;
    uint64_t hash = answers->seed, word;

    _Static_assert(sizeof *question % 8 == 0, "hashed in words of 8 bytes");
    for (size_t i = 0; i < sizeof *question; i += 8) {
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is_same(const struct question *a, const struct question *b)
{
    return a->column == b->column && a->test == b->test && a->kind == b->kind &&
           a->integer == b->integer && a->number == b->number && !strcmp(a->text, b->text);
}

static struct answer *find(const struct answers *answers, const struct question *question)
{
    size_t mask = answers->n_slots - 1, i = hash_of(answers, question) & mask;

    while (answers->slots[i].hosts && !is_same(&answers->slots[i].question, question))
        i = (i + 1) & mask;
    return &answers->slots[i];
}

static void grow(struct answers *answers)
{
    struct answers larger = {.n = answers->n, .seed = answers->seed};

    larger.n_slots = answers->n_slots ? 2 * answers->n_slots : 64;
    larger.slots = memory_new(larger.n_slots, sizeof *larger.slots);
    for (size_t i = 0; i < answers->n_slots; i++)
        if (answers->slots[i].hosts)
            *find(&larger, &answers->slots[i].question) = answers->slots[i];
    free(answers->slots);
    *answers = larger;
}

void host_answers_finish(struct answers *answers)
{
    for (size_t i = 0; i < answers->n_slots; i++)
        free(answers->slots[i].hosts);
    free(answers->slots);
    *answers = (struct answers){0};
}

/* Padding too is the same in equal questions, so that they hash alike. */
static void ask(struct question *question, uint32_t name, const struct comparison *comparison)
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
    uint32_t name = text_table_find(&columns->names, comparison->name);
    size_t size = columns->n_words * sizeof *bitmap;
    struct answers *answers = &columns->answers;
    struct question question;
    struct answer *answer;

    if (name == TEXT_NONE ||
        (comparison->kind == LITERAL_TEXT && strlen(comparison->text) >= ANSWER_TEXT_MAX)) {
        host_columns_compare(columns, name, comparison, bitmap);
        return;
    }
    ask(&question, name, comparison);
    if (2 * (answers->n + 1) > answers->n_slots)
        grow(answers);
    answer = find(answers, &question);
    if (answer->hosts) {
        memcpy(bitmap, answer->hosts, size);
        return;
    }
    host_columns_compare(columns, name, comparison, bitmap);
    if (answers->n == ANSWERS_MAX)
        return;
    answers->n++;
    answer->question = question;
    answer->hosts = memory_copy(bitmap, size);
}
