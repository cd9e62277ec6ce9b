/* Units of a host that are free now: by what its VMs really hold, whatever the plan. */
#include <stdlib.h>

#include "core/units.h"
#include "daemon/base/clock.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"

/* One host, as last observed. */
struct looking {
    struct facts facts;
    struct snapshot snapshot;
    struct sent sent;
    const struct host *host;
    struct kept_list kept;
    struct host_units units;
    struct unit_layout layout;
    int64_t *used;
};

static void looking_begin(struct looking *looking, const struct planner *planner,
                          const struct host *host)
{
    looking->host = host;
    looking->kept = (struct kept_list){0};
    looking->snapshot = (struct snapshot){.hosts = world_hosts(planner->world)};
    sent_init(&looking->sent);
    facts_init(&looking->facts, planner, 0);
    looking->facts.snapshot = &looking->snapshot;
    looking->facts.sent = &looking->sent;
    facts_make_units(&looking->facts, host, &looking->kept, &looking->units);
    looking->layout = unit_layout_of(&looking->units);
    looking->used = kept_new(&looking->kept, looking->layout.n, sizeof *looking->used);
}

static void looking_end(struct looking *looking)
{
    kept_finish(&looking->kept);
    facts_finish(&looking->facts);
    sent_finish(&looking->sent);
}

/* A copy, because choosing units changes the amounts in use. */
static int64_t *copy_of_used(const struct looking *looking)
{
    return memory_copy(looking->used, looking->layout.n * sizeof *looking->used);
}

static void add_used(void *context, uint32_t counter, int64_t amount)
{
    ((int64_t *)context)[counter] += amount;
}

static void add_vm(struct looking *looking, const struct vm_observation *observed)
{
    struct held_units *held;
    struct made_demand made;
    struct unit_set set;
    struct vm_units reported;
    int64_t *used;

    if (!facts_make_demand(&looking->facts, observed->hardware, &made))
        return;
    facts_make_vm_units(&looking->facts, looking->host, observed, &looking->kept, &reported);
    used = copy_of_used(looking);
    units_reported(&looking->layout, &made.demand, &reported, used, &set);
    held = held_units_create(0, 0, &made.demand, &set);
    held_units_visit(&looking->layout, held, add_used, looking->used);
    held_units_destroy(held);
    free(used);
}

static bool meets(struct looking *looking, const struct vm_observation *vm)
{
    const struct vm_observation *observed;
    struct made_demand made;
    struct unit_set set;
    size_t cursor = 0;
    int64_t *used;
    bool met;

    if (!facts_make_demand(&looking->facts, vm->hardware, &made))
        return true;
    while ((observed = world_next(looking->facts.planner->world, &cursor)))
        if (observed != vm && observed->hardware && observed_holds_host(observed) &&
            observed->history.host == looking->host->id)
            add_vm(looking, observed);
    used = copy_of_used(looking);
    met = units_choose(&looking->layout, &made.demand, used, &set);
    free(used);
    return met;
}

/* --- devices that are promised ---------------------------------------------------------------- */

/* Takes devices as oned does: the first free one that has the identifiers, requests by address
 * first. */
static bool take_as_oned(const struct looking *looking, const struct vm_demand *demand,
                         int64_t *used)
{
    const struct host_units *units = &looking->units;

    for (int by_address = 1; by_address >= 0; by_address--)
        for (uint32_t i = 0; i < demand->n_devices; i++) {
            struct pci_demand wanted = demand->devices[i];
            uint32_t device = 0;

            if ((wanted.address != DEMAND_ANY) != by_address)
                continue;
            wanted.profile = DEMAND_ANY;
            while (device < units->n_devices && (used[looking->layout.devices + device] ||
                                                 !device_matches(&units->devices[device], &wanted)))
                device++;
            if (device == units->n_devices)
                return false;
            used[looking->layout.devices + device] = 1;
        }
    return true;
}

/* Checks devices only: any CPUs and memory will do. */
static bool gets_devices(const struct looking *looking, const struct vm_observation *vm,
                         int64_t *used)
{
    struct made_demand made;
    struct unit_set set;

    if (!vm || !facts_make_demand(&looking->facts, vm->hardware, &made) || !made.demand.n_devices)
        return true;
    made.demand.pin = PIN_NONE;
    made.demand.n_nodes = 0;
    if (!units_choose(&looking->layout, &made.demand, used, &set))
        return false;
    for (uint32_t i = 0; i < set.n_devices; i++)
        used[looking->layout.devices + set.devices[i]] = 1;
    return true;
}

/* Do the leases that are promised this host before `until` get their devices besides those in
 * use? */
static bool promises_hold(const struct looking *looking, int64_t until, int64_t *used)
{
    const struct planner *planner = looking->facts.planner;
    size_t n_leases, n;
    const struct lease_record *const *leases = store_leases(planner->store, &n_leases);

    for (size_t i = 0; i < n_leases; i++) {
        const struct vm_record *const *vms;

        if (leases[i]->phase != PHASE_RESERVED || leases[i]->expected >= until)
            continue;
        vms = store_vms_of(planner->store, leases[i]->id, &n);
        for (size_t j = 0; j < n; j++)
            if (vm_planned_host(vms[j]) == looking->host->id &&
                !gets_devices(looking, world_vm(planner->world, vms[j]->id), used))
                return false;
    }
    return true;
}

/* Would the VM leave promised leases their devices? A preemptable lease makes room if necessary. */
static bool spares_promises(struct looking *looking, const struct vm_observation *vm)
{
    const struct store *store = looking->facts.planner->store;
    const struct vm_record *record = store_vm(store, vm->id);
    const struct lease_record *lease = record ? store_lease(store, record->lease) : NULL;
    int64_t now = clock_now(), until, *before, *after;
    struct made_demand made;
    bool spared;

    if (!lease || lease->phase == PHASE_RESERVED || lease->terms != TERMS_NON_PREEMPTABLE ||
        !facts_make_demand(&looking->facts, vm->hardware, &made) || !made.demand.n_devices)
        return true;
    until = lease_end_from(lease, now);
    before = copy_of_used(looking);
    after = copy_of_used(looking);
    spared = !promises_hold(looking, until, before) ||
             (take_as_oned(looking, &made.demand, after) && promises_hold(looking, until, after));
    free(before);
    free(after);
    return spared;
}

bool planner_host_has_units(const struct planner *planner, int32_t vm, int32_t host)
{
    const struct vm_observation *observed = world_vm(planner->world, vm);
    struct hosts_seen *hosts = world_hosts(planner->world);
    const struct host *found = hosts && host >= 0 ? host_pool_find(&hosts->pool, host) : NULL;
    struct looking looking;
    bool met;

    if (!observed || !observed->hardware || !found || !found->hardware)
        return true;
    looking_begin(&looking, planner, found);
    met = host_units_are_sound(&looking.units) && meets(&looking, observed) &&
          spares_promises(&looking, observed);
    looking_end(&looking);
    return met;
}
