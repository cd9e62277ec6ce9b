/* oned.h: a stand-in for OpenNebula's daemon, for tests, demonstrations and simulation.
 *
 * The stand-in speaks the XML-RPC of OpenNebula 6.10 or 7.4 as recorded from real daemons: states,
 * capacity accounting, error texts, authentication and the shape of documents. No machine is
 * touched: an operation takes its configured time on the stand-in's own clock. In addition to one.*
 * it has methods sandbox.* that change what a real daemon's surroundings would change (hosts, time,
 * failures); they are described in galerna-sandbox(1).
 *
 * One thread uses a daemon at a time. All memory is the daemon's own. A process that needs a daemon
 * as a separate process calls fork() first and creates the daemon in the child: descriptors must
 * not be shared.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct oned;

enum oned_version { ONED_6_10, ONED_7_4 };

/* The phases of operations that take time. */
enum oned_phase {
    ONED_DISPATCH, /* between the command and its first effect */
    ONED_TRANSFER, /* PROLOG and its kin: disks to the host */
    ONED_BOOT,
    ONED_SAVE,
    ONED_RESTORE,
    ONED_SHUTDOWN,
    ONED_MIGRATE, /* live migration */
    ONED_EPILOG,  /* disks from the host */
    ONED_CLEANUP, /* recover delete and delete-recreate */
    ONED_MONITOR, /* until a new or enabled host is monitored */
    ONED_PHASES,
};

enum { ONED_NEVER = -2, ONED_INHERIT = -1 }; /* instead of a time */

struct oned_options {
    enum oned_version version;
    const char *user, *password; /* the administrator */
    const char *state;           /* SQLite file in which the pool survives; NULL: none */
    const char *faults;          /* file of faults, one a line as in sandbox.fault; NULL: none */
    int64_t hosts;               /* at first start */
    int64_t host_cpu;            /* hundredths of a processor */
    int64_t host_memory;         /* KB */
    int64_t times[ONED_PHASES];  /* ms of the daemon's clock, or ONED_NEVER */
    double clock_rate;           /* seconds of the daemon's clock in a second */
    int64_t clock_offset;        /* seconds that its clock is ahead at the start */
    bool lose_operations;        /* what was under way at a restart never ends */
    bool submit_on_hold;         /* VM_SUBMIT_ON_HOLD of oned.conf */
    const char *place;           /* 7.4: program that places pending VMs; NULL: none */
    int64_t window_time;         /* ms from the first pending VM to the call */
    int64_t window_length;       /* pending VMs that bring the call forward */
    int64_t retry_time;          /* ms after which VMs that are still pending are sent again */
    const char *hook;            /* program run when a VM or host changes its state; NULL: none */
    const char *configuration;   /* template put over the answer of one.system.config; NULL */
    uint64_t seed;               /* of UUIDs and request numbers; 0: from the system */
};

/* A daemon, with the requested hosts or the pool of options->state. The options are copied. NULL
 * when the state or fault file cannot be used. */
struct oned *oned_create(const struct oned_options *options, struct error *err);

/* End the daemon: open connections are closed, the state is safe on disk. NULL is allowed. */
void oned_destroy(struct oned *oned);

/* Listen for XML-RPC over HTTP at path /RPC2. port 0: any free one. Returns the port, or -1. */
int oned_listen(struct oned *oned, const char *address, int port, struct error *err);

/* Serves pending work: waits for at most timeout ms, answers calls, lets time pass. */
int oned_step(struct oned *oned, int timeout, struct error *err);

/* Serve until *stop is not 0 (set by a signal handler, seen within 200 ms) or something breaks. */
int oned_run(struct oned *oned, const volatile sig_atomic_t *stop, struct error *err);

/* Let time pass, then answer one call without HTTP: request and answer are XML-RPC documents.
 * The answer is freed with free(); *size is its length. Faults of the transport do not apply. */
char *oned_call(struct oned *oned, const char *request, size_t request_size, size_t *size);
