/* Turns signals into events of the loop. */
#include "daemon/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int descriptor = -1;

int signals_catch(struct error *err)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 ||
        (descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
        return error_errno(err, "cannot wait for signals");
    return 0;
}

unsigned signals_waitfd(struct pollfd *fd)
{
    *fd = (struct pollfd){.fd = descriptor, .events = POLLIN};
    return 1;
}

int signals_next(void)
{
    struct signalfd_siginfo info;

    if (descriptor < 0 || read(descriptor, &info, sizeof info) != sizeof info)
        return 0;
    return info.ssi_signo == SIGHUP ? SIGNAL_RELOAD : SIGNAL_STOP;
}
