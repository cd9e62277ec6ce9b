/* Creates the control socket, and identifies peers. */
#include "daemon/control/control_listen.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/memory.h"

enum { BACKLOG = 64 };

int control_find_group(const char *group, gid_t *gid, struct error *err)
{
    char *end;
    unsigned long number = strtoul(group, &end, 10);
    const struct group *found;

    if (*group && !*end && number < UINT32_MAX) {
        *gid = (gid_t)number;
        return 0;
    }
    found = getgrnam(group);
    if (!found)
        return error_set(err, EINVAL, "control-group: group '%.60s' does not exist", group);
    *gid = found->gr_gid;
    return 0;
}

/* Removes the socket of a killed daemon, which refuses connections. */
static int remove_stale(const char *path, const struct sockaddr_un *address, struct error *err)
{
    struct stat status;
    int fd, refused;

    if (lstat(path, &status) < 0)
        return errno == ENOENT ? 0 : error_errno(err, "%s: cannot read its status", path);
    if (!S_ISSOCK(status.st_mode))
        return error_set(err, EEXIST,
                         "%s exists and is not a socket: remove it, or set control-socket", path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_errno(err, "cannot create a socket");
    refused = connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 &&
              (errno == ECONNREFUSED || errno == ENOENT);
    close(fd);
    if (!refused)
        return error_set(
            err, EADDRINUSE,
            "%s: another galernad is listening there: stop it first, or set control-socket", path);
    if (unlink(path) < 0 && errno != ENOENT)
        return error_errno(err, "%s: cannot remove the old socket", path);
    return 0;
}

/* Binds with the final permissions or fewer, never with more. */
static int bind_private(int fd, const char *path, const struct sockaddr_un *address, gid_t group)
{
    mode_t mask = umask(S_IXUSR | S_IRWXG | S_IRWXO);
    int result = bind(fd, (const struct sockaddr *)address, sizeof *address);

    umask(mask);
    if (result < 0 || group == (gid_t)-1)
        return result;
    if (lchown(path, (uid_t)-1, group) < 0)
        return -1;
    return chmod(path, S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP);
}

static int open_listener(const char *path, const struct sockaddr_un *address, gid_t group,
                         struct error *err)
{
    int fd;

    if (remove_stale(path, address, err) < 0)
        return -1;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_errno(err, "cannot create a socket");
    if (bind_private(fd, path, address, group) < 0 || listen(fd, BACKLOG) < 0) {
        error_errno(err, "%s: cannot create the control socket", path);
        close(fd);
        return -1;
    }
    return fd;
}

int control_listen(const char *path, gid_t group, struct error *err)
{
    struct sockaddr_un address;
    int directory, fd = -1;

    if (control_address(path, &address, &directory, err) == 0)
        fd = open_listener(path, &address, group, err);
    if (directory >= 0)
        close(directory);
    return fd;
}

static bool is_member(int fd, gid_t group)
{
    gid_t few[64], *groups = few;
    socklen_t size = sizeof few;
    bool member = false;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, few, &size) < 0) {
        if (errno != ERANGE)
            return false;
        groups = memory_new(1, size);
        if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
            size = 0;
    }
    for (size_t i = 0; i < size / sizeof *groups; i++)
        member = member || groups[i] == group;
    if (groups != few)
        free(groups);
    return member;
}

bool control_identify(int fd, gid_t group, struct control_peer *peer)
{
    struct ucred who;
    socklen_t size = sizeof who;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
        return false;
    *peer = (struct control_peer){
        .uid = who.uid,
        .trusted = who.uid == 0 || who.uid == geteuid() ||
                   (group != (gid_t)-1 && (who.gid == group || is_member(fd, group))),
    };
    return true;
}
