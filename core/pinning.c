/* Chooses hardware threads and memory of NUMA nodes for a VM in the same way as oned. */

#include "core/units.h"

/* One search; `used` includes the units taken. */
struct pinning {
    const struct unit_layout *layout;
    const struct vm_demand *demand;
    struct numa_nodes nodes;
    int64_t *used;
    struct unit_set *set;
    uint32_t together; /* threads of a core that are taken together */
};

static const struct numa_node *node_at(const struct pinning *pinning, uint32_t node)
{
    return &pinning->layout->units->nodes[node];
}

static bool is_in(uint64_t nodes, uint32_t node)
{
    return nodes >> node & 1;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The counter of the pages of the demanded size; 0: the node has none. */
static uint32_t pages_on(const struct pinning *pinning, uint32_t node)
{
    return unit_pages_of(pinning->layout, node, pinning->demand->page_kb);
}

static int64_t pages_left(const struct pinning *pinning, uint32_t node)
{
    const struct numa_node *of = node_at(pinning, node);

    for (uint32_t i = 0; i < of->n_pages; i++)
        if (of->pages[i].size_kb == pinning->demand->page_kb)
            return of->pages[i].count - pinning->used[pages_on(pinning, node)];
    return 0;
}

/* Pages left on the node; INT64_MAX if the demand names no size, -1 if memory is insufficient. */
static int64_t room_for_memory(const struct pinning *pinning, uint32_t node, int64_t memory_kb)
{
    int64_t left =
        node_at(pinning, node)->memory_kb - pinning->used[pinning->layout->memory + node];
    int64_t page_kb = pinning->demand->page_kb, pages;

    if (left < memory_kb || (left <= 0 && memory_kb > 0))
        return -1;
    if (!page_kb)
        return INT64_MAX;
    pages = pages_left(pinning, node);
    return pages <= 0 || pages < memory_kb / page_kb ? -1 : pages;
}

/* Takes memory for the next virtual node. */
static void take_memory(struct pinning *pinning, uint32_t node)
{
    int64_t memory_kb = pinning->demand->nodes[pinning->set->n_memory].memory_kb;

    pinning->used[pinning->layout->memory + node] += memory_kb;
    if (pinning->demand->page_kb)
        pinning->used[pages_on(pinning, node)] += memory_kb / pinning->demand->page_kb;
    pinning->set->memory[pinning->set->n_memory++] = (uint8_t)node;
}

/* Takes all of the VM's memory on one node: the demanded node, else the node with the most pages
 * left. */
static bool choose_memory(struct pinning *pinning)
{
    const struct vm_demand *demand = pinning->demand;
    uint32_t n = pinning->layout->units->n_nodes, best = NO_PLACE;
    int64_t memory_kb = 0, most = -1;

    for (uint32_t i = 0; i < demand->n_nodes; i++)
        memory_kb += demand->nodes[i].memory_kb;
    for (uint32_t node = 0; node < n; node++) {
        int64_t room = -1;

        if (is_in(pinning->nodes.allowed, node) &&
            (demand->node == NODE_ANY || demand->node == node_at(pinning, node)->id))
            room = room_for_memory(pinning, node, memory_kb);
        if (room > most) {
            most = room;
            best = node;
        }
    }
    for (uint32_t i = 0; best != NO_PLACE && i < demand->n_nodes; i++)
        take_memory(pinning, best);
    return best != NO_PLACE;
}

/* --- threads ---------------------------------------------------------------------------------- */

/* Threads of a core available to the VM; with CORE, all threads of a core count as one. as_places:
 * a thread counts once for each further VM that may share it. */
static uint32_t left_on_core(const struct pinning *pinning, const struct numa_core *core,
                             uint32_t first, bool as_places)
{
    const struct host_units *units = pinning->layout->units;
    int64_t most = units->vms_per_thread ? units->vms_per_thread : 1;
    const int64_t *used = &pinning->used[first];
    uint32_t left = 0, in_use = 0;

    for (uint32_t i = 0; i < core->n_threads; i++) {
        if (used[i] >= DEDICATED)
            return 0;
        in_use += used[i] > 0;
        if (used[i] < most)
            left += as_places ? (uint32_t)(most - used[i]) : 1;
    }
    if (pinning->demand->pin == PIN_CORE)
        return in_use == 0 && core->n_threads > 0;
    return left / pinning->together * pinning->together;
}

static uint32_t first_thread(const struct pinning *pinning, uint32_t node)
{
    uint32_t thread = 0;

    for (uint32_t i = 0; i < node; i++)
        for (uint32_t core = 0; core < node_at(pinning, i)->n_cores; core++)
            thread += node_at(pinning, i)->cores[core].n_threads;
    return thread;
}

static uint32_t left_on_node(const struct pinning *pinning, uint32_t node, bool as_places)
{
    const struct numa_node *of = node_at(pinning, node);
    uint32_t thread = first_thread(pinning, node), left = 0;

    for (uint32_t core = 0; core < of->n_cores; thread += of->cores[core++].n_threads)
        left += left_on_core(pinning, &of->cores[core], thread, as_places);
    return left;
}

/* Takes the first threads of the first cores with room; the node has enough. */
static void take_threads(struct pinning *pinning, uint32_t node, uint32_t cpus)
{
    const struct host_units *units = pinning->layout->units;
    const struct numa_node *of = node_at(pinning, node);
    int64_t most = units->vms_per_thread ? units->vms_per_thread : 1;
    bool dedicated = pinning->demand->pin == PIN_CORE;
    uint32_t thread = first_thread(pinning, node);

    for (uint32_t core = 0; core < of->n_cores && cpus; thread += of->cores[core++].n_threads) {
        uint32_t take = left_on_core(pinning, &of->cores[core], thread, false);

        for (uint32_t i = 0; i < of->cores[core].n_threads && take && cpus; i++) {
            if (pinning->used[thread + i] >= most)
                continue;
            pinning->used[thread + i] += dedicated ? DEDICATED : 1;
            pinning->set->threads[pinning->set->n_threads++] = (uint16_t)(thread + i);
            take--;
            cpus--;
        }
    }
}

/* The node, `hop` nodes away, that holds the memory of VMs pinned to this one. */
static uint32_t memory_node(const struct pinning *pinning, uint32_t node, uint32_t hop)
{
    const int32_t *nearest = node_at(pinning, node)->nearest;

    if (nearest)
        return numa_node_place(pinning->layout->units, nearest[hop]);
    if (hop == 0)
        return node;
    return hop <= node ? hop - 1 : hop;
}

/* Preferred nodes first, then those with the most room, then the highest. */
static bool is_better(const struct pinning *pinning, const uint32_t *left, uint32_t a, uint32_t b)
{
    bool a_first = is_in(pinning->nodes.preferred, a), b_first = is_in(pinning->nodes.preferred, b);

    if (a_first != b_first)
        return a_first;
    return left[a] != left[b] ? left[a] > left[b] : a > b;
}

/* Nodes with threads for the virtual node, best first; returns their number. */
static uint32_t order_nodes(const struct pinning *pinning, uint32_t cpus,
                            uint8_t order[HOST_NODES_MOST])
{
    uint32_t left[HOST_NODES_MOST], n = 0;

    for (uint32_t node = 0; node < pinning->layout->units->n_nodes; node++) {
        uint32_t place = n;

        if (!is_in(pinning->nodes.allowed, node))
            continue;
        if (left_on_node(pinning, node, false) < cpus)
            continue;
        left[node] = left_on_node(pinning, node, true);
        for (; place && is_better(pinning, left, node, order[place - 1]); place--)
            order[place] = order[place - 1];
        order[place] = (uint8_t)node;
        n++;
    }
    return n;
}

/* Takes threads of the best node with the nearest memory. */
static bool pin_node(struct pinning *pinning, const struct vm_node *node)
{
    uint8_t order[HOST_NODES_MOST];
    uint32_t n = order_nodes(pinning, node->cpus, order);

    for (uint32_t hop = 0; hop < pinning->layout->units->n_nodes && n; hop++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t memory = memory_node(pinning, order[i], hop);

            if (memory == NO_PLACE || room_for_memory(pinning, memory, node->memory_kb) < 0)
                continue;
            take_threads(pinning, order[i], node->cpus);
            take_memory(pinning, memory);
            return true;
        }
    return false;
}

/* --- threads of a core that belong together --------------------------------------------------- */

/* The most threads that a core has. */
static uint32_t threads_of_cores(const struct host_units *units)
{
    uint32_t most = 0;

    for (uint32_t node = 0; node < units->n_nodes; node++)
        for (uint32_t core = 0; core < units->nodes[node].n_cores; core++)
            if (units->nodes[node].cores[core].n_threads > most)
                most = units->nodes[node].cores[core].n_threads;
    return most;
}

/* Is it a power of two that divides the CPUs of all virtual nodes? */
static bool is_valid(const struct vm_demand *demand, uint32_t together)
{
    for (uint32_t i = 0; i < demand->n_nodes; i++)
        if (demand->nodes[i].cpus % together)
            return false;
    return true;
}

static bool pin_all(struct pinning *pinning)
{
    for (uint32_t i = 0; i < pinning->demand->n_nodes; i++)
        if (!pin_node(pinning, &pinning->demand->nodes[i]))
            return false;
    return true;
}

/* Releases the units of a failed attempt. */
static void give_back(struct pinning *pinning)
{
    const struct vm_demand *demand = pinning->demand;
    int64_t share = demand->pin == PIN_CORE ? DEDICATED : 1;

    while (pinning->set->n_threads)
        pinning->used[pinning->set->threads[--pinning->set->n_threads]] -= share;
    while (pinning->set->n_memory) {
        uint32_t i = --pinning->set->n_memory, node = pinning->set->memory[i];

        pinning->used[pinning->layout->memory + node] -= demand->nodes[i].memory_kb;
        if (demand->page_kb)
            pinning->used[pages_on(pinning, node)] -= demand->nodes[i].memory_kb / demand->page_kb;
    }
}

/* Takes as many threads of a core together as possible: a power of two, limited by the VM's
 * topology and the host's cores; exactly the topology's number if it has one. */
static bool choose_threads(struct pinning *pinning)
{
    const struct vm_demand *demand = pinning->demand;
    uint32_t wanted = demand->threads_per_core, most = threads_of_cores(pinning->layout->units);

    if (demand->pin == PIN_CORE) {
        pinning->together = 1;
        return pin_all(pinning);
    }
    if (wanted && wanted < most)
        most = wanted;
    for (uint32_t together = 1U << 30; together; together /= 2) {
        if (together > most || !is_valid(demand, together) || (wanted && wanted != together))
            continue;
        pinning->together = together;
        if (pin_all(pinning))
            return true;
        give_back(pinning);
    }
    return false;
}

bool pins_choose(const struct unit_layout *layout, const struct vm_demand *demand,
                 struct numa_nodes nodes, int64_t *used, struct unit_set *set)
{
    struct pinning pinning = {
        .layout = layout, .demand = demand, .nodes = nodes, .used = used, .set = set};

    set->n_threads = set->n_memory = 0;
    if (!demand->n_nodes)
        return true;
    return demand->pin == PIN_NONE ? choose_memory(&pinning) : choose_threads(&pinning);
}
