/* oned_conf.h: replaces assignments in the text of oned.conf, and restores the old ones.
 *
 * A replaced assignment stays in place as a comment with a tag, the new one follows it with a tag,
 * so restoring needs no copy of the file and keeps what was edited meanwhile. An assignment is NAME
 * = VALUE on one line, or NAME = [ ... ] over several; names count in upper and lower case alike.
 */
#pragma once

#include <stdbool.h>

#include "util/error.h"

/* Returns the text, to be freed, in which every assignment to `name` is a comment and `line`, which
 * assigns it, follows the first of them (or the text). Replacing what was replaced replaces only
 * the new line. NULL with EINVAL: an assignment has no end. */
char *oned_conf_replace(const char *text, const char *name, const char *line, struct error *err);

/* Returns the text, to be freed, without any replacement. *changed: there was one. */
char *oned_conf_restore(const char *text, bool *changed);
