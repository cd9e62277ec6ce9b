/* oned_conf.h: replaces assignments in the text of oned.conf, and restores the old ones.
 *
 * A replaced assignment remains as a tagged comment, followed by the new one, also tagged.
 * Restoring therefore needs no copy of the file and keeps later edits. An assignment is NAME =
 * VALUE on one line, or NAME = [ ... ] over several lines; case is ignored in names.
 */
#pragma once

#include <stdbool.h>

#include "util/error.h"

/* Returns a copy of the text, to be freed, with every assignment to `name` as a comment, and with
 * the assignment `line` after the first of them (or at the end). A repeated replacement only
 * replaces the new line. NULL with EINVAL: an unterminated assignment. */
char *oned_conf_replace(const char *text, const char *name, const char *line, struct error *err);

/* Returns a copy of the text, to be freed, without replacements. *changed: it had replacements. */
char *oned_conf_restore(const char *text, bool *changed);
