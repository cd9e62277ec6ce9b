/* Finds out whether a policy module has changed its process. */
#include "cli/policy_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t n = 0;

    while (tasks && readdir(tasks))
        n++;
    if (tasks)
        closedir(tasks);
    return n;
}

void process_state_take(struct process_state *state)
{
    struct itimerval timer = {0};
    struct stat folder = {0};
    struct sigaction action;

    memset(state, 0, sizeof *state);
    for (int i = 0; i < PROCESS_FILES; i++)
        state->files[i] = fcntl(i, F_GETFD) >= 0;
    for (int i = 1; i < PROCESS_SIGNALS; i++)
        if (sigaction(i, NULL, &action) == 0)
            state->handlers[i] = action.sa_handler;
    if (stat(".", &folder) == 0) {
        state->device = folder.st_dev;
        state->folder = folder.st_ino;
    }
    state->mask = umask(0);
    umask(state->mask);
    state->rounding = fegetround();
    if (getitimer(ITIMER_REAL, &timer) == 0)
        state->timer = timer.it_value.tv_sec + (timer.it_value.tv_usec > 0);
    state->threads = count_threads();
    snprintf(state->locale, sizeof state->locale, "%s", setlocale(LC_ALL, NULL));
}

const char *process_state_difference(const struct process_state *before,
                                     const struct process_state *after)
{
    if (memcmp(before->files, after->files, sizeof before->files) != 0)
        return "opens or closes files";
    if (memcmp(before->handlers, after->handlers, sizeof before->handlers) != 0)
        return "changes how signals are handled";
    if (before->device != after->device || before->folder != after->folder)
        return "changes the working directory";
    if (before->mask != after->mask)
        return "changes the umask";
    if (before->rounding != after->rounding)
        return "changes the rounding of floating-point numbers";
    if (strcmp(before->locale, after->locale) != 0)
        return "changes the locale";
    if (before->timer != after->timer)
        return "sets a timer";
    if (before->threads != after->threads)
        return "starts threads";
    if (waitpid(-1, NULL, WNOHANG) >= 0)
        return "starts processes";
    return NULL;
}
