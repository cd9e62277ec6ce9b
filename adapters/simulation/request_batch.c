/* Copies the requests of one second. */
#include "adapters/simulation/request_batch.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void request_batch_init(struct request_batch *batch)
{
    *batch = (struct request_batch){0};
}

void request_batch_finish(struct request_batch *batch)
{
    free(batch->items);
    free(batch->node_sets);
    free(batch->texts);
    request_batch_init(batch);
}

void request_batch_clear(struct request_batch *batch)
{
    batch->n_items = batch->n_node_sets = batch->n_texts = 0;
}

void request_batch_add(struct request_batch *batch, const struct lease_request *request)
{
    MEMORY_GROW(batch->items, batch->items_allocated, batch->n_items + 1);
    batch->items[batch->n_items++] = *request;
    MEMORY_GROW(batch->node_sets, batch->node_sets_allocated,
                batch->n_node_sets + request->n_node_sets);
    memcpy(batch->node_sets + batch->n_node_sets, request->node_sets,
           request->n_node_sets * sizeof *batch->node_sets);
    batch->n_node_sets += request->n_node_sets;
    if (request->image) {
        size_t length = strlen(request->image) + 1;

        batch->texts =
            memory_grow(batch->texts, &batch->texts_allocated, batch->n_texts + length, 1);
        memcpy(batch->texts + batch->n_texts, request->image, length);
        batch->n_texts += length;
    }
}

void request_batch_close(struct request_batch *batch)
{
    const struct node_set *node_sets = batch->node_sets;
    const char *text = batch->texts;

    for (size_t i = 0; i < batch->n_items; i++) {
        struct lease_request *request = &batch->items[i];

        request->node_sets = node_sets;
        node_sets += request->n_node_sets;
        if (request->image) {
            request->image = text;
            text += strlen(text) + 1;
        }
    }
}
