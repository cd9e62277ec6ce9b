/* world.h: OpenNebula as last observed.
 *
 * A poll requests all data of oned that may have changed; once all answers are in, the snapshot is
 * complete and the daemon reconciles its store with it. Each VM's observation has the time at which
 * its request was sent: an observation requested before a command does not show the command's
 * effect.
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
    int64_t asked;          /* monotonic milliseconds: when the request was sent */
    int64_t since;          /* likewise, of the first observation in this state */
    bool present;           /* oned has the VM, and it is not DONE */
    bool resched, locked;
    bool has_times;      /* the history's times match its last record: the short form has none */
    int32_t uid, gid;    /* its owner; if these change, the extended form is read */
    int missing;         /* consecutive full lists without the VM */
    bool lost;           /* oned said that it does not exist, and has no record of its end */
    int64_t cpu, memory; /* 1/100, MB; a user may resize the VM */
    bool size_unread;    /* they cannot be read */
    struct vm_history history;
    int64_t arriving;  /* monotonic milliseconds: first observed before its last record began; 0: it
                        * has begun */
    int64_t created;   /* seconds since 1970, by oned's clock */
    int64_t ran_for;   /* seconds of the closed history records in the most complete document ... */
    int32_t n_records; /* ... which had this many records */
    bool full_passed;  /* world_pass_form() */
    bool full_seen;    /* the extended form was read after the last change of owner and
                        * world_read_all() */
    char *error;       /* the driver's message while the VM has failed; NULL: none */
    struct vm_hardware *hardware; /* devices and NUMA nodes, as last read; NULL: none requested */
    const struct vm *full;        /* the extended form; NULL: dropped or never read */
    int64_t full_asked;           /* monotonic milliseconds: when the request for it was sent */
};

/* Pools that planners keep using while newer ones arrive. */
struct hosts_seen {
    int references;
    uint64_t number; /* differs between observations of the hosts */
    struct host_pool pool;
    int64_t cpu, memory; /* sum of all hosts, in 1/100 and MB */
};

struct site_seen {
    int references;
    uint64_t digest; /* changes with everything that can let a VM run or stop it; not with free
                      * space */
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

/* Called when a poll is over. ok is false if any request failed (error has the first failure); the
 * snapshot then contains the answers that did arrive. */
typedef void world_polled(void *context, enum poll_kind kind, bool ok, const char *error);

struct world *world_create(const struct world_settings *settings, world_polled *polled,
                           void *context);
void world_destroy(struct world *world); /* NULL is allowed */

/* Begin a poll. During another poll, the request is remembered and begins afterwards. A notice does
 * not wait for a full poll: pending VMs are requested in parallel, and `polled` is called. */
void world_poll(struct world *world, enum poll_kind kind);
bool world_polling(const struct world *world);
/* The next full poll reads the site (datastores, networks, clusters, users, access rules), however
 * old the last one is. False: it does so already. */
bool world_want_site(struct world *world);
/* Monotonic milliseconds: when the site was last requested. */
int64_t world_site_asked(const struct world *world);

/* Poll some VMs now; `seen` is called when the answer has arrived or failed. One call at a time. */
void world_look(struct world *world, const int32_t *ids, size_t n,
                void (*seen)(void *context, bool ok), void *context);

/* Read a VM's complete history: computes ran_for from all records. */
void world_read_history(struct world *world, int32_t id);

/* VMs that are not pending and whose extended form later polls must include (stopped VMs to be
 * placed again). Replaces the previous list. */
void world_want_full(struct world *world, const int32_t *ids, size_t n);

/* Whether later full polls also request the VMs' resource use and the clusters' templates. */
void world_want_uses(struct world *world, bool wanted);
/* The VM's last measured use; NULL: the VM was not measured. O(log n). */
const struct vm_use *world_use(const struct world *world, int32_t vm);
/* Monotonic milliseconds: when the last measured uses were requested, or 0. An error counts as an
 * answer without VMs. */
int64_t world_uses_asked(const struct world *world);

/* The next full poll reads every VM in extended form, as the first one does. O(VMs). */
void world_read_all(struct world *world);

/* The extended forms have been processed: free those of running VMs that are not wanted, as soon as
 * an answer's forms are all unneeded. The others stay until the next poll. O(forms x wanted). */
void world_drop_forms(struct world *world);
/* The VM's extended form has told everything: world_forms() leaves it out. */
void world_pass_form(struct world *world, int32_t id);
/* Nothing needs the VM's extended form any longer. Its memory is freed soon after all forms of its
 * answer have been dropped. */
void world_drop_form(struct world *world, int32_t id);

/* Are these creation times (0: unknown) of two VMs with the same id? OpenNebula gives an id again
 * if its database is restored from an older copy, or if it is installed again. */
static inline bool world_is_another(int64_t created, int64_t seen)
{
    return created && seen && created != seen;
}

/* NULL: never observed. O(1). */
const struct vm_observation *world_vm(const struct world *world, int32_t id);
/* All VMs ever observed and not dropped, in no order: start with *cursor 0, until NULL. */
const struct vm_observation *world_next(const struct world *world, size_t *cursor);
/* The VMs whose observations have changed since the last call, and failed VMs; some twice. A
 * confirmed observation, with only a new time, does not count. Valid until the next answer. */
const int32_t *world_take_changed_vms(struct world *world, size_t *n);
/* Changes whenever an observation changes or extended forms are added. */
uint64_t world_changes(const struct world *world);
/* VMs in a transient state. */
size_t world_in_transition(const struct world *world);
/* The VMs with an extended form that was not passed, ascending. Valid until the next answer or
 * call. */
const int32_t *world_forms(struct world *world, size_t *n);
/* Forget a VM that is gone and whose lease has ended. While its host still lists the VM, it stays
 * known as one that was read before it ended: otherwise it would count as unreadable. */
void world_drop(struct world *world, int32_t id);

/* Room on a system or image datastore taken by an arriving VM, which OpenNebula's figures, measured
 * every few minutes, may not show yet. */
struct room_promise {
    int32_t vm, datastore, host;
    bool of_images;   /* on an image datastore, which the VM's history does not name */
    int64_t amount;   /* MB */
    int64_t reported; /* free space at that time, as measured */
    int64_t at;       /* monotonic milliseconds */
};

/* Set a VM's promises (datastore, host, of_images and amount are given) in place of its previous
 * ones. They are dropped when the VM is gone or on another datastore, when the VM's disks are there
 * and the datastore has been measured again, or after 15 minutes. Amounts of 0 are not kept.
 * O(promises). */
void world_promise(struct world *world, int32_t vm, const struct room_promise *promises, size_t n);
/* The current promises, in no order. */
const struct room_promise *world_promises(const struct world *world, size_t *n);

/* Promises outlive the daemon: store them if they have changed since the last call, and load
 * them. */
struct store;
void world_remember_promises(struct world *world, struct store *store);
void world_recall_promises(struct world *world, const struct store *store);

/* An address of a network that a VM gets with its deployment. */
struct address_promise {
    int32_t vm;
    struct nic_choice choice;
    int64_t at, seen; /* monotonic milliseconds: promised, first observed deployed; seen 0: not
                       * yet */
};

/* Set the networks chosen for a VM in place of its previous ones. They are dropped when the VM is
 * gone, when networks have been read after the VM was observed deployed, or after 15 minutes.
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
/* VM groups are polled with the datastores, and with every poll while a VM is in a group. NULL:
 * never observed. */
struct vmgroups_seen *world_vmgroups(const struct world *world);
struct vmgroups_seen *vmgroups_retain(struct vmgroups_seen *vmgroups); /* NULL is allowed */
void vmgroups_release(struct vmgroups_seen *vmgroups);                 /* NULL is allowed */

/* Capacity of a host used by VMs that the host lists and that could never be read: the host's own
 * usage minus the usage of the VMs that were read; all that is left if the size of a VM cannot be
 * read. After world_note_refusal(), also what the host counts for VMs that are not there. False: no
 * such VMs. O(VMs on the host + refusing hosts). */
struct unread_room {
    int32_t vm;   /* one of the VMs that were never read; else a number that is not a VM's */
    uint32_t vms; /* number of these VMs */
    int64_t cpu, memory;
};
bool world_unread(const struct world *world, const struct host *host, struct unread_room *room);
/* OpenNebula refused to start a VM on the host. True: the host counts VMs that are not there, for
 * example since OpenNebula lost records of its Raft log; room: what they use. Until the daemon
 * ends, this capacity is not free as long as the host counts it. */
bool world_note_refusal(struct world *world, int32_t host, struct unread_room *room);
/* Changes when the capacity used by unread VMs changes on any host. */
uint64_t world_unread_digest(const struct world *world);

/* May the daemon act on this oned: is it the leader, or the only one? According to its last answer
 * to a poll or to world_check_leader(). */
bool world_leads(const struct world *world);
/* Check now; `told` is called when the answer is in (no answer: not the leader). One check at a
 * time. */
void world_check_leader(struct world *world, void (*told)(void *context), void *context);
/* Monotonic milliseconds of the last answered check of the leadership. */
int64_t world_leader_checked(const struct world *world);
const struct cloud_leadership *world_leadership(const struct world *world);
/* Monotonic milliseconds when the last poll began. */
int64_t world_asked(const struct world *world);

/* Does the VM use CPU and memory of its host now, from the hypervisor's point of view? Booting and
 * saving VMs do; suspended, stopped, boot-failed and cleaning ones do not. NULL: no. */
bool observed_uses_host(const struct vm_observation *observed);
/* Does oned count the VM's capacity on its host (also if suspended or powered off)? NULL: no. */
bool observed_holds_host(const struct vm_observation *observed);
/* Is the VM in a transient state: booting, saving, migrating, ...? */
bool observed_in_transition(const struct vm_observation *observed);
/* Is the VM migrating to the host of its last record? It may run meanwhile. */
bool observed_migrates(const struct vm_observation *observed);
bool observed_running(const struct vm_observation *observed);
/* Is the hypervisor starting the VM, with all image transfers done? */
bool observed_booting(const struct vm_observation *observed);
/* Did the VM fail to start or to be ended? */
bool observed_failed(const struct vm_observation *observed);
