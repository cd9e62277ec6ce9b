/* The cells of a sweep in processes of their own, several at a time. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/cell.h"
#include "sweep/session.h"
#include "util/memory.h"

enum { LOOK_MILLISECONDS = 100 };

struct worker {
    size_t cell; /* 0: idle */
    pid_t process;
    int answer; /* reading end of the pipe */
};

/* What a child tells when it ends. */
struct answer {
    bool failed;
    struct error error;
};

struct pool {
    struct session *session;
    struct worker *workers;
    size_t n_workers, n_running;
    size_t next, n_finished; /* of session.pending */
    volatile double *done;   /* of each worker, shared with the children */
    double begun;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool stop_asked(const struct session *session)
{
    return session->options->stop && *session->options->stop;
}

static void be_worker(struct pool *pool, size_t cell, size_t place, int answer_end)
{
    struct session *session = pool->session;
    struct cell_work work = {
        .sweep = session->sweep,
        .cell = cell,
        .keep = session->keep,
        .folder = &session->folder,
        .stop = session->options->stop,
        .done = &pool->done[place],
    };
    struct sweep_outcome outcome;
    struct answer answer = {0};
    ssize_t written;

    /* Ctrl-C on the terminal is for the parent, who passes it on once. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    /* The lock is the parent's: when it is killed, the next one need not wait for its children,
     * whose files get their names when they are whole. */
    if (session->folder.lock >= 0)
        close(session->folder.lock);
    answer.failed = cell_perform(&work, &outcome, &answer.error) < 0;
    do
        written = write(answer_end, &answer, sizeof answer);
    while (written < 0 && errno == EINTR);
    _exit(written == (ssize_t)sizeof answer ? 0 : 1);
}

static int start_worker(struct pool *pool, size_t place, size_t cell, struct error *err)
{
    struct worker *worker = &pool->workers[place];
    int ends[2];

    if (pipe(ends) < 0)
        return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pool->done[place] = 0;
    worker->process = fork();
    if (worker->process < 0) {
        close(ends[0]);
        close(ends[1]);
        return error_set(err, errno, "cannot start a process: %s", strerror(errno));
    }
    if (worker->process == 0) {
        close(ends[0]);
        be_worker(pool, cell, place, ends[1]);
    }
    close(ends[1]);
    worker->answer = ends[0];
    worker->cell = cell;
    pool->n_running++;
    return 0;
}

/* A worker has ended: take its cell's file, or find out why there is none. */
static int end_worker(struct pool *pool, struct worker *worker, struct error *err)
{
    struct session *session = pool->session;
    struct answer answer;
    size_t cell = worker->cell;
    ssize_t got;
    int status = 0, taken;

    do
        got = read(worker->answer, &answer, sizeof answer);
    while (got < 0 && errno == EINTR);
    close(worker->answer);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
        ;
    worker->cell = 0;
    pool->n_running--;
    if (got != (ssize_t)sizeof answer && stop_asked(session))
        return 0;
    if (got != (ssize_t)sizeof answer)
        return error_set(err, ECHILD, "%s: the process was ended by signal %d",
                         sweep_name(session->sweep, cell), WTERMSIG(status));
    if (answer.failed && answer.error.code == EINTR)
        return 0;
    if (answer.failed) {
        error_set(err, answer.error.code, "%s", answer.error.text);
        return error_prefix(err, "%s", sweep_name(session->sweep, cell));
    }
    taken = session_take(session, cell, err);
    if (taken == 0)
        return error_set(err, EIO, "%s: the cell left no whole file in %s; was it removed?",
                         sweep_name(session->sweep, cell), session->folder.path);
    pool->n_finished++;
    return taken < 0 ? -1 : 0;
}

static void tell_progress(struct pool *pool)
{
    struct session *session = pool->session;
    size_t n_pending = session->n_pending;
    double sum = (double)pool->n_finished;

    for (size_t i = 0; i < pool->n_workers; i++)
        if (pool->workers[i].cell)
            sum += pool->done[i];
    session_tell(session, pool->n_finished, sum / (double)n_pending, now() - pool->begun);
}

/* Wait for workers that answer, a tenth of a second at most. */
static int wait_for_workers(struct pool *pool, struct error *err)
{
    struct pollfd *pipes = memory_new(pool->n_workers, sizeof *pipes);
    int result = 0;

    for (size_t i = 0; i < pool->n_workers; i++)
        pipes[i] = (struct pollfd){.fd = pool->workers[i].cell ? pool->workers[i].answer : -1,
                                   .events = POLLIN};
    if (poll(pipes, pool->n_workers, LOOK_MILLISECONDS) > 0)
        for (size_t i = 0; i < pool->n_workers; i++)
            if (pipes[i].revents && end_worker(pool, &pool->workers[i], result ? NULL : err) < 0)
                result = -1;
    free(pipes);
    return result;
}

static void pass_on(const struct pool *pool, int signal_number)
{
    for (size_t i = 0; i < pool->n_workers; i++)
        if (pool->workers[i].cell)
            kill(pool->workers[i].process, signal_number);
}

static int start_workers(struct pool *pool, struct error *err)
{
    const struct session *session = pool->session;

    for (size_t i = 0; i < pool->n_workers && pool->next < session->n_pending; i++)
        if (!pool->workers[i].cell) {
            if (start_worker(pool, i, session->pending[pool->next], err) < 0)
                return -1;
            pool->next++;
        }
    return 0;
}

static int run_pool(struct pool *pool, struct error *err)
{
    const struct session *session = pool->session;
    sig_atomic_t passed_on = 0;
    int result = 0;

    for (;;) {
        if (result == 0 && !stop_asked(session))
            result = start_workers(pool, err);
        if (pool->n_running == 0)
            break;
        if (wait_for_workers(pool, result ? NULL : err) < 0)
            result = -1;
        tell_progress(pool);
        /* What the others do is not lost when one cannot go on: they end in order too. */
        if (stop_asked(session) && passed_on < *session->options->stop) {
            passed_on = *session->options->stop;
            pass_on(pool, passed_on == 1 ? SIGTERM : SIGKILL);
        }
    }
    if (result == 0 && pool->n_finished < session->n_pending)
        result = error_set(err, EINTR,
                           "interrupted with %zu of %zu cells done; the same command goes on "
                           "from there",
                           session->n_cells_done + pool->n_finished, session->sweep->n_cells);
    return result;
}

static size_t workers_wanted(const struct session *session)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = session->options->jobs ? session->options->jobs
                    : processors > 0       ? (size_t)processors
                                           : 1;

    return wanted < session->n_pending ? wanted : session->n_pending;
}

static int run_pending(struct session *session, struct error *err)
{
    struct pool pool = {.session = session, .n_workers = workers_wanted(session), .begun = now()};
    size_t size = pool.n_workers * sizeof(double);
    void *shared;
    int result;

    if (session->n_pending == 0)
        return 0;
    shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return error_set(err, errno, "no memory shared with processes: %s", strerror(errno));
    pool.done = shared;
    pool.workers = memory_new(pool.n_workers, sizeof *pool.workers);
    result = run_pool(&pool, err);
    free(pool.workers);
    munmap(shared, size);
    return result;
}

int sweep_run(struct sweep *sweep, const struct sweep_options *options,
              struct sweep_outcome *outcomes, struct error *err)
{
    struct session session;
    int result = session_init(&session, sweep, options, err);

    if (result == 0)
        result = run_pending(&session, err);
    if (session_finish(&session, outcomes, result ? NULL : err) < 0)
        result = -1;
    if (result < 0 && err && err->code)
        errno = err->code;
    return result;
}

int sweep_collect(struct sweep *sweep, const struct sweep_options *options,
                  struct sweep_outcome *outcomes, struct error *err)
{
    struct session session;
    int result = session_init(&session, sweep, options, err);

    if (session_finish(&session, outcomes, result ? NULL : err) < 0)
        result = -1;
    return result;
}
