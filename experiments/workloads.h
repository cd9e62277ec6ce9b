/* generated.h: workloads for experiments: those of `galerna trace generate`, and request by
 * request. */
#pragma once

#include <stdint.h>

#include "lwf/trace.h"
#include "lwf/trace_list.h"
#include "util/error.h"

/* A trace of streams as `galerna trace generate --stream` takes them (lwf/generate.h). */
struct trace *generated_open(const char *const *streams, size_t n, uint64_t seed,
                             const struct site *site, struct error *err);

/* The same requests, each submitted at its arrival or, if later, when the previous one has run: a
 * queue in front of a site that each request fills. Takes over `trace` (NULL with *err set: NULL is
 * returned), whose requests have one set of nodes. */
struct trace *generated_queue(struct trace *trace, const struct site *site, struct error *err);

/* Appends a request for `nodes` VMs with one CPU and `memory` MB each. What it needs: kind, submit,
 * start (of reservations), duration, duration_known (0 or less: as requested), terms, priority. */
void generated_add(struct trace_list *list, const struct lease_request *request, uint32_t nodes,
                   int64_t memory);

enum { BLUE_NODES = 144 };

struct blue {
    int reservations; /* 0, 10, 20 or 30 percent of the site */
    int64_t memory;   /* MB of every VM */
    int64_t span;     /* only requests before this time; 0: all */
    uint64_t seed;    /* not 0: each job comes up to `shift` seconds later */
    int64_t shift;
};

struct trace *blue_open(const struct blue *blue, struct error *err);
