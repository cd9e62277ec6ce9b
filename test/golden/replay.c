/* Runs the program under test on a golden case. */
#include "test/golden/replay.h"
#include "util/unqualified.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_LINES = 12 }; /* shown of a program that failed */

static const char *file_in_workspace(const struct golden *golden, const char *name,
                                     char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/%s", golden->workspace, name);
    return path;
}

const char *golden_record(const struct golden *golden, char path[PATH_MAX])
{
    return file_in_workspace(golden, "record.json", path);
}

const char *golden_summary(const struct golden *golden, char path[PATH_MAX])
{
    return file_in_workspace(golden, "summary.json", path);
}

static const char *golden_errors(const struct golden *golden, char path[PATH_MAX])
{
    return file_in_workspace(golden, "errors.txt", path);
}

int golden_begin(struct golden *golden, const char *galerna, const char *data)
{
    const char *folder = getenv("TMPDIR");

    golden->galerna = galerna;
    golden->data = data;
    golden->cases = golden->failures = 0;
    snprintf(golden->workspace, sizeof golden->workspace, "%.4000s/galerna-golden-XXXXXX",
             folder ? folder : "/tmp");
    if (mkdtemp(golden->workspace))
        return 0;
    perror(golden->workspace);
    return -1;
}

void golden_end(struct golden *golden)
{
    char path[PATH_MAX];

    unlink(golden_record(golden, path));
    unlink(golden_summary(golden, path));
    unlink(golden_errors(golden, path));
    rmdir(golden->workspace);
}

static void become_galerna(const struct golden *golden, const struct replay *replay)
{
    char record[PATH_MAX], summary[PATH_MAX], errors[PATH_MAX];
    const char *argv[REPLAY_ARGUMENTS_MAX] = {
        golden->galerna,       "replay",   "-c",
        replay->conf,          "--json",   "--compatibility",
        replay->compatibility, "--record", golden_record(golden, record)};
    int n = 9;
    int out = open(golden_summary(golden, summary), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open(golden_errors(golden, errors), O_WRONLY | O_CREAT | O_TRUNC, 0600);

    for (int i = 0; i < 4 && replay->settings[i]; i++) {
        argv[n++] = "--set";
        argv[n++] = replay->settings[i];
    }
    if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(126);
    execv(golden->galerna, unqualified(argv));
    fprintf(stderr, "%s: %s\n", golden->galerna, strerror(errno));
    _exit(127);
}

/* -1: it was stopped because it did not end by itself. */
static int wait_for(pid_t child, unsigned seconds)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int status;

    for (unsigned long i = 0; i < seconds * 500ul; i++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

static void print_last_words(const struct golden *golden)
{
    char path[PATH_MAX], line[300];
    FILE *file = fopen(golden_errors(golden, path), "r");

    for (int i = 0; file && i < OUTPUT_LINES && fgets(line, sizeof line, file); i++)
        printf("    %s%s", line, strchr(line, '\n') ? "" : "\n");
    if (file)
        fclose(file);
}

int golden_replay(const struct golden *golden, const struct replay *replay, unsigned seconds)
{
    char path[PATH_MAX];
    pid_t child;
    int status;

    unlink(golden_record(golden, path));
    fflush(stdout);
    child = fork();
    if (child == 0)
        become_galerna(golden, replay);
    if (child < 0) {
        perror("fork");
        return -1;
    }
    status = wait_for(child, seconds);
    if (status == 0)
        return 0;
    if (status == -1)
        printf("    did not end within %u s\n", seconds);
    else if (WIFSIGNALED(status))
        printf("    ended by signal %d\n", WTERMSIG(status));
    else
        printf("    exit code %d\n", WEXITSTATUS(status));
    print_last_words(golden);
    return -1;
}
