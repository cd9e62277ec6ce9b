/* Runs commands of another program, galerna-opennebula: they need libraries for HTTP and XML-RPC,
 * with which every other command would start 5 ms later. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "util/unqualified.h"

/* <build>/libexec/galerna/ beside <build>/bin/, and so below the prefix of an installed one,
 * wherever it was moved. */
static int find_beside(char path[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    int written;

    if (length <= 0)
        return -1;
    program[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');

        if (!slash)
            return -1;
        *slash = '\0';
    }
    written =
        snprintf(path, PATH_MAX, "%s/%s/galerna-opennebula", program, GALERNA_LIBEXEC_DIRECTORY);
    return written > 0 && written < PATH_MAX && access(path, X_OK) == 0 ? 0 : -1;
}

int command_run_elsewhere(const struct call *call)
{
    char path[PATH_MAX];
    int code;

    if (find_beside(path) < 0)
        snprintf(path, sizeof path, "%s/galerna-opennebula", GALERNA_LIBEXEC_FULL);
    fflush(NULL);
    call->argv[0] = unqualified(call->name);
    execv(path, call->argv);
    code = errno;
    fprintf(stderr, "%s: %s: %s; it is installed together with galerna\n", call->name, path,
            strerror(code));
    return EXIT_FAILED;
}
