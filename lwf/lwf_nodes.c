/* Builds node sets of the site and of leases, and the site. */
#include <inttypes.h>
#include <string.h>

#include "lwf/lwf_parser.h"
#include "lwf/lwf_take.h"
#include "lwf/values.h"
#include "util/memory.h"

/* The index of a resource type for the open node set, or -1, reported. */
static int find_type(struct lwf_reader *reader, const struct lwf_value *value)
{
    struct resource_types *types = reader->in_site ? &reader->site.types : &reader->types;
    char name[RESOURCE_NAME_MAX];
    size_t length = (size_t)(value->end - value->text);
    struct error err;
    int type;

    if (length == 0 || length >= sizeof name) {
        lwf_complain(reader, value->text,
                     "the resource type \"%.*s\" has %s: expected 1 to %d letters",
                     lwf_shown(value), value->text, length ? "too long a name" : "no name",
                     RESOURCE_NAME_MAX - 1);
        return -1;
    }
    memcpy(name, value->text, length);
    name[length] = '\0';
    type = resource_types_find(types, name);
    if (type >= 0)
        return type;
    if (!reader->in_site && reader->types_fixed) {
        lwf_complain(reader, value->text, "the site has no resource type \"%s\"", name);
        return -1;
    }
    type = resource_types_add(types, name, &err);
    if (type < 0)
        lwf_complain(reader, value->text, "%s", err.text);
    return type;
}

void lwf_node_set_begin(struct lwf_reader *reader)
{
    memset(&reader->set, 0, sizeof reader->set);
    reader->set_types = 0;
    reader->set.count = (uint32_t)lwf_take_integer(
        reader, ATTRIBUTE_NUMNODES, 1, reader->in_site ? TRACE_HOSTS_MAX : TRACE_VMS_MAX);
}

void lwf_res_begin(struct lwf_reader *reader)
{
    const struct lwf_value *value = &reader->values[ATTRIBUTE_TYPE];

    reader->res_amount = false;
    reader->res_type = find_type(reader, value);
    if (reader->res_type < 0)
        return;
    if (reader->set_types >> reader->res_type & 1) {
        lwf_object(reader, value->text, "duplicate amount of \"%.*s\" in a node set",
                   lwf_shown(value), value->text);
        reader->set.amounts.of[reader->res_type] = 0;
    }
    reader->set_types |= 1u << reader->res_type;
    if (lwf_given(reader, ATTRIBUTE_AMOUNT)) {
        reader->set.amounts.of[reader->res_type] =
            lwf_take_integer(reader, ATTRIBUTE_AMOUNT, 0, TRACE_AMOUNT_MAX);
        reader->res_amount = true;
    }
}

/* The instances of a resource are added up: a host of 4 processors has CPU 400. */
void lwf_instance_begin(struct lwf_reader *reader)
{
    int64_t amount = lwf_take_integer(reader, ATTRIBUTE_AMOUNT, 0, TRACE_AMOUNT_MAX);

    if (reader->res_type < 0)
        return;
    reader->res_amount = true;
    reader->set.amounts.of[reader->res_type] += amount;
    if (reader->set.amounts.of[reader->res_type] > TRACE_AMOUNT_MAX) {
        lwf_complain(reader, NULL, "the instances add up to more than %" PRId64, TRACE_AMOUNT_MAX);
        reader->set.amounts.of[reader->res_type] = 0;
    }
}

static void end_lease_node_set(struct lwf_reader *reader)
{
    struct lwf_queue *queue = &reader->queue;
    struct lwf_request *open = &reader->request;

    open->n_vms += reader->set.count;
    if (open->n_vms > TRACE_VMS_MAX || queue->n_sets - open->first_set >= TRACE_NODE_SETS_MAX) {
        lwf_complain(reader, NULL, "the lease has more than %" PRId64 " VMs or %d node sets",
                     TRACE_VMS_MAX, TRACE_NODE_SETS_MAX);
        return;
    }
    MEMORY_GROW(queue->sets, queue->allocated_sets, queue->n_sets + 1);
    reader->set.named = reader->set_types;
    queue->sets[queue->n_sets++] = reader->set;
}

static void end_site_node_set(struct lwf_reader *reader)
{
    struct error err;

    reader->site_used |= reader->set_types;
    if (reader->site.n_hosts + reader->set.count > (size_t)TRACE_HOSTS_MAX)
        lwf_complain(reader, NULL, "the site has more than %" PRId64 " hosts", TRACE_HOSTS_MAX);
    else if (site_add_hosts(&reader->site, reader->set.count, &reader->set.amounts, &err) < 0)
        lwf_complain(reader, NULL, "%s", err.text);
}

void lwf_res_end(struct lwf_reader *reader)
{
    if (reader->res_type >= 0 && !reader->res_amount)
        lwf_complain(reader, NULL, "<res> has neither an amount nor an <instance>");
}

void lwf_node_set_end(struct lwf_reader *reader)
{
    if (reader->in_site)
        end_site_node_set(reader);
    else
        end_lease_node_set(reader);
}

bool lwf_site_begin(struct lwf_reader *reader)
{
    if (!reader->trace.site) {
        site_finish(&reader->site);
        site_init(&reader->site);
        reader->in_site = true;
        reader->site_listed = reader->site_used = 0;
        reader->request.sound = true;
        return true;
    }
    /* The site already found by the search after the requests, or a duplicate. */
    if (!reader->site_searched)
        lwf_object(reader, NULL, "duplicate <site>");
    return false;
}

void lwf_resource_types_begin(struct lwf_reader *reader)
{
    struct lwf_value all = reader->values[ATTRIBUTE_NAMES];
    uint32_t needed = 1u << RESOURCE_CPU | 1u << RESOURCE_MEMORY;
    struct lwf_value name = {all.text, all.text};

    while (name.end < all.end) {
        int type;

        name.text = name.end;
        while (name.text < all.end && strchr(" \t\r\n", *name.text))
            name.text++;
        for (name.end = name.text; name.end < all.end && !strchr(" \t\r\n", *name.end);)
            name.end++;
        if (name.text == name.end)
            break;
        type = find_type(reader, &name);
        if (type >= 0)
            reader->site_listed |= 1u << type;
    }
    if ((reader->site_listed & needed) != needed)
        lwf_complain(reader, all.text, "the resource types of a site must include CPU and Memory");
}

void lwf_site_end(struct lwf_reader *reader)
{
    uint32_t unlisted = reader->site_used & ~reader->site_listed;

    reader->in_site = false;
    if (!reader->site_listed)
        lwf_complain(reader, NULL, "the site has no <resource-types>");
    else if (unlisted)
        lwf_complain(reader, NULL,
                     "a node set of the site has %s, which <resource-types> does not name",
                     reader->site.types.names[__builtin_ctz(unlisted)]);
    else if (reader->site.n_hosts == 0)
        lwf_complain(reader, NULL, "the site has no nodes");
    for (int type = RESOURCE_DISK; type <= RESOURCE_NET_OUT; type++)
        if (!(reader->site_listed >> type & 1))
            for (size_t i = 0; i < reader->site.n_hosts; i++)
                reader->site.hosts[i].capacity.of[type] = AMOUNT_UNNAMED;
    if (!reader->request.sound)
        return;
    reader->trace.site = &reader->site;
    if (!reader->options.types) {
        reader->types = reader->site.types;
        reader->types_fixed = true;
    }
    if (reader->site_only)
        lwf_parser_stop(reader);
}
