/* Reads Galerna's additions to Haizea's keys: settings, reasons, terms, lost runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verify/arena.h"
#include "verify/read.h"

static const char *text_or_null(json_t *object, const char *member)
{
    return json_string_value(json_object_get(object, member));
}

/* The record follows Haizea 1.0 if all switches of its behaviour are on. */
static int read_behaviour(struct reader *reader, json_t *switches)
{
    struct schedule_settings *settings = &reader->schedule->settings;
    size_t n = json_object_size(switches), on = 0;
    const char *name;
    json_t *value;

    json_object_foreach(switches, name, value) {
        if (!json_is_boolean(value))
            return json_fail(&reader->place, name, "expected true or false");
        on += json_is_true(value);
    }
    settings->haizea_1_0 = n > 0 && on == n;
    if (settings->version > 1 && (n == 0 || (on > 0 && on < n)))
        return json_fail(&reader->place, "behaviour",
                         "%zu of %zu switches are on: neither default mode nor haizea-1.0", on, n);
    return 0;
}

static bool is_word(json_t *object, const char *member, const char *word)
{
    const char *text = text_or_null(object, member);

    return text && strcmp(text, word) == 0;
}

static int read_settings(struct reader *reader, json_t *told)
{
    const struct json_place *place = &reader->place;
    struct schedule_settings *settings = &reader->schedule->settings;
    const char *exclusion = text_or_null(told, "suspendresume-exclusion");
    const char *migration = text_or_null(told, "migration");

    settings->vms_suspended = is_word(told, "suspension", "none")          ? 0
                              : is_word(told, "suspension", "serial-only") ? 1
                                                                           : SCHEDULE_NEVER;
    settings->prepares = is_word(told, "lease-preparation", "imagetransfer");
    settings->caches = is_word(told, "diskimage-reuse", "image-caches");
    settings->multicast = is_word(told, "transfer-mechanism", "multicast");
    settings->moves_files = is_word(told, "migration", "yes");
    settings->fair_share = text_or_null(told, "fair-share") && !is_word(told, "fair-share", "no");
    settings->exclusion_global = exclusion && strcmp(exclusion, "global") == 0;
    settings->migrates = !migration || strcmp(migration, "no") != 0;
    if (json_real_or(place, told, "suspend-rate", 0, &settings->suspend_rate) < 0 ||
        json_real_or(place, told, "resume-rate", 0, &settings->resume_rate) < 0 ||
        json_whole_or(place, told, "override-suspend-time", SCHEDULE_UNSET,
                      &settings->override_suspend) < 0 ||
        json_whole_or(place, told, "override-resume-time", SCHEDULE_UNSET,
                      &settings->override_resume) < 0 ||
        json_whole_or(place, told, "migration-interval", 0, &settings->look_interval) < 0 ||
        json_whole_or(place, told, "imagetransfer-bandwidth", SCHEDULE_UNSET,
                      &settings->bandwidth) < 0 ||
        json_whole_or(place, told, "force-imagetransfer-time", SCHEDULE_UNSET,
                      &settings->override_transfer) < 0 ||
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
    json_array_foreach(list, i, item) {
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
    if (!text && reader->schedule->settings.version > 1)
        return json_fail(&reader->place, member, "missing");
    if (!text || strcmp(text, "none") == 0)
        return 0;
    *copy = schedule_arena_text(reader->schedule->arena, text);
    return *copy ? 0
                 : error_set(reader->place.err, ENOMEM, "%s: out of memory", reader->place.file);
}

/* Checks that a duplicate figure agrees with the first. */
static int same_number(const struct json_place *place, json_t *item, const char *member,
                       int64_t before)
{
    int64_t number;

    if (json_whole_or(place, item, member, SCHEDULE_UNSET, &number) < 0)
        return -1;
    if (number != before)
        return json_fail(place, member, "differs from what \"leases\" says of lease %lld",
                         (long long)json_integer_value(json_object_get(item, "id")));
    return 0;
}

static int same_word(const struct json_place *place, json_t *item, const char *member,
                     const char *before)
{
    const char *word = json_text_member(place, item, member);

    if (!word)
        return -1;
    if (strcmp(word, before) != 0)
        return json_fail(place, member, "%.40s, but \"leases\" says %s", word, before);
    return 0;
}

/* Data in both "leases" and "galerna.leases" must agree. */
static int check_told_twice(const struct json_place *place, json_t *item,
                            const struct schedule_lease *lease)
{
    if (same_word(place, item, "kind", schedule_lease_kind_names[lease->kind]) < 0 ||
        same_word(place, item, "state", schedule_state_names[lease->state]) < 0 ||
        same_number(place, item, "submit", lease->submit) < 0 ||
        same_number(place, item, "duration", lease->duration_requested) < 0)
        return -1;
    if (lease->start_requested == SCHEDULE_UNSET)
        return 0;
    return same_number(place, item, "not_before", lease->start_requested);
}

static int read_lease_extras(struct reader *reader, json_t *item, struct schedule_lease *lease)
{
    const struct json_place *place = &reader->place;
    int64_t id;

    if (!json_is_object(item))
        return json_fail(place, NULL, "expected an object");
    if (json_whole_member(place, item, "id", &id) < 0)
        return -1;
    if (id != lease->id)
        return json_fail(place, "id", "%lld, but \"leases\" has %lld here", (long long)id,
                         (long long)lease->id);
    if (json_whole_or(place, item, "deadline", lease->deadline, &lease->deadline) < 0 ||
        json_whole_or(place, item, "not_before", SCHEDULE_UNSET, &lease->ready) < 0 ||
        json_real_or(place, item, "priority", 0, &lease->priority) < 0 ||
        copy_text(reader, item, "terms", &lease->terms) < 0 ||
        copy_text(reader, item, "reason", &lease->reason) < 0 ||
        (reader->schedule->settings.version > 1 && check_told_twice(place, item, lease) < 0))
        return -1;
    return read_riding(reader, json_object_get(item, "riding"), lease);
}

static int read_leases(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;
    json_t *item;
    size_t i;

    if (json_array_size(list) != schedule->n_leases && schedule->settings.version > 1)
        return json_fail(&reader->place, "leases", "%zu leases, but there are %zu",
                         json_array_size(list), schedule->n_leases);
    json_array_foreach(list, i, item) {
        snprintf(reader->place.where, sizeof reader->place.where, "galerna.leases[%zu]", i);
        if (i >= schedule->n_leases)
            return json_fail(&reader->place, NULL, "there are %zu leases", schedule->n_leases);
        if (read_lease_extras(reader, item, &schedule->leases[i]) < 0)
            return -1;
    }
    return 0;
}

static int check_host(struct reader *reader, json_t *item, const struct schedule_host *host)
{
    const struct json_place *place = &reader->place;
    json_t *capacity, *amount;
    const char *name;
    int64_t id;

    if (json_whole_member(place, item, "id", &id) < 0)
        return -1;
    capacity = json_object_member(place, item, "capacity");
    if (!capacity)
        return -1;
    if (id != host->id || json_object_size(capacity) != host->n_told)
        return json_fail(place, NULL, "differs from host %lld of \"site\"", (long long)host->id);
    json_object_foreach(capacity, name, amount) {
        int type = reader_find_type(reader, name);
        int64_t told;

        if (type < 0 || json_whole(place, name, amount, &told) < 0)
            return -1;
        if (told != host->capacity[type])
            return json_fail(place, name, "%lld, but \"site\" has %lld", (long long)told,
                             (long long)host->capacity[type]);
    }
    return 0;
}

/* Checks that the hosts agree with "site", in the same order. */
static int check_hosts(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;
    bool *seen;
    json_t *item;
    size_t i;

    if (json_array_size(list) != schedule->n_hosts)
        return json_fail(&reader->place, "hosts", "%zu hosts, but \"site\" has %zu",
                         json_array_size(list), schedule->n_hosts);
    seen = reader_take(reader, schedule->n_hosts, sizeof *seen);
    if (!seen)
        return -1;
    json_array_foreach(list, i, item) {
        int64_t id = json_integer_value(json_object_get(item, "id"));
        const struct schedule_host *host = schedule_host(schedule, id);

        snprintf(reader->place.where, sizeof reader->place.where, "galerna.hosts[%zu]", i);
        if (!host)
            return json_fail(&reader->place, "id", "\"site\" has no host %lld", (long long)id);
        if (seen[host - schedule->hosts])
            return json_fail(&reader->place, "id", "host %lld appears twice", (long long)id);
        seen[host - schedule->hosts] = true;
        if (check_host(reader, item, host) < 0)
            return -1;
    }
    return 0;
}

static int read_lost_run(struct reader *reader, json_t *entry, void *item)
{
    const struct json_place *place = &reader->place;
    struct schedule_lost_run *run = item;
    json_t *hosts = json_array_get(entry, 3), *host;
    size_t i;

    if (json_tuple(place, entry, 4, (int64_t *[]){&run->lease, &run->from, &run->until, NULL}) < 0)
        return -1;
    if (run->until < run->from || !json_is_array(hosts))
        return json_fail(place, NULL, "expected [lease, from, until, [host, ...]]");
    run->hosts = reader_take(reader, json_array_size(hosts), sizeof *run->hosts);
    if (!run->hosts)
        return -1;
    json_array_foreach(hosts, i, host)
        if (json_whole(place, NULL, host, &run->hosts[i]) < 0)
            return -1;
    run->n_hosts = json_array_size(hosts);
    return 0;
}

static int read_lost_runs(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;

    schedule->lost_runs = reader_read_list(reader, list, "galerna.withdrawn",
                                           sizeof *schedule->lost_runs, read_lost_run);
    schedule->n_lost_runs = json_array_size(list);
    return schedule->lost_runs ? 0 : -1;
}

static int read_plan(struct reader *reader, json_t *entry, void *item)
{
    struct schedule_plan *plan = item;
    json_t *until = json_array_get(entry, 3);

    plan->until = SCHEDULE_NEVER;
    if (json_tuple(&reader->place, entry, 4,
                   (int64_t *[]){&plan->time, &plan->lease, &plan->from, NULL}) < 0)
        return -1;
    return json_is_null(until) ? 0 : json_whole(&reader->place, NULL, until, &plan->until);
}

/* name: "planned" or "booked" */
static int read_plans(struct reader *reader, json_t *told, const char *name,
                      struct schedule_plan **plans, size_t *n)
{
    char where[32];
    json_t *list;

    reader->place.where[0] = '\0';
    list = json_array_member(&reader->place, told, name);
    if (!list)
        return -1;
    snprintf(where, sizeof where, "galerna.%s", name);
    *plans = reader_read_list(reader, list, where, sizeof **plans, read_plan);
    *n = json_array_size(list);
    return *plans ? 0 : -1;
}

/* Reads the leases that got the room of preemptions: one entry for each of "preemptions". */
static int read_preempted_for(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;
    json_t *item;
    size_t i;

    snprintf(reader->place.where, sizeof reader->place.where, "galerna");
    if (json_array_size(list) != schedule->n_preemptions)
        return json_fail(&reader->place, "preempted_for", "%zu entries for %zu preemptions",
                         json_array_size(list), schedule->n_preemptions);
    json_array_foreach(list, i, item)
        if (json_whole(&reader->place, "preempted_for", item, &schedule->preemptions[i].makes_for) <
            0)
            return -1;
    return 0;
}

static int read_ending(struct reader *reader, json_t *told)
{
    static const char *const words[] = {
        [RUN_COMPLETE] = "complete",
        [RUN_STOPPED] = "stopped",
        [RUN_STUCK] = "stuck",
        [RUN_INTERRUPTED] = "interrupted",
    };
    struct schedule *schedule = reader->schedule;
    const char *word = json_text_member(&reader->place, told, "ending");

    if (!word)
        return -1;
    for (int i = RUN_COMPLETE; i <= RUN_INTERRUPTED; i++)
        if (strcmp(word, words[i]) == 0)
            schedule->ending = (enum schedule_ending)i;
    if (schedule->ending == RUN_NOT_TOLD)
        return json_fail(&reader->place, "ending", "unknown word \"%.60s\"", word);
    if ((schedule->ending == RUN_INTERRUPTED) != schedule->interrupted)
        return json_fail(&reader->place, "ending", "%s does not fit the record's status", word);
    return 0;
}

/* Additions of version 2; older records are read without them. */
static int read_version_2(struct reader *reader, json_t *told)
{
    const struct json_place *place = &reader->place;
    json_t *preempted_for, *hosts, *withdrawn;

    reader->place.where[0] = '\0';
    preempted_for = json_array_member(place, told, "preempted_for");
    hosts = json_array_member(place, told, "hosts");
    withdrawn = json_array_member(place, told, "withdrawn");
    if (!preempted_for || !hosts || !withdrawn || read_ending(reader, told) < 0 ||
        read_preempted_for(reader, preempted_for) < 0 || check_hosts(reader, hosts) < 0)
        return -1;
    return read_plans(reader, told, "planned", &reader->schedule->plans,
                      &reader->schedule->n_plans);
}

static int read_schema(struct reader *reader, json_t *told)
{
    const char *schema = json_text_member(&reader->place, told, "schema");
    int64_t *version = &reader->schedule->settings.version;

    if (!schema || json_whole_member(&reader->place, told, "version", version) < 0)
        return -1;
    if (strcmp(schema, "galerna-record") != 0)
        return json_fail(&reader->place, "schema", "expected \"galerna-record\", found \"%.60s\"",
                         schema);
    if (*version < 1 || *version > SCHEDULE_VERSION)
        return json_fail(&reader->place, "version",
                         "%lld, but this galerna reads records of versions 1 to %d: verify the "
                         "record with the galerna that wrote it",
                         (long long)*version, SCHEDULE_VERSION);
    return 0;
}

/* Reads only the rule that ended the run from the inputs; the other inputs serve repetitions. */
static int read_inputs(struct reader *reader, json_t *told)
{
    struct schedule_settings *settings = &reader->schedule->settings;
    json_t *inputs, *option;
    size_t i;

    snprintf(reader->place.where, sizeof reader->place.where, "galerna");
    if (settings->version < 4 && json_object_get(told, "inputs"))
        return json_fail(&reader->place, "inputs", "records of version %lld do not contain them",
                         (long long)settings->version);
    if (settings->version < 4)
        return 0;
    inputs = json_object_member(&reader->place, told, "inputs");
    json_array_foreach(json_object_get(inputs, "configuration"), i, option) {
        const char *name = json_string_value(json_array_get(option, 1));
        const char *value = json_string_value(json_array_get(option, 2));

        if (name && value && !strcmp(name, "stop-when"))
            settings->stops_early = strcmp(value, "all-leases-done") != 0;
    }
    return inputs ? 0 : -1;
}

int reader_read_galerna(struct reader *reader, json_t *root)
{
    struct schedule_settings *settings = &reader->schedule->settings;
    json_t *told, *behaviour;
    bool failed = false;

    settings->override_suspend = settings->override_resume = SCHEDULE_UNSET;
    settings->shutdown_time = settings->enactment_overhead = SCHEDULE_UNSET;
    settings->bandwidth = settings->override_transfer = SCHEDULE_UNSET;
    settings->vms_suspended = SCHEDULE_NEVER;
    told = json_optional_object(&reader->place, root, "galerna", &failed);
    if (!told)
        return failed ? -1 : 0;
    snprintf(reader->place.where, sizeof reader->place.where, "galerna");
    if (read_schema(reader, told) < 0)
        return -1;
    if (settings->version > 1 && reader_check_shape(reader, root) < 0)
        return -1;
    snprintf(reader->place.where, sizeof reader->place.where, "galerna");
    behaviour = json_object_get(told, "behaviour");
    if (read_behaviour(reader, behaviour) < 0)
        return -1;
    snprintf(reader->place.where, sizeof reader->place.where, "galerna.settings");
    if (read_settings(reader, json_object_get(told, "settings")) < 0 ||
        read_leases(reader, json_object_get(told, "leases")) < 0 ||
        read_lost_runs(reader, json_object_get(told, "withdrawn")) < 0 ||
        (settings->version > 1 && read_version_2(reader, told) < 0) ||
        (settings->version > 2 && read_plans(reader, told, "booked", &reader->schedule->bookings,
                                             &reader->schedule->n_bookings) < 0) ||
        read_inputs(reader, told) < 0)
        return -1;
    reader->place.where[0] = '\0';
    return 0;
}
