/* setup.h: the command line arguments of `galerna setup`; setup_options.c has the options. */
#ifndef GALERNA_CLI_SETUP_H
#define GALERNA_CLI_SETUP_H

#include <stdbool.h>

struct setup_arguments {
    const char *file, *endpoint;
    bool check, json, apply, revert;
};

#endif
