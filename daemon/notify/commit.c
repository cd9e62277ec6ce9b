/* Commits the store; a failure is a problem until a later commit succeeds. */
#include "daemon/notify/commit.h"

#include <errno.h>

#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/notify/notices.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

int daemon_commit(struct daemon *daemon, struct error *err)
{
    world_remember_promises(daemon->world, daemon->store);
    notices_keep(daemon->notices);
    quarantine_keep(&daemon->quarantine, daemon->store);
    if (store_has_changes(daemon->store))
        clocks_remember(daemon);
    if (store_commit(daemon->store, err) < 0) {
        if (!daemon->problems[PROBLEM_STORE].text[0])
            log_error("cannot write state, commands suspended: %s", err->text);
        daemon_problem(daemon, PROBLEM_STORE, err->text);
        err->code =
            EAGAIN; /* the next commit will write all changes that are missing from the store */
        return -1;
    }
    if (daemon->problems[PROBLEM_STORE].text[0])
        log_info("state is writable again, commands resumed");
    daemon_problem(daemon, PROBLEM_STORE, NULL);
    return 0;
}
