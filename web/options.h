/* options.h: the command line of galerna-web. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/command_line.h"
#include "web/caller.h"
#include "web/server.h"

struct web_options {
    struct server_settings server, haizea; /* haizea.listen NULL: not served */
    const char *haizea_auth; /* file with the session in whose name Haizea's calls are made */
    const char *socket;      /* of galernad; NULL: as the command galerna finds it */
    struct callers_settings callers; /* endpoint NULL: as OpenNebula's own tools find it */
    const char *files;
};

extern const struct command_line web_line; /* its arguments are a struct web_options */
