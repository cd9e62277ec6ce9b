/* Keeps the folder RESULTS.cells. */
#include "sweep/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

int folder_init(struct folder *folder, const char *results, struct error *err)
{
    *folder = (struct folder){.lock = -1};
    folder->path = memory_format("%s.cells", results);
    if (mkdir(folder->path, 0777) < 0 && errno != EEXIST)
        return error_errno(err, "%s: cannot create the directory", folder->path);
    return 0;
}

void folder_finish(struct folder *folder)
{
    if (folder->lock >= 0)
        close(folder->lock);
    free(folder->path);
    *folder = (struct folder){.lock = -1};
}

/* On a file system without locks, users must not run two sweeps at a time. */
static bool no_locks(int code)
{
    return code == ENOSYS || code == EOPNOTSUPP || code == ENOLCK;
}

int folder_lock(struct folder *folder, struct error *err)
{
    char *name = folder_name(folder, "lock");
    int result = 0;

    folder->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (folder->lock < 0)
        result = error_errno(err, "%s: cannot be opened", name);
    else if (flock(folder->lock, LOCK_EX | LOCK_NB) < 0 && !no_locks(errno))
        result = error_set(
            err, errno == EWOULDBLOCK ? EBUSY : errno,
            errno == EWOULDBLOCK
                ? "%s: another galerna sweep is writing the same results; wait until it ends"
                : "%s: cannot be locked",
            name);
    free(name);
    if (result < 0 && folder->lock >= 0) { /* the lock, and the folder, belong to another sweep */
        close(folder->lock);
        folder->lock = -1;
    }
    return result;
}

char *folder_name(const struct folder *folder, const char *name)
{
    return memory_format("%s/%s", folder->path, name);
}

char *folder_cell(const struct folder *folder, uint64_t digest)
{
    return memory_format("%s/%016" PRIx64 ".db", folder->path, digest);
}

/* Removes the files with this ending. */
static void remove_files(const struct folder *folder, const char *ending)
{
    DIR *directory = opendir(folder->path);

    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name), end = strlen(ending);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && length >= end &&
            !strcmp(entry->d_name + length - end, ending))
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
}

void folder_remove(struct folder *folder)
{
    remove_files(folder, "");
    rmdir(folder->path);
}
