/* protocol.h: what galernad and its planner say to each other.
 *
 * galernad asks, the planner answers in the same order; besides, the planner tells log lines and
 * faults of modules at any time. galernad is trusted by the planner, the planner by nobody: what it
 * answers is read strictly, its places are checked against the hosts that were sent, its times and
 * numbers are bounded so that sums of them do not overflow, and its texts have no control
 * characters.
 */
#ifndef GALERNA_PLANNER_PROTOCOL_H
#define GALERNA_PLANNER_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/adoption.h"
#include "core/engine.h"
#include "core/plan.h"
#include "planner/wire.h"
#include "plugin/policy_host.h"

enum {
    PROTOCOL_SOCKET = 3,     /* descriptors of the planner */
    PROTOCOL_PAGE = 4,       /* struct call_page */
    PROTOCOL_TEXT_MAX = 512, /* characters of a text from the planner */
};

enum frame {
    /* To the planner. */
    FRAME_SETUP = 1,  /* policies */
    FRAME_PLAN,       /* facts, then steps */
    FRAME_TRY,        /* the same, on an engine of its own that is thrown away */
    FRAME_FORECAST,   /* how many leases */
    FRAME_OPERATIONS, /* place of a host */
    /* From the planner. */
    FRAME_READY,   /* modules */
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

/* Of adoptions that there is no place for: what is tried then. */
enum alternative {
    ALTERNATIVE_NONE,
    ALTERNATIVE_ANYWHERE, /* without its places */
    ALTERNATIVE_LATER,    /* with another start and duration */
};

/* One VM of an adopted lease. */
struct fact_place {
    uint32_t place; /* HOST_NONE: not known */
    bool holds;     /* it holds that host also when its lease has no place in the plan */
    bool relocate;  /* of a group that is being started: find another host for it */
    int32_t filter; /* relocate: the hosts that it may have; -1: all */
};

/* An adoption; the request follows. */
struct fact_adoption {
    struct adoption adoption; /* without request and vm_host */
    bool has_places;
    enum alternative alternative;
    int64_t start, duration; /* LATER */
};

extern const struct wire_field fact_adoption_fields[];
extern const size_t n_fact_adoption_fields;

/* A request that only keeps the room of one VM that runs: for ever, whatever comes. */
struct lease_request block_request(int64_t id, int64_t now, struct node_set *nodes);

/* node_sets[i].hosts is sent as filters[i], -1 for NULL. */
void wire_put_request(struct wire_writer *writer, const struct lease_request *request,
                      const int32_t *filters);
/* The node sets go to *sets, which the caller frees; their filters to sets[i].hosts, which points
 * into the array of filters. */
void wire_get_request(struct wire_reader *reader, struct lease_request *request,
                      struct node_set **sets, const struct host_filter *const *filters,
                      size_t n_filters);

void wire_put_setup(struct wire_writer *writer, const struct policy_host_settings *settings);
/* settings->modules and options are the caller's to free; texts point into the frame. */
void wire_get_setup(struct wire_reader *reader, struct policy_host_settings *settings);

/* --- the planner's outputs -------------------------------------------------------------------- */

struct placed {
    uint32_t vm, host;
};

struct plan_reservation {
    bool there;
    enum reservation_kind kind;
    int64_t from, until;
    uint32_t n_hosts, first_host;
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
    struct plan_reservation reservation; /* of a resumption: the stretch that follows it */
};

/* A lease of the engine that is not simply running. */
struct lease_view {
    int64_t lease;
    enum lease_state state;
    struct reason reason;
    int64_t start;                   /* of its first stretch, planned or not; INSTANT_NONE */
    int64_t begin;                   /* of what is planned next for it to run; INSTANT_NONE */
    struct plan_reservation stretch; /* the one that is planned */
};

/* An adoption that was not taken as it was. */
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
    char error[PROTOCOL_TEXT_MAX + 1]; /* "": it was made */
    int32_t failed_step;               /* of an error: the step that failed; -1: none */
    struct plan_exception *exceptions;
    struct plan_relocation *relocations;
    struct plan_output *outputs;
    struct lease_view *views;
    struct placed *placed;
    size_t n_exceptions, n_relocations, n_outputs, n_views;
    size_t relocations_allocated;
    size_t n_placed, placed_allocated;
    int64_t next_time;
    uint64_t stamp;   /* of what a forecast would go by */
    int64_t probable; /* TRY: start after all others of the queue */
};

void plan_reply_finish(struct plan_reply *reply);
/* Texts point into the frame. False: it is malformed. */
bool wire_get_plan_reply(struct wire_reader *reader, uint32_t n_hosts, struct plan_reply *reply);

void wire_put_reason(struct wire_writer *writer, const struct reason *reason);
void wire_put_output(struct wire_writer *writer, const struct engine_output *output);
void wire_put_view(struct wire_writer *writer, const struct lease *lease);

struct forecast_start {
    int64_t lease, start;
};

struct forecast_reply {
    struct forecast_start *starts;
    size_t n;
    uint64_t left_out;
    int64_t cpu_us;
};

bool wire_get_forecast(struct wire_reader *reader, struct forecast_reply *reply);

struct planned_operation {
    int64_t lease;
    enum reservation_kind kind;
    int64_t from, until;
    bool planned;
    int64_t cpu, memory;
};

/* *operations is freed by the caller. */
bool wire_get_operations(struct wire_reader *reader, struct planned_operation **operations,
                         size_t *n);
void wire_put_operation(struct wire_writer *writer, const struct planned_operation *operation);

/* --- while it works --------------------------------------------------------------------------- */

/* Shared memory: what the planner does at the moment. A module can write to it as well: a hint. */
struct call_page {
    _Atomic uint64_t calls;    /* counted up at each call */
    _Atomic uint32_t module;   /* 1 + its place among the modules; 0: none is called */
    _Atomic uint32_t call;     /* enum policy_call */
    _Atomic uint32_t last;     /* as module, of the last call */
    _Atomic int32_t syscall;   /* that it was ended for; -1: none */
    _Atomic int64_t grown[64]; /* bytes of memory that calls of each module (the first 64) took */
};

#endif
