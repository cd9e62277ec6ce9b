/* change_page.h: tells who keeps answers of galernad whether they may be out of date.
 *
 * A file beside the control socket, for those who may use that, which galernad and its readers map:
 * one number, which is another one after each change that an answer could show. galernad writes it
 * before an answer leaves, so a change that somebody was told of is known to all readers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct change_page; /* opaque */

/* galernad: creates the file, in the place of an earlier one. group: may read it, too; -1: none. */
struct change_page *change_page_create(const char *socket, gid_t group, struct error *err);
void change_page_write(struct change_page *page, uint64_t number);

/* A reader. NULL: there is no such file. */
struct change_page *change_page_open(const char *socket);
/* Has no other galernad taken the socket since? One system call. */
bool change_page_is_current(const struct change_page *page);
uint64_t change_page_read(const struct change_page *page);

/* Its creator removes the file. NULL is allowed. */
void change_page_destroy(struct change_page *page);
