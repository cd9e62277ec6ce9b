/* A number in memory that galernad shares with processes that cache its answers. */
#include "daemon/control/change_page.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

struct change_page {
    char *path;
    bool own;
    dev_t device;
    ino_t inode;
    void *memory;
    _Atomic uint64_t *number; /* points to the memory */
};

/* Takes ownership of the descriptor. */
static struct change_page *map_page(const char *path, int fd, bool own)
{
    int protection = own ? PROT_READ | PROT_WRITE : PROT_READ;
    struct change_page *page = NULL;
    void *memory = MAP_FAILED;
    struct stat status;

    if (fstat(fd, &status) == 0 && (size_t)status.st_size >= sizeof(uint64_t))
        memory = mmap(NULL, sizeof(uint64_t), protection, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) {
        page = memory_new(1, sizeof *page);
        *page = (struct change_page){.path = memory_text(path),
                                     .own = own,
                                     .device = status.st_dev,
                                     .inode = status.st_ino,
                                     .memory = memory,
                                     .number = memory};
    }
    close(fd);
    return page;
}

static int create_file(const char *path, gid_t group)
{
    const uint64_t zero = 0;
    int fd;

    unlink(path);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    if ((group == (gid_t)-1 || (fchown(fd, (uid_t)-1, group) == 0 && fchmod(fd, 0640) == 0)) &&
        write(fd, &zero, sizeof zero) == (ssize_t)sizeof zero)
        return fd;
    close(fd);
    unlink(path);
    return -1;
}

struct change_page *change_page_create(const char *socket, gid_t group, struct error *err)
{
    char *path = memory_format("%s.changes", socket);
    int fd = create_file(path, group);
    struct change_page *page = fd < 0 ? NULL : map_page(path, fd, true);

    if (!page)
        error_errno(err, "%s: cannot be created", path);
    free(path);
    return page;
}

struct change_page *change_page_open(const char *socket)
{
    char *path = memory_format("%s.changes", socket);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct change_page *page = fd < 0 ? NULL : map_page(path, fd, false);

    free(path);
    return page;
}

bool change_page_is_current(const struct change_page *page)
{
    struct stat status;

    return stat(page->path, &status) == 0 && status.st_dev == page->device &&
           status.st_ino == page->inode;
}

void change_page_write(struct change_page *page, uint64_t number)
{
    atomic_store(page->number, number);
}

uint64_t change_page_read(const struct change_page *page)
{
    return atomic_load(page->number);
}

void change_page_destroy(struct change_page *page)
{
    if (!page)
        return;
    if (page->own) {
        change_page_write(page, change_page_read(page) + 1); /* signals that there are no more
                                                                answers */
        if (change_page_is_current(page))
            unlink(page->path);
    }
    munmap(page->memory, sizeof *page->number);
    free(page->path);
    free(page);
}
