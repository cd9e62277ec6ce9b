/* simulation.h: galernad and the stand-in for OpenNebula in one process, under virtual time.
 *
 * A seed decides on everything: what users request and when, what fails, when galernad is killed,
 * and with which store the next one starts. The daemon is the product's; in place of its transport
 * of calls, its planner process and the clocks there are those of this folder. What is wrong is
 * noted while it happens.
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sandbox/pools.h"
#include "test/support/random.h"

enum {
    SITE_HOSTS = 3,
    SITE_CPU = 800,            /* hundredths */
    SITE_MEMORY = 8192 * 1024, /* KB */
    REQUESTS_MAX = 30,
    MIXED_MAX = 16, /* requests of all kinds */
    MEMBERS_MAX = 3,
    CRASHES_MAX = 4,
    DEPOSITIONS_MAX = 3,
    SITE_VMS = 64,
    POLL_INTERVAL = 5,       /* seconds */
    BUSY_UNTIL = 100 * 1000, /* milliseconds of a simulation in which things go wrong */
    OVER_AFTER = 900 * 1000, /* then all must be over */
};

/* --- what users request ------------------------------------------------------------------------
 */

enum request_kind {
    REQUEST_PLAIN,    /* no attribute: runs until its user ends it */
    REQUEST_BEST,     /* best-effort, preemptable */
    REQUEST_QUEUED,   /* best-effort, as large as a host: their order is the queue's */
    REQUEST_RESERVED, /* at an exact time */
    REQUEST_NOW,
    REQUEST_GROUP,
    REQUEST_DEADLINE,
    REQUEST_KINDS
};

struct member {
    int vm;                    /* -1: not requested yet */
    int64_t at;                /* milliseconds from the beginning */
    int64_t first_run, ended;  /* the same; -1: not seen */
    int64_t running_since;     /* the same; -1: it does not run */
    int64_t ran;               /* milliseconds, without booting, saving and shutting down */
    int64_t told;              /* when it was first shown to galernad; -1: not yet */
    int64_t begun, ran_before; /* the last command to start or resume it, and `ran` then */
    bool was_held;
    bool disturbed; /* by its user, or by a failure */
};

struct request {
    enum request_kind kind;
    int64_t cpu;                       /* hundredths */
    int64_t duration, ahead, deadline; /* seconds */
    size_t n_members;
    struct member members[MEMBERS_MAX];
    int64_t promised;        /* milliseconds: the start that was asked for; -1 */
    bool accepted;           /* its VM showed that its start is promised */
    bool late;               /* and that it is late */
    bool waits;              /* or that a VM of its starting group waits for room */
    int64_t suspend, resume; /* milliseconds: its user's; -1: none */
    int64_t end;             /* when its user ends it; -1 */
};

/* --- what goes wrong ---------------------------------------------------------------------------
 */

enum call_fate {
    CALL_DONE,
    CALL_NOT_SENT,
    CALL_LOST,       /* oned never saw it */
    CALL_UNANSWERED, /* carried out, but the answer is lost */
    CALL_LATE,       /* the answer comes late, or too late */
    CALL_TWICE,      /* carried out twice */
};

enum crash_kind { CRASH_BEFORE_WRITE, CRASH_AFTER_WRITE, CRASH_AT_POINT, CRASH_ANY_TIME, STOPS };
enum next_store { STORE_SAME, STORE_EMPTY, STORE_OLDER };

struct crash {
    enum crash_kind kind;
    int64_t from; /* milliseconds: not before */
    int count;    /* points or writes to pass since then */
    enum next_store next;
    int64_t away; /* milliseconds until the next galernad starts */
};

/* Its oned loses the leadership of the zone, and leads again later. */
struct deposition {
    int64_t from; /* milliseconds: not before */
    int count;    /* writes to pass since then; -1: it is over */
    int64_t away; /* milliseconds until it leads again */
};

/* --- a simulation ------------------------------------------------------------------------------
 */

struct simulation {
    uint64_t seed;
    FILE *trace;   /* NULL: none */
    bool is_tight; /* preemptable leases and reservations only, and nothing fails */
    int64_t began; /* milliseconds since 1970 */
    struct oned *oned;
    char directory[64]; /* everything on disk */

    struct random requests_random, calls_random;
    struct request requests[REQUESTS_MAX];
    size_t n_requests;

    bool calls_fail, calls_are_slow, plans_are_slow, boots_fail;
    int64_t host_breaks, host_repaired; /* milliseconds; -1: never */
    struct crash crashes[CRASHES_MAX];
    size_t n_crashes, crash; /* the next one */
    struct deposition depositions[DEPOSITIONS_MAX];
    size_t n_depositions;               /* 0: the zone has one front-end */
    int64_t deposed_since, leads_again; /* milliseconds; -1: it leads */

    int lives;
    bool has_older; /* a copy of a store */
    bool is_alive;
    jmp_buf end_of_life;
    /* When no galernad acted: from its end until the next one has read OpenNebula. */
    struct {
        int64_t from, until;
    } away[CRASHES_MAX + DEPOSITIONS_MAX + 2];
    size_t n_away;

    uint64_t digest; /* of all that happened */
    size_t n_calls, n_writes, n_violations;
};

/* The only one in this process. */
struct simulation *simulation(void);
/* Milliseconds from the beginning. */
int64_t simulation_now(void);
/* A line of the trace, which is part of the digest. */
void simulation_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void simulation_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lets time pass until `instant` (milliseconds from the beginning) at most: the site works, users
 * act, and what they see is judged. Does not return when the life of this galernad ends. */
void simulation_pass(int64_t instant);
bool simulation_is_over(void);

/* --- disturbance.c --- */
void disturbance_plan(struct simulation *simulation);
bool disturbance_is_write(const char *method);
enum call_fate disturbance_fate(const char *method);
int64_t disturbance_latency(void);        /* milliseconds to or from oned */
void disturbance_at_write(bool is_after); /* may end the life */
void disturbance_of_site(void);           /* hosts break and are repaired; a life ends */

/* --- requests.c --- */
void requests_plan(struct simulation *simulation);
void requests_act(void); /* what users do until now */
bool requests_are_over(void);

/* --- judge.c --- */
void judge_site(void);
struct judged_call {
    const char *method, *body, *answer;
    size_t length, size; /* of the body, of the answer */
};
void judge_call(const struct judged_call *call);
void judge_end(void);

/* --- lives.c --- */
/* Runs galernad until it is killed, stops, or the simulation is over. */
void life_run(void);
void life_end(const char *why) __attribute__((noreturn));
/* galernad has read OpenNebula. */
void life_has_read(void);
/* It does not act until then, in milliseconds. False: it does not act yet. */
bool life_is_deposed(int64_t until);

/* --- transport.c --- */
/* What is on its way when galernad is killed arrives, or not. */
void transport_forget(void);
