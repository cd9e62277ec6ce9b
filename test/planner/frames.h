/* frames.h: plans for tests, as bytes. */
#pragma once

#include "planner/protocol.h"

/* A plan that builds an engine of n_hosts hosts of 4 CPUs and asks for n_leases leases of one VM of
 * that much CPU for 100 s, with ids from `first` on. */
struct test_plan {
    int n_hosts, n_leases;
    int64_t first, now, cpu;
    enum lease_kind kind;
    int n_events;         /* leases that were requested before; as many are told of */
    bool looks_for_moves; /* for leases that run, after 11 s */
    bool is_ranked;       /* any host but the last one, higher places first */
    bool goes_on;         /* a step of the engine that there is: without hosts and settings */
};

void test_plan_write(struct wire_writer *frame, const struct test_plan *plan);
