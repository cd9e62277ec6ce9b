/* scenario.h: a small site, a few leases, and what became of them, one line each.
 *
 * A scenario drives an engine as a driver does: it steps whenever something is planned, and at the
 * times at which the test says that something happens. After every step it checks what must always
 * hold: the slot table has exactly what the leases' reservations say, no host is over capacity, no
 * finished lease holds anything, and every change of state is one of Haizea's table.
 *
 *     scenario_begin(&s, 2);           two hosts of 100 CPU and 1024 MB
 *     best_effort(&s, 1, 2, 100);      lease 1: two whole hosts for 100 s, asked for now
 *     at(&s, 40);
 *     cancel(&s, 1);
 *     assert_string_equal(states_of(&s, 1), "0 Pending Queued ... | 40 Cancelled");
 *     expect_nothing_left(&s);
 *     scenario_end(&s);
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/adoption.h"
#include "core/engine.h"
#include "core/host_filter.h"

enum {
    SCENARIO_INPUTS = 64,
    SCENARIO_SETS = 4,
    SCENARIO_ANSWER = 8192,
    SCENARIO_CPU = 100,
    SCENARIO_MEMORY = 1024
};

/* What is asked for; what is 0 has a usual value. */
struct ask {
    int64_t id;
    enum lease_kind kind;
    uint32_t vms;        /* 0: 1 */
    int64_t cpu, memory; /* of each VM; 0: a whole host */
    int64_t disk;
    int64_t start; /* 0: none (a reservation: time 0) */
    int64_t duration;
    int64_t deadline; /* 0: none */
    bool non_preemptable;
    const char *terms; /* instead of that: the word for them */
    int32_t priority;
    int64_t user, group;             /* user 0: unknown */
    const struct host_filter *hosts; /* of each VM, where sets are not given */
    const struct vm_demand *demand;  /* the same */
    int64_t submit;                  /* 0: now */
    const char *image;
    int64_t image_size;
    const struct node_set *sets; /* instead of vms, cpu and memory */
    size_t n_sets;
};

struct scenario {
    struct site site;
    struct engine_settings settings; /* to be changed before the first request */
    struct policy_hooks policies;
    struct engine *engine; /* NULL before the first step */
    struct engine_outputs outputs;
    int64_t now;
    uint32_t seed; /* of a random scenario, named when it fails */

    struct engine_input inputs[SCENARIO_INPUTS];
    struct lease_request requests[SCENARIO_INPUTS];
    struct node_set sets[SCENARIO_INPUTS][SCENARIO_SETS];
    size_t n_inputs;
    bool stepped; /* at `now` */

    FILE *log; /* every output, one line each */
    char *log_text;
    size_t log_length;
    bool unchecked; /* leave the checks after each step out: many leases */
    char answer[SCENARIO_ANSWER];
};

/* Hosts of 100 CPU and 1024 MB, so that suspending a VM of a whole host takes 32 s at 32 MB/s;
 * Haizea's default settings in the default mode; nobody is preempted. */
void scenario_begin(struct scenario *s, size_t n_hosts);
void scenario_end(struct scenario *s);
/* Everything as Haizea 1.0 does it. */
void as_haizea(struct scenario *s);
/* Reservations and deadline leases preempt best-effort leases but the non-preemptable ones, the
 * largest id first. */
void reservations_preempt(struct scenario *s);
/* More hosts, of another size. */
void add_hosts(struct scenario *s, size_t n_hosts, int64_t cpu, int64_t memory);

/* Requests, delivered with what else happens at the present time. */
void ask(struct scenario *s, struct ask what);
void best_effort(struct scenario *s, int64_t id, uint32_t vms, int64_t duration);
void immediate(struct scenario *s, int64_t id, uint32_t vms, int64_t duration);
void reservation(struct scenario *s, int64_t id, uint32_t vms, int64_t start, int64_t duration);
void deadline_lease(struct scenario *s, int64_t id, uint32_t vms, int64_t duration,
                    int64_t deadline);
void cancel(struct scenario *s, int64_t id);
/* The VMs of the lease ended by themselves. */
void ends(struct scenario *s, int64_t id);
/* The VMs of the lease have not been started, though it is active in the engine. */
void is_unsent(struct scenario *s, int64_t id);

/* Before the first step: the lease is there already; how.request is made from `what`. The engine
 * begins at the present time. Returns what engine_adopt() does; fails the test at -1. */
int adopt(struct scenario *s, struct ask what, struct adoption how);
/* The same; what was wrong, or NULL. Valid until the next call. */
const char *adoption_error(struct scenario *s, struct ask what, struct adoption how);

/* Time comes to `time`; what is planned for that instant happens with what is asked for there. */
void at(struct scenario *s, int64_t time);
/* Everything asked for or planned until now has happened. */
void settle(struct scenario *s);
/* Until nothing is planned any more; a lease that waits forever is left waiting. */
void run_to_end(struct scenario *s);

const struct lease *lease_of(struct scenario *s, int64_t id);
enum lease_state state_of(struct scenario *s, int64_t id);
/* "0 Pending Queued Scheduled Ready Active | 100 Done" */
const char *states_of(struct scenario *s, int64_t id);
/* "VM 0-68 on 1,2; SUSPEND 68-100 on 1" (hosts by id, each once, in the order of use) */
const char *plan_of(struct scenario *s, int64_t id);
/* "too-big: refused: asks for 3 VMs, ..." with times in seconds */
const char *reason_of(struct scenario *s, int64_t id);
/* "10: 1 for 2 at 50 suspend; ..." of the whole run */
const char *preemptions(struct scenario *s);
/* Every output so far as text. */
const char *log_of(struct scenario *s);
/* Nothing planned, queued, or held; every amount is free forever. */
void expect_nothing_left(struct scenario *s);
