/* planner_inside.h: shared by the files of the planner. */
#pragma once

#include "daemon/planner/company.h"
#include "daemon/planner/modules.h"
#include "daemon/planner/planner.h"
#include "planner/planning.h"
#include "planner/wire_units.h"
#include "util/map.h"

/* A booked host, for the leases inside the booking. */
struct inside {
    uint32_t host; /* its place */
    char booking[TERM_TEXT_MAX];
};

enum { DEVICE_KINDS_MOST = 64 /* told apart, so that costs are bounded */ };

/* PCI devices with the same identifiers. */
struct device_kind {
    uint32_t vendor, device, class;
    uint64_t *hosts; /* that have any: a bitmap by place */
};

/* Hosts and site as the plan sees them. Places number the hosts first, then the insides. */
struct snapshot {
    struct hosts_seen *hosts;
    struct site_seen *site;
    struct vmgroups_seen *vmgroups; /* NULL: never seen */
    struct eligibility *eligibility;
    struct company *company; /* NULL with vmgroups */
    bool *closed;            /* by place: the host takes no VMs; without the insides */
    uint64_t *open;          /* the other hosts, as a bitmap */
    struct device_kind *kinds;
    size_t n_kinds, kinds_allocated;
    struct inside *insides;
    size_t n_insides, insides_allocated;
    uint64_t digest;
};

/* A lease as the engine knows it. */
struct planned {
    int32_t *vms; /* OpenNebula's ids in the order of the engine's VMs */
    uint32_t n_vms;
    bool in_engine;
    bool gone;          /* still in the engine, but leaving: its outputs are ignored */
    bool may_fit_later; /* best-effort without a deadline: waits for larger hosts */
    bool is_placed;     /* the engine has planned its next start */
    int64_t start;      /* is_placed: that start */
    bool is_preempted;  /* by this plan */
    bool is_refused;    /* by this plan */
    bool stays;         /* holds room outside and inside a booked host, see facts_blocks.c */
    int64_t end;        /* in the engine; INSTANT_NONE: not running */
};

enum note_kind {
    NOTE_REASON,   /* the lease cannot be placed: reason, retry */
    NOTE_ESTIMATE, /* the lease does not start before `retry` */
    NOTE_STAYS,    /* a VM cannot leave its host: reason, retry */
    NOTE_RANK,     /* the rank is invalid: text */
    NOTE_REFUSED,  /* reason */
    NOTE_DOUBTED,  /* as NOTE_REFUSED, but by access rules that may be older than the request */
};

/* A finding about a lease while facts are gathered; applied to the store afterwards. */
struct note {
    enum note_kind kind;
    int64_t lease;
    struct reason reason; /* the reason's text is `text` */
    char text[STORE_TEXT_MAX];
    int64_t retry;
};

/* Objects sent to the engine and referred to by number, in the order of sending. */
struct sent {
    struct map filters, bitmaps; /* numbers by address and sides */
    size_t n_filters, n_bitmaps;
    struct map columns; /* by address */
    struct map demands; /* by their bytes */
    struct map names;   /* of devices and profiles: the numbers of core/demand.h */
};

/* Facts for a plan, gathered from a store that does not change meanwhile. */
struct facts {
    const struct planner *planner;
    const struct store *store;
    struct snapshot *snapshot;
    int64_t now;
    struct map *planned; /* struct planned * by lease */
    struct sent *sent;

    struct wire_writer column_section, bitmap_section, filter_section, demand_section,
        adoption_section, step_section;
    size_t n_new_columns, n_new_bitmaps, n_new_filters, n_new_demands, n_adoptions, n_steps;
    int64_t *step_leases; /* the lease of each step; -1: several leases */
    size_t steps_allocated;
    size_t n_requests;
    struct note *notes;
    size_t n_notes, notes_allocated;
    struct amounts *together; /* by role: the needs of waiting VMs that must share a host; NULL:
                                 not computed yet */
    int64_t *promised;    /* start of the first reservation on each host; NULL: not computed yet */
    int64_t *suspensions; /* by host, for in_vain.c; NULL: not computed yet */
    int64_t
        not_before; /* of the lease being asked for: its hosts take it then; INSTANT_NONE: now */
    const struct drains *drains; /* NULL: none */
    int64_t leave_by;            /* of the running lease being gathered; INSTANT_NONE: it stays */
    size_t n_leaving;            /* the number of its VMs that may change hosts */
    bool arriving;    /* gathering leases with VMs that hold units which their hosts do not report
                         yet */
    bool at_risk;     /* gathering reservations that have lost their place, after all others */
    int64_t n_drains; /* drains adopted, and VMs placed elsewhere during one */
    int64_t retry;    /* when a lease that was left out is planned again;
                         INSTANT_NEVER: none was */
    bool is_trial;    /* events are kept for the next plan */
    const struct changed_lease *changed; /* replaces the store's record; NULL: no lease is
                                            changed */
    const struct lease_request *asked;   /* the request of a dry run, not added yet; NULL: none */
};

/* A pending question to the planner. */
struct waiting {
    enum frame kind;
    union {
        planner_tried *tried;
        planner_told *told;
    };
    struct drain_trial *drain;   /* for planner_try_drains(); NULL: another question */
    struct change_trial *change; /* for planner_try_change() and planner_trace(); NULL: another
                                    question */
    struct hosts_seen *hosts;    /* of a dry run; released with the question */
    void *context;
    int64_t since;        /* monotonic milliseconds */
    int64_t latest_start; /* of a dry run with a deadline; else INSTANT_NONE */
    uint32_t n_hosts;     /* in the facts of a trial */
    enum lease_kind lease_kind;
    bool is_told;   /* the caller got the answer that the planner is busy */
    bool is_traced; /* of a change: with a trace of the decision */
};

struct planner {
    struct planner_settings settings;
    const struct learned *learned; /* NULL: none */
    struct store *store;
    struct world *world;

    struct modules *modules;
    bool ready;         /* the engine holds the last plan */
    bool in_flight;     /* a plan is in progress */
    uint64_t n_plans;   /* begun */
    bool recalled;      /* the past was replayed to the modules */
    int64_t planned_at; /* seconds since 1970: the time of the plan */
    int64_t next_time;
    uint64_t attributes; /* number of the snapshot with the attributes that the planner has; 0:
                            none */
    int64_t *step_leases;
    size_t n_requests;
    struct waiting waiting[8];
    size_t n_waiting;
    int64_t answering;         /* monotonic milliseconds: start of the answer to the first question,
                                  unless a plan is in progress */
    struct wire_writer events; /* sent with the next plan */
    size_t n_events;

    struct snapshot snapshot;
    struct map planned;
    struct map ahead; /* int64_t by lease: starts of planned leases by the last forecast */
    struct sent sent;
    uint64_t compared; /* number of the last snapshot compared */
    bool same;         /* the result of that comparison */
    int64_t built;
    bool outdated;     /* the engine's decisions were not followed exactly: a complete plan is
                          needed */
    bool is_rebuild;   /* a complete plan is in progress, not a step */
    bool has_queued;   /* leases in the queue have planned starts */
    bool moves_cold;   /* migrations to better hosts suspend the VM */
    size_t n_unplaced; /* adopted leases without a place, and doubted refusals */
    int64_t doubted;   /* monotonic ms: when the last request was seen that waits for access rules
                          that are not older; 0: none */

    int64_t *arrivals, *departures; /* lease ids for the next step */
    size_t n_arrivals, arrivals_allocated, n_departures, departures_allocated;
    int64_t retry; /* when the first failed VM's pause ends; INSTANT_NEVER */
    bool careful;  /* a step failed: new leases are sent one by one */

    bool forecasting;                      /* a forecast is in progress */
    uint64_t forecast_wanted;              /* the state to forecast next; 0: none */
    uint64_t forecast_of;                  /* the state of the last forecast */
    int64_t forecast_begun, forecast_next; /* monotonic milliseconds */
    int64_t outlook;                       /* number of forecasts noted */
};

/* --- snapshot.c --- */
/* drains: their bookings become part of the snapshot; NULL: none. */
int snapshot_take(struct snapshot *snapshot, const struct planner *planner,
                  const struct drains *drains, struct error *err);
void snapshot_drop(struct snapshot *snapshot);
uint32_t snapshot_place(const struct snapshot *snapshot, int32_t host); /* HOST_NONE: unknown */
/* The host's place of a place, which may be an inside. */
uint32_t snapshot_host_place(const struct snapshot *snapshot, uint32_t place);
const struct host *snapshot_host(const struct snapshot *snapshot, uint32_t place);
/* The host's place inside the booking; HOST_NONE: the booking does not have the host. */
uint32_t snapshot_inside(const struct snapshot *snapshot, uint32_t host, const char *booking);
/* Free space of datastores and free addresses are known for the present only, so promised starts do
 * not depend on them. If a VM of the lease could not start for lack of either, *reason gives it,
 * with its text in *eligible. */
void planner_look_for_room(struct planner *planner, const struct lease_record *lease, int64_t now,
                           struct reason *reason, struct eligible *eligible);

/* --- which_hosts.c --- */
/* The reason; if it is a lack of room, with the hosts that count for the lease and the drains that
 * close them, in the text. O(drains + hosts / 64 x kinds of devices). */
struct reason planner_with_hosts(const struct planner *planner, const struct lease_record *lease,
                                 const struct reason *known, char *text, size_t size);

/* "its latest start is ...": owners who requested a latest start look for that, not for the latest
 * end. */

/* --- planned.c: the leases that the engine has been given --- */
struct planned *planned_add(struct facts *facts, int64_t lease);
struct planned *planned_of(const struct map *planned, int64_t lease); /* NULL */
void planned_drop(struct map *planned, int64_t lease);
void planned_drop_all(struct map *planned);
/* The engine's VM of that number; NULL: the VM no longer exists. */
const struct vm_record *planner_vm(const struct planner *planner, int64_t id, uint32_t vm);

/* --- engine_settings.c --- */
/* The settings, with the observed durations of operations. */
struct engine_settings planner_engine_settings(const struct planner *planner);
/* Are the lease's VMs suspended when the engine requeues the lease because there is no time to
 * suspend it? */
bool planner_keeps_work(const struct planner *planner, const struct lease_record *lease);
/* May the lease, once it runs, be suspended to empty its host, and resumed on others later? */
bool planner_could_suspend(const struct planner *planner, const struct lease_record *lease);
/* The same of a lease that runs. */
bool planner_may_suspend(const struct planner *planner, const struct lease_record *lease);

/* --- facts_lease.c: one lease or VM --- */
/* Let the reservation begin at `at`, or now if that has passed, and end as promised. */
void request_set_start(const struct lease_record *lease, int64_t at, int64_t now,
                       struct lease_request *request);
/* Would a refusal of the new lease be by access rules that were read before its VMs were observed?
 * OpenNebula may have newer ones. O(VMs of the lease). */
bool planner_has_old_rules(const struct planner *planner, const struct lease_record *lease);
/* When one of the lease's VMs that access rules concern was last seen for the first time, monotonic
 * milliseconds; 0: none. */
int64_t planner_seen_under_rules(const struct planner *planner, const struct lease_record *lease);
/* When a lease that loses its work is stopped for one that is promised its hosts: not before its
 * time to shut down. INSTANT_NONE: it is not. */
int64_t planner_stops_at(const struct planner *planner, const struct lease_record *lease);
/* Is it stopped then, because the other lease still has its promise? */
bool planner_needs_stop(const struct planner *planner, const struct lease_record *lease,
                        int64_t now);
/* Is the lease to start, without a command sent to one of its VMs? O(VMs of the lease). */
bool planner_has_sent_nothing(const struct planner *planner, const struct lease_record *lease);
int64_t lease_remaining(const struct lease_record *lease, int64_t now);
bool vm_avoids(const struct vm_record *vm, int32_t host, int64_t now); /* after a failure there */
bool vm_avoids_any(const struct vm_record *vm, int64_t now);
/* The reason's text is copied. */
void facts_note(struct facts *facts, enum note_kind kind, int64_t lease,
                const struct reason *reason, int64_t retry);
void facts_retry_at(struct facts *facts, int64_t at);
/* If no estimate exists: seconds until a VM in transition is expected to settle and is planned
 * again. */
enum { SETTLING = 5 };
/* The lease for the plan: the store's record, or the changed one. */
const struct lease_record *facts_lease(const struct facts *facts, const struct lease_record *lease);
/* The size of a VM for the plan: from the store, or from the changed lease. */
struct amounts facts_size(const struct facts *facts, const struct vm_record *vm);
bool lease_holds_hosts(const struct lease_record *lease);
/* Is the lease a deadline lease whose suspension makes room for reservations? Its resumption is
 * planned after them; if the suspension is overdue, the reservations are placed elsewhere. */
bool facts_leaves_for_promise(const struct facts *facts, const struct lease_record *lease);
/* The estimated time at which the last VM of the lease is suspended. *overdue: a suspension is
 * overdue. */
int64_t facts_leaving_until(const struct facts *facts, const struct lease_record *lease,
                            int64_t now, bool *overdue);
/* Can VMs of the lease move to other hosts? Starting VMs cannot until they run, but the trial of a
 * drain treats them as running. */
bool facts_may_leave(const struct facts *facts, const struct lease_record *lease);
/* When the first of the lease's VMs must leave its host; INSTANT_NONE: none must. */
int64_t facts_leaves_by(const struct facts *facts, const struct lease_record *lease);

/* --- facts_vm_filter.c: the hosts that a VM may use ------------------------------------------- */
enum { NO_FILTER = -1 }; /* all hosts */
/* Finds the number of the filter of the VM's hosts. False: the VM cannot be placed at present; a
 * note gives the reason. */
bool facts_filter(struct facts *facts, const struct lease_record *lease, const struct vm_record *vm,
                  int32_t *filter);
/* The number of the filter for a VM that must start on another host. */
int32_t facts_relocation_filter(struct facts *facts, const struct vm_record *vm);

/* --- facts_requests.c: requests to the engine ------------------------------------------------- */
struct asking {
    struct lease_request request; /* node_sets are `sets` */
    struct node_set *sets;
    struct set_numbers *numbers;
    struct planned *planned;
    int64_t not_before; /* INSTANT_NONE: it may start now */
};

/* The lease's original request, without node sets. */
struct lease_request request_of(const struct lease_record *lease);
/* Make the lease's request, and its entry in facts->planned. False: the lease cannot be placed at
 * present; a note gives the reason. */
bool asking_make(struct facts *facts, const struct lease_record *lease, struct asking *asking);
void asking_finish(struct asking *asking);
/* Add a step with the cancellations, and with a request for each lease of `arrivals` that can be
 * requested. */
void facts_add_step(struct facts *facts, const int64_t *departures, size_t n_departures,
                    const int64_t *arrivals, size_t n_arrivals);

/* --- facts_filters.c: numbers of filters in the planner --- */
/* Send the filter and return its number. It covers the hosts that the VM's lease may use: outside,
 * or inside its booking. */
int32_t facts_put_filter(struct facts *facts, const struct vm_record *vm,
                         const struct host_filter *filter);
/* As facts_put_filter(), but sent once for all VMs that share the filter and the sides. */
int32_t facts_shared_filter(struct facts *facts, const struct vm_record *vm,
                            const struct host_filter *filter);
/* The filter that allows any host; -1 if no host is booked. */
int32_t facts_any_host(struct facts *facts, const struct vm_record *vm);
/* The filter of the hosts for VMs without special requirements; -1 if these are all hosts and none
 * is booked. */
int32_t facts_usual_hosts_of(struct facts *facts, const struct lease_record *lease);
/* The number of the filter for a VM that must leave `host`. False: the VM may use no other host, or
 * none at present; a note gives the reason, unless the VM's document is missing or only rebalancing
 * moves the VM. */
bool facts_leave_filter(struct facts *facts, const struct vm_record *vm, int32_t host,
                        int32_t *filter);

/* --- facts_hardware.c: devices and NUMA nodes of hosts and VMs --- */
void sent_init(struct sent *sent);
void sent_finish(struct sent *sent);
/* A demand and its arrays; must not move. */
struct made_demand {
    struct vm_demand demand;
    struct vm_node nodes[VM_NODES_MOST];
    struct pci_demand devices[VM_DEVICES_MOST];
};
/* False: the VM demands nothing beyond amounts. */
bool facts_make_demand(const struct facts *facts, const struct vm_hardware *hardware,
                       struct made_demand *made);
void facts_make_units(const struct facts *facts, const struct host *host, struct kept_list *kept,
                      struct host_units *units);
/* The units that the VM holds on its host. Returns the number of its virtual nodes. */
uint32_t facts_make_vm_units(const struct facts *facts, const struct host *host,
                             const struct vm_observation *observed, struct kept_list *kept,
                             struct vm_units *units);
/* The number of the VM's demand on a host; -1: nothing beyond amounts. lease: to be placed; NULL:
 * the VM is on its host. */
int32_t facts_demand(struct facts *facts, const struct lease_record *lease,
                     const struct vm_observation *observed);
/* Write the hosts' units, equal ones once. Returns the number of each host's units, to be freed. */
int32_t *facts_put_units(const struct facts *facts, struct wire_writer *frame);
/* Does the VM hold devices or NUMA nodes on its host? If so, facts_put_vm_units() must follow. */
bool facts_has_units(const struct facts *facts, const struct vm_observation *observed,
                     uint32_t place);
void facts_put_vm_units(const struct facts *facts, const struct vm_observation *observed,
                        uint32_t place, struct wire_writer *section);

/* --- outputs.c, outputs_leaving.c, outputs_reason.c --- */
/* A VM of the lease, if the reason is lack of room for it; else NULL. */
const struct vm_record *planner_vm_without_room(const struct planner *planner,
                                                const struct lease_record *lease,
                                                const struct reason *reason);
/* The reason, completed with facts that the engine does not know; the text holds the additions. */
struct reason planner_reason_in_full(const struct planner *planner,
                                     const struct lease_record *lease, const struct reason *known,
                                     char *text, size_t size);
/* The lease is not refused for this reason before newer access rules have been read. */
void planner_doubts(struct planner *planner, const struct lease_record *lease,
                    const struct reason *reason);
void planner_set_reason(struct planner *planner, const struct lease_record *lease,
                        const struct reason *reason);
/* The lease is to make room for lease `other` at `at`; history has a line for each cause. */
void planner_note_preemption(struct planner *planner, const struct lease_record *lease,
                             int64_t other, int64_t at, int64_t now);
/* A lease that the plan put into a gap makes room for the promised lease behind it. The next plan
 * must know that: it would let the lease run on, and suspend it for any reservation in between.
 * O(leases log leases), and for each lease in a gap those that start at its end. */
void planner_note_gaps(struct planner *planner, const struct plan_reply *reply, int64_t now);
bool planner_is_about_leaving(enum reason_id reason);
/* Apply a view of a lease, or of a VM that is off, whose reason planner_is_about_leaving(). */
void planner_note_leaving(struct planner *planner, const struct lease_view *view, int64_t now);
/* After the views: suspend in time leases that must leave their hosts and cannot, if their terms
 * allow it; remove the reason from leases that need not leave any more. O(VMs of awake leases x
 * drains). */
void planner_review_leaves(struct planner *planner, int64_t now);

/* --- must_leave.c: VMs that must leave their hosts --- */
/* When the lease must leave its hosts for a lease that is still promised them; INSTANT_NONE. */
int64_t lease_leaves_at(const struct store *store, const struct lease_record *lease, int64_t now);
/* The lease that is promised one of the lease's hosts, and starts first; -1: none. O(VMs of
 * reserved leases x VMs of the lease). */
int64_t lease_next_on_hosts(const struct store *store, const struct lease_record *lease);
/* Is one of its hosts known to become one of the other lease's? O(VMs of both, multiplied). */
bool lease_shares_host(const struct store *store, int64_t id, int64_t other);
/* When the lease must be on other hosts because another lease gets its own: the start of that
 * lease, even if it has passed and the lease still occupies the hosts; INSTANT_NONE. */
int64_t lease_moves_by(const struct store *store, const struct lease_record *lease, int64_t now);
/* Must the VM change hosts only to balance its cluster? Not if an operator or a drain requires it
 * to leave its host now. */
bool vm_is_only_wanted(const struct planner *planner, const struct drains *drains,
                       const struct vm_record *vm, int64_t now);
/* Does the lease run or start, and end by `at`? */
bool lease_ends_before(const struct lease_record *lease, int64_t at, int64_t now);
/* As planner_leaves_by(), with these drains (NULL: none). */
int64_t vm_leaves_by(const struct planner *planner, const struct drains *drains,
                     const struct vm_record *vm, int64_t now);
/* Is it worthwhile to place a VM without an end on a host that it must leave at `leaves`
 * (INSTANT_NONE: never)? */
bool planner_stays_long_enough(const struct planner *planner, int64_t leaves, int64_t now);
/* The detail of why the VM leaves its host. */
void planner_vm_leave_cause(const struct planner *planner, const struct vm_record *vm, char *text,
                            size_t size);
/* As planner_vm_leave_cause(), for the first VM of the lease that must leave; "": none must. */
void planner_leave_cause(const struct planner *planner, const struct lease_record *lease,
                         int64_t now, char *text, size_t size);
/* When to suspend VMs of a lease for which no other host has room, to empty the host before the
 * first of these drains begins: together with the other preemptable VMs there. `now` if that time
 * has passed; INSTANT_NONE: no drain is ahead of them. */
int64_t planner_suspend_by(const struct planner *planner, const struct drains *drains,
                           const struct lease_record *lease, int64_t now);
/* For a lease suspended because of a drain: its VMs avoid the host until the drain begins. */
void planner_avoid_drained(const struct planner *planner, const struct lease_record *lease,
                           int64_t now);
/* Must a VM of the lease leave its host? Rebalancing alone does not count. */
bool planner_has_to_leave(const struct planner *planner, const struct drains *drains,
                          const struct lease_record *lease, int64_t now);
/* Is a VM of the lease moving, or must one leave its host, also only to rebalance the cluster? */
bool planner_is_leaving(const struct planner *planner, const struct lease_record *lease,
                        int64_t now);

/* --- facts_bookings.c: booked hosts --- */
/* The place of a host where the lease (NULL: none) has a VM or is planned; HOST_NONE. */
uint32_t facts_place(const struct facts *facts, const struct lease_record *lease, int32_t host);
void facts_put_insides(const struct facts *facts, struct wire_writer *frame);
/* The sides of booked hosts that a lease may use; host: of its VM, or its planned one, -1: none.
 * O(drains). */
struct sides {
    bool outside;
    bool inside[BOOKINGS_MOST]; /* by number of the booking */
};
struct sides facts_sides(const struct facts *facts, const struct lease_record *lease, int32_t host);
bool facts_is_on(const struct facts *facts, const struct sides *sides, uint32_t place);
/* Does the lease name a booking that it cannot be inside of? Then the text gives the reason. */
bool facts_are_kept_out(const struct facts *facts, const struct lease_record *lease,
                        char text[STORE_TEXT_MAX]);
/* When the drain of its booking begins during which a reservation starts; INSTANT_NONE. */
int64_t facts_begins_inside(const struct facts *facts, const struct lease_record *lease);
/* When the booking that the lease names begins; INSTANT_NONE: it has begun, or there is none. */
int64_t facts_booking_opens(const struct facts *facts, const struct lease_record *lease);

/* --- move_way.c --- */
struct move_way {
    enum move_kind kind;
    struct known_cause why; /* why the VM does not move live: "powered off meanwhile, since ..." */
};
/* How the VM moves to the host, by the abilities of the VM and the hosts. leaves: it must move. */
struct move_way planner_move_way(const struct planner *planner, const struct vm_record *vm,
                                 int32_t to, bool leaves);

/* --- facts_company.c: VM groups --- */
/* Add the VM's role and rules; *rest: the needs of the other VMs that must share its host. */
void facts_add_company(struct facts *facts, const struct lease_record *lease, int32_t vm,
                       struct vm_demand *demand, struct amounts *rest);
/* Do the VM's groups have more rules for it than the engine keeps? */
bool facts_has_too_many_rules(const struct facts *facts, int32_t vm);

/* --- facts.c --- */
/* Gather adoptions of running, promised and waiting leases, then steps for the new ones. */
void facts_gather(struct facts *facts);

/* --- facts_frame.c --- */
void facts_init(struct facts *facts, const struct planner *planner, int64_t now);
void facts_finish(struct facts *facts);
/* Move the facts into a frame; rebuild: with hosts and adoptions. */
void facts_put(struct facts *facts, bool rebuild, struct wire_writer *frame);
void facts_put_attributes(const struct host_pool *pool, struct wire_writer *frame);

/* --- facts_blocks.c --- */
/* Close hosts during their drains, and insides outside of them. */
void facts_put_drains(struct facts *facts);
/* Block room that VMs hold and no lease of the plan accounts for. of_leases: VMs of leases that
 * hold hosts; else all others. */
void facts_gather_blocks(struct facts *facts, bool of_leases);

/* --- review.c: findings about leases besides the engine's outputs --- */
void planner_take_notes(struct planner *planner, const struct facts *facts);
/* Report reservations without a place in the plan before they are late. */
/* Which reservations the last plan before a restart left without a place: they are not reported
 * again. */
void planner_recall_risks(const struct planner *planner);
void planner_note_risks(struct planner *planner, int64_t now);
/* Notes in the history of a waiting lease that one with a promise, which was requested later,
 * delays it: once for each, before the reason is set. */
void planner_note_delay(struct planner *planner, const struct lease_record *lease,
                        const struct reason *reason, int64_t now);
/* Drop preemptions that a complete plan did not repeat: a plan repeats all that still apply. */
void planner_drop_preemptions(struct planner *planner, int64_t now);
/* Note when a waiting lease will probably start. True: the estimate has changed. */
bool planner_estimate(struct planner *planner, const struct lease_record *lease, int64_t at,
                      int64_t now);

/* --- outputs.c: from the engine's outputs to the store --- */
void planner_take_reply(struct planner *planner, const struct plan_reply *reply);

/* --- too_small.c --- */
/* Is the reason that no hosts, or too few, could hold the lease even when empty? A best-effort
 * lease then waits: hosts may be added, or report devices later. */
bool planner_is_too_big(const struct reason *reason);
/* Replace such a reason if a VM of the lease fits on no host that it may use. Returns that VM; else
 * a VM of the lease if all have the same size; else NULL. NULL also if the hosts lack devices or
 * NUMA nodes. O(VMs x hosts). */
const struct vm_record *planner_too_small(const struct planner *planner,
                                          const struct lease_record *lease, struct reason *reason);

/* --- planner_forecast.c --- */
bool planner_take_forecast(struct planner *planner, struct wire_reader *reader);
/* The start of a planned lease in front of a reservation by the last forecast, or INSTANT_NONE if
 * its planned start is not later. */
int64_t planner_start_ahead(const struct planner *planner, int64_t lease, int64_t now);
/* The reason of such a lease: the planned host is not the one that it waits for. */
struct reason planner_reason_ahead(const struct planned *planned);

/* --- question.c --- */
/* 0: sent; the frame may be empty afterwards. Before sending a frame with an answer, the caller
 * must record the question. */
int planner_send(struct planner *planner, struct wire_writer *frame, int answers,
                 struct error *err);
/* Record the question and send its frame. EAGAIN: the planner is busy or has no process. */
int question_ask(struct planner *planner, struct wire_writer *frame, const struct waiting *waiting,
                 struct error *err);
/* The facts of a question, separate from those of the plan. */
struct asked_facts {
    struct snapshot snapshot;
    struct map planned;
    struct sent sent;
    struct facts facts;
};

/* Assumptions of a question that replace stored values. */
struct supposition {
    const struct drains *drains;         /* NULL: the drains in the settings */
    const struct changed_lease *changed; /* NULL: no lease is changed */
    const struct lease_request *asked;   /* NULL: no lease is requested */
};

/* Gather the facts; -1 with err. The caller must finish them in any case. */
int asked_facts_gather(struct asked_facts *trial, const struct planner *planner,
                       struct supposition supposed, int64_t now, struct error *err);
int asked_facts_send(struct asked_facts *trial, struct planner *planner,
                     const struct waiting *waiting, struct error *err);
void asked_facts_finish(struct asked_facts *trial);
/* The leases that make room for this one. */
struct victims question_victims(const struct planner *planner, const struct plan_reply *reply,
                                int64_t lease);

/* --- planner_try.c --- */
/* Answer the question with the error. */
void question_fails(struct waiting *waiting, const struct error *err);

/* Read the answer and pass it on. False: it is malformed, and the question stays unanswered. */
bool planner_take_trial(struct planner *planner, const struct waiting *waiting,
                        struct wire_reader *reader);
bool planner_take_operations(const struct waiting *waiting, struct wire_reader *reader);
/* Fail all pending questions. */
void planner_disappoint(struct planner *planner, const char *why);

/* --- planner_drain.c --- */
/* Answer the question of planner_try_drains() and free it. */
void planner_take_drain(struct planner *planner, const struct waiting *waiting,
                        const struct plan_reply *reply);
void planner_drop_drain(const struct waiting *waiting, const struct error *err);

/* --- planner_change.c --- */
/* Would the lease, which has no place in a trial, lose a promise? */
bool planner_loses_promise(const struct lease_record *lease);
/* Answer the question of planner_try_change() and free it. */
void planner_take_change(struct planner *planner, const struct waiting *waiting,
                         const struct plan_reply *reply);
void planner_drop_change(const struct waiting *waiting, const struct error *err);
