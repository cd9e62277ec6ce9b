#include "lwf/lwf_parser.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/values.h"

static bool given(const struct lwf_reader *reader, enum lwf_attribute attribute)
{
    return reader->given >> attribute & 1;
}

/* For "%.*s": at most 64 bytes of a value. */
static int shown(const struct lwf_value *value)
{
    return value->end - value->text > 64 ? 64 : (int)(value->end - value->text);
}

static bool is_word(const struct lwf_value *value, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(value->end - value->text) == length
           && strncasecmp(value->text, word, length) == 0;
}

/* False after a complaint; *seconds is then 0. */
static bool take_time(struct lwf_reader *reader, enum lwf_attribute attribute,
                      bool unlimited_allowed, int64_t *seconds)
{
    const struct lwf_value *value = &reader->values[attribute];

    if (value_parse_delta(value->text, value->end, seconds))
        return true;
    if (reader->options.haizea_1_0) {
        *seconds = value_parse_delta_haizea(value->text, value->end);
        lwf_warn_at(reader, lwf_parser_place(reader, value->text),
                    "\"%.*s\" is no time and is taken as %" PRId64 " s, as Haizea 1.0 does",
                    shown(value), value->text, *seconds);
        return true;
    }
    if (unlimited_allowed && is_word(value, "unlimited")) {
        *seconds = SPAN_UNLIMITED;
        return true;
    }
    *seconds = 0;
    lwf_complain(reader, value->text, "\"%.*s\" is no time: expected [DAYS:]HH:MM[:SS]%s",
                 shown(value), value->text, unlimited_allowed ? " or unlimited" : "");
    return false;
}

/* An integer between min and max, or a complaint and min. */
static int64_t take_integer(struct lwf_reader *reader, enum lwf_attribute attribute, int64_t min,
                            int64_t max)
{
    const struct lwf_value *value = &reader->values[attribute];
    int64_t number;

    if (value_parse_integer(value->text, value->end, max, &number) && number >= min)
        return number;
    lwf_complain(reader, value->text,
                 "%s is \"%.*s\": expected an integer from %" PRId64 " to %" PRId64,
                 lwf_attribute_names[attribute], shown(value), value->text, min, max);
    return min;
}

static bool grow(struct lwf_reader *reader, void **array, size_t *allocated, size_t needed,
                 size_t size)
{
    size_t more = *allocated ? *allocated : 64;
    void *bigger;

    if (needed <= *allocated)
        return true;
    while (more < needed)
        more *= 2;
    bigger = realloc(*array, more * size);
    if (!bigger) {
        lwf_abort(reader, "out of memory");
        return false;
    }
    *array = bigger;
    *allocated = more;
    return true;
}

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

/* True the first time an element stands in the open request. */
static bool first_of_its_kind(struct lwf_reader *reader, enum lwf_element element)
{
    uint32_t bit = 1u << element;

    if (!(reader->request.seen & bit)) {
        reader->request.seen |= bit;
        return true;
    }
    if (reader->options.haizea_1_0)
        lwf_warn_at(reader, lwf_parser_place(reader, NULL), "another <%s>; the first one counts",
                    lwf_element_names[element]);
    else
        lwf_complain(reader, NULL, "another <%s>; one is allowed", lwf_element_names[element]);
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
    if (given(reader, ATTRIBUTE_ARRIVAL))
        take_time(reader, ATTRIBUTE_ARRIVAL, false, &open->request.submit);
    else
        open->sound = false;
}

static void take_own_attributes(struct lwf_reader *reader, struct lease_request *request)
{
    const struct lwf_value *value;

    if (given(reader, ATTRIBUTE_TERMS)) {
        int terms = TERMS_CANCELABLE;

        value = &reader->values[ATTRIBUTE_TERMS];
        while (terms <= TERMS_NON_PREEMPTABLE && !is_word(value, lease_terms_name(terms)))
            terms++;
        if (terms <= TERMS_NON_PREEMPTABLE)
            request->terms = terms;
        else
            lwf_complain(reader, value->text,
                         "terms are \"%.*s\": expected cancelable, suspendable, migratable, "
                         "restartable or non-preemptable", shown(value), value->text);
    }
    if (given(reader, ATTRIBUTE_ORIGIN)) {
        value = &reader->values[ATTRIBUTE_ORIGIN];
        if (is_word(value, "external"))
            request->origin = ORIGIN_EXTERNAL;
        else if (!is_word(value, "local"))
            lwf_complain(reader, value->text, "origin is \"%.*s\": expected local or external",
                         shown(value), value->text);
    }
    if (given(reader, ATTRIBUTE_PRIORITY))
        request->priority = (int32_t)take_integer(reader, ATTRIBUTE_PRIORITY, -INT32_MAX,
                                                  INT32_MAX);
}

static bool begin_lease(struct lwf_reader *reader)
{
    struct lease_request *request = &reader->request.request;

    if (!first_of_its_kind(reader, ELEMENT_LEASE))
        return false;
    reader->request.lease_place = lwf_parser_place(reader, NULL);
    if (given(reader, ATTRIBUTE_PREEMPTIBLE)) {
        const struct lwf_value *value = &reader->values[ATTRIBUTE_PREEMPTIBLE];

        request->preemptible = is_word(value, "true");
        if (!request->preemptible && !is_word(value, "false"))
            lwf_complain(reader, value->text, "preemptible is \"%.*s\": expected true or false",
                         shown(value), value->text);
    }
    request->terms = request->preemptible ? TERMS_SUSPENDABLE : TERMS_NON_PREEMPTABLE;
    if (reader->options.haizea_1_0)
        return true;
    take_own_attributes(reader, request);
    if (given(reader, ATTRIBUTE_USER))
        request->user = take_integer(reader, ATTRIBUTE_USER, -1, TRACE_AMOUNT_MAX);
    return true;
}

/* The place of a resource type for the open node set, or -1 after a complaint. */
static int find_type(struct lwf_reader *reader, const struct lwf_value *value)
{
    struct resource_types *types = reader->in_site ? &reader->site.types : &reader->types;
    char name[RESOURCE_NAME_MAX];
    size_t length = (size_t)(value->end - value->text);
    struct error err;
    int type;

    if (length == 0 || length >= sizeof name) {
        lwf_complain(reader, value->text,
                     "the resource type \"%.*s\" has %s: expected 1 to %d letters", shown(value),
                     value->text, length ? "too long a name" : "no name", RESOURCE_NAME_MAX - 1);
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

static void begin_node_set(struct lwf_reader *reader)
{
    memset(&reader->set, 0, sizeof reader->set);
    reader->set_types = 0;
    reader->set.count = (uint32_t)take_integer(reader, ATTRIBUTE_NUMNODES, 1,
                                               reader->in_site ? TRACE_HOSTS_MAX : TRACE_VMS_MAX);
}

static void begin_res(struct lwf_reader *reader)
{
    const struct lwf_value *value = &reader->values[ATTRIBUTE_TYPE];

    reader->res_amount = false;
    reader->res_type = find_type(reader, value);
    if (reader->res_type < 0)
        return;
    if (reader->set_types >> reader->res_type & 1) {
        if (!reader->options.haizea_1_0)
            lwf_complain(reader, value->text, "another amount of \"%.*s\" in one node set",
                         shown(value), value->text);
        reader->set.amounts.of[reader->res_type] = 0;
    }
    reader->set_types |= 1u << reader->res_type;
    if (given(reader, ATTRIBUTE_AMOUNT)) {
        reader->set.amounts.of[reader->res_type] = take_integer(reader, ATTRIBUTE_AMOUNT, 0,
                                                                TRACE_AMOUNT_MAX);
        reader->res_amount = true;
    }
}

/* The instances of a resource are added up: a host of 4 processors has CPU 400. */
static void begin_instance(struct lwf_reader *reader)
{
    int64_t amount = take_integer(reader, ATTRIBUTE_AMOUNT, 0, TRACE_AMOUNT_MAX);

    if (reader->res_type < 0)
        return;
    reader->res_amount = true;
    reader->set.amounts.of[reader->res_type] += amount;
    if (reader->set.amounts.of[reader->res_type] > TRACE_AMOUNT_MAX) {
        lwf_complain(reader, NULL, "the instances add up to more than %" PRId64,
                     TRACE_AMOUNT_MAX);
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
    if (!grow(reader, (void **)&queue->sets, &queue->allocated_sets, queue->n_sets + 1,
              sizeof *queue->sets))
        return;
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

static void begin_start(struct lwf_reader *reader)
{
    reader->request.earliest = given(reader, ATTRIBUTE_EARLIEST) && !reader->options.haizea_1_0;
    if (reader->request.earliest)
        take_time(reader, ATTRIBUTE_EARLIEST, false, &reader->request.request.start);
}

static void begin_exact(struct lwf_reader *reader)
{
    reader->request.exact = true;
    take_time(reader, ATTRIBUTE_TIME, false, &reader->request.request.start);
}

static void begin_duration(struct lwf_reader *reader)
{
    struct lease_request *request = &reader->request.request;

    if (take_time(reader, ATTRIBUTE_TIME, true, &request->duration) && request->duration == 0
        && !reader->options.haizea_1_0)
        lwf_complain(reader, reader->values[ATTRIBUTE_TIME].text,
                     "the duration is 0: expected a second or more");
    request->duration_original = request->duration;
}

static void begin_disk_image(struct lwf_reader *reader)
{
    const struct lwf_value *value = &reader->values[ATTRIBUTE_ID];
    struct lwf_queue *queue = &reader->queue;
    size_t length = (size_t)(value->end - value->text);
    char *to;

    reader->request.request.image_size = take_integer(reader, ATTRIBUTE_SIZE, 0, TRACE_AMOUNT_MAX);
    if (length == 0 || length > LWF_ATTRIBUTE_MAX) {
        lwf_complain(reader, value->text, "the name of the disk image has %zu bytes: expected 1 "
                     "to %d", length, LWF_ATTRIBUTE_MAX);
        return;
    }
    if (!grow(reader, (void **)&queue->text, &queue->allocated_text, queue->n_text + length + 1, 1))
        return;
    reader->request.image = queue->n_text;
    to = queue->text + queue->n_text;
    for (const char *from = value->text; from < value->end; from++) {
        *to++ = *from;
        /* The parser leaves an ampersand as its character reference. */
        if (value->end - from >= 5 && memcmp(from, "&#38;", 5) == 0)
            from += 4;
    }
    *to++ = '\0';
    queue->n_text = (size_t)(to - queue->text);
}

static bool begin_requests(struct lwf_reader *reader)
{
    if (reader->site_only)
        return false;
    if (!reader->has_site && !reader->site_searched && source_can_rewind(reader->source)) {
        reader->requests_before_site = true;
        lwf_parser_stop(reader);
        return false;
    }
    return true;
}

static bool begin_site(struct lwf_reader *reader)
{
    if (!reader->has_site) {
        site_finish(&reader->site);
        site_init(&reader->site);
        reader->in_site = true;
        reader->site_listed = reader->site_used = 0;
        reader->request.sound = true;
        return true;
    }
    /* Found by the search for a site behind the requests, or a second one. */
    if (!reader->site_searched && !reader->options.haizea_1_0)
        lwf_complain(reader, NULL, "another <site>; one is allowed");
    return false;
}

static void begin_resource_types(struct lwf_reader *reader)
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

static void end_site(struct lwf_reader *reader)
{
    uint32_t unlisted = reader->site_used & ~reader->site_listed;

    reader->in_site = false;
    if (!reader->site_listed)
        lwf_complain(reader, NULL, "the site lacks <resource-types>");
    else if (unlisted)
        lwf_complain(reader, NULL, "a node set of the site has %s, which <resource-types> does "
                     "not name", reader->site.types.names[__builtin_ctz(unlisted)]);
    else if (reader->site.n_hosts == 0)
        lwf_complain(reader, NULL, "the site has no nodes");
    for (int type = RESOURCE_DISK; type <= RESOURCE_NET_OUT; type++)
        if (!(reader->site_listed >> type & 1))
            for (size_t i = 0; i < reader->site.n_hosts; i++)
                reader->site.hosts[i].capacity.of[type] = AMOUNT_UNNAMED;
    if (!reader->request.sound)
        return;
    reader->has_site = true;
    if (!reader->options.types) {
        reader->types = reader->site.types;
        reader->types_fixed = true;
    }
    if (reader->site_only)
        lwf_parser_stop(reader);
}

bool lwf_builder_begin(struct lwf_reader *reader, enum lwf_element element,
                       enum lwf_element parent)
{
    switch (element) {
    case ELEMENT_SITE: return begin_site(reader);
    case ELEMENT_RESOURCE_TYPES: begin_resource_types(reader); return true;
    case ELEMENT_REQUESTS: return begin_requests(reader);
    case ELEMENT_REQUEST: begin_request(reader); return true;
    case ELEMENT_LEASE: return begin_lease(reader);
    case ELEMENT_NODES: return parent == ELEMENT_SITE || first_of_its_kind(reader, element);
    case ELEMENT_NODE_SET: begin_node_set(reader); return true;
    case ELEMENT_RES: begin_res(reader); return true;
    case ELEMENT_INSTANCE: begin_instance(reader); return true;
    case ELEMENT_ATTR: return true;
    case ELEMENT_REALDURATION:
        if (!first_of_its_kind(reader, element))
            return false;
        take_time(reader, ATTRIBUTE_TIME, false, &reader->request.request.duration_known);
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
        if (reader->options.haizea_1_0 || !first_of_its_kind(reader, element))
            return false;
        take_time(reader, ATTRIBUTE_TIME, false, &reader->request.request.deadline);
        return true;
    case ELEMENT_SOFTWARE: return first_of_its_kind(reader, element);
    case ELEMENT_NOW:
    case ELEMENT_EXACT:
        if (reader->request.now || reader->request.exact) {
            if (!reader->options.haizea_1_0)
                lwf_complain(reader, NULL, "<start> holds more than one of <now/> and <exact/>");
            return false;
        }
        if (element == ELEMENT_EXACT)
            begin_exact(reader);
        else
            reader->request.now = true;
        return true;
    case ELEMENT_NONE:
    case ELEMENT_DISK_IMAGE:
        if (reader->request.seen & (1u << ELEMENT_NONE | 1u << ELEMENT_DISK_IMAGE)) {
            if (!reader->options.haizea_1_0)
                lwf_complain(reader, NULL,
                             "<software> holds more than one of <none/> and <disk-image/>");
            return false;
        }
        reader->request.seen |= 1u << element;
        if (element == ELEMENT_DISK_IMAGE)
            begin_disk_image(reader);
        return true;
    default: return true;
    }
}

/* Check a finished <lease> as a whole. */
static void end_lease(struct lwf_reader *reader)
{
    static const enum lwf_element needed[] = {
        ELEMENT_NODES, ELEMENT_START, ELEMENT_DURATION, ELEMENT_SOFTWARE
    };
    struct lwf_request *open = &reader->request;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(open->seen >> needed[i] & 1))
            lwf_complain_at(reader, open->lease_place, "the lease lacks <%s>",
                            lwf_element_names[needed[i]]);
    if ((open->seen >> ELEMENT_NODES & 1) && open->sound
        && reader->queue.n_sets == open->first_set)
        lwf_complain_at(reader, open->lease_place, "the lease has no <node-set>");
    if ((open->seen >> ELEMENT_SOFTWARE & 1) && open->sound
        && !(open->seen & (1u << ELEMENT_NONE | 1u << ELEMENT_DISK_IMAGE)))
        lwf_complain_at(reader, open->lease_place,
                        "the <software> of the lease holds neither <none/> nor <disk-image/>");
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

    if (!grow(reader, (void **)&queue->items, &queue->allocated_items, queue->n_items + 1,
              sizeof *queue->items))
        return;
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
    if (!reader->options.haizea_1_0 && request->duration_known > request->duration)
        request->duration_known = request->duration;
    if (open->sound) {
        queue_request(reader);
        return;
    }
    reader->queue.n_sets = open->first_set;
    open->image = SIZE_MAX;
    reader->last_id++;
}

void lwf_builder_end(struct lwf_reader *reader, enum lwf_element element, enum lwf_element parent)
{
    (void)parent;
    switch (element) {
    case ELEMENT_RES:
        if (reader->res_type >= 0 && !reader->res_amount)
            lwf_complain(reader, NULL, "<res> has neither an amount nor an <instance>");
        break;
    case ELEMENT_NODE_SET:
        if (reader->in_site)
            end_site_node_set(reader);
        else
            end_lease_node_set(reader);
        break;
    case ELEMENT_LEASE: end_lease(reader); break;
    case ELEMENT_REQUEST: end_request(reader); break;
    case ELEMENT_SITE: end_site(reader); break;
    case ELEMENT_REQUESTS: reader->has_requests = true; break;
    case ELEMENT_WORKLOAD:
        if (!reader->has_requests && !reader->site_only)
            lwf_complain(reader, NULL, "the <lease-workload> has no <lease-requests>");
        break;
    default: break;
    }
}
