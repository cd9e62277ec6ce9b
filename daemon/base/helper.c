/* Finds and starts programs in libexec/galerna/. */
#include "daemon/base/helper.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/unqualified.h"

static void find(const char *name, char path[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(program, '/');

        if (!slash)
            break;
        *slash = '\0';
        if (snprintf(path, PATH_MAX, "%s/libexec/galerna/%s", program, name) < PATH_MAX &&
            access(path, X_OK) == 0)
            return;
    }
    snprintf(path, PATH_MAX, "%s/%s", GALERNA_HELPER_FOLDER, name);
}

pid_t helper_start(const char *name, const int *descriptors, size_t n, struct error *err)
{
    char program[PATH_MAX], zone[256] = "";
    char search[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    char *arguments[] = {unqualified(name), NULL}, *environment[] = {search, NULL, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t pid;
    int code;

    find(name, program);
    if (getenv("TZ")) {
        snprintf(zone, sizeof zone, "TZ=%s", getenv("TZ"));
        environment[1] = zone;
    }
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    for (size_t i = 0; i < n; i++)
        if (descriptors[i] < 0)
            posix_spawn_file_actions_addopen(&files, (int)i, "/dev/null", O_RDWR, 0);
        else
            posix_spawn_file_actions_adddup2(&files, descriptors[i], (int)i);
    posix_spawn_file_actions_addclosefrom_np(&files, (int)n);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    code = posix_spawn(&pid, program, &files, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (code)
        error_set(err, code, "%s: %s; it is installed together with galernad", program,
                  strerror(code));
    return code ? 0 : pid;
}
