/* Facts about OpenNebula visible on the machine it runs on. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/opennebula/setup.h"

#define UNIT_FOLDER "/etc/systemd/system"

/* Reads the beginning of a file as a text. -1: unreadable. */
static int read_start(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t n;

    if (!file)
        return -1;
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return 0;
}

static enum setup_answer stock_scheduler_runs(const char *root)
{
    char path[PATH_MAX], found[64];
    DIR *folder;
    struct dirent *entry;
    enum setup_answer answer = SETUP_NO;

    snprintf(path, sizeof path, "%s/proc", root);
    folder = opendir(path);
    if (!folder)
        return SETUP_UNKNOWN;
    while (answer == SETUP_NO && (entry = readdir(folder))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%s/proc/%s/comm", root, entry->d_name);
        if (read_start(path, found, sizeof found) == 0) {
            found[strcspn(found, "\n")] = '\0';
            if (!strcmp(found, "mm_sched"))
                answer = SETUP_YES;
        }
    }
    closedir(folder);
    return answer;
}

bool setup_unit_is_masked(const char *root, const char *unit)
{
    char path[PATH_MAX], target[PATH_MAX];
    ssize_t length;

    snprintf(path, sizeof path, "%s" UNIT_FOLDER "/%s", root, unit);
    length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    return strcmp(target, "/dev/null") == 0;
}

enum setup_answer setup_unit_is_off(const char *root, const char *unit)
{
    static const char *const folders[] = {"/lib/systemd/system", "/usr/lib/systemd/system",
                                          UNIT_FOLDER};
    struct stat status;
    char path[PATH_MAX];

    if (setup_unit_is_masked(root, unit))
        return SETUP_YES;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s/%s", root, folders[i], unit);
        if (lstat(path, &status) == 0)
            return SETUP_NO;
    }
    return SETUP_YES;
}

static enum setup_answer driver_is_ours(const char *root, const char *folder, const char *name)
{
    char path[PATH_MAX], text[8192];
    struct stat status;

    snprintf(path, sizeof path, "%s/var/lib/one/remotes/scheduler/%s/%s", root, folder, name);
    if (stat(path, &status) < 0)
        return errno == EACCES ? SETUP_UNKNOWN : SETUP_NO;
    if (!(status.st_mode & S_IXUSR))
        return SETUP_NO;
    if (read_start(path, text, sizeof text) < 0)
        return SETUP_UNKNOWN;
    return strstr(text, "galerna") || strstr(text, "<PLAN><ID>") ? SETUP_YES : SETUP_NO;
}

static enum setup_answer drivers_are_ours(const char *root, const char *folder)
{
    enum setup_answer place = driver_is_ours(root, folder, "place");
    enum setup_answer optimize = driver_is_ours(root, folder, "optimize");

    if (place == SETUP_NO || optimize == SETUP_NO)
        return SETUP_NO;
    return place == SETUP_YES && optimize == SETUP_YES ? SETUP_YES : SETUP_UNKNOWN;
}

/* The unit allows connections to this machine only, unless a drop-in allows more. */
static enum setup_answer connection_is_allowed(const char *root)
{
    char path[PATH_MAX], text[8192];
    enum setup_answer answer = SETUP_NO;
    struct dirent *entry;
    DIR *folder;

    if (setup_unit_is_off(root, "galernad.service") == SETUP_YES)
        return SETUP_UNKNOWN; /* not a service on this machine */
    snprintf(path, sizeof path, "%s" UNIT_FOLDER "/galernad.service.d", root);
    folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? SETUP_NO : SETUP_UNKNOWN;
    while (answer == SETUP_NO && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "%s" UNIT_FOLDER "/galernad.service.d/%s", root, entry->d_name);
        if (read_start(path, text, sizeof text) == 0 && strstr(text, "IPAddress"))
            answer = SETUP_YES;
    }
    closedir(folder);
    return answer;
}

void setup_look_around(struct setup_facts *facts, const char *root)
{
    if (facts->remote[0])
        facts->connection_allowed = connection_is_allowed(root);
    if (!facts->local)
        return;
    if (facts->major <= 6) {
        facts->stock_scheduler_runs = stock_scheduler_runs(root);
        facts->stock_scheduler_off = setup_unit_is_off(root, "opennebula-scheduler.service");
        return;
    }
    facts->files_installed = drivers_are_ours(root, "galerna");
    if (facts->placement[0] && !strchr(facts->placement, '/'))
        facts->drivers_installed = drivers_are_ours(root, facts->placement);
}
