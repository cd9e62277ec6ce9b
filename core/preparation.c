/* Haizea's image transfer preparation: one repository sends one image at a time. */
#include "core/preparation.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/image_cache.h"
#include "core/leases.h"
#include "core/outputs.h"
#include "core/python_order.h"
#include "core/transfer_slots.h"
#include "util/memory.h"

struct image_transfers {
    struct reservation_list list; /* by start; unfinished transfers */
    struct image_cache *caches;   /* one per host */
};

static bool manages_images(const struct engine *engine)
{
    return engine->settings.preparation == PREPARATION_IMAGE_TRANSFER;
}

bool image_riders_stay_scheduled(const struct engine *engine)
{
    return engine->settings.behaviour.rides_if_sooner;
}

static bool caches_images(const struct engine *engine)
{
    return engine->settings.image_reuse == IMAGE_REUSE_CACHES;
}

static bool is_multicast(const struct engine *engine)
{
    return engine->settings.transfer_mechanism == TRANSFER_MULTICAST;
}

static bool image_files_stay_behind(const struct engine *engine)
{
    return engine->settings.behaviour.image_files_stay_behind;
}

void image_transfers_create(struct engine *engine)
{
    engine->images = memory_new(1, sizeof *engine->images);
    engine->images->caches = memory_new(engine->site.n_hosts, sizeof *engine->images->caches);
}

void image_transfers_destroy(struct engine *engine)
{
    if (!engine->images)
        return;
    for (size_t host = 0; host < engine->site.n_hosts; host++)
        image_cache_finish(&engine->images->caches[host]);
    free(engine->images->caches);
    reservation_list_finish(&engine->images->list);
    free(engine->images);
}

/* --- transfers -------------------------------------------------------------------------------- */

static bool can_ride(const struct engine *engine, const struct lease *lease,
                     const struct reservation *transfer)
{
    return engine->settings.avoid_redundant_transfers && is_multicast(engine) &&
           transfer->state == RESERVATION_SCHEDULED && transfer->until > engine->now &&
           strcmp(transfer->image, lease->request.image) == 0;
}

/* Can the transfer also send to the host, at its rate? */
static bool also_sends_to(const struct engine *engine, const struct reservation *transfer,
                          uint32_t host)
{
    int64_t rate = image_rate_of(transfer->placement);

    return placement_has_host(transfer->placement, host) ||
           (rate <= image_rate_to(engine, host) &&
            image_network_is_free(engine, host, image_network_of(engine, host, rate),
                                  (struct interval){transfer->from, transfer->until}));
}

/* When the images for all VMs of the lease can be there, if a transfer to these hosts sends them.
 */
static int64_t arrival_on(struct engine *engine, const struct lease *lease,
                          const struct placed_vm *vms, uint32_t n)
{
    int64_t rate = image_rate_to_all(engine, vms, n);
    struct placement *to = image_placement(engine, vms, n, rate);
    const struct image_sending sending = {.to = to,
                                          .span = image_span(engine, lease, lease->n_vms, rate)};
    int64_t start = image_first_slot(engine, &engine->images->list, &sending);

    placement_destroy(to);
    return instant_add(start, sending.span);
}

/* The same for one host at this rate; `to` is sending->to, on any host, to be changed. */
static int64_t arrival_at(const struct engine *engine, const struct image_sending *sending,
                          struct placement *to, uint32_t host, int64_t rate)
{
    to->hosts[1] = host;
    to->amounts[to->n_types + RESOURCE_NET_IN] = image_network_of(engine, host, rate);
    return instant_add(image_first_slot(engine, &engine->images->list, sending), sending->span);
}

bool preparation_earliest(struct engine *engine, const struct lease *lease, int64_t *earliest)
{
    const struct reservation_list *list = &engine->images->list;
    struct reservation_list rides = {0};
    struct image_sending sending = {0};
    struct placement *to;
    int64_t rate = -1;

    if (!manages_images(engine) || !lease->request.image)
        return false;
    sending.to = to = image_placement(engine, &(struct placed_vm){.host = 0}, 1, 0);
    for (size_t i = 0; i < list->n; i++)
        if (can_ride(engine, lease, list->items[i]))
            reservation_list_append(&rides, list->items[i]);
    for (uint32_t host = 0; host < engine->site.n_hosts; host++) {
        if (caches_images(engine) &&
            image_cache_find(&engine->images->caches[host], lease->request.image)) {
            earliest[host] = engine->now;
            continue;
        }
        if (image_rate_to(engine, host) != rate) { /* hosts are mostly alike */
            rate = image_rate_to(engine, host);
            sending.span = image_span(engine, lease, lease->n_vms, rate);
            sending.gap = image_first_gap(engine, list, sending.span);
        }
        earliest[host] = arrival_at(engine, &sending, to, host, rate);
        for (size_t i = 0; i < rides.n; i++)
            if (rides.items[i]->until < earliest[host] &&
                also_sends_to(engine, rides.items[i], host))
                earliest[host] = rides.items[i]->until;
    }
    reservation_list_finish(&rides);
    placement_destroy(to);
    return true;
}

/* --- planning --------------------------------------------------------------------------------- */

/* The source of the image for a VM. */
enum image_source { SOURCE_OWN, SOURCE_CACHE, SOURCE_RIDE, SOURCE_TRANSFER };

/* Will the transfer stay planned? The transfers of a victim are cancelled with it. */
static bool stays_planned(const struct engine *engine, const struct proposal *proposal,
                          const struct reservation *transfer)
{
    for (size_t i = 0; i < proposal->victims.n && !transfers_are_never_cancelled(engine); i++)
        if (proposal->victims.items[i] == transfer->lease)
            return false;
    return true;
}

/* The planned transfer, possibly one of an earlier plan of the lease, that ends first and before
 * `arrival`; or NULL. */
static struct reservation *first_ride(const struct engine *engine, const struct lease *lease,
                                      int64_t arrival)
{
    const struct reservation_list *list = &engine->images->list;
    struct reservation *first = NULL;

    for (size_t i = 0; i < list->n; i++)
        if (can_ride(engine, lease, list->items[i]) && list->items[i]->until < arrival) {
            first = list->items[i];
            arrival = first->until;
        }
    return first;
}

static bool also_sends_to_all(const struct engine *engine, const struct reservation *transfer,
                              const struct placement *vms)
{
    for (uint32_t i = 0; i < vms->n_vms; i++)
        if (!also_sends_to(engine, transfer, vms->vms[i].host))
            return false;
    return true;
}

/* A planned transfer that brings the image in time if a transfer of the lease would not, or NULL.
 */
static struct reservation *ride_for(struct engine *engine, const struct lease *lease,
                                    const struct proposal *proposal)
{
    const struct reservation_list *list = &engine->images->list;
    const struct reservation *vm = proposal->plan.vm;
    int64_t arrival = arrival_on(engine, lease, vm->placement->vms, vm->placement->n_vms);

    if (image_riders_stay_scheduled(engine))
        return first_ride(engine, lease, arrival);
    for (size_t i = 0; i < list->n && arrival > vm->from; i++)
        if (can_ride(engine, lease, list->items[i]) && list->items[i]->lease != lease &&
            list->items[i]->until <= vm->from && stays_planned(engine, proposal, list->items[i]) &&
            also_sends_to_all(engine, list->items[i], vm->placement))
            return list->items[i];
    return NULL;
}

/* The host of the VM's only file; HOST_NONE: the VM has no file. */
static uint32_t files_host_of(const struct disk_files *files, uint32_t vm)
{
    const uint32_t *host = disk_files_host(files, vm);

    return host ? *host : HOST_NONE;
}

static enum image_source source_for(const struct engine *engine, const struct lease *lease,
                                    const struct placed_vm *vm, int64_t start, bool may_ride)
{
    const struct image_cache_entry *entry =
        caches_images(engine)
            ? image_cache_find(&engine->images->caches[vm->host], lease->request.image)
            : NULL;

    if (!image_files_stay_behind(engine) &&
        files_host_of(&lease->plan->image_files, vm->vm) == vm->host)
        return SOURCE_OWN;
    if (lease->request.kind == LEASE_RESERVATION || lease->request.kind == LEASE_DEADLINE)
        return entry && entry->keep_until != INSTANT_NONE && entry->keep_until >= start
                   ? SOURCE_CACHE
                   : SOURCE_TRANSFER;
    return entry ? SOURCE_CACHE : may_ride ? SOURCE_RIDE : SOURCE_TRANSFER;
}

static void carry(struct engine *engine, struct reservation *transfer, struct placement *placement)
{
    struct placement *old = transfer->placement;

    slot_table_release(engine->table, transfer);
    transfer->placement = placement;
    slot_table_book(engine->table, transfer);
    placement_destroy(old);
}

/* Adds the riders to the VMs of the transfer, in place of those of a cancelled plan. */
static void join_transfer(struct engine *engine, const struct proposal *proposal)
{
    const struct placement *old = proposal->ride->placement;
    struct placed_vm *vms;
    uint32_t n;

    if (image_riders_stay_scheduled(engine)) {
        carry(engine, proposal->ride,
              image_placement_with(old, proposal->riders, proposal->n_riders));
        return;
    }
    vms = memory_new(old->n_vms + proposal->n_riders, sizeof *vms);
    n = image_vms_of_others(old, proposal->riders->lease, vms);
    memcpy(&vms[n], proposal->riders, proposal->n_riders * sizeof *vms);
    carry(engine, proposal->ride,
          image_placement(engine, vms, n + proposal->n_riders, image_rate_of(old)));
    free(vms);
}

/* Removes the lease's VMs from a shared transfer that has not begun. */
static void leave_transfer(struct engine *engine, struct reservation *transfer, int64_t lease)
{
    const struct placement *old = transfer->placement;
    struct placed_vm *vms;
    uint32_t n;

    if (transfer->state != RESERVATION_SCHEDULED)
        return;
    vms = memory_new(old->n_vms, sizeof *vms);
    n = image_vms_of_others(old, lease, vms);
    if (n < old->n_vms)
        carry(engine, transfer, image_placement(engine, vms, n, image_rate_of(old)));
    free(vms);
}

/* The VMs of the lease whose hosts get the image from this source. */
static uint32_t vms_by_source(struct engine *engine, const struct reservation *vm,
                              enum image_source source, bool may_ride, struct placed_vm *found)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < vm->placement->n_vms; i++)
        if (source_for(engine, vm->lease, &vm->placement->vms[i], vm->from, may_ride) == source)
            found[n++] = vm->placement->vms[i];
    return n;
}

static bool starts_exactly(const struct lease *lease)
{
    return lease->request.kind == LEASE_RESERVATION || lease->request.kind == LEASE_DEADLINE;
}

static int64_t image_deadline(const struct lease *lease, const struct reservation *vm)
{
    return starts_exactly(lease) ? vm->from : INSTANT_NONE;
}

/* Adds a transfer to these VMs, in time for the lease's start. False: none is possible, as the
 * lease's reason states. */
static bool plan_transfer(struct engine *engine, struct lease *lease, struct proposal *proposal,
                          const struct placed_vm *vms, uint32_t n)
{
    const struct reservation_list *list = &engine->images->list;
    const struct reservation *vm = proposal->plan.vm;
    bool exact = starts_exactly(lease);
    int64_t rate = image_rate_to_all(engine, vms, n), start;
    struct placement *to = image_placement(engine, vms, n, rate);
    const struct image_sending sending = {.to = to, .span = image_span(engine, lease, n, rate)};
    const struct image_sending all = {.to = to,
                                      .span = image_span(engine, lease, lease->n_vms, rate)};
    struct reservation *transfer;

    start = exact ? image_last_slot(engine, list, &sending, vm->from)
                  : image_first_slot(engine, list, &all);
    if (start < engine->now || start > vm->from - sending.span) {
        start = image_first_slot(engine, list, &sending);
        lease->reason = (struct reason){.id = REASON_IMAGE_TOO_LATE,
                                        .n = {instant_add(start, sending.span), vm->from}};
        placement_destroy(to);
        return false;
    }
    transfer = reservation_create(lease, RESERVATION_TRANSFER, start, start + sending.span, to);
    transfer->image = lease->request.image;
    transfer->image_deadline = image_deadline(lease, vm);
    reservation_list_append(&proposal->preparation, transfer);
    proposal->n_transfers = 1;
    return true;
}

bool plan_preparation(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    const struct reservation *vm = proposal->plan.vm;
    struct placed_vm *wanted;
    bool planned;
    uint32_t n;

    if (!manages_images(engine) || !lease->request.image)
        return true;
    proposal->ride = ride_for(engine, lease, proposal);
    proposal->riders = memory_new(lease->n_vms, sizeof *proposal->riders);
    proposal->n_riders =
        vms_by_source(engine, vm, SOURCE_RIDE, proposal->ride != NULL, proposal->riders);
    wanted = memory_new(lease->n_vms, sizeof *wanted);
    n = vms_by_source(engine, vm, SOURCE_TRANSFER, proposal->ride != NULL, wanted);
    if (engine->settings.behaviour.transfers_in_hash_order) {
        order_as_python_lists(proposal->riders, proposal->n_riders);
        order_as_python_lists(wanted, n);
    }
    planned = n == 0 || plan_transfer(engine, lease, proposal, wanted, n);
    free(wanted);
    return planned;
}

/* Removes an image file of the VM from the host, or from any host unless files stay behind. */
static void image_leaves(struct engine *engine, struct lease *lease, uint32_t vm, uint32_t host)
{
    struct disk_files *files = &lease->plan->image_files;
    struct image_user user = {lease->request.id, vm};

    if (!image_files_stay_behind(engine))
        host = files_host_of(files, vm);
    if (host == HOST_NONE)
        return;
    disk_files_remove(files, (struct disk_file){vm, host}, lease->request.image_size,
                      engine->figures.disk_used);
    if (caches_images(engine))
        image_cache_release(&engine->images->caches[host], lease->request.image, user);
}

/* Adds a file for the VM, replacing its previous one unless files stay behind. */
static void image_comes(struct engine *engine, struct lease *lease, uint32_t vm, uint32_t host)
{
    image_leaves(engine, lease, vm, HOST_NONE);
    disk_files_add(&lease->plan->image_files, (struct disk_file){vm, host},
                   lease->request.image_size, engine->figures.disk_used);
}

bool commit_preparation(struct engine *engine, struct lease *lease, const struct proposal *proposal)
{
    const struct reservation *vm = lease_plan_current(lease)->vm;
    struct reservation_list *planned = &lease->plan->preparation;
    struct placed_vm *found;
    size_t n_new = proposal->n_transfers;
    bool ready = n_new == 0 && proposal->n_riders == 0;
    uint32_t n;

    if (!manages_images(engine) || !lease->request.image)
        return true;
    found = memory_new(lease->n_vms, sizeof *found);
    n = vms_by_source(engine, vm, SOURCE_CACHE, false, found);
    for (uint32_t i = 0; i < n; i++) {
        image_comes(engine, lease, found[i].vm, found[i].host);
        image_cache_use(&engine->images->caches[found[i].host], lease->request.image,
                        (struct image_user){lease->request.id, found[i].vm}, vm->until);
    }
    if (proposal->n_riders)
        join_transfer(engine, proposal);
    for (size_t i = planned->n - n_new; i < planned->n; i++)
        image_transfers_insert(&engine->images->list, planned->items[i]);
    free(found);
    return ready;
}

struct reservation_list preparation_leave_out(struct engine *engine,
                                              const struct lease_list *leases)
{
    const struct reservation_list all = engine->images->list;

    engine->images->list = image_transfers_without(engine, &all, leases);
    return all;
}

void preparation_put_back(struct engine *engine, const struct reservation_list *all)
{
    reservation_list_finish(&engine->images->list);
    engine->images->list = *all;
}

/* --- carrying out ----------------------------------------------------------------------------- */

static void list_remove(struct reservation_list *list, const struct reservation *r)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == r) {
            memmove(&list->items[i], &list->items[i + 1],
                    (list->n - i - 1) * sizeof(struct reservation *));
            list->n--;
            return;
        }
}

/* The lease of a VM whose state follows the transfer, or NULL. */
static struct lease *follower(const struct engine *engine, const struct reservation *transfer,
                              const struct placed_vm *vm)
{
    if (image_riders_stay_scheduled(engine) && vm->lease != transfer->lease->request.id)
        return NULL;
    return lease_table_find(engine, vm->lease);
}

void transfer_started(struct engine *engine, struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        struct lease *lease = follower(engine, r, &r->placement->vms[i]);

        if (lease && (lease->state == LEASE_SCHEDULED || lease->state == LEASE_READY))
            lease_set_state(engine, lease, LEASE_PREPARING);
    }
}

static void image_arrived(struct engine *engine, struct lease *lease, const struct placed_vm *vm)
{
    image_comes(engine, lease, vm->vm, vm->host);
    if (caches_images(engine))
        image_cache_add(&engine->images->caches[vm->host], lease->request.image,
                        lease->request.image_size, engine->settings.image_cache_size,
                        (struct image_user){lease->request.id, vm->vm});
}

/* Does the lease expect another transfer? After being placed again, it may have VMs in an older
 * shared transfer and a planned transfer of its own. */
static bool expects_transfer(const struct engine *engine, const struct lease *lease)
{
    const struct reservation_list *list = &engine->images->list;

    for (size_t i = 0; i < list->n && !transfers_are_never_cancelled(engine); i++)
        for (uint32_t vm = 0; vm < list->items[i]->placement->n_vms; vm++)
            if (list->items[i]->placement->vms[vm].lease == lease->request.id)
                return true;
    return false;
}

void transfer_ended(struct engine *engine, struct reservation *r)
{
    list_remove(&engine->images->list, r);
    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        struct lease *lease = lease_table_find(engine, r->placement->vms[i].lease);

        if (lease && !lease_state_is_final(lease->state))
            image_arrived(engine, lease, &r->placement->vms[i]);
    }
    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        struct lease *lease = follower(engine, r, &r->placement->vms[i]);

        if (lease && lease->state == LEASE_PREPARING && !expects_transfer(engine, lease))
            lease_set_state(engine, lease, LEASE_READY);
    }
}

/* Keeps a transfer shared by other leases, as a transfer of one of them. */
static bool hand_over(struct engine *engine, struct reservation *transfer, int64_t from)
{
    for (uint32_t i = 0; i < transfer->placement->n_vms; i++) {
        struct lease *rider = lease_table_find(engine, transfer->placement->vms[i].lease);

        if (!rider || rider->request.id == from || lease_state_is_final(rider->state))
            continue;
        reservation_unbook(engine, transfer);
        transfer->lease = rider;
        transfer->image = rider->request.image;
        transfer->image_deadline = image_deadline(rider, lease_plan_current(rider)->vm);
        reservation_book(engine, transfer);
        leave_transfer(engine, transfer, from);
        reservation_list_append(&rider->plan->preparation, transfer);
        lease_plan_publish(rider);
        return true;
    }
    return false;
}

/* Drops the files of the VMs on the hosts of the lease's last stretch; all of their files unless
 * files stay behind. */
static void drop_files(struct engine *engine, struct lease *lease)
{
    const struct vm_plan *last = lease_plan_current(lease);

    for (uint32_t vm = 0; vm < lease->n_vms; vm++)
        image_leaves(engine, lease, vm, last ? last->vm->placement->vms[vm].host : HOST_NONE);
}

static void drop_transfers(struct engine *engine, struct lease *lease)
{
    struct reservation_list *list = &lease->plan->preparation;
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *transfer = list->items[i];

        if (transfer->state == RESERVATION_DONE) {
            list->items[kept++] = transfer;
            continue;
        }
        if (hand_over(engine, transfer, lease->request.id))
            continue;
        list_remove(&engine->images->list, transfer);
        reservation_withdraw(engine, transfer);
    }
    list->n = kept;
}

static void leave_transfers(struct engine *engine, const struct lease *lease)
{
    const struct reservation_list *list = &engine->images->list;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i]->lease != lease)
            leave_transfer(engine, list->items[i], lease->request.id);
}

/* Have the VMs begun to write to their images, or are these needed in the cache? Else they stay:
 * the lease may be placed there again. */
static bool image_is_used(const struct engine *engine, const struct lease *lease)
{
    return image_files_stay_behind(engine) || caches_images(engine) ||
           lease_plan_current(lease)->vm->state != RESERVATION_SCHEDULED;
}

void cancel_preparation(struct engine *engine, struct lease *lease)
{
    if (!manages_images(engine) || !lease->request.image ||
        (lease_is_suspended(lease) && !image_files_stay_behind(engine)))
        return;
    if (!transfers_are_never_cancelled(engine)) {
        drop_transfers(engine, lease);
        leave_transfers(engine, lease);
    }
    if (image_is_used(engine, lease))
        drop_files(engine, lease);
}

void images_release(struct engine *engine, struct lease *lease)
{
    if (!manages_images(engine) || !lease->request.image)
        return;
    drop_transfers(engine, lease);
    if (lease->state == LEASE_DONE || !image_files_stay_behind(engine))
        drop_files(engine, lease);
}

void images_migrated(struct engine *engine, const struct reservation *r)
{
    struct lease *lease = r->lease;
    const struct disk_files *files = &lease->plan->image_files;

    for (uint32_t i = 0; i < r->placement->n_vms; i++) {
        const struct placed_vm *move = &r->placement->vms[i];

        if (!image_files_stay_behind(engine) && files_host_of(files, move->vm) == HOST_NONE)
            continue;
        image_leaves(engine, lease, move->vm, move->from);
        image_comes(engine, lease, move->vm, move->host);
    }
}
