/* protocol.h: the messages between galernad and its planner.
 *
 * The planner answers in the order of galernad's questions, except for forecasts: they are made in
 * turns, so later questions may be answered first, and a new forecast replaces one in progress. The
 * planner can also send log lines and faults of modules at any time. The planner trusts galernad,
 * but galernad does not trust the planner: it reads answers strictly, checks places against the
 * hosts sent, bounds times and numbers so that sums do not overflow, and removes control characters
 * from texts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/adoption.h"
#include "core/engine.h"
#include "core/lease_plan.h"
#include "planner/decision_trace.h"
#include "planner/wire.h"
#include "plugin/policy_host.h"

enum {
    PROTOCOL_SOCKET = 3,     /* the planner's descriptors */
    PROTOCOL_PAGE = 4,       /* struct call_page */
    PROTOCOL_TEXT_MAX = 512, /* characters of a text from the planner */
};

enum { PROTOCOL_EXIT = 3 }; /* the planner's exit status if it cannot read what galernad sends */

enum frame {
    /* To the planner. */
    FRAME_SETUP,      /* protocol_version(), the user of the process, and its policies */
    FRAME_ATTRIBUTES, /* of the hosts, for the next plans; gets no answer */
    FRAME_PLAN,       /* facts, then steps */
    FRAME_TRY,        /* how many leases to forecast, the lease to trace (-1: none), then as
                         FRAME_PLAN: for a temporary engine */
    FRAME_FORECAST,   /* how many leases to forecast */
    FRAME_OPERATIONS, /* place of a host */
    /* From the planner. */
    FRAME_OTHER_VERSION = 64, /* the setup is of another version: 0, the planner's version. The
                                 number and form of this frame, and of FRAME_SETUP as far as the
                                 version, stay the same in all versions */
    FRAME_READY,              /* whether modules want events */
    FRAME_REFUSED,            /* a module cannot be used: code, text */
    FRAME_PLANNED,
    FRAME_TRIED,
    FRAME_FORECASTED,
    FRAME_OPERATIONS_OF,
    FRAME_LOG,   /* level, 1 + the module that was last called (0: none), text */
    FRAME_FAULT, /* module, number of invalid answers, the last one's fault */
    FRAMES
};

/* --- galernad's facts ------------------------------------------------------------------------- */

/* The beginning of each input of a step. */
enum step_input {
    STEP_REQUEST, /* then the request */
    STEP_CANCEL,  /* then the lease */
    STEP_UNSENT,  /* then the lease, as INPUT_UNSENT (core/engine.h) */
    STEP_INPUTS
};

/* The fallback for an adoption that finds no room at its place. */
enum alternative {
    ALTERNATIVE_NONE,
    ALTERNATIVE_ANYWHERE, /* without its places */
    ALTERNATIVE_LATER,    /* with another start and duration */
};

/* One VM of an adopted lease. */
struct fact_place {
    uint32_t place; /* HOST_NONE: not known */
    bool holds;     /* the VM holds the host even if its lease has no place in the plan */
    bool relocate;  /* in a group being started: find another host for the VM */
    int32_t filter; /* relocate: the hosts that the VM may use; -1: all */
};

/* Flags of a place. */
enum { PLACE_HOLDS = 1, PLACE_RELOCATE = 2, PLACE_HAS_UNITS = 4 /* struct vm_units follows */ };

/* An adoption; the request follows. */
struct fact_adoption {
    struct adoption adoption; /* without request and vm_host */
    bool has_places;
    enum alternative alternative;
    int64_t start, duration; /* LATER */
};

extern const struct wire_field fact_adoption_fields[];
extern const size_t n_fact_adoption_fields;

/* A request that only reserves the capacity of one running VM, without end. */
struct lease_request block_request(int64_t id, int64_t now, struct node_set *nodes);

/* The numbers of a node set's filter and demand, sent before; -1: none. */
struct set_numbers {
    int32_t filter, demand;
};

/* The objects behind these numbers, in the planner. */
struct set_objects {
    struct host_filter **filters;
    size_t n_filters;
    const struct vm_demand **demands;
    size_t n_demands;
};

/* numbers[i] belongs to node_sets[i].hosts and demand; NULL: no set has either. */
void wire_put_request(struct wire_writer *writer, const struct lease_request *request,
                      const struct set_numbers *numbers);
/* The caller frees *sets, the node sets; their filters and demands belong to `objects`, and the
 * request's texts point into the frame. objects: NULL: none. */
void wire_get_request(struct wire_reader *reader, struct lease_request *request,
                      struct node_set **sets, const struct set_objects *objects);

/* Version of Galerna, and sizes of the structures that are sent or shared as they are in memory:
 * only equal ones understand each other. */
const char *protocol_version(void);

void wire_put_setup(struct wire_writer *writer, const struct policy_host_settings *settings);
/* The caller frees settings->modules and options; texts point into the frame. */
void wire_get_setup(struct wire_reader *reader, struct policy_host_settings *settings);

/* --- the planner's outputs -------------------------------------------------------------------- */

struct placed {
    uint32_t vm, host;
};

struct plan_reservation {
    bool there;
    enum reservation_kind kind;
    int64_t from, until;
    const struct placed *vms;
    size_t n_vms;
};

/* struct engine_output by value. */
struct plan_output {
    enum engine_output_kind kind;
    int64_t lease;
    enum lease_state state;
    bool accepted;
    int64_t other;
    int64_t at; /* of operations and intervals: when the suspension planned after the run has ended;
                   INSTANT_NONE: none is planned */
    enum preemption_how how;
    struct reason reason;
    struct plan_reservation reservation; /* for a resumption: the run after it */
};

/* A lease of the engine, unless it is simply running. */
struct lease_view {
    int64_t lease;
    enum lease_state state;
    struct reason reason;
    int64_t start;                   /* of the lease's first run, planned or past; INSTANT_NONE */
    int64_t begin;                   /* of the next planned run; INSTANT_NONE */
    struct plan_reservation stretch; /* the planned stretch */
};

/* An adoption that could not be applied as sent. */
struct plan_exception {
    int64_t lease;
    bool no_place; /* false: an error */
    struct reason reason;
};

struct plan_relocation {
    int64_t lease;
    uint32_t vm;
    uint32_t place; /* HOST_NONE: no other host has room */
};

struct plan_reply {
    char error[PROTOCOL_TEXT_MAX + 1]; /* "": success */
    int32_t failed_step;               /* on an error, the step that failed; -1: none */
    struct plan_exception *exceptions;
    struct plan_relocation *relocations;
    struct plan_output *outputs;
    struct lease_view *views;
    struct placed *placed;
    size_t n_exceptions, n_relocations, n_outputs, n_views;
    size_t n_placed, placed_allocated;
    int64_t next_time;
    uint64_t stamp;           /* identifies the state that a forecast would use */
    int64_t probable;         /* TRY: the estimated start behind the whole queue */
    struct plan_trace *trace; /* NULL: not requested */
};

void plan_reply_finish(struct plan_reply *reply);
/* Texts point into the frame. False: malformed. */
bool wire_get_plan_reply(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply);

void wire_put_reason(struct wire_writer *writer, const struct reason *reason);
/* host_of: by place, as in struct plan. */
void wire_put_output(struct wire_writer *writer, const struct engine_output *output,
                     const uint32_t *host_of);
void wire_put_view(struct wire_writer *writer, const struct lease *lease, const uint32_t *host_of);

struct forecast_start {
    int64_t lease, start;
};

struct forecast_reply {
    struct forecast_start *starts;
    size_t n;
    uint64_t left_out;
    int64_t cpu_us;
};

/* The caller frees reply->starts in any case. False: malformed. */
bool wire_get_forecast(struct wire_reader *reader, struct forecast_reply *reply);

struct planned_operation {
    int64_t lease; /* -1: capacity held by VMs that are not in a lease of the plan */
    int32_t vm;    /* a VM of the lease; -1: unknown */
    enum reservation_kind kind;
    int64_t from, until;
    bool planned;
    bool held; /* not an operation: room kept free for the lease, which waits for more */
    int64_t cpu, memory;
};

/* The caller frees *operations in any case. False: malformed. */
bool wire_get_operations(struct wire_reader *reader, struct planned_operation **operations,
                         size_t *n);
void wire_put_operation(struct wire_writer *writer, const struct planned_operation *operation);

/* --- progress --------------------------------------------------------------------------------- */

/* Shared memory: the planner's current activity. Only a hint, since modules can write to it. */
struct call_page {
    _Atomic uint64_t calls;  /* number of calls so far */
    _Atomic uint32_t module; /* 1 + the module's index; 0: no call is in progress */
    _Atomic uint32_t call;   /* enum policy_call */
    _Atomic uint32_t last;   /* as `module`, for the last call */
    _Atomic int32_t syscall; /* the call that ended the process; -1: none */
    /* For each of the first 64 modules: */
    _Atomic int64_t grown[64];   /* bytes allocated in its calls */
    _Atomic uint64_t called[64]; /* how often it was called */
    _Atomic uint64_t spent[64];  /* ns in its calls */
};
