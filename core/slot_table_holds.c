/* Combines the amounts of a lease's reservations on each host. */
#include <string.h>

#include "core/lease.h"
#include "core/slot_table_state.h"
#include "util/memory.h"

/* Adds the amounts of r. False: on a host, r does not continue the previous reservation with the
 * same amounts. */
static bool add_holds(struct slot_table *table, const struct reservation *r)
{
    const struct placement *placement = r->placement;
    const size_t n_types = placement->n_types;

    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        const int64_t *amounts = &placement->amounts[i * n_types];
        const uint32_t host = placement->hosts[i];
        struct hold *hold;

        if (host == HOST_REPOSITORY)
            return false;
        if (!table->hold_of[host]) {
            MEMORY_GROW(table->holds, table->holds_allocated, table->n_holds + 1);
            table->holds[table->n_holds++] = (struct hold){host, r->from, r->until, amounts};
            table->hold_of[host] = (uint32_t)table->n_holds;
            continue;
        }
        hold = &table->holds[table->hold_of[host] - 1];
        if (hold->until != r->from ||
            memcmp(hold->amounts, amounts, n_types * sizeof *amounts) != 0)
            return false;
        hold->until = r->until;
    }
    return true;
}

bool slot_table_gather_holds(struct slot_table *table, struct reservation *const *list, size_t n,
                             int sign)
{
    int64_t from = INSTANT_NEVER, until = INSTANT_NONE;
    bool gathered = true;
    size_t n_open = 0;

    table->n_holds = 0;
    for (size_t i = 0; i < n && gathered; i++) {
        const struct reservation *r = list[i];

        if (!is_open(r, sign))
            continue;
        gathered = r->lease == list[0]->lease && !r->closes && r->placement->unbound_cpu == 0 &&
                   add_holds(table, r);
        from = r->from < from ? r->from : from;
        until = r->until > until ? r->until : until;
        n_open++;
    }
    for (size_t i = 0; i < table->n_holds; i++)
        table->hold_of[table->holds[i].host] = 0;
    if (!gathered)
        return false;
    n_open = sign > 0 ? n_open : 0;
    for (const struct reservation *r = list[0]->lease->booked; r; r = r->next_booked)
        if (r->from < until && from < r->until && n_open-- == 0)
            return false;
    return true;
}
