/* Reads the VM pool. */
#include <string.h>
#include <strings.h>

#include "adapters/opennebula/known_vms.h"
#include "adapters/opennebula/pool_hardware.h"
#include "adapters/opennebula/pool_nic.h"
#include "adapters/opennebula/pool_reader.h"
#include "adapters/opennebula/pool_states.h"
#include "util/memory.h"

/* The lists of the current VM. */
enum { TEMPLATE_LIST, USER_TEMPLATE_LIST };

struct disk {
    int64_t size, snapshots;
    bool is_volatile, clone, clone_known;
    enum { TARGET_NONE, TARGET_SYSTEM, TARGET_SELF } clone_target, link_target;
    int32_t datastore; /* of the image */
    bool has_datastore;
};

/* OpenNebula's number of the action that recreates a VM, which loses its work. */
enum { ACTION_RECREATE = 14 };

static const struct pool_range counts = {0, INT64_C(1) << 40};

/* The state of reading a VM. */
struct vm_draft {
    struct vm_history record; /* the current one */
    bool in_record;
    struct disk disk;
    int64_t disks;
    struct vm_hardware_draft hardware;
    size_t images_allocated;
    struct nic_draft nic;
    bool has_state, has_cpu, has_memory; /* CPU and MEMORY can be read */
    int32_t state, lcm_state;
    enum pool_word request, request_in; /* GALERNA or HAIZEA, as last seen, and where */
    bool has_permissions;               /* only in the extended form */
};

static const struct vm_history no_history = {
    .sequence = -1, .host = -1, .cluster = -1, .datastore = -1};

static void read_time(struct pool_reader *reader, const struct pool_value *given, int64_t *time)
{
    pool_read_number(reader, given, counts, time);
}

static bool is(const struct pool_value *given, const char *word)
{
    return strcasecmp(given->text, word) == 0;
}

static void read_top(struct pool_reader *reader, struct vm *vm, const struct pool_value *given)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    int32_t flag = 0;

    switch (given->elements[0]->word) {
    case WORD_UID:
        pool_read_int(reader, given, -1, &vm->uid);
        break;
    case WORD_GID:
        pool_read_int(reader, given, -1, &vm->gid);
        break;
    case WORD_UNAME:
        vm->user = pool_read_text(reader, given);
        break;
    case WORD_GNAME:
        vm->group = pool_read_text(reader, given);
        break;
    case WORD_NAME:
        vm->name = pool_read_text(reader, given);
        break;
    case WORD_STATE:
        pool_read_int(reader, given, 0, &draft->state);
        draft->has_state = given->length > 0;
        break;
    case WORD_LCM_STATE:
        pool_read_int(reader, given, 0, &draft->lcm_state);
        break;
    case WORD_RESCHED:
        pool_read_int(reader, given, 0, &flag);
        vm->resched = flag != 0;
        break;
    case WORD_STIME:
        read_time(reader, given, &vm->stime);
        break;
    case WORD_ETIME:
        read_time(reader, given, &vm->etime);
        break;
    default:
        break;
    }
}

static int64_t *history_time(struct vm_history *record, enum pool_word word)
{
    switch (word) {
    case WORD_STIME:
        return &record->stime;
    case WORD_ETIME:
        return &record->etime;
    case WORD_PSTIME:
        return &record->pstime;
    case WORD_PETIME:
        return &record->petime;
    case WORD_RSTIME:
        return &record->rstime;
    case WORD_RETIME:
        return &record->retime;
    case WORD_ESTIME:
        return &record->estime;
    case WORD_EETIME:
        return &record->eetime;
    default:
        return NULL;
    }
}

static void read_history(struct pool_reader *reader, struct vm_history *record,
                         const struct pool_value *given)
{
    int64_t *time = history_time(record, given->elements[2]->word);
    int32_t action = 0;

    if (time)
        read_time(reader, given, time);
    switch (given->elements[2]->word) {
    case WORD_SEQ:
        pool_read_int(reader, given, 0, &record->sequence);
        break;
    case WORD_HID:
        pool_read_int(reader, given, -1, &record->host);
        break;
    case WORD_CID:
        pool_read_int(reader, given, -1, &record->cluster);
        break;
    case WORD_DS_ID:
        pool_read_int(reader, given, -1, &record->datastore);
        break;
    case WORD_ACTION:
        pool_read_int(reader, given, -1, &action);
        record->recreated = action == ACTION_RECREATE;
        break;
    default:
        break;
    }
}

static int target_of(const struct pool_value *given)
{
    return is(given, "system") ? TARGET_SYSTEM : is(given, "self") ? TARGET_SELF : TARGET_NONE;
}

/* Reads a number that the VM's owner can write; false: it cannot be read. */
static bool read_owners(struct pool_reader *reader, const struct pool_value *given, int64_t most,
                        int64_t *value)
{
    struct vm_draft *draft = pool_reader_scratch(reader);

    if (pool_is_count(given, most, value))
        return true;
    vm_hardware_fault(reader, &draft->hardware, given);
    return false;
}

static void read_disk(struct pool_reader *reader, struct disk *disk, const struct pool_value *given)
{
    int64_t datastore = disk->datastore;

    switch (given->elements[2]->word) {
    case WORD_SIZE:
        read_owners(reader, given, counts.largest, &disk->size);
        break;
    case WORD_DISK_SNAPSHOT_TOTAL_SIZE:
        read_owners(reader, given, counts.largest, &disk->snapshots);
        break;
    case WORD_TYPE:
        disk->is_volatile = is(given, "fs") || is(given, "swap");
        break;
    case WORD_DATASTORE_ID:
        disk->has_datastore =
            read_owners(reader, given, INT32_MAX, &datastore) && given->length > 0;
        disk->datastore = (int32_t)datastore;
        break;
    case WORD_CLONE:
        disk->clone = is(given, "yes");
        disk->clone_known = given->length > 0;
        break;
    case WORD_CLONE_TARGET:
        disk->clone_target = target_of(given);
        break;
    case WORD_LN_TARGET:
        disk->link_target = target_of(given);
        break;
    default:
        break;
    }
}

/* Parts of TEMPLATE that requirements cannot refer to, or that may contain secrets. */
static bool is_left_out(enum pool_word word)
{
    switch (word) {
    case WORD_CONTEXT:
    case WORD_DISK:
    case WORD_FEATURES:
    case WORD_GRAPHICS:
    case WORD_HYPERV_OPTIONS:
    case WORD_INPUT:
    case WORD_NIC:
    case WORD_NIC_ALIAS:
    case WORD_NIC_DEFAULT:
    case WORD_NUMA_NODE:
    case WORD_OS:
    case WORD_PCI:
    case WORD_RAW:
    case WORD_SCHED_ACTION:
    case WORD_SECURITY_GROUP_RULE:
    case WORD_SNAPSHOT:
    case WORD_TOPOLOGY:
    case WORD_VIDEO:
        return true;
    default:
        return false;
    }
}

static void note_unsized(struct pool_reader *reader, struct vm *vm, const char *name,
                         const char *value)
{
    if (!vm->size_unread)
        pool_reader_unsized(reader, vm->id, name, value);
    vm->size_unread = true;
}

static void read_template_scalar(struct pool_reader *reader, struct vm *vm,
                                 const struct pool_value *given)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    enum pool_word word = given->elements[1]->word;

    if ((word != WORD_CPU && word != WORD_MEMORY) || given->length == 0)
        return;
    if (word == WORD_CPU)
        draft->has_cpu = pool_is_hundredths(given, &vm->cpu);
    else
        draft->has_memory = pool_is_amount(given, counts.largest, &vm->memory);
    if (!(word == WORD_CPU ? draft->has_cpu : draft->has_memory))
        note_unsized(reader, vm, given->elements[1]->name, given->text);
}

static void note_need(struct vm *vm, const struct pool_value *given)
{
    enum pool_word outer = given->elements[1]->word;

    if (given->length > 0 && (outer == WORD_SCHED_DS_REQUIREMENTS || outer == WORD_SCHED_DS_RANK))
        vm->needs |= VM_NEEDS_DATASTORE;
}

static bool is_os_file(enum pool_word word, const struct pool_value *given)
{
    return given->length > 0 &&
           (word == WORD_KERNEL_DS_CLUSTER_ID || word == WORD_INITRD_DS_CLUSTER_ID);
}

/* Reads the id of another object, or of a NIC. False: it cannot be read. */
static bool read_id(struct pool_reader *reader, struct vm *vm, const struct pool_value *given)
{
    enum pool_word outer = given->elements[1]->word, inner = given->elements[2]->word;
    bool is_group = outer == WORD_VMGROUP && inner == WORD_VMGROUP_ID;
    bool is_network = (outer == WORD_NIC || outer == WORD_PCI) && inner == WORD_NETWORK_ID;
    int64_t id = 0;

    if (!is_group && !is_network && !(outer == WORD_NIC && inner == WORD_NIC_ID))
        return true;
    if (!read_owners(reader, given, INT32_MAX, &id))
        return false;
    if (is_network)
        pool_add_id(reader, given);
    if (is_group && given->length > 0) {
        vm->vmgroup = (int32_t)id;
        vm->in_vmgroup = true;
    }
    return true;
}

static void read_template(struct pool_reader *reader, struct vm *vm, const struct pool_value *given)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    enum pool_word word = given->elements[1]->word;

    note_need(vm, given);
    if (given->n == 3 && !read_id(reader, vm, given))
        return;
    if (given->n == 2)
        read_template_scalar(reader, vm, given);
    else if (word == WORD_DISK && given->n == 3)
        read_disk(reader, &draft->disk, given);
    else if (word == WORD_NIC)
        pool_nic_value(reader, &draft->nic, given);
    else if (word == WORD_OS && given->n == 3)
        vm->has_os_files = vm->has_os_files || is_os_file(given->elements[2]->word, given);
    else if (given->n == 3)
        vm_hardware_read(reader, &draft->hardware, given);
    if (!is_left_out(word))
        pool_add_attribute(reader, TEMPLATE_LIST, given, 1);
}

static void read_value(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    struct vm *vm = object;
    int32_t locked = 0;

    if (given->n == 1) {
        read_top(reader, vm, given);
        return;
    }
    switch (given->elements[0]->word) {
    case WORD_TEMPLATE:
        read_template(reader, vm, given);
        break;
    case WORD_USER_TEMPLATE:
        if (given->elements[1]->word == WORD_SCHED_DS_REQUIREMENTS ||
            given->elements[1]->word == WORD_SCHED_DS_RANK)
            note_need(vm, given);
        else if (given->n == 2 && given->elements[1]->word == WORD_ERROR)
            vm->error = pool_read_text(reader, given);
        pool_add_attribute(reader, USER_TEMPLATE_LIST, given, 1);
        break;
    case WORD_HISTORY_RECORDS:
        if (given->n == 3 && given->elements[1]->word == WORD_HISTORY) {
            /* A record does not inherit fields of the previous one. */
            if (!draft->in_record)
                draft->record = no_history;
            draft->in_record = true;
            read_history(reader, &draft->record, given);
        }
        break;
    case WORD_PERMISSIONS:
        draft->has_permissions = true;
        break;
    case WORD_LOCK:
        if (given->elements[1]->word == WORD_LOCKED)
            pool_read_int(reader, given, 0, &locked);
        vm->locked = vm->locked || locked != 0;
        break;
    default:
        break;
    }
}

static void end_record(struct vm *vm, const struct vm_history *record)
{
    vm->n_records++;
    if (record->recreated)
        vm->ran_for = 0;
    else if (record->rstime > 0 && record->retime > record->rstime)
        vm->ran_for += record->retime - record->rstime;
    if (vm->n_records == 1 || record->sequence >= vm->history.sequence)
        vm->history = *record;
}

static void add_image_room(struct pool_reader *reader, struct vm *vm, int32_t datastore,
                           int64_t amount)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    size_t i = 0;

    while (i < vm->n_images && vm->images[i].datastore != datastore)
        i++;
    if (i == vm->n_images) {
        vm->images =
            pool_append(reader, vm->images, i, &draft->images_allocated, sizeof *vm->images);
        vm->images[vm->n_images++] = (struct vm_image_room){datastore, 0};
    }
    vm->images[i].amount += amount;
}

static void end_disk(struct pool_reader *reader, struct vm *vm, const struct disk *disk)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    int64_t size = disk->size + disk->snapshots;
    int target = disk->is_volatile    ? TARGET_SYSTEM
                 : !disk->clone_known ? TARGET_NONE
                 : disk->clone        ? disk->clone_target
                                      : disk->link_target;

    if (target == TARGET_SYSTEM)
        draft->disks += size;
    if (!disk->is_volatile && disk->has_datastore)
        add_image_room(reader, vm, disk->datastore, target == TARGET_SELF ? size : 0);
}

/* Vectors of one name are adjacent. */
static void end_request(struct pool_reader *reader, struct vm *vm, const struct pool_value *given)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    enum pool_word word = given->elements[1]->word, in = given->elements[0]->word;

    if (draft->request == word && draft->request_in == in)
        *(word == WORD_GALERNA ? &vm->galerna_twice : &vm->haizea_twice) = true;
    draft->request = word;
    draft->request_in = in;
}

static void close_element(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    struct vm *vm = object;

    if (given->n != 2)
        return;
    if (given->elements[1]->word == WORD_GALERNA || given->elements[1]->word == WORD_HAIZEA)
        end_request(reader, vm, given);
    if (given->elements[1]->word == WORD_HISTORY &&
        given->elements[0]->word == WORD_HISTORY_RECORDS) {
        end_record(vm, &draft->record);
        draft->in_record = false;
    } else if (given->elements[1]->word == WORD_DISK && given->elements[0]->word == WORD_TEMPLATE) {
        end_disk(reader, vm, &draft->disk);
        draft->disk = (struct disk){0};
    } else if (given->elements[1]->word == WORD_NIC && given->elements[0]->word == WORD_TEMPLATE) {
        pool_nic_end(reader, &draft->nic, vm);
    } else if (given->elements[0]->word == WORD_TEMPLATE) {
        vm_hardware_close(reader, &draft->hardware, given);
    }
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* The size of a VM that cannot be read counts as larger than any host until the VM is on one. */
static void replace_unread_size(struct pool_reader *reader, struct vm *vm)
{
    const struct vm_draft *draft = pool_reader_scratch(reader);

    if (draft->has_cpu && draft->has_memory)
        return;
    note_unsized(reader, vm, draft->has_cpu ? "MEMORY" : "CPU", NULL);
    if (!draft->has_cpu)
        vm->cpu = POOL_HUNDREDTHS_MAX;
    if (!draft->has_memory)
        vm->memory = counts.largest;
}

/* onevm resize of a VM on a host, such as one that is powered off: oned accepts an amount with
 * which its own sums wrap around, which must not fill the host for others. What a VM uses whose
 * size cannot be read is kept for it apart. */
static void drop_absurd_size(struct vm *vm)
{
    if (vm->history.host < 0 || !vm_state_traits[vm->state].holds)
        return;
    if (vm->memory == counts.largest)
        vm->memory = 0;
    if (vm->cpu == POOL_HUNDREDTHS_MAX)
        vm->cpu = 0;
}

static void end_vm(struct pool_reader *reader, void *object)
{
    struct vm_draft *draft = pool_reader_scratch(reader);
    struct vm *vm = object;

    if (!draft->has_state)
        pool_reader_reject(reader, "VM %d has no STATE", vm->id);
    replace_unread_size(reader, vm);
    vm->state = pool_vm_state(draft->state, draft->lcm_state, &vm->state_name);
    vm->user = or_empty(vm->user);
    vm->group = or_empty(vm->group);
    vm->name = or_empty(vm->name);
    if (vm->n_records == 0)
        vm->history = no_history;
    drop_absurd_size(vm);
    vm->is_extended = draft->has_permissions;
    if (!vm->is_extended) {
        vm->needs = 0;
        vm->in_vmgroup = false;
        vm->n_images = vm->n_nics = 0;
        return;
    }
    vm->arriving = vm->state == VM_RUNNING && vm->history.sequence > 0 && vm->history.rstime == 0;
    vm->disk = draft->disks;
    vm->networks = pool_take_ids(reader, &vm->n_networks);
    vm->hardware = vm_hardware_end(reader, &draft->hardware);
    pool_take_attributes(reader, TEMPLATE_LIST, TEMPLATE_LIST, &vm->template);
    pool_take_attributes(reader, USER_TEMPLATE_LIST, USER_TEMPLATE_LIST, &vm->user_template);
}

static const struct pool_format vm_format = {
    .pool = "VM_POOL",
    .object = "VM",
    .what = "a VM",
    .size = sizeof(struct vm),
    .value = read_value,
    .close = close_element,
    .end = end_vm,
    .scratch = sizeof(struct vm_draft),
};

POOL_PARSER(vm_pool_parse, vm, vm_format)

/* --- in batches ------------------------------------------------------------------------------- */

static void hand_on(void *context, struct pool_items *items)
{
    const struct vm_batches *batches = context;
    struct vm_pool pool;

    POOL_MOVE(&pool, items);
    if (batches->known)
        known_vms_learn(batches->known, &pool);
    batches->batch(batches->context, &pool);
    POOL_MOVE(items, &pool);
}

static void hand_on_again(struct vm_batches *batches)
{
    batches->batch(batches->context, &batches->again);
    vm_pool_finish(&batches->again);
    batches->again = (struct vm_pool){0};
}

static void parse(void *context, const char *text, size_t length)
{
    pool_reading_feed(((struct vm_batches *)context)->reader, text, length);
}

static void again(void *context, const struct vm *vm)
{
    struct vm_batches *batches = context;
    struct vm_pool *pool = &batches->again;

    MEMORY_GROW(pool->items, pool->allocated, pool->n + 1);
    pool->items[pool->n++] = *vm;
    if (pool->n == POOL_BATCH)
        hand_on_again(batches);
}

void vm_batches_begin(struct vm_batches *batches)
{
    const struct known_vms_told told = {.parse = parse, .again = again, .context = batches};

    batches->reader = pool_reading_begin(&vm_format, hand_on, batches);
    if (batches->known && !known_vms_begin(batches->known, &told))
        batches->known = NULL;
}

void vm_batches_feed(struct vm_batches *batches, const char *text, size_t length)
{
    if (batches->known)
        known_vms_feed(batches->known, text, length);
    else
        pool_reading_feed(batches->reader, text, length);
}

size_t vm_batches_part(struct vm_batches *batches, const char *text, size_t length, bool *is_known)
{
    return batches->known ? known_vms_part(batches->known, text, length, is_known) : length;
}

int vm_batches_end(struct vm_batches *batches, struct error *err)
{
    if (batches->known)
        known_vms_end(batches->known);
    if (batches->again.n)
        hand_on_again(batches);
    return pool_reading_end(batches->reader, err);
}
