/* folder.h: RESULTS.cells, where cells leave their files until they are collected; for the sweep
 * only.
 */
#pragma once

#include <stdint.h>

#include "util/error.h"

struct folder {
    char *path;
    int lock; /* -1: not locked */
};

/* Make the folder beside the results. Errors: errno with its name. folder needs folder_finish() in
 * any case. */
int folder_init(struct folder *folder, const char *results, struct error *err);
void folder_finish(struct folder *folder);

/* Lock the folder for collecting. Errors: EBUSY if another process holds the lock. */
int folder_lock(struct folder *folder, struct error *err);

/* A name in the folder; the caller frees it. */
char *folder_name(const struct folder *folder, const char *name);
/* The name of the file of the cell with this digest; the caller frees it. */
char *folder_cell(const struct folder *folder, uint64_t digest);

/* Removes the folder and its contents; what cannot be removed remains. */
void folder_remove(struct folder *folder);
