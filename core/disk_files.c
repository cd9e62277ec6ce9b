/* Lists of a lease's files on the hosts' disks. */
#include "core/disk_files.h"

#include <stdlib.h>

#include "util/memory.h"

static int64_t key_of(uint32_t vm, uint32_t number)
{
    return (int64_t)((uint64_t)vm << 32 | number);
}

static uint32_t *host_at(const struct disk_files *files, uint32_t vm, uint32_t number)
{
    return files->by_vm ? map_value(files->by_vm, map_find(files->by_vm, key_of(vm, number)))
                        : NULL;
}

static uint32_t count(const struct disk_files *files, uint32_t vm)
{
    uint32_t n = 0;

    while (host_at(files, vm, n))
        n++;
    return n;
}

void disk_files_add(struct disk_files *files, struct disk_file file, int64_t size, int64_t *used)
{
    int64_t key = key_of(file.vm, count(files, file.vm));
    uint32_t *host;

    if (!files->by_vm) {
        files->by_vm = memory_new(1, sizeof *files->by_vm);
        map_init(files->by_vm, sizeof *host);
    }
    host = map_value(files->by_vm, map_add(files->by_vm, key));
    *host = file.host;
    used[file.host] += size;
}

bool disk_files_remove(struct disk_files *files, struct disk_file file, int64_t size, int64_t *used)
{
    uint32_t number = 0, *host = host_at(files, file.vm, 0);

    while (host && *host != file.host && file.host != DISK_ANY_HOST)
        host = host_at(files, file.vm, ++number);
    if (!host)
        return false;
    used[*host] -= size;
    number = count(files, file.vm) - 1;
    *host = *host_at(files, file.vm, number);
    map_remove(files->by_vm, map_find(files->by_vm, key_of(file.vm, number)));
    return true;
}

const uint32_t *disk_files_host(const struct disk_files *files, uint32_t vm)
{
    return host_at(files, vm, 0);
}

void disk_files_finish(struct disk_files *files)
{
    if (files->by_vm)
        map_finish(files->by_vm);
    free(files->by_vm);
}
