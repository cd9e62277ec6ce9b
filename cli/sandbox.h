/* sandbox.h: `galerna sandbox`: a stand-in for OpenNebula to try things on, and a small client. The
 * arguments of its commands; sandbox_options.c has the options. */
#pragma once

#include <stdbool.h>

#include "sandbox/oned.h"
#include "util/command_line.h"

struct sandbox_arguments {
    struct oned_options options;
    const char *listen;        /* address */
    int64_t port;              /* 0: any free one */
    const char *auth;          /* file for the credentials; NULL: none */
    const char *password_file; /* NULL: the default password */
    bool json;
};

/* The daemon and session of the client's commands. */
struct sandbox_client {
    const char *endpoint, *auth; /* NULL: found like OpenNebula's tools */
    struct rpc *rpc;
};

struct sandbox_show_arguments {
    struct sandbox_client client;
    bool json, all;
};

struct sandbox_submit_arguments {
    struct sandbox_client client;
    const char *name, *cpu, *memory, *haizea, *galerna;
    struct text_list attributes;
    int64_t count;
    bool hold, json;
};
