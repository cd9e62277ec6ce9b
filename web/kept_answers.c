/* Caches galernad's answers until something changes, for a second at most. */
#include "web/kept_answers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/control/change_page.h"
#include "util/memory.h"

enum {
    PLACES = 32,
    SHORT_MOST = 256 * 1024, /* bytes; of longer answers only the last one is kept, in the first
                                place */
};

struct kept_answers {
    const char *socket;
    pthread_mutex_t lock;
    struct change_page *page; /* NULL: there is none */
    time_t second;            /* when the answers were requested */
    uint64_t number;          /* the count of changes at that time */
    uint64_t state;           /* counts seconds and changes */
    struct kept_answer {
        char *question, *answer; /* NULL: none */
    } items[PLACES];
    size_t next; /* place for the next short answer */
};

struct kept_answers *kept_answers_create(const char *socket)
{
    struct kept_answers *kept = memory_new(1, sizeof *kept);

    kept->socket = socket;
    pthread_mutex_init(&kept->lock, NULL);
    return kept;
}

static void drop_all(struct kept_answers *kept)
{
    for (size_t i = 0; i < PLACES; i++) {
        free(kept->items[i].question);
        free(kept->items[i].answer);
        kept->items[i] = (struct kept_answer){0};
    }
}

void kept_answers_destroy(struct kept_answers *kept)
{
    if (!kept)
        return;
    drop_all(kept);
    change_page_destroy(kept->page);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

/* Once a second: opens the page of a new galernad. */
static void follow(struct kept_answers *kept)
{
    if (kept->page && change_page_is_current(kept->page))
        return;
    change_page_destroy(kept->page);
    kept->page = change_page_open(kept->socket);
}

/* Drops answers from another second, or from before a change. */
static void look(struct kept_answers *kept)
{
    time_t second = time(NULL);

    if (second != kept->second)
        follow(kept);
    if (second == kept->second && kept->page && change_page_read(kept->page) == kept->number)
        return;
    drop_all(kept);
    kept->second = second;
    kept->number = kept->page ? change_page_read(kept->page) : 0;
    kept->state++;
}

char *kept_answers_find(struct kept_answers *kept, const char *question, uint64_t *state)
{
    char *answer = NULL;

    pthread_mutex_lock(&kept->lock);
    look(kept);
    *state = kept->page ? kept->state : 0;
    for (size_t i = 0; i < PLACES && !answer; i++)
        if (kept->items[i].question && strcmp(kept->items[i].question, question) == 0)
            answer = memory_text(kept->items[i].answer);
    pthread_mutex_unlock(&kept->lock);
    return answer;
}

void kept_answers_keep(struct kept_answers *kept, char *question, const char *answer,
                       uint64_t state)
{
    size_t place = 0;

    pthread_mutex_lock(&kept->lock);
    if (state && state == kept->state) {
        if (strlen(answer) <= SHORT_MOST)
            place = 1 + kept->next++ % (PLACES - 1);
        free(kept->items[place].question);
        free(kept->items[place].answer);
        kept->items[place] = (struct kept_answer){question, memory_text(answer)};
        question = NULL;
    }
    pthread_mutex_unlock(&kept->lock);
    free(question);
}
