/* decision_trace.h: the steps of the decision about one lease, as reported by the planner process.
 *
 * A tracer (tracer.h) fills it during a plan whose outputs are discarded. The size is fixed:
 * entries that do not fit are counted.
 */
#pragma once

#include <stdint.h>

#include "core/site.h"
#include "planner/wire.h"
#include "plugin/policy_host.h"

enum {
    TRACE_CALLS = 100, /* questions kept */
    TRACE_HOSTS = 20,  /* hosts named per finding */
};

/* A question to the policies about the lease, and their answer. */
struct traced_call {
    enum policy_call question;
    int64_t about;  /* the time in question; INSTANT_NONE: none */
    int64_t asked;  /* number of hosts, leases or VMs in question */
    int64_t taken;  /* of these: not vetoed, chosen, or with another host than now */
    int64_t best;   /* the best host's place, or the best lease; -1: none */
    int64_t answer; /* admitted or may preempt: 0, 1; an estimate: milliseconds; -1: none */
    int64_t spent;  /* nanoseconds */
};

/* Causes that keep a VM of the lease from a host; with the last two, none does. */
enum host_finding {
    FINDING_CLOSED,      /* takes no VMs, or none then because of a drain */
    FINDING_NOT_ALLOWED, /* by the requirements of the VMs */
    FINDING_TOO_SMALL,   /* even when empty */
    FINDING_NO_CPU,      /* too little is free */
    FINDING_NO_MEMORY,
    FINDING_NOT_MET, /* a demand beyond amounts (demand.h) */
    FINDING_SHORT,   /* free, but not for the whole duration */
    FINDING_VETOED,  /* by the host selection */
    FINDING_FITS,
    FINDING_PLANNED, /* the lease is planned here */
    FINDINGS
};

struct found_hosts {
    int64_t n;
    uint32_t places[TRACE_HOSTS]; /* the first of these hosts */
};

struct plan_trace {
    struct traced_call calls[TRACE_CALLS];
    int64_t n_calls;    /* number of entries in calls */
    int64_t n_left_out; /* further questions */
    int64_t at;         /* the hosts are as planned for this time; INSTANT_NONE: the lease is not
                           in the plan */
    struct found_hosts hosts[FINDINGS];
};

void wire_put_trace(struct wire_writer *writer, const struct plan_trace *trace);
/* The caller frees the result. A malformed trace makes the reader fail. */
struct plan_trace *wire_get_trace(struct wire_reader *reader, uint32_t n_hosts);
