/* host_columns.h: the attributes of all hosts by column, and expressions over them.
 *
 * A host's own attributes come first, then its cluster's. A bitmap has a bit per host, in words of
 * 64; bits after the last host are 0. */
#pragma once

#include "adapters/opennebula/expression.h"
#include "core/host_rank.h"

struct host_columns; /* opaque */

/* The pools must outlive the columns. Attributes are read on first use: O(attributes of all hosts).
 */
struct host_columns *host_columns_create(const struct host_pool *hosts,
                                         const struct cluster_pool *clusters);
void host_columns_destroy(struct host_columns *columns);

/* The number of words of a bitmap of hosts. */
size_t host_columns_words(const struct host_columns *columns);

/* Sets bitmap to the hosts that a requirement allows. About 1 ns per host and comparison. */
void host_columns_allow(struct host_columns *columns, const struct expression *requirement,
                        uint64_t *bitmap);

/* Translates a rank to steps, one for each instruction of the expression, which point to columns of
 * this table. */
void host_columns_rank(struct host_columns *columns, const struct expression *rank,
                       struct rank_step *steps);

/* Does any host have a value of that name? */
bool host_columns_knows(struct host_columns *columns, const char *name);

/* The i-th name of the hosts' attributes, for suggestions; NULL after the last. */
const char *host_columns_name(struct host_columns *columns, size_t i);
