/* A slot table that looks at every booking to answer a question. */
#include "test/property/naive_slot_table.h"

#include <assert.h>

#include "core/lease.h"

void naive_init(struct naive_slot_table *table, const struct site *site)
{
    table->site = site;
    table->now = 0;
    table->n = 0;
}

void naive_book(struct naive_slot_table *table, const struct reservation *r)
{
    if (r->from >= r->until)
        return;
    assert(table->n < NAIVE_MAX);
    table->booked[table->n++] = r;
}

void naive_release(struct naive_slot_table *table, const struct reservation *r)
{
    for (int i = 0; i < table->n; i++)
        if (table->booked[i] == r) {
            table->booked[i] = table->booked[--table->n];
            return;
        }
}

/* What r holds on a host, or NULL when it is not there at that time. */
static const int64_t *held(const struct reservation *r, uint32_t host, int64_t at)
{
    if (at < r->from || at >= r->until)
        return NULL;
    for (uint32_t i = 0; i < r->placement->n_hosts; i++)
        if (r->placement->hosts[i] == host)
            return &r->placement->amounts[(size_t)i * r->placement->n_types];
    return NULL;
}

int64_t naive_free(const struct naive_slot_table *table, uint32_t host, int type, int64_t at)
{
    int64_t free = table->site->hosts[host].capacity.of[type];

    for (int i = 0; i < table->n; i++) {
        const int64_t *amounts = held(table->booked[i], host, at);

        if (amounts)
            free -= amounts[type];
    }
    return free;
}

static bool lease_is_on(const struct naive_slot_table *table, const struct lease *lease,
                        uint32_t host, int64_t at)
{
    for (int i = 0; i < table->n; i++)
        if (table->booked[i]->lease == lease && held(table->booked[i], host, at))
            return true;
    return false;
}

int32_t naive_leases(const struct naive_slot_table *table, uint32_t host, int64_t at)
{
    int32_t leases = 0;

    for (int i = 0; i < table->n; i++) {
        bool first = true;

        for (int j = 0; j < i; j++)
            first &= table->booked[j]->lease != table->booked[i]->lease ||
                     !held(table->booked[j], host, at);
        leases += first && held(table->booked[i], host, at);
    }
    return leases;
}

static bool same(const struct naive_slot_table *table, uint32_t host, int64_t a, int64_t b)
{
    for (int type = 0; type < table->site->types.count; type++)
        if (naive_free(table, host, type, a) != naive_free(table, host, type, b))
            return false;
    for (int i = 0; i < table->n; i++)
        if (lease_is_on(table, table->booked[i]->lease, host, a) !=
            lease_is_on(table, table->booked[i]->lease, host, b))
            return false;
    return true;
}

/* The first time after `at` at which anything begins or ends anywhere; INSTANT_NEVER. */
static int64_t next_edge(const struct naive_slot_table *table, int64_t at)
{
    int64_t edge = INSTANT_NEVER;

    for (int i = 0; i < table->n; i++) {
        const struct reservation *r = table->booked[i];

        if (r->from > at && r->from < edge)
            edge = r->from;
        if (r->until > at && r->until < edge)
            edge = r->until;
    }
    return edge;
}

int64_t naive_unchanged_until(const struct naive_slot_table *table, uint32_t host, int64_t at)
{
    int64_t edge = next_edge(table, at);

    while (edge != INSTANT_NEVER && same(table, host, at, edge))
        edge = next_edge(table, edge);
    return edge;
}

static bool fits_at(const struct naive_slot_table *table, uint32_t host, const struct amounts *need,
                    int64_t at)
{
    for (int type = 0; type < table->site->types.count; type++)
        if (naive_free(table, host, type, at) < need->of[type])
            return false;
    return true;
}

int64_t naive_fits_until(const struct naive_slot_table *table, uint32_t host,
                         const struct amounts *need, int64_t from)
{
    int64_t at = from;

    while (at != INSTANT_NEVER && fits_at(table, host, need, at))
        at = next_edge(table, at);
    return at;
}

uint32_t naive_fit_count(const struct naive_slot_table *table, uint32_t host,
                         const struct amounts *vm, int64_t from, int64_t until, uint32_t limit)
{
    for (uint32_t count = 1; count <= limit; count++) {
        struct amounts need = {{0}};

        for (int type = 0; type < table->site->types.count; type++)
            need.of[type] = vm->of[type] * count;
        if (naive_fits_until(table, host, &need, from) < until)
            return count - 1;
    }
    return limit;
}

uint32_t naive_count(const struct naive_slot_table *table, const struct amounts *vm, int64_t from,
                     int64_t until, uint32_t limit)
{
    uint32_t count = 0;

    for (uint32_t host = 0; host < table->site->n_hosts; host++)
        count += naive_fit_count(table, host, vm, from, until, limit - count);
    return count;
}

int64_t naive_earliest(const struct naive_slot_table *table, const struct amounts *vm,
                       uint32_t count, int64_t from, int64_t duration)
{
    for (int64_t at = from; at != INSTANT_NEVER; at = next_edge(table, at))
        if (naive_count(table, vm, at, instant_add(at, duration), count) == count)
            return at;
    return INSTANT_NEVER;
}

bool naive_fits(const struct naive_slot_table *table, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++) {
        int64_t from = r->from > table->now ? r->from : table->now;
        struct amounts need = {{0}};

        for (uint32_t type = 0; type < r->placement->n_types; type++)
            need.of[type] = r->placement->amounts[(size_t)i * r->placement->n_types + type];
        if (naive_fits_until(table, r->placement->hosts[i], &need, from) < r->until)
            return false;
    }
    return true;
}
