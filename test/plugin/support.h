/* support.h: what the tests of plugin/ share. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/lease.h"
#include "core/site.h"
#include "plugin/policy_host.h"

enum { LOG_LINES_MAX = 64 };

/* Everything a policy host under test needs. */
struct bench {
    struct policy_host_settings settings;
    struct policy_option options[8];
    struct error err;
    struct policy_host *host;
    const struct policy_hooks *hooks;
    char lines[LOG_LINES_MAX][1024];
    int levels[LOG_LINES_MAX];
    size_t n_lines;
};

void bench_init(struct bench *bench); /* looks for modules in the test tree only */
void bench_option(struct bench *bench, const char *module, const char *key, const char *value);
void bench_start(struct bench *bench);  /* fails the test when it does not work */
/* Expect creating to fail with the code and a text that has `part` in it. */
void bench_refused(struct bench *bench, int code, const char *part);
void bench_stop(struct bench *bench);
/* How many lines of the log have `part` in them. */
size_t bench_logged(const struct bench *bench, const char *part);

void assert_has(const char *text, const char *part);

/* A lease of one VM of 100 CPU. */
struct lease test_lease(int64_t id, enum lease_kind kind);

/* n hosts of 400 CPU and 4096 MB; to be finished. */
void test_site(struct site *site, size_t n);

/* Copy a file; fails the test when it does not work. The mode is as given. */
void copy_file(const char *from, const char *to, unsigned mode);
