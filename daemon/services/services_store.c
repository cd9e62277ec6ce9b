/* Changes that are requested while the store may not be writable. */
#include <errno.h>

#include "daemon/notify/commit.h"
#include "daemon/services/services_question.h"

int services_check_store(const struct daemon *daemon, struct error *err)
{
    const char *problem = daemon->problems[PROBLEM_STORE].text;

    return *problem ? error_set(err, EAGAIN, "cannot write state, so nothing is changed: %.200s",
                                problem)
                    : 0;
}

int services_commit(struct daemon *daemon, struct error *err)
{
    struct error failed;

    if (daemon_commit(daemon, &failed) == 0)
        return 0;
    return error_set(err, EAGAIN, "not yet, but as soon as state can be written: %.200s",
                     failed.text);
}
