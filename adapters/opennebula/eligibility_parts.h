/* eligibility_parts.h: shared by the files of eligibility. */
#pragma once

#include "adapters/opennebula/acl_check.h"
#include "adapters/opennebula/eligibility.h"
#include "adapters/opennebula/host_columns.h"
#include "util/map.h"

/* A text of SCHED_REQUIREMENTS or AUTOMATIC_REQUIREMENTS. */
struct requirement {
    const uint64_t *hosts;       /* that meet it, among `allowed`; NULL: it cannot be read */
    char *fault;                 /* then: why */
    struct expression *changing; /* it names figures that change all the time; else NULL */
};

/* A text of SCHED_RANK, or the default policy. */
struct ranking {
    bool is_there; /* else all hosts are equal */
    struct host_rank rank;
    int64_t per_vm;
    char *fault; /* NULL: it can be read; else the rank is the default policy's */
};

/* Bytes of different requirements and ranks that one owner may have evaluated for one picture of
 * the site, and of one about datastores, which is evaluated again for each VM, or networks: time
 * that others wait. */
enum { OWNER_BYTES_MAX = 1 << 20, OWNER_NETWORK_BYTES_MAX = 1 << 16, DATASTORE_BYTES_MAX = 1024 };

/* Objects the owner of a VM may use. */
struct access {
    uint64_t *hosts;
    bool *datastores, *networks; /* by place in the pool */
    size_t bytes, network_bytes; /* of texts evaluated so far */
};

/* A text of SCHED_DS_REQUIREMENTS, SCHED_DS_RANK or AUTOMATIC_DS_REQUIREMENTS. */
struct datastore_expression {
    struct expression *expression; /* NULL: it cannot be read */
    char *fault;
};

/* A text of a NIC's SCHED_REQUIREMENTS or SCHED_RANK, or of AUTOMATIC_NIC_REQUIREMENTS, evaluated
 * over all networks. */
struct network_expression {
    bool *allowed;  /* a requirement: by place in the pool */
    int64_t *ranks; /* a rank */
    char *fault;    /* neither: why it cannot be read */
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
    int64_t *preferences; /* what the lists that each host is in add to its rank; NULL: none */
    char *why;            /* the exclusion by a role; NULL: there is none */
};

/* A VM's requirements, each as a number; two VMs with the same numbers get the same answer. */
struct wants {
    uint32_t automatic, requirement, ranking, access, datastore_automatic, datastore_requirement;
    uint32_t roles;
    int32_t datastore; /* where its disks are; -1: nowhere yet */
    int64_t room;      /* MB on a system datastore */
    uint32_t nics;     /* MAP_NONE: no automatic ones */
    bool later;        /* free addresses do not count */
};

struct requirement_combination {
    struct host_filter filter;
    struct host_rank rank; /* the filter's */
    size_t n_hosts;
    char *reason; /* n_hosts is 0 */
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
    uint64_t *in_service;       /* bitmap: hosts in a state to be given VMs */
    uint64_t **datastore_hosts; /* per datastore: the hosts of its clusters; NULL: not a system
                                   datastore in service */
    struct expression *datastore_rank; /* of the policy; NULL: packing or striping */
    struct expression *network_rank;
    int64_t *addresses;       /* promised, per network */
    int64_t *promised;        /* MB per datastore that is measured as a whole */
    int64_t **promised_there; /* per other datastore: MB per host that measures it; or NULL */
    int64_t *promised_disk;   /* MB per host on the datastores that it does not measure */

    /* Texts from users and oned, each stored once; the numbers are places in the arrays. */
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

    struct map allowed, numbers; /* bitmaps and columns that filters refer to, equal ones once */
    struct map kept_columns;     /* those of `columns` by address: their copies in `numbers` */
    uint64_t *scratch;           /* a bitmap */
};

/* --- eligibility_texts.c --- */
/* The number of a text in its table; *is_new when its place in the array is to be filled. The table
 * keeps a copy. */
uint32_t eligibility_number(struct map *table, const char *text, bool *is_new);

/* The kept column with equal answers, or a new copy. It lives as long as the map. */
const void *eligibility_kept(struct map *columns, const void *column, size_t size);

/* The error in a user's expression: "NAME 'TEXT': FAULT". */
char *eligibility_fault(const char *name, const char *text, const struct error *fault);

/* The value in USER_TEMPLATE, else in TEMPLATE; NULL when it is blank or not there. */
const char *eligibility_text(const struct vm *vm, const char *name);

/* --- eligibility_rank.c --- */
/* The default policy as the first ranking. Errors: EINVAL. */
int eligibility_default_ranking(struct eligibility *eligibility, struct error *err);
/* The default rank of datastores or networks (what): NULL for packing and striping, whose figures
 * change with each VM placed. Errors: EINVAL. */
int eligibility_policy_rank(enum placement_policy policy, const char *text, const char *what,
                            struct expression **rank, struct error *err);
/* The number of the ranking of SCHED_RANK, or RANK as it was called before; 0 without one. */
uint32_t eligibility_ranking_of(struct eligibility *eligibility, const struct vm *vm);

/* --- eligibility_access.c --- */
uint32_t eligibility_access_of(struct eligibility *eligibility, const struct vm *vm);

/* --- eligibility_clusters.c --- */
/* NULL: unknown. */
const struct datastore *eligibility_datastore_of(const struct eligibility *eligibility, int32_t id);
/* AUTOMATIC_REQUIREMENTS, AUTOMATIC_DS_REQUIREMENTS or AUTOMATIC_NIC_REQUIREMENTS (name) of the VM,
 * with the clusters that its images and networks are in now; NULL without one. Valid as long as VM
 * and eligibility. */
const char *eligibility_automatic(struct eligibility *eligibility, const struct vm *vm,
                                  const char *name);

/* --- eligibility_vmgroup.c --- */
/* True: what is wrong with the VM's groups. */
bool eligibility_fault_of_groups(const struct eligibility *eligibility, const struct vm *vm,
                                 char *reason, size_t size);
/* The number of the VM's roles, if they name hosts or clusters; else MAP_NONE. */
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
/* Do image datastores have room for the VM's disks? If not, why. */
bool eligibility_images_fit(const struct eligibility *eligibility, const struct vm *vm,
                            char *reason, size_t size);
/* The hosts that have a datastore that fulfils the wants. */
void eligibility_datastore_hosts(const struct eligibility *eligibility, const struct wants *wants,
                                 uint64_t *hosts);

/* --- eligibility_network.c --- */
void eligibility_read_networks(struct eligibility *eligibility);
void eligibility_forget_networks(struct eligibility *eligibility);
/* Fills in the VM's automatic NICs. False: one of their requirements cannot be read, or they
 * cost too much; reason says which. */
bool eligibility_want_networks(struct eligibility *eligibility, const struct vm *vm,
                               struct wants *wants, char *reason, size_t size);
/* The fault of one of the NICs' ranks, which is ignored, or NULL. */
const char *eligibility_network_rank_fault(const struct eligibility *eligibility,
                                           const struct wants *wants);
/* The hosts whose clusters have networks for all NICs. */
void eligibility_network_hosts(const struct eligibility *eligibility, const struct wants *wants,
                               uint64_t *hosts);
/* Why a cluster (-1: any) has none, with numbers. */
void eligibility_network_reason(const struct eligibility *eligibility, const struct wants *wants,
                                int32_t cluster, char *text, size_t size);

/* --- eligibility_reason.c --- */
/* Why no host is left, in a text of the caller's. The texts of the VM's requirements: NULL if none.
 */
char *eligibility_reason(const struct eligibility *eligibility, const struct wants *wants,
                         const char *automatic, const char *requirement);
