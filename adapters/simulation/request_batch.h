/* request_batch.h: copies of the requests of one second, because a trace keeps only its last one.
 */
#pragma once

#include <stddef.h>

#include "core/lease.h"

struct request_batch {
    struct lease_request *items;
    struct node_set *node_sets; /* of all requests, one after the other */
    char *texts;                /* their images, terminated */
    size_t n_items, n_node_sets, n_texts;
    size_t items_allocated, node_sets_allocated, texts_allocated;
};

void request_batch_init(struct request_batch *batch);
void request_batch_finish(struct request_batch *batch);
void request_batch_clear(struct request_batch *batch);

/* Copies a request with all its data. */
void request_batch_add(struct request_batch *batch, const struct lease_request *request);

/* Makes the copies point to their own node sets and images. Call it after the last addition. */
void request_batch_close(struct request_batch *batch);
