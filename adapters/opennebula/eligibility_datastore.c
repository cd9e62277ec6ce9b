/* Finds hosts with a system datastore that has room for a VM. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "core/reason_details.h"
#include "util/memory.h"

/* OpenNebula's numbers (include/Datastore.h). */
enum { SYSTEM_DATASTORE = 1, DATASTORE_READY = 0 };

void eligibility_read_datastores(struct eligibility *eligibility)
{
    const struct datastore_pool *pool = eligibility->datastores;
    const struct host_pool *hosts = eligibility->hosts;
    size_t n = pool ? pool->n : 0;

    eligibility->datastore_hosts = memory_new(n, sizeof *eligibility->datastore_hosts);
    eligibility->promised = memory_new(n, sizeof *eligibility->promised);
    eligibility->promised_there = memory_new(n, sizeof *eligibility->promised_there);
    eligibility->promised_disk = memory_new(hosts->n, sizeof *eligibility->promised_disk);
    for (size_t i = 0; i < n; i++) {
        uint64_t *its_hosts;

        if (pool->items[i].type != SYSTEM_DATASTORE || pool->items[i].state != DATASTORE_READY)
            continue;
        its_hosts = memory_new(host_columns_words(eligibility->columns), sizeof *its_hosts);
        for (size_t k = 0; k < hosts->n; k++)
            if (ids_have(pool->items[i].clusters, pool->items[i].n_clusters,
                         hosts->items[k].cluster))
                bitmap_add(its_hosts, k);
        eligibility->datastore_hosts[i] = its_hosts;
    }
}

void eligibility_forget_datastores(struct eligibility *eligibility)
{
    for (size_t i = 0; eligibility->datastores && i < eligibility->datastores->n; i++) {
        free(eligibility->datastore_hosts[i]);
        free(eligibility->promised_there[i]);
    }
    expression_destroy(eligibility->datastore_rank);
    free(eligibility->datastore_hosts);
    free(eligibility->promised_there);
    free(eligibility->promised);
    free(eligibility->promised_disk);
}

/* --- Requirements of the VM --- */

/* The key distinguishes the different meanings of equal texts. */
static char key_of(const char *name)
{
    if (!strcmp(name, "SCHED_DS_RANK"))
        return 'r';
    return !strcmp(name, "SCHED_DS_REQUIREMENTS") ? 'q' : 'a';
}

static void read_datastore_expression(const char *name, const char *text,
                                      struct datastore_expression *entry)
{
    struct error fault = {0};
    char way = key_of(name);

    *entry = (struct datastore_expression){0};
    if (way != 'a' && strlen(text) > DATASTORE_BYTES_MAX)
        error_set(&fault, E2BIG, "it has more than %d bytes", DATASTORE_BYTES_MAX);
    else if (way == 'r')
        entry->expression = expression_parse_rank(text, &fault);
    else
        entry->expression = expression_parse_requirement(text, &fault);
    if (!entry->expression)
        entry->fault = eligibility_fault(name, text, &fault);
}

uint32_t eligibility_datastore_expression(struct eligibility *eligibility, const struct vm *vm,
                                          const char *name)
{
    bool is_new;
    const char *text = NULL;
    size_t length;
    char *key;
    uint32_t number;

    if (key_of(name) == 'a')
        text = eligibility_automatic(eligibility, vm, name);
    else if (vm->needs & VM_NEEDS_DATASTORE)
        text = eligibility_text(vm, name);
    if (!text)
        return MAP_NONE;
    length = strlen(text);
    key = memory_new(length + 2, 1);
    key[0] = key_of(name);
    memcpy(key + 1, text, length);
    number = eligibility_number(&eligibility->datastore_texts, key, &is_new);
    free(key);
    if (!is_new)
        return number;
    MEMORY_GROW(eligibility->datastore_expressions, eligibility->datastore_expressions_allocated,
                (size_t)number + 1);
    read_datastore_expression(name, text, &eligibility->datastore_expressions[number]);
    return number;
}

/* The index in the pool, or -1. */
static ptrdiff_t find_datastore(const struct eligibility *eligibility, int32_t id)
{
    const struct datastore *found = eligibility_datastore_of(eligibility, id);

    return found ? found - eligibility->datastores->items : -1;
}

/* The datastore of the VM's disks; -1: none yet. */
static int32_t eligibility_own_datastore(const struct eligibility *eligibility, const struct vm *vm)
{
    ptrdiff_t place =
        vm->history.sequence < 0 ? -1 : find_datastore(eligibility, vm->history.datastore);

    return place >= 0 && eligibility->datastores->items[place].type == SYSTEM_DATASTORE
               ? vm->history.datastore
               : -1;
}

static bool meets(const struct eligibility *eligibility, uint32_t requirement,
                  const struct datastore *datastore)
{
    const struct expression *expression;

    if (requirement == MAP_NONE)
        return true;
    expression = eligibility->datastore_expressions[requirement].expression;
    return expression && expression_allows(expression, &datastore->attributes);
}

/* Does the i-th datastore of the pool meet the requirements, apart from room? */
static bool fulfils(const struct eligibility *eligibility, const struct wants *wants, size_t i)
{
    const struct datastore *datastore = &eligibility->datastores->items[i];

    if (!eligibility->datastore_hosts[i])
        return false;
    if (wants->datastore >= 0)
        return datastore->id == wants->datastore;
    return eligibility->accesses[wants->access].datastores[i] &&
           meets(eligibility, wants->datastore_automatic, datastore) &&
           meets(eligibility, wants->datastore_requirement, datastore);
}

/* --- Room --- */

int64_t eligibility_room_needed(const struct eligibility *eligibility, const struct vm *vm)
{
    double scaled = eligibility->settings.memory_scale * (double)vm->memory;

    if (eligibility_own_datastore(eligibility, vm) >= 0)
        return 0;
    if (!(scaled > 0))
        scaled = 0;
    if (scaled > 1e15)
        scaled = 1e15;
    return vm->disk > 0 ? vm->disk + (int64_t)scaled : (int64_t)scaled;
}

bool eligibility_images_fit(const struct eligibility *eligibility, const struct vm *vm,
                            char *reason, size_t size)
{
    if (eligibility_own_datastore(eligibility, vm) >= 0)
        return true;
    for (size_t i = 0; i < vm->n_images; i++) {
        const struct vm_image_room *need = &vm->images[i];
        ptrdiff_t place = find_datastore(eligibility, need->datastore);
        int64_t free = place < 0 ? -1 : eligibility->datastores->items[place].free;

        if (free < 0 || need->amount == 0) /* unknown, or nothing */
            continue;
        free -= eligibility->promised[place];
        if (need->amount < free)
            continue;
        reason[0] = '\0';
        details_add(reason, size,
                    &(struct detail){.id = DETAIL_IMAGES_FULL,
                                     .n = {need->datastore, need->amount, free > 0 ? free : 0}});
        return false;
    }
    return true;
}

/* Free space is measured for the whole datastore, by a host for this datastore, or as the host's
 * free disk space, which all its datastores share. */
static bool is_whole(const struct datastore *datastore)
{
    return datastore->type != SYSTEM_DATASTORE || (datastore->shared && datastore->free >= 0);
}

/* The MB free in datastore i for VMs on a host. Unknown space does not exclude a host. */
static int64_t room(const struct eligibility *eligibility, size_t i, size_t host)
{
    const struct datastore *datastore = &eligibility->datastores->items[i];
    bool by_itself;
    int64_t free = datastore_reported(datastore, &eligibility->hosts->items[host], &by_itself);

    if (free < 0)
        return INT64_MAX;
    if (is_whole(datastore))
        return free - eligibility->promised[i];
    if (!by_itself)
        return free - eligibility->promised_disk[host];
    return free - (eligibility->promised_there[i] ? eligibility->promised_there[i][host] : 0);
}

/* As in OpenNebula: a disk of 100 MB does not fit into 100 MB. */
static bool fits(int64_t need, int64_t free)
{
    return need == 0 || need < free;
}

static void add_hosts_with_room(const struct eligibility *eligibility, size_t i, int64_t need,
                                uint64_t *hosts)
{
    const uint64_t *its_hosts = eligibility->datastore_hosts[i];
    bool whole = is_whole(&eligibility->datastores->items[i]);

    if (need == 0 || whole) {
        bool enough = need == 0 || fits(need, room(eligibility, i, 0));

        for (size_t word = 0; enough && word < host_columns_words(eligibility->columns); word++)
            hosts[word] |= its_hosts[word];
        return;
    }
    for (size_t host = 0; host < eligibility->hosts->n; host++)
        if (bitmap_has(its_hosts, host) && fits(need, room(eligibility, i, host)))
            bitmap_add(hosts, host);
}

void eligibility_datastore_hosts(const struct eligibility *eligibility, const struct wants *wants,
                                 uint64_t *hosts)
{
    size_t words = host_columns_words(eligibility->columns);

    if (!eligibility->datastores) {
        memset(hosts, 0xff, words * sizeof *hosts);
        return;
    }
    memset(hosts, 0, words * sizeof *hosts);
    for (size_t i = 0; eligibility->hosts->n > 0 && i < eligibility->datastores->n; i++)
        if (fulfils(eligibility, wants, i))
            add_hosts_with_room(eligibility, i, wants->room, hosts);
}

/* The state of the choice among datastores. */
struct datastore_choice {
    int32_t id; /* -1: none */
    int64_t rank, room;
    int64_t most; /* most free space of a datastore without enough room */
    int32_t most_id;
    size_t n; /* number of examined datastores */
};

static void offer(struct datastore_choice *choice, const struct datastore *datastore, int64_t rank,
                  int64_t free)
{
    bool better =
        choice->id < 0 || rank > choice->rank || (rank == choice->rank && free >= choice->room);

    if (!better)
        return;
    choice->id = datastore->id;
    choice->rank = rank;
    choice->room = free;
}

static struct detail explain(const struct eligibility *eligibility, uint32_t host,
                             const struct datastore_choice *choice, int64_t need)
{
    int32_t id = eligibility->hosts->items[host].id;

    if (choice->n == 0)
        return (struct detail){.id = DETAIL_HOST_NO_DATASTORE, .n = {id}};
    return (struct detail){
        .id = DETAIL_HOST_DATASTORES_FULL,
        .n = {id, need, (int64_t)choice->n, choice->most_id, choice->most > 0 ? choice->most : 0}};
}

void eligibility_want_datastore(struct eligibility *eligibility, const struct vm *vm,
                                struct wants *wants)
{
    wants->access = eligibility_access_of(eligibility, vm);
    wants->datastore_automatic =
        eligibility_datastore_expression(eligibility, vm, "AUTOMATIC_DS_REQUIREMENTS");
    wants->datastore_requirement =
        eligibility_datastore_expression(eligibility, vm, "SCHED_DS_REQUIREMENTS");
    wants->datastore = eligibility_own_datastore(eligibility, vm);
    wants->room = eligibility_room_needed(eligibility, vm);
}

/* The VM's rank of a datastore or, without one, the policy's. */
static int64_t rank_datastore(const struct eligibility *eligibility,
                              const struct expression *ranking, const struct datastore *datastore,
                              int64_t free)
{
    if (!ranking)
        ranking = eligibility->datastore_rank;
    if (ranking)
        return expression_rank(ranking, &datastore->attributes);
    return eligibility->settings.datastore_policy == PLACEMENT_PACKING ? -free : free;
}

int32_t eligibility_datastore(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                              char *reason, size_t size)
{
    struct wants wants = {0};
    uint32_t rank = eligibility_datastore_expression(eligibility, vm, "SCHED_DS_RANK");
    const struct expression *ranking =
        rank == MAP_NONE ? NULL : eligibility->datastore_expressions[rank].expression;
    struct datastore_choice choice = {.id = -1, .most = INT64_MIN, .most_id = -1};
    struct detail detail;

    if (!eligibility_images_fit(eligibility, vm, reason, size))
        return -1;
    eligibility_want_datastore(eligibility, vm, &wants);
    for (size_t i = 0; eligibility->datastores && i < eligibility->datastores->n; i++) {
        const struct datastore *datastore = &eligibility->datastores->items[i];
        int64_t free;

        if (!fulfils(eligibility, &wants, i) || !bitmap_has(eligibility->datastore_hosts[i], host))
            continue;
        choice.n++;
        free = room(eligibility, i, host);
        if (fits(wants.room, free))
            offer(&choice, datastore, rank_datastore(eligibility, ranking, datastore, free), free);
        if (free > choice.most) {
            choice.most = free;
            choice.most_id = datastore->id;
        }
    }
    reason[0] = '\0';
    if (choice.id < 0) {
        detail = explain(eligibility, host, &choice, wants.room);
        details_add(reason, size, &detail);
    }
    return choice.id;
}

static void add_promise(int64_t *promised, int64_t amount)
{
    *promised += *promised < INT64_MAX / 4 ? amount : 0;
}

void eligibility_promise(struct eligibility *eligibility, int32_t datastore, uint32_t host,
                         int64_t amount)
{
    ptrdiff_t i = find_datastore(eligibility, datastore);
    const struct datastore *found;
    bool by_itself;

    if (i < 0 || amount <= 0 || amount > INT64_MAX / 4)
        return;
    found = &eligibility->datastores->items[i];
    datastore_reported(found, &eligibility->hosts->items[host], &by_itself);
    if (is_whole(found)) {
        add_promise(&eligibility->promised[i], amount);
    } else if (!by_itself) {
        add_promise(&eligibility->promised_disk[host], amount);
    } else {
        if (!eligibility->promised_there[i])
            eligibility->promised_there[i] =
                memory_new(eligibility->hosts->n, sizeof **eligibility->promised_there);
        add_promise(&eligibility->promised_there[i][host], amount);
    }
}
