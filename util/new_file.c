/* Files that get their names when they are complete. */
#include "util/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

struct new_file {
    int fd;
    char *path;   /* as given, for messages */
    char *target; /* where links lead to */
    char *hidden; /* beside the target: its name meanwhile, or for a moment at the end */
    bool in_place, named;
};

static int failed(const struct new_file *file, struct error *err)
{
    int code = errno;

    return error_set(err, code, "%s: cannot be written: %s", file->path, strerror(code));
}

/* "FOLDER/.NAME.XXXXXX", and room for what makes it new. */
static char *hidden_name(const char *target)
{
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;
    size_t size = strlen(target) + 40;
    char *name = memory_new(size, 1);

    snprintf(name, size, "%.*s.%.200s.XXXXXX", folder, target, target + folder);
    return name;
}

static int open_nameless(const char *target, mode_t mode)
{
    char *folder = memory_text(target), *slash = strrchr(folder, '/');
    int fd;

    if (access("/proc/self/fd", X_OK) < 0) {
        free(folder);
        errno = EOPNOTSUPP; /* it could not be named */
        return -1;
    }
    if (slash)
        slash[slash == folder] = '\0';
    fd = open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    free(folder);
    return fd;
}

/* A file whose name readers cannot confuse with the target. *name is freed by the caller. */
static int open_hidden(const char *target, mode_t mode, char **name)
{
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    *name = hidden_name(target);
    fd = mkostemp(*name, O_CLOEXEC);
    if (fd >= 0)
        fchmod(fd, mode & ~mask);
    return fd;
}

static int open_file(struct new_file *file, mode_t mode)
{
    struct stat status;
    bool exists = stat(file->target, &status) == 0;

    /* /dev/stderr may lead to a regular file that others write to as well. */
    file->in_place = exists && (!S_ISREG(status.st_mode) || strncmp(file->path, "/dev/", 5) == 0);
    if (file->in_place)
        return open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (exists && access(file->target, W_OK) < 0)
        return -1;
    file->fd = open_nameless(file->target, mode);
    if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        file->fd = open_hidden(file->target, mode, &file->hidden);
    if (file->fd < 0 && exists && (errno == EACCES || errno == EPERM || errno == EROFS)) {
        file->in_place = true;
        return open(file->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    file->named = file->fd >= 0 && file->hidden;
    if (file->fd >= 0 && exists)
        fchmod(file->fd, status.st_mode & 07777);
    return file->fd;
}

struct new_file *new_file_create(const char *path, mode_t mode, struct error *err)
{
    struct new_file *file = memory_new(1, sizeof *file);

    file->path = memory_text(path);
    file->target = realpath(path, NULL);
    if (!file->target)
        file->target = memory_text(path);
    file->fd = -1;
    file->fd = open_file(file, mode);
    if (file->fd >= 0)
        return file;
    failed(file, err);
    new_file_destroy(file);
    return NULL;
}

int new_file_descriptor(const struct new_file *file)
{
    return file->fd;
}

/* A nameless file becomes a hidden one: only a named file can take another's place. */
static int give_name(struct new_file *file)
{
    char from[40];

    snprintf(from, sizeof from, "/proc/self/fd/%d", file->fd);
    for (int attempt = 0; attempt < 100; attempt++) {
        char *name = hidden_name(file->target);

        snprintf(strrchr(name, '.'), 36, ".%ld-%d", (long)getpid(), attempt);
        if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            file->hidden = name;
            file->named = true;
            return 0;
        }
        free(name);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int settle(struct new_file *file)
{
    if (fsync(file->fd) < 0 && errno != EINVAL && errno != EROFS)
        return -1;
    if (file->in_place)
        return 0;
    if (!file->named && give_name(file) < 0)
        return -1;
    if (rename(file->hidden, file->target) < 0)
        return -1;
    file->named = false;
    return 0;
}

int new_file_commit(struct new_file *file, struct error *err)
{
    int result = settle(file);

    if (close(file->fd) < 0 && result == 0 && errno != EINTR)
        result = -1;
    file->fd = -1;
    if (result < 0)
        failed(file, err);
    new_file_destroy(file);
    return result;
}

char *new_file_hidden(const char *path, struct error *err)
{
    char *name;
    int fd = open_hidden(path, 0666, &name);

    if (fd >= 0) {
        close(fd);
        return name;
    }
    free(name);
    error_errno(err, "%s: cannot be written", path);
    return NULL;
}

int new_file_settle(const char *hidden, const char *path, struct error *err)
{
    int fd = open(hidden, O_RDONLY | O_CLOEXEC);
    int result = fd < 0 || fsync(fd) < 0 ? -1 : 0, code;

    if (result == 0)
        result = rename(hidden, path);
    code = errno;
    if (fd >= 0)
        close(fd);
    return result < 0 ? error_set(err, code, "%s: cannot be written: %s", path, strerror(code)) : 0;
}

void new_file_destroy(struct new_file *file)
{
    int saved = errno;

    if (!file)
        return;
    if (file->named)
        unlink(file->hidden);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->target);
    free(file->hidden);
    free(file);
    errno = saved;
}
