/* Learns how long operations on VMs take. */
#include "daemon/state/learned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store.h"
#include "util/histogram.h"
#include "util/memory.h"
#include "util/search.h"

enum {
    UNDER_WAY_MAX = 4096,       /* no more operations are measured at once */
    LONGEST = 24 * 3600 * 1000, /* milliseconds: longer spans are not measurements of the
                                 * operation */
};

static const char *const fact_names[OPERATIONS] = {"estimate-suspend", "estimate-resume",
                                                   "estimate-boot"};

/* A smoothed value and its deviation. */
struct smoothed {
    int64_t mean, deviation;
};

struct model {
    int64_t n;
    struct smoothed span;  /* milliseconds */
    struct smoothed share; /* nanoseconds per MB */
};

struct under_way {
    int32_t vm;
    enum operation operation;
    int64_t memory, began;
};

struct learned {
    struct store *store;
    double margin; /* deviations */
    struct model models[OPERATIONS];
    struct histogram errors[OPERATIONS][2]; /* shorter, longer */
    struct under_way *under_way;
    size_t n_under_way, allocated;
};

static bool is_sound(const struct smoothed *smoothed, int64_t most)
{
    return smoothed->mean >= 1 && smoothed->mean <= most && smoothed->deviation >= 0 &&
           smoothed->deviation <= most;
}

/* An invalid fact is treated as missing. */
static void read_model(const struct store *store, const char *name, struct model *model)
{
    const char *text = store_fact(store, name);
    struct model read;

    if (!text ||
        sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &read.n,
               &read.span.mean, &read.span.deviation, &read.share.mean, &read.share.deviation) != 5)
        return;
    if (read.n >= 1 && is_sound(&read.span, LONGEST) &&
        is_sound(&read.share, (int64_t)LONGEST * 1000000))
        *model = read;
}

static void write_model(const struct learned *learned, enum operation operation)
{
    const struct model *model = &learned->models[operation];
    char text[128];

    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
             model->n, model->span.mean, model->span.deviation, model->share.mean,
             model->share.deviation);
    store_set_fact(learned->store, fact_names[operation], text);
}

struct learned *learned_create(struct store *store, double margin)
{
    struct learned *learned = memory_new(1, sizeof *learned);

    learned->store = store;
    learned->margin = margin;
    for (int i = 0; i < OPERATIONS; i++)
        read_model(store, fact_names[i], &learned->models[i]);
    return learned;
}

void learned_destroy(struct learned *learned)
{
    if (!learned)
        return;
    free(learned->under_way);
    free(learned);
}

/* --- operations in progress ------------------------------------------------------------------- */

static int order_of_vms(const void *vm, const void *under_way)
{
    int32_t a = *(const int32_t *)vm, b = ((const struct under_way *)under_way)->vm;

    return a < b ? -1 : a > b;
}

/* The VM's index, or the place to insert it, in ascending order. */
static size_t place_of(const struct learned *learned, int32_t vm)
{
    return search_place(&vm, learned->under_way, learned->n_under_way, sizeof *learned->under_way,
                        order_of_vms);
}

static struct under_way *find(const struct learned *learned, int32_t vm)
{
    size_t place = place_of(learned, vm);

    return place < learned->n_under_way && learned->under_way[place].vm == vm
               ? &learned->under_way[place]
               : NULL;
}

static void drop(struct learned *learned, struct under_way *found)
{
    struct under_way *end = learned->under_way + learned->n_under_way--;

    memmove(found, found + 1, (size_t)(end - found - 1) * sizeof *found);
}

void learned_begun(struct learned *learned, int32_t vm, enum operation operation, int64_t memory,
                   int64_t at)
{
    size_t place;

    learned_forget(learned, vm);
    if (learned->n_under_way == UNDER_WAY_MAX)
        return;
    place = place_of(learned, vm);
    MEMORY_GROW(learned->under_way, learned->allocated, learned->n_under_way + 1);
    memmove(&learned->under_way[place + 1], &learned->under_way[place],
            (learned->n_under_way++ - place) * sizeof *learned->under_way);
    learned->under_way[place] = (struct under_way){vm, operation, memory > 0 ? memory : 1, at};
}

void learned_forget(struct learned *learned, int32_t vm)
{
    struct under_way *found = find(learned, vm);

    if (found)
        drop(learned, found);
}

/* --- learning --------------------------------------------------------------------------------- */

static void learn(struct smoothed *smoothed, int64_t seen, bool first)
{
    int64_t off;

    if (seen < 1)
        seen = 1;
    off = llabs(seen - smoothed->mean);
    if (first) {
        *smoothed = (struct smoothed){.mean = seen, .deviation = seen / 2};
        return;
    }
    smoothed->deviation += (off - smoothed->deviation) / 4;
    smoothed->mean += (seen - smoothed->mean) / 8;
}

static bool changed(const struct estimate *old, const struct estimate *new)
{
    double a = old->seconds ? (double)old->seconds : old->rate;
    double b = new->seconds ? (double)new->seconds : new->rate;

    return old->n == 0 || !old->seconds != !new->seconds || fabs(a - b) * 10 >= a;
}

/* `span`: milliseconds. */
static void note_error(struct learned *learned, enum operation operation,
                       const struct estimate *estimate, int64_t memory, int64_t span)
{
    int64_t error = span - estimate_seconds(estimate, memory) * 1000;

    if (estimate->n > 0)
        histogram_add(&learned->errors[operation][error > 0], llabs(error));
}

static bool ended(struct learned *learned, struct under_way *found, int64_t at)
{
    enum operation operation = found->operation;
    struct model *model = &learned->models[operation];
    struct estimate before = learned_of(learned, operation), after;
    int64_t span = at - found->began, memory = found->memory;

    drop(learned, found);
    if (span > LONGEST)
        return false;
    note_error(learned, operation, &before, memory, span);
    learn(&model->span, span, model->n == 0);
    learn(&model->share, span * 1000000 / memory, model->n == 0);
    model->n++;
    write_model(learned, operation);
    after = learned_of(learned, operation);
    return changed(&before, &after);
}

bool learned_suspended(struct learned *learned, int32_t vm, int64_t at)
{
    struct under_way *found = find(learned, vm);

    if (!found || found->operation != OPERATION_SUSPEND || at <= found->began)
        return false;
    return ended(learned, found, at);
}

bool learned_running(struct learned *learned, int32_t vm, int64_t at)
{
    struct under_way *found = find(learned, vm);

    if (!found || found->operation == OPERATION_SUSPEND || at <= found->began)
        return false;
    return ended(learned, found, at);
}

/* --- estimating ------------------------------------------------------------------------------- */

struct estimate learned_of(const struct learned *learned, enum operation operation)
{
    const struct model *model = &learned->models[operation];
    struct estimate estimate = {.n = (size_t)model->n};
    double span = (double)model->span.mean, share = (double)model->share.mean;
    /* If all VMs so far had the same memory, both models fit. Memory is written and read when VMs
     * are suspended and resumed, so that model is preferred: later VMs will differ. For boots the
     * other one is: after a few small VMs, large ones would be expected to boot for hours. */
    double favor = operation == OPERATION_BOOT ? 3.0 / 4 : 4.0 / 3;

    if (model->n == 0)
        return estimate;
    if ((double)model->share.deviation * span <= favor * (double)model->span.deviation * share)
        estimate.rate = 1e9 / (share + learned->margin * (double)model->share.deviation);
    else
        estimate.seconds =
            (int64_t)ceil((span + learned->margin * (double)model->span.deviation) / 1000);
    return estimate;
}

const struct histogram *learned_errors(const struct learned *learned, enum operation operation,
                                       bool longer)
{
    return &learned->errors[operation][longer];
}

int64_t estimate_seconds(const struct estimate *estimate, int64_t memory)
{
    if (estimate->n == 0)
        return 0;
    if (estimate->seconds)
        return estimate->seconds;
    return (int64_t)ceil((double)(memory > 0 ? memory : 1) / estimate->rate);
}
