/* generated.h: workloads of `galerna trace generate` for experiments. */
#ifndef GALERNA_EXPERIMENTS_GENERATED_H
#define GALERNA_EXPERIMENTS_GENERATED_H

#include <stdint.h>

#include "lwf/trace.h"
#include "util/error.h"

/* A trace of streams as `galerna trace generate --stream` takes them (lwf/generate.h). */
struct trace *generated_open(const char *const *streams, size_t n, uint64_t seed,
                             const struct site *site, struct error *err);

/* The same requests, each submitted at its arrival or, if later, when the previous one has run: a
 * queue in front of a site that each request fills. Takes over `trace` (NULL with *err set: NULL is
 * returned), whose requests have one set of nodes. */
struct trace *generated_queue(struct trace *trace, const struct site *site, struct error *err);

#endif
