/* reservation.h: one operation of one lease on some hosts over an interval. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/instant.h"

struct held_units;
struct lease;

enum reservation_kind {
    RESERVATION_VM,
    RESERVATION_SUSPEND,
    RESERVATION_RESUME,
    RESERVATION_SHUTDOWN,
    RESERVATION_MEMORY_MIGRATION,
    RESERVATION_DISK_MIGRATION,
    RESERVATION_TRANSFER, /* of a disk image, from the repository to hosts */
    RESERVATION_KINDS
};

enum reservation_state { RESERVATION_SCHEDULED, RESERVATION_ACTIVE, RESERVATION_DONE };

/* The image repository in a placement: not a host of the site. Haizea's record calls it 1000. */
#define HOST_REPOSITORY    UINT32_MAX
#define HOST_REPOSITORY_ID 1000

/* One VM and its host (in a migration: its source and target). */
struct placed_vm {
    uint32_t vm;   /* 0 = the lease's first VM */
    uint32_t host; /* place in the site; in a migration: the target */
    uint32_t from; /* migration: the source; else the same as host */
    int64_t lease; /* the VM's lease: the reservation's, except in shared transfers */
};

/* Units and roles that VMs hold on the hosts of a placement (units.h). */
struct held_list {
    struct held_units **items;
    size_t n, allocated;
};

/* The amounts held on each host, and the host of each VM. Shared by reservations; immutable after
 * creation. */
struct placement {
    uint32_t references;
    uint32_t n_hosts;
    uint32_t n_vms;
    uint32_t n_types;       /* stride of amounts */
    uint32_t *hosts;        /* n_hosts different places, in the order of first use */
    int64_t *amounts;       /* n_hosts * n_types */
    struct placed_vm *vms;  /* n_vms, in ascending vm (migrations: in batch order) */
    struct held_list *held; /* of all VMs on the hosts; NULL: none */
    int64_t unbound_cpu;    /* CPU of all VMs before their hosts are chosen (host_binding.h), with
                             * empty hosts and vms; else 0 */
};

struct reservation {
    enum reservation_kind kind;
    enum reservation_state state;
    struct lease *lease;
    int64_t from, until; /* seconds, half-open */
    struct placement *placement;
    uint64_t order; /* the engine's: insertion order among equal times */
    struct reservation *next_booked, *previous_booked; /* the slot table's */
    size_t stretch; /* the plan's: the number of its stretch, from 1; 0: none */
    int64_t cpu;    /* suspension, resumption: CPU of all VMs on its hosts, for the figures */
    bool counted;   /* the engine's: the VMs are counted on their hosts */
    bool closes;    /* takes hosts out of service: VMs still running there are booked in addition,
                     * and the free amounts of the whole site do not fall below the sum over other
                     * hosts */
    const char *image;      /* transfer: the image; else NULL */
    int64_t image_deadline; /* transfer: latest arrival, INSTANT_NONE: none */
};

/* Returns one reference to a placement, all zero except the sizes. The last placement_destroy()
 * frees it; NULL is allowed. */
struct placement *placement_create(uint32_t n_hosts, uint32_t n_vms, uint32_t n_types);
struct placement *placement_share(struct placement *placement);
void placement_destroy(struct placement *placement);

/* NULL has none. O(hosts). */
bool placement_has_host(const struct placement *placement, uint32_t host);
/* Used during creation: adds the units of a VM on one of the hosts, and takes a reference. */
void placement_hold(struct placement *placement, struct held_units *held);
/* Adds all units that the other placement holds on hosts of this one. O(hosts * held). */
void placement_hold_same(struct placement *placement, const struct placement *other);

/* Takes over the reference to the placement. Does not book. */
struct reservation *reservation_create(struct lease *lease, enum reservation_kind kind,
                                       int64_t from, int64_t until, struct placement *placement);
void reservation_destroy(struct reservation *r);

/* Haizea's words: "VM", "SUSPEND", "MEM_MIGRATION", "FILE_TRANSFER", ... */
const char *reservation_kind_name(enum reservation_kind kind);
/* "Scheduled", "Active", "Done". */
const char *reservation_state_name(enum reservation_state state);
