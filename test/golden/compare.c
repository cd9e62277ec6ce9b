/* Compares two records of replays, value by value. */
#include "test/golden/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
    FILE *out;
    int n;
    char path[240];
};

static void difference(struct comparison *comparison, json_t *expected, json_t *got)
{
    char *left = expected ? json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *right = got ? json_dumps(got, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

    fprintf(comparison->out, "    %s: expected %.100s, got %.100s\n", comparison->path,
            left ? left : "nothing", right ? right : "nothing");
    comparison->n++;
    free(left);
    free(right);
}

/* Equal as Python compares: 1 and 1.0 are the same number. */
static bool same_number(const json_t *expected, const json_t *got)
{
    double want = json_number_value(expected), have = json_number_value(got);

    if (json_is_integer(expected) && json_is_integer(got))
        return json_integer_value(expected) == json_integer_value(got);
    return fabs(want - have) <= 1e-9 * fmax(1.0, fabs(want));
}

static void compare(struct comparison *comparison, json_t *expected, json_t *got);

/* One step further down the path, and back. */
static void compare_member(struct comparison *comparison, const char *label, json_t *expected,
                           json_t *got)
{
    size_t length = strlen(comparison->path);

    if (comparison->n >= DIFFERENCES_SHOWN)
        return;
    snprintf(comparison->path + length, sizeof comparison->path - length, "%s", label);
    compare(comparison, expected, got);
    comparison->path[length] = '\0';
}

static void compare_objects(struct comparison *comparison, json_t *expected, json_t *got)
{
    const char *key;
    json_t *value;
    char label[80];

    json_object_foreach(expected, key, value) {
        snprintf(label, sizeof label, ".%s", key);
        compare_member(comparison, label, value, json_object_get(got, key));
    }
    json_object_foreach(got, key, value) {
        snprintf(label, sizeof label, ".%s", key);
        if (!json_object_get(expected, key))
            compare_member(comparison, label, NULL, value);
    }
}

static void compare_arrays(struct comparison *comparison, json_t *expected, json_t *got)
{
    size_t want = json_array_size(expected), have = json_array_size(got);
    char label[80];

    if (want != have) {
        fprintf(comparison->out, "    %s: expected %zu entries, got %zu\n", comparison->path, want,
                have);
        comparison->n++;
    }
    for (size_t i = 0; i < want && i < have; i++) {
        json_t *item = json_array_get(expected, i);
        json_t *id = json_is_object(item) ? json_object_get(item, "id") : NULL;

        if (id)
            snprintf(label, sizeof label, "[lease %lld]", (long long)json_integer_value(id));
        else
            snprintf(label, sizeof label, "[%zu]", i);
        compare_member(comparison, label, item, json_array_get(got, i));
    }
}

static void compare(struct comparison *comparison, json_t *expected, json_t *got)
{
    if (json_is_number(expected) && json_is_number(got)) {
        if (!same_number(expected, got))
            difference(comparison, expected, got);
    } else if (json_is_object(expected) && json_is_object(got)) {
        compare_objects(comparison, expected, got);
    } else if (json_is_array(expected) && json_is_array(got)) {
        compare_arrays(comparison, expected, got);
    } else if (!json_equal(expected, got)) {
        difference(comparison, expected, got);
    }
}

static double value_of(json_t *entry)
{
    return json_number_value(json_array_get(entry, 2));
}

/* Haizea sums the shares of the kinds of operations in the order of a dictionary that follows
 * memory addresses, and the last bit of the sum decides whether there is an entry. */
static void forget_repetitions(json_t *record)
{
    json_t *entries = json_object_get(json_object_get(record, "counters"), "CPU utilization");

    for (size_t i = 1; i < json_array_size(entries);)
        if (fabs(value_of(json_array_get(entries, i)) - value_of(json_array_get(entries, i - 1))) <
            1e-9)
            json_array_remove(entries, i);
        else
            i++;
}

int compare_records(json_t *expected, json_t *got, FILE *out)
{
    static const char *const keys[] = {"status",   "end_time",    "site",
                                       "leases",   "state_log",   "preemptions",
                                       "counters", "lease_stats", "stats"};
    struct comparison comparison = {.out = out};

    forget_repetitions(expected);
    forget_repetitions(got);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(expected, keys[i]))
            compare_member(&comparison, keys[i], json_object_get(expected, keys[i]),
                           json_object_get(got, keys[i]));
    return comparison.n;
}
