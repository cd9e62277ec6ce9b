#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "util/memory.h"

/* OpenNebula's numbers (include/Datastore.h). */
enum { SYSTEM_DATASTORE = 1, DATASTORE_READY = 0 };

static bool has_cluster(const struct datastore *datastore, int32_t cluster)
{
    for (size_t i = 0; i < datastore->n_clusters; i++)
        if (datastore->clusters[i] == cluster)
            return true;
    return false;
}

void eligibility_read_datastores(struct eligibility *eligibility)
{
    const struct datastore_pool *pool = eligibility->datastores;
    const struct host_pool *hosts = eligibility->hosts;
    size_t n = pool ? pool->n : 0;

    eligibility->datastore_hosts = memory_new(n, sizeof *eligibility->datastore_hosts);
    eligibility->promised = memory_new(n, sizeof *eligibility->promised);
    for (size_t i = 0; i < n; i++) {
        uint64_t *its_hosts;

        if (pool->items[i].type != SYSTEM_DATASTORE || pool->items[i].state != DATASTORE_READY)
            continue;
        its_hosts = memory_new(host_columns_words(eligibility->columns), sizeof *its_hosts);
        for (size_t k = 0; k < hosts->n; k++)
            if (has_cluster(&pool->items[i], hosts->items[k].cluster))
                bitmap_add(its_hosts, k);
        eligibility->datastore_hosts[i] = its_hosts;
    }
}

uint32_t eligibility_datastore_expression(struct eligibility *eligibility, const struct vm *vm,
                                          const char *name)
{
    bool is_rank = !strcmp(name, "SCHED_DS_RANK"), is_new;
    const char *text = vm->needs & VM_NEEDS_DATASTORE ? eligibility_text(vm, name) : NULL;
    struct datastore_expression *entry;
    struct error fault = {0};
    size_t length;
    char *key;
    uint32_t number;

    if (!text)
        return TEXT_NONE;
    /* One text may be read in both ways. */
    length = strlen(text);
    key = memory_new(length + 2, 1);
    key[0] = is_rank ? 'r' : 'q';
    memcpy(key + 1, text, length);
    number = eligibility_number(&eligibility->datastore_texts, key, &is_new);
    free(key);
    if (!is_new)
        return number;
    eligibility->datastore_expressions = memory_grow(
        eligibility->datastore_expressions, &eligibility->datastore_expressions_allocated,
        (size_t)number + 1, sizeof *eligibility->datastore_expressions);
    entry = &eligibility->datastore_expressions[number];
    *entry = (struct datastore_expression){0};
    entry->expression =
        is_rank ? expression_parse_rank(text, &fault) : expression_parse_requirement(text, &fault);
    if (!entry->expression)
        entry->fault = eligibility_fault(name, text, &fault);
    return number;
}

int32_t eligibility_own_datastore(const struct eligibility *eligibility, const struct vm *vm)
{
    const struct datastore_pool *pool = eligibility->datastores;

    if (!pool || vm->history.sequence < 0)
        return -1;
    for (size_t i = 0; i < pool->n; i++)
        if (pool->items[i].id == vm->history.datastore && pool->items[i].type == SYSTEM_DATASTORE)
            return vm->history.datastore;
    return -1;
}

static bool meets(const struct eligibility *eligibility, uint32_t requirement,
                  const struct datastore *datastore)
{
    const struct expression *expression;

    if (requirement == TEXT_NONE)
        return true;
    expression = eligibility->datastore_expressions[requirement].expression;
    return expression && expression_allows(expression, &datastore->attributes);
}

/* The i-th datastore of the pool, room aside. */
static bool fulfils(const struct eligibility *eligibility, const struct wants *wants, size_t i)
{
    const struct datastore *datastore = &eligibility->datastores->items[i];

    if (!eligibility->datastore_hosts[i])
        return false;
    if (wants->datastore >= 0)
        return datastore->id == wants->datastore;
    return eligibility->accesses[wants->access].datastores[i] &&
           meets(eligibility, wants->datastore_requirement, datastore);
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
    for (size_t i = 0; i < eligibility->datastores->n; i++)
        if (fulfils(eligibility, wants, i))
            for (size_t word = 0; word < words; word++)
                hosts[word] |= eligibility->datastore_hosts[i][word];
}

static int64_t needed(const struct eligibility *eligibility, const struct vm *vm)
{
    double scaled = eligibility->settings.memory_scale * (double)vm->memory;

    if (!(scaled > 0))
        scaled = 0;
    if (scaled > 1e15)
        scaled = 1e15;
    return vm->disk > 0 ? vm->disk + (int64_t)scaled : (int64_t)scaled;
}

/* MB free on datastore i, as seen from a host. Room that nobody measures is no reason to refuse. */
static int64_t room(const struct eligibility *eligibility, size_t i, uint32_t host)
{
    const struct datastore *datastore = &eligibility->datastores->items[i];
    const char *text;
    int64_t local;

    if (datastore->free >= 0)
        return datastore->free - eligibility->promised[i];
    text = attributes_find(&eligibility->hosts->items[host].attributes, "FREE_DISK");
    return text && value_integer(text, &local) && local > 0 ? local : INT64_MAX;
}

/* The choice among datastores, so far. */
struct choice {
    int32_t id; /* -1: none */
    int64_t rank, room;
    int64_t most; /* that was free on one without enough room */
    int32_t most_id;
    size_t n; /* looked at */
};

static void offer(struct choice *choice, const struct datastore *datastore, int64_t rank,
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

static void explain(const struct eligibility *eligibility, uint32_t host,
                    const struct choice *choice, int64_t need, struct eligible *said)
{
    const struct host *where = &eligibility->hosts->items[host];

    if (choice->n == 0)
        snprintf(said->reason, sizeof said->reason,
                 "there is no enabled system datastore in the cluster of host %d that the VM may "
                 "use",
                 where->id);
    else
        snprintf(said->reason, sizeof said->reason,
                 "none of %zu system datastores for host %d has room for %" PRId64
                 " MB; datastore %d has the most: %" PRId64 " MB",
                 choice->n, where->id, need, choice->most_id, choice->most > 0 ? choice->most : 0);
}

int32_t eligibility_datastore(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                              char *reason, size_t size)
{
    const struct wants wants = {
        .access = eligibility_access_of(eligibility, vm),
        .datastore_requirement =
            eligibility_datastore_expression(eligibility, vm, "SCHED_DS_REQUIREMENTS"),
        .datastore = eligibility_own_datastore(eligibility, vm),
    };
    uint32_t rank = eligibility_datastore_expression(eligibility, vm, "SCHED_DS_RANK");
    const struct expression *ranking =
        rank == TEXT_NONE ? NULL : eligibility->datastore_expressions[rank].expression;
    struct choice choice = {.id = -1, .most = INT64_MIN, .most_id = -1};
    int64_t need = wants.datastore >= 0 ? 0 : needed(eligibility, vm);
    struct eligible said = {0};

    for (size_t i = 0; eligibility->datastores && i < eligibility->datastores->n; i++) {
        const struct datastore *datastore = &eligibility->datastores->items[i];
        int64_t free;

        if (!fulfils(eligibility, &wants, i) || !bitmap_has(eligibility->datastore_hosts[i], host))
            continue;
        choice.n++;
        free = room(eligibility, i, host);
        if (free >= need || need == 0)
            offer(&choice, datastore,
                  ranking ? expression_rank(ranking, &datastore->attributes) : 0, free);
        if (free > choice.most) {
            choice.most = free;
            choice.most_id = datastore->id;
        }
    }
    if (choice.id < 0)
        explain(eligibility, host, &choice, need, &said);
    snprintf(reason, size, "%s", said.reason);
    return choice.id;
}

void eligibility_promise(struct eligibility *eligibility, const struct vm *vm, int32_t datastore)
{
    for (size_t i = 0; eligibility->datastores && i < eligibility->datastores->n; i++)
        if (eligibility->datastores->items[i].id == datastore &&
            eligibility_own_datastore(eligibility, vm) < 0 &&
            eligibility->promised[i] < INT64_MAX / 4)
            eligibility->promised[i] += needed(eligibility, vm);
}
