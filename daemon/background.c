/* Puts galernad into the background; the started process waits for its result. */
#include "daemon/background.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/signals.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

static int wait_for_daemon(pid_t daemon, int ready, int *exit_code, struct error *err)
{
    struct pollfd fds[2] = {{.fd = ready, .events = POLLIN}};
    char byte;
    int status = 0;

    signals_waitfd(&fds[1]);
    while (!fds[0].revents)
        if (poll(fds, 2, -1) > 0 && fds[1].revents && signals_next() == SIGNAL_STOP)
            kill(daemon, SIGTERM);
    if (read(ready, &byte, 1) != 1 && waitpid(daemon, &status, 0) == daemon)
        *exit_code = WEXITSTATUS(status);
    close(ready);
    return WIFSIGNALED(status)
               ? error_set(err, ECHILD, "galernad was killed by signal %d during its start",
                           WTERMSIG(status))
               : 1;
}

static int leave_standard_streams(struct error *err)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0)
        return error_errno(err, "/dev/null");
    close(nothing);
    return 0;
}

int background_enter(int *ready, int *exit_code, struct error *err)
{
    int ends[2];
    pid_t daemon;

    *ready = -1;
    *exit_code = 0;
    if (getenv("NOTIFY_SOCKET"))
        return 0;
    if (pipe2(ends, O_CLOEXEC) < 0 || (daemon = fork()) < 0)
        return error_errno(err, "cannot run in the background");
    if (daemon > 0) {
        close(ends[1]);
        return wait_for_daemon(daemon, ends[0], exit_code, err);
    }
    close(ends[0]);
    *ready = ends[1];
    setsid();
    return leave_standard_streams(err);
}

static void leave_terminal(const char *state_directory)
{
    struct error err = {0};
    char *path;

    if (!isatty(STDERR_FILENO))
        return;
    path = memory_format("%s/galernad.log", state_directory);
    log_info("running in the background; log file: %s", path);
    if (log_continue_in(path, &err) < 0)
        log_warning("%s", err.text);
    free(path);
}

void background_say_ready(int ready, const char *state_directory)
{
    sd_notify(0, "READY=1");
    if (ready < 0)
        return;
    leave_terminal(state_directory);
    (void)!write(ready, "", 1);
    close(ready);
}
