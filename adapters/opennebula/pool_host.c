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

static void read_top(struct pool_reader *reader, struct host *host, const struct pool_value *given)
{
    struct host_draft *draft = pool_reader_scratch(reader);

    switch (given->elements[0]->word) {
    case WORD_NAME:
        host->name = pool_read_text(reader, given);
        break;
    case WORD_STATE:
        pool_read_int(reader, given, 0, &draft->state);
        draft->has_state = given->length > 0;
        break;
    case WORD_CLUSTER_ID:
        pool_read_int(reader, given, -1, &host->cluster);
        break;
    case WORD_CLUSTER:
        host->cluster_name = pool_read_text(reader, given);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, TOP_LIST, given, 0);
}

/* oned reports the whole disk of the host, and a DS for each datastore monitored there. */
static void read_disks(struct pool_reader *reader, const struct pool_value *given)
{
    struct host_draft *draft = pool_reader_scratch(reader);
    enum pool_word word = given->elements[given->n - 1]->word;

    if (given->n == 4 && given->elements[2]->word == WORD_DS && given->length > 0) {
        if (word == WORD_ID)
            pool_read_int(reader, given, 0, &draft->room.datastore);
        else if (word == WORD_FREE_MB)
            pool_read_number(reader, given, amounts, &draft->room.free);
        draft->room_has_id = draft->room_has_id || word == WORD_ID;
        draft->room_has_free = draft->room_has_free || word == WORD_FREE_MB;
    }
    if (given->n != 3)
        return;
    if (word == WORD_FREE_DISK)
        pool_read_number(reader, given, amounts, &draft->free_disk);
    else if (word == WORD_USED_DISK)
        pool_read_number(reader, given, amounts, &draft->used_disk);
    else if (word == WORD_MAX_DISK)
        pool_read_number(reader, given, amounts, &draft->max_disk);
    pool_add_attribute(reader, SHARE_LIST, given, 2);
}

static void close_element(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct host_draft *draft = pool_reader_scratch(reader);
    struct host *host = object;

    if (given->n < 3 || given->elements[0]->word != WORD_HOST_SHARE)
        return;
    host_hardware_close(reader, &draft->hardware, given);
    if (given->n != 3 || given->elements[2]->word != WORD_DS ||
        given->elements[1]->word != WORD_DATASTORES)
        return;
    if (draft->room_has_id && draft->room_has_free) {
        host->rooms = pool_append(reader, host->rooms, host->n_rooms, &draft->rooms_allocated,
                                  sizeof *host->rooms);
        host->rooms[host->n_rooms++] = draft->room;
    }
    draft->room = (struct host_room){0};
    draft->room_has_id = draft->room_has_free = false;
}

static void read_share(struct pool_reader *reader, struct host *host,
                       const struct pool_value *given)
{
    struct host_draft *draft = pool_reader_scratch(reader);

    if (given->elements[1]->word == WORD_DATASTORES)
        read_disks(reader, given);
    host_hardware_read(reader, &draft->hardware, given);
    if (given->n != 2)
        return;
    switch (given->elements[1]->word) {
    case WORD_MAX_CPU:
        pool_read_number(reader, given, amounts, &host->cpu);
        break;
    case WORD_MAX_MEM:
        pool_read_number(reader, given, amounts, &draft->max_memory);
        break;
    case WORD_CPU_USAGE:
        pool_read_amount(reader, given, amounts, &host->cpu_usage);
        break;
    case WORD_MEM_USAGE:
        pool_read_amount(reader, given, amounts, &draft->memory_usage);
        break;
    case WORD_RUNNING_VMS:
        pool_read_number(reader, given, (struct pool_range){0, INT32_MAX}, &host->running_vms);
        break;
    default:
        break;
    }
    pool_add_attribute(reader, SHARE_LIST, given, 1);
}

static void read_value(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    static const struct element current = {.name = "CURRENT_VMS"};
    static const struct element *const current_path[] = {&current};
    const struct pool_value current_vms = {current_path, 1, given->text, given->length};

    if (given->n == 1) {
        read_top(reader, object, given);
        return;
    }
    switch (given->elements[0]->word) {
    case WORD_HOST_SHARE:
        read_share(reader, object, given);
        break;
    case WORD_TEMPLATE:
        pool_add_attribute(reader, TEMPLATE_LIST, given, 1);
        break;
    case WORD_VMS:
        if (given->n == 2 && given->elements[1]->word == WORD_ID) {
            pool_add_id(reader, given);
            pool_add_attribute(reader, TOP_LIST, &current_vms, 0);
        }
        break;
    case WORD_MONITORING:
        if (given->n == 3 &&
            (given->elements[1]->word == WORD_CAPACITY || given->elements[1]->word == WORD_SYSTEM))
            pool_add_attribute(reader, MONITORING_LIST, given, 2);
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
