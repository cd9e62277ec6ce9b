/* Keeps connections to galernad. */
#include "web/galernad.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "daemon/control/control.h"
#include "util/clock.h"
#include "util/memory.h"
#include "web/kept_answers.h"

enum {
    KEPT_MAX = 8,
    KEPT_FOR = CONTROL_IDLE / 2000, /* seconds, shorter than galernad's own limit */
};

struct galernad {
    const char *socket;
    pthread_mutex_t lock;
    struct kept {
        int fd;
        time_t since;
    } kept[KEPT_MAX]; /* in the order of use, the latest at the end */
    int n;
    struct kept_answers *answers;
};

static time_t seconds(void)
{
    return clock_milliseconds(CLOCK_MONOTONIC) / 1000;
}

struct galernad *galernad_create(const char *socket)
{
    struct galernad *galernad = memory_new(1, sizeof *galernad);

    galernad->socket = socket;
    galernad->answers = kept_answers_create(socket);
    pthread_mutex_init(&galernad->lock, NULL);
    return galernad;
}

void galernad_destroy(struct galernad *galernad)
{
    if (!galernad)
        return;
    while (galernad->n > 0)
        close(galernad->kept[--galernad->n].fd);
    kept_answers_destroy(galernad->answers);
    pthread_mutex_destroy(&galernad->lock);
    free(galernad);
}

/* -1: no connection is kept. */
static int take(struct galernad *galernad)
{
    time_t oldest = seconds() - KEPT_FOR;
    int fd = -1;

    pthread_mutex_lock(&galernad->lock);
    while (galernad->n > 0 && fd < 0) {
        const struct kept *last = &galernad->kept[--galernad->n];

        if (last->since >= oldest && control_is_open(last->fd))
            fd = last->fd;
        else
            close(last->fd);
    }
    pthread_mutex_unlock(&galernad->lock);
    return fd;
}

static void keep(struct galernad *galernad, int fd)
{
    pthread_mutex_lock(&galernad->lock);
    if (galernad->n < KEPT_MAX)
        galernad->kept[galernad->n++] = (struct kept){fd, seconds()};
    else
        close(fd);
    pthread_mutex_unlock(&galernad->lock);
}

static char *ask_text(struct galernad *galernad, const json_t *request, int timeout,
                      struct error *err)
{
    int fd = take(galernad);
    char *answer = control_ask_on(&fd, galernad->socket, request, timeout, err);

    if (fd >= 0)
        keep(galernad, fd);
    return answer;
}

char *galernad_look(struct galernad *galernad, const json_t *question, int timeout,
                    struct error *err)
{
    char *text = json_dumps(question, JSON_COMPACT | JSON_SORT_KEYS), *answer;
    uint64_t state;

    if (!text)
        return ask_text(galernad, question, timeout, err);
    answer = kept_answers_find(galernad->answers, text, seconds(), &state);
    if (answer) {
        free(text);
        return answer;
    }
    answer = ask_text(galernad, question, timeout, err);
    kept_answers_keep(galernad->answers, text, answer, state);
    return answer;
}

json_t *galernad_ask(struct galernad *galernad, const json_t *request, int timeout,
                     struct error *err)
{
    char *answer = ask_text(galernad, request, timeout, err);

    return answer ? control_read_answer(answer, galernad->socket, err) : NULL;
}
