/* A control socket served by the test itself or by a child process. */
#include "test/daemon/server.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"

int server_run(struct control *control, int milliseconds)
{
    long until = clock_milliseconds(CLOCK_MONOTONIC) + milliseconds;
    int turns = 0;

    for (long left = milliseconds; left > 0;
         left = until - clock_milliseconds(CLOCK_MONOTONIC), turns++) {
        struct pollfd fds[CONTROL_CLIENTS_MAX + 1];
        unsigned n = control_waitfds(control, fds, CONTROL_CLIENTS_MAX + 1);

        poll(fds, n, (int)left);
        control_serve(control);
    }
    return turns;
}

pid_t server_start(const char *path, control_handler *handler, void *context)
{
    int ready[2];
    char byte;
    pid_t child;

    if (pipe(ready) < 0 || (child = fork()) < 0)
        abort();
    if (child == 0) {
        struct error err = {0};
        struct control *control = control_create(path, NULL, handler, context, &err);

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!control || write(ready[1], "r", 1) != 1) {
            fprintf(stderr, "%s\n", err.text);
            _exit(1);
        }
        for (;;)
            server_run(control, 1000);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        abort();
    close(ready[0]);
    return child;
}

void server_stop(pid_t server)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}
