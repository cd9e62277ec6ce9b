/* Which hosts count for a lease that lacks room: those that its VMs may use, and which of them are
 * drained or booked. */
#include <stdlib.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/base/clock.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

enum {
    TOLD_SHARE = 4 /* drained hosts are named if they are a quarter of those that count, disabled
                      ones if they are a quarter of all */
};

static bool is_of_kind(const struct device_request *request, const struct device_kind *kind)
{
    return (request->vendor == DEMAND_ANY || request->vendor == kind->vendor) &&
           (request->device == DEMAND_ANY || request->device == kind->device) &&
           (request->class == DEMAND_ANY || request->class == kind->class);
}

/* --- the hosts that count --------------------------------------------------------------------- */

struct which_hosts {
    const struct snapshot *snapshot;
    uint64_t *hosts; /* that count */
    size_t n;
    const struct vm *vm;         /* whose hosts these are */
    char causes[200];            /* details beside eligibility_exclusions() */
    const struct drains *drains; /* NULL: none concern the lease */
    int64_t from, until;         /* the time for which it wants room */
};

static int64_t all_hosts(const struct which_hosts *which)
{
    return (int64_t)which->snapshot->hosts->pool.n;
}

static size_t count(const struct which_hosts *which, const uint64_t *hosts)
{
    size_t n = 0;

    for (size_t i = 0; i < bitmap_words(which->snapshot->hosts->pool.n); i++)
        n += (size_t)__builtin_popcountll(hosts[i]);
    return n;
}

/* Returns how many of the hosts that counted so far do not count. */
static size_t keep(struct which_hosts *which, const uint64_t *these)
{
    size_t before = which->n;

    for (size_t i = 0; i < bitmap_words(which->snapshot->hosts->pool.n); i++)
        which->hosts[i] &= these[i];
    which->n = count(which, which->hosts);
    return before - which->n;
}

static void keep_eligible(struct which_hosts *which)
{
    struct eligibility *eligibility = which->snapshot->eligibility;
    struct eligible eligible;
    size_t lost;

    eligibility_of_later(eligibility, which->vm, &eligible);
    if (!eligible.filter)
        return;
    if (eligible.filter->allowed)
        keep(which, eligible.filter->allowed);
    lost = keep(which, which->snapshot->open);
    if (lost > 0)
        details_add(
            which->causes, sizeof which->causes,
            &(struct detail){.id = DETAIL_QUARANTINED, .n = {(int64_t)lost, all_hosts(which)}});
}

static void name_device(struct which_hosts *which, const struct device_request *request,
                        size_t lost)
{
    int64_t device = reason_of_device(request->vendor, request->device, request->class, false);

    details_add(
        which->causes, sizeof which->causes,
        &(struct detail){.id = DETAIL_NO_DEVICE, .n = {(int64_t)lost, all_hosts(which), device}});
}

/* Devices that are requested by their address are not looked for. */
static void keep_with_devices(struct which_hosts *which, const struct vm_hardware *hardware)
{
    size_t words = bitmap_words(which->snapshot->hosts->pool.n);

    if (!hardware || which->snapshot->n_kinds == DEVICE_KINDS_MOST)
        return;
    for (size_t i = 0; i < hardware->n_devices; i++) {
        const struct device_request *request = &hardware->devices[i];
        uint64_t *these = memory_new(words, sizeof *these);
        size_t lost = 0;

        for (size_t j = 0; j < which->snapshot->n_kinds; j++)
            for (size_t k = 0; is_of_kind(request, &which->snapshot->kinds[j]) && k < words; k++)
                these[k] |= which->snapshot->kinds[j].hosts[k];
        if (!request->short_address)
            lost = keep(which, these);
        if (lost > 0)
            name_device(which, request, lost);
        free(these);
    }
}

/* By the lease's first VM that has been read. False: none has, or no host counts. */
static bool which_begin(struct which_hosts *which, const struct planner *planner,
                        const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    *which = (struct which_hosts){.snapshot = &planner->snapshot};
    for (size_t i = 0; i < n && planner->snapshot.eligibility; i++) {
        const struct vm_observation *observed = world_vm(planner->world, vms[i]->id);

        if (vms[i]->gone || !observed || !observed->full)
            continue;
        which->n = planner->snapshot.hosts->pool.n;
        which->hosts = memory_new(bitmap_words(which->n), sizeof *which->hosts);
        for (size_t j = 0; j < which->n; j++)
            bitmap_add(which->hosts, j);
        which->vm = observed->full;
        keep_eligible(which);
        keep_with_devices(which, observed->hardware);
        return which->n > 0;
    }
    return false;
}

static int32_t first_host(const struct which_hosts *which)
{
    size_t i = 0;

    while (!bitmap_has(which->hosts, (uint32_t)i))
        i++;
    return which->snapshot->hosts->pool.items[i].id;
}

static void tell_which(const struct which_hosts *which, char *text, size_t size)
{
    size_t all = which->snapshot->hosts->pool.n, out = all - count(which, which->snapshot->open);
    bool is_only = which->n == 1;

    if (which->n == all || (which->n == all - out && out * TOLD_SHARE < all))
        return;
    details_add(
        text, size,
        &(struct detail){.id = is_only ? DETAIL_ONLY_HOST : DETAIL_HOSTS,
                         .n = {is_only ? first_host(which) : (int64_t)which->n, all_hosts(which)}});
    details_append(text, size, eligibility_exclusions(which->snapshot->eligibility, which->vm));
    details_append(text, size, which->causes);
}

static void tell_number(const struct which_hosts *which, char *text, size_t size)
{
    bool is_only = which->n == 1;

    details_add(
        text, size,
        &(struct detail){.id = is_only ? DETAIL_ONLY_HOST_HAS : DETAIL_HOSTS_HAVE,
                         .n = {is_only ? first_host(which) : (int64_t)which->n, all_hosts(which)}});
}

/* --- drains ----------------------------------------------------------------------------------- */

/* Tells that drains close many of the hosts between these times. */
static void tell_drains(const struct which_hosts *which, char *text, size_t size)
{
    uint64_t *closed;
    size_t n = 0;
    const struct drain *first = NULL;
    struct detail detail;

    if (!which->drains || which->drains->n == 0)
        return;
    closed = memory_new(bitmap_words(which->snapshot->hosts->pool.n), sizeof *closed);
    for (size_t i = 0; i < which->drains->n; i++) {
        const struct drain *drain = &which->drains->items[i];
        uint32_t host = snapshot_place(which->snapshot, drain->host);

        if (host == HOST_NONE || drain->from >= which->until || drain->until <= which->from ||
            !bitmap_has(which->hosts, host) || bitmap_has(closed, host))
            continue;
        bitmap_add(closed, host);
        first = n++ ? first : drain;
    }
    free(closed);
    if (n * TOLD_SHARE < which->n || n == 0)
        return;
    detail = (struct detail){.id = *first->booking ? DETAIL_HOST_BOOKED : DETAIL_HOST_DRAINED,
                             .n = {first->host, first->until},
                             .name = first->booking};
    if (n > 1)
        detail = (struct detail){.id = DETAIL_HOSTS_CLOSED,
                                 .n = {(int64_t)n, (int64_t)which->n, first->host, first->until}};
    details_add(text, size, &detail);
}

/* --- reasons ---------------------------------------------------------------------------------- */

static bool is_about_room(const struct reason *reason)
{
    return reason->id == REASON_NO_ROOM_NOW || reason->id == REASON_NO_ROOM_AT_START ||
           (reason->id == REASON_NO_ROOM_AT_ONCE && !reason->n[3]);
}

static void note_times(struct which_hosts *which, const struct lease_record *lease,
                       const struct reason *reason)
{
    which->from = clock_now();
    which->until = lease->duration == SPAN_UNLIMITED ? INSTANT_NEVER
                                                     : instant_add(which->from, lease->duration);
    if (reason->id == REASON_NO_ROOM_AT_START) {
        which->from = reason->n[1];
        which->until = reason->n[2];
    } else if (reason->id == REASON_DEADLINE_UNREACHABLE) {
        which->until = reason->n[0];
    }
}

struct reason planner_with_hosts(const struct planner *planner, const struct lease_record *lease,
                                 const struct reason *known, char *text, size_t size)
{
    bool room = is_about_room(known),
         late = known->id == REASON_DEADLINE_UNREACHABLE && !known->text;
    struct reason reason = *known;
    struct which_hosts which;

    if (!room && !late && known->id != REASON_NO_ROOM_WITH_DEVICE)
        return reason;
    if (which_begin(&which, planner, lease)) {
        text[0] = '\0';
        if (known->id == REASON_NO_ROOM_WITH_DEVICE)
            tell_number(&which, text, size);
        else if (room)
            tell_which(&which, text, size);
        else
            reason.n[2] = store_latest_start(lease);
        note_times(&which, lease, known);
        which.drains = *lease->booking ? NULL : planner->settings.drains;
        if (room || late)
            tell_drains(&which, text, size);
        if (text[0])
            reason.text = text;
    }
    free(which.hosts);
    return reason;
}
