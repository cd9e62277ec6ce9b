/* protocol.h: the messages between galernad and its planner.
 *
 * The planner answers in the order of galernad's questions, but for forecasts: a forecast is made
 * in turns, so later questions may be answered before it, and a new one takes the place of one that
 * is being made. The planner can also send log lines and faults of modules at any time. The planner
 * trusts galernad, but is not trusted itself: its answers are read strictly, its places are checked
 * against the hosts that were sent, its times and numbers are bounded so that sums do not overflow,
 * and its texts have no control characters.
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
    PROTOCOL_SOCKET = 3,     /* descriptors of the planner */
    PROTOCOL_PAGE = 4,       /* struct call_page */
    PROTOCOL_TEXT_MAX = 512, /* characters of a text from the planner */
};

enum frame {
    /* To the planner. */
    FRAME_SETUP,      /* the user that the process becomes, and its policies */
    FRAME_ATTRIBUTES, /* of the hosts of the next plan and those after it; gets no answer */
    FRAME_PLAN,       /* facts, then steps */
    FRAME_TRY,        /* how many leases to forecast, a lease to trace (-1: none), then as
                         FRAME_PLAN: for a temporary engine */
    FRAME_FORECAST,   /* how many leases to forecast */
    FRAME_OPERATIONS, /* place of a host */
    /* From the planner. */
    FRAME_READY,   /* are events wanted; of each module: was it loaded, its version */
    FRAME_REFUSED, /* a module cannot be used: code, text */
    FRAME_PLANNED,
    FRAME_TRIED,
    FRAME_FORECASTED,
    FRAME_OPERATIONS_OF,
    FRAME_LOG,   /* level, text */
    FRAME_FAULT, /* module, text */
    FRAMES
};

/* --- galernad's facts ------------------------------------------------------------------------- */

/* The fallback for an adoption without a place. */
enum alternative {
    ALTERNATIVE_NONE,
    ALTERNATIVE_ANYWHERE, /* without its places */
    ALTERNATIVE_LATER,    /* with another start and duration */
};

/* One VM of an adopted lease. */
struct fact_place {
    uint32_t place; /* HOST_NONE: not known */
    bool holds;     /* the VM holds the host even if its lease has no place in the plan */
    bool relocate;  /* of a group being started: find another host for the VM */
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

/* The numbers of a node set's filter and demand among those sent before; -1: none. */
struct set_numbers {
    int32_t filter, demand;
};

/* Meaning of the numbers for the planner. */
struct set_objects {
    struct host_filter **filters;
    size_t n_filters;
    const struct vm_demand **demands;
    size_t n_demands;
};

/* numbers[i] is sent for node_sets[i].hosts and demand; NULL: none has either. */
void wire_put_request(struct wire_writer *writer, const struct lease_request *request,
                      const struct set_numbers *numbers);
/* The node sets are returned in *sets, to be freed by the caller; their filters and demands are the
 * objects', the request's texts point into the frame. objects may be NULL: none. */
void wire_get_request(struct wire_reader *reader, struct lease_request *request,
                      struct node_set **sets, const struct set_objects *objects);

void wire_put_setup(struct wire_writer *writer, const struct policy_host_settings *settings);
/* settings->modules and options are freed by the caller; texts point into the frame. */
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

/* struct engine_output as a value. */
struct plan_output {
    enum engine_output_kind kind;
    int64_t lease;
    enum lease_state state;
    bool accepted;
    int64_t other, at;
    enum preemption_how how;
    struct reason reason;
    struct plan_reservation reservation; /* of a resumption: the run that follows it */
};

/* A lease of the engine, unless it is simply running. */
struct lease_view {
    int64_t lease;
    enum lease_state state;
    struct reason reason;
    int64_t start;                   /* of its first run, planned or not; INSTANT_NONE */
    int64_t begin;                   /* when the lease is planned to run next; INSTANT_NONE */
    struct plan_reservation stretch; /* the planned one */
};

/* An adoption that could not be applied as sent. */
struct plan_exception {
    int64_t lease;
    bool no_place; /* else an error */
    struct reason reason;
};

struct plan_relocation {
    int64_t lease;
    uint32_t vm;
    uint32_t place; /* HOST_NONE: no other host has room */
};

struct plan_reply {
    char error[PROTOCOL_TEXT_MAX + 1]; /* "": success */
    int32_t failed_step;               /* the step that failed, in case of an error; -1: none */
    struct plan_exception *exceptions;
    struct plan_relocation *relocations;
    struct plan_output *outputs;
    struct lease_view *views;
    struct placed *placed;
    size_t n_exceptions, n_relocations, n_outputs, n_views;
    size_t n_placed, placed_allocated;
    int64_t next_time;
    uint64_t stamp;           /* identifies the state that a forecast would use */
    int64_t probable;         /* TRY: its start behind the whole queue */
    struct plan_trace *trace; /* NULL: none was asked for */
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

/* reply->starts is to be freed by the caller in any case. False: malformed. */
bool wire_get_forecast(struct wire_reader *reader, struct forecast_reply *reply);

struct planned_operation {
    int64_t lease; /* -1: capacity held by VMs that are not in a lease of the plan */
    int32_t vm;    /* one of these; -1: not known */
    enum reservation_kind kind;
    int64_t from, until;
    bool planned;
    bool held; /* no operation: room that is kept free for the lease, which waits for more */
    int64_t cpu, memory;
};

/* *operations is to be freed by the caller in any case. False: malformed. */
bool wire_get_operations(struct wire_reader *reader, struct planned_operation **operations,
                         size_t *n);
void wire_put_operation(struct wire_writer *writer, const struct planned_operation *operation);

/* --- progress --------------------------------------------------------------------------------- */

/* Shared memory: what the planner is doing. Only a hint, since modules can write to it. */
struct call_page {
    _Atomic uint64_t calls;  /* counted up at each call */
    _Atomic uint32_t module; /* 1 + the module's index; 0: none is being called */
    _Atomic uint32_t call;   /* enum policy_call */
    _Atomic uint32_t last;   /* as module, of the last call */
    _Atomic int32_t syscall; /* the call that ended the process; -1: none */
    /* For each of the first 64 modules: */
    _Atomic int64_t grown[64];   /* bytes allocated in its calls */
    _Atomic uint64_t called[64]; /* how often it was called */
    _Atomic uint64_t spent[64];  /* ns in its calls */
};
