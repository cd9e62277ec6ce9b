/* run_program.h: runs a program to its end and captures its output; internal. */
#pragma once

#include "util/error.h"

enum { PROGRAM_TEXT_MAX = 4096 };

struct program_result {
    int status;                                              /* exit code, or 128 + signal number */
    char output[PROGRAM_TEXT_MAX], errors[PROGRAM_TEXT_MAX]; /* truncated; without final newline */
};

/* Searches for argv[0] in $PATH; standard input is empty. Errors: ENOENT, ... if the program cannot
 * be started. */
int program_run(char *const argv[], struct program_result *result, struct error *err);
