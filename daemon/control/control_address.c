/* Finds the path of the control socket. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "daemon/control/control.h"
#include "util/memory.h"

static int through_directory(const char *path, struct sockaddr_un *address, int *directory,
                             struct error *err)
{
    char *copy = memory_text(path), *other = memory_text(path);
    const char *folder = dirname(copy), *name = basename(other);
    int length, result = 0;

    *directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*directory < 0)
        result = error_errno(err, "%s: cannot open its directory", path);
    else {
        length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s",
                          *directory, name);
        if (length >= (int)sizeof address->sun_path)
            result = error_set(err, ENAMETOOLONG, "%s: the path of the socket is too long", path);
    }
    free(copy);
    free(other);
    return result;
}

int control_address(const char *path, struct sockaddr_un *address, int *directory,
                    struct error *err)
{
    *directory = -1;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (!*path)
        return error_set(err, EINVAL, "the path of the control socket is empty");
    if (strlen(path) >= sizeof address->sun_path)
        return through_directory(path, address, directory, err);
    strcpy(address->sun_path, path);
    return 0;
}
