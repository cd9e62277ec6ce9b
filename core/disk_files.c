/* Lists of a lease's files on the hosts' disks. */
#include "core/disk_files.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void disk_files_add(struct disk_files *files, struct disk_file file, int64_t size, int64_t *used)
{
    files->items = memory_grow(files->items, &files->allocated, files->n + 1, sizeof *files->items);
    files->items[files->n++] = file;
    used[file.host] += size;
}

bool disk_files_remove(struct disk_files *files, struct disk_file file, int64_t size, int64_t *used)
{
    for (size_t i = 0; i < files->n; i++) {
        struct disk_file *found = &files->items[i];

        if (found->vm != file.vm || (found->host != file.host && file.host != DISK_ANY_HOST))
            continue;
        used[found->host] -= size;
        *found = files->items[--files->n];
        return true;
    }
    return false;
}

void disk_files_finish(struct disk_files *files)
{
    free(files->items);
    memset(files, 0, sizeof *files);
}
