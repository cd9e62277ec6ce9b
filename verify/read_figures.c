/* Reads the figures of a record: results of leases, counters over time, totals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/words.h"
#include "verify/read.h"

static int read_results(struct reader *reader, json_t *stats)
{
    struct schedule *schedule = reader->schedule;
    const char *id;
    json_t *item;

    schedule->results_told = stats;
    schedule->results = reader_take(reader, json_object_size(stats), sizeof *schedule->results);
    if (!schedule->results)
        return -1;
    json_object_foreach(stats, id, item) {
        struct schedule_lease_result *result = &schedule->results[schedule->n_results];

        snprintf(reader->place.where, sizeof reader->place.where, "lease_stats.%.40s", id);
        if (!json_is_object(item))
            return json_fail(&reader->place, NULL, "expected an object");
        if (json_key_number(&reader->place, id, &result->lease) < 0 ||
            json_real_or(&reader->place, item, "Waiting time", NAN, &result->waiting) < 0 ||
            json_real_or(&reader->place, item, "Slowdown", NAN, &result->slowdown) < 0)
            return -1;
        schedule->n_results++;
    }
    reader->place.where[0] = '\0';
    return 0;
}

static int read_entry(struct reader *reader, json_t *told, void *item)
{
    const struct json_place *place = &reader->place;
    struct schedule_entry *entry = item;
    json_t *lease = json_array_get(told, 1), *value = json_array_get(told, 2);
    json_t *average = json_array_get(told, 3);

    if (json_tuple(place, told, 4, (int64_t *[]){&entry->time, NULL}) < 0)
        return -1;
    entry->lease = SCHEDULE_UNSET;
    if (!json_is_null(lease) && json_whole(place, NULL, lease, &entry->lease) < 0)
        return -1;
    if (!json_is_number(value) || !(json_is_number(average) || json_is_null(average)))
        return json_fail(place, NULL, "the value and the average must be numbers");
    entry->value = json_number_value(value);
    entry->average = json_is_null(average) ? NAN : json_number_value(average);
    return 0;
}

static int read_counter(struct reader *reader, const char *name, json_t *list)
{
    int id = words_find(schedule_counter_names, SCHEDULE_COUNTERS, name);
    struct schedule_counter *counter = id < 0 ? NULL : &reader->schedule->counters[id];
    char where[sizeof reader->place.where];

    snprintf(reader->place.where, sizeof reader->place.where, "counters.%.40s", name);
    if (!counter && !json_object_get(reader->root, "galerna"))
        return 0; /* Haizea 1.1 has other counters */
    if (!counter)
        return json_fail(&reader->place, NULL, "unknown counter");
    if (!json_is_array(list) || json_array_size(list) == 0)
        return json_fail(&reader->place, NULL, "expected a list of entries");
    snprintf(where, sizeof where, "%s", reader->place.where);
    counter->entries = reader_read_list(reader, list, where, sizeof *counter->entries, read_entry);
    if (!counter->entries)
        return -1;
    counter->n = json_array_size(list);
    counter->told = true;
    return 0;
}

static int read_total(struct reader *reader, const char *name, json_t *value)
{
    struct schedule_totals *totals = &reader->schedule->totals;
    int id = words_find(schedule_total_names, SCHEDULE_TOTALS, name);

    snprintf(reader->place.where, sizeof reader->place.where, "stats");
    if (id >= 0) {
        totals->told[id] = true;
        return json_whole(&reader->place, name, value, &totals->value[id]);
    }
    if (strcmp(name, "all-best-effort") != 0 && !json_object_get(reader->root, "galerna"))
        return 0;
    if (strcmp(name, "all-best-effort") != 0)
        return json_fail(&reader->place, name, "unknown total");
    totals->last_told = true;
    return json_whole(&reader->place, name, value, &totals->last);
}

int reader_read_figures(struct reader *reader, json_t *root)
{
    bool failed = false;
    json_t *results = json_optional_object(&reader->place, root, "lease_stats", &failed);
    json_t *counters =
        failed ? NULL : json_optional_object(&reader->place, root, "counters", &failed);
    json_t *stats = failed ? NULL : json_optional_object(&reader->place, root, "stats", &failed);
    const char *name;
    json_t *value;

    if (failed || read_results(reader, results) < 0)
        return -1;
    json_object_foreach(counters, name, value) {
        if (read_counter(reader, name, value) < 0)
            return -1;
    }
    json_object_foreach(stats, name, value) {
        if (read_total(reader, name, value) < 0)
            return -1;
    }
    reader->place.where[0] = '\0';
    return 0;
}
