/* Child processes that each perform one piece of work and send its result through a pipe. */
#include "util/workers.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/output.h"
#include "util/unqualified.h"

enum { LOOK_MILLISECONDS = 100 };

/* Sent by a child: this, then the result. */
struct worker_answer {
    bool failed;
    struct error error;
};

struct worker {
    pid_t process; /* 0: idle */
    int pipe;      /* reading end */
    size_t piece, got;
    char *answer;
};

struct pool {
    const struct workers *settings;
    struct worker *workers;
    struct pollfd *polled;
    volatile double *done; /* of each worker, shared with the children */
    size_t n_workers, n_running;
    size_t n_begun, n_ended, n_told;
    size_t size; /* of an answer with its result */
    int passed_on;
};

size_t workers_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (size_t)n : 1;
}

static int stop_asked(const struct pool *pool)
{
    return pool->settings->stop ? (int)*pool->settings->stop : 0;
}

/* --- in the child ----------------------------------------------------------------------------- */

static void perform(const struct pool *pool, size_t place, int pipe, pid_t parent)
{
    const struct workers *settings = pool->settings;
    struct worker *worker = &pool->workers[place];
    struct worker_answer answer = {0};
    void *result = memory_new(1, settings->result_size);

    setpgid(0, 0);
    if (!settings->in_order)
        signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); /* it died before it could be watched */
    answer.failed = settings->perform(settings->context, worker->piece, result, &pool->done[place],
                                      &answer.error) < 0;
    fflush(NULL);
    _exit(output_write_all(pipe, (const char *)&answer, sizeof answer) < 0 ||
                  output_write_all(pipe, result, settings->result_size) < 0
              ? EXIT_FAILURE
              : EXIT_SUCCESS);
}

/* --- in the parent ---------------------------------------------------------------------------- */

static int failed(struct error *err, const char *what)
{
    int code = errno;

    return error_set(err, code, "cannot %s: %s", what, strerror(code));
}

static int begin(struct pool *pool, size_t place, struct error *err)
{
    struct worker *worker = &pool->workers[place];
    pid_t parent = getpid();
    int ends[2];

    if (pipe(ends) < 0)
        return failed(err, "create a pipe");
    worker->piece = pool->n_begun;
    worker->got = 0;
    pool->done[place] = 0;
    fflush(NULL);
    worker->process = fork();
    if (worker->process == 0) {
        close(ends[0]);
        perform(pool, place, ends[1], parent);
    }
    if (worker->process < 0) {
        failed(err, "start a process");
        worker->process = 0;
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    close(ends[1]);
    worker->pipe = ends[0];
    pool->n_begun++;
    pool->n_running++;
    return 0;
}

static int begin_more(struct pool *pool, struct error *err)
{
    for (size_t i = 0; i < pool->n_workers && pool->n_begun < pool->settings->n_pieces; i++)
        if (!pool->workers[i].process && begin(pool, i, err) < 0)
            return -1;
    return 0;
}

/* The process has ended or is about to; its exit status. */
static int collect(struct pool *pool, struct worker *worker)
{
    int status = 0;

    close(worker->pipe);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
        ;
    worker->process = 0;
    pool->n_running--;
    pool->n_ended++;
    return status;
}

static int end(struct pool *pool, struct worker *worker, struct error *err)
{
    const struct workers *settings = pool->settings;
    const char *result = worker->answer + sizeof(struct worker_answer);
    struct worker_answer answer;
    int status = collect(pool, worker);

    memcpy(&answer, worker->answer, sizeof answer);
    if (stop_asked(pool) &&
        (worker->got < pool->size || (answer.failed && answer.error.code == EINTR)))
        return 0;
    pool->n_told++;
    if (worker->got == pool->size && !answer.failed)
        return settings->ended(settings->context, worker->piece, result, err);
    if (worker->got == pool->size && answer.error.code)
        error_set(err, answer.error.code, "%s", answer.error.text);
    else if (worker->got == pool->size)
        error_set(err, EIO, "piece %zu failed", worker->piece + 1);
    else if (WIFSIGNALED(status))
        error_set(err, ECHILD, "the process was killed by signal %d", WTERMSIG(status));
    else
        error_set(err, ECHILD, "the process exited with status %d before it had a result",
                  WEXITSTATUS(status));
    return settings->ended(settings->context, worker->piece, NULL, err);
}

static void pass_on(const struct pool *pool, int signal_number)
{
    for (size_t i = 0; i < pool->n_workers; i++)
        if (pool->workers[i].process)
            kill(pool->workers[i].process, signal_number);
}

/* Wait for answers, a tenth of a second at most. */
static int look(struct pool *pool, struct error *err)
{
    int result = 0;

    for (size_t i = 0; i < pool->n_workers; i++)
        pool->polled[i] = (struct pollfd){
            .fd = pool->workers[i].process ? pool->workers[i].pipe : -1, .events = POLLIN};
    if (poll(pool->polled, pool->n_workers, LOOK_MILLISECONDS) < 0)
        return errno == EINTR ? 0 : failed(err, "wait for processes");
    for (size_t i = 0; i < pool->n_workers; i++) {
        struct worker *worker = &pool->workers[i];
        struct error late = {0};
        ssize_t n;

        if (!pool->polled[i].revents)
            continue;
        n = read(worker->pipe, worker->answer + worker->got, pool->size - worker->got);
        if (n > 0)
            worker->got += (size_t)n;
        if (n < 0 && errno == EINTR)
            continue;
        if ((n <= 0 || worker->got == pool->size) && end(pool, worker, result ? &late : err) < 0)
            result = -1;
    }
    return result;
}

static void signal_children(struct pool *pool, bool has_failed)
{
    int wanted = stop_asked(pool);

    if (has_failed && !pool->settings->in_order && wanted == 0)
        wanted = 1;
    if (pool->passed_on < wanted)
        pass_on(pool, wanted == 1 ? SIGTERM : SIGKILL);
    pool->passed_on = wanted;
}

static int run(struct pool *pool, struct error *err)
{
    const struct workers *settings = pool->settings;
    int result = 0;

    for (;;) {
        struct error later = {0};

        if (result == 0 && !stop_asked(pool))
            result = begin_more(pool, err);
        if (pool->n_running == 0)
            break;
        signal_children(pool, result < 0);
        if (look(pool, result ? &later : err) < 0)
            result = -1;
        if (settings->progress) {
            double sum = (double)pool->n_ended;

            for (size_t i = 0; i < pool->n_workers; i++)
                sum += pool->workers[i].process ? pool->done[i] : 0;
            settings->progress(settings->context, pool->n_ended, sum / (double)settings->n_pieces);
        }
    }
    if (result == 0 && pool->n_told < settings->n_pieces)
        result = error_set(err, EINTR, "interrupted with %zu of %zu pieces completed", pool->n_told,
                           settings->n_pieces);
    return result;
}

static void finish(struct pool *pool)
{
    for (size_t i = 0; i < pool->n_workers; i++)
        free(pool->workers[i].answer);
    free(pool->workers);
    free(pool->polled);
    munmap(unqualified(pool->done), pool->n_workers * sizeof *pool->done);
}

int workers_run(const struct workers *workers, struct error *err)
{
    struct pool pool = {.settings = workers,
                        .size = sizeof(struct worker_answer) + workers->result_size};
    struct error unwanted = {0};
    int result;

    if (workers->n_pieces == 0)
        return 0;
    pool.n_workers = workers->parallel < workers->n_pieces ? workers->parallel : workers->n_pieces;
    pool.done = mmap(NULL, pool.n_workers * sizeof *pool.done, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool.done == MAP_FAILED)
        return failed(err, "share memory with processes");
    pool.workers = memory_new(pool.n_workers, sizeof *pool.workers);
    pool.polled = memory_new(pool.n_workers, sizeof *pool.polled);
    for (size_t i = 0; i < pool.n_workers; i++)
        pool.workers[i].answer = memory_new(1, pool.size);
    result = run(&pool, err ? err : &unwanted);
    finish(&pool);
    return result;
}
