/* Reads the monitoring of hosts. */
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool_reader.h"

static void read_value(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    enum pool_word word = given->elements[0]->word;

    (void)object;
    if (given->n == 2 && (word == WORD_CAPACITY || word == WORD_SYSTEM))
        pool_add_attribute(reader, 0, given, 1);
}

static void end_monitoring(struct pool_reader *reader, void *object)
{
    struct host_monitoring *monitoring = object;

    pool_take_attributes(reader, 0, 0, &monitoring->attributes);
}

static const struct pool_format monitoring_format = {
    .pool = "MONITORING_DATA",
    .object = "MONITORING",
    .what = "a host's record",
    .size = sizeof(struct host_monitoring),
    .value = read_value,
    .end = end_monitoring,
};

POOL_PARSER(host_monitoring_parse, host_monitoring, monitoring_format)

void host_monitoring_finish(struct host_monitoring_pool *pool)
{
    free(pool->items);
    pool_memory_destroy(pool->memory);
    *pool = (struct host_monitoring_pool){0};
}

/* Hosts have the same few names: the text of the previous host can usually be reused. */
static const char *name_in(struct pool_memory *memory, const struct attributes *former, size_t i,
                           const char *name)
{
    if (i < former->n && strcmp(former->items[i].name, name) == 0)
        return former->items[i].name;
    return pool_memory_text(memory, name, strlen(name));
}

/* former: the figures of the previous host. */
static void merge_into(struct pool_memory *memory, struct host *host,
                       const struct attributes *figures, const struct attributes *former)
{
    struct attribute *items = pool_memory_array(memory, figures->n, sizeof *items);
    size_t n = 0;

    for (size_t i = 0; i < figures->n; i++) {
        const struct attribute *figure = &figures->items[i];

        if (attributes_find(&host->attributes, figure->name))
            continue;
        items[n].name = name_in(memory, former, n, figure->name);
        items[n++].value = pool_memory_text(memory, figure->value, strlen(figure->value));
    }
    host->figures = (struct attributes){.items = items, .n = n, .allocated = figures->n};
}

void host_monitoring_merge(struct host_pool *hosts, const struct host_monitoring_pool *monitoring)
{
    struct attributes former = {0};

    for (size_t i = 0; i < monitoring->n; i++) {
        struct host *host = host_pool_find(hosts, monitoring->items[i].id);

        if (!host || !monitoring->items[i].attributes.n)
            continue;
        merge_into(hosts->memory, host, &monitoring->items[i].attributes, &former);
        former = host->figures;
    }
}
