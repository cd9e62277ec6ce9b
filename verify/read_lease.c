/* Reads leases and their reservations. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/words.h"
#include "verify/arena.h"
#include "verify/read.h"

static int find_word(const struct json_place *place, json_t *object, const char *member,
                     const char *const *names, size_t n)
{
    const char *word = json_text_member(place, object, member);
    int found = word ? words_find(names, n, word) : -1;

    return !word || found >= 0 ? found : json_fail(place, member, "unknown word \"%.60s\"", word);
}

static int read_holdings(struct reader *reader, json_t *res, struct schedule_reservation *r)
{
    json_t *types, *amount;
    const char *host, *name;
    size_t n = 0;

    json_object_foreach(res, host, types)
        n += json_object_size(types);
    r->holdings = reader_take(reader, n, sizeof *r->holdings);
    if (!r->holdings)
        return -1;
    json_object_foreach(res, host, types) {
        int64_t id;

        if (json_key_number(&reader->place, host, &id) < 0)
            return -1;
        if (!json_is_object(types))
            return json_fail(&reader->place, "res", "host %lld: expected an object of amounts",
                             (long long)id);
        json_object_foreach(types, name, amount) {
            struct schedule_holding *holding = &r->holdings[r->n_holdings];
            int type = reader_find_type(reader, name);

            if (type < 0 || json_whole(&reader->place, name, amount, &holding->amount) < 0)
                return -1;
            if (holding->amount < 0)
                return json_fail(&reader->place, name, "negative amount");
            holding->host = id;
            holding->type = (uint32_t)type;
            r->n_holdings++;
        }
    }
    return 0;
}

/* {"host": [[lease, vm], ...]} of a transfer. */
static int read_transfer_map(struct reader *reader, json_t *map, struct schedule_reservation *r)
{
    json_t *pairs, *pair;
    const char *host;
    size_t n = 0, i;

    json_object_foreach(map, host, pairs)
        n += json_array_size(pairs);
    r->places = reader_take(reader, n, sizeof *r->places);
    if (!r->places)
        return -1;
    json_object_foreach(map, host, pairs) {
        int64_t id;

        if (json_key_number(&reader->place, host, &id) < 0)
            return -1;
        if (!json_is_array(pairs))
            return json_fail(&reader->place, "map", "host %lld: expected a list of [lease, VM]",
                             (long long)id);
        json_array_foreach(pairs, i, pair) {
            struct schedule_place *place = &r->places[r->n_places++];

            place->host = place->from = id;
            if (json_tuple(&reader->place, pair, 2,
                           (int64_t *[]){&place->lease, &place->vm, NULL}) < 0)
                return -1;
        }
    }
    return 0;
}

/* {"vm": host} or, for a migration, {"vm": [from, to]}. */
static int read_map(struct reader *reader, json_t *map, struct schedule_reservation *r)
{
    bool migration = r->kind == SCHEDULE_MEMORY_MIGRATION || r->kind == SCHEDULE_DISK_MIGRATION;
    json_t *value;
    const char *vm;

    if (r->kind == SCHEDULE_TRANSFER)
        return read_transfer_map(reader, map, r);
    r->places = reader_take(reader, json_object_size(map), sizeof *r->places);
    if (!r->places)
        return -1;
    json_object_foreach(map, vm, value) {
        struct schedule_place *place = &r->places[r->n_places++];

        if (json_key_number(&reader->place, vm, &place->vm) < 0)
            return -1;
        if (migration ? json_tuple(&reader->place, value, 2,
                                   (int64_t *[]){&place->from, &place->host, NULL}) < 0
                      : json_whole(&reader->place, "map", value, &place->host) < 0)
            return -1;
        if (!migration)
            place->from = place->host;
    }
    return 0;
}

static int read_reservation(struct reader *reader, json_t *item, void *into)
{
    static const char *const progresses[PROGRESSES] = {"Scheduled", "Active", "Done"};
    const struct json_place *place = &reader->place;
    struct schedule_reservation *r = into;
    int kind, progress;
    json_t *res, *map;

    if (!json_is_object(item))
        return json_fail(place, NULL, "expected an object");
    kind = find_word(place, item, "type", schedule_kind_names, SCHEDULE_KINDS);
    if (kind < 0)
        return -1;
    progress = find_word(place, item, "state", progresses, PROGRESSES);
    if (progress < 0 || json_whole_member(place, item, "start", &r->from) < 0 ||
        json_whole_or(place, item, "end", SCHEDULE_NEVER, &r->until) < 0)
        return -1;
    r->kind = (enum schedule_kind)kind;
    r->progress = (enum schedule_progress)progress;
    if (r->until < r->from)
        return json_fail(place, "end", "%lld is before the start %lld", (long long)r->until,
                         (long long)r->from);
    res = json_object_member(place, item, "res");
    map = json_object_member(place, item, "map");
    if (!res || !map || read_holdings(reader, res, r) < 0 || read_map(reader, map, r) < 0)
        return -1;
    if (r->kind == SCHEDULE_TRANSFER) {
        const char *file = json_text_member(place, item, "file");

        if (!file || json_whole_or(place, item, "deadline", SCHEDULE_UNSET, &r->deadline) < 0)
            return -1;
        r->file = schedule_arena_text(reader->schedule->arena, file);
        if (!r->file)
            return error_set(place->err, ENOMEM, "%s: out of memory", place->file);
    }
    return 0;
}

static int reader_read_reservations(struct reader *reader, json_t *list, const char *where,
                                    struct schedule_reservation **reservations, size_t *n)
{
    *reservations = reader_read_list(reader, list, where, sizeof **reservations, read_reservation);
    *n = json_array_size(list);
    return *reservations ? 0 : -1;
}

/* Reads the VMs, which must be numbered 1 ... n. */
static int read_vms(struct reader *reader, json_t *nodes, struct schedule_lease *lease)
{
    size_t n_types = reader->schedule->n_types;
    json_t *types, *amount;
    const char *vm, *name;

    lease->n_vms = json_object_size(nodes);
    lease->vms = reader_take(reader, lease->n_vms, n_types * sizeof *lease->vms);
    if (!lease->vms)
        return -1;
    json_object_foreach(nodes, vm, types) {
        int64_t number;

        if (json_key_number(&reader->place, vm, &number) < 0)
            return -1;
        if (number < 1 || (uint64_t)number > lease->n_vms)
            return json_fail(&reader->place, "nodes", "VM %lld: they are numbered 1 to %zu",
                             (long long)number, lease->n_vms);
        if (!json_is_object(types))
            return json_fail(&reader->place, "nodes", "VM %s: expected an object of amounts", vm);
        json_object_foreach(types, name, amount) {
            int type = reader_find_type(reader, name);
            int64_t *asked;

            if (type < 0)
                return -1;
            asked = &lease->vms[(size_t)(number - 1) * n_types + (size_t)type];
            if (json_whole(&reader->place, name, amount, asked) < 0)
                return -1;
            if (*asked < 0)
                return json_fail(&reader->place, name, "negative amount");
        }
    }
    return 0;
}

static int read_software(struct reader *reader, json_t *item, struct schedule_lease *lease)
{
    const struct json_place *place = &reader->place;
    json_t *software;
    const char *image;
    bool failed = false;

    software = json_optional_object(place, item, "software", &failed);
    if (!software)
        return failed ? -1 : 0;
    image = json_text_member(place, software, "image");
    if (!image)
        return -1;
    lease->image = schedule_arena_text(reader->schedule->arena, image);
    if (!lease->image)
        return error_set(place->err, ENOMEM, "%s: out of memory", place->file);
    if (json_whole_member(place, software, "size", &lease->image_size) < 0)
        return -1;
    return lease->image_size >= 0 ? 0 : json_fail(place, "software", "negative size");
}

static int read_start_requested(struct reader *reader, json_t *item, struct schedule_lease *lease)
{
    json_t *start = json_object_get(item, "start_requested");

    const char *word = json_string_value(start);
    bool exact = lease->kind == SCHEDULE_RESERVED || lease->kind == SCHEDULE_DEADLINE;

    lease->start_requested = SCHEDULE_UNSET;
    if (!word && exact)
        return json_whole(&reader->place, "start_requested", start, &lease->start_requested);
    if (!word || strcmp(word, lease->kind == SCHEDULE_IMMEDIATE ? "Now" : "Unspecified") != 0)
        return json_fail(&reader->place, "start_requested", "does not fit the type %s",
                         schedule_lease_kind_names[lease->kind]);
    return 0;
}

static int read_durations(const struct json_place *place, json_t *item,
                          struct schedule_lease *lease)
{
    if (json_whole_or(place, item, "duration_original", SCHEDULE_UNSET, &lease->duration_original) <
            0 ||
        json_whole_or(place, item, "duration_requested", SCHEDULE_UNSET,
                      &lease->duration_requested) < 0 ||
        json_whole_member(place, item, "duration_accumulated", &lease->duration_accumulated) < 0 ||
        json_whole_or(place, item, "duration_actual", SCHEDULE_UNSET, &lease->duration_actual) < 0)
        return -1;
    return json_whole_or(place, item, "duration_known", SCHEDULE_UNSET, &lease->duration_known);
}

static int read_lease(struct reader *reader, json_t *item, void *into)
{
    const struct json_place *place = &reader->place;
    struct schedule_lease *lease = into;
    json_t *nodes, *rrs;
    char where[80];
    int64_t numnodes;
    int kind, state;

    if (!json_is_object(item))
        return json_fail(place, NULL, "expected an object");
    if (json_whole_member(place, item, "id", &lease->id) < 0)
        return -1;
    kind = find_word(place, item, "type", schedule_lease_kind_names, SCHEDULE_LEASE_KINDS);
    state = kind < 0 ? -1 : find_word(place, item, "state", schedule_state_names, STATES);
    if (state < 0)
        return -1;
    lease->kind = (enum schedule_lease_kind)kind;
    lease->state = (enum schedule_state)state;
    lease->ready = SCHEDULE_UNSET;
    if (read_software(reader, item, lease) < 0 ||
        json_bool_or(place, item, "preemptible", true, &lease->preemptible) < 0 ||
        json_whole_member(place, item, "submit", &lease->submit) < 0 ||
        json_whole_or(place, item, "start_actual", SCHEDULE_UNSET, &lease->start_actual) < 0 ||
        json_whole_or(place, item, "end", SCHEDULE_UNSET, &lease->end) < 0 ||
        json_whole_or(place, item, "deadline", SCHEDULE_UNSET, &lease->deadline) < 0 ||
        read_start_requested(reader, item, lease) < 0 || read_durations(place, item, lease) < 0)
        return -1;
    nodes = json_object_member(place, item, "nodes");
    rrs = json_array_member(place, item, "rrs");
    if (!nodes || !rrs || read_vms(reader, nodes, lease) < 0 ||
        json_whole_or(place, item, "numnodes", (int64_t)lease->n_vms, &numnodes) < 0)
        return -1;
    if (numnodes < 0 || (uint64_t)numnodes != lease->n_vms)
        return json_fail(place, "numnodes", "%lld, but there are %zu VMs", (long long)numnodes,
                         lease->n_vms);
    snprintf(where, sizeof where, "lease %lld: rrs", (long long)lease->id);
    return reader_read_reservations(reader, rrs, where, &lease->reservations,
                                    &lease->n_reservations);
}

int reader_read_leases(struct reader *reader, json_t *root)
{
    struct schedule *schedule = reader->schedule;
    json_t *list = json_array_member(&reader->place, root, "leases");

    if (!list)
        return -1;
    schedule->leases =
        reader_read_list(reader, list, "leases", sizeof *schedule->leases, read_lease);
    if (!schedule->leases)
        return -1;
    schedule->n_leases = json_array_size(list);
    for (size_t i = 1; i < schedule->n_leases; i++) {
        snprintf(reader->place.where, sizeof reader->place.where, "leases[%zu]", i);
        if (schedule->leases[i].id <= schedule->leases[i - 1].id)
            return json_fail(&reader->place, "id", "%lld does not ascend",
                             (long long)schedule->leases[i].id);
    }
    reader->place.where[0] = '\0';
    return 0;
}
