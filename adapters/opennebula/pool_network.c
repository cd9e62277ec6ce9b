/* Virtual networks. */
#include <stdlib.h>

#include "adapters/opennebula/pool_reader.h"

/* Lists in the making, in the order in which OpenNebula looks a name up. */
enum { TEMPLATE_LIST, TOP_LIST };

static const struct pool_range counts = {0, INT64_C(1) << 50};

struct network_draft {
    bool has_id;
};

static void read_top(struct pool_reader *reader, struct network *network,
                     const struct pool_path *path, const struct pool_text *text)
{
    struct network_draft *draft = pool_reader_scratch(reader);

    switch (path->elements[0]->word) {
    case WORD_ID:
        pool_read_int(reader, path, text, 0, &network->id);
        draft->has_id = text->length > 0;
        break;
    case WORD_NAME:
        network->name = pool_read_text(reader, text);
        break;
    case WORD_USED_LEASES:
        pool_read_number(reader, path, text, counts, &network->used);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, pool_reader_list(reader, TOP_LIST), path, 0, text);
}

/* AR_POOL/AR/SIZE: IPv6 ranges may have any size. */
static void add_range(struct pool_reader *reader, struct network *network,
                      const struct pool_path *path, const struct pool_text *text)
{
    int64_t size = 0;

    if (path->n != 3 || path->elements[1]->word != WORD_AR || path->elements[2]->word != WORD_SIZE)
        return;
    pool_read_number(reader, path, text, counts, &size);
    network->size += network->size < counts.largest ? size : 0;
}

static void read_value(struct pool_reader *reader, void *object, const struct pool_path *path,
                       const struct pool_text *text)
{
    struct network *network = object;

    if (path->n == 1) {
        read_top(reader, network, path, text);
        return;
    }
    switch (path->elements[0]->word) {
    case WORD_TEMPLATE:
        pool_add_attribute(reader, pool_reader_list(reader, TEMPLATE_LIST), path, 1, text);
        break;
    case WORD_CLUSTERS:
        if (path->n == 2 && path->elements[1]->word == WORD_ID) {
            pool_add_id(reader, path, text);
            pool_add_attribute(reader, pool_reader_list(reader, TOP_LIST), path, 0, text);
        }
        break;
    case WORD_PERMISSIONS:
        pool_add_attribute(reader, pool_reader_list(reader, TOP_LIST), path, 0, text);
        break;
    case WORD_AR_POOL:
        add_range(reader, network, path, text);
        break;
    default:
        break;
    }
}

static void end_network(struct pool_reader *reader, void *object)
{
    const struct network_draft *draft = pool_reader_scratch(reader);
    struct network *network = object;

    if (!draft->has_id)
        pool_reader_reject(reader, "a virtual network has no ID");
    network->name = network->name ? network->name : "";
    network->clusters = pool_take_ids(reader, &network->n_clusters);
    pool_take_attributes(reader, TEMPLATE_LIST, TOP_LIST, &network->attributes);
}

static const struct pool_format network_format = {
    .pool = "VNET_POOL",
    .object = "VNET",
    .size = sizeof(struct network),
    .value = read_value,
    .end = end_network,
    .keeps_empty = true,
    .scratch = sizeof(struct network_draft),
};

int network_pool_parse(struct network_pool *pool, const char *document, size_t length,
                       struct error *err)
{
    struct pool_items items;
    int result = pool_read(&items, &network_format, document, length, err);

    *pool =
        (struct network_pool){items.items, items.n, items.allocated, items.errors, items.memory};
    return result;
}
