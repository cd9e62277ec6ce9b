/* Tries dangerous work in a child process first. */
#include "plugin/preflight.h"
#include "util/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { /* milliseconds */
       LOOK_EVERY = 100,
       CLEAN_UP = 2000, /* for ending the processes of the trial */
       GRACE = 1000,    /* beyond all limits, after which the guard itself hangs */
};

/* Shared memory: a process may die at any moment, and its notes must survive. */
struct preflight {
    char subject[256];
    char what[64];
    bool done; /* work returned */
    bool late; /* the limit was reached */
    int ended; /* status from waitpid() */
    int status;
    struct error error;
};

void preflight_doing(struct preflight *preflight, const char *subject, const char *what)
{
    snprintf(preflight->subject, sizeof preflight->subject, "%s", subject ? subject : "built in");
    snprintf(preflight->what, sizeof preflight->what, "%s", what);
}

static int64_t milliseconds(void)
{
    return clock_milliseconds(CLOCK_MONOTONIC);
}

/* --- the guard: the process between the caller and the trial ---------------------------------- */

/* A crash must end the child by its signal, without a handler of the program or a core file. */
static void reset_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE, SIGABRT, SIGTRAP,
                                  SIGTERM, SIGINT, SIGALRM, SIGSYS, SIGCHLD};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

static void become_trial(void)
{
    struct rlimit none = {0, 0};
    sigset_t nothing;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    setrlimit(RLIMIT_CORE, &none);
}

static void kill_children(void)
{
    FILE *children = fopen("/proc/thread-self/children", "re");
    int child;

    while (children && fscanf(children, "%d", &child) == 1)
        kill(child, SIGKILL);
    if (children)
        fclose(children);
}

/* A process whose parent has ended becomes a child of the guard: once the guard has no children,
 * all processes of the trial have ended. */
static void end_all(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int64_t until = milliseconds() + CLEAN_UP;
    pid_t ended;

    do {
        kill_children();
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0)
            return;
        nanosleep(&pause, NULL);
    } while (milliseconds() < until);
}

/* Waits until the trial ends; false: the limit was reached, or SIGTERM arrived. */
static bool wait_for_trial(pid_t trial, int64_t limit, const sigset_t *signals, int *status)
{
    int64_t until = milliseconds() + limit;

    for (;;) {
        int64_t left = until - milliseconds();
        const struct timespec wait = {left / 1000, left % 1000 * 1000000};

        if (left <= 0)
            return false;
        if (waitpid(trial, status, WNOHANG) == trial)
            return true;
        if (sigtimedwait(signals, NULL, &wait) == SIGTERM)
            return false;
    }
}

static void guard_trial(struct preflight *preflight, pid_t trial, int64_t limit)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    preflight->late = !wait_for_trial(trial, limit, &signals, &preflight->ended);
    if (preflight->late)
        kill(trial, SIGKILL);
    end_all();
}

/* Runs in the guard: SIGTERM, also sent when the caller ends, ends the trial; other signals are
 * blocked. */
static pid_t fork_trial(pid_t caller)
{
    sigset_t all;

    reset_signals();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != caller)
        _exit(0);
    return fork();
}

/* --- the caller ------------------------------------------------------------------------------- */

/* Waits until the guard ends, and signals it when *stop is set: *stop is polled at short intervals,
 * because a signal may arrive between two checks. A guard that a module has stopped is killed,
 * together with the trial. */
static int wait_for_guard(pid_t guard, int64_t limit, const volatile sig_atomic_t *stop)
{
    int handle = (int)syscall(SYS_pidfd_open, guard, 0), status = 0;
    struct pollfd end = {.fd = handle, .events = POLLIN};
    int64_t until = milliseconds() + limit + CLEAN_UP + GRACE;

    while (waitpid(guard, &status, WNOHANG) == 0) {
        if (stop && *stop)
            kill(guard, SIGTERM);
        if (milliseconds() > until)
            kill(guard, SIGKILL);
        poll(&end, 1, LOOK_EVERY);
    }
    if (handle >= 0)
        close(handle);
    return status;
}

static int judge(const struct preflight *preflight, int64_t limit, struct error *err)
{
    int status = preflight->ended;

    if (preflight->late)
        return error_set(err, ETIMEDOUT,
                         "%s: was stopped in a trial: it did not return within %lld ms when it %s; "
                         "it is not loaded",
                         preflight->subject, (long long)limit, preflight->what);
    if (preflight->done && preflight->status < 0)
        return error_set(err, preflight->error.code, "%s", preflight->error.text);
    if (WIFSIGNALED(status))
        return error_set(err, ECHILD, "%s: crashed in a trial: %s when it %s; it is not loaded",
                         preflight->subject, strsignal(WTERMSIG(status)), preflight->what);
    if (!preflight->done)
        return error_set(err, ECHILD,
                         "%s: exited with status %d in a trial when it %s; it is not loaded",
                         preflight->subject, WEXITSTATUS(status), preflight->what);
    return 0;
}

/* In the guard: starts the trial, and waits for its end. */
_Noreturn static void guard_work(struct preflight *preflight, preflight_work *work, void *context,
                                 int64_t limit, pid_t caller)
{
    pid_t trial = fork_trial(caller);

    if (trial == 0) {
        become_trial();
        preflight->status = work(context, preflight, &preflight->error);
        preflight->done = true;
    } else if (trial > 0) {
        guard_trial(preflight, trial, limit);
    }
    _exit(trial < 0 ? errno : 0);
}

int preflight_run(preflight_work *work, void *context, int64_t limit,
                  const volatile sig_atomic_t *stop, struct error *err)
{
    struct preflight *preflight =
        mmap(NULL, sizeof *preflight, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t caller = getpid(), guard;
    int status, result = -1;

    if (preflight == MAP_FAILED)
        return error_errno(err, "out of memory for the trial of modules");
    fflush(stdout); /* a module that calls exit() would print it again */
    guard = fork();
    if (guard == 0)
        guard_work(preflight, work, context, limit, caller);
    if (guard < 0) {
        error_errno(err, "cannot start a process for the trial of modules");
        goto done;
    }
    status = wait_for_guard(guard, limit, stop);
    if (WIFSIGNALED(status)) /* caused by a module */
        preflight->ended = status;
    if (stop && *stop)
        error_set(err, EINTR, "interrupted during the trial of policy modules");
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        error_set(err, WEXITSTATUS(status), "cannot start a process for the trial of modules: %s",
                  strerror(WEXITSTATUS(status)));
    else
        result = judge(preflight, limit, err);

done:
    munmap(preflight, sizeof *preflight);
    return result;
}
