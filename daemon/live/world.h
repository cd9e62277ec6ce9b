/* world.h: OpenNebula as last seen.
 *
 * A poll asks oned for what may have changed; when all answers are in, the picture is complete and
 * the daemon reconciles its store with it. Each VM's observed carries the time at which the
 * question was sent: what was asked before a command says nothing about the command's effect.
 */
#ifndef GALERNA_DAEMON_WORLD_H
#define GALERNA_DAEMON_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"

struct world; /* opaque */

/* A VM as last seen. */
struct vm_observation {
    int32_t id;
    enum vm_state state;
    const char *state_name; /* the cloud's */
    int64_t asked;          /* monotonic milliseconds: when the question was sent */
    int64_t since;          /* the same, of the first that showed it in this state */
    bool present;           /* oned has it, and it is not DONE */
    bool resched, locked;
    int64_t cpu, memory; /* 1/100, MB: a user may resize it */
    struct vm_history history;
    bool has_times; /* the history's times belong to what is seen: the short form has none */
    int64_t created;
    int64_t ran_for;   /* seconds of the closed history records in the fullest document seen... */
    int32_t n_records; /* ... which had that many records */
    bool full_seen;    /* its extended form has been read at least once */
    int missing;       /* full listings in a row that did not have it */
    char *error;       /* while it has failed: what its driver said; NULL: nothing */
    const struct vm *full; /* its extended form; NULL: dropped or never read */
};

/* Pools that planners keep using while newer ones come in. */
struct hosts_seen {
    int references;
    uint64_t number; /* each picture has another one */
    struct host_pool pool;
};

struct site_seen {
    int references;
    struct datastore_pool datastores;
    struct cluster_pool clusters;
    struct user_pool users;
    struct acl acl;
};

enum poll_kind {
    POLL_NOTICE, /* only what waits: after a wake-up */
    POLL_FULL,   /* every VM in short form, what waits in full, hosts */
};

struct world_settings {
    struct cloud *cloud;
    int64_t site_interval; /* milliseconds between looks at datastores, clusters, users, rules */
    bool check_leader;
};

/* Told when a poll is over: ok false when something could not be read (error says what; the picture
 * is as before but for what did come in). */
typedef void world_polled(void *context, enum poll_kind kind, bool ok, const char *error);

struct world *world_create(const struct world_settings *settings, world_polled *polled,
                           void *context);
void world_destroy(struct world *world); /* NULL is allowed */

/* Begin a poll; while one is under way the spec is remembered and begins afterwards. A notice does
 * not wait for a poll of everything: what waits is looked at beside it, and `polled` told. */
void world_poll(struct world *world, enum poll_kind kind);
bool world_polling(const struct world *world);

/* Look at some VMs at once; `seen` is called when the answer is in or failed. One look at a time.
 */
void world_look(struct world *world, const int32_t *ids, size_t n,
                void (*seen)(void *context, bool ok), void *context);

/* Read the whole history of a VM : fills ran_for for all records. */
void world_read_history(struct world *world, int32_t id);

/* The VMs besides the pending ones whose extended form later polls are to bring (stopped ones to be
 * placed again). Replaces the former list. */
void world_want_full(struct world *world, const int32_t *ids, size_t n);

/* What the extended forms say has been taken in: those of VMs that run and are not wanted are
 * freed, an answer as a whole. All others stay until the next poll. O(forms x wanted). */
void world_drop_forms(struct world *world);

/* NULL: never seen. O(1). */
const struct vm_observation *world_vm(const struct world *world, int32_t id);
/* All that were ever seen and not dropped, in no order: start with *cursor 0 until NULL. */
const struct vm_observation *world_next(const struct world *world, size_t *cursor);
/* A VM that is gone and whose lease is finished need not be remembered. */
void world_drop(struct world *world, int32_t id);

/* Room on a system datastore that a VM was sent to, and that OpenNebula's figures, measured every
 * few minutes, may not show as taken yet. */
struct room_promise {
    int32_t vm, datastore, host;
    int64_t amount;   /* MB */
    int64_t reported; /* free then, as measured */
    int64_t at;       /* monotonic milliseconds */
};

/* Remember a promise (vm, datastore, host, amount are given); a former one of the VM is replaced.
 * It is forgotten when the VM has gone or is elsewhere, when its disks are there and the datastore
 * has been measured again, or after 15 minutes. Amounts of 0 are not kept. O(promises). */
void world_promise(struct world *world, const struct room_promise *promise);
/* Those that count, in no order. */
const struct room_promise *world_promises(const struct world *world, size_t *n);

/* NULL before the first full poll. Retain what is kept over a poll. */
struct hosts_seen *world_hosts(const struct world *world);
struct site_seen *world_site(const struct world *world);
struct hosts_seen *hosts_retain(struct hosts_seen *hosts);
void hosts_release(struct hosts_seen *hosts); /* NULL is allowed */
struct site_seen *site_retain(struct site_seen *site);
void site_release(struct site_seen *site); /* NULL is allowed */

/* Room on a host for VMs that the cloud lists there and that could never be read: what its own
 * figures count beyond the VMs that were. False: there are none. O(VMs on the host). */
struct unread_room {
    int32_t vm; /* one of them */
    int64_t cpu, memory;
};
bool world_unread(const struct world *world, const struct host *host, struct unread_room *room);
/* Another number when other room is held so, on whatever host. */
uint64_t world_unread_digest(const struct world *world);

/* May the oned we talk to be acted on? As of the last poll. */
bool world_leads(const struct world *world);
/* Ask now; `told` is called when the answer is in (no answer: it does not lead). */
void world_check_leader(struct world *world, void (*told)(void *context), void *context);
/* Monotonic milliseconds of the last question that was answered. */
int64_t world_leader_checked(const struct world *world);
const char *world_raft_state(const struct world *world);

/* Does this VM use CPU and memory of its host now, as a hypervisor sees it? Booting and saving
 * count; suspended, stopped, failed to boot and cleaning up do not. */
bool observed_uses_host(const struct vm_observation *observed);
/* Does oned count its capacity on the host (suspended and powered off included)? */
bool observed_holds_host(const struct vm_observation *observed);
/* A state that ends by itself: booting, saving, migrating, ... */
bool observed_in_transition(const struct vm_observation *observed);
/* On its way to the host of its last record, from the one before; it may run meanwhile. */
bool observed_migrates(const struct vm_observation *observed);
bool observed_running(const struct vm_observation *observed);
/* The hypervisor is starting it: nothing is copied any more. */
bool observed_booting(const struct vm_observation *observed);
/* It did not start, or cannot be ended. */
bool observed_failed(const struct vm_observation *observed);

#endif
