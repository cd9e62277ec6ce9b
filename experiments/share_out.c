/* Pieces of work in processes of their own. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/bench.h"
#include "util/memory.h"

struct worker {
    pid_t pid;
    int pipe;
    size_t piece;
    size_t got;
    char *answer; /* an error, then the result */
};

struct crew {
    const struct experiment_bench *bench;
    const struct experiment_work *work;
    struct worker *workers;
    struct pollfd *polled;
    size_t n_workers, size; /* of an answer */
    size_t begun, done;
};

static int write_all(int fd, const void *bytes, size_t n)
{
    const char *next = bytes;

    while (n > 0) {
        ssize_t written = write(fd, next, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return -1;
        next += written;
        n -= (size_t)written;
    }
    return 0;
}

static void perform(const struct crew *crew, size_t piece, int pipe)
{
    struct error err;
    char *result = memory_new(1, crew->work->result_size);

    memset(&err, 0, sizeof err);
    if (crew->work->perform(crew->work->context, piece, result, &err) < 0 && err.code == 0)
        error_set(&err, EIO, "piece %zu failed", piece);
    _exit(write_all(pipe, &err, sizeof err) < 0 ||
                  write_all(pipe, result, crew->work->result_size) < 0
              ? 1
              : 0);
}

static int begin(struct crew *crew, struct worker *worker, struct error *err)
{
    int ends[2];

    worker->piece = crew->begun++;
    worker->got = 0;
    if (pipe(ends) < 0)
        return error_set(err, errno, "no pipe for a run: %s", strerror(errno));
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid < 0) {
        int code = errno;

        close(ends[0]);
        close(ends[1]);
        return error_set(err, code, "no process for a run: %s", strerror(code));
    }
    if (worker->pid == 0) {
        close(ends[0]);
        perform(crew, worker->piece, ends[1]);
    }
    close(ends[1]);
    worker->pipe = ends[0];
    return 0;
}

static void dismiss(struct worker *worker)
{
    if (worker->pid <= 0)
        return;
    close(worker->pipe);
    waitpid(worker->pid, NULL, 0);
    worker->pid = 0;
}

/* The pipe was closed, or everything is there. */
static int finish(struct crew *crew, struct worker *worker, void *results, struct error *err)
{
    const struct error *failed = (const struct error *)(const void *)worker->answer;

    dismiss(worker);
    if (worker->got < crew->size)
        return error_set(err, ECHILD, "run %zu of %zu ended before it had a result",
                         worker->piece + 1, crew->work->n);
    if (failed->code != 0)
        return error_set(err, failed->code, "%s", failed->text);
    memcpy((char *)results + worker->piece * crew->work->result_size,
           worker->answer + sizeof(struct error), crew->work->result_size);
    crew->done++;
    return 0;
}

static void tell(const struct crew *crew)
{
    const struct experiment_request *request = crew->bench->request;
    double share = crew->work->n > 0 ? (double)crew->done / (double)crew->work->n : 1;

    if (request->progress)
        request->progress(request->context,
                          crew->work->from + share * (crew->work->until - crew->work->from),
                          crew->work->what);
}

static int look(struct crew *crew, void *results, struct error *err)
{
    for (size_t i = 0; i < crew->n_workers; i++)
        crew->polled[i] = (struct pollfd){
            .fd = crew->workers[i].pid > 0 ? crew->workers[i].pipe : -1, .events = POLLIN};
    if (poll(crew->polled, crew->n_workers, 200) < 0 && errno != EINTR)
        return error_set(err, errno, "waiting for runs: %s", strerror(errno));
    for (size_t i = 0; i < crew->n_workers; i++) {
        struct worker *worker = &crew->workers[i];
        ssize_t n;

        if (!(crew->polled[i].revents & (POLLIN | POLLHUP | POLLERR)))
            continue;
        n = read(worker->pipe, worker->answer + worker->got, crew->size - worker->got);
        if (n > 0)
            worker->got += (size_t)n;
        if ((n == 0 || worker->got == crew->size) && finish(crew, worker, results, err) < 0)
            return -1;
    }
    return 0;
}

static int go_on(struct crew *crew, void *results, struct error *err)
{
    const struct experiment_request *request = crew->bench->request;

    while (crew->done < crew->work->n) {
        if (request->stop && *request->stop)
            return error_set(err, EINTR, "stopped");
        for (size_t i = 0; i < crew->n_workers && crew->begun < crew->work->n; i++)
            if (crew->workers[i].pid <= 0 && begin(crew, &crew->workers[i], err) < 0)
                return -1;
        if (look(crew, results, err) < 0)
            return -1;
        tell(crew);
    }
    return 0;
}

int experiment_share_out(const struct experiment_bench *bench, const struct experiment_work *work,
                         void *results, struct error *err)
{
    struct crew crew = {.bench = bench,
                        .work = work,
                        .n_workers = (size_t)bench->parallel,
                        .size = sizeof(struct error) + work->result_size};
    int result;

    crew.workers = memory_new(crew.n_workers, sizeof *crew.workers);
    crew.polled = memory_new(crew.n_workers, sizeof *crew.polled);
    for (size_t i = 0; i < crew.n_workers; i++)
        crew.workers[i].answer = memory_new(1, crew.size);
    result = go_on(&crew, results, err);
    for (size_t i = 0; i < crew.n_workers; i++) {
        if (crew.workers[i].pid > 0)
            kill(crew.workers[i].pid, SIGTERM);
        dismiss(&crew.workers[i]);
        free(crew.workers[i].answer);
    }
    free(crew.workers);
    free(crew.polled);
    return result;
}
