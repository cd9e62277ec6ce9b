/* change_page.h: shows processes that cache answers of galernad whether these may be outdated.
 *
 * The page is a file beside the control socket, with the same readers, which galernad and the
 * readers map. It holds one number, which differs after each change that an answer could show.
 * galernad writes the number before it sends an answer: a change that one reader has seen is
 * visible to all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct change_page; /* opaque */

/* For galernad: create the file, replacing an earlier one. group: may read the file too; -1:
 * none. */
struct change_page *change_page_create(const char *socket, gid_t group, struct error *err);
void change_page_write(struct change_page *page, uint64_t number);

/* For a reader. NULL: there is no such file. */
struct change_page *change_page_open(const char *socket);
/* Does the page belong to the galernad that now has the socket? One system call. */
bool change_page_is_current(const struct change_page *page);
uint64_t change_page_read(const struct change_page *page);

/* galernad's call removes the file. NULL is allowed. */
void change_page_destroy(struct change_page *page);
