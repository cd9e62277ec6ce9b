/* Reads the host pool. */

#include "adapters/opennebula/pool_hardware.h"
#include "adapters/opennebula/pool_reader.h"
#include "adapters/opennebula/pool_states.h"

/* The lists of the current object, in OpenNebula's search order of names. */
enum { TEMPLATE_LIST, SHARE_LIST, MONITORING_LIST, TOP_LIST };

enum { KB_PER_MB = 1024 };

struct host_draft {
    bool has_state;
    int32_t state;
    int64_t max_memory, memory_usage; /* KB */
    int64_t free_disk, used_disk, max_disk;
    struct host_room room; /* the current one */
    bool room_has_id, room_has_free;
    size_t rooms_allocated;
    struct host_hardware_draft hardware;
};

static const struct pool_range amounts = {-(INT64_C(1) << 50), INT64_C(1) << 50};

static void read_top(struct pool_reader *reader, struct host *host, const struct pool_path *path,
                     const struct pool_text *text)
{
    struct host_draft *draft = pool_reader_scratch(reader);

    switch (path->elements[0]->word) {
    case WORD_NAME:
        host->name = pool_read_text(reader, text);
        break;
    case WORD_STATE:
        pool_read_int(reader, path, text, 0, &draft->state);
        draft->has_state = text->length > 0;
        break;
    case WORD_CLUSTER_ID:
        pool_read_int(reader, path, text, -1, &host->cluster);
        break;
    case WORD_CLUSTER:
        host->cluster_name = pool_read_text(reader, text);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, pool_reader_list(reader, TOP_LIST), path, 0, text);
}

/* oned reports the whole disk of the host, and a DS for each datastore monitored there. */
static void read_disks(struct pool_reader *reader, const struct pool_path *path,
                       const struct pool_text *text)
{
    struct host_draft *draft = pool_reader_scratch(reader);
    enum pool_word word = path->elements[path->n - 1]->word;

    if (path->n == 4 && path->elements[2]->word == WORD_DS && text->length > 0) {
        if (word == WORD_ID)
            pool_read_int(reader, path, text, 0, &draft->room.datastore);
        else if (word == WORD_FREE_MB)
            pool_read_number(reader, path, text, amounts, &draft->room.free);
        draft->room_has_id = draft->room_has_id || word == WORD_ID;
        draft->room_has_free = draft->room_has_free || word == WORD_FREE_MB;
    }
    if (path->n != 3)
        return;
    if (word == WORD_FREE_DISK)
        pool_read_number(reader, path, text, amounts, &draft->free_disk);
    else if (word == WORD_USED_DISK)
        pool_read_number(reader, path, text, amounts, &draft->used_disk);
    else if (word == WORD_MAX_DISK)
        pool_read_number(reader, path, text, amounts, &draft->max_disk);
    pool_add_attribute(reader, pool_reader_list(reader, SHARE_LIST), path, 2, text);
}

static void close_element(struct pool_reader *reader, void *object, const struct pool_path *path)
{
    struct host_draft *draft = pool_reader_scratch(reader);
    struct host *host = object;

    if (path->n < 3 || path->elements[0]->word != WORD_HOST_SHARE)
        return;
    host_hardware_close(reader, &draft->hardware, path);
    if (path->n != 3 || path->elements[2]->word != WORD_DS ||
        path->elements[1]->word != WORD_DATASTORES)
        return;
    if (draft->room_has_id && draft->room_has_free) {
        host->rooms = pool_append(reader, host->rooms, host->n_rooms, &draft->rooms_allocated,
                                  sizeof *host->rooms);
        host->rooms[host->n_rooms++] = draft->room;
    }
    draft->room = (struct host_room){0};
    draft->room_has_id = draft->room_has_free = false;
}

static void read_share(struct pool_reader *reader, struct host *host, const struct pool_path *path,
                       const struct pool_text *text)
{
    struct host_draft *draft = pool_reader_scratch(reader);

    if (path->elements[1]->word == WORD_DATASTORES)
        read_disks(reader, path, text);
    host_hardware_read(reader, &draft->hardware, path, text);
    if (path->n != 2)
        return;
    switch (path->elements[1]->word) {
    case WORD_MAX_CPU:
        pool_read_number(reader, path, text, amounts, &host->cpu);
        break;
    case WORD_MAX_MEM:
        pool_read_number(reader, path, text, amounts, &draft->max_memory);
        break;
    case WORD_CPU_USAGE:
        pool_read_number(reader, path, text, amounts, &host->cpu_usage);
        break;
    case WORD_MEM_USAGE:
        pool_read_number(reader, path, text, amounts, &draft->memory_usage);
        break;
    case WORD_RUNNING_VMS:
        pool_read_number(reader, path, text, (struct pool_range){0, INT32_MAX}, &host->running_vms);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, pool_reader_list(reader, SHARE_LIST), path, 1, text);
}

static void read_value(struct pool_reader *reader, void *object, const struct pool_path *path,
                       const struct pool_text *text)
{
    static const struct element current = {.name = "CURRENT_VMS"};
    static const struct element *const current_path[] = {&current};
    static const struct pool_path current_vms = {current_path, 1};

    if (path->n == 1) {
        read_top(reader, object, path, text);
        return;
    }
    switch (path->elements[0]->word) {
    case WORD_HOST_SHARE:
        read_share(reader, object, path, text);
        break;
    case WORD_TEMPLATE:
        pool_add_attribute(reader, pool_reader_list(reader, TEMPLATE_LIST), path, 1, text);
        break;
    case WORD_VMS:
        if (path->n == 2 && path->elements[1]->word == WORD_ID) {
            pool_add_id(reader, path, text);
            pool_add_attribute(reader, pool_reader_list(reader, TOP_LIST), &current_vms, 0, text);
        }
        break;
    case WORD_MONITORING:
        if (path->n == 3 &&
            (path->elements[1]->word == WORD_CAPACITY || path->elements[1]->word == WORD_SYSTEM))
            pool_add_attribute(reader, pool_reader_list(reader, MONITORING_LIST), path, 2, text);
        break;
    default:
        break;
    }
}

static int64_t not_negative(int64_t value)
{
    return value > 0 ? value : 0;
}

static void end_host(struct pool_reader *reader, void *object)
{
    struct host_draft *draft = pool_reader_scratch(reader);
    struct host *host = object;

    if (!draft->has_state)
        pool_reader_reject(reader, "host %d has no STATE", host->id);
    host->state = pool_host_state(draft->state, &host->state_name);
    host->name = host->name ? host->name : "";
    host->cluster_name = host->cluster_name ? host->cluster_name : "";
    /* Reserved capacity can exceed the total. */
    host->cpu = not_negative(host->cpu);
    host->memory = not_negative(draft->max_memory) / KB_PER_MB;
    host->cpu_usage = not_negative(host->cpu_usage);
    host->memory_usage = (not_negative(draft->memory_usage) + KB_PER_MB - 1) / KB_PER_MB;
    host->disk = -1;
    if (draft->free_disk != 0 || draft->used_disk != 0 || draft->max_disk != 0)
        host->disk = not_negative(draft->free_disk);
    host->hardware = host_hardware_end(reader, &draft->hardware);
    host->vms = pool_take_ids(reader, &host->n_vms);
    pool_take_attributes(reader, TEMPLATE_LIST, TOP_LIST, &host->attributes);
}

static const struct pool_format host_format = {
    .pool = "HOST_POOL",
    .object = "HOST",
    .what = "a host",
    .size = sizeof(struct host),
    .value = read_value,
    .close = close_element,
    .end = end_host,
    .keeps_empty = true,
    .scratch = sizeof(struct host_draft),
};

POOL_PARSER(host_pool_parse, host, host_format)
