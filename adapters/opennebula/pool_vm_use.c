/* Reads the resource usage of VMs from their monitoring records. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool_reader.h"
#include "util/memory.h"

/* Fields of a record. Rates and forecasts are in the order of their counters. */
enum figure {
    CPU,
    NETRX,
    NETTX,
    DISK_READ,
    DISK_WRITTEN,
    RATES, /* of NETRX and the following fields */
    FORECASTS = RATES + DISK_WRITTEN,
    FIGURES = FORECASTS + DISK_WRITTEN + 1
};

static const char *const names[FIGURES] = {
    "CPU",
    "NETRX",
    "NETTX",
    "DISKRDBYTES",
    "DISKWRBYTES",
    "NETRX_BW",
    "NETTX_BW",
    "DISKRDBYTES_BW",
    "DISKWRBYTES_BW",
    "CPU_FORECAST",
    "NETRX_BW_FORECAST",
    "NETTX_BW_FORECAST",
    "DISKRDBYTES_BW_FORECAST",
    "DISKWRBYTES_BW_FORECAST",
};

/* The upper limit of bytes per second of a VM keeps sums over many VMs exact. */
static const double rate_most = 100e9;

struct use_record {
    int32_t id;
    bool has[FIGURES];
    int64_t at;              /* seconds since 1970 */
    double figures[FIGURES]; /* 1/100 processors; bytes; bytes per second */
};

static void read_value(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct use_record *record = object;
    const char *name = given->elements[0]->name;

    if (given->n != 1)
        return;
    if (strcmp(name, "TIMESTAMP") == 0)
        pool_read_number(reader, given, (struct pool_range){0, INT64_MAX}, &record->at);
    for (int i = 0; i < FIGURES; i++)
        if (strcmp(name, names[i]) == 0) {
            char *end;
            double figure = strtod(given->text, &end);

            record->has[i] = end != given->text && isfinite(figure) && figure < 1e15;
            record->figures[i] = fmax(figure, 0);
        }
}

static const struct pool_format use_format = {
    .pool = "MONITORING_DATA",
    .object = "MONITORING",
    .what = "a VM's record",
    .size = sizeof(struct use_record),
    .unsorted = true, /* a VM may have several records */
    .value = read_value,
};

static int by_vm_and_time(const void *a, const void *b)
{
    const struct use_record *one = a, *other = b;

    if (one->id != other->id)
        return one->id < other->id ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

/* The sum of a figure and the next one, which are for both directions; -1: one is missing. */
static double both(const struct use_record *record, int figure)
{
    return record->has[figure] && record->has[figure + 1]
               ? record->figures[figure] + record->figures[figure + 1]
               : -1;
}

/* The reported rate, or the growth of the counters, which restart at 0 when a VM starts on a host.
 */
static int64_t rate(const struct use_record *first, const struct use_record *last, int counter)
{
    double reported = both(last, counter + RATES - NETRX);
    double before = both(first, counter), after = both(last, counter);

    if (reported < 0 && before >= 0 && after >= before && last->at > first->at)
        reported = (after - before) / (double)(last->at - first->at);
    return llround(fmin(reported, rate_most));
}

static struct vm_use use_of(const struct use_record *first, const struct use_record *last)
{
    return (struct vm_use){
        .id = last->id,
        .cpu = last->has[CPU] ? llround(fmin(last->figures[CPU], INT32_MAX)) : -1,
        .net = rate(first, last, NETRX),
        .disk = rate(first, last, DISK_READ),
        .cpu_forecast =
            last->has[FORECASTS] ? llround(fmin(last->figures[FORECASTS], INT32_MAX)) : -1,
        .net_forecast = llround(fmin(both(last, FORECASTS + NETRX), rate_most)),
        .disk_forecast = llround(fmin(both(last, FORECASTS + DISK_READ), rate_most)),
    };
}

int vm_use_parse(struct vm_use_pool *pool, const char *document, size_t length, struct error *err)
{
    struct pool_items items;
    struct use_record *records;

    *pool = (struct vm_use_pool){0};
    if (pool_read(&items, &use_format, document, length, err) < 0)
        return -1;
    records = items.items;
    if (items.n)
        qsort(records, items.n, sizeof *records, by_vm_and_time);
    pool->errors = items.errors;
    pool->memory = items.memory;
    pool->items = memory_new(items.n, sizeof *pool->items);
    for (size_t i = 0, last; i < items.n; i = last + 1) {
        for (last = i; last + 1 < items.n && records[last + 1].id == records[i].id;)
            last++;
        pool->items[pool->n++] = use_of(&records[i], &records[last]);
    }
    free(items.items);
    return 0;
}
