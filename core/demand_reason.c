/* Reasons for unmet demands, with their hosts. */
#include "core/demand_reason.h"

#include <stdlib.h>

#include "core/demand_check.h"
#include "core/engine_state.h"
#include "core/mapper_restricted.h"
#include "core/occupancy.h"
#include "util/memory.h"

enum { HOSTS_LOOKED_AT = 32 };

enum unmet { MET, DEVICE_IN_USE, TOPOLOGY_IN_USE, APART, TOGETHER, NO_DEVICE, NO_TOPOLOGY, UNMET };

/* The reason why the VMs of a node set cannot use the hosts with room. */
struct finding {
    const struct engine *engine;
    const struct node_set *nodes;
    int64_t from, until;
    int64_t *limits;
    struct occupancy *empty;        /* of the site without VMs */
    const struct host_units *units; /* units of the last host tested empty ... */
    enum unmet unmet_by_units;      /* ... and the result; UNMET: no host tested yet */
    int64_t hosts[UNMET];           /* number of hosts, by reason */
    int64_t frees_at;               /* earliest time at which units on them become free */
    const struct lease *near;       /* a lease with VMs that it must be apart from or together with
                                     */
};

static bool has_units(const struct finding *finding, const struct occupancy *occupancy,
                      const struct vm_demand *demand, uint32_t host)
{
    const struct unit_question question = {.demand = demand,
                                           .host = host,
                                           .from = finding->from,
                                           .until = finding->until,
                                           .least = finding->until};

    return occupancy_units_until(occupancy, &question, NULL) >= finding->until;
}

/* NO_DEVICE, NO_TOPOLOGY: even the empty host lacks the demanded units. Neighboring hosts often
 * have the same units; the result is reused. */
static enum unmet unmet_when_empty(struct finding *finding, uint32_t host)
{
    const struct host_units *units = finding->engine->site.hosts[host].units;
    struct vm_demand devices = *finding->nodes->demand;

    if (finding->unmet_by_units != UNMET && finding->units == units)
        return finding->unmet_by_units;
    devices.n_nodes = 0;
    finding->units = units;
    if (has_units(finding, finding->empty, finding->nodes->demand, host))
        finding->unmet_by_units = MET;
    else if (has_units(finding, finding->empty, &devices, host))
        finding->unmet_by_units = NO_TOPOLOGY;
    else
        finding->unmet_by_units = NO_DEVICE;
    return finding->unmet_by_units;
}

static enum unmet unmet_units(struct finding *finding, uint32_t host)
{
    const struct occupancy *occupancy = slot_table_occupancy(finding->engine->table);
    struct vm_demand devices = *finding->nodes->demand;
    int64_t at;

    if (has_units(finding, occupancy, finding->nodes->demand, host))
        return MET;
    at = occupancy_next_end(occupancy, host, finding->from);
    if (at < finding->frees_at)
        finding->frees_at = at;
    devices.n_nodes = 0;
    return has_units(finding, occupancy, &devices, host) ? TOPOLOGY_IN_USE : DEVICE_IN_USE;
}

static enum unmet unmet_by_rules(struct finding *finding, uint32_t host)
{
    const struct occupancy *occupancy = slot_table_occupancy(finding->engine->table);
    bool together = false;
    const struct lease *other = occupancy_in_the_way(
        occupancy, finding->nodes->demand, host,
        finding->limits[host] > finding->from ? finding->limits[host] : finding->from, &together);

    if (other)
        finding->near = other;
    return together ? TOGETHER : APART;
}

/* Examines the hosts with room: all of them for what they lack when empty, only some for the rest.
 */
static void look(struct finding *finding)
{
    const struct engine *engine = finding->engine;
    int looked_at = 0;

    finding->frees_at = INSTANT_NEVER;
    finding->unmet_by_units = UNMET;
    finding->empty = occupancy_create(&engine->site);
    finding->limits = memory_new(engine->site.n_hosts, sizeof *finding->limits);
    occupancy_rules_until(slot_table_occupancy(engine->table), finding->nodes->demand,
                          finding->from, finding->until, finding->limits);
    for (uint32_t host = 0; host < engine->site.n_hosts && looked_at < HOSTS_LOOKED_AT; host++) {
        enum unmet unmet;

        if (!host_is_usable(engine, finding->nodes, host) ||
            slot_table_fits_until(engine->table, host, &finding->nodes->amounts, finding->from) <
                finding->until)
            continue;
        unmet = unmet_when_empty(finding, host);
        if (unmet == MET) {
            unmet = finding->limits[host] < finding->until ? unmet_by_rules(finding, host)
                                                           : unmet_units(finding, host);
            looked_at++;
        }
        finding->hosts[unmet]++;
    }
    occupancy_destroy(finding->empty);
    free(finding->limits);
}

static bool is_met_anywhere(const struct finding *finding, const struct vm_demand *demand)
{
    const struct engine *engine = finding->engine;
    const struct host_filter *hosts = finding->nodes->hosts;
    const struct occupancy *occupancy = slot_table_occupancy(engine->table);

    if (occupancy_refused_by_all(occupancy, demand, finding->from, hosts ? hosts->allowed : NULL))
        return false;
    for (uint32_t host = 0; host < engine->site.n_hosts; host++)
        if (host_is_usable(engine, finding->nodes, host) &&
            has_units(finding, occupancy, demand, host))
            return true;
    return false;
}

/* The demanded device that the hosts lack, and the number demanded of its kind. */
static int64_t lacking_device(const struct finding *finding, int64_t *count)
{
    const struct vm_demand *demand = finding->nodes->demand;
    const struct pci_demand *lacking = &demand->devices[0];
    bool found = false;

    for (uint32_t i = 0; i < demand->n_devices && !found; i++) {
        struct vm_demand first = {.devices = demand->devices, .n_devices = i + 1};

        found = !is_met_anywhere(finding, &first);
        lacking = &demand->devices[found ? i : 0];
    }
    *count = 0;
    for (uint32_t i = 0; i < demand->n_devices; i++)
        *count += demand->devices[i].vendor == lacking->vendor &&
                  demand->devices[i].device == lacking->device &&
                  demand->devices[i].class_id == lacking->class_id &&
                  demand->devices[i].address == lacking->address &&
                  demand->devices[i].profile == lacking->profile;
    return reason_of_device(lacking->vendor, lacking->device, lacking->class_id,
                            lacking->address != DEMAND_ANY || lacking->profile != DEMAND_ANY);
}

static enum unmet most_frequent(const struct finding *finding, enum unmet first, enum unmet last)
{
    enum unmet most = MET;

    for (enum unmet unmet = first; unmet <= last; unmet++)
        if (finding->hosts[unmet] > (most == MET ? 0 : finding->hosts[most]))
            most = unmet;
    return most;
}

/* Hosts without the demanded units count only if no other host has room. */
static enum unmet most_telling(const struct finding *finding)
{
    enum unmet unmet = most_frequent(finding, DEVICE_IN_USE, TOGETHER);

    return unmet == MET ? most_frequent(finding, NO_DEVICE, NO_TOPOLOGY) : unmet;
}

static struct reason reason_for(const struct finding *finding)
{
    enum unmet unmet = most_telling(finding);
    int64_t hosts = finding->hosts[unmet], count;
    int64_t other = finding->near ? finding->near->request.id : 0;

    switch (unmet) {
    case NO_DEVICE:
        return (struct reason){.id = REASON_NO_ROOM_WITH_DEVICE,
                               .n = {lacking_device(finding, &count)}};
    case NO_TOPOLOGY:
        return (struct reason){.id = REASON_NO_ROOM_WITH_TOPOLOGY};
    case DEVICE_IN_USE:
        return (struct reason){.id = REASON_DEVICE_IN_USE,
                               .n = {lacking_device(finding, &count), hosts, finding->frees_at}};
    case TOPOLOGY_IN_USE:
        return (struct reason){.id = REASON_TOPOLOGY_IN_USE, .n = {hosts, finding->frees_at}};
    case APART:
        return (struct reason){.id = REASON_KEPT_APART, .n = {hosts, other}};
    case TOGETHER:
        return (struct reason){.id = REASON_KEPT_TOGETHER, .n = {other}};
    default:
        return (struct reason){.id = REASON_NONE};
    }
}

/* Hosts have room and meet the demand of each VM alone, but VMs that must be together do not fit.
 */
static bool joins_others(const struct node_set *nodes)
{
    for (uint32_t i = 0; i < nodes->demand->n_rules; i++)
        if (demand_joins(nodes->demand, nodes->demand->rules[i].role))
            return true;
    return false;
}

static struct reason explain_set(const struct engine *engine, const struct node_set *nodes,
                                 int64_t from, int64_t until)
{
    struct finding finding = {.engine = engine, .nodes = nodes, .from = from, .until = until};

    look(&finding);
    if (finding.hosts[MET])
        return (struct reason){.id = joins_others(nodes) ? REASON_NO_ROOM_FOR_ALL : REASON_NONE};
    return reason_for(&finding);
}

void explain_demand(struct engine *engine, struct lease *lease)
{
    int64_t from = engine->now, until = engine->now + 1;
    bool exact = lease->reason.id == REASON_NO_ROOM_AT_START;

    if (!exact && lease->reason.id != REASON_NO_ROOM_NOW &&
        lease->reason.id != REASON_NO_ROOM_AT_ONCE)
        return;
    if (exact) {
        from = lease->reason.n[1];
        until = lease->reason.n[2];
    }
    for (size_t set = 0; set < lease->request.n_node_sets; set++) {
        const struct node_set *nodes = &lease->request.node_sets[set];
        struct reason reason = {.id = REASON_NONE};

        if (nodes->demand)
            reason = explain_set(engine, nodes, from, until);
        if (reason.id == REASON_NONE)
            continue;
        lease->reason = reason;
        return;
    }
}

bool demand_could_be_met(struct engine *engine, struct lease *lease, const struct node_set *nodes)
{
    const struct map_request request = {.lease = lease, .from = engine->now};
    struct finding finding = {
        .engine = engine, .nodes = nodes, .from = engine->now, .until = engine->now + 1};
    int64_t usable = 0, device, count = 0;

    if (restricted_count_met(engine, &request, nodes, finding.until) >= nodes->count)
        return true;
    for (uint32_t host = 0; host < engine->site.n_hosts; host++)
        usable += host_is_usable(engine, nodes, host);
    look(&finding);
    switch (most_telling(&finding)) {
    case NO_DEVICE:
        device = lacking_device(&finding, &count);
        lease->reason = (struct reason){.id = REASON_NO_DEVICE, .n = {usable, count, device}};
        break;
    case NO_TOPOLOGY:
        lease->reason = (struct reason){.id = REASON_NO_TOPOLOGY, .n = {usable}};
        break;
    default:
        /* Each VM alone has a host; the reason gives the number of VMs that fit at once. */
        lease->reason =
            (struct reason){.id = REASON_NO_HOST_ALLOWED,
                            .n = {lease->n_vms, usable,
                                  restricted_count_met(engine, &request, nodes, finding.until)}};
    }
    return false;
}
