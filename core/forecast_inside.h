/* forecast_inside.h: shared by the files of the forecast. */
#pragma once

#include "core/earliest.h"
#include "core/engine_state.h"
#include "core/forecast.h"

enum {
    FORECAST_ATTEMPTS = 64, /* starts tried for a lease */
    FORECAST_MOVABLE_MOST = 32,
    FORECAST_PLANNED_MOST = 32,
};

/* VMs of one size with the same hosts. */
struct part {
    uint32_t count;
    struct amounts amounts;
    const bool *allowed;            /* NULL: all hosts */
    const struct vm_demand *demand; /* NULL: none */
};

struct waiter {
    int64_t id, priority, from, span, start;
    int64_t planned;   /* INSTANT_NONE: the engine has not planned its start */
    bool may_go_ahead; /* may_start_in_front() */
    struct part *parts;
    size_t n_parts;
};

/* A planned reservation of one VM, which may use other hosts. */
struct movable {
    uint32_t host;
    int64_t from, until;
    struct amounts amounts;
    const bool *allowed; /* NULL: all hosts */
};

/* A host column of the driver, and its copy. */
struct column {
    const uint64_t *of;
    bool *copy;
};

/* Room kept for a lease against leases of lower priority (held_room.h). */
struct kept_room {
    int64_t priority;
    uint32_t host;
    struct amounts amounts;
};

struct forecast {
    struct site site; /* a copy */
    struct occupancy *occupancy;
    struct profile *profiles;
    size_t n_hosts;
    int n_types;
    bool *open;             /* hosts open to new VMs; NULL: all */
    bool in_order;          /* no lease starts before the leases in front of it */
    int64_t now, last;      /* the latest start so far */
    int64_t in_front_least; /* settings.h */

    struct movable movable[FORECAST_MOVABLE_MOST];
    size_t n_movable;

    struct kept_room *kept; /* by descending priority */
    size_t n_kept, n_taken; /* the first n_taken are not free for the next lease */

    struct column *columns;
    size_t n_columns, columns_allocated;
    struct waiter *waiters;
    size_t n_waiters, n_placed, n_left_out;
};

struct demand forecast_demand(const struct forecast *forecast, const struct amounts *amounts);

/* The first time from `from` on at which the VMs of a part have room for `span` seconds. */
int64_t forecast_earliest(const struct forecast *forecast, const struct part *part, int64_t from,
                          int64_t span);

/* Has the host room at that time, beside what is taken? */
bool forecast_fits(const struct forecast *forecast, const struct demand *demand, uint32_t host,
                   int64_t start, int64_t span);

/* The time of the next change on any host. */
int64_t forecast_next_change(const struct forecast *forecast, int64_t after);

/* The first leases with a planned start that may start in front of reservations before it. Returns
 * their number. */
size_t forecast_planned(const struct engine *engine,
                        const struct lease *leases[FORECAST_PLANNED_MOST]);

/* The start of a lease in front of a reservation, before its planned start: from then on until the
 * planned start a host has room for it, perhaps after a reservation has moved away. Takes that
 * room. INSTANT_NONE: there is none. */
int64_t forecast_in_front(struct forecast *forecast, const struct waiter *waiter, int64_t planned);
