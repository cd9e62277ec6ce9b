/* Choice of PCI devices for the demands of a VM: a matching, the least special devices first. */
#include <string.h>

#include "core/units.h"

enum { NOT_TAKEN = -1 };

/* One search for a matching. */
struct matching {
    const struct host_units *units;
    const struct pci_demand *demands;
    const int64_t *used; /* per device */
    uint64_t nodes;
    uint16_t device_of[VM_DEVICES_MOST]; /* per demand with a device */
    int8_t holder[HOST_DEVICES_MOST];    /* per device: its demand */
    bool has_kinds;
    uint16_t first_of_kind[HOST_DEVICES_MOST], of_kind[HOST_DEVICES_MOST];
};

static bool is_or_any(uint32_t wanted, uint32_t value)
{
    return wanted == DEMAND_ANY || wanted == value;
}

static bool has_profile(const struct pci_device *device, uint32_t profile)
{
    for (uint32_t i = 0; i < device->n_profiles; i++)
        if (device->profiles[i] == profile)
            return true;
    return profile == DEMAND_ANY;
}

bool device_matches(const struct pci_device *device, const struct pci_demand *demand)
{
    return is_or_any(demand->vendor, device->vendor) && is_or_any(demand->device, device->device) &&
           is_or_any(demand->class_id, device->class_id) &&
           is_or_any(demand->address, device->address) && has_profile(device, demand->profile);
}

static bool may_take(const struct matching *matching, uint32_t device, uint32_t demand)
{
    const struct pci_device *of = &matching->units->devices[device];
    uint32_t node;

    if (matching->used[device] || !device_matches(of, &matching->demands[demand]))
        return false;
    if (matching->nodes == ALL_NODES)
        return true;
    node = numa_node_place(matching->units, of->numa_node);
    return node != NO_PLACE && (matching->nodes >> node & 1);
}

static bool is_same_kind(const struct pci_device *a, const struct pci_device *b)
{
    return a->vendor == b->vendor && a->device == b->device && a->class_id == b->class_id;
}

/* Counts, for each device, the devices of its kind on the host. */
static void count_kinds(struct matching *matching)
{
    const struct host_units *units = matching->units;

    for (uint32_t i = 0; i < units->n_devices; i++) {
        uint32_t same = 0;

        while (same < i && !is_same_kind(&units->devices[same], &units->devices[i]))
            same++;
        matching->of_kind[i] = 0;
        matching->first_of_kind[i] = (uint16_t)same;
        matching->of_kind[same]++;
    }
    matching->has_kinds = true;
}

static uint32_t count_of_kind(const struct matching *matching, uint32_t device)
{
    return matching->of_kind[matching->first_of_kind[device]];
}

static void give(struct matching *matching, uint16_t device, uint32_t demand)
{
    matching->device_of[demand] = device;
    matching->holder[device] = (int8_t)demand;
}

/* Takes the least special free device: the kind with most devices on the host, then fewest
 * profiles, then the first. */
static bool take_left(struct matching *matching, uint32_t demand)
{
    const struct host_units *units = matching->units;
    const struct pci_device *best = NULL;
    uint32_t of_best = 0;

    if (!matching->has_kinds)
        count_kinds(matching);
    for (uint32_t i = 0; i < units->n_devices; i++) {
        const struct pci_device *device = &units->devices[i];
        uint32_t of_kind = count_of_kind(matching, i);

        if (matching->holder[i] != NOT_TAKEN || !may_take(matching, i, demand))
            continue;
        if (best &&
            (of_kind < of_best || (of_kind == of_best && device->n_profiles >= best->n_profiles)))
            continue;
        best = device;
        of_best = of_kind;
    }
    if (!best)
        return false;
    give(matching, (uint16_t)(best - units->devices), demand);
    return true;
}

/* Frees a device for the demand by giving other demands other devices (an augmenting path, breadth
 * first: from[i] is the demand that would take the device of demand i). */
static bool take_by_exchange(struct matching *matching, uint32_t demand)
{
    uint32_t queue[VM_DEVICES_MOST], from[VM_DEVICES_MOST], n = 0;
    bool seen[VM_DEVICES_MOST] = {false};

    queue[n++] = demand;
    seen[demand] = true;
    for (uint32_t next = 0; next < n; next++)
        for (uint32_t device = 0; device < matching->units->n_devices; device++) {
            int8_t holder = matching->holder[device];
            uint32_t at = queue[next];
            uint16_t passed = (uint16_t)device;

            if (!may_take(matching, device, at))
                continue;
            if (holder != NOT_TAKEN) {
                if (!seen[holder]) {
                    seen[holder] = true;
                    from[holder] = at;
                    queue[n++] = (uint32_t)holder;
                }
                continue;
            }
            while (at != demand) {
                uint16_t given = matching->device_of[at];

                give(matching, passed, at);
                passed = given;
                at = from[at];
            }
            give(matching, passed, demand);
            return true;
        }
    return false;
}

/* More specific demands come first: those with an address, then those with a profile, then by the
 * number of other values. */
static int precision(const struct pci_demand *demand)
{
    return (demand->address != DEMAND_ANY) * 8 + (demand->profile != DEMAND_ANY) * 4 +
           (demand->vendor != DEMAND_ANY) + (demand->device != DEMAND_ANY) +
           (demand->class_id != DEMAND_ANY);
}

/* Orders the demands by precision. */
static void order_demands(const struct vm_demand *demand, uint32_t order[VM_DEVICES_MOST])
{
    for (uint32_t i = 0; i < demand->n_devices; i++) {
        int of = precision(&demand->devices[i]);
        uint32_t place = i;

        for (; place && precision(&demand->devices[order[place - 1]]) < of; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

/* A quick check that there are enough devices, for any number of demands. */
static bool are_enough(const struct unit_layout *layout, const int64_t *used, uint32_t n)
{
    for (uint32_t i = 0; i < layout->units->n_devices && n; i++)
        n -= used[layout->devices + i] == 0;
    return n == 0;
}

bool devices_choose(const struct unit_layout *layout, const struct vm_demand *demand,
                    uint64_t nodes, const int64_t *used, struct unit_set *set)
{
    uint32_t order[VM_DEVICES_MOST];
    struct matching matching;

    set->n_devices = 0;
    if (!are_enough(layout, used, demand->n_devices))
        return false;
    if (!demand->n_devices)
        return true;
    matching.units = layout->units;
    matching.demands = demand->devices;
    matching.used = used + layout->devices;
    matching.nodes = nodes;
    matching.has_kinds = false;
    memset(matching.holder, NOT_TAKEN, layout->units->n_devices);
    order_demands(demand, order);
    for (uint32_t i = 0; i < demand->n_devices; i++)
        if (!take_left(&matching, order[i]) && (!i || !take_by_exchange(&matching, order[i])))
            return false;
    set->n_devices = demand->n_devices;
    memcpy(set->devices, matching.device_of, demand->n_devices * sizeof *set->devices);
    return true;
}
