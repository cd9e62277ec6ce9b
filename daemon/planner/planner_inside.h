/* planner_inside.h: what the files of the planner share. */
#ifndef GALERNA_DAEMON_PLANNER_INSIDE_H
#define GALERNA_DAEMON_PLANNER_INSIDE_H

#include "core/adoption.h"
#include "daemon/planner/planner.h"

/* A host filter of a VM's own: hosts where it failed lately are left out. */
struct own_filter {
    struct host_filter filter;
    bool *allowed;
};

/* A lease as it was given to the engine. */
struct planned {
    int32_t *vms; /* OpenNebula's ids in the order of the engine's VMs */
    size_t n_vms;
    struct node_set *node_sets;
    size_t n_node_sets;
    struct own_filter *own; /* one per VM at most */
    size_t n_own;
    bool in_engine;
    int64_t end; /* the engine's; INSTANT_NONE: it does not run */
};

struct planner {
    struct planner_settings settings;
    const struct estimates *estimates; /* NULL: none */
    struct store *store;
    struct world *world;

    struct engine *engine;
    struct engine_outputs outputs;
    struct hosts_seen *hosts; /* the engine's picture */
    struct site_seen *site;
    struct eligibility *eligibility;
    uint64_t hosts_digest;
    uint64_t compared; /* number of the picture that was compared last */
    bool same;         /* what came out */
    int64_t built;
    bool outdated;     /* its outputs came out otherwise: make another plan */
    bool moves_cold;   /* VMs that go to better hosts are suspended for it */
    size_t n_unplaced; /* adopted leases that there was no place for */

    int64_t *promised; /* while leases are adopted: when the first reservation of each host begins;
                          NULL: not asked yet */

    int64_t *news, *gone;      /* lease ids for the next step */
    int64_t retry;             /* when the pause of a VM that failed is over; INSTANT_NEVER */
    struct forecast *forecast; /* under way; NULL */
    uint64_t forecast_wanted;  /* of what the next one would be; 0: nobody waits */
    uint64_t forecast_of;      /* of what the last one was */
    int64_t forecast_begun, forecast_next; /* monotonic milliseconds */
    int64_t forecast_us;                   /* CPU time that it has taken so far */
    int64_t outlook;                       /* forecasts that were noted */
    bool careful;                          /* a step failed: new leases are handed in one by one */
    size_t n_news, news_allocated, n_gone, gone_allocated;
};

/* Blocks: VMs that hold a host and belong to no lease the engine knows. */
#define BLOCK_BASE (INT64_C(1) << 40)

/* --- planner_requests.c: from the store to the engine's requests --- */
void planned_drop(struct store *store, const struct lease_record *lease);
/* What the lease asks of the engine. False: it cannot be placed at present; reason and reason_word
 * of the lease say why. `now` decides on hosts to be avoided. */
bool planned_make(struct planner *planner, const struct lease_record *lease, int64_t now,
                  struct lease_request *request);
/* A reservation is to begin at that time, or now if that has passed, and ends when it was to. */
void request_set_start(const struct lease_record *lease, int64_t at, int64_t now,
                       struct lease_request *request);
/* The places of the lease's VMs by their `host`, HOST_NONE where it has none; to be freed. */
uint32_t *planned_places(const struct planner *planner, const struct lease_record *lease);
int64_t lease_remaining(const struct lease_record *lease, int64_t now);
bool lease_is_suspended_by_us(const struct planner *planner, const struct lease_record *lease);
bool vm_avoids(const struct vm_record *vm, int32_t host, int64_t now); /* it failed there lately */
uint32_t host_place(const struct planner *planner, int32_t host);      /* HOST_NONE: unknown */

/* Some lease is left out until then. */
void planner_retry_at(struct planner *planner, int64_t at);

/* --- planner_adopt.c --- */
void planner_adopt_all(struct planner *planner, int64_t now);

/* --- planner_outputs.c: from the engine's outputs to the store --- */
void planner_take_outputs(struct planner *planner, int64_t now);
/* Expected starts and reasons of what waits. */
void planner_note_expectations(struct planner *planner, int64_t now);
/* The engine could not adopt it: why. */
void planner_note_rejection(struct planner *planner, const struct lease_record *lease);
/* The stretch that is planned for a lease that does not run; or NULL. */
const struct reservation *planned_stretch(const struct lease *lease);

/* --- planner_members.c --- */
/* Another host for one member of a group that is being started and cannot be where it was to. True:
 * it has one, plan anew. What stays where it is waits for its next try. */
bool planner_relocate(struct planner *planner, int64_t now);

/* --- planner_forecast.c --- */
/* Note when a lease that waits will probably start, if that is news: then true. */
bool planner_estimate(struct planner *planner, const struct lease_record *lease, int64_t at,
                      int64_t now);
void planner_want_forecast(struct planner *planner);
void planner_drop_forecast(struct planner *planner);

#endif
