/* record_lease.h: one lease as the JSON of a record. Internal to the record. */
#pragma once

#include "core/lease.h"
#include "core/site.h"
#include "util/json_writer.h"

struct amounts_text; /* the text of the amounts written last: neighbors are mostly equal */

struct amounts_text *amounts_text_create(void);
void amounts_text_destroy(struct amounts_text *text); /* NULL is allowed */

/* {resource: amount}; `zeros`: including amounts that are 0. */
void record_amounts(struct output *out, struct amounts_text *text, const struct site *site,
                    const int64_t *amounts, bool zeros);

/* The request as the engine got it. */
void record_request(struct output *out, struct amounts_text *text, const struct site *site,
                    const struct lease_request *request);

/* The lease with the keys that Haizea's records have. */
void record_lease(struct output *out, struct amounts_text *text, const struct site *site,
                  const struct lease *lease);

/* Galerna's additional keys of the lease. */
void record_lease_extras(struct output *out, const struct lease *lease);

/* An integer, or null when it is the value that means "not set" or "without end". */
void record_optional(struct output *out, int64_t value);

/* The id of the host at that place of the site. */
int64_t record_host_id(const struct site *site, uint32_t host);
