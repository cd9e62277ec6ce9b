/* A private directory for a test. */
#include "test/daemon/directory.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void directory_make(char name[DIRECTORY_NAME_MAX])
{
    snprintf(name, DIRECTORY_NAME_MAX, "/tmp/galerna-test-XXXXXX");
    if (!mkdtemp(name)) {
        perror(name);
        abort();
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    return remove(path);
}

void directory_remove(const char *name)
{
    if (nftw(name, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        perror(name);
}
