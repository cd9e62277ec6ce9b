/* Builds requests from elements. */
#include <stdlib.h>
#include <string.h>

#include "lwf/lwf_parser.h"
#include "lwf/lwf_take.h"
#include "lwf/values.h"
#include "util/memory.h"

void lwf_queue_restart(struct lwf_reader *reader)
{
    struct lwf_queue *queue = &reader->queue;
    struct lwf_request *open = &reader->request;
    size_t n_sets = queue->n_sets - open->first_set;

    if (n_sets > 0)
        memmove(queue->sets, queue->sets + open->first_set, n_sets * sizeof *queue->sets);
    if (open->image != SIZE_MAX) {
        queue->n_text -= open->image;
        memmove(queue->text, queue->text + open->image, queue->n_text);
        open->image = 0;
    } else {
        queue->n_text = 0;
    }
    open->first_set = 0;
    queue->n_sets = n_sets;
    queue->n_items = queue->next = 0;
}

void lwf_queue_finish(struct lwf_queue *queue)
{
    free(queue->items);
    free(queue->sets);
    free(queue->text);
}

/* True for the first occurrence of an element in the open request. */
static bool first_of_its_kind(struct lwf_reader *reader, enum lwf_element element)
{
    uint32_t bit = 1u << element;

    if (!(reader->request.seen & bit)) {
        reader->request.seen |= bit;
        return true;
    }
    lwf_object(reader, NULL, "duplicate <%s>", lwf_rules[element].name);
    return false;
}

static void begin_request(struct lwf_reader *reader)
{
    struct lwf_request *open = &reader->request;

    memset(open, 0, sizeof *open);
    open->first_set = reader->queue.n_sets;
    open->image = SIZE_MAX;
    open->sound = true;
    open->place = lwf_parser_place(reader, NULL);
    open->request.start = INSTANT_NONE;
    open->request.deadline = INSTANT_NONE;
    open->request.duration_known = SPAN_NONE;
    open->request.user = -1;
    term_values_init(&open->request.term_values);
    if (lwf_given(reader, ATTRIBUTE_ARRIVAL))
        lwf_take_time(reader, ATTRIBUTE_ARRIVAL, false, &open->request.submit);
    else
        open->sound = false;
}

/* As Haizea, the reader numbers leases in order; equal ids are still a mistake of their author. */
static void check_id(struct lwf_reader *reader)
{
    const struct lwf_value *id = &reader->values[ATTRIBUTE_ID];
    size_t length = (size_t)(id->end - id->text), n = reader->ids.n;
    uint32_t number = map_add_bytes(&reader->ids, id->text, length);
    long *line = map_value(&reader->ids, number);

    if (reader->ids.n > n) {
        *line = reader->request.lease_place.line;
    } else if (*line > 0) {
        lwf_warn_at(reader, lwf_parser_place(reader, id->text),
                    "the lease of line %ld has the id %.*s, too; ids are ignored, leases are "
                    "numbered in order",
                    *line, (int)(length > 64 ? 64 : length), id->text);
        *line = 0; /* told once */
    }
}

static bool begin_lease(struct lwf_reader *reader)
{
    struct lease_request *request = &reader->request.request;

    if (!first_of_its_kind(reader, ELEMENT_LEASE))
        return false;
    reader->request.lease_place = lwf_parser_place(reader, NULL);
    if (reader->options.report && lwf_given(reader, ATTRIBUTE_ID))
        check_id(reader);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (lease_terms[i].of_haizea)
            lwf_take_term(reader, &lease_terms[i], &request->term_values);
    request->terms = lease_terms_usual(request->preemptible);
    if (reader->options.quirks.no_extensions)
        return true;
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (!lease_terms[i].of_haizea)
            lwf_take_term(reader, &lease_terms[i], &request->term_values);
    if (lwf_given(reader, ATTRIBUTE_USER))
        request->user = lwf_take_integer(reader, ATTRIBUTE_USER, -1, TRACE_AMOUNT_MAX);
    return true;
}

static void begin_start(struct lwf_reader *reader)
{
    reader->request.earliest =
        lwf_given(reader, ATTRIBUTE_EARLIEST) && !reader->options.quirks.no_extensions;
    if (reader->request.earliest)
        lwf_take_time(reader, ATTRIBUTE_EARLIEST, false, &reader->request.request.start);
}

static void begin_exact(struct lwf_reader *reader)
{
    reader->request.exact = true;
    lwf_take_time(reader, ATTRIBUTE_TIME, false, &reader->request.request.start);
}

static void begin_duration(struct lwf_reader *reader)
{
    struct lease_request *request = &reader->request.request;

    if (lwf_take_time(reader, ATTRIBUTE_TIME, true, &request->duration) && request->duration == 0)
        lwf_object(reader, reader->values[ATTRIBUTE_TIME].text,
                   "the duration is 0: expected a second or more");
    request->duration_original = request->duration;
}

static void begin_disk_image(struct lwf_reader *reader)
{
    const struct lwf_value *value = &reader->values[ATTRIBUTE_ID];
    struct lwf_queue *queue = &reader->queue;
    size_t length = (size_t)(value->end - value->text);
    char *to;

    reader->request.request.image_size =
        lwf_take_integer(reader, ATTRIBUTE_SIZE, 0, TRACE_AMOUNT_MAX);
    if (length == 0 || length > LWF_ATTRIBUTE_MAX) {
        lwf_complain(reader, value->text,
                     "the name of the disk image has %zu bytes: expected 1 to %d", length,
                     LWF_ATTRIBUTE_MAX);
        return;
    }
    queue->text = memory_grow(queue->text, &queue->allocated_text, queue->n_text + length + 1, 1);
    reader->request.image = queue->n_text;
    to = queue->text + queue->n_text;
    for (const char *from = value->text; from < value->end; from++) {
        *to++ = *from;
        /* The parser returns an ampersand as a character reference. */
        if (value->end - from >= 5 && memcmp(from, "&#38;", 5) == 0)
            from += 4;
    }
    *to++ = '\0';
    queue->n_text = (size_t)(to - queue->text);
}

static bool begin_requests(struct lwf_reader *reader)
{
    reader->repeats = false;
    if (reader->site_only)
        return false;
    if (!reader->trace.site && !reader->site_searched && source_can_rewind(reader->source)) {
        reader->requests_before_site = true;
        lwf_parser_stop(reader);
        return false;
    }
    return true;
}

/* Only one of <now/> and <exact> is allowed. */
static bool begin_when(struct lwf_reader *reader, enum lwf_element element)
{
    if (reader->request.now || reader->request.exact) {
        lwf_object(reader, NULL, "<start> contains more than one of <now/> and <exact/>");
        return false;
    }
    if (element == ELEMENT_EXACT)
        begin_exact(reader);
    else
        reader->request.now = true;
    return true;
}

/* Only one of <none/> and <disk-image> is allowed. */
static bool begin_image(struct lwf_reader *reader, enum lwf_element element)
{
    if (reader->request.seen & (1u << ELEMENT_NONE | 1u << ELEMENT_DISK_IMAGE)) {
        lwf_object(reader, NULL, "<software> contains more than one of <none/> and <disk-image/>");
        return false;
    }
    reader->request.seen |= 1u << element;
    if (element == ELEMENT_DISK_IMAGE)
        begin_disk_image(reader);
    return true;
}

bool lwf_builder_begin(struct lwf_reader *reader, enum lwf_element element, enum lwf_element parent)
{
    switch (element) {
    case ELEMENT_SITE:
        return lwf_site_begin(reader);
    case ELEMENT_RESOURCE_TYPES:
        lwf_resource_types_begin(reader);
        return true;
    case ELEMENT_REQUESTS:
        return begin_requests(reader);
    case ELEMENT_REQUEST:
        begin_request(reader);
        return true;
    case ELEMENT_LEASE:
        return begin_lease(reader);
    case ELEMENT_NODES:
        return parent == ELEMENT_SITE || first_of_its_kind(reader, element);
    case ELEMENT_NODE_SET:
        lwf_node_set_begin(reader);
        return true;
    case ELEMENT_RES:
        lwf_res_begin(reader);
        return true;
    case ELEMENT_INSTANCE:
        lwf_instance_begin(reader);
        return true;
    case ELEMENT_ATTR:
        return true;
    case ELEMENT_REALDURATION:
        if (!first_of_its_kind(reader, element))
            return false;
        lwf_take_time(reader, ATTRIBUTE_TIME, false, &reader->request.request.duration_known);
        return true;
    case ELEMENT_START:
        if (!first_of_its_kind(reader, element))
            return false;
        begin_start(reader);
        return true;
    case ELEMENT_DURATION:
        if (!first_of_its_kind(reader, element))
            return false;
        begin_duration(reader);
        return true;
    case ELEMENT_DEADLINE:
        if (reader->options.quirks.no_extensions || !first_of_its_kind(reader, element))
            return false;
        lwf_take_time(reader, ATTRIBUTE_TIME, false, &reader->request.request.deadline);
        return true;
    case ELEMENT_SOFTWARE:
        return first_of_its_kind(reader, element);
    case ELEMENT_NOW:
    case ELEMENT_EXACT:
        return begin_when(reader, element);
    case ELEMENT_NONE:
    case ELEMENT_DISK_IMAGE:
        return begin_image(reader, element);
    default:
        return true;
    }
}

/* Checks a finished <lease> as a whole. */
static void end_lease(struct lwf_reader *reader)
{
    static const enum lwf_element needed[] = {ELEMENT_NODES, ELEMENT_START, ELEMENT_DURATION,
                                              ELEMENT_SOFTWARE};
    struct lwf_request *open = &reader->request;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(open->seen >> needed[i] & 1))
            lwf_complain_at(reader, open->lease_place, "the lease has no <%s>",
                            lwf_rules[needed[i]].name);
    if ((open->seen >> ELEMENT_NODES & 1) && open->sound && reader->queue.n_sets == open->first_set)
        lwf_complain_at(reader, open->lease_place, "the lease has no <node-set>");
    if ((open->seen >> ELEMENT_SOFTWARE & 1) && open->sound &&
        !(open->seen & (1u << ELEMENT_NONE | 1u << ELEMENT_DISK_IMAGE)))
        lwf_complain_at(reader, open->lease_place,
                        "the <software> of the lease contains neither <none/> nor <disk-image/>");
}

static enum lease_kind kind_of(const struct lwf_request *open)
{
    if (open->now)
        return LEASE_IMMEDIATE;
    if (!open->exact)
        return LEASE_BEST_EFFORT;
    return open->request.deadline == INSTANT_NONE ? LEASE_RESERVATION : LEASE_DEADLINE;
}

static void queue_request(struct lwf_reader *reader)
{
    struct lwf_queue *queue = &reader->queue;
    struct lwf_request *open = &reader->request;
    struct lwf_queued *item;

    MEMORY_GROW(queue->items, queue->allocated_items, queue->n_items + 1);
    item = &queue->items[queue->n_items++];
    item->request = open->request;
    item->request.id = ++reader->last_id;
    item->request.n_node_sets = queue->n_sets - open->first_set;
    item->first_set = open->first_set;
    item->image = open->image;
    item->place = open->place;
    open->first_set = queue->n_sets;
    open->image = SIZE_MAX;
}

static void end_request(struct lwf_reader *reader)
{
    struct lwf_request *open = &reader->request;
    struct lease_request *request = &open->request;

    if (!(open->seen >> ELEMENT_LEASE & 1))
        lwf_complain_at(reader, open->place, "the <lease-request> has no <lease>");
    if (reader->ended)
        return;
    request->kind = kind_of(open);
    if ((open->exact || open->now) && open->earliest)
        lwf_complain_at(reader, open->lease_place,
                        "an earliest start is for best-effort leases, without <exact/> or <now/>");
    if (open->now)
        request->start = INSTANT_NONE;
    if (!reader->options.quirks.longer_runs && request->duration_known > request->duration)
        request->duration_known = request->duration;
    if (open->sound) {
        queue_request(reader);
        return;
    }
    reader->queue.n_sets = open->first_set;
    open->image = SIZE_MAX;
    reader->last_id++;
}

void lwf_builder_end(struct lwf_reader *reader, enum lwf_element element)
{
    switch (element) {
    case ELEMENT_RES:
        lwf_res_end(reader);
        break;
    case ELEMENT_NODE_SET:
        lwf_node_set_end(reader);
        break;
    case ELEMENT_LEASE:
        end_lease(reader);
        break;
    case ELEMENT_REQUEST:
        end_request(reader);
        break;
    case ELEMENT_SITE:
        lwf_site_end(reader);
        break;
    case ELEMENT_REQUESTS:
        reader->has_requests = true;
        break;
    case ELEMENT_WORKLOAD:
        if (!reader->has_requests && !reader->site_only)
            lwf_complain(reader, NULL, "the <lease-workload> has no <lease-requests>");
        break;
    default:
        break;
    }
}
