/* setup.h: the command line arguments of `galerna setup`; setup_options.c has the options. */
#pragma once

#include <stdbool.h>

struct setup_arguments {
    const char *file, *endpoint;
    bool check, json, apply, revert;
};
