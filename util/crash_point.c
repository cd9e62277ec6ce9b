/* Places where a test may kill the program. */
#include "util/crash_point.h"

#ifdef GALERNA_CRASH_POINTS

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Written at once, so that readers never see a part of the number. */
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

/* Is it the selected point, by its number or by its name and count? */
static bool is_meant(const char *at, const char *name, long passed, long *passed_of_name)
{
    const char *colon = strrchr(at, ':');

    if (!colon)
        return strtol(at, NULL, 10) == passed;
    if (strlen(name) != (size_t)(colon - at) || strncmp(at, name, strlen(name)) != 0)
        return false;
    return strtol(colon + 1, NULL, 10) == ++*passed_of_name;
}

void crash_point(const char *name)
{
    static long passed, passed_of_name; /* of the process: that is what the tests count */
    static pid_t process;
    const char *at = getenv("GALERNA_CRASH_AT");

    if (process != getpid()) {
        process = getpid();
        passed = passed_of_name = 0;
    }
    write_count(++passed);
    write_trace(name);
    if (at && is_meant(at, name, passed, &passed_of_name)) {
        dprintf(STDERR_FILENO, "crash point %ld: %s\n", passed, name);
        _exit(CRASH_POINT_EXIT);
    }
}

#endif
