/* Seconds of the whole cloud. */
#include "daemon/live/cloud_time.h"

#include "adapters/cloud/cloud.h"
#include "daemon/daemon.h"
#include "daemon/live/lease_state.h"
#include "daemon/live/world.h"
#include "daemon/planner/planner.h"

enum { WHOLE = 1000000000 /* of the cloud */ };

/* In billionths, rounded up. */
static int64_t share(int64_t amount, int64_t total)
{
    int64_t scaled;

    if (total <= 0 || amount <= 0)
        return 0;
    return __builtin_mul_overflow(amount, WHOLE, &scaled) ? INT64_MAX : (scaled - 1) / total + 1;
}

int64_t cloud_time(const struct daemon *daemon, int64_t cpu, int64_t memory, int64_t seconds)
{
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    int64_t of_cpu, of_memory, product;

    if (!hosts)
        return 0;
    of_cpu = share(cpu, hosts->cpu);
    of_memory = share(memory, hosts->memory);
    if (seconds == SPAN_UNLIMITED)
        seconds = CLOUD_TIME_ENDLESS;
    if (__builtin_mul_overflow(of_cpu > of_memory ? of_cpu : of_memory, seconds, &product))
        return INT64_MAX;
    return product / WHOLE;
}

/* Seconds that it has, or has left. */
static int64_t time_of(const struct lease_record *lease, int64_t now)
{
    int64_t begin = lease->kind == LEASE_RESERVATION && lease->start > now ? lease->start : now;
    int64_t end = lease_end_from(lease, begin);

    if (end == INSTANT_NEVER)
        return SPAN_UNLIMITED;
    return end > begin ? end - begin : 0;
}

int64_t cloud_time_of(const struct daemon *daemon, const struct lease_record *lease, int64_t now)
{
    return cloud_time_changed(daemon, &(struct changed_lease){.lease = lease}, now);
}

int64_t cloud_time_changed(const struct daemon *daemon, const struct changed_lease *changed,
                           int64_t now)
{
    int64_t cpu = 0, memory = 0;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, changed->lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        if (vms[i]->gone)
            continue;
        cpu += changed->cpu ? changed->cpu : vms[i]->cpu;
        memory += changed->memory ? changed->memory : vms[i]->memory;
    }
    return cloud_time(daemon, cpu, memory, time_of(changed->lease, now));
}
