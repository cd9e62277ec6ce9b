/* sandbox.h: `galerna sandbox`: a stand-in for OpenNebula to try things on, and a small client. */
#ifndef GALERNA_CLI_SANDBOX_H
#define GALERNA_CLI_SANDBOX_H

#include <stdbool.h>

#include "sandbox/oned.h"

struct sandbox_arguments {
    struct oned_options options;
    const char *listen;        /* address */
    int port;                  /* 0: any free one */
    const char *auth;          /* file for the credentials; NULL: none */
    const char *password_file; /* NULL: the default password */
    bool json;
};

/* Parse the options of the server. -1: go on, else the exit code. */
int sandbox_arguments_parse(struct sandbox_arguments *arguments, int argc, char **argv);

/* The client's verbs; argv[0] names the command for messages. */
int sandbox_show(int argc, char **argv);
int sandbox_submit(int argc, char **argv);
int sandbox_call(int argc, char **argv);

#endif
