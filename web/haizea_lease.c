/* Reads and writes Haizea's lease documents. */
#include "web/haizea_lease.h"

#include <errno.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lwf/values.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/time_parse.h"
#include "util/time_text.h"

enum { VALUE_MAX = 80 };

/* The duration that Haizea's command writes for a lease without an end. */
static const int64_t century = INT64_C(36500) * 86400;

/* --- reading ---------------------------------------------------------------------------------- */

struct value {
    char text[VALUE_MAX];
};

static bool is_named(const xmlNode *element, const char *name)
{
    return strcmp((const char *)element->name, name) == 0;
}

static const xmlNode *element_at(const xmlNode *node)
{
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

static const xmlNode *first_of(const xmlNode *element)
{
    return element_at(element->children);
}

/* An error about an element. */
static int complain(const xmlNode *element, struct error *err, const char *what)
{
    struct value name;

    snprintf(name.text, sizeof name.text, "%s", (const char *)element->name);
    mask_controls(name.text, '?');
    return error_set(err, EINVAL, "line %ld: <%s>: %s", xmlGetLineNo(element), name.text, what);
}

static int read_value(const xmlNode *element, const char *name, struct value *value,
                      struct error *err)
{
    xmlChar *found = xmlGetProp(element, (const xmlChar *)name);
    char what[64];
    size_t length;

    if (!found) {
        snprintf(what, sizeof what, "the attribute %s is missing", name);
        return complain(element, err, what);
    }
    length = strlen((const char *)found);
    if (length < sizeof value->text)
        memcpy(value->text, found, length + 1);
    xmlFree(found);
    if (length < sizeof value->text)
        return 0;
    snprintf(what, sizeof what, "the attribute %s is too long", name);
    return complain(element, err, what);
}

static int read_number(const xmlNode *element, const char *name, int64_t *number, struct error *err)
{
    struct value value;
    char what[64];

    if (read_value(element, name, &value, err) < 0)
        return -1;
    if (value_parse_integer(value.text, value.text + strlen(value.text), TRACE_AMOUNT_MAX,
                            number) &&
        *number >= 0)
        return 0;
    snprintf(what, sizeof what, "%s: expected a whole number", name);
    return complain(element, err, what);
}

static int take_preemptible(json_t *asked, const xmlNode *lease, struct error *err)
{
    struct value value;
    bool preemptible;

    if (read_value(lease, "preemptible", &value, err) < 0)
        return -1;
    preemptible = strcasecmp(value.text, "true") == 0;
    if (!preemptible && strcasecmp(value.text, "false") != 0)
        return complain(lease, err, "preemptible: expected True or False");
    json_object_set_new(asked, "preemptible", json_boolean(preemptible));
    return 0;
}

static int take_resource(json_t *asked, const xmlNode *res, struct error *err)
{
    struct value type;
    int64_t amount;

    if (!is_named(res, "res"))
        return complain(res, err, "expected <res>");
    if (read_value(res, "type", &type, err) < 0 || read_number(res, "amount", &amount, err) < 0)
        return -1;
    if (strcmp(type.text, "CPU") == 0)
        json_object_set_new(asked, "cpu", json_real((double)amount / 100));
    else if (strcmp(type.text, "Memory") == 0)
        json_object_set_new(asked, "memory", json_integer(amount));
    else
        return complain(res, err, "type: expected CPU or Memory");
    return 0;
}

static int take_nodes(json_t *asked, const xmlNode *nodes, struct error *err)
{
    const xmlNode *set = first_of(nodes);
    int64_t count;

    if (!set || !is_named(set, "node-set") || element_at(set->next))
        return complain(nodes, err,
                        "expected one <node-set>: all nodes of a lease must have the same size");
    if (read_number(set, "numnodes", &count, err) < 0)
        return -1;
    json_object_set_new(asked, "count", json_integer(count));
    for (const xmlNode *res = first_of(set); res; res = element_at(res->next))
        if (take_resource(asked, res, err) < 0)
            return -1;
    return 0;
}

/* Reads "2026-11-21 15:04:05.00", in local time. */
static int take_exact(json_t *asked, const xmlNode *exact, struct error *err)
{
    struct value value;
    char text[TIME_TEXT_MAX];
    int64_t start;

    if (read_value(exact, "time", &value, err) < 0)
        return -1;
    value.text[strcspn(value.text, ".")] = '\0'; /* drops the fraction of a second */
    if (*value.text == '+' || time_parse_instant(value.text, 0, &start))
        return complain(exact, err, "time: expected a time such as 2026-11-21 15:04:05");
    time_text_utc(start, text, sizeof text);
    json_object_set_new(asked, "start", json_string(text));
    return 0;
}

static int take_start(json_t *asked, const xmlNode *start, struct error *err)
{
    const xmlNode *when = first_of(start);
    const char *kind = !when ? "best-effort" : is_named(when, "now") ? "immediate" : "reservation";

    json_object_set_new(asked, "kind", json_string(kind));
    if (!when || is_named(when, "now"))
        return 0;
    return is_named(when, "exact") ? take_exact(asked, when, err)
                                   : complain(start, err, "expected <now/>, <exact/> or nothing");
}

static int take_duration(json_t *asked, const xmlNode *duration, struct error *err)
{
    struct value value;
    int64_t seconds;

    if (read_value(duration, "time", &value, err) < 0)
        return -1;
    if (!value_parse_delta(value.text, value.text + strlen(value.text), &seconds) || seconds == 0)
        return complain(duration, err, "time: expected a duration such as 01:30:00");
    json_object_set_new(asked, "duration",
                        seconds < century ? json_integer(seconds) : json_string("unlimited"));
    return 0;
}

static int take_software(json_t *asked, const xmlNode *software, struct error *err)
{
    const xmlNode *what = first_of(software);
    struct value value;
    int64_t template;

    if (!what || is_named(what, "none"))
        return 0;
    if (!is_named(what, "disk-image"))
        return complain(software, err, "expected <none/> or <disk-image/>");
    if (read_value(what, "id", &value, err) < 0)
        return -1;
    if (!value_parse_integer(value.text, value.text + strlen(value.text), INT32_MAX, &template))
        return complain(what, err, "id: expected the id of an OpenNebula template");
    json_object_set_new(asked, "template", json_integer(template));
    return 0;
}

static const struct {
    const char *name;
    int (*take)(json_t *asked, const xmlNode *element, struct error *err);
} parts[] = {
    {"nodes", take_nodes},
    {"start", take_start},
    {"duration", take_duration},
    {"software", take_software},
};

enum { PARTS = sizeof parts / sizeof *parts };

static int take_part(json_t *asked, const xmlNode *element, unsigned *seen, struct error *err)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (!is_named(element, parts[i].name))
            continue;
        if (*seen & 1u << i)
            return complain(element, err, "appears twice");
        *seen |= 1u << i;
        return parts[i].take(asked, element, err);
    }
    return complain(element, err, "leases of Haizea 1.0 do not have this element");
}

static int take_lease(json_t *asked, const xmlNode *lease, struct error *err)
{
    unsigned seen = 0;
    char what[64];

    if (!lease || !is_named(lease, "lease"))
        return error_set(err, EINVAL, "expected a <lease>");
    if (take_preemptible(asked, lease, err) < 0)
        return -1;
    for (const xmlNode *part = first_of(lease); part; part = element_at(part->next))
        if (take_part(asked, part, &seen, err) < 0)
            return -1;
    for (size_t i = 0; i < PARTS; i++) {
        if (seen & 1u << i)
            continue;
        snprintf(what, sizeof what, "<%s> is missing", parts[i].name);
        return complain(lease, err, what);
    }
    return 0;
}

json_t *haizea_lease_read(const char *document, size_t length, struct error *err)
{
    xmlDoc *read = xmlReadMemory(document, (int)length, NULL, NULL,
                                 XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    json_t *asked = json_object();
    int result;

    if (!read)
        result = error_set(err, EINVAL, "the lease is not well-formed XML");
    else if (read->intSubset) /* a DOCTYPE could declare entities */
        result = error_set(err, EINVAL, "the lease has a DOCTYPE");
    else
        result = take_lease(asked, xmlDocGetRootElement(read), err);
    xmlFreeDoc(read);
    if (result == 0)
        return asked;
    json_decref(asked);
    return NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Haizea's numbers of its states. */
enum {
    STATE_PENDING = 1,
    STATE_REJECTED = 2,
    STATE_SCHEDULED = 3,
    STATE_QUEUED = 4,
    STATE_READY = 7,
    STATE_ACTIVE = 8,
    STATE_SUSPENDING = 9,
    STATE_SUSPENDED_PENDING = 10,
    STATE_SUSPENDED_QUEUED = 11,
    STATE_SUSPENDED_SCHEDULED = 12,
    STATE_RESUMED_READY = 15,
    STATE_DONE = 16,
    STATE_FAIL = 17,
};

static const char *text_of(const json_t *lease, const char *name)
{
    const char *text = json_string_value(json_object_get(lease, name));

    return text ? text : "";
}

/* Leases that have run before have other states. */
static int state_of(const json_t *lease)
{
    static const struct {
        const char *phase;
        int before, after;
    } states[] = {
        {"gathering", STATE_PENDING, STATE_SUSPENDED_PENDING},
        {"waiting", STATE_QUEUED, STATE_SUSPENDED_QUEUED},
        {"reserved", STATE_SCHEDULED, STATE_SUSPENDED_SCHEDULED},
        {"starting", STATE_READY, STATE_RESUMED_READY},
        {"running", STATE_ACTIVE, STATE_ACTIVE},
        {"stopping", STATE_SUSPENDING, STATE_SUSPENDING},
        {"parked", STATE_PENDING, STATE_SUSPENDED_PENDING},
        {"ending", STATE_ACTIVE, STATE_ACTIVE},
        {"ended", STATE_DONE, STATE_DONE},
        {"refused", STATE_REJECTED, STATE_REJECTED},
        {"failed", STATE_FAIL, STATE_FAIL},
        {"missed", STATE_FAIL, STATE_FAIL},
    };
    bool has_run = json_integer_value(json_object_get(lease, "run")) > 0;

    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].phase, text_of(lease, "phase")) == 0)
            return has_run ? states[i].after : states[i].before;
    return STATE_PENDING;
}

/* A time of day in Haizea's format; "": not set. */
static void local_time(const json_t *lease, const char *name, char text[TIME_TEXT_MAX])
{
    int64_t instant;

    *text = '\0';
    if (time_parse_utc(text_of(lease, name), &instant))
        time_text_local(instant, text, TIME_TEXT_MAX);
}

static void write_start(const json_t *lease, char *text, size_t size)
{
    char start[TIME_TEXT_MAX];

    local_time(lease, "start", start);
    if (strcmp(text_of(lease, "kind"), "reservation") == 0 && *start)
        snprintf(text, size, "<start><exact time=\"%s\" /></start>", start);
    else if (strcmp(text_of(lease, "kind"), "immediate") == 0)
        snprintf(text, size, "<start><now /></start>");
    else
        snprintf(text, size, "<start />");
}

char *haizea_lease_write(const json_t *lease)
{
    const json_t *duration = json_object_get(lease, "duration");
    int64_t vms = json_integer_value(json_object_get(lease, "vms"));
    int64_t each = vms > 0 ? vms : 1;
    double cpu = json_number_value(json_object_get(lease, "cpu"));
    int64_t memory = json_integer_value(json_object_get(lease, "memory"));
    char start[VALUE_MAX], submitted[TIME_TEXT_MAX], span[VALUE_DELTA_MAX];

    write_start(lease, start, sizeof start);
    local_time(lease, "submitted", submitted);
    value_format_delta(json_is_integer(duration) ? json_integer_value(duration) : century, span);
    return memory_format(
        "<lease id=\"%lld\" preemptible=\"%s\" state=\"%d\" submit-time=\"%s\"><nodes>"
        "<node-set numnodes=\"%lld\"><res amount=\"%lld\" type=\"CPU\" />"
        "<res amount=\"%lld\" type=\"Memory\" /></node-set></nodes>%s<duration time=\"%s\" />"
        "<software><none /></software></lease>",
        (long long)json_integer_value(json_object_get(lease, "lease")),
        json_is_true(json_object_get(lease, "preemptible")) ? "True" : "False", state_of(lease),
        submitted, (long long)vms, llround(cpu * 100 / (double)each), (long long)(memory / each),
        start, span);
}
