/* Scenarios of VMs with demands, and what must hold of them, found slowly. */
#include "demand_checks.h"

#include <stdlib.h>
#include <string.h>

#include "core/lease_plan.h"
#include "core/units.h"

enum { STAYS_MOST = 4096, COUNTERS = 256 };

struct vm_stay {
    const struct lease *lease;
    const struct reservation *r;
    const struct held_units *held;
};

struct stays_found {
    struct scenario *s;
    struct vm_stay items[STAYS_MOST];
    size_t n;
};

static void add_stays(void *context, const struct lease *lease)
{
    struct stays_found *found = context;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        if (r->state == RESERVATION_DONE || r->from >= r->until || !r->placement->held)
            continue;
        for (size_t k = 0; k < r->placement->held->n; k++) {
            assert_true(found->n < STAYS_MOST);
            found->items[found->n++] = (struct vm_stay){lease, r, r->placement->held->items[k]};
        }
    }
}

static struct stays_found *find_stays(struct scenario *s)
{
    struct stays_found *found = calloc(1, sizeof *found);

    found->s = s;
    engine_each_lease(s->engine, add_stays, found);
    return found;
}

static bool is_there(const struct vm_stay *stay, int64_t time)
{
    return stay->r->from <= time && stay->r->until > time;
}

/* --- units ------------------------------------------------------------------------------------ */

/* Everything in use on a host, unit by unit. */
struct use {
    int threads[COUNTERS], dedicated[COUNTERS], devices[COUNTERS];
    int64_t memory[COUNTERS], pages[COUNTERS][4];
};

static void add_use(struct use *use, const struct host_units *units, const struct held_units *held)
{
    const struct vm_demand *demand = held->demand;

    for (uint32_t i = 0; i < held->n_threads; i++) {
        use->threads[held_threads(held)[i]]++;
        use->dedicated[held_threads(held)[i]] += demand->pin == PIN_CORE;
    }
    for (uint32_t i = 0; i < held->n_devices; i++)
        use->devices[held_devices(held)[i]]++;
    for (uint32_t i = 0; i < held->n_memory; i++) {
        uint32_t node = held_memory(held)[i];

        use->memory[node] += demand->nodes[i].memory_kb;
        for (uint32_t k = 0; k < units->nodes[node].n_pages; k++)
            if (demand->page_kb && units->nodes[node].pages[k].size_kb == demand->page_kb)
                use->pages[node][k] += demand->nodes[i].memory_kb / demand->page_kb;
    }
}

static bool use_is_sound(const struct use *use, const struct host_units *units)
{
    int most = units->vms_per_thread ? (int)units->vms_per_thread : 1;
    uint32_t thread = 0;

    for (uint32_t node = 0; node < units->n_nodes; node++) {
        const struct numa_node *of = &units->nodes[node];

        for (uint32_t core = 0; core < of->n_cores; core++) {
            int sum = 0, dedicated = 0;

            for (uint32_t i = 0; i < of->cores[core].n_threads; i++, thread++) {
                sum += use->threads[thread];
                dedicated += use->dedicated[thread];
                if (use->threads[thread] > most)
                    return false;
            }
            if (dedicated && sum != 1)
                return false;
        }
        if (use->memory[node] > of->memory_kb)
            return false;
        for (uint32_t k = 0; k < of->n_pages; k++)
            if (use->pages[node][k] > of->pages[k].count)
                return false;
    }
    for (uint32_t i = 0; i < units->n_devices; i++)
        if (use->devices[i] > 1)
            return false;
    return true;
}

static void check_units_at(const struct stays_found *found, uint32_t host, int64_t time)
{
    const struct host_units *units = found->s->site.hosts[host].units;
    struct use *use = calloc(1, sizeof *use);

    for (size_t i = 0; i < found->n && units; i++)
        if (found->items[i].held->host == host && is_there(&found->items[i], time))
            add_use(use, units, found->items[i].held);
    if (units && !use_is_sound(use, units))
        fail_msg("seed %u, at %d: units of host %u are held twice at %d", found->s->seed,
                 (int)found->s->now, host + 1, (int)time);
    free(use);
}

/* --- what a VM demands ------------------------------------------------------------------------ */

static bool matches(const struct pci_device *device, const struct pci_demand *demand)
{
    bool profile = demand->profile == DEMAND_ANY;

    for (uint32_t i = 0; i < device->n_profiles; i++)
        profile = profile || device->profiles[i] == demand->profile;
    return profile && (demand->vendor == DEMAND_ANY || demand->vendor == device->vendor) &&
           (demand->device == DEMAND_ANY || demand->device == device->device) &&
           (demand->class_id == DEMAND_ANY || demand->class_id == device->class_id) &&
           (demand->address == DEMAND_ANY || demand->address == device->address);
}

/* Can each demand from `next` on get a device of its own among those not taken? */
static bool can_match(const struct host_units *units, const struct vm_demand *demand, uint32_t next,
                      bool *taken, int32_t node)
{
    if (next == demand->n_devices)
        return true;
    for (uint32_t i = 0; i < units->n_devices; i++) {
        bool matched;

        if (taken[i] || !matches(&units->devices[i], &demand->devices[next]) ||
            (node != NODE_ANY && units->devices[i].numa_node != node))
            continue;
        taken[i] = true;
        matched = can_match(units, demand, next + 1, taken, node);
        taken[i] = false;
        if (matched)
            return true;
    }
    return false;
}

static uint32_t cpus_of(const struct vm_demand *demand)
{
    uint32_t cpus = 0;

    for (uint32_t i = 0; i < demand->n_nodes && demand->pin != PIN_NONE; i++)
        cpus += demand->nodes[i].cpus;
    return cpus;
}

/* As many threads of each core as the VM's topology says, or a multiple. */
static bool is_grouped(const struct host_units *units, const struct held_units *held)
{
    uint32_t together = held->demand->threads_per_core, first = 0;

    if (together < 2 || held->demand->pin == PIN_CORE)
        return true;
    for (uint32_t node = 0; node < units->n_nodes; node++)
        for (uint32_t core = 0; core < units->nodes[node].n_cores; core++) {
            uint32_t end = first + units->nodes[node].cores[core].n_threads, n = 0;

            for (uint32_t i = 0; i < held->n_threads; i++)
                n += held_threads(held)[i] >= first && held_threads(held)[i] < end;
            if (n % together)
                return false;
            first = end;
        }
    return true;
}

static void check_has_all(const struct stays_found *found, const struct vm_stay *stay)
{
    const struct host_units *units = found->s->site.hosts[stay->held->host].units;
    const struct vm_demand *demand = stay->held->demand;
    bool taken[COUNTERS];
    bool all = stay->held->n_devices == demand->n_devices &&
               stay->held->n_memory == demand->n_nodes && stay->held->n_threads == cpus_of(demand);

    memset(taken, true, sizeof taken);
    for (uint32_t i = 0; i < stay->held->n_devices; i++)
        taken[held_devices(stay->held)[i]] = false;
    all = all && (!stay->held->n_threads || is_grouped(units, stay->held));
    if (all && demand->n_devices)
        all = can_match(units, demand, 0, taken, NODE_ANY);
    if (!all)
        fail_msg("seed %u, at %d: VM %u of lease %d does not hold what it demands", found->s->seed,
                 (int)found->s->now, stay->held->vm + 1, (int)stay->lease->request.id);
}

/* --- roles ------------------------------------------------------------------------------------ */

static bool is_same_place(const struct site *site, enum company_level level, uint32_t a, uint32_t b)
{
    return level == COMPANY_HOST ? a == b : site->hosts[a].cluster == site->hosts[b].cluster;
}

static bool is_same_vm(const struct vm_stay *a, const struct vm_stay *b)
{
    return a->lease == b->lease && a->held->vm == b->held->vm;
}

static bool keeps_rule(const struct stays_found *found, const struct vm_stay *stay,
                       const struct company_rule *rule, int64_t time)
{
    bool beside = false, elsewhere = false;

    for (size_t i = 0; i < found->n; i++) {
        const struct vm_stay *other = &found->items[i];

        if (other->held->demand->role != rule->role || !is_there(other, time) ||
            is_same_vm(stay, other))
            continue;
        if (is_same_place(&found->s->site, rule->level, stay->held->host, other->held->host))
            beside = true;
        else
            elsewhere = true;
    }
    return rule->apart ? !beside : beside || !elsewhere;
}

static void print_stays(const struct stays_found *found, int64_t time)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->items[i].held->demand->role != DEMAND_ANY)
            print_message("%s lease %d VM %u role %u host %u %d-%d%s\n",
                          reservation_kind_name(found->items[i].r->kind),
                          (int)found->items[i].lease->request.id, found->items[i].held->vm + 1,
                          found->items[i].held->demand->role, found->items[i].held->host + 1,
                          (int)found->items[i].r->from, (int)found->items[i].r->until,
                          is_there(&found->items[i], time) ? " *" : "");
}

static void check_rules_at(const struct stays_found *found, const struct vm_stay *stay,
                           int64_t time)
{
    const struct vm_demand *demand = stay->held->demand;

    for (uint32_t i = 0; i < demand->n_rules; i++)
        if (!demand->rules[i].weight && !keeps_rule(found, stay, &demand->rules[i], time)) {
            print_stays(found, time);
            print_message(
                "role %u %s %s %s\n", demand->role, demand->rules[i].apart ? "apart from" : "with",
                demand->rules[i].level == COMPANY_HOST ? "host" : "cluster", preemptions(found->s));
            fail_msg("seed %u, at %d: VM %u of lease %d breaks a rule about role %u at %d",
                     found->s->seed, (int)found->s->now, stay->held->vm + 1,
                     (int)stay->lease->request.id, demand->rules[i].role, (int)time);
        }
}

static void count_vms(void *context, const struct lease *lease)
{
    struct stays_found *found = context;

    for (size_t i = 0; i < lease->n_reservations && lease->plan->has_demand; i++) {
        const struct reservation *r = lease->reservations[i];
        bool demands = false;

        for (size_t set = 0; set < lease->request.n_node_sets; set++)
            demands |= lease->request.node_sets[set].demand != NULL;
        if (r->state != RESERVATION_DONE && r->kind <= RESERVATION_SHUTDOWN && demands &&
            r->from < r->until && r->placement->n_hosts && !r->placement->held)
            fail_msg("seed %u, at %d: VMs of lease %d hold nothing", found->s->seed,
                     (int)found->s->now, (int)lease->request.id);
    }
}

void check_demands(struct scenario *s)
{
    struct stays_found *found = find_stays(s);

    engine_each_lease(s->engine, count_vms, found);
    for (size_t i = 0; i < found->n; i++) {
        const struct vm_stay *stay = &found->items[i];
        int64_t time = stay->r->from > s->now ? stay->r->from : s->now;

        check_units_at(found, stay->held->host, time);
        check_has_all(found, stay);
        for (size_t k = 0; k < found->n; k++) {
            if (is_there(&found->items[k], time))
                check_rules_at(found, &found->items[k], time);
            /* What one stay leaves behind, another may miss. */
            if (is_there(&found->items[k], stay->r->until))
                check_rules_at(found, &found->items[k], stay->r->until);
        }
    }
    free(found);
}

/* --- is there a place? ------------------------------------------------------------------------ */

/* Groups of `together` threads left on the cores of a node. */
static uint32_t cpus_left(const struct use *use, const struct host_units *units, uint32_t at,
                          const struct vm_demand *demand, uint32_t together)
{
    int most = units->vms_per_thread ? (int)units->vms_per_thread : 1;
    uint32_t thread = 0, left = 0;

    for (uint32_t node = 0; node < units->n_nodes; node++)
        for (uint32_t core = 0; core < units->nodes[node].n_cores; core++) {
            uint32_t free_threads = 0, n = units->nodes[node].cores[core].n_threads;
            bool touched = false, dedicated = false;

            for (uint32_t i = 0; i < n; i++, thread++) {
                free_threads += use->threads[thread] < most;
                touched |= use->threads[thread] > 0;
                dedicated |= use->dedicated[thread] > 0;
            }
            if (node != at || dedicated)
                continue;
            left +=
                demand->pin == PIN_CORE ? !touched && n > 0 : free_threads / together * together;
        }
    return left;
}

static bool has_memory(const struct use *use, const struct numa_node *of, uint32_t node,
                       const struct vm_demand *demand)
{
    int64_t kb = demand->nodes[0].memory_kb;

    if (of->memory_kb - use->memory[node] < kb || of->memory_kb <= use->memory[node])
        return false;
    for (uint32_t k = 0; k < of->n_pages; k++)
        if (of->pages[k].size_kb == demand->page_kb)
            return of->pages[k].count - use->pages[node][k] > 0 &&
                   of->pages[k].count - use->pages[node][k] >= kb / demand->page_kb;
    return demand->page_kb == 0;
}

static bool can_pin(const struct use *use, const struct host_units *units, uint32_t node,
                    const struct vm_demand *demand)
{
    uint32_t cpus = demand->nodes[0].cpus, first = demand->threads_per_core;
    bool memory = false;

    for (uint32_t i = 0; i < units->n_nodes; i++)
        memory |= has_memory(use, &units->nodes[i], i, demand);
    if (demand->pin == PIN_CORE)
        return memory && cpus_left(use, units, node, demand, 1) >= cpus;
    for (uint32_t together = first ? first : 1; memory && together <= (first ? first : 4);
         together *= 2)
        if (cpus % together == 0 && cpus_left(use, units, node, demand, together) >= cpus)
            return true;
    return false;
}

static bool has_units_for(const struct use *use, const struct host_units *units,
                          const struct vm_demand *demand)
{
    bool taken[COUNTERS];

    if (demand->n_devices == 0 && demand->n_nodes == 0)
        return true;
    if (!units)
        return false;
    for (uint32_t i = 0; i < units->n_devices; i++)
        taken[i] = use->devices[i] > 0;
    if (demand->n_nodes == 0)
        return can_match(units, demand, 0, taken, NODE_ANY);
    for (uint32_t node = 0; node < units->n_nodes; node++) {
        bool there = demand->pin != PIN_NONE
                         ? can_pin(use, units, node, demand)
                         : (demand->node == NODE_ANY || demand->node == units->nodes[node].id) &&
                               has_memory(use, &units->nodes[node], node, demand);

        if (there && can_match(units, demand, 0, taken,
                               demand->devices_near ? units->nodes[node].id : NODE_ANY))
            return true;
    }
    return false;
}

/* The most of each unit in use at any time: by looking at each time at which something begins. */
static void most_in_use(const struct stays_found *found, uint32_t host, int64_t from, int64_t until,
                        struct use *most)
{
    const struct host_units *units = found->s->site.hosts[host].units;

    for (size_t i = 0; i <= found->n && units; i++) {
        int64_t time = i < found->n ? found->items[i].r->from : from;
        struct use *use;

        if (time < from || time >= until)
            continue;
        use = calloc(1, sizeof *use);
        for (size_t k = 0; k < found->n; k++)
            if (found->items[k].held->host == host && is_there(&found->items[k], time))
                add_use(use, units, found->items[k].held);
        for (int k = 0; k < COUNTERS; k++) {
            if (use->threads[k] > most->threads[k])
                most->threads[k] = use->threads[k];
            if (use->dedicated[k] > most->dedicated[k])
                most->dedicated[k] = use->dedicated[k];
            if (use->devices[k] > most->devices[k])
                most->devices[k] = use->devices[k];
            if (use->memory[k] > most->memory[k])
                most->memory[k] = use->memory[k];
            for (int p = 0; p < 4; p++)
                if (use->pages[k][p] > most->pages[k][p])
                    most->pages[k][p] = use->pages[k][p];
        }
        free(use);
    }
}

static bool rules_are_kept(const struct stays_found *found, const struct vm_demand *demand,
                           uint32_t host, int64_t from, int64_t until)
{
    struct lease nobody = {0};
    struct reservation always = {.from = from, .until = until};
    struct held_units self = {.vm = UINT32_MAX, .host = host, .demand = demand};
    struct vm_stay stay = {&nobody, &always, &self};

    for (uint32_t i = 0; i < demand->n_rules; i++)
        for (int64_t time = from; time < until && !demand->rules[i].weight; time++)
            if (!keeps_rule(found, &stay, &demand->rules[i], time))
                return false;
    return true;
}

bool place_exists(struct scenario *s, const struct amounts *amounts, const struct vm_demand *demand,
                  int64_t from, int64_t until)
{
    struct stays_found *found = find_stays(s);
    bool exists = false;

    for (uint32_t host = 0; host < s->site.n_hosts && !exists; host++) {
        struct use *use;

        if (engine_fits_until(s->engine, host, amounts, from) < until)
            continue;
        use = calloc(1, sizeof *use);
        most_in_use(found, host, from, until, use);
        exists = has_units_for(use, s->site.hosts[host].units, demand) &&
                 rules_are_kept(found, demand, host, from, until);
        free(use);
    }
    free(found);
    return exists;
}

struct ask one_vm(int64_t id, int64_t duration, const struct vm_demand *demand)
{
    return (struct ask){.id = id, .cpu = 10, .memory = 64, .duration = duration, .demand = demand};
}

struct ask reserved_from(int64_t start, struct ask what)
{
    what.kind = LEASE_RESERVATION;
    what.start = start;
    return what;
}

struct ask with_vms(uint32_t vms, struct ask what)
{
    what.vms = vms;
    return what;
}

void begin_with_units(struct scenario *s, size_t n_hosts, const struct host_units *units)
{
    scenario_begin(s, n_hosts);
    for (size_t host = 0; host < n_hosts; host++)
        s->site.hosts[host].units = units;
}

int host_of(struct scenario *s, int64_t id)
{
    return (int)lease_plan_current(lease_of(s, id))->vm->placement->vms[0].host + 1;
}

void finish_checked(struct scenario *s)
{
    check_demands(s);
    run_to_end(s);
    expect_nothing_left(s);
    scenario_end(s);
}
