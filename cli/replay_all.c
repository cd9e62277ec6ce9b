#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/replay.h"
#include "util/memory.h"

/* Set by the handler of Ctrl-C; a signal handler can reach nothing else. */
static volatile sig_atomic_t stop_asked;

enum { LOOK_MILLISECONDS = 100 };

struct child {
    pid_t process; /* 0: not started */
    int answer;    /* reading end of the pipe; -1: closed */
};

struct family {
    const struct replay_plan *plan;
    const struct replay_options *options;
    struct replay_outcome *outcomes;
    struct child *children;
    volatile double *done; /* of each run, shared with the children */
    size_t n_started, n_running, n_finished;
    struct progress progress;
};

static void note_stop(int signal_number)
{
    (void)signal_number;
    if (stop_asked < 2)
        stop_asked = stop_asked + 1;
}

/* The first Ctrl-C ends the runs in order. A single run is ended at once by the second one. */
static void catch_signals(int flags)
{
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = flags};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void be_child(struct family *family, size_t i, int answer)
{
    struct replay_control control = {
        .stop = &stop_asked,
        .done = &family->done[i],
        .title = family->plan->runs[i].title,
        .quiet = true,
    };
    struct replay_outcome outcome;
    ssize_t written;

    /* Ctrl-C on the terminal is for the parent, who passes it on once. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    replay_run_perform(&family->plan->runs[i], &control, &outcome);
    fflush(NULL);
    do
        written = write(answer, &outcome, sizeof outcome);
    while (written < 0 && errno == EINTR);
    _exit(written == (ssize_t)sizeof outcome ? 0 : 1);
}

static int start_child(struct family *family, size_t i, struct error *err)
{
    int ends[2];
    pid_t process;

    if (pipe(ends) < 0)
        return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    process = fork();
    if (process < 0) {
        close(ends[0]);
        close(ends[1]);
        return error_set(err, errno, "cannot start a process: %s", strerror(errno));
    }
    if (process == 0) {
        close(ends[0]);
        be_child(family, i, ends[1]);
    }
    close(ends[1]);
    family->children[i] = (struct child){.process = process, .answer = ends[0]};
    family->n_started++;
    family->n_running++;
    return 0;
}

__attribute__((format(printf, 2, 3))) static void fail_outcome(struct replay_outcome *outcome,
                                                               const char *format, ...)
{
    va_list args;

    *outcome = (struct replay_outcome){.code = EXIT_FAILED};
    va_start(args, format);
    vsnprintf(outcome->message, sizeof outcome->message, format, args);
    va_end(args);
}

static void reap_child(struct family *family, size_t i)
{
    struct child *child = &family->children[i];
    struct replay_outcome *outcome = &family->outcomes[i];
    ssize_t got;
    int status = 0;

    do
        got = read(child->answer, outcome, sizeof *outcome);
    while (got < 0 && errno == EINTR);
    close(child->answer);
    child->answer = -1;
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof *outcome)
        fail_outcome(outcome, "the run's process was ended by signal %d", WTERMSIG(status));
    family->done[i] = 1;
    family->n_running--;
    family->n_finished++;
}

static void pass_on_signal(const struct family *family, int signal_number)
{
    for (size_t i = 0; i < family->n_started; i++)
        if (family->children[i].answer >= 0)
            kill(family->children[i].process, signal_number);
}

/* Wait for children that answer, at most a tenth of a second. */
static void wait_for_children(struct family *family)
{
    struct pollfd *pipes = memory_new(family->n_running, sizeof *pipes);
    size_t *places = memory_new(family->n_running, sizeof *places), n = 0;

    for (size_t i = 0; i < family->n_started; i++)
        if (family->children[i].answer >= 0) {
            pipes[n] = (struct pollfd){.fd = family->children[i].answer, .events = POLLIN};
            places[n++] = i;
        }
    if (poll(pipes, n, LOOK_MILLISECONDS) > 0)
        for (size_t i = 0; i < n; i++)
            if (pipes[i].revents)
                reap_child(family, places[i]);
    free(pipes);
    free(places);
}

static void show_progress(struct family *family)
{
    char what[40];
    double sum = 0;

    for (size_t i = 0; i < family->plan->n_runs; i++)
        sum += family->done[i];
    snprintf(what, sizeof what, "%zu of %zu runs", family->n_finished, family->plan->n_runs);
    progress_show(&family->progress, sum / (double)family->plan->n_runs, what);
}

static int run_family(struct family *family, struct error *err)
{
    size_t n = family->plan->n_runs;
    sig_atomic_t passed_on = 0;
    int result = 0;

    while (family->n_finished < n) {
        while (result == 0 && !stop_asked && family->n_started < n &&
               (long)family->n_running < family->options->parallel)
            result = start_child(family, family->n_started, err);
        if (family->n_running == 0)
            break;
        wait_for_children(family);
        show_progress(family);
        if (passed_on < stop_asked) {
            pass_on_signal(family, stop_asked == 1 ? SIGINT : SIGKILL);
            passed_on = stop_asked;
        }
    }
    for (size_t i = family->n_started; i < n; i++) {
        fail_outcome(&family->outcomes[i], "not started");
        if (stop_asked)
            family->outcomes[i].code = EXIT_INTERRUPTED;
    }
    progress_finish(&family->progress);
    return result;
}

static int run_several(const struct replay_plan *plan, const struct replay_options *options,
                       struct replay_outcome *outcomes, struct error *err)
{
    size_t size = plan->n_runs * sizeof(double);
    struct family family = {.plan = plan, .options = options, .outcomes = outcomes};
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int result;

    if (shared == MAP_FAILED)
        return error_set(err, errno, "no memory shared with processes: %s", strerror(errno));
    family.done = shared;
    family.children = memory_new(plan->n_runs, sizeof *family.children);
    progress_init(&family.progress, options->quiet);
    catch_signals(0);
    result = run_family(&family, err);
    free(family.children);
    munmap(shared, size);
    return result;
}

int replay_all(const struct replay_plan *plan, const struct replay_options *options,
               struct replay_outcome *outcomes, struct error *err)
{
    struct progress progress;
    struct replay_control control = {
        .stop = &stop_asked,
        .progress = &progress,
        .quiet = options->quiet,
    };

    if (plan->n_runs > 1)
        return run_several(plan, options, outcomes, err);
    catch_signals(SA_RESETHAND);
    control.title = plan->runs[0].title;
    progress_init(&progress, options->quiet);
    replay_run_perform(&plan->runs[0], &control, &outcomes[0]);
    progress_finish(&progress);
    return 0;
}
