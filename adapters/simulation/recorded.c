/* Reads the inputs of a run from its record. */
#include "adapters/simulation/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/simulation/recorded_check.h"
#include "configuration/run_options.h"
#include "lwf/trace_list.h"
#include "lwf/values.h"
#include "util/instant.h"
#include "util/memory.h"
#include "verify/json.h"

struct inputs {
    struct recorded_run *run;
    struct json_place place;
    int64_t vms_left; /* available to further requests */
};

static int read_option(struct inputs *inputs, json_t *item, struct ini *ini)
{
    struct ini_entry entry = {.section = json_string_value(json_array_get(item, 0)),
                              .key = json_string_value(json_array_get(item, 1)),
                              .value = json_string_value(json_array_get(item, 2)),
                              .origin = inputs->place.file};

    if (json_array_size(item) != 3 || !entry.section || !entry.key || !entry.value)
        return json_fail(&inputs->place, NULL, "expected [section, option, value]");
    ini_add(ini, &entry);
    return 0;
}

static int read_options(struct inputs *inputs, json_t *list, struct ini *ini)
{
    json_t *item;
    size_t i;

    if (json_array_size(list) > INI_ENTRIES_MAX)
        return json_fail(&inputs->place, "configuration", "more than %d options", INI_ENTRIES_MAX);
    json_array_foreach(list, i, item) {
        snprintf(inputs->place.where, sizeof inputs->place.where,
                 "galerna.inputs.configuration[%zu]", i);
        if (read_option(inputs, item, ini) < 0)
            return -1;
    }
    return 0;
}

static int read_configuration(struct inputs *inputs, json_t *list)
{
    struct ini ini;

    ini_init(&ini);
    if (read_options(inputs, list, &ini) == 0)
        inputs->run->configuration =
            run_options_configuration(&ini, inputs->place.file, inputs->place.err);
    ini_finish(&ini);
    return inputs->run->configuration ? 0 : -1;
}

/* Reads the site's types in order; the fixed ones come first. */
static int read_types(struct inputs *inputs, json_t *list)
{
    struct resource_types *types = &inputs->run->site.types;
    json_t *item;
    size_t i;

    json_array_foreach(list, i, item) {
        const char *name = json_string_value(item);

        if (!name || resource_types_add(types, name, inputs->place.err) != (int)i)
            return json_fail(&inputs->place, "resources",
                             "expected the resource types of a site, each once");
    }
    if (i != (size_t)types->count)
        return json_fail(&inputs->place, "resources", "%zu resource types, at least %d are known",
                         i, types->count);
    return 0;
}

static int read_amounts(struct inputs *inputs, json_t *object, struct amounts *amounts,
                        uint32_t *named)
{
    const char *name;
    json_t *amount;

    *amounts = (struct amounts){0};
    *named = 0;
    if (!json_is_object(object))
        return json_fail(&inputs->place, NULL, "expected an object of amounts");
    json_object_foreach(object, name, amount) {
        int type = resource_types_find(&inputs->run->site.types, name);

        if (type < 0)
            return json_fail(&inputs->place, name, "the site has no such resource type");
        if (json_whole(&inputs->place, name, amount, &amounts->of[type]) < 0)
            return -1;
        if (amounts->of[type] < 0)
            return json_fail(&inputs->place, name, "a negative amount");
        *named |= 1u << type;
    }
    return 0;
}

static int read_hosts(struct inputs *inputs, json_t *list)
{
    struct site *site = &inputs->run->site;
    json_t *item;
    size_t i;

    json_array_foreach(list, i, item) {
        struct amounts capacity;
        uint32_t named;
        int64_t id;

        snprintf(inputs->place.where, sizeof inputs->place.where, "galerna.hosts[%zu]", i);
        if (json_whole_member(&inputs->place, item, "id", &id) < 0 ||
            read_amounts(inputs, json_object_get(item, "capacity"), &capacity, &named) < 0 ||
            site_add_hosts(site, 1, &capacity, inputs->place.err) < 0)
            return -1;
        if (site->hosts[i].id != id)
            return json_fail(&inputs->place, "id", "%lld, expected %d", (long long)id,
                             site->hosts[i].id);
    }
    return 0;
}

static int read_term(struct inputs *inputs, json_t *item, const struct lease_term *term,
                     struct term_values *values)
{
    const json_t *value = json_object_get(item, term->name);
    char text[TERM_TEXT_MAX + 1], expected[TERM_EXPECTED_MAX];

    if (json_is_boolean(value))
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_number(value))
        snprintf(text, sizeof text, "%.*f", term->decimals, json_number_value(value));
    else if (json_is_string(value))
        snprintf(text, sizeof text, "%s", json_string_value(value));
    else
        return json_fail(&inputs->place, term->name, "missing");
    if (term->type == TERM_TEXT && !*text)
        return 0;
    if (term_read(term, text, values, expected) < 0)
        return json_fail(&inputs->place, term->name, "expected %s", expected);
    return 0;
}

static int read_terms(struct inputs *inputs, json_t *item, struct lease_request *request)
{
    term_values_init(&request->term_values);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (read_term(inputs, item, &lease_terms[i], &request->term_values) < 0)
            return -1;
    return 0;
}

static int read_kind(struct inputs *inputs, json_t *item, enum lease_kind *kind)
{
    const char *word = json_text_member(&inputs->place, item, "kind");

    if (!word)
        return -1;
    for (int i = LEASE_BEST_EFFORT; i < LEASE_KINDS; i++)
        if (!strcmp(word, lease_kind_name((enum lease_kind)i))) {
            *kind = (enum lease_kind)i;
            return 0;
        }
    return json_fail(&inputs->place, "kind", "unknown word \"%.60s\"", word);
}

static int read_times(struct inputs *inputs, json_t *item, struct lease_request *request)
{
    const struct {
        const char *name;
        int64_t *value, otherwise;
    } times[] = {
        {"start", &request->start, INSTANT_NONE},
        {"deadline", &request->deadline, INSTANT_NONE},
        {"duration_original", &request->duration_original, SPAN_UNLIMITED},
        {"duration", &request->duration, SPAN_UNLIMITED},
        {"duration_known", &request->duration_known, SPAN_NONE},
        {"user", &request->user, -1},
    };

    if (json_whole_member(&inputs->place, item, "id", &request->id) < 0 ||
        json_whole_member(&inputs->place, item, "submit", &request->submit) < 0)
        return -1;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct json_place *place = &inputs->place;

        if (!json_object_get(item, times[i].name))
            return json_fail(place, times[i].name, "missing");
        if (json_whole_or(place, item, times[i].name, times[i].otherwise, times[i].value) < 0)
            return -1;
        if (*times[i].value < 0 && *times[i].value != times[i].otherwise)
            return json_fail(place, times[i].name, "negative");
    }
    return request->id < 1 ? json_fail(&inputs->place, "id", "expected 1 or more") : 0;
}

static int read_node_set(struct inputs *inputs, json_t *item, struct node_set *set)
{
    int64_t count;

    if (json_tuple(&inputs->place, item, 2, (int64_t *[]){&count, NULL}) < 0)
        return -1;
    if (count < 1 || count > inputs->vms_left)
        return json_fail(&inputs->place, "vms", "%lld VMs, but \"leases\" has fewer",
                         (long long)count);
    inputs->vms_left -= count;
    set->count = (uint32_t)count;
    return read_amounts(inputs, json_array_get(item, 1), &set->amounts, &set->named);
}

static int read_node_sets(struct inputs *inputs, json_t *list, struct node_set *sets)
{
    json_t *item;
    size_t i;

    json_array_foreach(list, i, item) {
        if (read_node_set(inputs, item, &sets[i]) < 0)
            return -1;
    }
    return 0;
}

static int read_software(struct inputs *inputs, json_t *item, struct lease_request *request)
{
    json_t *software = json_object_get(item, "software");

    if (json_is_null(software))
        return 0;
    request->image = json_text_member(&inputs->place, software, "image");
    if (!request->image ||
        json_whole_member(&inputs->place, software, "size", &request->image_size) < 0)
        return -1;
    return request->image_size < 0 ? json_fail(&inputs->place, "software", "a negative size") : 0;
}

/* The stop of the clock for the request, by default its submission. */
static int read_stop(struct inputs *inputs, json_t *item, int64_t submit, int64_t *stop)
{
    if (json_whole_or(&inputs->place, item, "stop", submit, stop) < 0)
        return -1;
    return *stop < submit ? json_fail(&inputs->place, "stop", "before the submission") : 0;
}

static int read_request(struct inputs *inputs, json_t *item, struct trace_list *list)
{
    struct lease_request request = {0};
    json_t *vms = json_array_member(&inputs->place, item, "vms");
    size_t n = json_array_size(vms);
    struct node_set *sets;
    int64_t stop;
    int result;

    if (!vms || read_times(inputs, item, &request) < 0 ||
        read_kind(inputs, item, &request.kind) < 0 || read_terms(inputs, item, &request) < 0 ||
        read_software(inputs, item, &request) < 0)
        return -1;
    if (n < 1 || n > TRACE_NODE_SETS_MAX)
        return json_fail(&inputs->place, "vms", "expected 1 to %d entries", TRACE_NODE_SETS_MAX);
    if (read_stop(inputs, item, request.submit, &stop) < 0)
        return -1;
    sets = memory_new(n, sizeof *sets);
    request.node_sets = sets;
    request.n_node_sets = n;
    result = read_node_sets(inputs, vms, sets);
    if (result == 0)
        trace_list_add(list, &request);
    if (result == 0)
        list->items[list->n - 1].stop = stop;
    free(sets);
    return result;
}

static int fill_list(struct inputs *inputs, json_t *requests, struct trace_list *list)
{
    json_t *item;
    size_t i;

    json_array_foreach(requests, i, item) {
        snprintf(inputs->place.where, sizeof inputs->place.where, "galerna.inputs.requests[%zu]",
                 i);
        if (read_request(inputs, item, list) < 0)
            return -1;
    }
    return 0;
}

/* all_read: the run read the trace to its end. */
static int read_requests(struct inputs *inputs, json_t *requests, bool all_read)
{
    struct trace_list list;

    trace_list_init(&list);
    if (fill_list(inputs, requests, &list) < 0 ||
        recorded_check(inputs->run->configuration, &list, all_read, inputs->place.err) < 0) {
        trace_list_finish(&list);
        return -1;
    }
    inputs->run->trace = trace_list_open(&list, NULL);
    return 0;
}

/* The number of VMs of the record's leases and of the request before which the run ended. */
static int64_t vms_of(json_t *leases)
{
    int64_t n = TRACE_VMS_MAX;
    json_t *lease;
    size_t i;

    json_array_foreach(leases, i, lease)
        n += (int64_t)json_object_size(json_object_get(lease, "nodes"));
    return n;
}

static int read_inputs(struct inputs *inputs, json_t *told)
{
    const struct json_place *place = &inputs->place;
    json_t *object = json_object_member(place, told, "inputs");
    json_t *hosts = json_array_member(place, told, "hosts");
    const char *ending = json_string_value(json_object_get(told, "ending"));
    json_t *resources, *options, *requests;
    int64_t steps;

    if (!object || !hosts)
        return -1;
    snprintf(inputs->place.where, sizeof inputs->place.where, "galerna.inputs");
    resources = json_array_member(place, object, "resources");
    options = json_array_member(place, object, "configuration");
    requests = json_array_member(place, object, "requests");
    if (!resources || !options || !requests ||
        json_whole_member(place, object, "steps", &steps) < 0)
        return -1;
    if (steps < 1)
        return json_fail(place, "steps", "expected 1 or more");
    inputs->run->steps = (uint64_t)steps;
    if (read_types(inputs, resources) < 0 || read_hosts(inputs, hosts) < 0 ||
        read_configuration(inputs, options) < 0)
        return -1;
    return read_requests(inputs, requests,
                         inputs->run->configuration->stop_when == STOP_ALL_LEASES_DONE && ending &&
                             (!strcmp(ending, "complete") || !strcmp(ending, "stuck")));
}

int recorded_run_read(struct recorded_run *run, json_t *record, const char *name, struct error *err)
{
    struct inputs inputs = {.run = run, .place = {.file = name, .err = err}};
    const char *status = json_string_value(json_object_get(record, "status"));

    *run = (struct recorded_run){.interrupted = status && !strcmp(status, "interrupted")};
    site_init(&run->site);
    inputs.vms_left = vms_of(json_object_get(record, "leases"));
    if (read_inputs(&inputs, json_object_get(record, "galerna")) == 0)
        return 0;
    recorded_run_finish(run);
    return -1;
}

void recorded_run_finish(struct recorded_run *run)
{
    configuration_destroy(run->configuration);
    trace_destroy(run->trace);
    site_finish(&run->site);
}
