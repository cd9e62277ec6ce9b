/* decision_trace.h: what the decision about one lease consisted of, as the planner process tells
 * it.
 *
 * Made by a tracer (tracer.h) in a plan whose outputs are thrown away. Of a fixed size: what does
 * not fit is counted.
 */
#pragma once

#include <stdint.h>

#include "core/site.h"
#include "planner/wire.h"
#include "plugin/policy_host.h"

enum {
    TRACE_CALLS = 100, /* questions that are kept */
    TRACE_HOSTS = 20,  /* hosts that are named for each finding */
};

/* A question to the policies about the lease, and their answer. */
struct traced_call {
    enum policy_call question;
    int64_t about;  /* the time that is asked about; INSTANT_NONE: none */
    int64_t asked;  /* hosts, leases or VMs asked about */
    int64_t taken;  /* of these: not vetoed, chosen, on other hosts than now */
    int64_t best;   /* the host's place, or the lease; -1: none */
    int64_t answer; /* admitted or may preempt: 0, 1; an estimate: milliseconds; -1: none */
    int64_t spent;  /* nanoseconds */
};

/* Causes that keep a VM of the lease from a host; the last ones do not. */
enum host_finding {
    FINDING_CLOSED,      /* it takes no VMs, or none then: it is drained */
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
    uint32_t places[TRACE_HOSTS]; /* of the first of them */
};

struct plan_trace {
    struct traced_call calls[TRACE_CALLS];
    int64_t n_calls;    /* in calls */
    int64_t n_left_out; /* further questions */
    int64_t at;         /* hosts are as planned for then; INSTANT_NONE: the lease is not there */
    struct found_hosts hosts[FINDINGS];
};

void wire_put_trace(struct wire_writer *writer, const struct plan_trace *trace);
/* To be freed. The reader has failed when it is malformed. */
struct plan_trace *wire_get_trace(struct wire_reader *reader, uint32_t n_hosts);
