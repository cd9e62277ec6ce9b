/* eligibility.h: which hosts OpenNebula would let a VM have, and which it prefers.
 *
 * SCHED_REQUIREMENTS and TEMPLATE/AUTOMATIC_REQUIREMENTS (OpenNebula's expression language, one
 * precedence for & and |, left to right), SCHED_RANK (or RANK), the host's state, access rules and
 * the cluster's system datastores. Each distinct expression is parsed once and evaluated once over
 * all hosts, column by column; VMs that ask for the same share the answer.
 */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_ELIGIBILITY_H
#define GALERNA_ADAPTERS_OPENNEBULA_ELIGIBILITY_H

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

struct eligibility_settings {
    enum host_policy policy;
    const char *rank;    /* CUSTOM: the expression */
    double memory_scale; /* MEMORY_SYSTEM_DS_SCALE: adds so much x memory to the datastore need */
    int32_t zone;        /* access rules of other zones do not count; a single OpenNebula is 0 */
};

struct eligibility; /* opaque: expressions and answers for one picture of the site */

/* The pools must outlive it, the settings need not. Without datastores (NULL) none is required;
 * with acl NULL every user may use everything; with users NULL each user is only in the VM's group.
 * Place i in all answers is hosts->items[i]. O(attributes of all hosts). Errors: EINVAL
 * (settings->rank is missing or cannot be parsed: column). */
struct eligibility *eligibility_create(const struct host_pool *hosts,
                                       const struct datastore_pool *datastores,
                                       const struct cluster_pool *clusters,
                                       const struct user_pool *users, const struct acl *acl,
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

struct eligible {
    const struct host_filter *filter; /* the eligibility's; NULL when the VM cannot be placed: it is
                                         malformed or unsupported */
    size_t n_hosts;                   /* allowed ones */
    char reason[256];  /* one sentence of printable ASCII when n_hosts is 0, or rank_ignored is
                          true: why, with numbers; else "" */
    bool malformed;    /* a requirement cannot be read */
    bool lacks_room;   /* n_hosts is 0, and more room on datastores might change it */
    bool unsupported;  /* NUMA, PCI, VM groups, ...: not placed yet */
    bool rank_ignored; /* SCHED_RANK cannot be read: the VM is placed by the default policy */
};

/* Which hosts may this VM (in extended form) use, whatever their load? Excludes hosts that are
 * disabled, offline or in error, and hosts without a system datastore that the VM may use and that
 * has room for it. A VM that ran before can only go where its own system datastore is. O(length of
 * its texts) for a combination seen before, else O(hosts) for each term. */
void eligibility_of(struct eligibility *eligibility, const struct vm *vm,
                    struct eligible *eligible);

/* The same for a start far ahead: the current free space of datastores does not count. */
void eligibility_of_later(struct eligibility *eligibility, const struct vm *vm,
                          struct eligible *eligible);

/* A system datastore for the VM on that host (place): enabled, of its cluster, permitted, meeting
 * AUTOMATIC_DS_REQUIREMENTS and SCHED_DS_REQUIREMENTS, with more room than
 * eligibility_room_needed() after promised space is deducted; among several by SCHED_DS_RANK, else
 * most room first (OpenNebula's striping), then highest id. A VM that ran before keeps its own. -1:
 * none; reason says why with numbers. O(datastores). */
int32_t eligibility_datastore(struct eligibility *eligibility, const struct vm *vm, uint32_t host,
                              char *reason, size_t size);

/* MB that the VM will take of a system datastore: vm->disk and memory_scale x memory; 0 when its
 * disks are on one already. */
int64_t eligibility_room_needed(const struct eligibility *eligibility, const struct vm *vm);

/* Reserves this much of the datastore for a VM that is sent to the host (place): VMs that come
 * later cannot use it. */
void eligibility_promise(struct eligibility *eligibility, int32_t datastore, uint32_t host,
                         int64_t amount);

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

#endif
