/* Caches galernad's answers until something changes, for some seconds at most; of threads with the
 * same question, one asks galernad. */
#include "web/kept_answers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/change_page.h"
#include "util/memory.h"

enum { PLACES = 512, BYTES_MAX = 16 << 20, ASKED_MAX = 64 };

struct kept_answer {
    char *question, *answer;
    size_t bytes;
    time_t asked; /* not later than the answer */
};

struct kept_answers {
    const char *socket;
    pthread_mutex_t lock;
    struct change_page *page; /* NULL: there is none */
    time_t looked;            /* when the page was last checked */
    uint64_t number;          /* the count of changes when the answers were requested */
    uint64_t state;           /* counts changes, and pages */
    struct kept_answer items[PLACES];
    size_t next, n; /* place of the next answer; the n before it are taken */
    size_t bytes;
    const char *asked[ASKED_MAX]; /* the questions that galernad is answering, in any order */
    size_t n_asked;
    pthread_cond_t answered; /* signals that there is one less */
};

struct kept_answers *kept_answers_create(const char *socket)
{
    struct kept_answers *kept = memory_new(1, sizeof *kept);

    kept->socket = socket;
    kept->looked = -1;
    pthread_mutex_init(&kept->lock, NULL);
    pthread_cond_init(&kept->answered, NULL);
    return kept;
}

/* The i-th answer before the next one. */
static struct kept_answer *before_next(struct kept_answers *kept, size_t i)
{
    return &kept->items[(kept->next + PLACES - i) % PLACES];
}

static void drop_oldest(struct kept_answers *kept)
{
    struct kept_answer *item = before_next(kept, kept->n);

    kept->bytes -= item->bytes;
    kept->n--;
    free(item->question);
    free(item->answer);
}

static void drop_all(struct kept_answers *kept)
{
    while (kept->n > 0)
        drop_oldest(kept);
}

void kept_answers_destroy(struct kept_answers *kept)
{
    if (!kept)
        return;
    drop_all(kept);
    change_page_destroy(kept->page);
    pthread_cond_destroy(&kept->answered);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

/* Opens the page of a new galernad. */
static bool follow(struct kept_answers *kept)
{
    if (kept->page && change_page_is_current(kept->page))
        return false;
    change_page_destroy(kept->page);
    kept->page = change_page_open(kept->socket);
    return true;
}

/* Drops answers that are too old, or from before a change. */
static void look(struct kept_answers *kept, time_t now)
{
    bool changed = now != kept->looked && follow(kept);
    uint64_t number = kept->page ? change_page_read(kept->page) : 0;

    kept->looked = now;
    if (changed || number != kept->number) {
        drop_all(kept);
        kept->number = number;
        kept->state++;
    }
    while (kept->n > 0 && before_next(kept, kept->n)->asked <= now - KEPT_ANSWER_SECONDS)
        drop_oldest(kept);
}

static char *find(struct kept_answers *kept, const char *question, time_t now)
{
    look(kept, now);
    for (size_t i = 1; i <= kept->n; i++)
        if (strcmp(before_next(kept, i)->question, question) == 0)
            return memory_text(before_next(kept, i)->answer);
    return NULL;
}

/* The same question of another thread that galernad is answering; NULL: none. */
static const char *asked_by_another(const struct kept_answers *kept, const char *question)
{
    for (size_t i = 0; i < kept->n_asked; i++)
        if (strcmp(kept->asked[i], question) == 0)
            return kept->asked[i];
    return NULL;
}

/* The place of this very question; n_asked: none. */
static size_t place_of(const struct kept_answers *kept, const char *question)
{
    size_t i = 0;

    while (i < kept->n_asked && kept->asked[i] != question)
        i++;
    return i;
}

char *kept_answers_find(struct kept_answers *kept, const char *question, time_t now,
                        uint64_t *state)
{
    const char *other;
    char *answer;

    pthread_mutex_lock(&kept->lock);
    answer = find(kept, question, now);
    other = answer ? NULL : asked_by_another(kept, question);
    if (other) { /* waits only once: galernad may not answer */
        while (place_of(kept, other) < kept->n_asked)
            pthread_cond_wait(&kept->answered, &kept->lock);
        answer = find(kept, question, now);
    }
    if (!answer && kept->n_asked < ASKED_MAX)
        kept->asked[kept->n_asked++] = question;
    *state = kept->page ? kept->state : 0;
    pthread_mutex_unlock(&kept->lock);
    return answer;
}

static void keep(struct kept_answers *kept, char *question, const char *answer)
{
    size_t bytes = strlen(question) + strlen(answer);

    while (kept->n > 0 && (kept->n == PLACES || kept->bytes + bytes > BYTES_MAX))
        drop_oldest(kept);
    *before_next(kept, 0) =
        (struct kept_answer){question, memory_text(answer), bytes, kept->looked};
    kept->next = (kept->next + 1) % PLACES;
    kept->n++;
    kept->bytes += bytes;
}

void kept_answers_keep(struct kept_answers *kept, char *question, const char *answer,
                       uint64_t state)
{
    size_t place;

    pthread_mutex_lock(&kept->lock);
    place = place_of(kept, question);
    if (place < kept->n_asked) {
        kept->asked[place] = kept->asked[--kept->n_asked];
        pthread_cond_broadcast(&kept->answered);
    }
    if (answer && state && state == kept->state) {
        keep(kept, question, answer);
        question = NULL;
    }
    pthread_mutex_unlock(&kept->lock);
    free(question);
}
