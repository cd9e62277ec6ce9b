/* client_fixture.h: the commands that talk to galernad, against a daemon with canned answers. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/command.h"
#include "test/daemon/directory.h"
#include "test/daemon/server.h"

enum { OUTPUT_MAX = 8192, ARGUMENTS_MAX = 24 };

struct fixture {
    char directory[DIRECTORY_NAME_MAX], socket[96], seen[96], out_file[96], err_file[96];
    pid_t server;
    char out[OUTPUT_MAX], err[OUTPUT_MAX];
};

int client_set_up(void **state);
int client_tear_down(void **state);

void read_file(const char *path, char text[OUTPUT_MAX]);
/* galerna WORDS, in this process: its exit code; what it prints is in the fixture. */
int run(struct fixture *fixture, const char *words);
void expect(struct fixture *fixture, const char *words, int code, const char *out);
/* The text is part of what it prints to standard error. */
void expect_error(struct fixture *fixture, const char *words, int code, const char *part);
