/* Keeps answers: pages and programs ask for the same many times a second. */
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "util/memory.h"
#include "util/unqualified.h"

enum {
    PLACES = 8,
    SHORT_MOST = 256 * 1024, /* bytes; of longer ones only the last is kept, in the first place */
};

struct kept_answers {
    uint64_t changes, readings; /* of the store and of OpenNebula, when they were made */
    int64_t now;
    struct kept_answer {
        json_t *request, *answer; /* NULL: none */
    } items[PLACES];
    size_t next; /* place for a short one */
};

struct kept_answers *kept_answers_create(void)
{
    return memory_new(1, sizeof(struct kept_answers));
}

void kept_answers_drop(struct kept_answers *kept)
{
    for (size_t i = 0; i < PLACES; i++) {
        json_decref(kept->items[i].request);
        json_decref(kept->items[i].answer);
    }
    *kept = (struct kept_answers){0};
}

void kept_answers_destroy(struct kept_answers *kept)
{
    kept_answers_drop(kept);
    free(kept);
}

/* An answer that says since when it is outdated is not kept. */
static bool may_keep(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    char why[ERROR_TEXT_MAX];
    int64_t since;

    return !daemon->outdated(daemon->context, why, sizeof why, &since);
}

/* As the text that is sent: a JSON string, see control.h. */
static json_t *as_text(json_t *answer)
{
    char *text;
    json_t *string;

    if (json_is_string(answer))
        return answer;
    text = json_dumps(answer, JSON_COMPACT);
    string = text ? json_string_nocheck(text) : NULL;
    free(text);
    if (!string)
        return answer;
    json_decref(answer);
    return string;
}

static void keep(struct kept_answers *kept, const json_t *request, json_t *answer)
{
    bool is_short = json_string_length(answer) <= SHORT_MOST;
    struct kept_answer *item = &kept->items[is_short ? 1 + kept->next++ % (PLACES - 1) : 0];

    json_decref(item->request);
    json_decref(item->answer);
    *item = (struct kept_answer){json_deep_copy(request), json_incref(answer)};
}

/* What was made in another second, or of another state. */
static void drop_old(struct kept_answers *kept, const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    uint64_t changes = store_changes(question->answers->store);
    uint64_t readings = daemon->readings(daemon->context);

    if (kept->changes != changes || kept->readings != readings || kept->now != question->now)
        kept_answers_drop(kept);
    kept->changes = changes;
    kept->readings = readings;
    kept->now = question->now;
}

json_t *kept_answers_give(const struct question *question, answer_function *make)
{
    struct kept_answers *kept = question->answers->kept;
    json_t *answer;

    if (!may_keep(question))
        return make(question);
    drop_old(kept, question);
    for (size_t i = 0; i < PLACES; i++)
        if (kept->items[i].request && json_equal(kept->items[i].request, question->request))
            return json_incref(kept->items[i].answer);
    answer = as_text(make(question));
    keep(kept, question->request, answer);
    return answer;
}
