/* run_program.h: runs a program to its end and captures its output; for the sweep only. */
#pragma once

#include "util/error.h"

enum { PROGRAM_TEXT_MAX = 4096 };

struct program_result {
    int status; /* as of exit(), 128 + a signal's number */
    char output[PROGRAM_TEXT_MAX], errors[PROGRAM_TEXT_MAX]; /* cut; no newline at the end */
};

/* argv[0] is looked for in $PATH; standard input is empty. Errors: ENOENT and the like when it
 * cannot be started. */
int program_run(char *const argv[], struct program_result *result, struct error *err);
