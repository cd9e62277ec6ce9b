/* eligibility_parts.h: shared by the files of eligibility. */
#pragma once

#include "adapters/opennebula/acl_check.h"
#include "adapters/opennebula/eligibility.h"
#include "adapters/opennebula/host_columns.h"
#include "util/map.h"

/* A text of SCHED_REQUIREMENTS or AUTOMATIC_REQUIREMENTS. */
struct requirement {
    const uint64_t *hosts; /* hosts that meet it, in `allowed`; NULL: invalid */
    char *fault;           /* of an invalid one */
    bool changes;          /* names figures that change continually */
};

/* A text of SCHED_RANK, or the default policy. */
struct ranking {
    bool is_there; /* false: all hosts are equal */
    struct host_rank rank;
    int64_t per_vm;
    char *fault; /* NULL: valid; otherwise the default policy ranks */
};

/* Limits that bound the time that others wait, in bytes: of an owner's different requirements and
 * ranks in one observation of the site, of those about networks, and of a single text about
 * datastores, which is evaluated again for each VM, or networks. */
enum { OWNER_BYTES_MAX = 1 << 20, OWNER_NETWORK_BYTES_MAX = 1 << 16, DATASTORE_BYTES_MAX = 1024 };

/* Objects that the owner of a VM may use. */
struct access {
    uint64_t *hosts;
    bool *datastores, *networks; /* by index in the pool */
    bool by_rules;               /* not everything may be used */
    size_t bytes, network_bytes; /* of texts evaluated so far */
};

/* A text of SCHED_DS_REQUIREMENTS, SCHED_DS_RANK or AUTOMATIC_DS_REQUIREMENTS. */
struct datastore_expression {
    struct expression *expression; /* NULL: invalid */
    char *fault;
};

/* A text of a NIC's SCHED_REQUIREMENTS or SCHED_RANK, or of AUTOMATIC_NIC_REQUIREMENTS, evaluated
 * over all networks. */
struct network_expression {
    bool *allowed;  /* a requirement: by index in the pool */
    int64_t *ranks; /* a rank */
    char *fault;    /* of an invalid text */
};

/* The automatic NICs of a VM; each number is of a network_expression, or MAP_NONE. */
struct nic_wants {
    uint32_t automatic;
    size_t n;
    struct nic_want {
        uint32_t requirement, rank;
    } * nics;
};

/* Effects of the roles of a VM in its VM groups on hosts. */
struct role_hosts {
    uint64_t *allowed;
    int64_t *preferences; /* additions to each host's rank by lists of the roles; NULL: none */
    char *role;           /* that excludes hosts; NULL: none */
    int32_t group;        /* the VM group of this role */
};

/* A VM's requirements as numbers; VMs with equal numbers get the same answer. */
struct wants {
    uint32_t automatic, requirement, ranking, access, datastore_automatic, datastore_requirement;
    uint32_t roles;
    int32_t datastore; /* of its disks; -1: not chosen yet */
    int64_t room;      /* MB needed in a system datastore */
    uint32_t nics;     /* MAP_NONE: no automatic ones */
    bool later;        /* ignore free addresses */
};

struct requirement_combination {
    struct host_filter filter;
    struct host_rank rank; /* the filter's */
    size_t n_hosts;
    char *reason; /* if n_hosts is 0: why; otherwise what excludes hosts, NULL: not asked yet */
};

struct eligibility {
    const struct host_pool *hosts;
    const struct cluster_pool *clusters;
    const struct datastore_pool *datastores; /* or NULL */
    const struct network_pool *networks;     /* or NULL */
    const struct user_pool *users;           /* or NULL */
    const struct acl *acl;                   /* or NULL */
    const struct vmgroup_pool *vmgroups;     /* or NULL */
    struct eligibility_settings settings;
    struct host_columns *columns;
    uint64_t *in_service;       /* bitmap: hosts in a state for new VMs */
    uint64_t **datastore_hosts; /* per datastore: the hosts of its clusters; NULL: not a system
                                   datastore in service */
    struct expression *datastore_rank; /* of the policy; NULL: packing or striping */
    struct expression *network_rank;
    int64_t *addresses;       /* promised, per network */
    int64_t *promised;        /* MB per datastore that is measured as a whole */
    int64_t **promised_there; /* per other datastore: MB per host that measures it; or NULL */
    int64_t *promised_disk;   /* MB per host on the datastores that it does not measure */

    /* Texts from users and oned, each stored once; the numbers are indexes in the arrays. */
    struct map requirement_texts, ranking_texts, access_texts, datastore_texts, network_texts,
        nic_texts, automatic_texts, role_texts, combination_texts;
    struct requirement *requirements;
    struct ranking *rankings; /* the first is the default policy */
    struct access *accesses;
    struct datastore_expression *datastore_expressions;
    struct network_expression *network_expressions;
    struct nic_wants *nic_wants;
    struct role_hosts *roles;
    struct requirement_combination **combinations;
    size_t network_expressions_allocated, nic_wants_allocated;
    size_t requirements_allocated, rankings_allocated, accesses_allocated,
        datastore_expressions_allocated, roles_allocated, combinations_allocated;

    struct map allowed, numbers; /* distinct bitmaps and columns that filters refer to */
    struct map kept_columns;     /* by address in `columns`: copies in `numbers` */
    uint64_t *scratch;           /* a bitmap */
};

/* --- eligibility_texts.c --- */
/* The number of a text in its table, which stores a copy; *is_new: the item with that number in the
 * array must be filled. */
uint32_t eligibility_number(struct map *table, const char *text, bool *is_new);

/* The stored column with equal answers, or a new copy, valid as long as the map. */
const void *eligibility_kept(struct map *columns, const void *column, size_t size);

/* The error in a user's expression: "NAME 'TEXT': FAULT". */
char *eligibility_fault(const char *name, const char *text, const struct error *fault);

/* The value in USER_TEMPLATE or, if missing, in TEMPLATE; NULL: blank or missing. */
const char *eligibility_text(const struct vm *vm, const char *name);

/* --- eligibility_rank.c --- */
/* Sets the first ranking to the default policy. Errors: EINVAL. */
int eligibility_default_ranking(struct eligibility *eligibility, struct error *err);
/* The default rank of datastores or networks (what): NULL for packing and striping, whose figures
 * change with each VM placed. Errors: EINVAL. */
int eligibility_policy_rank(enum placement_policy policy, const char *text, const char *what,
                            struct expression **rank, struct error *err);
/* The number of the ranking of SCHED_RANK, formerly named RANK; 0 without one. */
uint32_t eligibility_ranking_of(struct eligibility *eligibility, const struct vm *vm);

/* --- eligibility_access.c --- */
uint32_t eligibility_access_of(struct eligibility *eligibility, const struct vm *vm);

/* --- eligibility_clusters.c --- */
/* NULL: unknown. */
const struct datastore *eligibility_datastore_of(const struct eligibility *eligibility, int32_t id);
/* AUTOMATIC_REQUIREMENTS, AUTOMATIC_DS_REQUIREMENTS or AUTOMATIC_NIC_REQUIREMENTS (name) of the VM,
 * with the current clusters of its images and networks; NULL without one. Valid as long as VM and
 * eligibility. */
const char *eligibility_automatic(struct eligibility *eligibility, const struct vm *vm,
                                  const char *name);

/* --- eligibility_vmgroup.c --- */
/* True: the VM's groups are invalid, with the fault in reason. */
bool eligibility_fault_of_groups(const struct eligibility *eligibility, const struct vm *vm,
                                 char *reason, size_t size);
/* The number of the VM's roles if they name hosts or clusters, otherwise MAP_NONE. */
uint32_t eligibility_roles_of(struct eligibility *eligibility, const struct vm *vm);
void eligibility_forget_roles(struct eligibility *eligibility);

/* --- eligibility_datastore.c --- */
void eligibility_read_datastores(struct eligibility *eligibility);
void eligibility_forget_datastores(struct eligibility *eligibility);
/* The number of the VM's SCHED_DS_REQUIREMENTS, SCHED_DS_RANK or AUTOMATIC_DS_REQUIREMENTS (name),
 * MAP_NONE without one. */
uint32_t eligibility_datastore_expression(struct eligibility *eligibility, const struct vm *vm,
                                          const char *name);
/* Fills in the VM's datastore requirements. */
void eligibility_want_datastore(struct eligibility *eligibility, const struct vm *vm,
                                struct wants *wants);
/* Do image datastores have room for the VM's disks? If not, reason has the cause. */
bool eligibility_images_fit(const struct eligibility *eligibility, const struct vm *vm,
                            char *reason, size_t size);
/* The hosts with a datastore that meets the requirements. */
void eligibility_datastore_hosts(const struct eligibility *eligibility, const struct wants *wants,
                                 uint64_t *hosts);

/* --- eligibility_network.c --- */
void eligibility_read_networks(struct eligibility *eligibility);
void eligibility_forget_networks(struct eligibility *eligibility);
/* Fills in the VM's automatic NICs. False: an invalid requirement, or too high costs, with the
 * cause in reason. */
bool eligibility_want_networks(struct eligibility *eligibility, const struct vm *vm,
                               struct wants *wants, char *reason, size_t size);
/* The fault of an ignored rank of a NIC, or NULL. */
const char *eligibility_network_rank_fault(const struct eligibility *eligibility,
                                           const struct wants *wants);
/* The hosts whose clusters have networks for all NICs. */
void eligibility_network_hosts(const struct eligibility *eligibility, const struct wants *wants,
                               uint64_t *hosts);
/* Adds details: why a cluster (-1: any) has no networks for the NICs. */
void eligibility_network_reason(const struct eligibility *eligibility, const struct wants *wants,
                                int32_t cluster, char *text, size_t size);

/* --- eligibility_reason.c --- */
/* Details: how many hosts the VM may not use for each cause. The caller frees the text. */
char *eligibility_reason(struct eligibility *eligibility, const struct wants *wants,
                         const struct vm *vm, bool none_left);
