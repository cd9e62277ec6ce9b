/* Reads and writes the file with the expected number of commits of the store. */
#include "daemon/store/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/state_directory.h"
#include "daemon/store/sums.h"

enum { DIGITS = 16, TEXT_SIZE = DIGITS + sizeof " 01234567" };

static void seal_text(int64_t commits, char text[TEXT_SIZE + 1])
{
    char number[DIGITS + 1];

    snprintf(number, sizeof number, "%016" PRIx64, (uint64_t)commits);
    snprintf(text, TEXT_SIZE + 1, "%s %08" PRIx32 "\n", number, sum_of_bytes(number, DIGITS));
}

int64_t seal_read(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char text[TEXT_SIZE + 1] = "", expected[TEXT_SIZE + 1];
    uint64_t number;
    ssize_t n;

    if (fd < 0 && errno == ENOENT)
        return SEAL_NONE;
    n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (n < 0)
        error_errno(err, "%s: cannot read", path);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return SEAL_FAILED;
    text[TEXT_SIZE] = '\0';
    if (n == 0)
        return SEAL_NONE;
    if (sscanf(text, "%16" SCNx64, &number) != 1 || number > INT64_MAX)
        return SEAL_DAMAGED;
    seal_text((int64_t)number, expected);
    return n == TEXT_SIZE && strcmp(text, expected) == 0 ? (int64_t)number : SEAL_DAMAGED;
}

int seal_write(int fd, int64_t commits, const char *path, struct error *err)
{
    char text[TEXT_SIZE + 1];

    seal_text(commits, text);
    if (pwrite(fd, text, TEXT_SIZE, 0) != TEXT_SIZE)
        return error_errno(err, "%s: cannot write", path);
    return 0;
}

int seal_open(const char *path, struct error *err)
{
    int64_t commits = seal_read(path, err);
    int fd;

    if (commits == SEAL_FAILED || store_state_make_private(path, err) < 0)
        return -1;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return error_errno(err, "%s: cannot open", path);
    if (commits != SEAL_NONE)
        return fd;
    if (seal_write(fd, 0, path, err) == 0) {
        if (fsync(fd) == 0)
            return fd;
        error_errno(err, "%s: cannot write", path);
    }
    close(fd);
    return -1;
}
