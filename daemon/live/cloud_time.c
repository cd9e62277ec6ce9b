/* Computes reservations in seconds of the whole cloud. */
#include "daemon/live/cloud_time.h"

#include <stdlib.h>

#include "daemon/live/daemon.h"
#include "daemon/planner/planner.h"
#include "daemon/state/lease_change.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/world.h"
#include "util/memory.h"

enum {
    WHOLE = 1000000000, /* of the cloud */
    /* The assumed duration of a lease without an end. */
    ENDLESS = 90 * 86400,
};

/* In billionths, rounded up. */
static int64_t share(int64_t amount, int64_t total)
{
    int64_t scaled;

    if (total <= 0 || amount <= 0)
        return 0;
    return __builtin_mul_overflow(amount, WHOLE, &scaled) ? INT64_MAX : (scaled - 1) / total + 1;
}

/* The larger of the shares of CPU and memory. 0: no host has been read. */
static int64_t cloud_share(const struct daemon *daemon, const struct vms_size *size)
{
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    int64_t of_cpu, of_memory;

    if (!hosts)
        return 0;
    of_cpu = share(size->cpu, hosts->cpu);
    of_memory = share(size->memory, hosts->memory);
    return of_cpu > of_memory ? of_cpu : of_memory;
}

static int64_t cloud_time(int64_t share, int64_t seconds)
{
    int64_t product;

    if (seconds == SPAN_UNLIMITED)
        seconds = ENDLESS;
    return __builtin_mul_overflow(share, seconds, &product) ? INT64_MAX : product / WHOLE;
}

static void add(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

void vms_size_add(struct vms_size *size, int64_t n, int64_t cpu, int64_t memory)
{
    add(&size->cpu, __builtin_mul_overflow(n, cpu, &cpu) ? INT64_MAX : cpu);
    add(&size->memory, __builtin_mul_overflow(n, memory, &memory) ? INT64_MAX : memory);
}

struct vms_size vms_size_of(const struct daemon *daemon, const struct changed_lease *changed)
{
    struct vms_size size = {0};
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, changed->lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone)
            vms_size_add(&size, 1, changed->cpu ? changed->cpu : vms[i]->cpu,
                         changed->memory ? changed->memory : vms[i]->memory);
    return size;
}

static bool has_begun(const struct lease_record *lease)
{
    return lease->phase != PHASE_GATHERING && lease_has_begun(lease);
}

/* From now on: from the lease's start to its end, or the last possible time before its deadline. */
static struct rights_holding holding_of(const struct lease_record *lease, int64_t share,
                                        int64_t now)
{
    int64_t begin = now, end;

    if (lease->kind == LEASE_RESERVATION && lease->start > now)
        begin = lease->start;
    else if (lease->kind == LEASE_DEADLINE && !has_begun(lease) &&
             lease->deadline != INSTANT_NONE && lease->duration != SPAN_UNLIMITED)
        begin = instant_later(now, lease->deadline - lease->duration);
    end = lease_end_from(lease, begin);
    return (struct rights_holding){begin, end > begin ? end : begin, share};
}

static int64_t time_of(const struct rights_holding *holding)
{
    return cloud_time(holding->share, holding->until == INSTANT_NEVER
                                          ? SPAN_UNLIMITED
                                          : holding->until - holding->from);
}

static bool is_reserved(const struct lease_record *lease)
{
    return lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE;
}

bool reserved_is_undecided(const struct daemon *daemon, const struct lease_record *lease)
{
    size_t n;

    if (!is_reserved(lease) || lease->accepted)
        return false;
    store_vms_of(daemon->store, lease->id, &n);
    return lease->phase == PHASE_WAITING ||
           (lease->phase == PHASE_GATHERING && lease->group_size && n >= lease->group_size);
}

static struct rights_holding holding_as_it_is(const struct daemon *daemon,
                                              const struct lease_record *lease, int64_t now)
{
    struct vms_size size = vms_size_of(daemon, &(struct changed_lease){.lease = lease});
    size_t n;

    store_vms_of(daemon->store, lease->id, &n);
    if (lease->phase == PHASE_GATHERING && n > 0 && lease->group_size > n)
        vms_size_add(&size, (int64_t)(lease->group_size - n), size.cpu / (int64_t)n,
                     size.memory / (int64_t)n); /* its missing members */
    return holding_of(lease, cloud_share(daemon, &size), now);
}

static void hold(struct reserved *reserved, const struct rights_holding *holding,
                 struct rights_request *request)
{
    MEMORY_GROW(reserved->holdings, reserved->allocated, reserved->n + 1);
    reserved->holdings[reserved->n++] = *holding;
    add(&request->cloud_time, time_of(holding));
}

static void see_others(const struct lease_record *lease, struct rights_request *request)
{
    request->others_wait |= lease->phase == PHASE_WAITING && reason_is_of_room(lease->reason_id);
}

/* A change that takes no more than before is always allowed. */
static void forget_what_is_less(const struct rights_holding *before,
                                const struct rights_holding *after, struct rights_request *request)
{
    if (time_of(after) <= time_of(before))
        request->cloud_time = 0;
    if (after->share <= before->share && after->from >= before->from &&
        after->until <= before->until)
        request->n_holdings = 0;
}

void reserved_begin(struct reserved *reserved, const struct daemon *daemon,
                    const struct reserving *asked, struct rights_request *request)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(daemon->store, &n);
    const struct rights_holding own =
        holding_of(asked->lease, cloud_share(daemon, &asked->size), request->now);
    struct rights_holding before;

    *reserved = (struct reserved){0};
    if (!is_reserved(asked->lease))
        return;
    hold(reserved, &own, request);
    for (size_t i = 0; i < n; i++) {
        if (leases[i]->uid != asked->uid) {
            see_others(leases[i], request);
        } else if (leases[i] != asked->instead && is_reserved(leases[i]) &&
                   leases[i]->phase < PHASE_ENDING &&
                   !(asked->without_undecided && reserved_is_undecided(daemon, leases[i]))) {
            before = holding_as_it_is(daemon, leases[i], request->now);
            hold(reserved, &before, request);
        }
    }
    request->reservations = reserved->n - 1;
    request->holdings = reserved->holdings;
    request->n_holdings = reserved->n;
    if (!asked->is_change || !is_reserved(asked->instead))
        return;
    before = holding_as_it_is(daemon, asked->instead, request->now);
    forget_what_is_less(&before, &own, request);
}

void reserved_finish(struct reserved *reserved)
{
    free(reserved->holdings);
}
