/* Finds the first time at which the requested number of VMs fits. */
#include "core/earliest.h"

#include <stdlib.h>

#include "util/instant.h"
#include "util/memory.h"

/* Points examined together. */
enum { SCAN_POINTS = 32 };

/* Room for one more VM on a host that already holds level-1 of them, at every start in [from,
 * last]. */
struct earliest_window {
    int64_t from, last;
    uint32_t host, level;
    uint32_t point; /* where the search for the next window continues */
    bool reopened;  /* not the first window of its host and level */
};

struct window_heap {
    struct earliest_window *items;
    size_t n, allocated;
};

struct earliest_search {
    const struct earliest_request *request;
    int64_t horizon;            /* starts up to this time are being considered */
    struct window_heap waiting; /* windows that begin later, by start */
    struct window_heap open;    /* windows that have begun, by last start */
    struct window_heap pending; /* not a heap: windows still to be found, all beyond the horizon */
};

static int64_t by_from(const struct earliest_window *window)
{
    return window->from;
}

static int64_t by_last(const struct earliest_window *window)
{
    return window->last;
}

typedef int64_t (*window_key)(const struct earliest_window *);

static inline void heap_push(struct window_heap *heap, window_key key,
                             const struct earliest_window *window)
{
    size_t i = heap->n++;

    MEMORY_GROW(heap->items, heap->allocated, heap->n);
    for (; i && key(&heap->items[(i - 1) / 2]) > key(window); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = *window;
}

static inline struct earliest_window heap_pop(struct window_heap *heap, window_key key)
{
    struct earliest_window top = heap->items[0], last = heap->items[--heap->n];
    size_t i = 0;

    for (size_t child = 1; child < heap->n; child = 2 * i + 1) {
        if (child + 1 < heap->n && key(&heap->items[child + 1]) < key(&heap->items[child]))
            child++;
        if (key(&heap->items[child]) >= key(&last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return top;
}

enum found { FOUND_NOTHING, FOUND_LATER, FOUND_WINDOW };

/* A search for a window: a sufficiently long run of points at which the demand is free. */
struct scan {
    const struct earliest_search *search;
    const int64_t *times;
    uint32_t n;
    uint32_t start; /* of the current run, which began at an earlier point */
    bool in_run;
};

/* The run ends at point `block`: is it a window? */
static bool is_window(const struct scan *scan, uint32_t block, struct earliest_window *window)
{
    const struct earliest_request *request = scan->search->request;
    const int64_t begin = scan->times[scan->start];
    const int64_t from = begin > window->from ? begin : window->from;

    if (block == scan->n)
        window->last = INSTANT_NEVER;
    else if (scan->times[block] >= instant_add(from, request->duration))
        window->last = scan->times[block] - request->duration;
    else
        return false;
    window->from = from;
    return true;
}

/* Continues with `count` points from `base`; bit k of blocked: the demand is not free at base +
 * k. */
static enum found scan_runs(struct scan *scan, uint32_t base, uint32_t count, uint64_t blocked,
                            struct earliest_window *window)
{
    uint64_t left = ~UINT64_C(0) >> (64 - count); /* remaining points */

    for (;;) {
        uint64_t next = left & (scan->in_run ? blocked : ~blocked);

        if (next == 0)
            return FOUND_NOTHING;
        window->point = base + (uint32_t)__builtin_ctzll(next);
        left &= -(next & -next);
        if (scan->in_run) {
            if (is_window(scan, window->point, window))
                return FOUND_WINDOW;
        } else {
            if (scan->times[window->point] > scan->search->horizon)
                return FOUND_LATER;
            scan->start = window->point;
        }
        scan->in_run = !scan->in_run;
    }
}

/* Skips points from which the duration cannot be free, as it takes in a whole part in which too
 * little of the demand's type k is free at some point. */
static uint32_t skip(const struct earliest_search *search, const struct earliest_window *window,
                     int k, uint32_t i)
{
    const struct earliest_request *request = search->request;
    struct profile *profile = &request->profiles[window->host];
    const uint8_t type = request->vm.types[k];
    const int64_t need = request->vm.needs[k] * window->level, *starts = profile_starts(profile);
    const uint32_t first = i / PROFILE_PART + 1;
    uint32_t part = first;

    if (!profile->free[type] || (first + 1) * PROFILE_PART >= profile->n ||
        profile->times[(first + 1) * PROFILE_PART] >
            instant_add(instant_later(profile->times[i], window->from), request->duration))
        return i;
    for (; (part + 1) * PROFILE_PART < profile->n && part < UINT16_MAX; part++) {
        int64_t from;

        if (part >= profile->n_parts)
            profile_summarize(profile, part);
        from = instant_later(starts[part - 1], window->from);
        if (from > search->horizon || starts[part + 1] > instant_add(from, request->duration) ||
            profile_least(profile, type)[part] >= need)
            break;
    }
    return part == first ? i : (part - 1) * PROFILE_PART;
}

/* The first window of this host and level that begins at `from` or later, but not after the
 * horizon. FOUND_LATER: the window may begin after the horizon; the search can continue from
 * there. A window may be cut short beyond the horizon; the next one then follows at once. */
static enum found next_window(const struct earliest_search *search, struct earliest_window *window)
{
    const struct earliest_request *request = search->request;
    const struct profile *profile = &request->profiles[window->host];
    struct scan scan = {.search = search, .times = profile->times, .n = profile->n};
    const int64_t far = instant_add(search->horizon, request->duration);
    uint32_t base = window->point, count;

    for (; base < scan.n && scan.times[base] < far; base += count) {
        uint64_t blocked;
        enum found found;

        for (int k = 0; k < request->vm.n && !scan.in_run; k++)
            base = skip(search, window, k, base);
        count = scan.n - base < SCAN_POINTS ? scan.n - base : SCAN_POINTS;
        blocked = profile_blocked(profile, &request->vm, window->level, base, count);
        found = scan_runs(&scan, base, count, blocked, window);
        if (found != FOUND_NOTHING)
            return found;
    }
    window->point = base;
    if (scan.in_run && is_window(&scan, base, window)) {
        window->point = scan.start;
        return FOUND_WINDOW;
    }
    return base < scan.n ? FOUND_LATER : FOUND_NOTHING;
}

static void look_for(struct earliest_search *search, struct earliest_window *window)
{
    struct window_heap *pending = &search->pending;

    switch (next_window(search, window)) {
    case FOUND_WINDOW:
        heap_push(&search->waiting, by_from, window);
        break;
    case FOUND_LATER:
        MEMORY_GROW(pending->items, pending->allocated, pending->n + 1);
        pending->items[pending->n++] = *window;
        break;
    case FOUND_NOTHING:
        break;
    }
}

/* May the host be used, and would this many VMs fit on it when empty? */
static bool within_capacity(const struct earliest_request *request, uint32_t host, uint32_t level)
{
    const struct amounts *capacity = request->profiles[host].capacity;

    if (request->allowed && !request->allowed[host])
        return false;
    for (int k = 0; k < request->vm.n; k++)
        if (request->vm.needs[k] * level > capacity->of[request->vm.types[k]])
            return false;
    return true;
}

static void open_window(struct earliest_search *search, const struct earliest_window *window)
{
    struct earliest_window next = *window;

    heap_push(&search->open, by_last, window);
    /* Search for the next level on this host once, when the level below first opens. */
    next.level++;
    if (window->reopened || next.level > search->request->count ||
        !within_capacity(search->request, next.host, next.level))
        return;
    next.point = profile_find(&search->request->profiles[next.host], next.from);
    look_for(search, &next);
}

/* Scans the windows up to the horizon; INSTANT_NEVER if too few overlap. */
static int64_t sweep(struct earliest_search *search)
{
    while (search->waiting.n) {
        int64_t at = search->waiting.items[0].from;
        struct earliest_window window;

        if (search->open.n && search->open.items[0].last < at) {
            window = heap_pop(&search->open, by_last);
            window.from = window.last + 1;
            window.reopened = true;
            look_for(search, &window);
            continue;
        }
        window = heap_pop(&search->waiting, by_from);
        open_window(search, &window);
        if (search->open.n >= search->request->count)
            return at;
    }
    return INSTANT_NEVER;
}

/* Continues the search for the pending windows up to the next horizon. */
static void look_further(struct earliest_search *search)
{
    size_t n = search->pending.n;

    /* Refilled in place from the front: writes never overtake reads. */
    search->pending.n = 0;
    for (size_t i = 0; i < n; i++) {
        struct earliest_window window = search->pending.items[i];

        look_for(search, &window);
    }
}

static int64_t earliest_many(struct earliest_search *search)
{
    const struct earliest_request *request = search->request;
    int64_t step = request->duration, answer;

    search->horizon = instant_add(request->from, step);
    for (uint32_t host = 0; host < request->n_hosts; host++) {
        struct earliest_window window = {.from = request->from, .host = host, .level = 1};

        if (!within_capacity(request, host, 1))
            continue;
        window.point = profile_find(&request->profiles[host], request->from);
        look_for(search, &window);
    }
    /* The horizon doubles each time, so that at most half of the search is wasted. */
    while ((answer = sweep(search)) == INSTANT_NEVER && search->pending.n) {
        step = instant_add(step, step);
        search->horizon = instant_add(search->horizon, step);
        look_further(search);
    }
    return answer;
}

static int64_t earliest_single(struct earliest_search *search)
{
    const struct earliest_request *request = search->request;
    int64_t best = INSTANT_NEVER;

    for (uint32_t host = 0; host < request->n_hosts && best > request->from; host++) {
        struct earliest_window window = {.from = request->from, .host = host, .level = 1};

        if (!within_capacity(request, host, 1))
            continue;
        window.point = profile_find(&request->profiles[host], request->from);
        search->horizon = best == INSTANT_NEVER ? best : best - 1;
        if (next_window(search, &window) == FOUND_WINDOW)
            best = window.from;
    }
    return best;
}

int64_t earliest_find(const struct earliest_request *request)
{
    struct earliest_search search = {.request = request};
    int64_t answer = request->count == 1 ? earliest_single(&search) : earliest_many(&search);

    free(search.waiting.items);
    free(search.open.items);
    free(search.pending.items);
    return answer;
}
