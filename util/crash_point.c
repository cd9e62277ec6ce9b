#include "util/crash_point.h"

#ifdef GALERNA_CRASH_POINTS

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Whole, at once: a reader never sees a part of the number. */
static void write_count(long count)
{
    const char *path = getenv("GALERNA_CRASH_COUNT");
    char text[32];
    int fd, length;

    if (!path)
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    length = snprintf(text, sizeof text, "%ld\n", count);
    if (fd < 0 || write(fd, text, (size_t)length) != length || close(fd) < 0) {
        perror(path);
        _exit(CRASH_POINT_EXIT);
    }
}

static void write_trace(const char *name)
{
    const char *path = getenv("GALERNA_CRASH_TRACE");
    int fd;

    if (!path)
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || dprintf(fd, "%s\n", name) < 0 || close(fd) < 0) {
        perror(path);
        _exit(CRASH_POINT_EXIT);
    }
}

void crash_point(const char *name)
{
    static long passed; /* of the process: that is what the tests count */
    static pid_t process;
    const char *at = getenv("GALERNA_CRASH_AT");

    if (process != getpid()) {
        process = getpid();
        passed = 0;
    }
    write_count(++passed);
    write_trace(name);
    if (at && strtol(at, NULL, 10) == passed) {
        dprintf(STDERR_FILENO, "crash point %ld: %s\n", passed, name);
        _exit(CRASH_POINT_EXIT);
    }
}

#endif
