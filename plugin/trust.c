/* Checks that only root and the current user can write the file of a module. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/module_search.h"

/* Many systems give each user a private group with write permission and no other members. */
static bool is_private_group(gid_t gid)
{
    char user_room[1024], group_room[4096];
    struct passwd user, *found_user = NULL;
    struct group group, *found_group = NULL;

    if (getpwuid_r(geteuid(), &user, user_room, sizeof user_room, &found_user) != 0 ||
        !found_user || getgrgid_r(gid, &group, group_room, sizeof group_room, &found_group) != 0 ||
        !found_group)
        return false;
    for (char **member = group.gr_mem; *member; member++)
        if (strcmp(*member, user.pw_name) != 0)
            return false;
    return strcmp(user.pw_name, group.gr_name) == 0;
}

static int check_one(const char *path, const struct stat *status, const char *what,
                     struct error *err)
{
    /* In a directory such as /tmp (sticky), users cannot replace files of other users. */
    bool sticky = S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX);
    mode_t writers = status->st_mode & (S_IWGRP | S_IWOTH);

    if (status->st_uid != 0 && status->st_uid != geteuid())
        return error_set(err, EACCES,
                         "%s: belongs to user %u; a policy module%s must belong to root or to the "
                         "user who runs this program",
                         path, (unsigned)status->st_uid, what);
    if (sticky || !writers)
        return 0;
    if (!(writers & S_IWOTH) && (status->st_gid == 0 || is_private_group(status->st_gid)))
        return 0;
    return error_set(err, EACCES,
                     "%s: writable by other users (mode %04o), so a policy module%s cannot be "
                     "trusted; run: chmod go-w '%s'",
                     path, (unsigned)(status->st_mode & 07777), what, path);
}

int trust_check(const char *file, struct error *err)
{
    struct stat status;
    const char *slash = strrchr(file, '/');
    char directory[4096] = ".";

    if (stat(file, &status) < 0)
        return error_errno(err, "%s", file);
    if (!S_ISREG(status.st_mode))
        return error_set(err, EINVAL, "%s: is not a file", file);
    if (check_one(file, &status, "", err) < 0)
        return -1;
    if (slash && (size_t)(slash - file) < sizeof directory) {
        size_t length = slash == file ? 1 : (size_t)(slash - file);

        memcpy(directory, file, length);
        directory[length] = '\0';
    }
    if (stat(directory, &status) < 0)
        return error_errno(err, "%s", directory);
    return check_one(directory, &status, " in it", err);
}
