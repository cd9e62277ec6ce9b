/* Reads the parts of a schedule. */
#include "verify/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/arena.h"

static const size_t largest_record = (size_t)256 * 1024 * 1024;

static int add_type(struct reader *reader, const char *name)
{
    struct schedule *schedule = reader->schedule;

    for (size_t i = 0; i < schedule->n_types; i++)
        if (strcmp(schedule->types[i], name) == 0)
            return 0;
    if (schedule->n_types == SCHEDULE_TYPES_MAX)
        return json_fail(&reader->place, name, "more than %d resource types", SCHEDULE_TYPES_MAX);
    schedule->types[schedule->n_types] = schedule_arena_text(schedule->arena, name);
    if (!schedule->types[schedule->n_types])
        return error_set(reader->place.err, ENOMEM, "%s: out of memory", reader->place.file);
    if (strcmp(name, "Memory") == 0)
        schedule->memory = (int)schedule->n_types;
    schedule->n_types++;
    return 0;
}

static int add_types(struct reader *reader, json_t *amounts)
{
    const char *name;
    json_t *amount;

    json_object_foreach(amounts, name, amount) {
        if (add_type(reader, name) < 0)
            return -1;
    }
    return 0;
}

/* The number of resource types must be known first: amounts are stored in rows of that length. */
static int collect_types(struct reader *reader, json_t *root)
{
    json_t *site, *leases, *host, *lease, *vm;
    const char *key;
    size_t i;

    site = json_object_member(&reader->place, root, "site");
    leases = json_array_member(&reader->place, root, "leases");
    if (!site || !leases)
        return -1;
    json_object_foreach(site, key, host) {
        if (add_types(reader, host) < 0)
            return -1;
    }
    json_array_foreach(leases, i, lease) {
        json_object_foreach(json_object_get(lease, "nodes"), key, vm) {
            if (add_types(reader, vm) < 0)
                return -1;
        }
    }
    return 0;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct schedule_host *left = a, *right = b;

    return (left->id > right->id) - (left->id < right->id);
}

static int read_site(struct reader *reader, json_t *site)
{
    struct schedule *schedule = reader->schedule;
    json_t *types, *amount;
    const char *id, *name;
    size_t n = 0;

    schedule->n_hosts = json_object_size(site);
    schedule->hosts = reader_take(reader, schedule->n_hosts, sizeof *schedule->hosts);
    if (!schedule->hosts)
        return -1;
    json_object_foreach(site, id, types) {
        struct schedule_host *host = &schedule->hosts[n++];

        snprintf(reader->place.where, sizeof reader->place.where, "site.%.40s", id);
        if (!json_is_object(types))
            return json_fail(&reader->place, NULL, "expected an object of amounts");
        host->capacity = reader_take(reader, schedule->n_types, sizeof *host->capacity);
        if (!host->capacity || json_key_number(&reader->place, id, &host->id) < 0)
            return -1;
        json_object_foreach(types, name, amount) {
            int type = reader_find_type(reader, name);

            if (type < 0 || json_whole(&reader->place, name, amount, &host->capacity[type]) < 0)
                return -1;
            if (host->capacity[type] < 0)
                return json_fail(&reader->place, name, "negative capacity");
            host->n_told++;
        }
    }
    qsort(schedule->hosts, schedule->n_hosts, sizeof *schedule->hosts, compare_hosts);
    for (n = 1; n < schedule->n_hosts; n++)
        if (schedule->hosts[n - 1].id == schedule->hosts[n].id)
            return json_fail(&reader->place, NULL, "host %lld appears twice",
                             (long long)schedule->hosts[n].id);
    reader->place.where[0] = '\0';
    return 0;
}

static int read_root(struct reader *reader, json_t *root)
{
    const struct json_place *place = &reader->place;
    const char *status;

    if (!json_is_object(root))
        return json_fail(place, NULL, "not a record: expected an object with leases");
    status = json_text_member(place, root, "status");
    if (!status)
        return -1;
    if (strcmp(status, "ok") != 0 && strcmp(status, "interrupted") != 0)
        return json_fail(place, "status", "the run ended with \"%.100s\": there is no schedule",
                         status);
    reader->schedule->interrupted = strcmp(status, "interrupted") == 0;
    if (json_whole_member(place, root, "end_time", &reader->schedule->end_time) < 0 ||
        collect_types(reader, root) < 0 || read_site(reader, json_object_get(root, "site")) < 0 ||
        reader_read_leases(reader, root) < 0 || reader_read_events(reader, root) < 0 ||
        reader_read_figures(reader, root) < 0)
        return -1;
    return reader_read_galerna(reader, root);
}

int schedule_read_json(struct schedule *schedule, json_t *root, const char *name, struct error *err)
{
    struct reader reader = {
        .schedule = schedule, .place = {.file = name, .err = err}, .root = root};

    memset(schedule, 0, sizeof *schedule);
    schedule->memory = -1;
    schedule->arena = schedule_arena_create();
    if (!schedule->arena)
        return error_set(err, ENOMEM, "%s: out of memory", name);
    if (read_root(&reader, root) < 0) {
        schedule_finish(schedule);
        return -1;
    }
    return 0;
}

struct limited_input {
    FILE *file;
    size_t left;
    bool too_large;
};

static size_t read_limited(void *buffer, size_t size, void *data)
{
    struct limited_input *input = data;
    size_t got = fread(buffer, 1, size, input->file);

    if (got > input->left) {
        input->too_large = true;
        return (size_t)-1;
    }
    input->left -= got;
    return got == 0 && ferror(input->file) ? (size_t)-1 : got;
}

static json_t *load(FILE *file, const char *name, struct error *err)
{
    struct limited_input input = {.file = file, .left = largest_record};
    json_error_t problem;
    json_t *root = json_load_callback(read_limited, &input, JSON_REJECT_DUPLICATES, &problem);

    if (root)
        return root;
    if (input.too_large)
        error_set(err, EFBIG, "%s: larger than %zu MB: verify shorter runs", name,
                  largest_record / 1024 / 1024);
    else if (ferror(file))
        error_set(err, EIO, "%s: cannot be read", name);
    else
        error_set(err, EINVAL, "%s:%d:%d: not a record: %s", name, problem.line, problem.column,
                  problem.text);
    return NULL;
}

json_t *schedule_load(const char *path, struct error *err)
{
    FILE *file;
    json_t *root;

    if (strcmp(path, "-") == 0)
        return load(stdin, "standard input", err);
    file = fopen(path, "rb");
    if (!file) {
        error_errno(err, "%s", path);
        return NULL;
    }
    root = load(file, path, err);
    fclose(file);
    return root;
}
