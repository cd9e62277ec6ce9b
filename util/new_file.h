/* new_file.h: a file that appears complete or not at all.
 *
 * The new file has no name until new_file_commit(), which gives it its name, replacing an existing
 * file: readers find the old file or the whole new one, and a full disk or a signal leaves nothing
 * behind, not even SIGKILL. File systems without nameless files (NFS) get a hidden file in the same
 * folder, which only a process that is killed leaves behind. Pipes and devices, and files that may
 * be written in a folder that may not, are written in place.
 */
#pragma once

#include <sys/types.h>

#include "util/error.h"

struct new_file; /* opaque */

/* `mode` applies to a new file, without the bits of the umask; an existing file keeps its mode.
 * Symbolic links are followed. Errors: those of open(), with the path. */
struct new_file *new_file_create(const char *path, mode_t mode, struct error *err);

/* To write to; closed by the file. */
int new_file_descriptor(const struct new_file *file);

/* Write to the disk, name, and free. -1: nothing has changed; err names the path and the cause. */
int new_file_commit(struct new_file *file, struct error *err);

/* For files that a library writes by name: the name, to be freed, of a new empty file beside
 * `path`; then write it to the disk and rename it. -1: the existing file is unchanged. */
char *new_file_hidden(const char *path, struct error *err);
int new_file_settle(const char *hidden, const char *path, struct error *err);

/* Discards the data written. NULL is allowed; keeps errno. */
void new_file_destroy(struct new_file *file);
