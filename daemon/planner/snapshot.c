/* The snapshot of the hosts and the site for a plan: taken from the world, and kept until the next
 * complete plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/base/clock.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"
#include "util/mix.h"

enum { ROOM_PAUSE = 60 /* seconds until missing room is checked again */ };

static void drop_open(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->n_kinds; i++)
        free(snapshot->kinds[i].hosts);
    free(snapshot->kinds);
    free(snapshot->open);
}

void snapshot_drop(struct snapshot *snapshot)
{
    eligibility_destroy(snapshot->eligibility);
    company_destroy(snapshot->company);
    vmgroups_release(snapshot->vmgroups);
    hosts_release(snapshot->hosts);
    site_release(snapshot->site);
    drop_open(snapshot);
    free(snapshot->closed);
    free(snapshot->insides);
    *snapshot = (struct snapshot){0};
}

uint32_t snapshot_place(const struct snapshot *snapshot, int32_t host)
{
    const struct host_pool *pool = &snapshot->hosts->pool;
    const struct host *found = host < 0 ? NULL : host_pool_find(pool, host);

    return found ? (uint32_t)(found - pool->items) : HOST_NONE;
}

uint32_t snapshot_host_place(const struct snapshot *snapshot, uint32_t place)
{
    size_t n = snapshot->hosts->pool.n;

    return place < n ? place : snapshot->insides[place - n].host;
}

const struct host *snapshot_host(const struct snapshot *snapshot, uint32_t place)
{
    return &snapshot->hosts->pool.items[snapshot_host_place(snapshot, place)];
}

/* The digest includes the holders of threads and devices, because oned chooses these. */
static uint64_t mix_hardware(uint64_t digest, const struct host_hardware *hardware)
{
    for (size_t i = 0; i < hardware->n_devices; i++) {
        const struct host_device *device = &hardware->devices[i];

        digest = mix_text(digest, device->address);
        digest = mix_text(digest, device->profiles);
        digest = mix_number(digest, device->vm);
    }
    for (size_t i = 0; i < hardware->n_nodes; i++) {
        const struct host_node *node = &hardware->nodes[i];

        digest = mix_number(digest, node->memory);
        digest = mix_number(digest, (int64_t)node->n_cpus);
        for (size_t j = 0; j < node->n_uses; j++)
            digest = mix_number(mix_number(digest, node->uses[j].vm), node->uses[j].cpu);
        for (size_t j = 0; j < node->n_pages; j++)
            digest = mix_number(mix_number(digest, node->pages[j].size), node->pages[j].count);
    }
    return digest;
}

/* Figures that monitoring changes constantly are left out; requirements on such figures are
 * compared by their results. */
static uint64_t mix_attributes(uint64_t digest, const struct attributes *attributes)
{
    for (size_t i = 0; i < attributes->n; i++)
        if (!eligibility_changes_all_the_time(attributes->items[i].name)) {
            digest = mix_text(digest, attributes->items[i].name);
            digest = mix_text(digest, attributes->items[i].value);
        }
    return digest;
}

static uint64_t hosts_digest(const struct host_pool *pool)
{
    uint64_t digest = MIX_BEGIN;

    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];

        digest = mix_number(digest, host->id);
        digest = mix_number(digest, host->state);
        digest = mix_number(digest, host->cpu);
        digest = mix_number(digest, host->memory);
        digest = mix_number(digest, host->cluster);
        if (host->hardware)
            digest = mix_hardware(digest, host->hardware);
        digest = mix_attributes(digest, &host->attributes);
        digest = mix_attributes(digest, &host->figures);
    }
    return digest;
}

/* Uses the latest figures for new leases if the hosts are otherwise the same. */
static bool snapshot_follow(struct snapshot *snapshot, struct hosts_seen *seen)
{
    if (hosts_digest(&seen->pool) != snapshot->digest ||
        !eligibility_follow(snapshot->eligibility, &seen->pool))
        return false;
    hosts_release(snapshot->hosts);
    snapshot->hosts = hosts_retain(seen);
    return true;
}

bool planner_sees_same_hosts(struct planner *planner)
{
    struct hosts_seen *seen = world_hosts(planner->world);

    if (!planner->ready || !seen)
        return false;
    if (seen->number != planner->compared) {
        planner->compared = seen->number;
        planner->same = snapshot_follow(&planner->snapshot, seen);
    }
    return planner->same;
}

static void use_vmgroups(struct snapshot *snapshot, struct vmgroups_seen *seen)
{
    company_destroy(snapshot->company);
    vmgroups_release(snapshot->vmgroups);
    snapshot->vmgroups = vmgroups_retain(seen);
    snapshot->company = seen ? company_create(&seen->pool) : NULL;
    eligibility_use_vmgroups(snapshot->eligibility, seen ? &seen->pool : NULL);
}

/* Is the VM in the plan with its old roles? */
static bool is_in_plan(void *context, int32_t id)
{
    const struct planner *planner = context;
    const struct vm_observation *observed = world_vm(planner->world, id);
    const struct vm_record *vm = store_vm(planner->store, id);
    const struct planned *planned = vm ? planned_of(&planner->planned, vm->lease) : NULL;

    if (!observed || !observed->present)
        return false;
    return vm ? planned && !planned->gone : observed_holds_host(observed);
}

bool planner_sees_same_vmgroups(struct planner *planner)
{
    struct snapshot *snapshot = &planner->snapshot;
    struct vmgroups_seen *seen = world_vmgroups(planner->world);

    if (!planner->ready || seen == snapshot->vmgroups)
        return true;
    if (!snapshot->vmgroups ||
        !company_can_follow(&snapshot->vmgroups->pool, &seen->pool, is_in_plan, planner))
        return false;
    use_vmgroups(snapshot, seen);
    return true;
}

static bool takes_vms(const struct host *host)
{
    return host->state == HOST_ON;
}

/* Repeats the room on datastores that was promised to VMs and is missing in the datastores'
 * figures. */
static void repeat_promises(struct snapshot *snapshot, const struct planner *planner)
{
    size_t n;
    const struct room_promise *promises = world_promises(planner->world, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t place = snapshot_place(snapshot, promises[i].host);

        if (place != HOST_NONE)
            eligibility_promise(snapshot->eligibility, promises[i].datastore, place,
                                promises[i].amount);
    }
}

/* Repeats the promised addresses of networks. */
static void repeat_addresses(struct snapshot *snapshot, const struct planner *planner)
{
    size_t n;
    const struct address_promise *promises = world_addresses(planner->world, &n);

    for (size_t i = 0; i < n; i++)
        eligibility_promise_address(snapshot->eligibility, promises[i].choice.network);
}

uint32_t snapshot_inside(const struct snapshot *snapshot, uint32_t host, const char *booking)
{
    for (size_t i = 0; i < snapshot->n_insides; i++)
        if (snapshot->insides[i].host == host && strcmp(snapshot->insides[i].booking, booking) == 0)
            return (uint32_t)(snapshot->hosts->pool.n + i);
    return HOST_NONE;
}

static void take_insides(struct snapshot *snapshot, const struct drains *drains)
{
    snapshot->insides = NULL; /* it is new, but the static analyser does not see that */
    snapshot->n_insides = snapshot->insides_allocated = 0;
    for (size_t i = 0; drains && i < drains->n; i++) {
        const struct drain *drain = &drains->items[i];
        uint32_t host = snapshot_place(snapshot, drain->host);
        struct inside *inside;

        if (!*drain->booking || host == HOST_NONE ||
            snapshot_inside(snapshot, host, drain->booking) != HOST_NONE)
            continue;
        MEMORY_GROW(snapshot->insides, snapshot->insides_allocated, snapshot->n_insides + 1);
        inside = &snapshot->insides[snapshot->n_insides++];
        inside->host = host;
        snprintf(inside->booking, sizeof inside->booking, "%s", drain->booking);
    }
}

static void add_kind(struct snapshot *snapshot, const struct host_device *device, size_t host)
{
    struct device_kind *kind = snapshot->kinds;
    size_t n = snapshot->n_kinds, words = bitmap_words(snapshot->hosts->pool.n);

    while (n > 0 && (kind->vendor != device->vendor || kind->device != device->device ||
                     kind->class != device->class))
        n--, kind++;
    if (n == 0) {
        if (snapshot->n_kinds == DEVICE_KINDS_MOST)
            return;
        MEMORY_GROW(snapshot->kinds, snapshot->kinds_allocated, snapshot->n_kinds + 1);
        kind = &snapshot->kinds[snapshot->n_kinds++];
        *kind = (struct device_kind){device->vendor, device->device, device->class,
                                     memory_new(words, sizeof *kind->hosts)};
    }
    bitmap_add(kind->hosts, host);
}

/* After snapshot->closed: which hosts are open, and the kinds of their devices. */
static void note_open(struct snapshot *snapshot)
{
    const struct host_pool *pool = &snapshot->hosts->pool;

    snapshot->open = memory_new(bitmap_words(pool->n), sizeof *snapshot->open);
    for (size_t i = 0; i < pool->n; i++) {
        const struct host_hardware *hardware = pool->items[i].hardware;

        if (!snapshot->closed[i])
            bitmap_add(snapshot->open, i);
        for (size_t j = 0; hardware && j < hardware->n_devices; j++)
            add_kind(snapshot, &hardware->devices[j], i);
    }
}

int snapshot_take(struct snapshot *snapshot, const struct planner *planner,
                  const struct drains *drains, struct error *err)
{
    const struct host_pool *pool;

    snapshot_drop(snapshot);
    if (!world_hosts(planner->world) || !world_site(planner->world))
        return error_set(err, EAGAIN, "OpenNebula's hosts have not been read yet");
    snapshot->hosts = hosts_retain(world_hosts(planner->world));
    snapshot->site = site_retain(world_site(planner->world));
    pool = &snapshot->hosts->pool;
    if (pool->n == 0)
        return error_set(err, EAGAIN, "OpenNebula has no hosts");
    snapshot->digest = hosts_digest(pool);
    snapshot->closed = memory_new(pool->n, sizeof *snapshot->closed);
    for (size_t i = 0; i < pool->n; i++)
        snapshot->closed[i] =
            !takes_vms(&pool->items[i]) ||
            quarantine_has(planner->settings.quarantine, pool->items[i].id, clock_now());
    note_open(snapshot);
    snapshot->eligibility =
        eligibility_create(&(struct eligibility_site){.hosts = pool,
                                                      .datastores = &snapshot->site->datastores,
                                                      .networks = &snapshot->site->networks,
                                                      .clusters = &snapshot->site->clusters,
                                                      .users = &snapshot->site->users,
                                                      .acl = &snapshot->site->acl},
                           &planner->settings.eligibility, err);
    if (!snapshot->eligibility)
        return -1;
    take_insides(snapshot, drains);
    use_vmgroups(snapshot, world_vmgroups(planner->world));
    repeat_promises(snapshot, planner);
    repeat_addresses(snapshot, planner);
    return 0;
}

/* Promises the VM room on its system datastore and on the datastores of its images. */
static void promise_room(struct planner *planner, const struct vm *vm, int32_t datastore,
                         uint32_t place)
{
    struct eligibility *eligibility = planner->snapshot.eligibility;
    int32_t host = planner->snapshot.hosts->pool.items[place].id;
    bool moves_in = vm->history.sequence < 0;
    size_t n = 1 + (moves_in ? vm->n_images : 0);
    struct room_promise *promises = memory_new(n, sizeof *promises);

    promises[0] = (struct room_promise){
        .datastore = datastore, .host = host, .amount = eligibility_room_needed(eligibility, vm)};
    for (size_t i = 1; i < n; i++)
        promises[i] = (struct room_promise){.datastore = vm->images[i - 1].datastore,
                                            .host = host,
                                            .of_images = true,
                                            .amount = vm->images[i - 1].amount};
    for (size_t i = 0; i < n; i++)
        eligibility_promise(eligibility, promises[i].datastore, place, promises[i].amount);
    world_promise(planner->world, vm->id, promises, n);
    free(promises);
}

/* Chooses networks for the VM's automatic NICs on the host. */
static bool choose_networks(struct planner *planner, const struct vm *vm, uint32_t place,
                            struct reason *reason, char *text, size_t size)
{
    struct eligibility *eligibility = planner->snapshot.eligibility;
    struct nic_choice choices[VM_NICS_MAX];

    if (vm->n_nics == 0)
        return true;
    if (eligibility_networks(eligibility, vm, place, choices, text, size) < 0) {
        reason->id = REASON_NO_NETWORK;
        return false;
    }
    for (size_t i = 0; i < vm->n_nics; i++)
        eligibility_promise_address(eligibility, choices[i].network);
    world_promise_addresses(planner->world, vm->id, choices, vm->n_nics);
    return true;
}

/* Has the VM been sent to the host, does it move there, or is it there? */
static bool goes_to(const struct planner *planner, const struct vm_record *vm, int32_t host)
{
    const struct vm_observation *observed = world_vm(planner->world, vm->id);

    if (vm->gone)
        return false;
    return (vm->host == host && command_kinds[vm->command].load == LOADS_HOST) ||
           (vm_moves(vm) && vm->move_to == host) ||
           (observed && observed->history.host == host && observed_holds_host(observed));
}

/* Does the VM's requirement on CURRENT_VMS hold with the VMs that went to the host since it was
 * read? The host does not list them yet; once it does, another host is chosen. */
static bool bears_arrivals(const struct planner *planner, const struct vm *vm, uint32_t place,
                           struct reason *reason, char *text, size_t size)
{
    int32_t host = planner->snapshot.hosts->pool.items[place].id;
    size_t n, n_arrivals = 0;
    const struct vm_record *const *vms = store_vms(planner->store, &n);
    int32_t *arrivals;
    bool holds;

    if (!eligibility_names_vms(vm))
        return true;
    arrivals = memory_new(n, sizeof *arrivals);
    for (size_t i = 0; i < n; i++)
        if (vms[i]->id != vm->id && goes_to(planner, vms[i], host))
            arrivals[n_arrivals++] = vms[i]->id;
    holds = n_arrivals == 0 ||
            eligibility_holds_with(planner->snapshot.eligibility, vm, place, arrivals, n_arrivals);
    free(arrivals);
    if (holds)
        return true;
    reason->id = REASON_HOSTS_EXCLUDED;
    details_add(text, size, &(struct detail){.id = DETAIL_ARRIVALS, .n = {host}});
    return false;
}

int32_t planner_prepare(struct planner *planner, int32_t id, int32_t host, struct reason *reason,
                        char *text, size_t size)
{
    const struct vm_observation *observed = world_vm(planner->world, id);
    uint32_t place;
    int32_t datastore;

    text[0] = '\0';
    *reason = (struct reason){.id = REASON_NO_DATASTORE, .text = text};
    if (!planner->snapshot.eligibility || !observed || !observed->full)
        return -1;
    place = snapshot_place(&planner->snapshot, host);
    if (place == HOST_NONE) {
        details_add(text, size, &(struct detail){.id = DETAIL_HOST_GONE, .n = {host}});
        return -1;
    }
    if (!bears_arrivals(planner, observed->full, place, reason, text, size))
        return -1;
    datastore =
        eligibility_datastore(planner->snapshot.eligibility, observed->full, place, text, size);
    if (datastore < 0 || !choose_networks(planner, observed->full, place, reason, text, size))
        return -1;
    promise_room(planner, observed->full, datastore, place);
    return datastore;
}

void planner_look_for_room(struct planner *planner, const struct lease_record *lease, int64_t now,
                           struct reason *reason, struct eligible *eligible)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    for (size_t i = 0; planner->snapshot.eligibility && i < n; i++) {
        const struct vm_observation *observed = world_vm(planner->world, vms[i]->id);

        if (vms[i]->gone || !observed || !observed->full)
            continue;
        eligibility_of(planner->snapshot.eligibility, observed->full, eligible);
        if (!eligible->lacks_room)
            continue;
        *reason = (struct reason){.id = REASON_NO_ROOM_YET, .text = eligible->reason};
        if (now + ROOM_PAUSE < planner->retry)
            planner->retry = now + ROOM_PAUSE;
        return;
    }
}
