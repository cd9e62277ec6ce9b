/* disk_files.h: the files of a lease on the disks of hosts: saved memory, disk images.
 *
 * All files of one list have the size of their VM, so the caller passes it. `used` is the disk
 * usage of each host in MB. Costs: O(files of the VM).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

struct disk_file {
    uint32_t vm, host;
};

struct disk_files {
    struct map *by_vm; /* hosts (uint32_t), by VM and number of its file; NULL: no files yet */
};

#define DISK_ANY_HOST UINT32_MAX

static inline bool disk_files_are_none(const struct disk_files *files)
{
    return !files->by_vm || files->by_vm->n == 0;
}

void disk_files_add(struct disk_files *files, struct disk_file file, int64_t size, int64_t *used);

/* Removes one file of the VM from the host, or from any host that has one. False: no such file. */
bool disk_files_remove(struct disk_files *files, struct disk_file file, int64_t size,
                       int64_t *used);

/* The host of a file of the VM, or NULL. Valid until the next change. */
const uint32_t *disk_files_host(const struct disk_files *files, uint32_t vm);

void disk_files_finish(struct disk_files *files);
