/* Hosts that did not meet a demand for units. */
#include "core/refusals.h"

#include <stdlib.h>
#include <string.h>

#include "util/bitmap.h"
#include "util/memory.h"

/* The hosts that refused a demand for a time that begins at `from`. */
struct refused {
    int64_t from;
    struct vm_demand demand;
    uint32_t *ahead;   /* per host: the least number of stays at which it refuses; ~0: none known */
    uint64_t *at_once; /* as refusals_hosts() */
};

struct refusals {
    const struct site *site;
    struct refused refused[REFUSALS_MAX];
    size_t n, last; /* last: used last */
    size_t replaced;
};

struct refusals *refusals_create(const struct site *site)
{
    struct refusals *refusals = memory_new(1, sizeof *refusals);

    refusals->site = site;
    return refusals;
}

void refusals_destroy(struct refusals *refusals)
{
    for (size_t i = 0; i < refusals->n; i++) {
        free(refusals->refused[i].ahead);
        free(refusals->refused[i].at_once);
    }
    free(refusals);
}

static bool same_nodes(const struct vm_demand *a, const struct vm_demand *b)
{
    if (a->n_nodes != b->n_nodes)
        return false;
    for (uint32_t i = 0; a->nodes != b->nodes && i < a->n_nodes; i++)
        if (a->nodes[i].cpus != b->nodes[i].cpus || a->nodes[i].memory_kb != b->nodes[i].memory_kb)
            return false;
    return true;
}

static bool same_devices(const struct vm_demand *a, const struct vm_demand *b)
{
    return a->n_devices == b->n_devices &&
           (a->devices == b->devices || a->n_devices == 0 ||
            memcmp(a->devices, b->devices, a->n_devices * sizeof *a->devices) == 0);
}

static bool same_units(const struct vm_demand *a, const struct vm_demand *b)
{
    return a->pin == b->pin && a->threads_per_core == b->threads_per_core &&
           a->page_kb == b->page_kb && a->node == b->node && a->devices_near == b->devices_near &&
           same_devices(a, b) && same_nodes(a, b);
}

static bool is_of(const struct refused *refused, const struct vm_demand *demand, int64_t from)
{
    return refused->from == from && same_units(&refused->demand, demand);
}

static struct refused *find(struct refusals *refusals, const struct vm_demand *demand, int64_t from)
{
    struct refused *last = &refusals->refused[refusals->last];

    if (refusals->n && is_of(last, demand, from))
        return last;
    for (size_t i = 0; i < refusals->n; i++)
        if (is_of(&refusals->refused[i], demand, from)) {
            refusals->last = i;
            return &refusals->refused[i];
        }
    return NULL;
}

static struct refused *add(struct refusals *refusals, const struct vm_demand *demand, int64_t from)
{
    const struct site *site = refusals->site;
    const size_t words = bitmap_words(site->n_hosts);
    struct refused *refused;

    if (refusals->n < REFUSALS_MAX) {
        refusals->last = refusals->n++;
        refused = &refusals->refused[refusals->last];
        refused->ahead = memory_new(site->n_hosts, sizeof *refused->ahead);
        refused->at_once = memory_new(words, sizeof *refused->at_once);
    } else {
        refusals->last = refusals->replaced++ % REFUSALS_MAX;
        refused = &refusals->refused[refusals->last];
    }
    refused->from = from;
    refused->demand = *demand;
    memset(refused->ahead, 0xff, site->n_hosts * sizeof *refused->ahead);
    memset(refused->at_once, 0xff, words * sizeof *refused->at_once);
    for (size_t host = 0; host < site->n_hosts; host++)
        if (site->hosts[host].units)
            bitmap_remove(refused->at_once, host);
    return refused;
}

bool refusals_has(struct refusals *refusals, uint32_t host, const struct vm_demand *demand,
                  int64_t from, size_t ahead)
{
    const struct refused *refused = find(refusals, demand, from);

    return refused && refused->ahead[host] <= ahead;
}

const uint64_t *refusals_hosts(struct refusals *refusals, const struct vm_demand *demand,
                               int64_t from)
{
    const struct refused *refused = find(refusals, demand, from);

    return refused ? refused->at_once : NULL;
}

void refusals_note(struct refusals *refusals, const struct refusal *refusal)
{
    struct refused *refused = find(refusals, refusal->demand, refusal->from);

    if (!refused)
        refused = add(refusals, refusal->demand, refusal->from);
    if (refusal->ahead < refused->ahead[refusal->host])
        refused->ahead[refusal->host] = (uint32_t)refusal->ahead;
    if (refusal->at_once)
        bitmap_add(refused->at_once, refusal->host);
}

void refusals_forget(struct refusals *refusals, uint32_t host)
{
    for (size_t i = 0; i < refusals->n; i++) {
        refusals->refused[i].ahead[host] = UINT32_MAX;
        bitmap_remove(refusals->refused[i].at_once, host);
    }
}
