/* house.h: a store, a planner and hosts of 4 CPUs, each for one VM. */
#pragma once

#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

enum { NOW = 100000, CPU = 400, MEMORY = 1024 };

struct house {
    struct scene scene;
    struct planner *planner;
};

/* Hosts of 4 CPUs; suspending and resuming take 10 s. */
void open_house(struct house *house, struct store *store, int n_hosts);
void close_house(struct house *house);
/* A complete plan. */
void rebuild(struct house *house, int64_t now);
/* A suspendable lease of one VM that needs a whole host; the VM is on host 0. */
struct lease_record *add_lease(struct store *store, int64_t id, enum lease_phase phase,
                               enum lease_kind kind, int64_t duration);

/* A preemption policy for scene.policies: preemptible leases may be preempted. */
void all_may_be_preempted(void *context, const struct victim_batch *batch, int64_t *scores);

struct picture_of_store {
    struct lease_record leases[8];
    struct vm_record vms[8];
    size_t n_leases, n_vms, n_lines;
    bool changes;
};

/* All that the store holds, to be compared. */
void look_at_store(struct store *store, struct picture_of_store *picture);
