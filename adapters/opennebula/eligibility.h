/* eligibility.h: finds the hosts that OpenNebula allows for a VM, and their ranks.
 *
 * SCHED_REQUIREMENTS and TEMPLATE/AUTOMATIC_REQUIREMENTS (OpenNebula's expression language, one
 * precedence for & and |, left to right), SCHED_RANK (or RANK), the host's state, access rules and
 * the cluster's system datastores and networks. Each distinct expression is parsed once and
 * evaluated once over all hosts, column by column; VMs with equal requirements share the answer.
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
    HOST_POLICY_FIXED = 4,      /* PRIORITY of the host or, without one, of its cluster */
    HOST_POLICY_MODULE = 5,     /* only Galerna's host selection modules */
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
    double memory_scale;     /* MEMORY_SYSTEM_DS_SCALE: x memory, added to the datastore need */
    int32_t zone;            /* access rules of other zones are ignored; 0: a single OpenNebula */
};

struct eligibility; /* opaque: expressions and answers for one observation of the site */

/* The objects of requirements and rights. Without datastores or networks (NULL), VMs need none;
 * without acl, all users may use everything; without users, each user is only in the VM's group. */
struct eligibility_site {
    const struct host_pool *hosts; /* never NULL */
    const struct datastore_pool *datastores;
    const struct network_pool *networks;
    const struct cluster_pool *clusters;
    const struct user_pool *users;
    const struct acl *acl;
};

/* The pools must outlive the eligibility; site and settings need not. Host i in all answers is
 * hosts->items[i]. O(attributes of all hosts). Errors: EINVAL (a missing or malformed rank in the
 * settings, with the column). */
struct eligibility *eligibility_create(const struct eligibility_site *site,
                                       const struct eligibility_settings *settings,
                                       struct error *err);
void eligibility_destroy(struct eligibility *eligibility); /* NULL is allowed */

/* Is it a figure of a host that monitoring changes continually, such as FREE_CPU? */
bool eligibility_changes_all_the_time(const char *name);

/* Switches to this pool, which must have the same hosts at the same indexes, and only new
 * monitoring figures. False, without effect: a requirement with such figures now allows other
 * hosts. O(attributes of all hosts + requirements with such figures x hosts). */
bool eligibility_follow(struct eligibility *eligibility, const struct host_pool *hosts);

/* Sets the VM groups whose roles name hosts and clusters; without them, VMs have no roles. They
 * must outlive the eligibility; later ones may differ only in their members. */
void eligibility_use_vmgroups(struct eligibility *eligibility, const struct vmgroup_pool *vmgroups);

/* Added to the rank of a host for a role's weight of 1: more than the largest difference of
 * OpenNebula's ranks, which have 32 bits. */
#define ELIGIBILITY_WEIGHT (INT64_C(1) << 32)

struct eligible {
    const struct host_filter *filter; /* owned by the eligibility; NULL: the VM cannot be placed,
                                         because it is malformed */
    size_t n_hosts;                   /* allowed ones */
    char reason[256];  /* if n_hosts is 0: details (core/reason_details.h) or the fault of a
                          malformed one; if rank_ignored: its fault, in printable ASCII; otherwise
                          "" */
    bool malformed;    /* a requirement, the VM's group or its request for hardware is invalid */
    bool lacks_room;   /* n_hosts is 0, and more room on datastores or free addresses might change
                          it */
    bool rank_ignored; /* SCHED_RANK is invalid: the VM is placed by the default policy */
};

/* Finds the hosts that this VM (in extended form) may use, independent of their load. Excludes
 * hosts that are disabled, offline or in error, hosts without a system datastore that the VM may
 * use and that has room for it, and hosts in clusters without networks for all its automatic NICs.
 * A VM that ran before is limited to hosts with its own system datastore. O(length of its texts)
 * for a known combination, otherwise O(hosts) for each term. */
void eligibility_of(struct eligibility *eligibility, const struct vm *vm,
                    struct eligible *eligible);

/* Finds hosts for a start far ahead: ignores the current free space of datastores and free
 * addresses. */
void eligibility_of_later(struct eligibility *eligibility, const struct vm *vm,
                          struct eligible *eligible);

/* Do access rules decide what the VM may use? Not for administrators. As eligibility_of(). */
bool eligibility_follows_rules(struct eligibility *eligibility, const struct vm *vm);

/* Details of what excludes hosts for a start far ahead; "": nothing, or the VM is malformed. Owned
 * by the eligibility. As eligibility_of() if it was asked for an equal VM before, otherwise some
 * times that. */
const char *eligibility_exclusions(struct eligibility *eligibility, const struct vm *vm);

/* May the VM's SCHED_REQUIREMENTS depend on the VMs of a host (CURRENT_VMS)? */
bool eligibility_names_vms(const struct vm *vm);

/* Does the host (index) still meet the VM's SCHED_REQUIREMENTS with these additional VMs in
 * CURRENT_VMS? True if the requirement does not depend on CURRENT_VMS. O(length of its text +
 * attributes). */
bool eligibility_holds_with(const struct eligibility *eligibility, const struct vm *vm,
                            uint32_t host, const int32_t *ids, size_t n);

/* Chooses a system datastore for the VM on that host (index): enabled, of its cluster, permitted,
 * meeting AUTOMATIC_DS_REQUIREMENTS and SCHED_DS_REQUIREMENTS, with more room than
 * eligibility_room_needed() after promised space is deducted. The order of preference is
 * SCHED_DS_RANK (by default the policy), then most room, then highest id. A VM that ran before
 * keeps its own. -1: none, or an image datastore has no room for the VM's disks, with details in
 * reason. O(datastores). */
int32_t eligibility_datastore(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                              char *reason, size_t size);

/* The MB that the VM needs in a system datastore: vm->disk and memory_scale x memory; 0 if its
 * disks are already in one. */
int64_t eligibility_room_needed(const struct eligibility *eligibility, const struct vm *vm);

/* Reserves this amount of a system or image datastore for a VM sent to the host (index); later VMs
 * cannot use it. */
void eligibility_promise(struct eligibility *eligibility, int32_t datastore, uint32_t host,
                         int64_t amount);

/* Chooses a network for each automatic NIC of the VM on that host (index), in choices (vm->n_nics):
 * of the host's cluster, permitted (USE), meeting AUTOMATIC_NIC_REQUIREMENTS and the NIC's
 * SCHED_REQUIREMENTS, with a free address after promised ones. The order of preference is the NIC's
 * SCHED_RANK (by default the policy), then highest id. A NIC gets a less preferred network if
 * another NIC would otherwise get none. -1: impossible, with details or a fault in reason. At most
 * O(networks x log networks x NICs^2). */
int eligibility_networks(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                         struct nic_choice *choices, char *reason, size_t size);

/* Reserves one address of the network. O(log networks). */
void eligibility_promise_address(struct eligibility *eligibility, int32_t network);

/* --- expressions (expression.h has the grammar) --- */
struct expression; /* opaque */

/* Parse a requirement (boolean) or a rank (arithmetic). NULL with err: the column and the error. An
 * empty or blank requirement allows all hosts, an empty rank is 0 for all hosts. To bound the costs
 * of users' texts, texts of more than 64 KB, nested deeper than 100, or with more than 2048 terms
 * or 64 texts with wildcards are rejected. */
struct expression *expression_parse_requirement(const char *text, struct error *err);
struct expression *expression_parse_rank(const char *text, struct error *err);
void expression_destroy(struct expression *expression);
bool expression_allows(const struct expression *expression, const struct attributes *attributes);
int64_t expression_rank(const struct expression *expression, const struct attributes *attributes);
