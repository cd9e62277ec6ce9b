/* Writes requests and a site as LWF. */
#include "lwf/lwf_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlstring.h>

#include "lwf/values.h"
#include "util/memory.h"

struct lwf_writer {
    FILE *file;
    const struct resource_types *types;
    struct resource_types own_types;
    int64_t last_id;
};

/* XML 1.0 cannot represent other control characters, or bytes that are not UTF-8. */
static bool can_be_written(const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' && !strchr("\t\n\r", *p))
            return false;
    return xmlCheckUTF8((const xmlChar *)text);
}

static void put_escaped(FILE *file, const char *text)
{
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\t':
        case '\n':
        case '\r':
            fprintf(file, "&#%d;", *p);
            break;
        default:
            putc(*p, file);
            break;
        }
    }
}

static void put_time(FILE *file, const char *element, int64_t seconds)
{
    char text[VALUE_DELTA_MAX];

    value_format_delta(seconds, text);
    fprintf(file, "<%s time=\"%s\"/>", element, text);
}

static void put_res(FILE *file, const char *type, int64_t amount)
{
    fputs("<res type=\"", file);
    put_escaped(file, type);
    fprintf(file, "\" amount=\"%" PRId64 "\"/>", amount);
}

static int check(const struct lwf_writer *writer, struct error *err)
{
    if (ferror(writer->file))
        return error_set(err, errno ? errno : EIO, "the trace cannot be written: %s",
                         strerror(errno ? errno : EIO));
    return 0;
}

/* Like Haizea's own files, omits types whose amount is the default on every host. */
static uint32_t named_types(const struct site *site)
{
    uint32_t named = 1u << RESOURCE_CPU | 1u << RESOURCE_MEMORY;

    for (int type = RESOURCE_DISK; type < site->types.count; type++) {
        bool unnamed = type < RESOURCE_TYPES_FIXED;

        for (size_t i = 0; i < site->n_hosts && unnamed; i++)
            unnamed = site->hosts[i].capacity.of[type] == AMOUNT_UNNAMED;
        if (!unnamed)
            named |= 1u << type;
    }
    return named;
}

static void put_site(FILE *file, const struct site *site)
{
    uint32_t named = named_types(site);

    fputs("<site><resource-types names=\"", file);
    for (int type = 0; type < site->types.count; type++)
        if (named >> type & 1) {
            if (type > 0)
                putc(' ', file);
            put_escaped(file, site->types.names[type]);
        }
    fputs("\"/><nodes>", file);
    for (size_t i = 0, equal; i < site->n_hosts; i += equal) {
        const struct amounts *capacity = &site->hosts[i].capacity;

        for (equal = 1; i + equal < site->n_hosts; equal++)
            if (memcmp(capacity, &site->hosts[i + equal].capacity, sizeof *capacity) != 0)
                break;
        fprintf(file, "<node-set numnodes=\"%zu\">", equal);
        for (int type = 0; type < site->types.count; type++)
            if (named >> type & 1)
                put_res(file, site->types.names[type], capacity->of[type]);
        fputs("</node-set>", file);
    }
    fputs("</nodes></site>\n", file);
}

struct lwf_writer *lwf_writer_create(FILE *file, const struct lwf_description *description,
                                     struct error *err)
{
    struct lwf_writer *writer;

    if ((description->name && !can_be_written(description->name)) ||
        (description->text && !can_be_written(description->text)))
        return error_null(err, EINVAL,
                          "the name or the description of the workload is not UTF-8 text");
    writer = memory_new(1, sizeof *writer);
    writer->file = file;
    resource_types_init(&writer->own_types);
    if (description->site)
        writer->own_types = description->site->types;
    writer->types = description->types ? description->types : &writer->own_types;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<lease-workload name=\"", file);
    put_escaped(file, description->name ? description->name : "");
    fputs("\">\n<description>", file);
    put_escaped(file, description->text ? description->text : "");
    fputs("</description>\n", file);
    if (description->site)
        put_site(file, description->site);
    fputs("<lease-requests>\n", file);
    if (check(writer, err) < 0) {
        lwf_writer_destroy(writer);
        return NULL;
    }
    return writer;
}

static bool times_can_be_written(const struct lease_request *request)
{
    const int64_t times[] = {
        request->submit,
        request->start == INSTANT_NONE ? 0 : request->start,
        request->deadline == INSTANT_NONE ? 0 : request->deadline,
        request->duration == SPAN_UNLIMITED ? 0 : request->duration,
        request->duration_known == SPAN_NONE ? 0 : request->duration_known,
    };

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i] < 0 || times[i] > TRACE_TIME_MAX)
            return false;
    return true;
}

static void put_term(FILE *file, const struct lease_term *term, const struct term_values *values)
{
    char text[TERM_TEXT_MAX];

    fprintf(file, " %s=\"", term->name);
    put_escaped(file, term->type != TERM_FLAG     ? term_write(term, values, text)
                      : term_number(term, values) ? "true"
                                                  : "false");
    putc('"', file);
}

static void put_lease_attributes(FILE *file, const struct lease_request *request)
{
    const struct term_values *values = &request->term_values;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (lease_terms[i].of_haizea)
            put_term(file, &lease_terms[i], values);
    if (request->user >= 0)
        fprintf(file, " user=\"%" PRId64 "\"", request->user);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (!lease_terms[i].of_haizea && !term_is_usual(&lease_terms[i], values))
            put_term(file, &lease_terms[i], values);
}

static void put_nodes(const struct lwf_writer *writer, const struct lease_request *request)
{
    FILE *file = writer->file;

    fputs("<nodes>", file);
    for (size_t i = 0; i < request->n_node_sets; i++) {
        const struct node_set *set = &request->node_sets[i];

        fprintf(file, "<node-set numnodes=\"%" PRIu32 "\">", set->count);
        for (int type = 0; type < writer->types->count; type++)
            if (type <= RESOURCE_MEMORY || set->amounts.of[type] != 0)
                put_res(file, writer->types->names[type], set->amounts.of[type]);
        fputs("</node-set>", file);
    }
    fputs("</nodes>", file);
}

static void put_start(FILE *file, const struct lease_request *request)
{
    char text[VALUE_DELTA_MAX];

    switch (request->kind) {
    case LEASE_IMMEDIATE:
        fputs("<start><now/></start>", file);
        break;
    case LEASE_RESERVATION:
    case LEASE_DEADLINE:
        fputs("<start>", file);
        put_time(file, "exact", request->start);
        fputs("</start>", file);
        break;
    case LEASE_BEST_EFFORT:
        if (request->start == INSTANT_NONE) {
            fputs("<start/>", file);
            break;
        }
        value_format_delta(request->start, text);
        fprintf(file, "<start earliest=\"%s\"/>", text);
        break;
    }
}

static void put_software(FILE *file, const struct lease_request *request)
{
    if (!request->image) {
        fputs("<software><none/></software>", file);
        return;
    }
    fputs("<software><disk-image id=\"", file);
    put_escaped(file, request->image);
    fprintf(file, "\" size=\"%" PRId64 "\"/></software>", request->image_size);
}

int lwf_writer_request(struct lwf_writer *writer, const struct lease_request *request,
                       struct error *err)
{
    FILE *file = writer->file;
    char text[VALUE_DELTA_MAX];

    if (request->image && !can_be_written(request->image))
        return error_set(err, EINVAL,
                         "lease %" PRId64 ": the name of the disk image is not UTF-8 "
                         "text",
                         request->id);
    if (!times_can_be_written(request))
        return error_set(err, EINVAL,
                         "lease %" PRId64 ": a time is negative or too large for a "
                         "trace",
                         request->id);
    value_format_delta(request->submit, text);
    fprintf(file, "<lease-request arrival=\"%s\">", text);
    if (request->duration_known != SPAN_NONE)
        put_time(file, "realduration", request->duration_known);
    fprintf(file, "<lease id=\"%" PRId64 "\"", ++writer->last_id);
    put_lease_attributes(file, request);
    putc('>', file);
    put_nodes(writer, request);
    put_start(file, request);
    if (request->duration == SPAN_UNLIMITED)
        fputs("<duration time=\"unlimited\"/>", file);
    else
        put_time(file, "duration", request->duration);
    if (request->deadline != INSTANT_NONE)
        put_time(file, "deadline", request->deadline);
    put_software(file, request);
    fputs("</lease></lease-request>\n", file);
    return check(writer, err);
}

int lwf_writer_end(struct lwf_writer *writer, struct error *err)
{
    fputs("</lease-requests>\n</lease-workload>\n", writer->file);
    fflush(writer->file);
    return check(writer, err);
}

void lwf_writer_destroy(struct lwf_writer *writer)
{
    free(writer);
}
