/* pool.h: reads OpenNebula's objects from its XML documents.
 *
 * Parsed with libxml2, without entities, DOCTYPE or network, with limits on depth and size.
 * Documents are not trusted, because the daemon may be faulty and VM owners write some of the
 * texts: each number is checked, each text limited. Bytes that XML does not allow become '?',
 * because one VM's template must not hide all other VMs. Invalid objects are left out and counted,
 * with an error text for the first one. Texts belong to the pool. */
#pragma once

#include "adapters/cloud/objects.h"
#include "util/error.h"

struct cloud_leadership;

/* A host's last monitoring report: one.hostpool.monitoring with 0 seconds. */
struct host_monitoring {
    int32_t id;
    struct attributes attributes; /* FREE_CPU, FREE_MEMORY in KB, USED_CPU, USED_MEMORY, NETRX, ...
                                     of CAPACITY and SYSTEM */
};

/* MONITORING_DATA, without hosts that have never reported. */
struct host_monitoring_pool {
    POOL_OF(struct host_monitoring);
};

/* Each function reads a whole document (the answer of a call: VM_POOL, a single VM, ...) into
 * *pool, which is overwritten. -1 with err: the whole document is unreadable (not XML, DOCTYPE, too
 * deep, too large, another root element); *pool is then empty. One pass; 10,000 VMs in the short
 * form take about 50 ms. */
int vm_pool_parse(struct vm_pool *pool, const char *document, size_t length, struct error *err);
int host_pool_parse(struct host_pool *pool, const char *document, size_t length, struct error *err);
int host_monitoring_parse(struct host_monitoring_pool *pool, const char *document, size_t length,
                          struct error *err);
int datastore_pool_parse(struct datastore_pool *pool, const char *document, size_t length,
                         struct error *err);
int network_pool_parse(struct network_pool *pool, const char *document, size_t length,
                       struct error *err);
int cluster_pool_parse(struct cluster_pool *pool, const char *document, size_t length,
                       struct error *err);
int user_pool_parse(struct user_pool *pool, const char *document, size_t length, struct error *err);
/* Also fills the pool's members. A group with unreadable roles or rules is left out. */
int vmgroup_pool_parse(struct vmgroup_pool *pool, const char *document, size_t length,
                       struct error *err);
int acl_parse(struct acl *acl, const char *document, size_t length, struct error *err);
/* one.vmpool.monitoring, without VMs that have never been measured. Rates of net and disk not
 * reported by OpenNebula are computed from the first and the last record of a VM. */
int vm_use_parse(struct vm_use_pool *pool, const char *document, size_t length, struct error *err);
void host_monitoring_finish(struct host_monitoring_pool *pool);

/* Read VMs of a document that arrives in pieces: `batch` gets 256 VMs at a time, in document order
 * unless some are known, and may keep them (by zeroing the pool). vm_batches_end() passes on the
 * last batch, frees all memory, and reports errors of the document: -1 with err. */
struct pool_reader;
struct known_vms;
struct vm_batches {
    void (*batch)(void *context, struct vm_pool *pool);
    void *context;
    struct known_vms *known; /* NULL: none. Known short forms come first, without texts */
    struct pool_reader *reader;
    struct vm_pool again;
};

void vm_batches_begin(struct vm_batches *batches);
void vm_batches_feed(struct vm_batches *batches, const char *text, size_t length);
/* To be called before a piece is decoded and fed: see known_vms_part(). */
size_t vm_batches_part(struct vm_batches *batches, const char *text, size_t length, bool *is_known);
int vm_batches_end(struct vm_batches *batches, struct error *err);

/* Sets the hosts' figures from their reports, without names that hosts have as attributes: these
 * keep their values, as in OpenNebula's search order. Reports of other hosts are ignored. The texts
 * are copied. O(hosts x attributes). */
void host_monitoring_merge(struct host_pool *hosts, const struct host_monitoring_pool *monitoring);

/* one.zone.raftstatus: the role of this oned in its zone. -1 with err. */
int raft_status_parse(struct cloud_leadership *leadership, const char *document, size_t length,
                      struct error *err);
