/* eligibility_parts.h: shared by the files of eligibility. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_ELIGIBILITY_PARTS_H
#define GALERNA_ADAPTERS_OPENNEBULA_ELIGIBILITY_PARTS_H

#include "adapters/opennebula/acl_check.h"
#include "adapters/opennebula/eligibility.h"
#include "adapters/opennebula/host_columns.h"
#include "util/map.h"

/* A text of SCHED_REQUIREMENTS or AUTOMATIC_REQUIREMENTS. */
struct requirement {
    uint64_t *hosts;             /* that meet it; NULL: it cannot be read */
    char *fault;                 /* then: why */
    struct expression *changing; /* it names figures that change all the time; else NULL */
};

/* A text of SCHED_RANK, or the default policy. */
struct ranking {
    const int64_t *ranks; /* NULL: all hosts are equal */
    int64_t per_vm;
    char *fault; /* NULL: it can be read */
};

/* Bytes of different requirements and ranks that one owner may have evaluated for one picture of
 * the site, and of one about datastores, which is evaluated again for each VM: time that others
 * wait. */
enum { OWNER_BYTES_MAX = 1 << 20, DATASTORE_BYTES_MAX = 1024 };

/* Objects the owner of a VM may use. */
struct access {
    uint64_t *hosts;
    bool *datastores; /* by place in the pool */
    size_t bytes;     /* of texts evaluated so far */
};

/* A text of SCHED_DS_REQUIREMENTS, SCHED_DS_RANK or AUTOMATIC_DS_REQUIREMENTS. */
struct datastore_expression {
    struct expression *expression; /* NULL: it cannot be read */
    char *fault;
};

/* A VM's requirements, each as a number; two VMs with the same numbers get the same answer. */
struct wants {
    uint32_t automatic, requirement, ranking, access, datastore_automatic, datastore_requirement;
    int32_t datastore; /* where its disks are; -1: nowhere yet */
    int64_t room;      /* MB on a system datastore */
};

struct requirement_combination {
    struct host_filter filter;
    size_t n_hosts;
    char *reason; /* n_hosts is 0 */
};

struct eligibility {
    const struct host_pool *hosts;
    const struct cluster_pool *clusters;
    const struct datastore_pool *datastores; /* or NULL */
    const struct user_pool *users;           /* or NULL */
    const struct acl *acl;                   /* or NULL */
    struct eligibility_settings settings;
    struct host_columns *columns;
    uint64_t *in_service;       /* bitmap: hosts in a state to be given VMs */
    uint64_t **datastore_hosts; /* per datastore: the hosts of its clusters; NULL: not a system
                                   datastore in service */
    int64_t *promised;          /* MB per datastore that is measured as a whole */
    int64_t **promised_there;   /* per other datastore: MB per host that measures it; or NULL */
    int64_t *promised_disk;     /* MB per host on the datastores that it does not measure */

    /* Texts from users and oned, each stored once; the numbers are places in the arrays. */
    struct map requirement_texts, ranking_texts, access_texts, datastore_texts, combination_texts;
    struct requirement *requirements;
    struct ranking *rankings; /* the first is the default policy */
    struct access *accesses;
    struct datastore_expression *datastore_expressions;
    struct requirement_combination **combinations;
    size_t requirements_allocated, rankings_allocated, accesses_allocated,
        datastore_expressions_allocated, combinations_allocated;

    struct map allowed, ranks; /* columns of answers, equal ones once */
    uint64_t *scratch;         /* a bitmap */
    bool *scratch_allowed;
    int64_t *scratch_ranks;
};

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
/* The number of the ranking of SCHED_RANK, or RANK as it was called before; 0 without one. */
uint32_t eligibility_ranking_of(struct eligibility *eligibility, const struct vm *vm);

/* --- eligibility_access.c --- */
uint32_t eligibility_access_of(struct eligibility *eligibility, const struct vm *vm);

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
/* The hosts that have a datastore that fulfils the wants. */
void eligibility_datastore_hosts(const struct eligibility *eligibility, const struct wants *wants,
                                 uint64_t *hosts);

/* --- eligibility_reason.c --- */
/* Why no host is left, in a text of the caller's. */
char *eligibility_reason(const struct eligibility *eligibility, const struct wants *wants,
                         const char *requirement);

#endif
