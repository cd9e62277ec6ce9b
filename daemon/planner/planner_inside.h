/* planner_inside.h: shared by the files of the planner. */
#ifndef GALERNA_DAEMON_PLANNER_INSIDE_H
#define GALERNA_DAEMON_PLANNER_INSIDE_H

#include "daemon/planner/modules.h"
#include "daemon/planner/planner.h"
#include "planner/planning.h"
#include "util/map.h"

/* Hosts and site as seen by the plan. */
struct picture {
    struct hosts_seen *hosts;
    struct site_seen *site;
    struct eligibility *eligibility;
    bool *closed; /* by place: the host takes no VMs */
    uint64_t digest;
};

/* A lease as given to the engine. */
struct planned {
    int32_t *vms; /* OpenNebula's ids in the order of the engine's VMs */
    uint32_t n_vms;
    bool in_engine;
    bool gone;          /* leaving the engine: its outputs are ignored */
    bool may_fit_later; /* best-effort without a deadline: larger hosts may be added */
    bool is_placed;     /* the engine has planned its next start */
    bool is_preempted;  /* by this plan */
    bool is_refused;    /* the same */
    int64_t end;        /* in the engine; INSTANT_NONE: not running */
};

/* A finding about a lease while facts are gathered; applied to the store afterwards. */
struct note {
    enum {
        NOTE_REASON,   /* cannot be placed: reason, retry */
        NOTE_ESTIMATE, /* does not start before `retry` */
        NOTE_RANK,     /* invalid rank: text */
        NOTE_REFUSED,  /* reason */
    } kind;
    int64_t lease;
    struct reason reason; /* the reason's text is `text` */
    char text[STORE_TEXT_MAX];
    int64_t retry;
};

/* Facts for a plan, gathered from a store that does not change meanwhile. */
struct facts {
    const struct planner *planner;
    const struct store *store;
    struct picture *picture;
    int64_t now;
    struct map *planned; /* struct planned * by lease */
    struct map *filters; /* numbers of the filters in the engine, by address */
    size_t *n_filters;   /* filters in the engine */

    struct wire_writer filter_section, adoption_section, step_section;
    size_t n_new_filters, n_adoptions, n_steps;
    int64_t *step_leases; /* of each step, -1: several */
    size_t steps_allocated;
    size_t n_requests;
    struct note *notes;
    size_t n_notes, notes_allocated;
    int64_t *promised; /* start of the first reservation on each host; NULL: not computed yet */
    int64_t retry;     /* some lease is left out until then; INSTANT_NEVER */
    bool is_trial;     /* events stay for the next plan */
};

/* A pending question to the planner. */
struct waiting {
    enum frame kind;
    union {
        planner_tried *tried;
        planner_told *told;
    };
    void *context;
    int64_t since;    /* monotonic milliseconds */
    uint32_t n_hosts; /* in the facts of a trial */
    enum lease_kind lease_kind;
    bool is_told; /* the caller was told that the planner is busy */
};

struct planner {
    struct planner_settings settings;
    const struct estimates *estimates; /* NULL: none */
    struct store *store;
    struct world *world;

    struct modules *modules;   /* the process; NULL: plans are made here (tests) */
    struct planning *planning; /* of tests; NULL */
    bool ready;                /* the engine is that of the last plan */
    bool in_flight;            /* a plan is in progress */
    bool recalled;             /* the modules were told the past */
    int64_t planned_at;        /* the plan's time, seconds since 1970 */
    int64_t next_time;
    uint64_t attributes; /* number of the picture whose attributes the planner has; 0: none */
    int64_t *step_leases;
    size_t n_requests;
    struct waiting waiting[8];
    size_t n_waiting;
    int64_t answering; /* monotonic milliseconds: start of the answer to the first question, unless
                          planning */
    struct wire_writer events; /* sent with the next plan */
    size_t n_events;

    struct picture picture;
    struct map planned, filters;
    size_t n_filters;
    uint64_t compared; /* number of the last picture compared */
    bool same;         /* the result */
    int64_t built;
    bool outdated;     /* its decisions were not followed exactly: a complete plan is needed */
    bool is_anew;      /* a complete plan is in progress, not a step */
    bool moves_cold;   /* migrations to better hosts suspend the VM */
    size_t n_unplaced; /* adopted leases without a place */

    int64_t *news, *gone; /* lease ids for the next step */
    size_t n_news, news_allocated, n_gone, gone_allocated;
    int64_t retry; /* end of a failed VM's pause; INSTANT_NEVER */
    bool careful;  /* a step failed: new leases are sent one by one */

    bool forecasting;                      /* a forecast is in progress */
    uint64_t forecast_wanted;              /* state that the next forecast would show; 0: none */
    uint64_t forecast_of;                  /* state that the last forecast showed */
    int64_t forecast_begun, forecast_next; /* monotonic milliseconds */
    int64_t outlook;                       /* number of forecasts noted */
};

/* --- picture.c --- */
int picture_take(struct picture *picture, const struct planner *planner, struct error *err);
void picture_drop(struct picture *picture);
uint32_t picture_place(const struct picture *picture, int32_t host); /* HOST_NONE: unknown */

/* --- facts_requests.c: requests to the engine ------------------------------------------------- */
struct asking {
    struct lease_request request; /* node_sets are `sets` */
    struct node_set *sets;
    int32_t *filters;
    struct planned *planned;
};

struct planned *planned_of(const struct map *planned, int64_t lease); /* NULL */
void planned_drop(struct map *planned, int64_t lease);
void planned_drop_all(struct map *planned);
/* Make the lease's request, and its entry in facts->planned. False: the lease cannot be placed at
 * present; a note says why. */
bool asking_make(struct facts *facts, const struct lease_record *lease, struct asking *asking);
void asking_finish(struct asking *asking);
/* The reservation begins at `at`, or now if that has passed, and ends as promised. */
void request_set_start(const struct lease_record *lease, int64_t at, int64_t now,
                       struct lease_request *request);
int64_t lease_remaining(const struct lease_record *lease, int64_t now);
/* When the lease must leave its hosts for a lease that is still promised them; INSTANT_NONE. */
int64_t lease_leaves_at(const struct store *store, const struct lease_record *lease, int64_t now);
bool lease_is_suspended_by_us(const struct store *store, const struct lease_record *lease);
bool vm_avoids(const struct vm_record *vm, int32_t host, int64_t now); /* after a failure there */
/* The filter for a VM that must start on another host: its number. */
int32_t facts_relocation_filter(struct facts *facts, const struct vm_record *vm);
/* A step with a request for each lease of `news` that can be requested, and the cancellations. */
void facts_add_step(struct facts *facts, const int64_t *gone, size_t n_gone, const int64_t *news,
                    size_t n_news);

/* --- facts.c --- */
void facts_init(struct facts *facts, const struct planner *planner, int64_t now);
void facts_finish(struct facts *facts);
/* Gather adoptions of running, promised and waiting leases, then steps for the new ones. */
void facts_gather(struct facts *facts);
/* Write the facts as a frame; anew: with hosts and adoptions. */
void facts_put(const struct facts *facts, bool anew, bool attributes, struct wire_writer *frame);
/* Is the VM waiting to start on a host where it has just failed, or that no longer takes VMs? */
bool vm_must_go_elsewhere(const struct planner *planner, const struct picture *picture,
                          const struct vm_record *vm, int64_t now);

/* --- outputs.c: from the engine's outputs to the store --- */
void planner_take_notes(struct planner *planner, const struct facts *facts);
void planner_take_reply(struct planner *planner, const struct plan_reply *reply);

/* --- planner_forecast.c --- */
/* Note when a waiting lease will probably start. True: the estimate has changed. */
bool planner_estimate(struct planner *planner, const struct lease_record *lease, int64_t at,
                      int64_t now);
bool planner_take_forecast(struct planner *planner, struct wire_reader *reader);

/* --- planner_try.c --- */
bool planner_take_trial(struct planner *planner, const struct waiting *waiting,
                        struct wire_reader *reader);
bool planner_take_operations(struct planner *planner, const struct waiting *waiting,
                             struct wire_reader *reader);
/* Fail all pending questions. */
void planner_disappoint(struct planner *planner, const char *why);

/* --- planner.c --- */
/* 0: sent. Before a frame with an answer, the caller must record the question. */
int planner_send(struct planner *planner, const struct wire_writer *frame, int answers,
                 struct error *err);

#endif
