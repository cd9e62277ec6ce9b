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

    json_array_foreach(leases, i, lease) {
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

    json_object_foreach(site, key, amounts) {
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
    replace(mutator, spot, original, json_integer(was + 60), "+60");
    replace(mutator, spot, original, json_integer(was * 2), "x2");
    replace(mutator, spot, original, json_integer(-was), "negated");
    replace(mutator, spot, original, json_integer(0), "= 0");
    replace(mutator, spot, original, json_integer(1000000007), "= 1000000007");
    replace(mutator, spot, original, json_real((double)was + 0.5), "+0.5");
    replace(mutator, spot, original, json_string("x"), "= x");
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
    replace(mutator, spot, original, json_integer(1), "= 1");
    replace(mutator, spot, original, json_null(), "= null");
}

/* Copies: the object changes while they are walked. */
static char **keys_of(json_t *object)
{
    char **keys = calloc(json_object_size(object) + 1, sizeof *keys);
    const char *key;
    json_t *value;
    size_t i = 0;

    if (!keys)
        abort();
    json_object_foreach(object, key, value) {
        keys[i] = strdup(key);
        if (!keys[i++])
            abort();
    }
    return keys;
}

static void keys_free(char **keys)
{
    for (size_t i = 0; keys[i]; i++)
        free(keys[i]);
    free(keys);
}

/* Two values exchanged: `other` is the next key or index, or the same place in the next entry. */
static void exchange(struct mutator *mutator, const struct spot *spot, json_t *original,
                     const struct spot *other, const char *lie)
{
    json_t *value = other->key ? json_object_get(other->parent, other->key)
                               : json_array_get(other->parent, other->index);

    if (json_equal(value, original))
        return;
    json_incref(value);
    put(spot, value);
    put(other, original);
    mutator->visit(mutator->context, spot->path, lie);
    put(spot, original);
    put(other, value);
    json_decref(value);
}

static void mutate_container(struct mutator *mutator, json_t *container, const char *path);

/* Where an entry stood, its container is empty or missing. */
static void empty(struct mutator *mutator, const struct spot *spot, json_t *container)
{
    replace(mutator, spot, container, json_is_array(container) ? json_array() : json_object(),
            "emptied");
    replace(mutator, spot, container, json_null(), "= null");
}

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
        empty(mutator, spot, value);
        mutate_container(mutator, value, spot->path);
        break;
    }
}

/* The entry leaves `from` for `to`, in which its key is free. */
static void give_member(struct mutator *mutator, const char *path, json_t *from, json_t *to,
                        const char *key)
{
    json_t *value = json_object_get(from, key);

    if (json_object_get(to, key))
        return;
    json_incref(value);
    json_object_set(to, key, value);
    json_object_del(from, key);
    mutator->visit(mutator->context, path, "given to the next");
    json_object_del(to, key);
    json_object_set(from, key, value);
    json_decref(value);
}

static void give_entry(struct mutator *mutator, const char *path, json_t *from, json_t *to,
                       size_t index)
{
    json_t *value = json_array_get(from, index);

    json_incref(value);
    json_array_append(to, value);
    json_array_remove(from, index);
    mutator->visit(mutator->context, path, "given to the next");
    json_array_insert(from, index, value);
    json_array_remove(to, json_array_size(to) - 1);
    json_decref(value);
}

/* What one entry has is given to the next entry, or exchanged with the same of that one: the times
 * of two reservations, a reservation of two leases. */
static void mix(struct mutator *mutator, json_t *one, json_t *next, const char *path)
{
    char **keys = keys_of(one), below[PATH_SIZE];

    for (size_t i = 0; keys[i]; i++) {
        json_t *mine = json_object_get(one, keys[i]), *theirs = json_object_get(next, keys[i]);
        const struct spot spot = {.parent = one, .key = keys[i], .path = below};
        const struct spot other = {.parent = next, .key = keys[i], .path = below};

        snprintf(below, sizeof below, "%.300s/%.60s", path, keys[i]);
        if (!theirs) {
            give_member(mutator, below, one, next, keys[i]);
            continue;
        }
        json_incref(mine);
        exchange(mutator, &spot, mine, &other, "exchanged with the next one's");
        json_decref(mine);
        for (size_t k = 0;
             json_is_array(mine) && json_is_array(theirs) && k < json_array_size(mine); k++) {
            snprintf(below, sizeof below, "%.300s/%.60s/%zu", path, keys[i], k);
            give_entry(mutator, below, mine, theirs, k);
        }
    }
    keys_free(keys);
}

/* An entry out of its order. */
static void move_to_end(struct mutator *mutator, const struct spot *spot, json_t *value)
{
    size_t last = json_array_size(spot->parent) - 1;

    if (spot->index + 1 >= last || json_equal(value, json_array_get(spot->parent, last)))
        return; /* exchanged with its neighbor; or the same list again */
    json_array_remove(spot->parent, spot->index);
    json_array_append(spot->parent, value);
    mutator->visit(mutator->context, spot->path, "moved to the end");
    json_array_remove(spot->parent, last);
    json_array_insert(spot->parent, spot->index, value);
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
        move_to_end(mutator, &spot, value);
        other.index = i + 1;
        if (i + 1 < n)
            exchange(mutator, &spot, value, &other, "exchanged with its neighbor");
        if (i + 1 < n && json_is_object(value) && json_is_object(json_array_get(array, i + 1)))
            mix(mutator, value, json_array_get(array, i + 1), below);
        mutate_value(mutator, &spot, value);
        json_decref(value);
    }
}

/* The member under another key, where there is none yet, and under both. */
static void rename_member(struct mutator *mutator, const struct spot *spot, json_t *value,
                          json_int_t number)
{
    char key[32];

    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, number);
    if (json_object_get(spot->parent, key))
        return;
    json_object_set(spot->parent, key, value);
    mutator->visit(mutator->context, spot->path, "under another number as well");
    json_object_del(spot->parent, spot->key);
    mutator->visit(mutator->context, spot->path, "under another number");
    json_object_del(spot->parent, key);
    json_object_set(spot->parent, spot->key, value);
}

static void mutate_member(struct mutator *mutator, const struct spot *spot, const char *next)
{
    json_t *value = json_object_get(spot->parent, spot->key);
    json_t *following = next ? json_object_get(spot->parent, next) : NULL;
    const struct spot other = {.parent = spot->parent, .key = next, .path = spot->path};
    char *end;
    json_int_t number = strtoll(spot->key, &end, 10);

    json_incref(value);
    json_object_del(spot->parent, spot->key);
    mutator->visit(mutator->context, spot->path, "dropped");
    json_object_set(spot->parent, spot->key, value);
    if (following && json_typeof(value) == json_typeof(following))
        exchange(mutator, spot, value, &other, "exchanged with its neighbor");
    if (json_is_object(value) && json_is_object(following))
        mix(mutator, value, following, spot->path);
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
    char **keys = keys_of(object);

    for (size_t i = 0; keys[i]; i++) {
        char below[PATH_SIZE];
        const struct spot spot = {.parent = object, .key = keys[i], .path = below};

        snprintf(below, sizeof below, "%.300s%s%.60s", path, *path ? "/" : "", keys[i]);
        mutate_member(mutator, &spot, keys[i + 1]);
    }
    keys_free(keys);
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
