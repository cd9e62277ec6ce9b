/* random_groups.h: random VM groups, as OpenNebula shows them, and a checker of their rules that
 * looks at every pair of VMs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "test/support/random.h"

enum { GROUPS = 2, ROLES = 3, MEMBERS = 24, TEXT_OF_GROUPS = 8192, PLACES = 3 };
enum { CLUSTERS = 2 };

struct group_role {
    bool together, apart, by_cluster;
    uint32_t hosts, clusters; /* bits: where its VMs may be */
    int32_t members[MEMBERS];
    size_t n;
};

/* One rule between roles at most. */
struct group {
    struct group_role roles[ROLES];
    size_t n_roles;
    bool together, apart, by_cluster;
    uint32_t ruled; /* bits: the roles of the rule */
};

struct random_groups {
    struct group groups[GROUPS];
    size_t n_hosts; /* host i is in cluster i % CLUSTERS */
};

/* No rule contradicts another one. */
void groups_choose(struct random_groups *groups, struct random *random, size_t n_hosts);
void groups_add(struct random_groups *groups, size_t group, size_t role, int32_t vm);
/* Must the VM be on one host with others? */
bool groups_tie(const struct random_groups *groups, int32_t vm);
/* The answer to one.vmgrouppool.info. */
void groups_write(const struct random_groups *groups, char text[TEXT_OF_GROUPS]);

/* Where a VM counts: of one that moves, both hosts. */
struct vm_places {
    int32_t hosts[PLACES];
    size_t n;
    int32_t next;     /* it is going to move there; -1: it is not */
    bool ends;        /* it is leaving for good, or for now */
    bool left_behind; /* its migration failed, and is going to be repeated */
};

struct places_of_vms {
    struct vm_places (*of)(void *context, int32_t vm);
    void *context;
};

/* False: a rule is broken; text says which. VMs that must be together may be apart while all of
 * them are on their way to the same place, or one of them was left behind. */
bool groups_are_kept(const struct random_groups *groups, const struct places_of_vms *places,
                     char *text, size_t size);
