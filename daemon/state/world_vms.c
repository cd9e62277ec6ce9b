/* Keeps the observations of VMs. */
#include "daemon/state/world.h"

#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/state/world_inside.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_OPENNEBULA

enum {
    ARRIVES = 60 * 1000,   /* milliseconds: an accepted migration has begun by then */
    DROPPED_AT_ONCE = 512, /* forms dropped one by one between searches for pools to free */
};

/* --- observations ----------------------------------------------------------------------------- */

struct vm_observation *observation_make(struct world *world, int32_t id)
{
    size_t before = world->observations.n;
    struct vm_observation *observed =
        map_value(&world->observations, map_add(&world->observations, id));

    if (world->observations.n > before)
        *observed = (struct vm_observation){.id = id, .history = {.sequence = -1, .host = -1}};
    return observed;
}

const struct vm_observation *world_vm(const struct world *world, int32_t id)
{
    return map_value(&world->observations, map_find(&world->observations, id));
}

const struct vm_observation *world_next(const struct world *world, size_t *cursor)
{
    return *cursor < world->observations.n ? map_value(&world->observations, (uint32_t)(*cursor)++)
                                           : NULL;
}

static bool counts_as_in_transition(const struct vm_observation *observed)
{
    return observed->asked && observed_in_transition(observed);
}

void observation_is_new(struct world *world, int32_t id)
{
    MEMORY_GROW(world->changed_vms, world->changed_vms_allocated, world->n_changed_vms + 1);
    world->changed_vms[world->n_changed_vms++] = id;
    world->n_changes++;
}

const int32_t *world_take_changed_vms(struct world *world, size_t *n)
{
    *n = world->n_changed_vms;
    world->n_changed_vms = 0;
    return world->changed_vms;
}

uint64_t world_changes(const struct world *world)
{
    return world->n_changes;
}

size_t world_in_transition(const struct world *world)
{
    return world->n_in_transition;
}

void observation_finish(struct vm_observation *observed)
{
    free(observed->error);
    vm_hardware_destroy(observed->hardware);
}

static void drop(struct world *world, int32_t id)
{
    uint32_t number = map_find(&world->observations, id);

    if (number == MAP_NONE)
        return;
    world->n_in_transition -= counts_as_in_transition(map_value(&world->observations, number));
    world->forms_listed = false;
    observation_finish(map_value(&world->observations, number));
    map_remove(&world->observations, number);
}

/* Does the VM's last host list the VM, as far as known? */
static bool is_listed(const struct world *world, int32_t id)
{
    const struct vm_observation *observed = world_vm(world, id);
    const struct host *host = observed && world->hosts
                                  ? host_pool_find(&world->hosts->pool, observed->history.host)
                                  : NULL;

    for (size_t i = 0; host && i < host->n_vms; i++)
        if (host->vms[i] == id)
            return true;
    return false;
}

void world_drop(struct world *world, int32_t id)
{
    if (!is_listed(world, id)) {
        drop(world, id);
        return;
    }
    observation_make(world, id)->full_seen = false; /* if it comes back, it is a new one */
    MEMORY_GROW(world->leaving, world->leaving_allocated, world->n_leaving + 1);
    world->leaving[world->n_leaving++] = id;
}

void observations_review(struct world *world)
{
    for (size_t i = world->n_leaving; i-- > 0;) {
        const struct vm_observation *observed = world_vm(world, world->leaving[i]);
        bool is_back = observed && observed->present && observed->missing == 0;

        if (!is_back && is_listed(world, world->leaving[i]))
            continue;
        if (!is_back)
            drop(world, world->leaving[i]);
        world->leaving[i] = world->leaving[--world->n_leaving];
    }
}

/* Is the VM running while its last record has not begun? Then it is moving to the host of that
 * record. If oned ended before it began the migration, the record stays like that: the VM is where
 * oned reports it. */
static bool is_arriving(struct vm_observation *observed, const struct vm *vm, int64_t asked)
{
    if (observed->history.sequence != vm->history.sequence || (vm->is_extended && !vm->arriving))
        observed->arriving = 0;
    if (vm->is_extended && vm->arriving && !observed->arriving)
        observed->arriving = asked;
    return observed->arriving && vm->state == VM_RUNNING && asked - observed->arriving < ARRIVES;
}

/* The short form has no times: the known times remain valid as long as the record is the same. */
static void see_history(struct vm_observation *observed, const struct vm *vm, bool changed)
{
    const struct vm_history *old = &observed->history, *new = &vm->history;

    if (vm->is_extended || new->sequence < 0) {
        observed->history = *new;
        observed->has_times = true;
    } else if (changed || !observed->has_times || new->sequence != old->sequence ||
               new->host != old->host) {
        observed->history = *new;
        observed->has_times = false;
    }
}

/* Warns if OpenNebula contradicts itself: records are only added, and the host of a record never
 * changes. */
static void check_history(const struct vm_observation *observed, const struct vm *vm)
{
    const struct vm_history *old = &observed->history, *new = &vm->history;

    if (old->sequence > new->sequence)
        log_warning_of(
            -1, vm->id,
            "VM %d: OpenNebula contradicts itself: it has %d history records, and had %d", vm->id,
            new->sequence + 1, old->sequence + 1);
    else if (old->sequence >= 0 && old->sequence == new->sequence && old->host != new->host)
        log_warning_of(-1, vm->id,
                       "VM %d: OpenNebula contradicts itself: its history record %d is of host %d, "
                       "and was of host %d",
                       vm->id, new->sequence, new->host, old->host);
}

static void see_error(struct vm_observation *observed, const struct vm *vm)
{
    free(observed->error);
    observed->error = observed_failed(observed) && vm->error ? memory_text(vm->error) : NULL;
}

static bool is_same_record(const struct vm_history *a, const struct vm_history *b)
{
    return a->sequence == b->sequence && a->host == b->host && a->cluster == b->cluster &&
           a->datastore == b->datastore && a->stime == b->stime && a->etime == b->etime &&
           a->pstime == b->pstime && a->petime == b->petime && a->rstime == b->rstime &&
           a->retime == b->retime && a->estime == b->estime && a->eetime == b->eetime &&
           a->recreated == b->recreated;
}

/* Are the observations the same, except for the times of the requests? */
static bool is_same(const struct vm_observation *a, const struct vm_observation *b)
{
    return a->state == b->state && a->state_name == b->state_name && a->since == b->since &&
           a->present == b->present && a->resched == b->resched && a->locked == b->locked &&
           a->uid == b->uid && a->gid == b->gid && a->cpu == b->cpu && a->memory == b->memory &&
           a->has_times == b->has_times && a->missing == b->missing && a->created == b->created &&
           a->ran_for == b->ran_for && a->n_records == b->n_records && a->arriving == b->arriving &&
           is_same_record(&a->history, &b->history);
}

static void see_properties(struct vm_observation *observed, const struct vm *vm)
{
    observed->state_name = vm->state_name;
    observed->present = vm->state != VM_DONE;
    observed->resched = vm->resched;
    observed->locked = vm->locked;
    if (observed->uid != vm->uid || observed->gid != vm->gid)
        observed->full_seen = false;
    observed->uid = vm->uid;
    observed->gid = vm->gid;
    observed->cpu = vm->cpu;
    observed->memory = vm->memory;
    observed->size_unread = vm->size_unread;
    observed->created = vm->stime;
    observed->missing = 0;
    observed->lost = false;
}

static void see_extended_form(struct vm_observation *observed, const struct vm *vm)
{
    vm_hardware_destroy(observed->hardware);
    observed->hardware = vm_hardware_copy(vm->hardware);
    if (vm->n_records < observed->n_records)
        return;
    observed->n_records = vm->n_records;
    observed->ran_for = vm->ran_for;
}

void observation_see(struct world *world, const struct vm *vm, int64_t asked)
{
    struct vm_observation *observed = observation_make(world, vm->id);
    struct vm_observation before;
    bool had_error, arriving, changed;
    enum vm_state state = vm->state;

    if (asked < observed->asked)
        return;
    if (world_is_another(observed->created, vm->stime)) { /* nothing observed is of this VM */
        drop(world, vm->id);
        observed = observation_make(world, vm->id);
    }
    before = *observed;
    had_error = observed->error != NULL;
    check_history(observed, vm);
    arriving = is_arriving(observed, vm, asked);
    if (arriving)
        state = VM_LIVE_MIGRATING;
    changed = observed->state != state || observed->state_name != vm->state_name;
    if (changed || observed->asked == 0)
        observed->since = asked;
    observed->asked = asked;
    observed->state = state;
    see_properties(observed, vm);
    see_history(observed, vm, changed || arriving);
    see_error(observed, vm);
    world->in_vmgroups |= vm->in_vmgroup;
    if (changed) /* a record may have been closed since */
        observed->n_records = 0;
    if (vm->is_extended)
        see_extended_form(observed, vm);
    world->n_in_transition +=
        (size_t)counts_as_in_transition(observed) - (size_t)counts_as_in_transition(&before);
    if (before.asked == 0 || had_error || observed->error || !is_same(&before, observed))
        observation_is_new(world, observed->id);
}

void observation_lose(struct world *world, int32_t id, int64_t asked)
{
    struct vm_observation *observed = observation_make(world, id);

    if (asked < observed->asked)
        return;
    world->n_in_transition -= counts_as_in_transition(observed);
    if (observed->state != VM_DONE || observed->asked == 0)
        observed->since = asked;
    observed->asked = asked;
    observed->state = VM_DONE;
    observed->state_name = vm_state_traits[VM_DONE].word;
    observed->present = false;
    observed->lost = true;
    observation_is_new(world, id);
}

/* --- extended forms --------------------------------------------------------------------------- */

void full_forms_finish(struct full_forms *full)
{
    for (size_t i = 0; i < full->n; i++)
        vm_pool_finish(&full->pools[i].pool);
    free(full->pools);
    *full = (struct full_forms){0};
}

void full_forms_add(struct full_forms *full, const struct vm_pool *pool, int64_t asked)
{
    MEMORY_GROW(full->pools, full->allocated, full->n + 1);
    full->pools[full->n++] = (struct form_pool){*pool, asked};
}

void full_forms_use(struct world *world, const struct form_pool *forms)
{
    for (size_t i = 0; i < forms->pool.n; i++) {
        const struct vm *vm = &forms->pool.items[i];

        if (vm->is_extended) {
            struct vm_observation *observed = observation_make(world, vm->id);

            observed->full = vm;
            observed->full_passed = false;
            observed->full_asked = forms->asked;
            observed->full_seen = true;
        }
    }
    world->n_changes += forms->pool.n > 0;
    world->forms_listed = false;
    world->forms_are_new = true;
}

static int by_id(const void *a, const void *b)
{
    int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;

    return one < other ? -1 : one > other;
}

const int32_t *world_forms(struct world *world, size_t *n)
{
    for (size_t i = 0; i < world->full.n && !world->forms_listed; i++) {
        const struct vm_pool *pool = &world->full.pools[i].pool;

        world->n_forms = i == 0 ? 0 : world->n_forms;
        MEMORY_GROW(world->forms, world->forms_allocated, world->n_forms + pool->n);
        for (size_t j = 0; j < pool->n; j++) {
            const struct vm_observation *observed = world_vm(world, pool->items[j].id);

            if (observed && observed->full == &pool->items[j] && !observed->full_passed)
                world->forms[world->n_forms++] = observed->id;
        }
    }
    if (world->full.n == 0)
        world->n_forms = 0;
    if (!world->forms_listed && world->n_forms)
        qsort(world->forms, world->n_forms, sizeof *world->forms, by_id);
    world->forms_listed = true;
    world->forms_are_new = false;
    *n = world->n_forms;
    return world->forms;
}

/* Forms requested after the poll began are newer: they come last, since later forms take
 * precedence. */
static void keep_later_forms(struct world *world)
{
    for (size_t i = 0; i < world->full.n; i++) {
        struct form_pool *forms = &world->full.pools[i];

        if (forms->asked > world->asked)
            full_forms_add(&world->full_next, &forms->pool, forms->asked);
        else
            vm_pool_finish(&forms->pool);
    }
    free(world->full.pools);
}

/* Removes the pool's forms from the observations that have them. */
static void forget_forms(const struct world *world, const struct vm_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        struct vm_observation *observed =
            map_value(&world->observations, map_find(&world->observations, pool->items[i].id));

        if (observed && observed->full == &pool->items[i])
            observed->full = NULL;
    }
}

void full_forms_take(struct world *world)
{
    for (size_t i = 0; i < world->full.n; i++)
        forget_forms(world, &world->full.pools[i].pool);
    keep_later_forms(world);
    world->forms_listed = false;
    world->full = world->full_next;
    world->full_next = (struct full_forms){0};
    for (size_t i = 0; i < world->full.n; i++)
        full_forms_use(world, &world->full.pools[i]);
}

void world_read_all(struct world *world)
{
    for (uint32_t i = 0; i < world->observations.n; i++)
        ((struct vm_observation *)map_value(&world->observations, i))->full_seen = false;
}

static bool is_used(const struct world *world, const struct vm *vm)
{
    const struct vm_observation *observed = world_vm(world, vm->id);

    return observed && observed->full == vm;
}

static bool is_needed(const struct world *world, const struct vm *vm)
{
    if (!is_used(world, vm))
        return false;
    if (!observed_running(world_vm(world, vm->id)))
        return true;
    for (size_t i = 0; i < world->n_wanted; i++)
        if (world->wanted[i] == vm->id)
            return true;
    return false;
}

typedef bool form_test(const struct world *world, const struct vm *vm);

static bool has_form(const struct world *world, const struct vm_pool *pool, form_test *is_kept)
{
    for (size_t i = 0; i < pool->n; i++)
        if (is_kept(world, &pool->items[i]))
            return true;
    return false;
}

static void drop_pool(struct world *world, struct vm_pool *pool)
{
    forget_forms(world, pool);
    world->forms_listed = false;
    vm_pool_finish(pool);
}

/* Drops the pools without a form that is to be kept. */
static void drop_pools(struct world *world, form_test *is_kept)
{
    size_t kept = 0;

    for (size_t i = 0; i < world->full.n; i++) {
        if (has_form(world, &world->full.pools[i].pool, is_kept))
            world->full.pools[kept++] = world->full.pools[i];
        else
            drop_pool(world, &world->full.pools[i].pool);
    }
    world->full.n = kept;
}

void world_drop_forms(struct world *world)
{
    drop_pools(world, is_needed);
}

void world_pass_form(struct world *world, int32_t id)
{
    struct vm_observation *observed =
        map_value(&world->observations, map_find(&world->observations, id));

    observed->full_passed = true;
    world->forms_listed = false;
}

void world_drop_form(struct world *world, int32_t id)
{
    struct vm_observation *observed =
        map_value(&world->observations, map_find(&world->observations, id));

    observed->full = NULL;
    world->forms_listed = false;
    if (++world->n_dropped % DROPPED_AT_ONCE == 0)
        drop_pools(world, is_used);
}
