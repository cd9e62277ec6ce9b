/* Checks access to the state directory, and locks it. */
#include "daemon/store/state_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OTHERS = S_IRWXG | S_IRWXO, PAUSES = 100 };

static int check_owner(const char *path, const struct stat *status, struct error *err)
{
    if (status->st_uid != geteuid())
        return error_set(err, EPERM,
                         "%s belongs to user %ld, but this process runs as user %ld: change the "
                         "owner with chown, or run as that user",
                         path, (long)status->st_uid, (long)geteuid());
    if (status->st_mode & OTHERS)
        return error_set(err, EPERM,
                         "%s is accessible to other users (mode %03o), but contains the requests "
                         "of all users: run 'chmod go= %s'",
                         path, (unsigned)(status->st_mode & 0777), path);
    return 0;
}

static bool is_empty(int directory)
{
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;
    bool empty = folder != NULL;

    if (!folder && copy >= 0)
        close(copy);
    if (!folder)
        return false;
    while (empty && (entry = readdir(folder)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    return empty;
}

int store_make_directory(const char *path)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;
    char parent[PATH_MAX];

    if (n > 1 && strlen(path) < sizeof parent && !strncmp(path, home, n) && path[n] == '/')
        for (const char *slash = path + n; (slash = strchr(slash + 1, '/'));) {
            snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
            if (mkdir(parent, S_IRWXU) < 0 && errno != EEXIST)
                return -1;
        }
    return mkdir(path, S_IRWXU) < 0 && errno != EEXIST ? -1 : 0;
}

static int check_directory(int fd, const char *directory, struct error *err)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return error_errno(err, "%s: cannot read the status of the state directory", directory);
    /* mkdir has just created the directory with the permissions of a common umask. It is empty, so
     * closing it takes nothing from other users. */
    if (status.st_uid == geteuid() && (status.st_mode & OTHERS) && is_empty(fd)) {
        if (fchmod(fd, S_IRWXU) < 0)
            return error_errno(err, "%s: cannot make the state directory private", directory);
        status.st_mode &= ~(mode_t)OTHERS;
    }
    return check_owner(directory, &status, err);
}

/* Works on an open descriptor: another directory could take over the name between the check and the
 * change. */
static int make_directory(const char *directory, struct error *err)
{
    int fd, result;

    if (store_make_directory(directory) < 0)
        return error_errno(err, "%s: cannot create the state directory", directory);
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR)
        return error_set(err, ENOTDIR, "%s is not a directory: name another one with --state-dir",
                         directory);
    if (fd < 0)
        return error_errno(err, "%s: cannot open the state directory", directory);
    result = check_directory(fd, directory, err);
    close(fd);
    return result;
}

int store_state_make_private(const char *path, struct error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    struct stat status;
    int result;

    if (fd < 0)
        return error_errno(err, "%s: cannot open", path);
    if (fstat(fd, &status) < 0)
        result = error_errno(err, "%s: cannot read the status of the file", path);
    else if (!S_ISREG(status.st_mode))
        result = error_set(err, EPERM, "%s is not a regular file", path);
    else
        result = check_owner(path, &status, err);
    close(fd);
    return result;
}

/* The process id written by the lock's holder; 0: unknown. */
static long owner(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    return n > 0 ? strtol(text, NULL, 10) : 0;
}

static int busy(int fd, const char *what, struct error *err)
{
    long pid = owner(fd);

    if (pid > 0)
        return error_set(err, EBUSY, "%s is in use by another galernad, process %ld: stop it first",
                         what, pid);
    return error_set(err, EBUSY, "%s is in use by another galernad: stop it first", what);
}

static bool has_ended(long pid)
{
    return pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Between fork() and exec(), a child also has the lock: if galernad is killed at that moment, the
 * child holds the lock a little longer. Waits for that. */
static int lock(int fd)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000000L};

    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        if (errno != EWOULDBLOCK)
            return -1;
        if (i == PAUSES || !has_ended(owner(fd))) {
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* Locks with flock, and writes our process id. */
static int take(int fd, const char *path, const char *what, struct error *err)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (lock(fd) < 0)
        return errno == EWOULDBLOCK ? busy(fd, what, err)
                                    : error_errno(err, "%s: cannot lock", path);
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)length, 0) != length)
        return error_errno(err, "%s: cannot write the process id", path);
    return 0;
}

int store_state_take(const char *path, const char *what, struct error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);

    if (fd < 0)
        return error_errno(err, "%s: cannot open", path);
    if (take(fd, path, what, err) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int store_state_lock(const char *directory, struct error *err)
{
    char path[PATH_MAX];

    if (make_directory(directory, err) < 0)
        return -1;
    if (snprintf(path, sizeof path, "%s/lock", directory) >= (int)sizeof path)
        return error_set(err, ENAMETOOLONG,
                         "%.200s...: the name of the state directory is too long", directory);
    if (store_state_make_private(path, err) < 0)
        return -1;
    return store_state_take(path, directory, err);
}

int store_state_take_over(const char *directory, struct error *err)
{
    /* The database last: under its old name, it shows that other files may still have to be
     * renamed. */
    static const char *const parts[] = {"-wal", "-shm", ""};
    char from[PATH_MAX], to[PATH_MAX];
    struct stat status;

    snprintf(from, sizeof from, "%s/book.db", directory);
    snprintf(to, sizeof to, "%s/store.db", directory);
    if (lstat(from, &status) < 0 || lstat(to, &status) == 0)
        return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(from, sizeof from, "%s/book.db%s", directory, parts[i]);
        snprintf(to, sizeof to, "%s/store.db%s", directory, parts[i]);
        if (rename(from, to) < 0 && errno != ENOENT)
            return error_errno(err, "%s: cannot rename the file to store.db", from);
    }
    return 0;
}
