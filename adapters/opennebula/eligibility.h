/* eligibility.h: which hosts OpenNebula would let a VM have, and which it prefers.
 *
 * SCHED_REQUIREMENTS and TEMPLATE/AUTOMATIC_REQUIREMENTS (OpenNebula's expression language, one
 * precedence for & and |, left to right), SCHED_RANK (or RANK), the host's state, access rules and
 * the cluster's system datastores and networks. Each distinct expression is parsed once and
 * evaluated once over all hosts, column by column; VMs that ask for the same share the answer.
 */
#pragma once

#include "adapters/opennebula/pool.h"
#include "core/host_filter.h"

/* The stock scheduler's DEFAULT_SCHED policy numbers. */
enum host_policy {
    HOST_POLICY_PACKING = 0,    /* most running VMs first */
    HOST_POLICY_STRIPING = 1,   /* fewest running VMs first */
    HOST_POLICY_LOAD_AWARE = 2, /* most FREE_CPU first */
    HOST_POLICY_CUSTOM = 3,     /* the rank expression given */
    HOST_POLICY_FIXED = 4,      /* PRIORITY of the host, else of its cluster */
    HOST_POLICY_MODULE = 5,     /* Galerna's host selection modules alone */
};

/* The numbers of DEFAULT_DS_SCHED and DEFAULT_NIC_SCHED. */
enum placement_policy {
    PLACEMENT_PACKING = 0,  /* the fullest first */
    PLACEMENT_STRIPING = 1, /* the emptiest first */
    PLACEMENT_CUSTOM = 2,   /* the rank expression given */
    PLACEMENT_FIXED = 3,    /* PRIORITY of the datastore or network */
};

struct eligibility_settings {
    enum host_policy policy;
    const char *rank; /* CUSTOM: the expression */
    enum placement_policy datastore_policy;
    const char *datastore_rank;
    enum placement_policy network_policy;
    const char *network_rank;
    bool different_networks; /* DIFFERENT_VNETS: each automatic NIC of a VM in another network */
    double memory_scale; /* MEMORY_SYSTEM_DS_SCALE: adds so much x memory to the datastore need */
    int32_t zone;        /* access rules of other zones do not count; a single OpenNebula is 0 */
};

struct eligibility; /* opaque: expressions and answers for one picture of the site */

/* The objects of requirements and rights. NULL: without datastores or networks none is required;
 * without acl every user may use everything; without users each user is only in the VM's group. */
struct eligibility_site {
    const struct host_pool *hosts; /* never NULL */
    const struct datastore_pool *datastores;
    const struct network_pool *networks;
    const struct cluster_pool *clusters;
    const struct user_pool *users;
    const struct acl *acl;
};

/* The pools must outlive it, site and settings need not. Place i in all answers is
 * hosts->items[i]. O(attributes of all hosts). Errors: EINVAL (a rank of the settings is missing or
 * cannot be parsed: column). */
struct eligibility *eligibility_create(const struct eligibility_site *site,
                                       const struct eligibility_settings *settings,
                                       struct error *err);
void eligibility_destroy(struct eligibility *eligibility); /* NULL is allowed */

/* Figures of a host that monitoring changes all the time, such as FREE_CPU. */
bool eligibility_changes_all_the_time(const char *name);

/* Evaluates over this pool from now on; it must have the same hosts in the same places, with only
 * new monitoring figures. False, with nothing changed: a requirement evaluated before that names
 * such figures now allows other hosts. O(attributes of all hosts + requirements that name such
 * figures x hosts). */
bool eligibility_follow(struct eligibility *eligibility, const struct host_pool *hosts);

/* The VM groups whose roles name hosts and clusters; without them no VM has a role. They must
 * outlive the eligibility; later ones may differ only in their members. */
void eligibility_use_vmgroups(struct eligibility *eligibility, const struct vmgroup_pool *vmgroups);

/* Added to the rank of a host for a role's weight of 1: more than ranks of 32 bits, OpenNebula's
 * own, differ by. */
#define ELIGIBILITY_WEIGHT (INT64_C(1) << 32)

struct eligible {
    const struct host_filter *filter; /* the eligibility's; NULL when the VM cannot be placed: it is
                                         malformed */
    size_t n_hosts;                   /* allowed ones */
    char reason[256]; /* one sentence of printable ASCII when n_hosts is 0, or rank_ignored is
                         true: why, with numbers; else "" */
    bool malformed;   /* a requirement, the VM's group or its request for hardware cannot be read */
    bool lacks_room;  /* n_hosts is 0, and more room on datastores or free addresses might change
                         it */
    bool rank_ignored; /* SCHED_RANK cannot be read: the VM is placed by the default policy */
};

/* Which hosts may this VM (in extended form) use, whatever their load? Excludes hosts that are
 * disabled, offline or in error, hosts without a system datastore that the VM may use and that has
 * room for it, and hosts in clusters without networks for all its automatic NICs. A VM that ran
 * before can only go where its own system datastore is. O(length of its texts) for a combination
 * seen before, else O(hosts) for each term. */
void eligibility_of(struct eligibility *eligibility, const struct vm *vm,
                    struct eligible *eligible);

/* The same for a start far ahead: the current free space of datastores and free addresses do not
 * count. */
void eligibility_of_later(struct eligibility *eligibility, const struct vm *vm,
                          struct eligible *eligible);

/* Writes the VM's SCHED_REQUIREMENTS, safe to display, if a host in service does not meet it;
 * false: none is excluded by it, or it was not evaluated before. O(length of its text + hosts /
 * 64). */
bool eligibility_narrows(const struct eligibility *eligibility, const struct vm *vm, char *shown,
                         size_t size);

/* May the VM's SCHED_REQUIREMENTS depend on the VMs of a host (CURRENT_VMS)? */
bool eligibility_names_vms(const struct vm *vm);

/* Does the VM's SCHED_REQUIREMENTS hold on that host (place) with more VMs on it, which CURRENT_VMS
 * may name? True without a requirement that does. O(length of its text + attributes). */
bool eligibility_holds_with(const struct eligibility *eligibility, const struct vm *vm,
                            uint32_t host, const int32_t *ids, size_t n);

/* A system datastore for the VM on that host (place): enabled, of its cluster, permitted, meeting
 * AUTOMATIC_DS_REQUIREMENTS and SCHED_DS_REQUIREMENTS, with more room than
 * eligibility_room_needed() after promised space is deducted; among several by SCHED_DS_RANK, else
 * by the policy, then most room first, then highest id. A VM that ran before keeps its own. -1:
 * none, or an image datastore has no room for the VM's disks; reason says why with numbers.
 * O(datastores). */
int32_t eligibility_datastore(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                              char *reason, size_t size);

/* MB that the VM will take of a system datastore: vm->disk and memory_scale x memory; 0 when its
 * disks are on one already. */
int64_t eligibility_room_needed(const struct eligibility *eligibility, const struct vm *vm);

/* Reserves this much of a system or image datastore for a VM that is sent to the host (place): VMs
 * that come later cannot use it. */
void eligibility_promise(struct eligibility *eligibility, int32_t datastore, uint32_t host,
                         int64_t amount);

/* A network for each automatic NIC of the VM on that host (place), into choices (vm->n_nics): of
 * the host's cluster, permitted (USE), meeting AUTOMATIC_NIC_REQUIREMENTS and the NIC's
 * SCHED_REQUIREMENTS, with a free address after promised ones; among several by the NIC's
 * SCHED_RANK, else by the policy, then highest id. A NIC gets a less liked network when another NIC
 * would get none. -1: impossible; reason says why. O(networks x log networks x NICs^2) at most. */
int eligibility_networks(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                         struct nic_choice *choices, char *reason, size_t size);

/* One address of the network is taken. O(log networks). */
void eligibility_promise_address(struct eligibility *eligibility, int32_t network);

/* --- expressions (expression.h has the grammar) --- */
struct expression; /* opaque */

/* Parse a requirement (boolean) or a rank (arithmetic). NULL with err: column, what is wrong. An
 * empty or blank requirement allows all, an empty rank is 0 everywhere. Texts of more than 64 KB,
 * nested deeper than 100, or with more than 2048 terms or 64 texts with wildcards are refused, so
 * that a user's text cannot cost more than a bounded amount of time. */
struct expression *expression_parse_requirement(const char *text, struct error *err);
struct expression *expression_parse_rank(const char *text, struct error *err);
void expression_destroy(struct expression *expression);
bool expression_allows(const struct expression *expression, const struct attributes *attributes);
int64_t expression_rank(const struct expression *expression, const struct attributes *attributes);
