/* A lease requested over the control socket: reads and checks it, and writes the VMs' templates. */
#include "daemon/control/order.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/control/fields.h"
#include "daemon/control/json_term.h"
#include "util/append.h"
#include "util/time_parse.h"
#include "util/time_text.h"

#define DURATION_MAX INT64_C(3153600000) /* 100 years */

struct integer {
    const char *field;
    int64_t low, high;
};

static int read_integer(const json_t *request, struct integer integer, int64_t *number,
                        struct error *err)
{
    const json_t *value = json_object_get(request, integer.field);

    if (!value || json_is_null(value))
        return 0;
    *number = json_integer_value(value);
    if (!json_is_integer(value) || *number < integer.low || *number > integer.high)
        return error_set(err, EINVAL, "%s: expected a whole number from %" PRId64 " to %" PRId64,
                         integer.field, integer.low, integer.high);
    return 0;
}

static int read_time(const json_t *request, const char *field, int64_t *instant, struct error *err)
{
    const json_t *value = json_object_get(request, field);

    if (!value || json_is_null(value))
        return 0;
    if (!json_is_string(value) || !time_parse_utc(json_string_value(value), instant))
        return error_set(err, EINVAL, "%s: '%.40s' is not a time such as 2026-11-21T15:00:00Z",
                         field, json_is_string(value) ? json_string_value(value) : "that");
    return 0;
}

/* Reads an enumeration's value by its word. */
static int read_word(const json_t *request, const char *field, const char *const *words, int n,
                     struct error *err)
{
    const json_t *value = json_object_get(request, field);
    char known[256] = "";
    size_t length = 0;

    for (int i = 0; i < n; i++) {
        if (json_is_string(value) && strcmp(json_string_value(value), words[i]) == 0)
            return i;
        length = append_text(known, sizeof known, length, "%s%s", i ? ", " : "", words[i]);
    }
    return error_set(err, EINVAL, "%s: '%.40s' is not one of %s", field,
                     json_is_string(value) ? json_string_value(value) : "that", known);
}

static int read_terms(const json_t *request, struct order *order, struct error *err)
{
    unsigned given = 0;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const json_t *value = json_object_get(request, lease_terms[i].name);

        if (!value || json_is_null(value))
            continue;
        given |= 1U << i;
        if (json_to_term(value, &lease_terms[i], &order->term_values, err) < 0)
            return -1;
    }
    if (!terms_settle(&order->term_values, given))
        return error_set(err, EINVAL, "terms: 'preemptible' says the opposite");
    return 0;
}

int order_read_size(const json_t *request, int64_t *cpu, int64_t *memory, struct error *err)
{
    const json_t *value = json_object_get(request, "cpu");
    double processors = json_number_value(value);

    if (read_integer(request, (struct integer){"memory", 1, INT64_C(1) << 40}, memory, err) < 0)
        return -1;
    if (!value || json_is_null(value))
        return 0;
    if (!json_is_number(value) || processors < 0.01 || processors > 1000000)
        return error_set(err, EINVAL, "cpu: expected a number of processors from 0.01 to 1000000");
    *cpu = llround(processors * 100);
    return 0;
}

static int add_size(const json_t *from, struct order *order, struct error *err)
{
    struct order_size *size = &order->sizes[order->n_sizes];
    int64_t count = 1;

    if (read_integer(from, (struct integer){"count", 1, ORDER_COUNT_MAX}, &count, err) < 0 ||
        order_read_size(from, &size->cpu, &size->memory, err) < 0)
        return -1;
    if (count > ORDER_COUNT_MAX - (int64_t)order->count)
        return error_set(err, EINVAL, "also: more than %d VMs in all", ORDER_COUNT_MAX);
    size->count = (uint32_t)count;
    order->count += size->count;
    order->n_sizes++;
    return 0;
}

/* Reads VMs of further sizes. */
static int read_also(const json_t *request, struct order *order, struct error *err)
{
    static const char *const known[] = {"count", "cpu", "memory", NULL};
    const json_t *also = json_object_get(request, "also"), *size;
    size_t i;

    if (!also || json_is_null(also))
        return 0;
    if (!json_is_array(also) || json_array_size(also) >= ORDER_SIZES_MAX)
        return error_set(err, EINVAL, "also: expected an array of at most %d sizes",
                         ORDER_SIZES_MAX - 1);
    json_array_foreach(also, i, size) {
        struct error wrong;

        if (!json_is_object(size))
            return error_set(err, EINVAL, "also: expected objects with count, cpu and memory");
        if (fields_check(size, known, false, &wrong) < 0)
            return error_set(err, EINVAL, "also: %s", wrong.text);
        if (add_size(size, order, err) < 0)
            return -1;
    }
    return 0;
}

const char *order_unsized(const struct order *order)
{
    for (size_t i = 0; i < order->n_sizes; i++)
        if (order->sizes[i].cpu == 0 || order->sizes[i].memory == 0)
            return order->sizes[i].cpu == 0 ? "cpu" : "memory";
    return NULL;
}

static int read_size(const json_t *request, struct order *order, struct error *err)
{
    int64_t template = -1;

    if (read_integer(request, (struct integer){"template", 0, INT32_MAX}, &template, err) < 0 ||
        add_size(request, order, err) < 0 || read_also(request, order, err) < 0)
        return -1;
    order->template = (int32_t) template;
    if (order->template <0 && order_unsized(order))
        return error_set(err, EINVAL, "%s: missing; only a template can supply it",
                         order_unsized(order));
    return 0;
}

static int read_duration(const json_t *request, struct order *order, struct error *err)
{
    const json_t *value = json_object_get(request, "duration");

    if (json_is_string(value) && strcmp(json_string_value(value), "unlimited") == 0)
        return 0;
    if (json_is_string(value))
        return error_set(err, EINVAL, "duration: '%.40s': expected seconds or \"unlimited\"",
                         json_string_value(value));
    return read_integer(request, (struct integer){"duration", 1, DURATION_MAX}, &order->duration,
                        err);
}

static int read_name(const json_t *request, struct order *order, struct error *err)
{
    const json_t *value = json_object_get(request, "name");
    const char *name;

    if (!value || json_is_null(value))
        return 0;
    name = json_string_value(value);
    if (!name || !*name || strlen(name) >= sizeof order->name - 16)
        return error_set(err, EINVAL, "name: expected a string of 1 to %d characters",
                         (int)sizeof order->name - 17);
    /* In a template, these characters would end the value. */
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7f)
            return error_set(err, EINVAL,
                             "name: quotes, backslashes and control characters are not allowed");
    strcpy(order->name, name);
    return 0;
}

static int check_reservation(const struct order *order, int64_t now, struct error *err)
{
    char late[TIME_TEXT_MAX];

    if (order->start == INSTANT_NONE)
        return error_set(err, EINVAL, "start: missing; a reservation needs a start time");
    if (order->start < now) {
        time_text_span(now - order->start, late, sizeof late);
        return error_set(err, EINVAL, "start: %s in the past", late);
    }
    if (order->earliest != INSTANT_NONE || order->deadline != INSTANT_NONE)
        return error_set(err, EINVAL,
                         "%s: not allowed for a reservation, which starts exactly at `start`",
                         order->deadline != INSTANT_NONE ? "deadline" : "earliest");
    return 0;
}

/* Reads a latest start, which is a deadline without time to spare. */
static int read_latest(const json_t *request, struct order *order, struct error *err)
{
    int64_t latest = INSTANT_NONE;

    if (read_time(request, "latest", &latest, err) < 0)
        return -1;
    if (latest == INSTANT_NONE)
        return 0;
    if (order->kind != LEASE_DEADLINE)
        return error_set(err, EINVAL, "latest: only allowed for leases of kind \"deadline\"");
    if (order->deadline != INSTANT_NONE)
        return error_set(err, EINVAL, "latest: cannot be combined with `deadline`");
    if (order->duration != SPAN_UNLIMITED)
        latest = instant_add(latest, order->duration);
    order->deadline = latest;
    return 0;
}

static int check_deadline(const struct order *order, int64_t now, struct error *err)
{
    int64_t from = order->earliest > now ? order->earliest : now;
    const char *after = from > now ? "after the earliest start" : "from now";
    char room[TIME_TEXT_MAX], duration[TIME_TEXT_MAX];

    if (order->deadline == INSTANT_NONE)
        return error_set(err, EINVAL, "deadline: missing");
    if (order->duration == SPAN_UNLIMITED)
        return error_set(err, EINVAL, "duration: required with a deadline");
    if (order->deadline <= from)
        return error_set(err, EINVAL, "deadline: %s",
                         from > now ? "not after the earliest start" : "in the past");
    if (instant_add(from, order->duration) > order->deadline) {
        time_text_exact(order->deadline - from, room, sizeof room);
        time_text_exact(order->duration, duration, sizeof duration);
        return error_set(err, EINVAL, "deadline: only %s %s, too early for a duration of %s", room,
                         after, duration);
    }
    return 0;
}

static int check_times(const struct order *order, int64_t now, struct error *err)
{
    if (order->kind == LEASE_RESERVATION)
        return check_reservation(order, now, err);
    if (order->start != INSTANT_NONE)
        return error_set(err, EINVAL,
                         "start: only allowed for reservations; use `earliest` for other leases");
    if (order->kind == LEASE_DEADLINE)
        return check_deadline(order, now, err);
    if (order->deadline != INSTANT_NONE)
        return error_set(err, EINVAL, "deadline: only allowed for leases of kind \"deadline\"");
    if (order->kind == LEASE_IMMEDIATE && order->earliest != INSTANT_NONE)
        return error_set(err, EINVAL, "earliest: not allowed for an immediate lease");
    return 0;
}

int order_read(const json_t *request, int64_t now, struct order *order, struct error *err)
{
    int word;

    *order = (struct order){
        .kind = LEASE_BEST_EFFORT,
        .template = -1,
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration = SPAN_UNLIMITED,
    };
    term_values_init(&order->term_values);
    if (json_object_get(request, "kind")) {
        if ((word = read_word(request, "kind", lease_kind_words, LEASE_KINDS, err)) < 0)
            return -1;
        order->kind = (enum lease_kind)word;
    }
    if (read_size(request, order, err) < 0 || read_duration(request, order, err) < 0 ||
        read_name(request, order, err) < 0 || read_time(request, "start", &order->start, err) < 0 ||
        read_time(request, "earliest", &order->earliest, err) < 0 ||
        read_time(request, "deadline", &order->deadline, err) < 0 ||
        read_latest(request, order, err) < 0 || read_terms(request, order, err) < 0)
        return -1;
    return check_times(order, now, err);
}

void order_lease_request(const struct order *order, int64_t now,
                         struct node_set sets[ORDER_SIZES_MAX], struct lease_request *request)
{
    for (size_t i = 0; i < order->n_sizes; i++) {
        sets[i] = (struct node_set){.count = order->sizes[i].count};
        sets[i].amounts.of[RESOURCE_CPU] = order->sizes[i].cpu;
        sets[i].amounts.of[RESOURCE_MEMORY] = order->sizes[i].memory;
    }
    *request = (struct lease_request){
        .kind = order->kind,
        .submit = now,
        .start = order->kind == LEASE_RESERVATION ? order->start : order->earliest,
        .deadline = order->deadline,
        .duration_original = order->duration,
        .duration = order->duration,
        .duration_known = SPAN_NONE,
        .term_values = order->term_values,
        .user = -1,
        .node_sets = sets,
        .n_node_sets = order->n_sizes,
    };
}

struct writer {
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format,
                                                      ...)
{
    size_t room = writer->length < writer->size ? writer->size - writer->length : 0;
    va_list args;

    va_start(args, format);
    writer->length +=
        (size_t)vsnprintf(room ? writer->text + writer->length : NULL, room, format, args);
    va_end(args);
}

static void put_time(struct writer *writer, const char *name, int64_t instant)
{
    char text[TIME_TEXT_MAX];

    if (instant == INSTANT_NONE)
        return;
    time_text_utc(instant, text, sizeof text);
    text[strlen(text) - 1] = '\0'; /* not all readers understand Z, so an offset replaces it */
    put(writer, "%s=\"%s+00:00\", ", name, text);
}

size_t order_attribute(const struct order *order, const char *group, char *text, size_t size)
{
    struct writer writer = {text, size, 0};
    char value[TERM_TEXT_MAX];

    put(&writer, "GALERNA=[");
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (*term_write(&lease_terms[i], &order->term_values, value))
            put(&writer, "%s=\"%s\", ", lease_terms[i].attribute, value);
    if (order->kind == LEASE_RESERVATION) {
        put_time(&writer, "START", order->start);
    } else {
        put(&writer, "START=\"%s\", ", order->kind == LEASE_IMMEDIATE ? "now" : "best_effort");
        put_time(&writer, "EARLIEST", order->earliest);
        put_time(&writer, "DEADLINE", order->deadline);
    }
    if (order->duration == SPAN_UNLIMITED)
        put(&writer, "DURATION=\"unlimited\"");
    else
        put(&writer, "DURATION=\"%02" PRId64 ":%02d:%02d\"", order->duration / 3600,
            (int)(order->duration / 60 % 60), (int)(order->duration % 60));
    if (order->count > 1)
        put(&writer, ", GROUP=\"%s\", GROUP_SIZE=\"%" PRIu32 "\"", group, order->count);
    put(&writer, "]");
    return writer.length;
}

void order_vm_name(const struct order *order, uint32_t number, char name[STORE_NAME_MAX + 16])
{
    if (order->count > 1 && *order->name)
        snprintf(name, STORE_NAME_MAX + 16, "%s-%" PRIu32, order->name, number + 1);
    else
        snprintf(name, STORE_NAME_MAX + 16, "%s", order->name);
}

static const struct order_size *size_of(const struct order *order, uint32_t number)
{
    const struct order_size *size = order->sizes;

    for (; number >= size->count; size++)
        number -= size->count;
    return size;
}

size_t order_template(const struct order *order, const char *group, uint32_t number,
                      char text[ORDER_TEXT_MAX])
{
    const struct order_size *size = size_of(order, number);
    struct writer writer = {text, ORDER_TEXT_MAX, 0};
    char name[STORE_NAME_MAX + 16];

    order_vm_name(order, number, name);
    if (*name && order->template <0)
        put(&writer, "NAME=\"%s\"\n", name);
    if (size->cpu)
        put(&writer, "CPU=\"%" PRId64 ".%02d\"\n", size->cpu / 100, (int)(size->cpu % 100));
    if (size->memory)
        put(&writer, "MEMORY=\"%" PRId64 "\"\n", size->memory);
    writer.length +=
        order_attribute(order, group, text + writer.length, writer.size - writer.length);
    return writer.length;
}
