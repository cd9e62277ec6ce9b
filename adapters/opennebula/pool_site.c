/* Reads datastores, clusters and virtual networks. */
#include <string.h>
#include <strings.h>

#include "adapters/opennebula/expression.h"
#include "adapters/opennebula/pool_reader.h"

/* The lists of the current object, in OpenNebula's search order of names. */
enum { TEMPLATE_LIST, TOP_LIST };

enum { SYSTEM_DATASTORE = 1 }; /* only these have SHARED */

static const struct pool_range amounts = {-(INT64_C(1) << 50), INT64_C(1) << 50};
static const struct pool_range lease_counts = {0, INT64_C(1) << 50};

struct datastore_draft {
    bool is_local, has_limit;
    int64_t free, used, limit;
};

/* Reads nested values common to datastores and networks. */
static void read_deeper(struct pool_reader *reader, const struct pool_value *given)
{
    switch (given->elements[0]->word) {
    case WORD_TEMPLATE:
        pool_add_attribute(reader, TEMPLATE_LIST, given, 1);
        break;
    case WORD_CLUSTERS:
        if (given->n == 2 && given->elements[1]->word == WORD_ID) {
            pool_add_id(reader, given);
            pool_add_attribute(reader, TOP_LIST, given, 0);
        }
        break;
    case WORD_PERMISSIONS:
        pool_add_attribute(reader, TOP_LIST, given, 0);
        break;
    default:
        break;
    }
}

static void read_datastore_top(struct pool_reader *reader, struct datastore *datastore,
                               const struct pool_value *given)
{
    struct datastore_draft *draft = pool_reader_scratch(reader);

    switch (given->elements[0]->word) {
    case WORD_NAME:
        datastore->name = pool_read_text(reader, given);
        break;
    case WORD_TYPE:
        pool_read_int(reader, given, 0, &datastore->type);
        break;
    case WORD_STATE:
        pool_read_int(reader, given, 0, &datastore->state);
        break;
    case WORD_FREE_MB:
        pool_read_number(reader, given, amounts, &draft->free);
        break;
    case WORD_TOTAL_MB:
        pool_read_number(reader, given, amounts, &datastore->total);
        break;
    case WORD_USED_MB:
        pool_read_number(reader, given, amounts, &draft->used);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, TOP_LIST, given, 0);
}

static void read_datastore_setting(struct pool_reader *reader, const struct pool_value *given)
{
    struct datastore_draft *draft = pool_reader_scratch(reader);
    int64_t limit;

    if (given->elements[1]->word == WORD_SHARED) {
        draft->is_local = given->length > 0 && strcasecmp(given->text, "yes") != 0;
    } else if (given->elements[1]->word == WORD_LIMIT_MB && value_integer(given->text, &limit) &&
               limit >= 0) {
        draft->has_limit = true;
        draft->limit = limit;
    }
}

static void read_datastore(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct datastore *datastore = object;

    if (given->n == 1) {
        read_datastore_top(reader, datastore, given);
        return;
    }
    if (given->n == 2 && given->elements[0]->word == WORD_TEMPLATE)
        read_datastore_setting(reader, given);
    read_deeper(reader, given);
}

static void end_datastore(struct pool_reader *reader, void *object)
{
    struct datastore_draft *draft = pool_reader_scratch(reader);
    struct datastore *datastore = object;
    bool monitored = draft->free != 0 || draft->used != 0 || datastore->total != 0;

    datastore->name = datastore->name ? datastore->name : "";
    datastore->shared = !draft->is_local || datastore->type != SYSTEM_DATASTORE;
    if (draft->has_limit && draft->limit - draft->used < draft->free)
        draft->free = draft->limit - draft->used;
    datastore->free = !monitored ? -1 : draft->free > 0 ? draft->free : 0;
    datastore->clusters = pool_take_ids(reader, &datastore->n_clusters);
    pool_take_attributes(reader, TEMPLATE_LIST, TOP_LIST, &datastore->attributes);
}

static const struct pool_format datastore_format = {
    .pool = "DATASTORE_POOL",
    .object = "DATASTORE",
    .what = "a datastore",
    .size = sizeof(struct datastore),
    .value = read_datastore,
    .end = end_datastore,
    .keeps_empty = true,
    .scratch = sizeof(struct datastore_draft),
};

POOL_PARSER(datastore_pool_parse, datastore, datastore_format)

static void read_cluster(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct cluster *cluster = object;

    if (given->n == 1 && given->elements[0]->word == WORD_NAME)
        cluster->name = pool_read_text(reader, given);
    if (given->elements[0]->word == WORD_TEMPLATE && given->n >= 2)
        pool_add_attribute(reader, TEMPLATE_LIST, given, 1);
}

static void end_cluster(struct pool_reader *reader, void *object)
{
    struct cluster *cluster = object;

    cluster->name = cluster->name ? cluster->name : "";
    pool_take_attributes(reader, TEMPLATE_LIST, TEMPLATE_LIST, &cluster->attributes);
}

static const struct pool_format cluster_format = {
    .pool = "CLUSTER_POOL",
    .object = "CLUSTER",
    .what = "a cluster",
    .size = sizeof(struct cluster),
    .value = read_cluster,
    .end = end_cluster,
    .keeps_empty = true,
};

POOL_PARSER(cluster_pool_parse, cluster, cluster_format)

static void read_network_top(struct pool_reader *reader, struct network *network,
                             const struct pool_value *given)
{
    switch (given->elements[0]->word) {
    case WORD_NAME:
        network->name = pool_read_text(reader, given);
        break;
    case WORD_USED_LEASES:
        pool_read_number(reader, given, lease_counts, &network->used);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, TOP_LIST, given, 0);
}

/* Reads AR_POOL/AR/SIZE; IPv6 ranges may have any size. */
static void add_range(struct pool_reader *reader, struct network *network,
                      const struct pool_value *given)
{
    int64_t size = 0;

    if (given->n != 3 || given->elements[1]->word != WORD_AR ||
        given->elements[2]->word != WORD_SIZE)
        return;
    pool_read_number(reader, given, lease_counts, &size);
    network->size += network->size < lease_counts.largest ? size : 0;
}

static void read_network(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct network *network = object;

    if (given->n == 1) {
        read_network_top(reader, network, given);
        return;
    }
    if (given->elements[0]->word == WORD_AR_POOL)
        add_range(reader, network, given);
    read_deeper(reader, given);
}

static void end_network(struct pool_reader *reader, void *object)
{
    struct network *network = object;

    network->name = network->name ? network->name : "";
    network->clusters = pool_take_ids(reader, &network->n_clusters);
    pool_take_attributes(reader, TEMPLATE_LIST, TOP_LIST, &network->attributes);
}

static const struct pool_format network_format = {
    .pool = "VNET_POOL",
    .object = "VNET",
    .what = "a virtual network",
    .size = sizeof(struct network),
    .value = read_network,
    .end = end_network,
    .keeps_empty = true,
};

POOL_PARSER(network_pool_parse, network, network_format)
