/* Which hosts count for a lease that lacks room: those that its VMs may use, and which of them are
 * drained or booked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

enum { DRAINED_SHARE = 4 /* drained hosts are named if they are a quarter of those that count */ };

static bool is_of_kind(const struct device_request *request, const struct device_kind *kind)
{
    return (request->vendor == DEMAND_ANY || request->vendor == kind->vendor) &&
           (request->device == DEMAND_ANY || request->device == kind->device) &&
           (request->class == DEMAND_ANY || request->class == kind->class);
}

/* --- the hosts that count --------------------------------------------------------------------- */

struct which_hosts {
    const struct picture *picture;
    uint64_t *hosts; /* that count */
    size_t n;
    uint32_t first;
    bool narrowed;
    char causes[200];
    const struct drains *drains; /* NULL: none concern the lease */
    int64_t from, until;         /* the time for which it wants room */
};

static void name_cause(struct which_hosts *which, const char *cause)
{
    size_t length = strlen(which->causes);

    snprintf(which->causes + length, sizeof which->causes - length, "%s%s", length ? "; " : "",
             cause);
}

/* True: some of the hosts that counted so far do not count. */
static bool keep(struct which_hosts *which, const uint64_t *these)
{
    bool narrower = false;

    for (size_t i = 0; these && i < bitmap_words(which->picture->hosts->pool.n); i++) {
        narrower |= (which->hosts[i] & ~these[i]) != 0;
        which->hosts[i] &= these[i];
    }
    which->narrowed |= narrower;
    return narrower;
}

static void keep_eligible(struct which_hosts *which, const struct vm *vm)
{
    struct eligibility *eligibility = which->picture->eligibility;
    struct eligible eligible;
    char requirement[80], cause[120];

    eligibility_of_later(eligibility, vm, &eligible);
    if (!eligible.filter || !keep(which, eligible.filter->allowed))
        return;
    snprintf(cause, sizeof cause,
             "cluster, datastores, networks, CPU pinning, VM group or permissions");
    if (eligibility_narrows(eligibility, vm, requirement, sizeof requirement))
        snprintf(cause, sizeof cause, "SCHED_REQUIREMENTS %s", requirement);
    name_cause(which, cause);
}

static void name_device(struct which_hosts *which, const struct device_request *request)
{
    const struct {
        const char *name;
        uint32_t id;
    } parts[] = {
        {"vendor", request->vendor}, {"device", request->device}, {"class", request->class}};
    char cause[80] = "PCI device";
    size_t length = strlen(cause);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].id != DEMAND_ANY)
            length += (size_t)snprintf(cause + length, sizeof cause - length, " %s %04x",
                                       parts[i].name, parts[i].id);
    name_cause(which, cause);
}

/* Devices that are requested by their address are not looked for. */
static void keep_with_devices(struct which_hosts *which, const struct vm_hardware *hardware)
{
    size_t words = bitmap_words(which->picture->hosts->pool.n);

    if (!hardware || which->picture->n_kinds == DEVICE_KINDS_MOST)
        return;
    for (size_t i = 0; i < hardware->n_devices; i++) {
        const struct device_request *request = &hardware->devices[i];
        uint64_t *these = memory_new(words, sizeof *these);

        for (size_t j = 0; j < which->picture->n_kinds; j++)
            for (size_t k = 0; is_of_kind(request, &which->picture->kinds[j]) && k < words; k++)
                these[k] |= which->picture->kinds[j].hosts[k];
        if (!request->short_address && keep(which, these))
            name_device(which, request);
        free(these);
    }
}

static void count(struct which_hosts *which)
{
    size_t words = bitmap_words(which->picture->hosts->pool.n);

    which->n = 0;
    for (size_t i = words; i-- > 0;) {
        which->n += (size_t)__builtin_popcountll(which->hosts[i]);
        if (which->hosts[i])
            which->first = (uint32_t)(i * 64 + (size_t)__builtin_ctzll(which->hosts[i]));
    }
}

/* By the lease's first VM that has been read. False: none has, or no host counts. */
static bool which_begin(struct which_hosts *which, const struct planner *planner,
                        const struct lease_record *lease)
{
    size_t n, words;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    *which = (struct which_hosts){.picture = &planner->picture};
    for (size_t i = 0; i < n && planner->picture.eligibility; i++) {
        const struct vm_observation *observed = world_vm(planner->world, vms[i]->id);

        if (vms[i]->gone || !observed || !observed->full)
            continue;
        words = bitmap_words(planner->picture.hosts->pool.n);
        which->hosts = memory_copy(planner->picture.open, words * sizeof *which->hosts);
        keep_eligible(which, observed->full);
        keep_with_devices(which, observed->hardware);
        count(which);
        return which->n > 0;
    }
    return false;
}

static size_t tell_which(const struct which_hosts *which, char *text, size_t size)
{
    size_t all = which->picture->hosts->pool.n;

    if (!which->narrowed)
        return 0;
    if (which->n == 1)
        return (size_t)snprintf(text, size, " on host %d, the only one of %zu that it may use (%s)",
                                which->picture->hosts->pool.items[which->first].id, all,
                                which->causes);
    return (size_t)snprintf(text, size, " on the %zu of %zu hosts that it may use (%s)", which->n,
                            all, which->causes);
}

static void tell_number(const struct which_hosts *which, char *text, size_t size)
{
    const struct host_pool *pool = &which->picture->hosts->pool;

    if (which->n == 1)
        snprintf(text, size, ": only host %d has them", pool->items[which->first].id);
    else
        snprintf(text, size, ": %zu of %zu hosts have them", which->n, pool->n);
}

/* --- drains ----------------------------------------------------------------------------------- */

/* Appends "host 1 is drained until ..." if drains close many of the hosts between these times. */
static void tell_drains(const struct which_hosts *which, const char *before, char *text,
                        size_t size)
{
    uint64_t *closed;
    size_t n = 0;
    const struct drain *first = NULL;
    char until[64] = "", what[TERM_TEXT_MAX + 16] = "drained", when[40];

    if (!which->drains || which->drains->n == 0)
        return;
    closed = memory_new(bitmap_words(which->picture->hosts->pool.n), sizeof *closed);
    for (size_t i = 0; i < which->drains->n; i++) {
        const struct drain *drain = &which->drains->items[i];
        uint32_t host = picture_place(which->picture, drain->host);

        if (host == HOST_NONE || drain->from >= which->until || drain->until <= which->from ||
            !bitmap_has(which->hosts, host) || bitmap_has(closed, host))
            continue;
        bitmap_add(closed, host);
        first = n++ ? first : drain;
    }
    free(closed);
    if (n * DRAINED_SHARE < which->n || n == 0)
        return;
    if (first->until != INSTANT_NEVER) {
        lease_time_text(first->until, when, sizeof when);
        snprintf(until, sizeof until, " until %s", when);
    }
    if (*first->booking)
        snprintf(what, sizeof what, "booked for '%s'", first->booking);
    if (n == 1)
        snprintf(text, size, "%shost %d is %s%s", before, first->host, what, until);
    else
        snprintf(text, size, "%s%zu of them are drained or booked, host %d%s", before, n,
                 first->host, until);
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
    size_t length = 0;

    if (!room && !late && known->id != REASON_NO_ROOM_WITH_DEVICE)
        return reason;
    if (which_begin(&which, planner, lease)) {
        text[0] = '\0';
        if (known->id == REASON_NO_ROOM_WITH_DEVICE)
            tell_number(&which, text, size);
        else if (room)
            length = tell_which(&which, text, size);
        note_times(&which, lease, known);
        which.drains = *lease->booking ? NULL : planner->settings.drains;
        if ((room || late) && length < size)
            tell_drains(&which, room ? ": " : "", text + length, size - length);
        if (text[0])
            reason.text = text;
    }
    free(which.hosts);
    return reason;
}
