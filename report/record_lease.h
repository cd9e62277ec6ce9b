/* record_lease.h: writes one lease as JSON. Internal to the record. */
#pragma once

#include "core/lease.h"
#include "core/site.h"
#include "util/json_writer.h"

struct amounts_text; /* the last written text, because neighbors usually have equal amounts */

struct amounts_text *amounts_text_create(void);
void amounts_text_destroy(struct amounts_text *text); /* NULL is allowed */

/* Writes {resource: amount}, amounts of 0 only of the types with a bit in `zeros`. */
void record_amounts(struct output *out, struct amounts_text *text, const struct site *site,
                    const int64_t *amounts, uint32_t zeros);

/* Writes a request as submitted to the engine. */
void record_request(struct output *out, struct amounts_text *text, const struct site *site,
                    const struct lease_request *request, int64_t stop);

/* Writes a lease with the keys of Haizea's records. */
void record_lease(struct output *out, struct amounts_text *text, const struct site *site,
                  const struct lease *lease);

/* Writes Galerna's additional keys of a lease. */
void record_lease_extras(struct output *out, const struct lease *lease);

/* Writes an integer, or null for the values that mean "not set" or "without end". */
void record_optional(struct output *out, int64_t value);

/* The id of the host with that index in the site. */
int64_t record_host_id(const struct site *site, uint32_t host);
