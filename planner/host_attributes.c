/* Keeps the hosts' attributes for policy modules. */
#include "planner/host_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct told_attribute {
    const char *name, *value;
};

struct host {
    const char *name;
    struct told_attribute *items;
    size_t n;
};

struct host_attributes {
    unsigned char *section; /* the texts are in it */
    struct host *hosts;
    size_t n_hosts;
};

static const char *get_long_text(struct wire_reader *reader)
{
    const char *text = wire_get_text(reader, 1 << 20);

    return text ? text : "";
}

static void read_host(struct host *host, struct wire_reader *section)
{
    host->name = get_long_text(section);
    host->n = wire_get_count(section, 2);
    host->items = memory_new(host->n, sizeof *host->items);
    for (size_t i = 0; i < host->n; i++) {
        host->items[i].name = get_long_text(section);
        host->items[i].value = get_long_text(section);
    }
}

void host_attributes_read(struct host_attributes **attributes, struct wire_reader *reader)
{
    size_t size = (size_t)wire_get(reader, 0, reader->end - reader->at);
    struct host_attributes *read;
    struct wire_reader section;

    if (size == 0 || reader->failed)
        return;
    read = memory_new(1, sizeof *read);
    read->section = memory_copy(reader->at, size);
    reader->at += size;
    wire_reader_init(&section, read->section, size);
    read->n_hosts = wire_get_count(&section, 2);
    read->hosts = memory_new(read->n_hosts, sizeof *read->hosts);
    for (size_t i = 0; i < read->n_hosts; i++)
        read_host(&read->hosts[i], &section);
    reader->failed = reader->failed || section.failed;
    host_attributes_destroy(*attributes);
    *attributes = read;
}

const char *host_attributes_find(const struct host_attributes *attributes, uint32_t place,
                                 const char *name)
{
    const struct host *host;

    if (!attributes || place >= attributes->n_hosts)
        return NULL;
    host = &attributes->hosts[place];
    if (strcmp(name, "NAME") == 0)
        return host->name;
    for (size_t i = 0; i < host->n; i++)
        if (strcmp(host->items[i].name, name) == 0)
            return host->items[i].value;
    return NULL;
}

void host_attributes_destroy(struct host_attributes *attributes)
{
    if (!attributes)
        return;
    for (size_t i = 0; i < attributes->n_hosts; i++)
        free(attributes->hosts[i].items);
    free(attributes->hosts);
    free(attributes->section);
    free(attributes);
}
