/* Keeps the hosts' attributes for policy modules. */
#include "planner/host_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct host {
    const char *name;
    unsigned char *at; /* of its attributes in the section */
    size_t n;
};

struct host_attributes {
    unsigned char *section, *end; /* as it was sent; the texts are in it */
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
    host->at = section->at;
    for (size_t i = 0; i < 2 * host->n; i++)
        get_long_text(section);
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
    read->end = read->section + size;
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
    struct wire_reader section;

    if (!attributes || place >= attributes->n_hosts)
        return NULL;
    host = &attributes->hosts[place];
    if (strcmp(name, "NAME") == 0)
        return host->name;
    wire_reader_init(&section, host->at, (size_t)(attributes->end - host->at));
    for (size_t i = 0; i < host->n; i++) {
        bool found = strcmp(get_long_text(&section), name) == 0;
        const char *value = get_long_text(&section);

        if (found)
            return value;
    }
    return NULL;
}

void host_attributes_destroy(struct host_attributes *attributes)
{
    if (!attributes)
        return;
    free(attributes->hosts);
    free(attributes->section);
    free(attributes);
}
