/* image_list.h: Haizea's image files, which assign disk images to leases.
 *
 * A file has lines "image size-in-MB", then a line that starts with #, then one image name per
 * line, for the leases in order. Further lines that start with # and empty lines are skipped.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct image_list; /* opaque */

/* Errors: EINVAL with file:line, errors of fopen(3). */
struct image_list *image_list_read(const char *path, struct error *err);
void image_list_destroy(struct image_list *images); /* NULL is allowed */

/* The number of leases that get an image. */
size_t image_list_length(const struct image_list *images);

/* The name of the image of lease i (0 = the first), and its size in MB. */
const char *image_list_get(const struct image_list *images, size_t i, int64_t *size);
