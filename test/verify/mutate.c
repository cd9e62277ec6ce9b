/* Changes every value of a record in turn, in every way that tells something untrue. */
#include "test/verify/mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 400, WORDS_MAX = 24 };

static const char *const enumerations[][WORDS_MAX] = {
    {"New", "Pending", "Rejected", "Scheduled", "Queued", "Cancelled", "Preparing", "Ready",
     "Active", "Suspending", "Suspended-Pending", "Suspended-Queued", "Suspended-Scheduled",
     "Migrating", "Resuming", "Resumed-Ready", "Done", "Fail"},
    {"VM", "SUSPEND", "RESUME", "SHUTDOWN", "MEM_MIGRATION", "DISK_MIGRATION", "FILE_TRANSFER"},
    {"Best-effort", "AR", "Immediate", "Deadline"},
    {"suspend", "cancel+requeue", "cancel"},
    {"cancelable", "suspendable", "migratable", "restartable", "non-preemptable"},
    {"ok", "interrupted"},
    {"complete", "stopped", "stuck", "interrupted"},
    {"local", "global"},
    {"local", "external"},
    {"Unspecified", "Now"},
    {"none", "serial-only", "all"},
    {"no", "yes", "yes-notransfer"},
    {"live", "cold"},
    {"unmanaged", "imagetransfer"},
    {"unicast", "multicast"},
    {"none", "image-caches"},
    {"none", "cancelled", "failed", "ended-early", "deadline-missed"},
};

struct mutator {
    json_t *record;
    mutate_visit *visit;
    void *context;
};

/* A container, and the place in it that is changed. */
struct spot {
    json_t *parent;
    const char *key; /* of an object; else: */
    size_t index;
    const char *path;
};

static void put(const struct spot *spot, json_t *value)
{
    if (spot->key)
        json_object_set(spot->parent, spot->key, value);
    else
        json_array_set(spot->parent, spot->index, value);
}

/* Show the document with another value in the spot; takes the value over. */
static void replace(struct mutator *mutator, const struct spot *spot, json_t *original,
                    json_t *value, const char *lie)
{
    if (!json_equal(value, original)) {
        put(spot, value);
        mutator->visit(mutator->context, spot->path, lie);
        put(spot, original);
    }
    json_decref(value);
}

/* The number of the lease (or host) after that one, or 0. */
static json_int_t next_lease(const struct mutator *mutator, json_int_t id)
{
    json_t *leases = json_object_get(mutator->record, "leases"), *lease;
    json_int_t first = 0;
    size_t i;

    json_array_foreach(leases, i, lease)
    {
        json_int_t other = json_integer_value(json_object_get(lease, "id"));

        if (other > id)
            return other;
        if (i == 0)
            first = other;
    }
    return first == id ? 0 : first;
}

static json_int_t next_host(const struct mutator *mutator, json_int_t id)
{
    json_t *site = json_object_get(mutator->record, "site"), *amounts;
    json_int_t best = 0, first = 0;
    const char *key;

    json_object_foreach(site, key, amounts)
    {
        json_int_t other = atoll(key);

        if (other > id && (best == 0 || other < best))
            best = other;
        if (other < id && (first == 0 || other < first))
            first = other;
    }
    return best ? best : first;
}

static void change_integer(struct mutator *mutator, const struct spot *spot, json_t *original)
{
    json_int_t was = json_integer_value(original);
    json_int_t lease = next_lease(mutator, was), host = next_host(mutator, was);

    replace(mutator, spot, original, json_integer(was + 1), "+1");
    replace(mutator, spot, original, json_integer(was - 1), "-1");
    replace(mutator, spot, original, json_integer(was * 2), "x2");
    replace(mutator, spot, original, json_integer(-was), "negated");
    replace(mutator, spot, original, json_integer(0), "= 0");
    replace(mutator, spot, original, json_null(), "= null");
    if (lease && lease != was + 1 && lease != was - 1)
        replace(mutator, spot, original, json_integer(lease), "= another lease");
    if (host && host != was + 1 && host != was - 1)
        replace(mutator, spot, original, json_integer(host), "= another host");
}

static void change_real(struct mutator *mutator, const struct spot *spot, json_t *original)
{
    double was = json_real_value(original);

    replace(mutator, spot, original, json_real(was + 1), "+1");
    replace(mutator, spot, original, json_real(was - 1), "-1");
    replace(mutator, spot, original, json_real(was * 1.001), "x1.001");
    replace(mutator, spot, original, json_real(was * 2), "x2");
    replace(mutator, spot, original, json_real(-was), "negated");
    replace(mutator, spot, original, json_real(0), "= 0");
    replace(mutator, spot, original, json_null(), "= null");
}

static void relabel(struct mutator *mutator, const struct spot *spot, json_t *original)
{
    const char *was = json_string_value(original);
    char lie[80];

    for (size_t i = 0; i < sizeof enumerations / sizeof *enumerations; i++) {
        bool here = false;

        for (size_t w = 0; w < WORDS_MAX && enumerations[i][w]; w++)
            here |= strcmp(enumerations[i][w], was) == 0;
        for (size_t w = 0; here && w < WORDS_MAX && enumerations[i][w]; w++) {
            snprintf(lie, sizeof lie, "= %s", enumerations[i][w]);
            replace(mutator, spot, original, json_string(enumerations[i][w]), lie);
        }
    }
    replace(mutator, spot, original, json_string("x"), "= x");
    replace(mutator, spot, original, json_null(), "= null");
}

/* Two neighbours exchanged: `other` is the next key or the next index. */
static void exchange(struct mutator *mutator, const struct spot *spot, json_t *original,
                     const struct spot *other)
{
    json_t *value = other->key ? json_object_get(other->parent, other->key)
                               : json_array_get(other->parent, other->index);

    if (json_equal(value, original))
        return;
    json_incref(value);
    put(spot, value);
    put(other, original);
    mutator->visit(mutator->context, spot->path, "exchanged with its neighbour");
    put(spot, original);
    put(other, value);
    json_decref(value);
}

static void mutate_container(struct mutator *mutator, json_t *container, const char *path);

static void mutate_value(struct mutator *mutator, const struct spot *spot, json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        change_integer(mutator, spot, value);
        break;
    case JSON_REAL:
        change_real(mutator, spot, value);
        break;
    case JSON_STRING:
        relabel(mutator, spot, value);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        replace(mutator, spot, value, json_boolean(json_is_false(value)), "negated");
        break;
    case JSON_NULL:
        replace(mutator, spot, value, json_integer(0), "= 0");
        replace(mutator, spot, value, json_integer(1), "= 1");
        replace(mutator, spot, value, json_integer(600), "= 600");
        break;
    default:
        mutate_container(mutator, value, spot->path);
        break;
    }
}

static void mutate_array(struct mutator *mutator, json_t *array, const char *path)
{
    size_t n = json_array_size(array);

    for (size_t i = 0; i < n; i++) {
        char below[PATH_SIZE];
        struct spot spot = {.parent = array, .index = i, .path = below}, other = spot;
        json_t *value = json_array_get(array, i);

        snprintf(below, sizeof below, "%.300s/%zu", path, i);
        json_incref(value);
        json_array_remove(array, i);
        mutator->visit(mutator->context, below, "dropped");
        json_array_insert(array, i, value);
        json_array_insert(array, i, value);
        mutator->visit(mutator->context, below, "doubled");
        json_array_remove(array, i);
        other.index = i + 1;
        if (i + 1 < n)
            exchange(mutator, &spot, value, &other);
        mutate_value(mutator, &spot, value);
        json_decref(value);
    }
}

/* The member under another key, where there is none yet. */
static void rename_member(struct mutator *mutator, const struct spot *spot, json_t *value,
                          json_int_t number)
{
    char key[32];

    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, number);
    if (json_object_get(spot->parent, key))
        return;
    json_object_del(spot->parent, spot->key);
    json_object_set(spot->parent, key, value);
    mutator->visit(mutator->context, spot->path, "under another number");
    json_object_del(spot->parent, key);
    json_object_set(spot->parent, spot->key, value);
}

static void mutate_member(struct mutator *mutator, const struct spot *spot, const char *next)
{
    json_t *value = json_object_get(spot->parent, spot->key);
    const struct spot other = {.parent = spot->parent, .key = next, .path = spot->path};
    char *end;
    json_int_t number = strtoll(spot->key, &end, 10);

    json_incref(value);
    json_object_del(spot->parent, spot->key);
    mutator->visit(mutator->context, spot->path, "dropped");
    json_object_set(spot->parent, spot->key, value);
    if (next && json_typeof(value) == json_typeof(json_object_get(spot->parent, next)))
        exchange(mutator, spot, value, &other);
    if (!*end) {
        rename_member(mutator, spot, value, number + 1);
        if (next_host(mutator, number))
            rename_member(mutator, spot, value, next_host(mutator, number));
    }
    mutate_value(mutator, spot, value);
    json_decref(value);
}

static void mutate_object(struct mutator *mutator, json_t *object, const char *path)
{
    size_t n = json_object_size(object), i = 0;
    char **keys = calloc(n + 1, sizeof *keys);
    const char *key;
    json_t *value;

    if (!keys)
        abort();
    json_object_foreach(object, key, value)
    {
        keys[i] = strdup(key);
        if (!keys[i++])
            abort();
    }
    for (i = 0; i < n; i++) {
        char below[PATH_SIZE];
        const struct spot spot = {.parent = object, .key = keys[i], .path = below};

        snprintf(below, sizeof below, "%.300s%s%.60s", path, *path ? "/" : "", keys[i]);
        mutate_member(mutator, &spot, keys[i + 1]);
    }
    for (i = 0; i < n; i++)
        free(keys[i]);
    free(keys);
}

static void mutate_container(struct mutator *mutator, json_t *container, const char *path)
{
    if (json_is_array(container))
        mutate_array(mutator, container, path);
    else
        mutate_object(mutator, container, path);
}

void mutate_each(json_t *record, mutate_visit *visit, void *context)
{
    struct mutator mutator = {.record = record, .visit = visit, .context = context};

    mutate_container(&mutator, record, "");
}
