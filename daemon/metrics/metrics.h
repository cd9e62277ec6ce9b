/* metrics.h: what galernad has done and how it is, for monitoring: the metrics of galernad(8), and
 * the checks /healthz and /readyz.
 *
 * Most values belong to other parts, which are read when they are asked for; events of leases and
 * plans are counted here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct http_request;
struct metrics; /* opaque */
struct output;

/* Counts events of the daemon's store from now on; it must outlive the result. */
struct metrics *metrics_create(const struct daemon *daemon);
void metrics_destroy(struct metrics *metrics); /* NULL is allowed */

/* A plan took so long (milliseconds), or failed. */
void metrics_planned(struct metrics *metrics, int64_t took, bool made);

/* An http_handler; context is the struct metrics. */
unsigned metrics_handle(void *context, const struct http_request *request, struct output *body,
                        const char **type);
