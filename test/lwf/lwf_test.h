/* lwf_test.h: what the tests of traces share. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/lwf_reader.h"
#include "lwf/trace.h"

/* Pieces of LWF. */
#define SITE_TEXT                                                                                  \
    "<site><resource-types names=\"CPU Memory\"/><nodes><node-set numnodes=\"4\">"                 \
    "<res type=\"CPU\" amount=\"100\"/><res type=\"Memory\" amount=\"1024\"/></node-set></nodes>"  \
    "</site>\n"
#define NODES_TEXT                                                                                 \
    "<nodes><node-set numnodes=\"2\"><res type=\"CPU\" amount=\"100\"/>"                           \
    "<res type=\"Memory\" amount=\"512\"/></node-set></nodes>"
#define NO_SOFTWARE "<software><none/></software>"
#define WORKLOAD(site, requests)                                                                   \
    "<lease-workload name=\"test\">\n" site "<lease-requests>\n" requests                          \
    "</lease-requests></lease-workload>\n"
#define REQUEST(arrival, attributes, inside)                                                       \
    "<lease-request arrival=\"" arrival "\"><lease " attributes ">" inside                         \
    "</lease></lease-request>\n"
#define BEST_EFFORT(arrival, duration)                                                             \
    REQUEST(arrival, "preemptible=\"true\"",                                                       \
            NODES_TEXT "<start/><duration time=\"" duration "\"/>" NO_SOFTWARE)

/* The trace in a text; it must open. */
struct trace *open_text(const char *text, const struct lwf_options *options);
struct trace *open_bytes(const void *bytes, size_t size, const struct lwf_options *options);

/* The next request; there must be one. */
struct lease_request next_request(struct trace *trace);
void expect_end(struct trace *trace);

/* Read a text to its end and expect it to fail with this error, "test.lwf:" left out. */
void expect_error(const char *text, const char *error, const struct lwf_options *options);
void expect_error_in_bytes(const void *bytes, size_t size, const char *error);

/* Both traces give the same requests (ids included). Both are destroyed. */
void expect_same(struct trace *left, struct trace *right);
void expect_same_request(const struct lease_request *left, const struct lease_request *right);

/* A best-effort request of one VM; valid until the next call. */
struct lease_request simple_request(int64_t id, int64_t submit, int64_t duration);

/* A file of its own with this content; its path is freed by remove_file(). */
char *write_temporary(const char *content);
void remove_file(char *path);
