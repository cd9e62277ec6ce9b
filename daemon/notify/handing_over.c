/* Runs galerna-notify processes. */
#include "daemon/notify/handing_over.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/helper.h"

enum { LIMIT = 60 * 1000 /* milliseconds */ };

/* A descriptor from which the process reads the job. */
static int hold_job(const json_t *job, struct error *err)
{
    int held = memfd_create("notice", MFD_CLOEXEC);

    if (held >= 0 && json_dumpfd(job, held, JSON_COMPACT) == 0 && lseek(held, 0, SEEK_SET) == 0)
        return held;
    error_errno(err, "cannot create a file in memory for a notice");
    if (held >= 0)
        close(held);
    return -1;
}

int handing_over_start(struct handing_over *process, const json_t *job, struct error *err)
{
    int ends[2], input = hold_job(job, err);

    if (input < 0)
        return -1;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
        error_errno(err, "a notice");
        close(input);
        return -1;
    }
    *process = (struct handing_over){.errors = ends[0], .deadline = clock_monotonic() + LIMIT};
    process->pid = helper_start("galerna-notify", (int[]){input, -1, ends[1]}, 3, err);
    close(input);
    close(ends[1]);
    if (process->pid)
        return 0;
    close(ends[0]);
    return -1;
}

/* Drops output that exceeds the buffer. True: end of output. */
static bool read_errors(struct handing_over *process)
{
    char more[256];
    ssize_t n;

    while ((n = read(process->errors, more, sizeof more)) > 0) {
        size_t room = sizeof process->said - 1 - process->said_n;
        size_t kept = (size_t)n < room ? (size_t)n : room;

        memcpy(process->said + process->said_n, more, kept);
        process->said_n += kept;
    }
    return n == 0 || (errno != EAGAIN && errno != EINTR);
}

static enum notify_end end_of(const struct handing_over *process, int status, struct error *err)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : NOTIFY_UNKNOWN;

    if (WIFSIGNALED(status))
        error_set(err, ECHILD, "it was killed by signal %d", WTERMSIG(status));
    else
        error_set(err, ECHILD, "%.*s", (int)strcspn(process->said, "\n"), process->said);
    switch (code) {
    case NOTIFY_DONE:
    case NOTIFY_NEVER:
    case NOTIFY_AGAIN:
        return (enum notify_end)code;
    default:
        return NOTIFY_UNKNOWN;
    }
}

bool handing_over_ended(struct handing_over *process, enum notify_end *end, struct error *err)
{
    int status = 0;
    pid_t ended;

    if (clock_monotonic() >= process->deadline)
        kill(-process->pid, SIGKILL);
    if (!read_errors(process))
        return false;
    /* Its standard error is closed: the process has ended, or is about to end. */
    ended = waitpid(process->pid, &status, WNOHANG);
    if (ended == 0)
        return false;
    close(process->errors);
    if (ended < 0) {
        error_errno(err, "its exit status is unknown");
        *end = NOTIFY_UNKNOWN;
    } else {
        *end = end_of(process, status, err);
    }
    process->pid = 0;
    return true;
}
