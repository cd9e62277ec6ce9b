/* world.h: OpenNebula as last observed.
 *
 * A poll asks oned for everything that may have changed; when all answers are in, the picture is
 * complete and the daemon reconciles its store with it. Each VM's observation carries the time at
 * which its question was sent: an observation asked for before a command does not show the
 * command's effect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"

struct world; /* opaque */

/* A VM as last observed. */
struct vm_observation {
    int32_t id;
    enum vm_state state;
    const char *state_name; /* in OpenNebula's words */
    int64_t asked;          /* monotonic milliseconds: when the question was sent */
    int64_t since;          /* the same, of the first observation in this state */
    bool present;           /* oned has it, and it is not DONE */
    bool resched, locked;
    int32_t uid, gid;    /* its owner: when they change, the extended form is read */
    int64_t cpu, memory; /* 1/100, MB: a user may resize it */
    struct vm_history history;
    bool has_times;    /* the history's times match its last record: the short form has none */
    int64_t arriving;  /* monotonic milliseconds: its last record has not begun since; 0: it has */
    int64_t created;   /* seconds since 1970, by oned's clock */
    int64_t ran_for;   /* seconds of the closed history records in the fullest document seen... */
    int32_t n_records; /* ... which had that many records */
    bool full_seen;    /* the extended form was read, since the owner changed or world_read_all() */
    int missing;       /* consecutive full listings without the VM */
    char *error;       /* while the VM has failed: the driver's message; NULL: none */
    struct vm_hardware *hardware; /* devices and NUMA nodes, as last read; NULL: none requested */
    const struct vm *full;        /* the extended form; NULL: dropped or never read */
    int64_t full_asked;           /* monotonic milliseconds: when that was asked for */
};

/* Pools that planners keep using while newer ones arrive. */
struct hosts_seen {
    int references;
    uint64_t number; /* differs between pictures */
    struct host_pool pool;
    int64_t cpu, memory; /* of all hosts, in 1/100 and MB */
};

struct site_seen {
    int references;
    uint64_t digest; /* changes with what can let a VM run or stop it: not with free space */
    struct datastore_pool datastores;
    struct network_pool networks;
    struct cluster_pool clusters;
    struct user_pool users;
    struct acl acl;
};

struct vmgroups_seen {
    int references;
    struct vmgroup_pool pool;
};

enum poll_kind {
    POLL_NOTICE, /* only pending VMs: after a notice */
    POLL_FULL,   /* every VM in short form, pending ones in full, hosts */
};

struct world_settings {
    struct cloud *cloud;
    int64_t site_interval; /* milliseconds between polls of datastores, clusters, users, ACLs */
    bool check_leader;
};

/* Called when a poll is over. ok is false when any answer failed (error has the first failure); the
 * picture then holds what did arrive. */
typedef void world_polled(void *context, enum poll_kind kind, bool ok, const char *error);

struct world *world_create(const struct world_settings *settings, world_polled *polled,
                           void *context);
void world_destroy(struct world *world); /* NULL is allowed */

/* Begin a poll. While one is in progress the request is remembered and begins afterwards. A notice
 * does not wait for a full poll: pending VMs are asked for in parallel, and `polled` is called. */
void world_poll(struct world *world, enum poll_kind kind);
bool world_polling(const struct world *world);

/* Poll some VMs now; `seen` is called when the answer is in or failed. One call at a time. */
void world_look(struct world *world, const int32_t *ids, size_t n,
                void (*seen)(void *context, bool ok), void *context);

/* Read a VM's complete history: sets ran_for from all records. */
void world_read_history(struct world *world, int32_t id);

/* Further VMs, not pending, whose extended form later polls must bring (stopped ones to be
 * placed again). Replaces the previous list. */
void world_want_full(struct world *world, const int32_t *ids, size_t n);

/* Later full polls also ask what VMs use, and for the clusters' templates, or no longer. */
void world_want_uses(struct world *world, bool wanted);
/* The VM's figures in the last such answer; NULL: the VM was not measured. O(log n). */
const struct vm_use *world_use(const struct world *world, int32_t vm);
/* Monotonic milliseconds: when that was asked, or 0. An error counts as an answer without VMs. */
int64_t world_uses_asked(const struct world *world);

/* The next full poll reads every VM in extended form, as the first one does. O(VMs). */
void world_read_all(struct world *world);

/* The extended forms have been processed: free those of running VMs that are not wanted, once a
 * whole answer is unneeded. All others stay until the next poll. O(forms x wanted). */
void world_drop_forms(struct world *world);

/* NULL: never observed. O(1). */
const struct vm_observation *world_vm(const struct world *world, int32_t id);
/* All VMs ever observed and not dropped, in no order: start with *cursor 0, until NULL. */
const struct vm_observation *world_next(const struct world *world, size_t *cursor);
/* The VMs of which something else is seen than at the last call, and those that have failed; some
 * of them twice. Not the time of the question: an observation that is only confirmed does not
 * count. Valid until the next answer. */
const int32_t *world_take_news(struct world *world, size_t *n);
/* Another number whenever there are such VMs, or more extended forms. */
uint64_t world_changes(const struct world *world);
/* VMs in a transient state. */
size_t world_in_transition(const struct world *world);
/* The VMs whose extended form is at hand, ascending. Valid until the next answer or
 * world_drop_forms(). */
const int32_t *world_forms(struct world *world, size_t *n);
/* Forget a VM that is gone and whose lease has ended. While its host lists it, as one that was read
 * before the VM ended, it stays known: else it would count as one that cannot be read. */
void world_drop(struct world *world, int32_t id);

/* Room on a system or image datastore taken by a VM on its way there, which OpenNebula's figures,
 * measured every few minutes, may not show yet. */
struct room_promise {
    int32_t vm, datastore, host;
    bool of_images;   /* an image datastore: the VM's history does not name it */
    int64_t amount;   /* MB */
    int64_t reported; /* free at that time, as measured */
    int64_t at;       /* monotonic milliseconds */
};

/* Remember a VM's promises (datastore, host, of_images and amount are given), which replace its
 * previous ones. They are dropped when the VM is gone or on another datastore, when the VM's disks
 * are there and the datastore has been measured again, or after 15 minutes. Amounts of 0 are not
 * kept. O(promises). */
void world_promise(struct world *world, int32_t vm, const struct room_promise *promises, size_t n);
/* The current promises, in no order. */
const struct room_promise *world_promises(const struct world *world, size_t *n);

/* Promises outlive the daemon: to the store, if they have changed since, and back. */
struct store;
void world_remember_promises(struct world *world, struct store *store);
void world_recall_promises(struct world *world, const struct store *store);

/* An address of a network that a VM gets with its deployment. */
struct address_promise {
    int32_t vm;
    struct nic_choice choice;
    int64_t at, seen; /* monotonic milliseconds: promised, first seen deployed; seen 0: not yet */
};

/* Remember the networks chosen for a VM, which replace its previous ones. They are dropped when the
 * VM is gone, when networks have been read after the VM was seen deployed, or after 15 minutes.
 * O(promises). */
void world_promise_addresses(struct world *world, int32_t vm, const struct nic_choice *choices,
                             size_t n);
/* The current promises, by time. */
const struct address_promise *world_addresses(const struct world *world, size_t *n);
/* Copies the choices of one VM into choices (VM_NICS_MAX) and returns their number. */
size_t world_nics(const struct world *world, int32_t vm, struct nic_choice *choices);

/* NULL before the first full poll. Retain pools that are used beyond a poll. */
struct hosts_seen *world_hosts(const struct world *world);
struct site_seen *world_site(const struct world *world);
struct hosts_seen *hosts_retain(struct hosts_seen *hosts);
void hosts_release(struct hosts_seen *hosts); /* NULL is allowed */
struct site_seen *site_retain(struct site_seen *site);
void site_release(struct site_seen *site); /* NULL is allowed */
/* VM groups are polled with the datastores, and with every poll while a VM is in one. NULL: never
 * seen. */
struct vmgroups_seen *world_vmgroups(const struct world *world);
struct vmgroups_seen *vmgroups_retain(struct vmgroups_seen *vmgroups); /* NULL is allowed */
void vmgroups_release(struct vmgroups_seen *vmgroups);                 /* NULL is allowed */

/* Capacity of a host used by VMs that are listed there and could never be read: the host's own
 * usage, less that of the VMs that were read. False: there are no such VMs. O(VMs on the host). */
struct unread_room {
    int32_t vm;   /* one of these VMs */
    uint32_t vms; /* how many there are */
    int64_t cpu, memory;
};
bool world_unread(const struct world *world, const struct host *host, struct unread_room *room);
/* Changes when such capacity changes, on any host. */
uint64_t world_unread_digest(const struct world *world);

/* May the daemon act on this oned: is it the leader, or without others? By its last answer, to a
 * poll or to world_check_leader(). */
bool world_leads(const struct world *world);
/* Ask now; `told` is called when the answer is in (no answer: not the leader). One question at a
 * time. */
void world_check_leader(struct world *world, void (*told)(void *context), void *context);
/* Monotonic milliseconds of the last question about leadership that was answered. */
int64_t world_leader_checked(const struct world *world);
const struct cloud_leadership *world_leadership(const struct world *world);
/* Monotonic milliseconds when the last poll began. */
int64_t world_asked(const struct world *world);

/* Does the VM use CPU and memory of its host now, as the hypervisor sees it? Booting and saving
 * count; suspended, stopped, failed to boot and cleaning up do not. NULL: no. */
bool observed_uses_host(const struct vm_observation *observed);
/* Does oned count the VM's capacity on its host (suspended and powered off included)? NULL: no. */
bool observed_holds_host(const struct vm_observation *observed);
/* Is the VM in a transient state: booting, saving, migrating, ...? */
bool observed_in_transition(const struct vm_observation *observed);
/* Is the VM migrating to the host of its last record? It may run meanwhile. */
bool observed_migrates(const struct vm_observation *observed);
bool observed_running(const struct vm_observation *observed);
/* Is the hypervisor starting the VM? Image transfers are over. */
bool observed_booting(const struct vm_observation *observed);
/* Did the VM fail to start or to be ended? */
bool observed_failed(const struct vm_observation *observed);
