/* The hosts on which a lease has run, as JSON text. */
#include <stdlib.h>

#include "daemon/control/json_values.h"
#include "daemon/control/lease_json.h"
#include "daemon/store/stays.h"
#include "util/memory.h"

static bool has_left_a_host(const struct shown_lease *view)
{
    for (size_t i = 0; view->vms && i < view->n_vms; i++)
        if (stays_have_ended(view->vms[i]->stays))
            return true;
    return false;
}

/* INSTANT_NEVER: it goes on. */
static int64_t end_of(const struct shown_lease *view, const struct vm_record *vm,
                      const struct stay *stay)
{
    bool is_over = vm->gone || view->lease->phase >= PHASE_ENDED;

    if (stay->until != INSTANT_NONE)
        return stay->until;
    return is_over && view->lease->end != INSTANT_NONE ? instant_later(stay->from, view->lease->end)
                                                       : INSTANT_NEVER;
}

static int by_host_and_time(const void *one, const void *two)
{
    const struct stay *a = one, *b = two;

    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static int by_time_and_host(const void *one, const void *two)
{
    const struct stay *a = one, *b = two;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->host > b->host) - (a->host < b->host);
}

/* Sorted, by host; to be freed. */
static struct stay *stays_of(const struct shown_lease *view, size_t *n)
{
    struct stay *stays = memory_new(view->n_vms * STAYS_MAX, sizeof *stays);

    *n = 0;
    for (size_t i = 0; i < view->n_vms; i++)
        for (size_t left = stays_read(view->vms[i]->stays, stays + *n); left > 0; left--, ++*n)
            stays[*n].until = end_of(view, view->vms[i], &stays[*n]);
    qsort(stays, *n, sizeof *stays, by_host_and_time);
    return stays;
}

/* Joins stays on the same host that meet. Returns the number of those that remain. */
static size_t join(struct stay *stays, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct stay *last = kept > 0 ? &stays[kept - 1] : NULL;

        if (last && last->host == stays[i].host && stays[i].from <= last->until)
            last->until = instant_later(last->until, stays[i].until);
        else
            stays[kept++] = stays[i];
    }
    return kept;
}

void json_put_stays(struct json_writer *writer, const struct shown_lease *view)
{
    struct stay *stays = NULL;
    size_t n = 0;

    if (has_left_a_host(view)) {
        stays = stays_of(view, &n);
        n = join(stays, n);
        qsort(stays, n, sizeof *stays, by_time_and_host);
    }
    json_open_array(writer, "stays");
    for (size_t i = 0; i < n; i++) {
        json_begin_object(writer);
        json_put_integer(writer, "host", stays[i].host);
        json_put_instant(writer, "from", stays[i].from);
        json_put_instant(writer, "until",
                         stays[i].until == INSTANT_NEVER ? INSTANT_NONE : stays[i].until);
        json_end_object(writer);
    }
    json_end_array(writer);
    free(stays);
}
