/* What Galerna records beyond Haizea's keys: settings, reasons, terms, runs whose work was lost. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verify/arena.h"
#include "verify/read.h"

static const char *text_or_null(json_t *object, const char *member)
{
    return json_string_value(json_object_get(object, member));
}

/* The record follows Haizea 1.0 when every switch of its behaviour is on. */
static bool all_switches_on(json_t *switches)
{
    const char *name;
    json_t *value;

    json_object_foreach (switches, name, value) {
        if (!json_is_true(value))
            return false;
    }
    return json_object_size(switches) > 0;
}

static int read_settings(struct reader *reader, json_t *told)
{
    const struct json_place *place = &reader->place;
    struct schedule_settings *settings = &reader->schedule->settings;
    const char *exclusion = text_or_null(told, "suspendresume-exclusion");

    settings->exclusion_global = exclusion && strcmp(exclusion, "global") == 0;
    if (json_real_or(place, told, "suspend-rate", 0, &settings->suspend_rate) < 0 ||
        json_real_or(place, told, "resume-rate", 0, &settings->resume_rate) < 0 ||
        json_whole_or(place, told, "override-suspend-time", SCHEDULE_UNSET,
                      &settings->override_suspend) < 0 ||
        json_whole_or(place, told, "override-resume-time", SCHEDULE_UNSET,
                      &settings->override_resume) < 0 ||
        json_whole_or(place, told, "shutdown-time", SCHEDULE_UNSET, &settings->shutdown_time) < 0)
        return -1;
    return json_whole_or(place, told, "enactment-overhead", SCHEDULE_UNSET,
                         &settings->enactment_overhead);
}

static int read_riding(struct reader *reader, json_t *list, struct schedule_lease *lease)
{
    json_t *item;
    size_t i;

    if (json_array_size(list) == 0)
        return 0;
    lease->riding = reader_take(reader, lease->n_reservations, sizeof *lease->riding);
    if (!lease->riding)
        return -1;
    json_array_foreach (list, i, item) {
        int64_t index;

        if (json_whole(&reader->place, "riding", item, &index) < 0)
            return -1;
        if (index < 0 || (uint64_t)index >= lease->n_reservations)
            return json_fail(&reader->place, "riding", "%lld: there are %zu reservations",
                             (long long)index, lease->n_reservations);
        lease->riding[index] = true;
    }
    return 0;
}

static int copy_text(struct reader *reader, json_t *item, const char *member, const char **copy)
{
    const char *text = text_or_null(item, member);

    *copy = NULL;
    if (!text || strcmp(text, "none") == 0)
        return 0;
    *copy = schedule_arena_text(reader->schedule->arena, text);
    return *copy ? 0
                 : error_set(reader->place.err, ENOMEM, "%s: out of memory", reader->place.file);
}

static int read_lease_extras(struct reader *reader, json_t *item)
{
    const struct json_place *place = &reader->place;
    struct schedule_lease *lease;
    int64_t id;

    if (!json_is_object(item))
        return json_fail(place, NULL, "expected an object");
    if (json_whole_member(place, item, "id", &id) < 0)
        return -1;
    lease = (struct schedule_lease *)schedule_lease(reader->schedule, id);
    if (!lease)
        return json_fail(place, "id", "there is no lease %lld", (long long)id);
    if (json_whole_or(place, item, "deadline", lease->deadline, &lease->deadline) < 0 ||
        copy_text(reader, item, "terms", &lease->terms) < 0 ||
        copy_text(reader, item, "reason", &lease->reason) < 0)
        return -1;
    return read_riding(reader, json_object_get(item, "riding"), lease);
}

static int read_lost_run(struct reader *reader, json_t *item, struct schedule_lost_run *run)
{
    const struct json_place *place = &reader->place;
    json_t *hosts = json_array_get(item, 3), *host;
    size_t i;

    if (json_whole(place, NULL, json_array_get(item, 0), &run->lease) < 0 ||
        json_whole(place, NULL, json_array_get(item, 1), &run->from) < 0 ||
        json_whole(place, NULL, json_array_get(item, 2), &run->until) < 0)
        return -1;
    run->hosts = reader_take(reader, json_array_size(hosts), sizeof *run->hosts);
    if (!run->hosts)
        return -1;
    json_array_foreach (hosts, i, host)
        if (json_whole(place, NULL, host, &run->hosts[i]) < 0)
            return -1;
    run->n_hosts = json_array_size(hosts);
    return 0;
}

static int read_lost_runs(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;
    json_t *item;
    size_t i;

    schedule->lost_runs = reader_take(reader, json_array_size(list), sizeof *schedule->lost_runs);
    if (!schedule->lost_runs)
        return -1;
    json_array_foreach (list, i, item) {
        snprintf(reader->place.where, sizeof reader->place.where, "galerna.withdrawn[%zu]", i);
        if (read_lost_run(reader, item, &schedule->lost_runs[i]) < 0)
            return -1;
    }
    schedule->n_lost_runs = json_array_size(list);
    return 0;
}

int reader_read_galerna(struct reader *reader, json_t *root)
{
    struct schedule_settings *settings = &reader->schedule->settings;
    bool failed = false;
    json_t *told, *item;
    size_t i;

    settings->override_suspend = settings->override_resume = SCHEDULE_UNSET;
    settings->shutdown_time = settings->enactment_overhead = SCHEDULE_UNSET;
    told = json_optional_object(&reader->place, root, "galerna", &failed);
    if (!told)
        return failed ? -1 : 0;
    settings->told = true;
    settings->haizea_1_0 = all_switches_on(json_object_get(told, "behaviour"));
    snprintf(reader->place.where, sizeof reader->place.where, "galerna.settings");
    if (read_settings(reader, json_object_get(told, "settings")) < 0)
        return -1;
    json_array_foreach (json_object_get(told, "leases"), i, item) {
        snprintf(reader->place.where, sizeof reader->place.where, "galerna.leases[%zu]", i);
        if (read_lease_extras(reader, item) < 0)
            return -1;
    }
    if (read_lost_runs(reader, json_object_get(told, "withdrawn")) < 0)
        return -1;
    reader->place.where[0] = '\0';
    return 0;
}
