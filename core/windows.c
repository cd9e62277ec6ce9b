/* Lays out the suspension or resumption of each VM of a lease. */
#include "core/windows.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "util/memory.h"

/* The suspension or resumption of one VM. */
struct turn {
    int64_t from, until;
    uint32_t vm;
    uint32_t order; /* the order in which turns were laid out */
};

/* An interval in which some VMs of a lease are suspended or resumed. */
struct window {
    int64_t from, until;
    const struct turn *turns;
    size_t n_vms;
};

struct windows {
    struct turn *turns; /* of all VMs */
    struct window *items;
    size_t n;
};

/* Direction of the layout from the fixed instant, at which suspensions end and resumptions begin.
 */
enum direction { BACKWARD, FORWARD };

struct layout {
    struct engine *engine;
    struct lease *lease;
    const struct placement *placement;
    enum direction direction;
    int64_t at;
    uint32_t *slots; /* scratch, one entry per host of the placement: HOST_NONE when not in use */
};

static bool holds_memory_only(const struct layout *layout)
{
    return layout->engine->settings.behaviour.suspension_holds_memory_only;
}

static int64_t span_of(const struct layout *layout, uint32_t vm)
{
    int64_t memory = lease_vm_amounts(layout->lease, vm)->of[RESOURCE_MEMORY];

    return layout->direction == BACKWARD ? suspend_span_of_vm(layout->engine, memory)
                                         : resume_span_of_vm(layout->engine, memory);
}

static void windows_finish(struct windows *windows)
{
    free(windows->turns);
    free(windows->items);
}

/* Lays out the VM's turn, `used` seconds away from the fixed instant. */
static void lay(struct windows *windows, const struct layout *layout, int64_t *used, uint32_t vm,
                int64_t span)
{
    int64_t near = *used, far = *used += span;
    struct turn turn = {layout->at + near, layout->at + far, vm, (uint32_t)windows->n};

    if (layout->direction == BACKWARD) {
        turn.from = layout->at - far;
        turn.until = layout->at - near;
    }
    windows->turns[windows->n++] = turn;
}

static void lay_next(struct windows *windows, const struct layout *layout, int64_t *used,
                     uint32_t vm)
{
    lay(windows, layout, used, vm,
        span_of(layout, vm) + layout->engine->settings.enactment_overhead);
}

/* The host's place in the lease's placement. */
static uint32_t place_of(const struct layout *layout, uint32_t host)
{
    return layout->engine->host_slot[host];
}

static uint32_t host_of(const struct layout *layout, uint32_t vm)
{
    return place_of(layout, layout->placement->vms[vm].host);
}

/* The VMs, ordered by the places of their hosts in the placement. */
static uint32_t *vms_by_host(const struct layout *layout)
{
    const struct placement *placement = layout->placement;
    uint32_t *end = memory_new(placement->n_hosts + 1, sizeof *end);
    uint32_t *vms = memory_new(placement->n_vms, sizeof *vms);

    for (uint32_t vm = 0; vm < placement->n_vms; vm++)
        end[host_of(layout, vm) + 1]++;
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        end[i + 1] += end[i];
    for (uint32_t vm = 0; vm < placement->n_vms; vm++)
        vms[end[host_of(layout, vm)]++] = vm;
    free(end);
    return vms;
}

/* Lays out one VM after the other. If waiting VMs hold their hosts, goes host by host, so that a
 * host waits only before or after its own turn. */
static void lay_globally(struct windows *windows, const struct layout *layout)
{
    const struct placement *placement = layout->placement;
    int64_t used = 0;
    uint32_t *vms;

    if (holds_memory_only(layout)) {
        for (uint32_t vm = 0; vm < placement->n_vms; vm++)
            lay_next(windows, layout, &used, vm);
        return;
    }
    vms = vms_by_host(layout);
    for (uint32_t i = 0; i < placement->n_vms; i++)
        lay_next(windows, layout, &used, vms[i]);
    free(vms);
}

/* Lays out each host by itself; first_extra is added to the first operation on each host. */
static void lay_locally(struct windows *windows, const struct layout *layout, int64_t first_extra)
{
    const struct placement *placement = layout->placement;
    int64_t *used = memory_new(placement->n_hosts, sizeof *used);

    for (uint32_t vm = 0; vm < placement->n_vms; vm++) {
        int64_t *host_used = &used[host_of(layout, vm)];

        lay(windows, layout, host_used, vm,
            span_of(layout, vm) + (*host_used == 0 ? first_extra : 0));
    }
    free(used);
}

/* As Haizea sorts them: one that takes no time may follow one that begins with it. */
static int by_start(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int by_time(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->until != y->until)
        return x->until < y->until ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Turns and edges are mostly in order already. */
static void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    const char *item = items;

    for (size_t i = 1; i < n; i++, item += size)
        if (compare(item, item + size) > 0) {
            qsort(items, n, size, compare);
            return;
        }
}

/* Gathers turns at the same time into one window, unless each VM has its own; by ascending time. */
static void gather(struct windows *windows, const struct layout *layout)
{
    const size_t n_turns = windows->n;
    const bool one_by_one = layout->engine->settings.exclusion == EXCLUSION_GLOBAL;

    sort(windows->turns, n_turns, sizeof *windows->turns,
         one_by_one && holds_memory_only(layout) ? by_start : by_time);
    windows->items = memory_new(n_turns, sizeof *windows->items);
    windows->n = 0;
    for (size_t i = 0; i < n_turns; i++) {
        const struct turn *turn = &windows->turns[i];

        if (i == 0 || one_by_one || turn[-1].from != turn->from || turn[-1].until != turn->until)
            windows->items[windows->n++] = (struct window){turn->from, turn->until, turn, 0};
        windows->items[windows->n - 1].n_vms++;
    }
}

static void sort_stably(struct window *items, size_t n, int64_t (*key)(const struct window *))
{
    for (size_t i = 1; i < n; i++) {
        struct window moved = items[i];
        size_t k = i;

        for (; k && key(&items[k - 1]) > key(&moved); k--)
            items[k] = items[k - 1];
        items[k] = moved;
    }
}

static int64_t key_from(const struct window *window)
{
    return window->from;
}

static int64_t key_until(const struct window *window)
{
    return window->until;
}

static void reverse(struct window *items, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct window other = items[i];

        items[i] = items[n - 1 - i];
        items[n - 1 - i] = other;
    }
}

/* Haizea lengthens each window by the overhead of its VMs and then shifts overlapping windows one
 * behind the other, regardless of their hosts. */
static void shift_site_wide(struct windows *windows, const struct layout *layout)
{
    int64_t overhead = layout->engine->settings.enactment_overhead;
    struct window *items = windows->items;

    for (size_t i = 0; i < windows->n; i++) {
        if (layout->direction == BACKWARD)
            items[i].from -= overhead * (int64_t)items[i].n_vms;
        else
            items[i].until += overhead * (int64_t)items[i].n_vms;
    }
    sort_stably(items, windows->n, layout->direction == BACKWARD ? key_until : key_from);
    if (layout->direction == BACKWARD)
        reverse(items, windows->n);
    for (size_t i = 1; i < windows->n; i++) {
        int64_t shift = 0;

        if (layout->direction == BACKWARD && items[i].until > items[i - 1].from)
            shift = items[i - 1].from - items[i].until;
        if (layout->direction == FORWARD && items[i].from < items[i - 1].until)
            shift = items[i - 1].until - items[i].from;
        items[i].from += shift;
        items[i].until += shift;
    }
    sort_stably(items, windows->n, key_from);
}

static void lay_out(struct windows *windows, const struct layout *layout)
{
    const struct engine_settings *settings = &layout->engine->settings;
    const bool shifted = settings->exclusion != EXCLUSION_GLOBAL &&
                         settings->behaviour.local_windows_shifted_site_wide;
    const int64_t overhead = settings->enactment_overhead * (int64_t)layout->placement->n_vms;

    windows->turns = memory_new(layout->placement->n_vms, sizeof *windows->turns);
    if (settings->exclusion == EXCLUSION_GLOBAL)
        lay_globally(windows, layout);
    else
        lay_locally(windows, layout, shifted ? 0 : overhead);
    gather(windows, layout);
    if (shifted)
        shift_site_wide(windows, layout);
}

/* --- from windows to reservations ------------------------------------------------------------- */

/* Creates the window's placement, and sets the slots of its hosts. */
static struct placement *window_placement(const struct layout *layout, const struct window *window)
{
    uint32_t n_hosts = 0;
    struct placement *placement;

    for (size_t i = 0; i < window->n_vms; i++) {
        uint32_t *slot = &layout->slots[host_of(layout, window->turns[i].vm)];

        if (*slot == HOST_NONE)
            *slot = n_hosts++;
    }
    placement = placement_create(n_hosts, (uint32_t)window->n_vms, layout->placement->n_types);
    for (size_t i = 0; i < window->n_vms; i++) {
        uint32_t vm = window->turns[i].vm;

        placement->vms[i] = layout->placement->vms[vm];
        placement->hosts[layout->slots[host_of(layout, vm)]] = placement->vms[i].host;
    }
    return placement;
}

static void forget_slots(const struct layout *layout, const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        layout->slots[place_of(layout, placement->hosts[i])] = HOST_NONE;
}

/* Haizea: (sum of the memory of the VMs) x (number of them), as memory and as disk; no CPU. */
static void hold_memory_only(const struct layout *layout, struct placement *placement)
{
    uint32_t n_types = placement->n_types;
    int64_t *count = memory_new(placement->n_hosts, sizeof *count);

    for (uint32_t i = 0; i < placement->n_vms; i++) {
        uint32_t slot = layout->slots[place_of(layout, placement->vms[i].host)];
        int64_t *amounts = &placement->amounts[slot * n_types];

        amounts[RESOURCE_MEMORY] +=
            lease_vm_amounts(layout->lease, placement->vms[i].vm)->of[RESOURCE_MEMORY];
        count[slot]++;
    }
    for (uint32_t slot = 0; slot < placement->n_hosts; slot++) {
        int64_t *amounts = &placement->amounts[slot * n_types];

        amounts[RESOURCE_MEMORY] *= count[slot];
        amounts[RESOURCE_DISK] = amounts[RESOURCE_MEMORY];
    }
    free(count);
}

/* Resources of all VMs of the lease on a host. */
static const int64_t *amounts_on(const struct layout *layout, uint32_t host)
{
    return &layout->placement->amounts[place_of(layout, host) * layout->placement->n_types];
}

static void hold_everything(const struct layout *layout, struct placement *placement)
{
    const size_t n_types = placement->n_types;

    for (uint32_t i = 0; i < placement->n_hosts; i++)
        memcpy(&placement->amounts[i * n_types], amounts_on(layout, placement->hosts[i]),
               n_types * sizeof *placement->amounts);
}

/* Appends a reservation of the lease between two times; takes over the placement. */
static void append(const struct layout *layout, int64_t from, int64_t until,
                   struct placement *placement, struct reservation_list *list)
{
    enum reservation_kind kind =
        layout->direction == BACKWARD ? RESERVATION_SUSPEND : RESERVATION_RESUME;
    struct reservation *r = reservation_create(layout->lease, kind, from, until, placement);

    placement_hold_same(placement, layout->placement);
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        r->cpu += amounts_on(layout, placement->hosts[i])[RESOURCE_CPU];
    reservation_list_append(list, r);
}

static void append_window(const struct layout *layout, const struct window *window,
                          struct reservation_list *list)
{
    struct placement *placement = window_placement(layout, window);

    if (holds_memory_only(layout))
        hold_memory_only(layout, placement);
    else
        hold_everything(layout, placement);
    forget_slots(layout, placement);
    append(layout, window->from, window->until, placement, list);
}

/* A host, with the start of its first window (BACKWARD) or the end of its last (FORWARD). */
struct edge {
    int64_t at;
    uint32_t place;
};

static int by_edge(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* The edges of all hosts, by time. */
static struct edge *host_edges(const struct layout *layout, const struct windows *windows)
{
    const uint32_t n_hosts = layout->placement->n_hosts;
    struct edge *edges = memory_new(n_hosts, sizeof *edges);
    bool backward = layout->direction == BACKWARD;

    for (uint32_t i = 0; i < n_hosts; i++)
        edges[i] = (struct edge){backward ? INSTANT_NEVER : INSTANT_NONE, i};
    for (size_t w = 0; w < windows->n; w++)
        for (size_t i = 0; i < windows->items[w].n_vms; i++) {
            struct edge *edge = &edges[host_of(layout, windows->items[w].turns[i].vm)];

            if (backward && windows->items[w].from < edge->at)
                edge->at = windows->items[w].from;
            if (!backward && windows->items[w].until > edge->at)
                edge->at = windows->items[w].until;
        }
    sort(edges, n_hosts, sizeof *edges, by_edge);
    return edges;
}

/* Appends a reservation without VMs for hosts with the same edge, which hold their VMs until the
 * others are done. */
static void append_wait(const struct layout *layout, const struct edge *edges, uint32_t n_hosts,
                        int64_t end, struct reservation_list *list)
{
    const struct placement *all = layout->placement;
    struct placement *placement = placement_create(n_hosts, 0, all->n_types);

    for (uint32_t i = 0; i < n_hosts; i++)
        placement->hosts[i] = all->hosts[edges[i].place];
    hold_everything(layout, placement);
    if (layout->direction == BACKWARD)
        append(layout, end, edges->at, placement, list);
    else
        append(layout, edges->at, end, placement, list);
}

static void append_waits(const struct layout *layout, const struct windows *windows, int64_t end,
                         struct reservation_list *list)
{
    const uint32_t n_hosts = layout->placement->n_hosts;
    struct edge *edges = host_edges(layout, windows);

    for (uint32_t i = 0, next; i < n_hosts; i = next) {
        for (next = i + 1; next < n_hosts && edges[next].at == edges[i].at;)
            next++;
        if (edges[i].at != end)
            append_wait(layout, &edges[i], next - i, end, list);
    }
    free(edges);
}

static int by_from(const void *a, const void *b)
{
    const struct reservation *x = *(struct reservation *const *)a;
    const struct reservation *y = *(struct reservation *const *)b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->until < y->until ? -1 : x->until > y->until;
}

static void append_all(const struct layout *layout, const struct windows *windows, int64_t end,
                       struct reservation_list *list)
{
    for (size_t i = 0; i < windows->n; i++)
        append_window(layout, &windows->items[i], list);
    if (holds_memory_only(layout))
        return;
    append_waits(layout, windows, end, list);
    if (list->n)
        qsort(list->items, list->n, sizeof(struct reservation *), by_from);
}

/* The end of all windows opposite to the fixed instant. */
static int64_t end_of(const struct layout *layout, const struct windows *windows)
{
    int64_t end = layout->at;

    for (size_t i = 0; i < windows->n; i++) {
        const struct window *window = &windows->items[i];

        if (layout->direction == BACKWARD && window->from < end)
            end = window->from;
        if (layout->direction == FORWARD && window->until > end)
            end = window->until;
    }
    return end;
}

static int64_t make_windows(struct layout *layout, struct reservation_list *list)
{
    const struct placement *all = layout->placement;
    struct windows windows = {0};
    int64_t end;

    layout->slots = memory_new(all->n_hosts, sizeof *layout->slots);
    for (uint32_t i = 0; i < all->n_hosts; i++) {
        layout->slots[i] = HOST_NONE;
        layout->engine->host_slot[all->hosts[i]] = i;
    }
    lay_out(&windows, layout);
    end = end_of(layout, &windows);
    append_all(layout, &windows, end, list);
    for (uint32_t i = 0; i < all->n_hosts; i++)
        layout->engine->host_slot[all->hosts[i]] = HOST_NONE;
    free(layout->slots);
    windows_finish(&windows);
    return end;
}

int64_t suspend_windows(struct engine *engine, struct lease *lease,
                        const struct placement *placement, int64_t at,
                        struct reservation_list *list)
{
    struct layout layout = {engine, lease, placement, BACKWARD, at, NULL};

    return make_windows(&layout, list);
}

int64_t resume_windows(struct engine *engine, struct lease *lease,
                       const struct placement *placement, int64_t at, struct reservation_list *list)
{
    struct layout layout = {engine, lease, placement, FORWARD, at, NULL};

    return make_windows(&layout, list);
}
