/* Try something dangerous in a child process first. */
#include "plugin/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY = 100 /* milliseconds */ };

/* Shared memory: the child may die at any moment and what it noted is still there. */
struct preflight {
    char subject[256];
    char what[64];
    bool done; /* work came back */
    int status;
    struct error error;
};

void preflight_doing(struct preflight *preflight, const char *subject, const char *what)
{
    snprintf(preflight->subject, sizeof preflight->subject, "%s", subject ? subject : "built in");
    snprintf(preflight->what, sizeof preflight->what, "%s", what);
}

/* A crash must end the child by its signal, without a handler of the program or a core file. */
static void become_trial(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT,
                                  SIGTRAP, SIGTERM, SIGINT, SIGALRM, SIGSYS};
    struct rlimit none = {0, 0};
    sigset_t nothing;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    setrlimit(RLIMIT_CORE, &none);
}

static int64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until the child has closed its end of the pipe; false when the time is over first, or *stop
 * is set: a signal may come between two looks at it, so they are never far apart. */
static bool wait_for_end(int pipe_end, int64_t limit, const volatile sig_atomic_t *stop)
{
    int64_t until = milliseconds() + limit;

    for (;;) {
        struct pollfd poll_for = {.fd = pipe_end, .events = POLLIN};
        int64_t left = until - milliseconds();
        int n;

        if (left <= 0 || (stop && *stop))
            return false;
        n = poll(&poll_for, 1, left < LOOK_EVERY ? (int)left : LOOK_EVERY);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

static int judge(const struct preflight *preflight, int status, bool in_time, int64_t limit,
                 struct error *err)
{
    if (!in_time)
        return error_set(err, ETIMEDOUT,
                         "%s: was stopped in a trial: when it %s it does not return within "
                         "%lld ms; it is not loaded",
                         preflight->subject, preflight->what, (long long)limit);
    if (preflight->done && preflight->status < 0)
        return error_set(err, preflight->error.code, "%s", preflight->error.text);
    if (WIFSIGNALED(status))
        return error_set(err, ECHILD, "%s: crashed in a trial: %s when it %s; it is not loaded",
                         preflight->subject, strsignal(WTERMSIG(status)), preflight->what);
    if (!preflight->done)
        return error_set(err, ECHILD,
                         "%s: ended the program with status %d in a trial, when it %s; it is not "
                         "loaded",
                         preflight->subject, WEXITSTATUS(status), preflight->what);
    return 0;
}

int preflight_run(int (*work)(void *context, struct preflight *preflight, struct error *err),
                  void *context, int64_t limit, const volatile sig_atomic_t *stop,
                  struct error *err)
{
    struct preflight *preflight =
        mmap(NULL, sizeof *preflight, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2] = {-1, -1};
    int status = 0, result = -1;
    bool in_time;
    pid_t child;

    if (preflight == MAP_FAILED)
        return error_set(err, errno, "no memory for trying modules: %s", strerror(errno));
    if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0) {
        error_set(err, errno, "no process for trying modules: %s", strerror(errno));
        goto done;
    }
    if (child == 0) {
        become_trial();
        preflight->status = work(context, preflight, &preflight->error);
        preflight->done = true;
        _exit(0);
    }
    close(ends[1]);
    ends[1] = -1;
    in_time = wait_for_end(ends[0], limit, stop);
    if (!in_time)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (stop && *stop)
        error_set(err, EINTR, "interrupted while policy modules were tried");
    else
        result = judge(preflight, status, in_time, limit, err);

done:
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    munmap(preflight, sizeof *preflight);
    return result;
}
