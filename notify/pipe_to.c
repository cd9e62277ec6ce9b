/* Running a program that reads a text. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "notify/notify.h"

/* A descriptor from which the text is read. */
static int hold_text(const char *text, struct error *err)
{
    size_t length = strlen(text);
    int held = memfd_create("notice", MFD_CLOEXEC);

    if (held < 0 || write(held, text, length) != (ssize_t)length || lseek(held, 0, SEEK_SET) < 0) {
        error_errno(err, "no memory for the text");
        if (held >= 0)
            close(held);
        return -1;
    }
    return held;
}

static enum notify_end await(pid_t pid, const char *program, struct error *err)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) {
            error_errno(err, "%s", program);
            return NOTIFY_UNKNOWN;
        }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return NOTIFY_DONE;
    if (WIFSIGNALED(status)) {
        error_set(err, 0, "%s was killed by signal %d", program, WTERMSIG(status));
        return NOTIFY_UNKNOWN;
    }
    error_set(err, 0, "%s ended with exit code %d", program, WEXITSTATUS(status));
    return NOTIFY_AGAIN;
}

enum notify_end notify_pipe_to(char *const *arguments, const char *text, struct error *err)
{
    posix_spawn_file_actions_t files;
    int code, input = hold_text(text, err);
    pid_t pid;

    if (input < 0)
        return NOTIFY_AGAIN;
    /* Background processes of the program must not keep our standard error open, because galernad
     * waits for its end.
     */
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    code = posix_spawn(&pid, arguments[0], &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    close(input);
    if (code) {
        error_set(err, code, "%s: %s", arguments[0], strerror(code));
        return NOTIFY_AGAIN;
    }
    return await(pid, arguments[0], err);
}
