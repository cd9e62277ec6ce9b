/* Finds the hosts that a VM may use, and their ranks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "core/reason_details.h"
#include "util/memory.h"

/* --- Requirements --- */

static bool names_figures(const struct expression *requirement)
{
    for (size_t i = 0; i < requirement->n_comparisons; i++)
        if (eligibility_changes_all_the_time(value_name(requirement->comparisons[i].name)))
            return true;
    return false;
}

static const uint64_t *kept_hosts(struct eligibility *eligibility, const uint64_t *hosts)
{
    return eligibility_kept(&eligibility->allowed, hosts,
                            host_columns_words(eligibility->columns) * sizeof *hosts);
}

static void read_requirement(struct eligibility *eligibility, const char *name, const char *text,
                             struct requirement *requirement)
{
    struct error fault = {0};
    struct expression *expression = expression_parse_requirement(text, &fault);

    *requirement = (struct requirement){0};
    if (!expression) {
        requirement->fault = eligibility_fault(name, text, &fault);
        return;
    }
    host_columns_allow(eligibility->columns, expression, eligibility->scratch);
    requirement->hosts = kept_hosts(eligibility, eligibility->scratch);
    requirement->changes = names_figures(expression);
    expression_destroy(expression);
}

/* Does the requirement, which allowed hosts, allow the same ones now? */
static bool answer_holds(struct host_columns *columns, const struct requirement *requirement,
                         const char *text, uint64_t *allowed)
{
    size_t size = host_columns_words(columns) * sizeof *allowed;
    struct expression *expression = expression_parse_requirement(text, NULL);

    memset(allowed, 0, size);
    host_columns_allow(columns, expression, allowed);
    expression_destroy(expression);
    return memcmp(allowed, requirement->hosts, size) == 0;
}

static bool answers_hold(const struct eligibility *eligibility, struct host_columns *columns)
{
    uint64_t *allowed = memory_new(host_columns_words(columns), sizeof *allowed);
    const struct map *texts = &eligibility->requirement_texts;
    bool hold = true;

    for (uint32_t i = 0; i < texts->n && hold; i++)
        hold =
            !eligibility->requirements[i].changes ||
            answer_holds(columns, &eligibility->requirements[i], map_key_bytes(texts, i), allowed);
    free(allowed);
    return hold;
}

bool eligibility_follow(struct eligibility *eligibility, const struct host_pool *hosts)
{
    struct host_columns *columns = host_columns_create(hosts, eligibility->clusters);

    if (!answers_hold(eligibility, columns)) {
        host_columns_destroy(columns);
        return false;
    }
    host_columns_destroy(eligibility->columns);
    eligibility->columns = columns;
    eligibility->hosts = hosts;
    map_finish(&eligibility->kept_columns);
    map_init(&eligibility->kept_columns, sizeof(const double *));
    return true;
}

/* The number of a requirement; text NULL: no requirement. */
static uint32_t requirement_of(struct eligibility *eligibility, const char *name, const char *text)
{
    bool is_new;
    uint32_t number;

    if (!text)
        return MAP_NONE;
    number = eligibility_number(&eligibility->requirement_texts, text, &is_new);
    if (!is_new)
        return number;
    MEMORY_GROW(eligibility->requirements, eligibility->requirements_allocated, (size_t)number + 1);
    read_requirement(eligibility, name, text, &eligibility->requirements[number]);
    return number;
}

static const char *requirement_fault(const struct eligibility *eligibility, uint32_t number)
{
    return number == MAP_NONE ? NULL : eligibility->requirements[number].fault;
}

/* --- Combinations --- */

static void keep_only(const struct eligibility *eligibility, uint64_t *hosts, const uint64_t *these)
{
    for (size_t i = 0; i < host_columns_words(eligibility->columns); i++)
        hosts[i] &= these[i];
}

static void rank_combination(const struct eligibility *eligibility, const struct wants *wants,
                             struct requirement_combination *combination)
{
    const struct ranking *ranking = &eligibility->rankings[wants->ranking];

    combination->rank = ranking->rank;
    if (wants->roles != MAP_NONE)
        combination->rank.preferences = eligibility->roles[wants->roles].preferences;
    combination->filter.rank_per_vm = ranking->per_vm;
    if (ranking->is_there || combination->rank.preferences)
        combination->filter.rank = &combination->rank;
}

static void combine(struct eligibility *eligibility, const struct wants *wants,
                    struct requirement_combination *combination)
{
    uint64_t *hosts = eligibility->scratch;

    eligibility_datastore_hosts(eligibility, wants, hosts);
    if (wants->nics != MAP_NONE) {
        uint64_t *connected =
            memory_new(host_columns_words(eligibility->columns), sizeof *connected);

        eligibility_network_hosts(eligibility, wants, connected);
        keep_only(eligibility, hosts, connected);
        free(connected);
    }
    keep_only(eligibility, hosts, eligibility->in_service);
    keep_only(eligibility, hosts, eligibility->accesses[wants->access].hosts);
    if (wants->automatic != MAP_NONE)
        keep_only(eligibility, hosts, eligibility->requirements[wants->automatic].hosts);
    if (wants->requirement != MAP_NONE)
        keep_only(eligibility, hosts, eligibility->requirements[wants->requirement].hosts);
    if (wants->roles != MAP_NONE)
        keep_only(eligibility, hosts, eligibility->roles[wants->roles].allowed);
    for (size_t i = 0; i < host_columns_words(eligibility->columns); i++)
        combination->n_hosts += (size_t)__builtin_popcountll(hosts[i]);
    combination->filter.allowed = kept_hosts(eligibility, hosts);
    rank_combination(eligibility, wants, combination);
}

static struct requirement_combination *
combination_of(struct eligibility *eligibility, const struct wants *wants, const struct vm *vm)
{
    char key[160];
    bool is_new;
    uint32_t number;
    struct requirement_combination *combination;

    snprintf(key, sizeof key, "%x %x %x %x %x %x %x %" PRIx64 " %x %d %x", wants->automatic,
             wants->requirement, wants->ranking, wants->access, wants->datastore_automatic,
             wants->datastore_requirement, (unsigned)wants->datastore, (uint64_t)wants->room,
             wants->nics, wants->later, wants->roles);
    number = eligibility_number(&eligibility->combination_texts, key, &is_new);
    if (!is_new)
        return eligibility->combinations[number];
    eligibility->combinations =
        memory_grow(eligibility->combinations, &eligibility->combinations_allocated,
                    (size_t)number + 1, sizeof(struct requirement_combination *));
    combination = memory_new(1, sizeof *combination);
    eligibility->combinations[number] = combination;
    combine(eligibility, wants, combination);
    if (combination->n_hosts == 0)
        combination->reason = eligibility_reason(eligibility, wants, vm, true);
    return combination;
}

/* --- One VM --- */

static void say(struct eligible *eligible, const char *reason)
{
    snprintf(eligible->reason, sizeof eligible->reason, "%s", reason);
}

/* Notes a fault that keeps the VM from being placed; NULL: no fault. */
static bool has_fault(struct eligible *eligible, const char *fault)
{
    if (fault)
        say(eligible, fault);
    eligible->malformed |= fault != NULL;
    return fault != NULL;
}

/* A fault of one of the VM's requirements, or NULL. */
static const char *fault_of(const struct eligibility *eligibility, const struct wants *wants)
{
    const char *fault = requirement_fault(eligibility, wants->requirement);

    if (!fault)
        fault = requirement_fault(eligibility, wants->automatic);
    if (!fault && wants->datastore_automatic != MAP_NONE)
        fault = eligibility->datastore_expressions[wants->datastore_automatic].fault;
    if (!fault && wants->datastore_requirement != MAP_NONE)
        fault = eligibility->datastore_expressions[wants->datastore_requirement].fault;
    return fault;
}

/* A fault of one of its ranks, or NULL. */
static const char *fault_of_rank(struct eligibility *eligibility, const struct wants *wants,
                                 const struct vm *vm)
{
    const char *fault = eligibility->rankings[wants->ranking].fault;
    uint32_t rank = eligibility_datastore_expression(eligibility, vm, "SCHED_DS_RANK");

    if (!fault && rank != MAP_NONE)
        fault = eligibility->datastore_expressions[rank].fault;
    return fault ? fault : eligibility_network_rank_fault(eligibility, wants);
}

/* Charges the owner for evaluating a text; a text seen before is free. */
static bool affords(struct access *access, const struct map *seen, const char *text)
{
    if (!text || map_find_text(seen, text) != MAP_NONE)
        return true;
    access->bytes += strlen(text);
    return access->bytes <= OWNER_BYTES_MAX;
}

static bool is_affordable(struct eligibility *eligibility, const struct vm *vm,
                          struct eligible *eligible)
{
    uint32_t number = eligibility_access_of(eligibility, vm); /* may move the array */
    struct access *access = &eligibility->accesses[number];

    if (affords(access, &eligibility->requirement_texts,
                eligibility_text(vm, "SCHED_REQUIREMENTS")) &&
        affords(access, &eligibility->ranking_texts, eligibility_text(vm, "SCHED_RANK")) &&
        affords(access, &eligibility->ranking_texts, eligibility_text(vm, "RANK")))
        return true;
    details_add(eligible->reason, sizeof eligible->reason,
                &(struct detail){.id = DETAIL_TOO_LONG, .n = {vm->uid, OWNER_BYTES_MAX}});
    eligible->malformed = true;
    return false;
}

/* Reads the VM's requirements. False: one is invalid, as noted in *eligible. */
static bool read_wants(struct eligibility *eligibility, const struct vm *vm, bool later,
                       struct wants *wants, struct eligible *eligible)
{
    eligible->malformed =
        eligibility_fault_of_groups(eligibility, vm, eligible->reason, sizeof eligible->reason);
    if (eligible->malformed || !is_affordable(eligibility, vm, eligible) ||
        (vm->hardware && has_fault(eligible, vm->hardware->fault)))
        return false;
    *wants = (struct wants){
        .automatic =
            requirement_of(eligibility, "AUTOMATIC_REQUIREMENTS",
                           eligibility_automatic(eligibility, vm, "AUTOMATIC_REQUIREMENTS")),
        .requirement = requirement_of(eligibility, "SCHED_REQUIREMENTS",
                                      eligibility_text(vm, "SCHED_REQUIREMENTS")),
        .ranking = eligibility_ranking_of(eligibility, vm),
        .later = later,
        .roles = eligibility_roles_of(eligibility, vm),
    };
    eligibility_want_datastore(eligibility, vm, wants);
    wants->room = later ? 0 : wants->room;
    eligible->malformed = !eligibility_want_networks(eligibility, vm, wants, eligible->reason,
                                                     sizeof eligible->reason);
    return !eligible->malformed && !has_fault(eligible, fault_of(eligibility, wants));
}

static void answer(struct eligibility *eligibility, const struct vm *vm, bool later,
                   struct eligible *eligible)
{
    const struct requirement_combination *combination;
    struct wants wants;
    const char *fault;

    *eligible = (struct eligible){0};
    if (!read_wants(eligibility, vm, later, &wants, eligible))
        return;
    if (!later &&
        !eligibility_images_fit(eligibility, vm, eligible->reason, sizeof eligible->reason)) {
        eligible->lacks_room = true;
        return;
    }
    combination = combination_of(eligibility, &wants, vm);
    eligible->filter = &combination->filter;
    eligible->n_hosts = combination->n_hosts;
    eligible->lacks_room =
        combination->n_hosts == 0 && !later && (wants.room > 0 || wants.nics != MAP_NONE);
    fault = fault_of_rank(eligibility, &wants, vm);
    eligible->rank_ignored = fault != NULL;
    if (combination->n_hosts == 0)
        say(eligible, combination->reason);
    else if (fault)
        say(eligible, fault);
}

void eligibility_of(struct eligibility *eligibility, const struct vm *vm, struct eligible *eligible)
{
    answer(eligibility, vm, false, eligible);
}

void eligibility_of_later(struct eligibility *eligibility, const struct vm *vm,
                          struct eligible *eligible)
{
    answer(eligibility, vm, true, eligible);
}

const char *eligibility_exclusions(struct eligibility *eligibility, const struct vm *vm)
{
    struct requirement_combination *combination;
    struct eligible eligible = {.filter = NULL};
    struct wants wants;

    if (!read_wants(eligibility, vm, true, &wants, &eligible))
        return "";
    combination = combination_of(eligibility, &wants, vm);
    if (!combination->reason)
        combination->reason = eligibility_reason(eligibility, &wants, vm, false);
    return combination->reason;
}

bool eligibility_names_vms(const struct vm *vm)
{
    const char *text = eligibility_text(vm, "SCHED_REQUIREMENTS");

    return text && strstr(text, ATTRIBUTE_VMS);
}

static void append(struct attributes *all, const struct attributes *attributes)
{
    for (size_t i = 0; i < attributes->n; i++)
        all->items[all->n++] = attributes->items[i];
}

bool eligibility_holds_with(const struct eligibility *eligibility, const struct vm *vm,
                            uint32_t host, const int32_t *ids, size_t n)
{
    enum { ID_ROOM = 12 };
    const struct host *own = &eligibility->hosts->items[host];
    struct expression *requirement;
    struct attributes attributes;
    char *texts;
    bool holds;

    if (!eligibility_names_vms(vm))
        return true;
    requirement = expression_parse_requirement(eligibility_text(vm, "SCHED_REQUIREMENTS"), NULL);
    texts = memory_new(n + 1, ID_ROOM);
    attributes = (struct attributes){
        .items = memory_new(own->attributes.n + own->figures.n + n, sizeof *attributes.items)};
    append(&attributes, &own->attributes);
    append(&attributes, &own->figures);
    for (size_t i = 0; i < n; i++) {
        snprintf(texts + i * ID_ROOM, ID_ROOM, "%d", ids[i]);
        attributes.items[attributes.n++] = (struct attribute){ATTRIBUTE_VMS, texts + i * ID_ROOM};
    }
    holds = requirement && expression_allows(requirement, &attributes);
    expression_destroy(requirement);
    free(attributes.items);
    free(texts);
    return holds;
}

/* --- The whole --- */

static void read_states(struct eligibility *eligibility)
{
    for (size_t i = 0; i < eligibility->hosts->n; i++)
        if (eligibility->hosts->items[i].state == HOST_ON)
            bitmap_add(eligibility->in_service, i);
}

struct eligibility *eligibility_create(const struct eligibility_site *site,
                                       const struct eligibility_settings *settings,
                                       struct error *err)
{
    struct eligibility *eligibility = memory_new(1, sizeof *eligibility);
    const struct host_pool *hosts = site->hosts;
    const struct cluster_pool *clusters = site->clusters;
    size_t words;

    eligibility->hosts = hosts;
    eligibility->datastores = site->datastores;
    eligibility->networks = site->networks;
    eligibility->users = site->users;
    eligibility->acl = site->acl;
    eligibility->settings = *settings;
    eligibility->clusters = clusters;
    eligibility->columns = host_columns_create(hosts, clusters);
    words = host_columns_words(eligibility->columns);
    eligibility->in_service = memory_new(words, sizeof *eligibility->in_service);
    eligibility->scratch = memory_new(words, sizeof *eligibility->scratch);
    map_init_copying(&eligibility->allowed, 0);
    map_init_copying(&eligibility->numbers, 0);
    map_init(&eligibility->kept_columns, sizeof(const double *));
    map_init_copying(&eligibility->requirement_texts, 0);
    map_init_copying(&eligibility->ranking_texts, 0);
    map_init_copying(&eligibility->access_texts, 0);
    map_init_copying(&eligibility->automatic_texts, 0);
    map_init_copying(&eligibility->datastore_texts, 0);
    map_init_copying(&eligibility->role_texts, 0);
    map_init_copying(&eligibility->combination_texts, 0);
    read_states(eligibility);
    eligibility_read_datastores(eligibility);
    eligibility_read_networks(eligibility);
    if (eligibility_default_ranking(eligibility, err) == 0 &&
        eligibility_policy_rank(settings->datastore_policy, settings->datastore_rank, "datastore",
                                &eligibility->datastore_rank, err) == 0 &&
        eligibility_policy_rank(settings->network_policy, settings->network_rank, "network",
                                &eligibility->network_rank, err) == 0)
        return eligibility;
    eligibility_destroy(eligibility);
    return NULL;
}

static void free_answers(struct eligibility *eligibility)
{
    for (size_t i = 0; i < eligibility->requirement_texts.n; i++)
        free(eligibility->requirements[i].fault);
    for (size_t i = 0; i < eligibility->ranking_texts.n; i++)
        if (eligibility->rankings[i].fault)
            free(eligibility->rankings[i].fault);
        else
            memory_free(eligibility->rankings[i].rank.steps);
    for (size_t i = 0; i < eligibility->access_texts.n; i++) {
        free(eligibility->accesses[i].hosts);
        free(eligibility->accesses[i].datastores);
        free(eligibility->accesses[i].networks);
    }
    for (size_t i = 0; i < eligibility->datastore_texts.n; i++) {
        expression_destroy(eligibility->datastore_expressions[i].expression);
        free(eligibility->datastore_expressions[i].fault);
    }
    for (size_t i = 0; i < eligibility->combination_texts.n; i++) {
        free(eligibility->combinations[i]->reason);
        free(eligibility->combinations[i]);
    }
    free(eligibility->requirements);
    free(eligibility->rankings);
    free(eligibility->accesses);
    free(eligibility->datastore_expressions);
    free(eligibility->combinations);
}

void eligibility_destroy(struct eligibility *eligibility)
{
    if (!eligibility)
        return;
    free_answers(eligibility);
    map_finish(&eligibility->requirement_texts);
    map_finish(&eligibility->ranking_texts);
    map_finish(&eligibility->access_texts);
    map_finish(&eligibility->automatic_texts);
    map_finish(&eligibility->datastore_texts);
    map_finish(&eligibility->combination_texts);
    eligibility_forget_roles(eligibility);
    eligibility_forget_datastores(eligibility);
    eligibility_forget_networks(eligibility);
    free(eligibility->in_service);
    free(eligibility->scratch);
    map_finish(&eligibility->allowed);
    map_finish(&eligibility->numbers);
    map_finish(&eligibility->kept_columns);
    host_columns_destroy(eligibility->columns);
    free(eligibility);
}
