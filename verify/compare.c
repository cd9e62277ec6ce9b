/* Compares two records value by value. */
#include "verify/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/checker.h"

struct comparison {
    struct checker checker;
    struct finding place; /* of the current entry */
    char path[120];       /* "leases[3].nodes.1", truncated if too long */
};

/* Lists and objects whose entries belong to a lease, host or time. */
static const struct {
    const char *path;
    const char *lease, *host; /* members of an entry, or "key" */
    int time_at, lease_at;    /* positions in an entry that is a list, from 1; 0: none */
} located[] = {
    {"leases", "id", NULL, 0, 0},
    {"galerna.leases", "id", NULL, 0, 0},
    {"galerna.inputs.requests", "id", NULL, 0, 0},
    {"lease_stats", "key", NULL, 0, 0},
    {"site", NULL, "key", 0, 0},
    {"galerna.hosts", NULL, "id", 0, 0},
    {"state_log", NULL, NULL, 1, 2},
    {"preemptions", NULL, NULL, 1, 2},
    {"counters.", NULL, NULL, 1, 2},
    {"galerna.booked", NULL, NULL, 1, 2},
    {"galerna.planned", NULL, NULL, 1, 2},
    {"galerna.withdrawn", NULL, NULL, 2, 1},
};

static const struct finding nowhere = {CHECK_REPEATED, SCHEDULE_UNSET, SCHEDULE_UNSET,
                                       SCHEDULE_UNSET};

static void compare(struct comparison *comparison, json_t *told, json_t *right);

static int64_t number_of(const json_t *value, const char *key)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_real(value) && fabs(json_real_value(value)) < 1e15)
        return (int64_t)json_real_value(value);
    return key ? strtoll(key, NULL, 10) : SCHEDULE_UNSET;
}

static int64_t member_of(const json_t *entry, const char *member, const char *key)
{
    if (!member)
        return SCHEDULE_UNSET;
    return strcmp(member, "key") ? number_of(json_object_get(entry, member), NULL)
                                 : number_of(NULL, key);
}

/* Notes the lease, host and time of an entry of the list or object at the path. key: NULL in a
 * list. */
static void locate(struct comparison *comparison, const json_t *entry, const char *key)
{
    for (size_t i = 0; i < sizeof located / sizeof *located; i++) {
        size_t n = strlen(located[i].path);
        bool begins = located[i].path[n - 1] == '.';

        if (begins ? strncmp(comparison->path, located[i].path, n) || strchr(comparison->path, '[')
                   : strcmp(comparison->path, located[i].path))
            continue;
        comparison->place = nowhere;
        comparison->place.lease = member_of(entry, located[i].lease, key);
        comparison->place.host = member_of(entry, located[i].host, key);
        if (located[i].time_at) {
            const size_t time = (size_t)located[i].time_at - 1,
                         lease = (size_t)located[i].lease_at - 1;

            comparison->place.time = number_of(json_array_get(entry, time), NULL);
            comparison->place.lease = number_of(json_array_get(entry, lease), NULL);
        }
        return;
    }
}

/* The start of a value as JSON. */
static void describe(const json_t *value, char *text, size_t size)
{
    size_t n = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);

    if (json_is_array(value))
        snprintf(text, size, "a list of %zu", json_array_size(value));
    else if (json_is_object(value))
        snprintf(text, size, "an object of %zu members", json_object_size(value));
    else if (n >= size || json_dumpb(value, text, size, JSON_COMPACT | JSON_ENCODE_ANY) == 0)
        snprintf(text, size, "another text");
    else
        text[n] = '\0';
}

static void differs(struct comparison *comparison, json_t *told, json_t *right)
{
    char told_text[40] = "nothing", right_text[40] = "nothing";

    if (told)
        describe(told, told_text, sizeof told_text);
    if (right)
        describe(right, right_text, sizeof right_text);
    checker_violation(
        &comparison->checker, &comparison->place, "%s: the record has %s, the repeated run %s",
        comparison->path[0] ? comparison->path : "the document", told_text, right_text);
}

/* Compares the member or entry `name` of both records; NULL: one record lacks it. */
static void compare_member(struct comparison *comparison, const char *name, json_t *told,
                           json_t *right)
{
    size_t length = strlen(comparison->path);
    struct finding around = comparison->place;

    locate(comparison, told ? told : right, *name == '.' ? name + 1 : NULL);
    snprintf(comparison->path + length, sizeof comparison->path - length, "%s",
             name + (*name == '.' && length == 0));
    compare(comparison, told, right);
    comparison->path[length] = '\0';
    comparison->place = around;
}

static void compare_objects(struct comparison *comparison, json_t *told, json_t *right)
{
    char name[100];
    const char *key;
    json_t *value;

    json_object_foreach(told, key, value) {
        snprintf(name, sizeof name, ".%s", key);
        compare_member(comparison, name, value, json_object_get(right, key));
    }
    json_object_foreach(right, key, value) {
        snprintf(name, sizeof name, ".%s", key);
        if (!json_object_get(told, key))
            compare_member(comparison, name, NULL, value);
    }
}

static void compare_arrays(struct comparison *comparison, json_t *told, json_t *right)
{
    size_t n = json_array_size(told);

    if (json_array_size(right) != n) {
        differs(comparison, told, right);
        n = json_array_size(right) < n ? json_array_size(right) : n;
    }
    for (size_t i = 0; i < n; i++) {
        char name[30];

        snprintf(name, sizeof name, "[%zu]", i);
        compare_member(comparison, name, json_array_get(told, i), json_array_get(right, i));
    }
}

static void compare(struct comparison *comparison, json_t *told, json_t *right)
{
    checker_examined(&comparison->checker, CHECK_REPEATED);
    if (json_is_object(told) && json_is_object(right))
        compare_objects(comparison, told, right);
    else if (json_is_array(told) && json_is_array(right))
        compare_arrays(comparison, told, right);
    else if (!json_equal(told, right))
        differs(comparison, told, right);
}

/* The repeated run's record in the format of that version; a new reference. */
static json_t *as_of_version(json_t *repeated, json_t *version)
{
    json_t *copy = json_copy(repeated);
    json_t *told = json_copy(json_object_get(repeated, "galerna"));

    json_object_del(told, "inputs");
    json_object_set(told, "version", version);
    json_object_set_new(copy, "galerna", told);
    return copy;
}

void verify_compare(json_t *record, json_t *repeated, enum repeated_from from,
                    struct verification *verification)
{
    struct comparison comparison = {.checker.result = verification, .place = nowhere};
    json_t *version = json_object_get(json_object_get(record, "galerna"), "version");
    bool earlier = version && json_integer_value(version) < SCHEDULE_VERSION;
    json_t *right = earlier ? as_of_version(repeated, version) : json_incref(repeated);

    compare(&comparison, record, right);
    json_decref(right);
    if (verification->violated[CHECK_REPEATED] > 0)
        return;
    memset(verification->not_checked, 0, sizeof verification->not_checked);
    verification->not_checked[GAP_TRACE] = from == REPEATED_FROM_RECORD;
}

void verify_impossible(struct verification *verification, const char *why)
{
    struct checker checker = {.result = verification};

    checker_examined(&checker, CHECK_REPEATED);
    checker_violation(&checker, &nowhere, "no run has such inputs: %s", why);
}

void verify_unrepeatable(struct verification *verification, const char *format, ...)
{
    struct checker checker = {.result = verification};
    char why[sizeof verification->not_repeated];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    checker_examined(&checker, CHECK_REPEATED);
    checker_violation(&checker, &nowhere, "the run was not repeated (see --no-repeat): %s", why);
}

void verify_not_repeated(struct verification *verification, const char *format, ...)
{
    char *text = verification->not_repeated;
    va_list args;

    strcpy(text, ": ");
    va_start(args, format);
    vsnprintf(text + 2, sizeof verification->not_repeated - 2, format, args);
    va_end(args);
    verification->not_checked[GAP_REPEATED] = true;
}
