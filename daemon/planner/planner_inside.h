/* planner_inside.h: what the files of the planner share. */
#ifndef GALERNA_DAEMON_PLANNER_INSIDE_H
#define GALERNA_DAEMON_PLANNER_INSIDE_H

#include "daemon/planner/modules.h"
#include "daemon/planner/planner.h"
#include "planner/planning.h"
#include "util/map.h"

/* Hosts and site as the plan sees them. */
struct picture {
    struct hosts_seen *hosts;
    struct site_seen *site;
    struct eligibility *eligibility;
    bool *closed; /* by place: takes no VMs */
    uint64_t digest;
};

/* A lease as it was given to the engine. */
struct planned {
    int32_t *vms; /* OpenNebula's ids in the order of the engine's VMs */
    uint32_t n_vms;
    bool in_engine;
    bool gone;          /* it is to leave the engine: what comes out for it is late */
    bool may_fit_later; /* best-effort without a deadline: larger hosts may come */
    bool is_placed;     /* its next stretch is planned */
    bool is_preempted;  /* by this plan */
    bool is_refused;    /* the same */
    int64_t end;        /* the engine's; INSTANT_NONE: it does not run */
};

/* What is found out about a lease while facts are gathered; done to the store afterwards. */
struct note {
    enum {
        NOTE_REASON,   /* it cannot be placed: reason, retry */
        NOTE_ESTIMATE, /* it will not start before `retry` */
        NOTE_RANK,     /* its rank cannot be read: text */
        NOTE_REFUSED,  /* reason */
    } kind;
    int64_t lease;
    struct reason reason; /* its text is `text` */
    char text[STORE_TEXT_MAX];
    int64_t retry;
};

/* Facts for a plan, made of a store that does not change meanwhile. */
struct facts {
    const struct planner *planner;
    const struct store *store;
    struct picture *picture;
    int64_t now;
    struct map *planned; /* struct planned * by lease */
    struct map *filters; /* their numbers by address, as far as the engine has them */
    size_t *n_filters;   /* that the engine has */

    struct wire_writer filter_section, adoption_section, step_section;
    size_t n_new_filters, n_adoptions, n_steps;
    int64_t *step_leases; /* of each step, -1: several */
    size_t steps_allocated;
    size_t n_requests;
    struct note *notes;
    size_t n_notes, notes_allocated;
    int64_t *promised; /* when the first reservation of each host begins; NULL: not asked yet */
    int64_t retry;     /* some lease is left out until then; INSTANT_NEVER */
    bool is_trial;     /* events stay for the next plan */
};

/* A question to the planner that somebody waits for. */
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
    bool is_told; /* that it has to wait */
};

struct planner {
    struct planner_settings settings;
    const struct estimates *estimates; /* NULL: none */
    struct store *store;
    struct world *world;

    struct modules *modules;   /* the process; NULL: plans are made here (tests) */
    struct planning *planning; /* of tests; NULL */
    bool ready;                /* the engine there is as of the last plan */
    bool in_flight;            /* a plan is being made */
    bool recalled;             /* the modules were told of the past */
    int64_t planned_at;        /* the plan's time, seconds since 1970 */
    int64_t next_time;
    uint64_t attributes; /* number of the picture whose attributes the planner has; 0 */
    int64_t *step_leases;
    size_t n_requests;
    struct waiting waiting[8];
    size_t n_waiting;
    int64_t answering; /* monotonic milliseconds: the first is being answered since, if no plan is
                          made */
    struct wire_writer events; /* to be told with the next plan */
    size_t n_events;

    struct picture picture;
    struct map planned, filters;
    size_t n_filters;
    uint64_t compared; /* number of the picture that was compared last */
    bool same;         /* what came out */
    int64_t built;
    bool outdated;     /* its outputs came out otherwise: make another plan */
    bool is_anew;      /* the plan that is made is of all leases, not a step of the one before */
    bool moves_cold;   /* VMs that go to better hosts are suspended for it */
    size_t n_unplaced; /* adopted leases that there was no place for */

    int64_t *news, *gone; /* lease ids for the next step */
    size_t n_news, news_allocated, n_gone, gone_allocated;
    int64_t retry; /* when the pause of a VM that failed is over; INSTANT_NEVER */
    bool careful;  /* a step failed: new leases are handed in one by one */

    bool forecasting;                      /* a forecast is awaited */
    uint64_t forecast_wanted;              /* of what the next one would be; 0: nobody waits */
    uint64_t forecast_of;                  /* of what the last one was */
    int64_t forecast_begun, forecast_next; /* monotonic milliseconds */
    int64_t outlook;                       /* forecasts that were noted */
};

/* --- picture.c --- */
int picture_take(struct picture *picture, const struct planner *planner, struct error *err);
void picture_drop(struct picture *picture);
uint32_t picture_place(const struct picture *picture, int32_t host); /* HOST_NONE: unknown */

/* --- facts_requests.c: what a lease asks of the engine --- */
struct asking {
    struct lease_request request; /* node_sets are `sets` */
    struct node_set *sets;
    int32_t *filters;
    struct planned *planned;
};

struct planned *planned_of(const struct map *planned, int64_t lease); /* NULL */
void planned_drop(struct map *planned, int64_t lease);
void planned_drop_all(struct map *planned);
/* What the lease asks for, and its entry in facts->planned. False: it cannot be placed at present;
 * a note says why. */
bool asking_make(struct facts *facts, const struct lease_record *lease, struct asking *asking);
void asking_finish(struct asking *asking);
/* A reservation is to begin at that time, or now if that has passed, and ends when it was to. */
void request_set_start(const struct lease_record *lease, int64_t at, int64_t now,
                       struct lease_request *request);
int64_t lease_remaining(const struct lease_record *lease, int64_t now);
/* When it is to leave its hosts for a lease whose promise still stands; INSTANT_NONE. */
int64_t lease_leaves_at(const struct store *store, const struct lease_record *lease, int64_t now);
bool lease_is_suspended_by_us(const struct store *store, const struct lease_record *lease);
bool vm_avoids(const struct vm_record *vm, int32_t host, int64_t now); /* it failed there lately */
/* The hosts of a VM that must go to another one: the filter's number. */
int32_t facts_relocation_filter(struct facts *facts, const struct vm_record *vm);
/* A step with a request for each of these leases that can be asked, or cancellations. */
void facts_add_step(struct facts *facts, const int64_t *gone, size_t n_gone, const int64_t *news,
                    size_t n_news);

/* --- facts.c --- */
void facts_init(struct facts *facts, const struct planner *planner, int64_t now);
void facts_finish(struct facts *facts);
/* What holds hosts, what was promised, what waits; then the steps for what is new. */
void facts_gather(struct facts *facts);
/* All of it as a frame; anew: hosts and adoptions, too. */
void facts_put(const struct facts *facts, bool anew, bool attributes, struct wire_writer *frame);
/* It waits to be started on a host where it has just failed, or that takes no VMs any more. */
bool vm_must_go_elsewhere(const struct planner *planner, const struct picture *picture,
                          const struct vm_record *vm, int64_t now);

/* --- outputs.c: from the engine's outputs to the store --- */
void planner_take_notes(struct planner *planner, const struct facts *facts);
void planner_take_reply(struct planner *planner, const struct plan_reply *reply);

/* --- planner_forecast.c --- */
/* Note when a lease that waits will probably start, if that is news: then true. */
bool planner_estimate(struct planner *planner, const struct lease_record *lease, int64_t at,
                      int64_t now);
bool planner_take_forecast(struct planner *planner, struct wire_reader *reader);

/* --- planner_try.c --- */
bool planner_take_trial(struct planner *planner, const struct waiting *waiting,
                        struct wire_reader *reader);
bool planner_take_operations(struct planner *planner, const struct waiting *waiting,
                             struct wire_reader *reader);
/* Nobody will answer any more. */
void planner_disappoint(struct planner *planner, const char *why);

/* --- planner.c --- */
/* 0: sent. Frames that are answered are remembered by the caller first. */
int planner_send(struct planner *planner, const struct wire_writer *frame, int answers,
                 struct error *err);

#endif
