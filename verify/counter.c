/* Entries of a counter over time, by the rules of Haizea's probes. */
#include "verify/counter.h"

#include <math.h>
#include <stdlib.h>

static void append(struct series *series, const struct schedule_entry *entry)
{
    if (series->n == series->allocated) {
        size_t allocated = series->allocated ? series->allocated * 2 : 64;
        void *larger = reallocarray(series->entries, allocated, sizeof *series->entries);

        if (!larger) {
            series->failed = true;
            return;
        }
        series->entries = larger;
        series->allocated = allocated;
    }
    series->entries[series->n++] = *entry;
}

void series_init(struct series *series, bool has_average)
{
    *series = (struct series){.has_average = has_average};
    append(series, &(struct schedule_entry){.lease = SCHEDULE_UNSET, .average = NAN});
}

void series_finish(struct series *series)
{
    free(series->entries);
}

void series_add(struct series *series, int64_t time, int64_t lease, double value)
{
    struct schedule_entry *last = series->n ? &series->entries[series->n - 1] : NULL;
    struct schedule_entry entry = {.time = time, .lease = lease, .value = value, .average = NAN};

    if (series->failed || !last)
        return;
    if (time == last->time) {
        last->value = value;
        return;
    }
    if (value == last->value && lease == last->lease)
        return;
    series->area += last->value * (double)(time - last->time);
    if (series->has_average)
        entry.average = series->area / (double)time;
    append(series, &entry);
}

void series_close(struct series *series, int64_t end_time)
{
    if (series->failed || !series->n)
        return;
    series_add(series, end_time, SCHEDULE_UNSET, series->entries[series->n - 1].value);
    if (series->has_average)
        series->entries[0].average = series->entries[0].value;
}

size_t series_forget_last_bits(struct schedule_entry *entries, size_t n)
{
    size_t kept = n ? 1 : 0;

    for (size_t i = kept; i < n; i++)
        if (fabs(entries[i].value - entries[kept - 1].value) > 1e-12)
            entries[kept++] = entries[i];
    return kept;
}
