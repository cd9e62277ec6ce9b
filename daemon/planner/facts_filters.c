/* Host filters, and the bitmaps and columns that they refer to, as facts. What many VMs share is
 * sent once. Also the filters of VMs that must leave their hosts. */
#include <stdlib.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"

enum { LOOK_AGAIN = 2 /* seconds until a missing document is checked again */ };

/* Eight bytes for each host, or NULL. */
static void put_column(struct facts *facts, const void *column)
{
    struct map *sent = &facts->sent->columns;
    size_t before = sent->n;

    if (!column) {
        wire_put(&facts->filter_section, -1);
        return;
    }
    wire_put(&facts->filter_section, map_add(sent, (int64_t)(intptr_t)column));
    if (sent->n == before)
        return;
    wire_put_raw(&facts->column_section, column, facts->snapshot->hosts->pool.n * sizeof(int64_t));
    facts->n_new_columns++;
}

static void put_rank(struct facts *facts, const struct host_rank *rank)
{
    struct wire_writer *section = &facts->filter_section;

    wire_put(section, (int64_t)rank->n);
    for (size_t i = 0; i < rank->n; i++) {
        wire_put(section, rank->steps[i].operation);
        if (rank->steps[i].operation == RANK_NUMBER)
            wire_put_raw(section, &rank->steps[i].number, sizeof rank->steps[i].number);
        else if (rank->steps[i].operation == RANK_COLUMN)
            put_column(facts, rank->steps[i].column);
    }
    put_column(facts, rank->added);
    put_column(facts, rank->preferences);
}

/* The places that the filter allows on these sides; to be freed. */
static uint64_t *allowed_places(const struct facts *facts, const struct sides *sides,
                                const struct host_filter *filter)
{
    const struct snapshot *snapshot = facts->snapshot;
    size_t n_places = snapshot->hosts->pool.n + snapshot->n_insides;
    uint64_t *allowed = memory_new(bitmap_words(n_places), sizeof *allowed);

    for (uint32_t place = 0; place < n_places; place++)
        if (host_filter_allows(filter, snapshot_host_place(snapshot, place)) &&
            facts_is_on(facts, sides, place))
            bitmap_add(allowed, place);
    return allowed;
}

/* The number of the filter's bitmap for these sides; -1: all places. */
static int32_t put_allowed(struct facts *facts, const struct sides *sides,
                           const struct host_filter *filter)
{
    const struct snapshot *snapshot = facts->snapshot;
    size_t words = bitmap_words(snapshot->hosts->pool.n + snapshot->n_insides);
    uint64_t *own = snapshot->n_insides ? allowed_places(facts, sides, filter) : NULL;
    const uint64_t *allowed = own ? own : filter->allowed;

    if (!allowed)
        return -1;
    wire_put_raw(&facts->bitmap_section, allowed, words * sizeof *allowed);
    free(own);
    facts->n_new_bitmaps++;
    return (int32_t)facts->sent->n_bitmaps++;
}

static int32_t put_filter(struct facts *facts, const struct host_filter *filter, int32_t allowed)
{
    struct wire_writer *section = &facts->filter_section;

    wire_put(section, allowed);
    wire_put(section, filter->rank != NULL);
    if (filter->rank)
        put_rank(facts, filter->rank);
    wire_put(section, filter->rank_per_vm);
    facts->n_new_filters++;
    return (int32_t)facts->sent->n_filters++;
}

static struct sides sides_of_vm(const struct facts *facts, const struct vm_record *vm)
{
    return facts_sides(facts, facts_lease(facts, store_lease(facts->store, vm->lease)),
                       vm_planned_host(vm));
}

int32_t facts_put_filter(struct facts *facts, const struct vm_record *vm,
                         const struct host_filter *filter)
{
    const struct sides sides = sides_of_vm(facts, vm);

    return put_filter(facts, filter, put_allowed(facts, &sides, filter));
}

/* The number with which an object was sent for these sides; *is_new: it is to be sent. */
static int32_t *number_of(struct map *sent, const void *object, const struct sides *sides,
                          bool *is_new)
{
    char key[sizeof object + sizeof *sides];
    size_t before = sent->n;
    uint32_t number;

    memcpy(key, &object, sizeof object);
    memcpy(key + sizeof object, sides, sizeof *sides);
    number = map_add_bytes(sent, key, sizeof key);
    *is_new = sent->n > before;
    return map_value(sent, number);
}

static int32_t shared_filter(struct facts *facts, const struct sides *sides,
                             const struct host_filter *filter)
{
    struct sent *sent = facts->sent;
    bool is_new, bitmap_is_new;
    int32_t *number = number_of(&sent->filters, filter, sides, &is_new), *allowed;

    if (!is_new)
        return *number;
    allowed = number_of(&sent->bitmaps, filter->allowed, sides, &bitmap_is_new);
    if (bitmap_is_new)
        *allowed = put_allowed(facts, sides, filter);
    *number = put_filter(facts, filter, *allowed);
    return *number;
}

int32_t facts_shared_filter(struct facts *facts, const struct vm_record *vm,
                            const struct host_filter *filter)
{
    const struct sides sides = sides_of_vm(facts, vm);

    return shared_filter(facts, &sides, filter);
}

static const struct host_filter any_host;

int32_t facts_any_host(struct facts *facts, const struct vm_record *vm)
{
    return facts->snapshot->n_insides ? facts_shared_filter(facts, vm, &any_host) : -1;
}

int32_t facts_usual_hosts_of(struct facts *facts, const struct lease_record *lease)
{
    const struct sides sides = facts_sides(facts, lease, -1);
    const struct host_pool *hosts = &facts->snapshot->hosts->pool;
    uint64_t *usual = memory_new(bitmap_words(hosts->n), sizeof *usual);
    const struct host_filter filter = {.allowed = usual};
    size_t n = 0;
    int32_t number = -1;

    for (size_t i = 0; i < hosts->n; i++)
        if (host_takes_usual_vms(&hosts->items[i])) {
            bitmap_add(usual, i);
            n++;
        }
    if (n < hosts->n)
        number = put_filter(facts, &filter, put_allowed(facts, &sides, &filter));
    else if (facts->snapshot->n_insides)
        number = shared_filter(facts, &sides, &any_host);
    free(usual);
    return number;
}

/* --- filters of VMs that must leave their hosts -------------------------------------------------
 */

/* why: details. */
static void cannot_leave(struct facts *facts, const struct vm_record *vm, int32_t host,
                         const char *why, int64_t retry)
{
    if (vm_is_only_wanted(facts->planner, facts->drains, vm, facts->now))
        return; /* a VM that only rebalancing would move may stay */
    facts_note(facts, NOTE_STAYS, vm->lease,
               &(struct reason){.id = REASON_NO_OTHER_HOST, .n = {vm->id, host}, .text = why},
               retry);
    if (retry != INSTANT_NONE)
        facts_retry_at(facts, retry);
}

/* Collects the hosts in service that the filter allows, except the VM's own and, if others remain,
 * hosts that the VM avoids after failures. A VM that only rebalancing moves may use just its
 * target. Returns their number. */
static size_t other_hosts(const struct facts *facts, const struct vm_record *vm, int32_t host,
                          const struct host_filter *filter, uint64_t *allowed)
{
    const struct host_pool *pool = &facts->snapshot->hosts->pool;
    bool only_wanted = vm_is_only_wanted(facts->planner, facts->drains, vm, facts->now);
    size_t n = 0, n_fresh = 0;

    for (size_t i = 0; i < pool->n; i++) {
        if (!host_filter_allows(filter, i) || pool->items[i].id == host ||
            facts->snapshot->closed[i] || (only_wanted && pool->items[i].id != vm->wanted_on))
            continue;
        bitmap_add(allowed, i);
        n++;
        n_fresh += !vm_avoids(vm, pool->items[i].id, facts->now);
    }
    for (size_t i = 0; n_fresh && i < pool->n; i++)
        if (vm_avoids(vm, pool->items[i].id, facts->now))
            bitmap_remove(allowed, i);
    return n_fresh ? n_fresh : n;
}

static void cannot_leave_because(struct facts *facts, const struct vm_record *vm, int32_t host,
                                 enum detail_id why, int64_t retry)
{
    char text[STORE_TEXT_MAX] = "";

    details_add(text, sizeof text, &(struct detail){.id = why});
    cannot_leave(facts, vm, host, text, retry);
}

bool facts_leave_filter(struct facts *facts, const struct vm_record *vm, int32_t host,
                        int32_t *filter)
{
    const struct vm_observation *observed = world_vm(facts->planner->world, vm->id);
    struct eligible eligible = {.filter = NULL};
    struct host_filter own;
    uint64_t *allowed;
    size_t left;

    if (vm->move_again > facts->now) {
        cannot_leave_because(facts, vm, host, DETAIL_MIGRATION_FAILED, vm->move_again);
        return false;
    }
    if (!observed || !observed->full) {
        facts_retry_at(facts, facts->now + LOOK_AGAIN);
        return false;
    }
    eligibility_of(facts->snapshot->eligibility, observed->full, &eligible);
    if (!eligible.filter || eligible.n_hosts == 0) {
        cannot_leave(facts, vm, host, eligible.reason, INSTANT_NONE);
        return false;
    }
    own = *eligible.filter;
    own.allowed = allowed =
        memory_new(bitmap_words(facts->snapshot->hosts->pool.n), sizeof *allowed);
    left = other_hosts(facts, vm, host, eligible.filter, allowed);
    if (left)
        *filter = facts_put_filter(facts, vm, &own);
    else
        cannot_leave_because(facts, vm, host, DETAIL_NO_OTHER_HOST, INSTANT_NONE);
    free(allowed);
    return left > 0;
}
