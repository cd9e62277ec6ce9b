/* Programs run beside the daemon, as OpenNebula runs drivers and hooks. */
#include "sandbox/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/output.h"

struct oned_process {
    pid_t pid;
    int input, output, errors; /* files in memory: no side blocks on a full pipe */
};

static void close_files(struct oned_process *process)
{
    if (process->input >= 0)
        close(process->input);
    if (process->output >= 0)
        close(process->output);
    if (process->errors >= 0)
        close(process->errors);
}

static int write_all(int fd, const struct oned_text *text)
{
    return output_write_all(fd, text->bytes, text->size) < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -1 : 0;
}

static int spawn(struct oned_process *process, const char *program, const char *argument)
{
    char *argv[] = {memory_text(program), memory_text(argument), NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int code;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, process->input, 0);
    posix_spawn_file_actions_adddup2(&files, process->output, 1);
    posix_spawn_file_actions_adddup2(&files, process->errors, 2);
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    code = posix_spawn(&process->pid, program, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(argv[0]);
    free(argv[1]);
    return code;
}

struct oned_process *oned_process_start(const char *program, const char *argument,
                                        const struct oned_text *input, struct error *err)
{
    struct oned_process *process = memory_new(1, sizeof *process);
    int code;

    process->input = memfd_create("input", MFD_CLOEXEC);
    process->output = memfd_create("output", MFD_CLOEXEC);
    process->errors = memfd_create("errors", MFD_CLOEXEC);
    if (process->input < 0 || process->output < 0 || process->errors < 0 ||
        write_all(process->input, input))
        code = errno;
    else
        code = spawn(process, program, argument);
    if (code) {
        error_set(err, code, "%s: cannot be run: %s", program, strerror(code));
        close_files(process);
        free(process);
        return NULL;
    }
    return process;
}

static void read_all(int fd, struct oned_text *text)
{
    char piece[4096];
    ssize_t size;

    oned_text_put(text, "");
    lseek(fd, 0, SEEK_SET);
    while ((size = read(fd, piece, sizeof piece)) > 0)
        oned_text_add(text, piece, (size_t)size);
}

bool oned_process_ended(struct oned_process *process, int *code, struct oned_text *output,
                        struct oned_text *errors)
{
    int status;

    if (waitpid(process->pid, &status, WNOHANG) != process->pid)
        return false;
    process->pid = -1;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_all(process->output, output);
    read_all(process->errors, errors);
    return true;
}

void oned_process_destroy(struct oned_process *process)
{
    if (!process)
        return;
    if (process->pid > 0) {
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
    }
    close_files(process);
    free(process);
}

void oned_base64(const struct oned_text *text, struct oned_text *encoded)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)text->bytes;

    for (size_t i = 0; i < text->size; i += 3) {
        size_t left = text->size - i;
        unsigned group = (unsigned)bytes[i] << 16;
        char four[4];

        group |= left > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        for (int k = 0; k < 4; k++)
            four[k] = digits[(group >> (18 - 6 * k)) & 63];
        if (left < 3)
            four[3] = '=';
        if (left < 2)
            four[2] = '=';
        oned_text_add(encoded, four, 4);
    }
}
