/* folder.h: the folder RESULTS.cells with the cells' files until they are collected; internal. */
#pragma once

#include <stdint.h>

#include "util/error.h"

struct folder {
    char *path;
    int lock; /* -1: not locked */
};

/* Creates the folder next to the results. Errors: errno with the folder's name. Call
 * folder_finish() in any case. */
int folder_init(struct folder *folder, const char *results, struct error *err);
void folder_finish(struct folder *folder);

/* Lock the folder for collecting. Errors: EBUSY if another process holds the lock. */
int folder_lock(struct folder *folder, struct error *err);

/* The path of a name in the folder; the caller frees it. */
char *folder_name(const struct folder *folder, const char *name);
/* The path of the file of the cell with this digest; the caller frees it. */
char *folder_cell(const struct folder *folder, uint64_t digest);

/* Removes the folder and its contents, ignoring errors. */
void folder_remove(struct folder *folder);
