/* Runs a program to its end and captures its output. */
#include "sweep/run_program.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_back(int file, char *text)
{
    ssize_t got = pread(file, text, PROGRAM_TEXT_MAX - 1, 0);
    size_t length = got > 0 ? (size_t)got : 0;

    while (length > 0 && text[length - 1] == '\n')
        length--;
    text[length] = '\0';
}

static int spawn(char *const argv[], int output, int errors, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);

    if (code)
        return code;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    code = posix_spawnp(process, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int program_run(char *const argv[], struct program_result *result, struct error *err)
{
    int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    int code = output < 0 || errors < 0 ? errno : 0, status = 0;
    pid_t process = -1;

    if (code == 0)
        code = spawn(argv, output, errors, &process);
    while (code == 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    if (code == 0) {
        result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        read_back(output, result->output);
        read_back(errors, result->errors);
    }
    if (output >= 0)
        close(output);
    if (errors >= 0)
        close(errors);
    return code ? error_set(err, code, "cannot start %s: %s", argv[0], strerror(code)) : 0;
}
