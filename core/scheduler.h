/* scheduler.h: the engine's inside, shared by the files of core/ that make up the scheduler.
 *
 * How a request travels: engine.c (step, requests, queue) -> schedule.c (one lease) -> placing.c
 * (exact, as soon as possible) -> mapper.c (which VM on which host, who makes room) -> operations.c
 * (resume, suspend, shut down around the VMs) -> preemption.c, migration.c, preparation.c ->
 * booking.c (slot table and indexes). lifecycle.c carries planned operations out.
 */
#ifndef GALERNA_CORE_SCHEDULER_H
#define GALERNA_CORE_SCHEDULER_H

#include "core/engine.h"
#include "core/host_filter.h"
#include "core/host_survey.h"
#include "core/plan.h"
#include "core/reservation_index.h"
#include "core/slot_table.h"

struct lease_list {
    struct lease **items;
    size_t n, allocated;
};

struct image_transfers;

struct engine {
    struct site site;
    struct engine_settings settings;
    const struct policy_hooks *hooks;
    struct engine_outputs *outputs; /* of the step under way */
    int64_t now;

    struct slot_table *table;
    struct slot_table *empty;          /* the site without leases; NULL until it is asked for */
    struct reservation_index by_start; /* scheduled ones */
    struct reservation_index by_end;   /* scheduled and active ones */
    uint64_t next_order;

    struct lease_list leases; /* ascending id; NULL: forgotten */
    int64_t *lease_ids;       /* of the same places */
    size_t lease_ids_allocated;
    size_t n_forgotten;

    struct lease_list pending; /* admitted in this step */
    struct lease_list early;   /* not ready yet, ascending start */
    struct lease_list queue;   /* ascending submission */
    bool queued_deadlines;     /* some lease of the queue has, or had, a deadline */
    int64_t next_give_up;      /* when the first of those has to be given up */
    int64_t next_move_look;    /* for better hosts; INSTANT_NONE: no lease may move */
    bool capacity_freed;       /* since the last look */
    struct lease_list trying;  /* scratch: the queue while it is being scheduled */
    struct lease_list future;  /* hold a future reservation */

    enum { ENGINE_NEW, ENGINE_BEGUN, ENGINE_STEPPED } stage;
    bool staging;                  /* bookings go unsorted into the indexes */
    struct engine_outputs adopted; /* what adoptions caused: for the first step */

    struct reservation_list withdrawn; /* freed when the next step begins */
    struct reservation_list due;       /* scratch: those of this instant */

    size_t unfinished[4]; /* by kind */
    int64_t cpu_used[RESERVATION_KINDS], cpu_total;
    int64_t *disk_used; /* MB on each host */
    uint64_t attempts;

    struct image_transfers *images;

    /* Scratch room, one entry per host. */
    uint32_t *host_slot;
    struct host_choice *choices;
    struct surveys *surveys;
    bool *closed;            /* hosts that take no new VMs; NULL: none */
    uint32_t *vms_on;        /* VMs on each host now */
    struct host_load *loads; /* scratch: what the lease being mapped has put on hosts */
    size_t loads_allocated;
    uint32_t *batch_hosts;
    int32_t *batch_leases;
    int64_t *batch_until, *batch_free, *batch_scores;
    uint32_t *vm_host; /* one entry per VM of the lease being mapped */
    size_t vm_host_allocated;
};

/* --- requests.c --- */
/* A new lease: admission, and into the list of those to be scheduled. */
int request_lease(struct engine *engine, const struct lease_request *request, struct error *err);
/* EINVAL: the id is there already, or the request is malformed. */
int request_check(const struct engine *engine, const struct lease_request *request,
                  struct error *err);
/* Everything that waits is tried. */
void schedule_pending(struct engine *engine);
/* Could hosts that the lease may use ever hold it? Else lease->reason says why not. */
bool could_ever_fit(struct engine *engine, struct lease *lease);
/* When a lease that waits may be (re)started at the earliest; INSTANT_NONE: at once. */
int64_t lease_ready_at(const struct lease *lease);
/* Keep it out of the queue until then. */
void keep_early(struct engine *engine, struct lease *lease);

/* --- adoption.c --- */
/* Bring into order what adoptions have booked. */
void adoptions_settle(struct engine *engine);

/* --- engine.c --- */
struct lease *lease_create(const struct lease_request *request);
void lease_destroy(struct lease *lease);
void lease_table_insert(struct engine *engine, struct lease *lease);
void engine_output(struct engine *engine, struct engine_output output);
void lease_set_state(struct engine *engine, struct lease *lease, enum lease_state to);
void lease_finish(struct engine *engine, struct lease *lease, enum lease_state final);
void lease_list_append(struct lease_list *list, struct lease *lease);
void lease_list_remove(struct lease_list *list, const struct lease *lease);
void queue_append(struct engine *engine, struct lease *lease);
/* Put a lease back so that the queue stays in the order of submission. */
void queue_insert(struct engine *engine, struct lease *lease);
/* The same, and in the order of ids among those of one submission. */
void queue_insert_by_id(struct engine *engine, struct lease *lease);
void queue_remove(struct engine *engine, struct lease *lease);
void future_remove(struct engine *engine, struct lease *lease);
bool future_allowed(const struct engine *engine);

/* --- booking.c --- */
struct reservation *reservation_create(struct lease *lease, enum reservation_kind kind,
                                       int64_t from, int64_t until, struct placement *placement);
void reservation_destroy(struct reservation *r);
/* Into slot table and indexes; out of both. */
void reservation_book(struct engine *engine, struct reservation *r);
void reservation_unbook(struct engine *engine, struct reservation *r);
/* Out of the slot table, if it is still there, and freed when the next step begins. */
void reservation_withdraw(struct engine *engine, struct reservation *r);
void reservation_list_withdraw(struct engine *engine, struct reservation_list *list);
/* Over without having come to its end: out of the slot table, kept in the list. */
void reservation_list_settle(struct engine *engine, const struct reservation_list *list);
void reservation_set_until(struct engine *engine, struct reservation *r, int64_t until);
/* Its VMs count on their hosts from now on. */
void vms_arrive(struct engine *engine, struct reservation *vm);
void reservation_start(struct engine *engine, struct reservation *r);
void reservation_end(struct engine *engine, struct reservation *r);
/* Book one that is under way already. */
void reservation_adopt(struct engine *engine, struct reservation *r);
struct placement *placement_create(uint32_t n_hosts, uint32_t n_vms, uint32_t n_types);
struct placement *placement_share(struct placement *placement);
void placement_destroy(struct placement *placement);
/* Where all VMs of the lease are and what they hold. */
struct placement *placement_of_vms(struct engine *engine, const struct lease *lease,
                                   const uint32_t *vm_host);

/* --- estimates.c --- */
/* Whole seconds, rounded up, at most SPAN_LONGEST: sums over many VMs stay within int64_t whatever
 * rates and sizes are asked for. */
#define SPAN_LONGEST INT64_C(100000000000)
int64_t span_from_seconds(double seconds);
int64_t shutdown_span(const struct engine *engine, const struct lease *lease);
int64_t suspend_span_of_vm(const struct engine *engine, int64_t memory);
int64_t resume_span_of_vm(const struct engine *engine, int64_t memory);
int64_t suspend_estimate(struct engine *engine, const struct lease *lease);
int64_t resume_estimate(struct engine *engine, const struct lease *lease);
int64_t scheduling_threshold(struct engine *engine, const struct lease *lease);
bool may_be_suspended(const struct engine *engine, const struct lease *lease);
int64_t remaining_span(const struct lease *lease);

/* --- windows.c --- */
/* Fill list with SUSPEND reservations that end by `at`, or RESUME ones that begin at `at`; VMs are
 * where placement says. Ascending times. Returns the other end: when the first suspension begins or
 * the last resumption is over. */
int64_t suspend_windows(struct engine *engine, struct lease *lease,
                        const struct placement *placement, int64_t at,
                        struct reservation_list *list);
int64_t resume_windows(struct engine *engine, struct lease *lease,
                       const struct placement *placement, int64_t at,
                       struct reservation_list *list);

/* --- relief.c --- */
enum { RELIEF_POINTS = 8 };
/* The earliest times after `after` at which leases that run could have been suspended for this
 * best-effort lease, ascending; how many. */
size_t relief_points(struct engine *engine, const struct lease *lease, int64_t after,
                     int64_t points[RELIEF_POINTS]);
/* Where the policy lets the more important displace the less important, those come first. */
void queue_put_in_order(const struct engine *engine, struct lease_list *queue);
/* The most important of the queue, if less important ones hold places in the future; or NULL. */
struct lease *queue_next_to_displace(const struct engine *engine, const struct lease_list *queue);
/* Those that hold places in the future and are less important than the lease give them up and go to
 * the end of `queue`. */
void queue_release_future(struct engine *engine, struct lease_list *queue,
                          const struct lease *lease);

/* --- mapper.c --- */
struct map_request {
    struct lease *lease;
    int64_t from, until;
    int64_t shortest;        /* least acceptable length; until - from when all of it is needed */
    bool strict;             /* all of it or nothing, host by host */
    const uint32_t *allowed; /* hosts that may be used, ascending; NULL: all */
    size_t n_allowed;
    const struct placement *pinned; /* every VM goes to its host there; NULL: anywhere */
    bool spare_others;              /* nobody is preempted for it */
    bool spare_planned;             /* only those that run are */
    bool pinned_preempts;           /* pinned, and others are preempted for it */
    bool forced; /* a promise made before: suspend others whatever the preemption policy says */
};

struct mapping {
    const uint32_t *vm_host;   /* the engine's scratch: valid until the next mapping */
    int64_t until;             /* how long all hosts are free */
    struct lease_list victims; /* in the order in which they are to be preempted */
    size_t n_late;             /* of those that could make room; they would miss their deadlines */
};

bool mapper_map(struct engine *engine, const struct map_request *request, struct mapping *mapping);
/* The most VMs of this size that one empty host holds; O(1) when asked for the same size again. */
uint32_t mapper_most_on_a_host(struct engine *engine, const struct amounts *vm);
/* VMs of a node set that fit at this instant. */
uint32_t mapper_count_now(struct engine *engine, const struct node_set *nodes);
/* VMs of a node set that fit during the request's time, nobody preempted. */
uint32_t mapper_count(struct engine *engine, const struct map_request *request,
                      const struct node_set *nodes);
void mapper_create_scratch(struct engine *engine);
void mapper_destroy_scratch(struct engine *engine);
void mapping_finish(struct mapping *mapping);

/* --- placing.c --- */
/* A placement thought out but not booked. */
struct proposal {
    struct reservation_list preparation;
    struct vm_plan plan;
    struct lease_list victims;
    bool suspend_victims; /* whatever their terms are */
    bool in_future;
    int64_t start;      /* of the first operation */
    int64_t held_until; /* its hosts are free for it until then */
};

struct placing_request {
    struct lease *lease;
    bool may_wait;           /* a place in the future will do, */
    int64_t before;          /* if it begins earlier than this; INSTANT_NEVER: whenever */
    const int64_t *earliest; /* per host, or NULL: from `from` on everywhere */
    int64_t from;
};

bool place_exact(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* The same on pinned hosts or with forced victims; the wish's times are not read. */
bool place_exact_as(struct engine *engine, const struct map_request *wish,
                    struct proposal *proposal);
/* Tell a lease that must begin at request->from how many of its VMs would fit then. */
void refuse_for_room(struct engine *engine, const struct map_request *request,
                     const struct mapping *mapping);
/* Give the last seconds of a stretch to the shutdown. */
void carve_shutdown(struct engine *engine, struct lease *lease, struct vm_plan *plan);
bool place_as_soon_as_possible(struct engine *engine, const struct placing_request *request,
                               struct proposal *proposal);
/* A place for a lease that needs all its time at a stretch, beginning in [from, latest]. */
struct window_request {
    struct lease *lease;
    int64_t from, latest;
    int64_t remaining; /* seconds its VMs have to run */
    bool resuming;     /* it will be suspended by then */
    bool spare_others;
    bool may_be_late; /* only to learn when it could end */
    bool forced;
    const struct placement *pinned; /* hosts of its VMs; NULL: any */
    const int64_t *more_points;     /* besides the ends that are booked: when to try */
    size_t n_more_points;
};

bool place_within(struct engine *engine, const struct window_request *request,
                  struct proposal *proposal);
/* The very place it had: on its hosts (pinned) from request->from on, where each of its operations
 * still fits by itself. latest is not read. */
bool place_again(struct engine *engine, const struct window_request *request,
                 struct proposal *proposal);
void proposal_finish(struct proposal *proposal); /* drops what was not taken over */

/* --- deadline.c --- */
/* Place a deadline lease, or make room for a reservation, by placing other deadline leases again so
 * that all of them still keep their deadlines. */
bool place_deadline(struct engine *engine, struct lease *lease, struct proposal *proposal);
bool place_by_moving_others(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* Room has come back: start deadline leases earlier where that is possible. */
void pull_deadlines_forward(struct engine *engine);

/* --- schedule.c --- */
/* Book a proposal as the lease's next stretch. */
void proposal_take_over(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* Take the last stretch back from slot table, indexes and plan. */
void stretch_withdraw(struct engine *engine, struct lease *lease);
/* Book the proposal, preempt its victims, and set the lease's state; uses the proposal up. False:
 * its image cannot be there in time, nothing has changed. */
bool proposal_accept(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* Place the lease and book it; false with lease->reason set when it cannot be placed. */
bool engine_schedule_lease(struct engine *engine, struct lease *lease, bool may_wait);
void unschedule_lease(struct engine *engine, struct lease *lease);
void reevaluate_future(struct engine *engine);

/* --- preemption.c --- */
struct preemption {
    struct lease *victim;
    int64_t at;
    const struct lease *by;
    bool suspend; /* whatever its terms are */
};

void preempt(struct engine *engine, const struct preemption *preemption);
/* Can the lease be suspended in time to be off its hosts at `at`? promised: even where it has run
 * for too short a time to make that worth while. */
bool can_be_suspended_at(struct engine *engine, struct lease *lease, int64_t at, bool promised);
/* Can anything be done to make this lease free its hosts at that time? */
bool is_preemptable_at(struct engine *engine, struct lease *lease, int64_t at);

/* --- migration.c --- */
/* Mbit/s at which memory and images are sent between hosts. */
int64_t transfer_rate(const struct engine *engine);
/* Seconds to send a VM's memory to another host. */
int64_t transfer_span_of_vm(const struct engine *engine, int64_t memory);
int64_t migration_estimate(const struct engine *engine, const struct lease *lease);
/* Put the migrations a resumption needs in front of proposal->plan.before, from now on or from a
 * later time on. */
void plan_migration(struct engine *engine, struct lease *lease, struct proposal *proposal);
void plan_migration_at(struct engine *engine, struct lease *lease, struct proposal *proposal,
                       int64_t at);

/* --- preparation.c --- */
void image_transfers_create(struct engine *engine);
void image_transfers_destroy(struct engine *engine);
/* When each host can have the lease's image: fills earliest (one entry per host) and returns true,
 * or false when nothing has to be prepared. */
bool preparation_earliest(struct engine *engine, const struct lease *lease, int64_t *earliest);
/* Add the transfers the proposal needs to proposal->preparation (none: it may start at once).
 * False: the image cannot be there in time (lease->reason says so). Changes nothing else. */
bool plan_preparation(struct engine *engine, struct lease *lease, struct proposal *proposal);
/* The proposal has been accepted, with the last n_new transfers of the lease: copies from caches,
 * rides on planned transfers. True: the lease is ready at once. */
bool commit_preparation(struct engine *engine, struct lease *lease, size_t n_new);
void cancel_preparation(struct engine *engine, struct lease *lease);
void transfer_started(struct engine *engine, struct reservation *r);
void transfer_ended(struct engine *engine, struct reservation *r);
void images_release(struct engine *engine, struct lease *lease);
void images_migrated(struct engine *engine, const struct reservation *r);

/* --- lifecycle.c --- */
void operation_begins(struct engine *engine, struct reservation *r);
void operation_ends(struct engine *engine, struct reservation *r);
void lease_ended_early(struct engine *engine, struct lease *lease);
void lease_cancel(struct engine *engine, struct lease *lease);
/* The same for the reason it has already; others are not brought forward into its room. */
void lease_end_now(struct engine *engine, struct lease *lease);
void memory_files_add(struct engine *engine, const struct reservation *r);
void memory_files_drop(struct engine *engine, struct lease *lease);

#endif
