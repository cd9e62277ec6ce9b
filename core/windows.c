/* Lays out when each VM of a lease is suspended or resumed. */
#include "core/windows.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine_state.h"
#include "core/estimates.h"
#include "util/memory.h"

/* A stretch of time in which some VMs of a lease are suspended, or resumed. */
struct window {
    int64_t from, until;
    uint32_t *vms;
    size_t n_vms, allocated;
};

struct windows {
    struct window *items;
    size_t n, allocated;
};

/* Direction in which time is filled from the fixed instant: suspensions end there, resumptions
 * begin. */
enum direction { BACKWARD, FORWARD };

struct layout {
    struct engine *engine;
    struct lease *lease;
    const struct placement *placement;
    enum direction direction;
    int64_t at;
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
    for (size_t i = 0; i < windows->n; i++)
        free(windows->items[i].vms);
    free(windows->items);
}

static struct window *windows_find_or_add(struct windows *windows, int64_t from, int64_t until)
{
    struct window *window;

    for (size_t i = windows->n; i-- > 0;)
        if (windows->items[i].from == from && windows->items[i].until == until)
            return &windows->items[i];
    windows->items =
        memory_grow(windows->items, &windows->allocated, windows->n + 1, sizeof *windows->items);
    window = &windows->items[windows->n++];
    memset(window, 0, sizeof *window);
    window->from = from;
    window->until = until;
    return window;
}

static void window_add_vm(struct window *window, uint32_t vm)
{
    window->vms =
        memory_grow(window->vms, &window->allocated, window->n_vms + 1, sizeof *window->vms);
    window->vms[window->n_vms++] = vm;
}

/* The next span, `used` seconds away from the fixed instant. */
static struct window *lay(struct windows *windows, const struct layout *layout, int64_t *used,
                          int64_t span)
{
    int64_t near = *used, far = *used += span;

    if (layout->direction == BACKWARD)
        return windows_find_or_add(windows, layout->at - far, layout->at - near);
    return windows_find_or_add(windows, layout->at + near, layout->at + far);
}

static void lay_next(struct windows *windows, const struct layout *layout, int64_t *used,
                     uint32_t vm)
{
    int64_t span = span_of(layout, vm) + layout->engine->settings.enactment_overhead;

    window_add_vm(lay(windows, layout, used, span), vm);
}

/* One VM after the other. Where waiting VMs hold their hosts, host by host: then a host waits only
 * before or after its own turn. */
static void lay_globally(struct windows *windows, const struct layout *layout)
{
    const struct placement *placement = layout->placement;
    int64_t used = 0;

    if (holds_memory_only(layout)) {
        for (uint32_t vm = 0; vm < placement->n_vms; vm++)
            lay_next(windows, layout, &used, vm);
        return;
    }
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        for (uint32_t vm = 0; vm < placement->n_vms; vm++)
            if (placement->vms[vm].host == placement->hosts[i])
                lay_next(windows, layout, &used, vm);
}

/* Host by host; first_extra is added to the first operation on each host. */
static void lay_locally(struct windows *windows, const struct layout *layout, int64_t first_extra)
{
    const struct placement *placement = layout->placement;
    int64_t *used = memory_new(placement->n_hosts, sizeof *used);

    for (uint32_t i = 0; i < placement->n_hosts; i++)
        layout->engine->host_slot[placement->hosts[i]] = i;
    for (uint32_t vm = 0; vm < placement->n_vms; vm++) {
        int64_t *host_used = &used[layout->engine->host_slot[placement->vms[vm].host]];
        int64_t span = span_of(layout, vm) + (*host_used == 0 ? first_extra : 0);

        window_add_vm(lay(windows, layout, host_used, span), vm);
    }
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        layout->engine->host_slot[placement->hosts[i]] = HOST_NONE;
    free(used);
}

static int by_from_until(const void *a, const void *b)
{
    const struct window *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->until < y->until ? -1 : x->until > y->until;
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

/* Haizea lengthens each window by the overhead of its VMs and then moves windows that overlap one
 * behind the other, wherever their hosts are. */
static void shift_site_wide(struct windows *windows, const struct layout *layout)
{
    int64_t overhead = layout->engine->settings.enactment_overhead;
    struct window *items = windows->items;

    if (windows->n)
        qsort(items, windows->n, sizeof *items, by_from_until);
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
}

static void lay_out(struct windows *windows, const struct layout *layout)
{
    const struct engine_settings *settings = &layout->engine->settings;

    if (settings->exclusion == EXCLUSION_GLOBAL) {
        lay_globally(windows, layout);
    } else if (settings->behaviour.local_windows_shifted_site_wide) {
        lay_locally(windows, layout, 0);
        shift_site_wide(windows, layout);
    } else {
        lay_locally(windows, layout,
                    settings->enactment_overhead * (int64_t)layout->placement->n_vms);
    }
    if (windows->n)
        qsort(windows->items, windows->n, sizeof *windows->items, by_from_until);
}

/* --- from windows to reservations ------------------------------------------------------------- */

static struct placement *window_placement(const struct layout *layout, const struct window *window)
{
    struct engine *engine = layout->engine;
    uint32_t n_types = layout->placement->n_types, n_hosts = 0;
    struct placement *placement;

    for (size_t i = 0; i < window->n_vms; i++) {
        uint32_t host = layout->placement->vms[window->vms[i]].host;

        if (engine->host_slot[host] == HOST_NONE)
            engine->host_slot[host] = n_hosts++;
    }
    placement = placement_create(n_hosts, (uint32_t)window->n_vms, n_types);
    for (size_t i = 0; i < window->n_vms; i++) {
        placement->vms[i] = layout->placement->vms[window->vms[i]];
        placement->hosts[engine->host_slot[placement->vms[i].host]] = placement->vms[i].host;
    }
    return placement;
}

static void forget_slots(struct engine *engine, const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        engine->host_slot[placement->hosts[i]] = HOST_NONE;
}

/* Haizea: (sum of the memory of the VMs) x (number of them), as memory and as disk; no CPU. */
static void hold_memory_only(const struct layout *layout, struct placement *placement)
{
    uint32_t n_types = placement->n_types;
    int64_t *count = memory_new(placement->n_hosts, sizeof *count);

    for (uint32_t i = 0; i < placement->n_vms; i++) {
        uint32_t slot = layout->engine->host_slot[placement->vms[i].host];
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

/* Adds what all VMs of the lease hold on these hosts. */
static void hold_everything(const struct layout *layout, struct placement *placement)
{
    const struct placement *all = layout->placement;

    for (uint32_t i = 0; i < all->n_hosts; i++) {
        uint32_t slot = layout->engine->host_slot[all->hosts[i]];

        if (slot != HOST_NONE)
            memcpy(&placement->amounts[slot * all->n_types], &all->amounts[i * all->n_types],
                   all->n_types * sizeof *all->amounts);
    }
}

static enum reservation_kind kind_of(const struct layout *layout)
{
    return layout->direction == BACKWARD ? RESERVATION_SUSPEND : RESERVATION_RESUME;
}

static void append_window(const struct layout *layout, const struct window *window,
                          struct reservation_list *list)
{
    struct placement *placement = window_placement(layout, window);

    if (holds_memory_only(layout))
        hold_memory_only(layout, placement);
    else
        hold_everything(layout, placement);
    placement_hold_same(placement, layout->placement);
    forget_slots(layout->engine, placement);
    reservation_list_append(list, reservation_create(layout->lease, kind_of(layout), window->from,
                                                     window->until, placement));
}

/* Hosts whose own windows end (or begin) at `edge` hold their VMs until the others are done: a
 * reservation without VMs. */
static void append_wait(const struct layout *layout, int64_t from, int64_t until,
                        const int64_t *edges, struct reservation_list *list)
{
    const struct placement *all = layout->placement;
    int64_t edge = layout->direction == BACKWARD ? until : from;
    uint32_t n_hosts = 0;
    struct placement *placement;

    for (uint32_t i = 0; i < all->n_hosts; i++)
        n_hosts += edges[i] == edge;
    placement = placement_create(n_hosts, 0, all->n_types);
    n_hosts = 0;
    for (uint32_t i = 0; i < all->n_hosts; i++)
        if (edges[i] == edge) {
            placement->hosts[n_hosts] = all->hosts[i];
            memcpy(&placement->amounts[n_hosts * all->n_types], &all->amounts[i * all->n_types],
                   all->n_types * sizeof *all->amounts);
            n_hosts++;
        }
    placement_hold_same(placement, all);
    reservation_list_append(
        list, reservation_create(layout->lease, kind_of(layout), from, until, placement));
}

/* For each host: the begin of its first window (BACKWARD) or the end of its last (FORWARD). */
static int64_t *host_edges(const struct layout *layout, const struct windows *windows)
{
    const struct placement *all = layout->placement;
    int64_t *edges = memory_new(all->n_hosts, sizeof *edges);
    bool backward = layout->direction == BACKWARD;

    for (uint32_t i = 0; i < all->n_hosts; i++) {
        layout->engine->host_slot[all->hosts[i]] = i;
        edges[i] = backward ? INSTANT_NEVER : INSTANT_NONE;
    }
    for (size_t w = 0; w < windows->n; w++)
        for (size_t i = 0; i < windows->items[w].n_vms; i++) {
            uint32_t host = all->vms[windows->items[w].vms[i]].host;
            int64_t *edge = &edges[layout->engine->host_slot[host]];

            if (backward && windows->items[w].from < *edge)
                *edge = windows->items[w].from;
            if (!backward && windows->items[w].until > *edge)
                *edge = windows->items[w].until;
        }
    forget_slots(layout->engine, all);
    return edges;
}

static void append_waits(const struct layout *layout, const struct windows *windows, int64_t end,
                         struct reservation_list *list)
{
    int64_t *edges = host_edges(layout, windows);

    for (uint32_t i = 0; i < layout->placement->n_hosts; i++) {
        bool seen = edges[i] == end;

        for (uint32_t k = 0; k < i && !seen; k++)
            seen = edges[k] == edges[i];
        if (seen)
            continue;
        if (layout->direction == BACKWARD)
            append_wait(layout, end, edges[i], edges, list);
        else
            append_wait(layout, edges[i], end, edges, list);
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

static int64_t make_windows(const struct layout *layout, struct reservation_list *list)
{
    struct windows windows = {0};
    int64_t end = layout->at;

    lay_out(&windows, layout);
    for (size_t i = 0; i < windows.n; i++) {
        const struct window *window = &windows.items[i];

        append_window(layout, window, list);
        if (layout->direction == BACKWARD && window->from < end)
            end = window->from;
        if (layout->direction == FORWARD && window->until > end)
            end = window->until;
    }
    if (!holds_memory_only(layout)) {
        append_waits(layout, &windows, end, list);
        if (list->n)
            qsort(list->items, list->n, sizeof(struct reservation *), by_from);
    }
    windows_finish(&windows);
    return end;
}

int64_t suspend_windows(struct engine *engine, struct lease *lease,
                        const struct placement *placement, int64_t at,
                        struct reservation_list *list)
{
    struct layout layout = {engine, lease, placement, BACKWARD, at};

    return make_windows(&layout, list);
}

int64_t resume_windows(struct engine *engine, struct lease *lease,
                       const struct placement *placement, int64_t at, struct reservation_list *list)
{
    struct layout layout = {engine, lease, placement, FORWARD, at};

    return make_windows(&layout, list);
}
