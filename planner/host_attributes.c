/* Keeps the hosts' attributes for policy modules. */
#include "planner/host_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct host {
    const char *name;
    unsigned char *at; /* its attributes in the frame */
    size_t n;
};

struct host_attributes {
    unsigned char *frame, *end; /* contains the texts */
    const char **names;         /* of attributes; hosts refer to them by number */
    size_t n_names;
    struct host *hosts;
    size_t n_hosts;
};

static const char *get_long_text(struct wire_reader *reader)
{
    const char *text = wire_get_text(reader, 1 << 20);

    return text ? text : "";
}

static size_t get_name(const struct host_attributes *attributes, struct wire_reader *reader)
{
    return (size_t)wire_get(reader, 0, (int64_t)attributes->n_names - 1);
}

static void read_host(const struct host_attributes *attributes, struct host *host,
                      struct wire_reader *reader)
{
    host->name = get_long_text(reader);
    host->n = wire_get_count(reader, 2);
    host->at = reader->at;
    for (size_t i = 0; i < host->n; i++) {
        get_name(attributes, reader);
        get_long_text(reader);
    }
}

void host_attributes_take(struct host_attributes **attributes, unsigned char *frame,
                          struct wire_reader *reader)
{
    struct host_attributes *taken = memory_new(1, sizeof *taken);

    taken->frame = frame;
    taken->end = reader->end;
    taken->n_names = wire_get_count(reader, 1);
    taken->names = memory_new(taken->n_names, sizeof *taken->names);
    for (size_t i = 0; i < taken->n_names; i++)
        taken->names[i] = get_long_text(reader);
    taken->n_hosts = wire_get_count(reader, 2);
    taken->hosts = memory_new(taken->n_hosts, sizeof *taken->hosts);
    for (size_t i = 0; i < taken->n_hosts; i++)
        read_host(taken, &taken->hosts[i], reader);
    host_attributes_destroy(*attributes);
    *attributes = taken;
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
        bool found = strcmp(attributes->names[get_name(attributes, &section)], name) == 0;
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
    free(attributes->names);
    free(attributes->frame);
    free(attributes);
}
