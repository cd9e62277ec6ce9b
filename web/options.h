/* options.h: the command line of galerna-web. */
#pragma once

#include "util/command_line.h"
#include "web/caller.h"
#include "web/server.h"

struct web_options {
    struct server_settings server, haizea; /* haizea.listen NULL: Haizea's interface is not
                                              served */
    const char *haizea_auth;               /* file with the session for Haizea's calls */
    const char *socket;                    /* of galernad; NULL: found as by the command galerna */
    struct callers_settings callers;       /* endpoint NULL: found as by OpenNebula's own tools */
    const char *files;
};

extern const struct command_line web_line; /* its arguments are a struct web_options */
