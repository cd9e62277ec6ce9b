/* Chooses networks for the automatic NICs of VMs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "core/reason_details.h"
#include "util/append.h"
#include "util/count_text.h"
#include "util/memory.h"

void eligibility_read_networks(struct eligibility *eligibility)
{
    size_t n = eligibility->networks ? eligibility->networks->n : 0;

    map_init_copying(&eligibility->network_texts, 0);
    map_init_copying(&eligibility->nic_texts, 0);
    eligibility->addresses = memory_new(n, sizeof *eligibility->addresses);
}

void eligibility_forget_networks(struct eligibility *eligibility)
{
    for (size_t i = 0; i < eligibility->network_texts.n; i++) {
        free(eligibility->network_expressions[i].allowed);
        free(eligibility->network_expressions[i].ranks);
        free(eligibility->network_expressions[i].fault);
    }
    for (size_t i = 0; i < eligibility->nic_texts.n; i++)
        free(eligibility->nic_wants[i].nics);
    free(eligibility->network_expressions);
    free(eligibility->nic_wants);
    free(eligibility->addresses);
    expression_destroy(eligibility->network_rank);
    map_finish(&eligibility->network_texts);
    map_finish(&eligibility->nic_texts);
}

/* --- expressions ------------------------------------------------------------------------------ */

enum way { WAY_REQUIREMENT = 'q', WAY_RANK = 'r', WAY_AUTOMATIC = 'a' };

static void evaluate(const struct eligibility *eligibility, enum way way, const char *text,
                     struct network_expression *entry)
{
    static const char *const names[] = {[WAY_REQUIREMENT] = "SCHED_REQUIREMENTS of a NIC",
                                        [WAY_RANK] = "SCHED_RANK of a NIC",
                                        [WAY_AUTOMATIC] = "AUTOMATIC_NIC_REQUIREMENTS"};
    const struct network_pool *pool = eligibility->networks;
    struct expression *expression = NULL;
    struct error fault = {0};

    *entry = (struct network_expression){0};
    if (way != WAY_AUTOMATIC && strlen(text) > DATASTORE_BYTES_MAX)
        error_set(&fault, E2BIG, "it has more than %d bytes", DATASTORE_BYTES_MAX);
    else if (way == WAY_RANK)
        expression = expression_parse_rank(text, &fault);
    else
        expression = expression_parse_requirement(text, &fault);
    if (!expression)
        entry->fault = eligibility_fault(names[way], text, &fault);
    else if (way == WAY_RANK)
        entry->ranks = memory_new(pool->n, sizeof *entry->ranks);
    else
        entry->allowed = memory_new(pool->n, sizeof *entry->allowed);
    for (size_t i = 0; expression && i < pool->n; i++)
        if (way == WAY_RANK)
            entry->ranks[i] = expression_rank(expression, &pool->items[i].attributes);
        else
            entry->allowed[i] = expression_allows(expression, &pool->items[i].attributes);
    expression_destroy(expression);
}

/* The number of a text, evaluated once; MAP_NONE without one. A new one is charged to the owner. */
static uint32_t number_of(struct eligibility *eligibility, enum way way, const char *text,
                          struct access *access)
{
    uint32_t number;
    size_t length;
    bool is_new;
    char *key;

    if (!text || !text[strspn(text, " \t\r\n")])
        return MAP_NONE;
    length = strlen(text);
    key = memory_new(length + 2, 1);
    key[0] = (char)way;
    memcpy(key + 1, text, length);
    number = eligibility_number(&eligibility->network_texts, key, &is_new);
    free(key);
    if (!is_new)
        return number;
    if (way != WAY_AUTOMATIC)
        access->network_bytes += length;
    MEMORY_GROW(eligibility->network_expressions, eligibility->network_expressions_allocated,
                (size_t)number + 1);
    if (access->network_bytes > OWNER_NETWORK_BYTES_MAX)
        text = ""; /* rejected below without evaluation */
    evaluate(eligibility, way, text, &eligibility->network_expressions[number]);
    return number;
}

/* --- requirements of a VM's NICs -------------------------------------------------------------- */

static bool refuse(char *reason, size_t size, struct detail detail)
{
    reason[0] = '\0';
    details_add(reason, size, &detail);
    return false;
}

/* VMs with equal requirements share the answer. */
static uint32_t number_of_nics(struct eligibility *eligibility, const struct nic_wants *wants)
{
    enum { DIGITS = 9 }; /* of a number, with the blank or zero after it */
    size_t size = DIGITS * (1 + 2 * wants->n);
    char *key = memory_new(size, 1);
    size_t length = append_text(key, size, 0, "%x", wants->automatic);
    uint32_t number;
    bool is_new;

    for (size_t i = 0; i < wants->n; i++)
        length = append_text(key, size, length, " %x %x", wants->nics[i].requirement,
                             wants->nics[i].rank);
    number = eligibility_number(&eligibility->nic_texts, key, &is_new);
    free(key);
    if (!is_new)
        return number;
    MEMORY_GROW(eligibility->nic_wants, eligibility->nic_wants_allocated, (size_t)number + 1);
    eligibility->nic_wants[number] = *wants;
    eligibility->nic_wants[number].nics = memory_copy(wants->nics, wants->n * sizeof *wants->nics);
    return number;
}

bool eligibility_want_networks(struct eligibility *eligibility, const struct vm *vm,
                               struct wants *wants, char *reason, size_t size)
{
    struct access *access = &eligibility->accesses[wants->access];
    struct nic_want asked[VM_NICS_MAX];
    struct nic_wants nics = {.n = vm->n_nics, .nics = asked};
    const char *fault = NULL;

    wants->nics = MAP_NONE;
    if (vm->n_nics == 0 || !eligibility->networks)
        return true;
    if (vm->n_nics > VM_NICS_MAX)
        return refuse(reason, size,
                      (struct detail){.id = DETAIL_TOO_MANY_NICS, .n = {VM_NICS_MAX}});
    nics.automatic =
        number_of(eligibility, WAY_AUTOMATIC,
                  eligibility_automatic(eligibility, vm, "AUTOMATIC_NIC_REQUIREMENTS"), access);
    for (size_t i = 0; i < vm->n_nics; i++) {
        asked[i].requirement =
            number_of(eligibility, WAY_REQUIREMENT, vm->nics[i].requirement, access);
        asked[i].rank = number_of(eligibility, WAY_RANK, vm->nics[i].rank, access);
        if (asked[i].requirement != MAP_NONE && !fault)
            fault = eligibility->network_expressions[asked[i].requirement].fault;
    }
    if (nics.automatic != MAP_NONE && !fault)
        fault = eligibility->network_expressions[nics.automatic].fault;
    if (access->network_bytes > OWNER_NETWORK_BYTES_MAX)
        return refuse(reason, size,
                      (struct detail){.id = DETAIL_TOO_LONG_OF_NICS,
                                      .n = {vm->uid, OWNER_NETWORK_BYTES_MAX}});
    if (fault) {
        snprintf(reason, size, "%s", fault);
        return false;
    }
    wants->nics = number_of_nics(eligibility, &nics);
    return true;
}

const char *eligibility_network_rank_fault(const struct eligibility *eligibility,
                                           const struct wants *wants)
{
    const struct nic_wants *nics =
        wants->nics == MAP_NONE ? NULL : &eligibility->nic_wants[wants->nics];

    for (size_t i = 0; nics && i < nics->n; i++)
        if (nics->nics[i].rank != MAP_NONE &&
            eligibility->network_expressions[nics->nics[i].rank].fault)
            return eligibility->network_expressions[nics->nics[i].rank].fault;
    return NULL;
}

/* --- networks allowed for a NIC --------------------------------------------------------------- */

/* The first condition that a network does not meet, in the order of reasons. */
enum obstacle { FITS, ELSEWHERE, FORBIDDEN, UNSUITABLE, FULL, OBSTACLES };

static int64_t free_addresses(const struct eligibility *eligibility, size_t i)
{
    const struct network *network = &eligibility->networks->items[i];

    return network->size - network->used - eligibility->addresses[i];
}

static bool meets(const struct eligibility *eligibility, uint32_t requirement, size_t i)
{
    return requirement == MAP_NONE || eligibility->network_expressions[requirement].allowed[i];
}

static bool is_in_cluster(const struct network *network, int32_t cluster)
{
    for (size_t i = 0; i < network->n_clusters; i++)
        if (network->clusters[i] == cluster)
            return true;
    return cluster < 0;
}

static enum obstacle obstacle_of(const struct eligibility *eligibility, const struct wants *wants,
                                 size_t nic, int32_t cluster, size_t i)
{
    const struct nic_wants *nics = &eligibility->nic_wants[wants->nics];

    if (!is_in_cluster(&eligibility->networks->items[i], cluster))
        return ELSEWHERE;
    if (!eligibility->accesses[wants->access].networks[i])
        return FORBIDDEN;
    if (!meets(eligibility, nics->automatic, i) ||
        !meets(eligibility, nics->nics[nic].requirement, i))
        return UNSUITABLE;
    return wants->later || free_addresses(eligibility, i) > 0 ? FITS : FULL;
}

static int64_t rank_of(const struct eligibility *eligibility, uint32_t rank, size_t i)
{
    const struct network *network = &eligibility->networks->items[i];
    int64_t used = network->used + eligibility->addresses[i];

    if (rank != MAP_NONE && eligibility->network_expressions[rank].ranks)
        return eligibility->network_expressions[rank].ranks[i];
    if (eligibility->network_rank)
        return expression_rank(eligibility->network_rank, &network->attributes);
    return eligibility->settings.network_policy == PLACEMENT_PACKING ? used : -used;
}

/* --- a network for each NIC ------------------------------------------------------------------- */

struct ranked {
    int64_t rank;
    uint32_t network;
};

/* The networks of each NIC in order of preference, and the current choice. */
struct assignment {
    const struct eligibility *eligibility;
    bool later;
    size_t n;
    struct {
        struct ranked *items;
        size_t n;
        uint32_t chosen; /* MAP_NONE: none yet */
    } nics[VM_NICS_MAX];
    uint32_t *taken; /* NICs of this VM, per network */
    bool *tried;     /* networks, in one search */
};

static int by_rank(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? 1 : -1;
    return a->network < b->network ? 1 : -1; /* the highest id, as in the stock scheduler */
}

static bool has_place(const struct assignment *assignment, uint32_t network)
{
    const struct eligibility *eligibility = assignment->eligibility;

    if (eligibility->settings.different_networks)
        return assignment->taken[network] == 0;
    return assignment->later ||
           free_addresses(eligibility, network) > (int64_t)assignment->taken[network];
}

static bool assign(struct assignment *assignment, size_t nic);

/* Moves another NIC from that network to another of its networks. */
static bool make_place(struct assignment *assignment, uint32_t network)
{
    for (size_t i = 0; i < assignment->n; i++)
        if (assignment->nics[i].chosen == network && assign(assignment, i))
            return true;
    return false;
}

/* Assigns the first network with a free address, or moves another NIC (augmenting paths: a NIC with
 * a network does not lose it without replacement). */
static bool assign(struct assignment *assignment, size_t nic)
{
    const struct ranked *items = assignment->nics[nic].items;
    size_t n = assignment->nics[nic].n, i = 0;

    while (i < n &&
           (assignment->tried[items[i].network] || !has_place(assignment, items[i].network)))
        i++;
    if (i < n)
        assignment->taken[items[i].network]++;
    for (size_t k = 0; i == n && k < n; k++) {
        if (assignment->tried[items[k].network])
            continue;
        assignment->tried[items[k].network] = true;
        if (make_place(assignment, items[k].network)) {
            assignment->nics[nic].chosen = items[k].network;
            return true;
        }
    }
    if (i == n)
        return false;
    assignment->nics[nic].chosen = items[i].network;
    return true;
}

static void rank_networks(struct assignment *assignment, const struct wants *wants, int32_t cluster,
                          size_t nic)
{
    const struct eligibility *eligibility = assignment->eligibility;
    uint32_t rank = eligibility->nic_wants[wants->nics].nics[nic].rank;
    struct ranked *items = memory_new(eligibility->networks->n, sizeof *items);
    size_t n = 0;

    for (size_t i = 0; i < eligibility->networks->n; i++)
        if (obstacle_of(eligibility, wants, nic, cluster, i) == FITS)
            items[n++] = (struct ranked){rank_of(eligibility, rank, i), (uint32_t)i};
    qsort(items, n, sizeof *items, by_rank);
    assignment->nics[nic].items = items;
    assignment->nics[nic].n = n;
    assignment->nics[nic].chosen = MAP_NONE;
}

/* Chooses networks on hosts of the cluster; chosen may be NULL. False: impossible. */
static bool choose(const struct eligibility *eligibility, const struct wants *wants,
                   int32_t cluster, uint32_t *chosen)
{
    size_t n_networks = eligibility->networks->n;
    struct assignment assignment = {
        .eligibility = eligibility,
        .later = wants->later,
        .n = eligibility->nic_wants[wants->nics].n,
        .taken = memory_new(n_networks, sizeof *assignment.taken),
        .tried = memory_new(n_networks, sizeof *assignment.tried),
    };
    bool possible = true;

    for (size_t i = 0; i < assignment.n; i++)
        rank_networks(&assignment, wants, cluster, i);
    for (size_t i = 0; i < assignment.n && possible; i++) {
        memset(assignment.tried, 0, n_networks * sizeof *assignment.tried);
        possible = assign(&assignment, i);
    }
    for (size_t i = 0; i < assignment.n; i++) {
        if (chosen)
            chosen[i] = assignment.nics[i].chosen;
        free(assignment.nics[i].items);
    }
    free(assignment.taken);
    free(assignment.tried);
    return possible;
}

void eligibility_network_hosts(const struct eligibility *eligibility, const struct wants *wants,
                               uint64_t *hosts)
{
    size_t words = host_columns_words(eligibility->columns);
    struct map clusters; /* bool by id */

    if (wants->nics == MAP_NONE) {
        memset(hosts, 0xff, words * sizeof *hosts);
        return;
    }
    memset(hosts, 0, words * sizeof *hosts);
    map_init(&clusters, sizeof(bool));
    for (size_t i = 0; i < eligibility->hosts->n; i++) {
        int32_t cluster = eligibility->hosts->items[i].cluster;
        bool *known = map_value(&clusters, map_find(&clusters, cluster));

        if (!known) {
            known = map_value(&clusters, map_add(&clusters, cluster));
            *known = choose(eligibility, wants, cluster, NULL);
        }
        if (*known)
            bitmap_add(hosts, i);
    }
    map_finish(&clusters);
}

/* --- reasons ---------------------------------------------------------------------------------- */

/* Names the first NIC without a network and the causes, or reports too few networks for all NICs.
 */
void eligibility_network_reason(const struct eligibility *eligibility, const struct wants *wants,
                                int32_t cluster, char *text, size_t size)
{
    static const enum detail_id causes[OBSTACLES] = {[ELSEWHERE] = DETAIL_NETWORK_ELSEWHERE,
                                                     [FORBIDDEN] = DETAIL_NETWORK_NOT_PERMITTED,
                                                     [UNSUITABLE] = DETAIL_NETWORK_UNSUITABLE,
                                                     [FULL] = DETAIL_NETWORK_FULL};
    int64_t n_nics = (int64_t)eligibility->nic_wants[wants->nics].n;
    int64_t n = (int64_t)eligibility->networks->n;

    if (n == 0) {
        details_add(text, size, &(struct detail){.id = DETAIL_NO_VIRTUAL_NETWORKS});
        return;
    }
    for (int64_t nic = 0; nic < n_nics; nic++) {
        int64_t counts[OBSTACLES] = {0};

        for (int64_t i = 0; i < n; i++)
            counts[obstacle_of(eligibility, wants, (size_t)nic, cluster, (size_t)i)]++;
        if (counts[FITS])
            continue;
        details_add(text, size, &(struct detail){.id = DETAIL_NIC, .n = {nic + 1, n_nics, n}});
        for (int i = ELSEWHERE; i < OBSTACLES; i++)
            if (counts[i])
                details_add(text, size, &(struct detail){.id = causes[i], .n = {counts[i], n}});
        return;
    }
    details_add(text, size,
                &(struct detail){.id = DETAIL_TOO_FEW_NETWORKS,
                                 .n = {n_nics, eligibility->settings.different_networks}});
}

/* --- sending the VM --------------------------------------------------------------------------- */

int eligibility_networks(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                         struct nic_choice *choices, char *reason, size_t size)
{
    int32_t cluster = eligibility->hosts->items[host].cluster;
    struct wants wants = {.access = eligibility_access_of(eligibility, vm)};
    uint32_t chosen[VM_NICS_MAX] = {0};

    if (!eligibility_want_networks(eligibility, vm, &wants, reason, size))
        return -1;
    if (wants.nics == MAP_NONE)
        return 0;
    if (!choose(eligibility, &wants, cluster, chosen)) {
        reason[0] = '\0';
        eligibility_network_reason(eligibility, &wants, cluster, reason, size);
        return -1;
    }
    for (size_t i = 0; i < vm->n_nics; i++)
        choices[i] =
            (struct nic_choice){vm->nics[i].id, eligibility->networks->items[chosen[i]].id};
    return 0;
}

void eligibility_promise_address(struct eligibility *eligibility, int32_t network)
{
    const struct network_pool *pool = eligibility->networks;
    const struct network *promised = pool ? network_pool_find(pool, network) : NULL;

    if (promised)
        eligibility->addresses[promised - pool->items]++;
}
