/* opennebula_file.h: OpenNebula's configuration files (oned.conf, sched.conf, rank.conf).
 *
 *   NAME = value          to the end of the line, or between two "
 *   NAME = [ KEY = value, KEY = "value" ]      over several lines
 *   # to the end of the line: a comment
 */
#pragma once

#include <stddef.h>

#include "util/error.h"

enum { OPENNEBULA_FILE_MAX = 4 << 20 }; /* bytes */

struct opennebula_setting {
    char *name, *key, *value; /* names in capitals; key NULL: not in brackets */
    long line;
};

struct opennebula_file {
    struct opennebula_setting *settings; /* in the order of the file */
    size_t n, allocated;
};

/* Parses the contents of a file. -1 with err: the line and the expected input; *file is then empty.
 * O(length). */
int opennebula_file_parse(struct opennebula_file *file, const char *text, size_t length,
                          struct error *err);
void opennebula_file_finish(struct opennebula_file *file);
