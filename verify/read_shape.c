/* Checks the shape of a record: from version 2 on, every member must be present, with the right
 * type and known words. Otherwise an omission could hide a violation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/read.h"

enum shape_kind {
    WHOLE,
    WHOLE_OR_NULL,
    NATURAL,
    NATURAL_OR_NULL,
    SEED, /* a whole number of any size */
    POSITIVE,
    NUMBER,
    TRUTH,
    TEXT,
    LIST,
    OBJECT,
    ANYTHING
};

struct shape {
    const char *name;
    enum shape_kind kind;
    const char *words; /* allowed texts: "|a|b|"; NULL: any */
};

static const struct shape record[] = {
    {"status", TEXT, NULL},     {"end_time", WHOLE, NULL}, {"site", OBJECT, NULL},
    {"leases", LIST, NULL},     {"state_log", LIST, NULL}, {"preemptions", LIST, NULL},
    {"counters", OBJECT, NULL}, {"stats", OBJECT, NULL},   {"lease_stats", OBJECT, NULL},
    {"galerna", OBJECT, NULL},  {NULL, ANYTHING, NULL},
};

static const struct shape lease[] = {
    {"id", WHOLE, NULL},
    {"type", TEXT, NULL},
    {"state", TEXT, NULL},
    {"preemptible", TRUTH, NULL},
    {"submit", WHOLE, NULL},
    {"start_requested", ANYTHING, NULL},
    {"start_actual", WHOLE_OR_NULL, NULL},
    {"end", WHOLE_OR_NULL, NULL},
    {"duration_original", NATURAL_OR_NULL, NULL},
    {"duration_requested", NATURAL_OR_NULL, NULL},
    {"duration_known", NATURAL_OR_NULL, NULL},
    {"duration_accumulated", NATURAL, NULL},
    {"duration_actual", WHOLE_OR_NULL, NULL},
    {"numnodes", WHOLE, NULL},
    {"nodes", OBJECT, NULL},
    {"software", ANYTHING, NULL},
    {"rrs", LIST, NULL},
    {NULL, ANYTHING, NULL},
};

static const struct shape extras[] = {
    {"id", WHOLE, NULL},
    {"kind", TEXT, NULL},
    {"terms", TEXT, "|cancelable|suspendable|migratable|restartable|non-preemptable|"},
    {"origin", TEXT, "|local|external|"},
    {"priority", NUMBER, NULL},
    {"user", WHOLE_OR_NULL, NULL},
    {"submit", WHOLE, NULL},
    {"not_before", WHOLE_OR_NULL, NULL},
    {"deadline", WHOLE_OR_NULL, NULL},
    {"duration", WHOLE_OR_NULL, NULL},
    {"state", TEXT, NULL},
    {"reason", TEXT,
     "|none|no-room-now|room-reserved|room-kept|planned|refused-by-policy|too-big|no-room-at-start|"
     "start-passed|deadline-unreachable|image-too-late|shorter-than-shutdown|suspended-for|"
     "requeued-for|cancelled-for|suspended-planned|cancelled|ended-early|failed|deadline-missed|"
     "no-room-at-once|not-ready|no-host-allowed|text|moved|others-would-be-late|no-device|no-"
     "topology|device-in-use|"
     "topology-in-use|no-room-with-device|no-room-with-topology|kept-apart|kept-together|no-room-"
     "for-all|"},
    {"explanation", TEXT, NULL},
    {"riding", LIST, NULL},
    {NULL, ANYTHING, NULL},
};

static const struct shape settings[] = {
    {"backfilling", TEXT, "|off|aggressive|conservative|intermediate|"},
    {"backfilling-reservations", NATURAL_OR_NULL, NULL},
    {"convert-reservations", TRUTH, NULL},
    {"whole-stretches", TRUTH, NULL},
    {"fair-share", TEXT, "|no|users|groups|"},
    {"fair-share-half-life", NATURAL, NULL},
    {"fixed-deadlines", TRUTH, NULL},
    {"suspension", TEXT, "|none|serial-only|all|"},
    {"suspend-rate", POSITIVE, NULL},
    {"resume-rate", POSITIVE, NULL},
    {"suspendresume-exclusion", TEXT, "|local|global|"},
    {"scheduling-threshold-factor", POSITIVE, NULL},
    {"force-scheduling-threshold", NATURAL_OR_NULL, NULL},
    {"override-suspend-time", NATURAL_OR_NULL, NULL},
    {"override-resume-time", NATURAL_OR_NULL, NULL},
    {"migration", TEXT, "|no|yes|yes-notransfer|"},
    {"migration-interval", NATURAL_OR_NULL, NULL},
    {"migration-threshold", POSITIVE, NULL},
    {"migration-mode", TEXT, "|live|cold|"},
    {"shutdown-time", NATURAL, NULL},
    {"enactment-overhead", NATURAL, NULL},
    {"lease-preparation", TEXT, "|unmanaged|imagetransfer|"},
    {"transfer-mechanism", TEXT, "|unicast|multicast|"},
    {"avoid-redundant-transfers", TRUTH, NULL},
    {"force-imagetransfer-time", NATURAL_OR_NULL, NULL},
    {"diskimage-reuse", TEXT, "|none|image-caches|"},
    {"diskimage-cache-size", NATURAL_OR_NULL, NULL},
    {"imagetransfer-bandwidth", NATURAL_OR_NULL, NULL},
    {"seed", SEED, NULL},
    {NULL, ANYTHING, NULL},
};

static bool is_number(const json_t *value)
{
    int64_t number = json_integer_value(value);

    return json_is_integer(value) && number <= 1000000000000 && number >= -1000000000000;
}

static bool is_of(const json_t *value, enum shape_kind kind)
{
    switch (kind) {
    case WHOLE:
        return is_number(value);
    case WHOLE_OR_NULL:
        return is_number(value) || json_is_null(value);
    case NATURAL:
        return is_number(value) && json_integer_value(value) >= 0;
    case NATURAL_OR_NULL:
        return json_is_null(value) || is_of(value, NATURAL);
    case SEED:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case POSITIVE:
        return json_is_number(value) && json_number_value(value) >= 0;
    case NUMBER:
        return json_is_number(value) && fabs(json_number_value(value)) <= 1e12;
    case TRUTH:
        return json_is_boolean(value);
    case TEXT:
        return json_is_string(value);
    case LIST:
        return json_is_array(value);
    case OBJECT:
        return json_is_object(value);
    case ANYTHING:
        return value != NULL;
    }
    return false;
}

static bool is_word(const char *words, const char *word)
{
    char barred[64];

    return snprintf(barred, sizeof barred, "|%s|", word) < (int)sizeof barred &&
           !strchr(word, '|') && strstr(words, barred);
}

static int check_object(const struct json_place *place, json_t *object, const struct shape *shape)
{
    for (; shape->name; shape++) {
        json_t *value = json_object_get(object, shape->name);

        if (!value)
            return json_fail(place, shape->name, "missing");
        if (!is_of(value, shape->kind))
            return json_fail(place, shape->name, "has the wrong type or is out of range");
        if (shape->words && !is_word(shape->words, json_string_value(value)))
            return json_fail(place, shape->name, "unknown word \"%.60s\"",
                             json_string_value(value));
    }
    return 0;
}

static int check_list(struct reader *reader, json_t *list, const char *where,
                      const struct shape *shape)
{
    json_t *item;
    size_t i;

    json_array_foreach(list, i, item) {
        snprintf(reader->place.where, sizeof reader->place.where, "%s[%zu]", where, i);
        if (check_object(&reader->place, item, shape) < 0)
            return -1;
    }
    reader->place.where[0] = '\0';
    return 0;
}

int reader_check_shape(struct reader *reader, json_t *root)
{
    json_t *told = json_object_get(root, "galerna");

    if (check_object(&reader->place, root, record) < 0 ||
        check_list(reader, json_object_get(root, "leases"), "leases", lease) < 0 ||
        check_list(reader, json_object_get(told, "leases"), "galerna.leases", extras) < 0)
        return -1;
    snprintf(reader->place.where, sizeof reader->place.where, "galerna.settings");
    if (check_object(&reader->place, json_object_get(told, "settings"), settings) < 0)
        return -1;
    reader->place.where[0] = '\0';
    return 0;
}
