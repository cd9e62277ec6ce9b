/* Finds programs in libexec/galerna/. */
#include "daemon/helper.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void helper_find(const char *name, char path[HELPER_PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(program, '/');

        if (!slash)
            break;
        *slash = '\0';
        if (snprintf(path, HELPER_PATH_MAX, "%s/libexec/galerna/%s", program, name) <
                HELPER_PATH_MAX &&
            access(path, X_OK) == 0)
            return;
    }
    snprintf(path, HELPER_PATH_MAX, "%s/%s", GALERNA_HELPER_FOLDER, name);
}
