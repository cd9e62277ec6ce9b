/* pool.h: OpenNebula's objects as its documents describe them.
 *
 * Parsed with libxml2, without entities, DOCTYPE or network, with limits on depth and size.
 * Documents come from a daemon that may lie or break and hold text that VM owners wrote: each
 * number is checked, each text bounded. Bytes that XML does not allow become '?': one VM's template
 * must not hide all others. An invalid object is left out and counted, with a sentence about the
 * first one; the others are read. Texts belong to the pool object they are in.
 */
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

/* MONITORING_DATA. A host that never reported is not in it. */
struct host_monitoring_pool {
    POOL_OF(struct host_monitoring);
};

/* Each function reads a whole document (the answer of a call; VM_POOL or a single VM, ...) into
 * *pool, which is overwritten. -1 with err: the document as a whole cannot be read (not XML,
 * DOCTYPE, too deep, too large, another root element); *pool is then empty. One pass; 10,000 VMs in
 * the short form take about 50 ms. */
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
/* With its members. A group whose roles or rules cannot be read as a whole is left out. */
int vmgroup_pool_parse(struct vmgroup_pool *pool, const char *document, size_t length,
                       struct error *err);
int acl_parse(struct acl *acl, const char *document, size_t length, struct error *err);
/* one.vmpool.monitoring: VMs that were never measured are not in it. Rates of net and disk that
 * OpenNebula does not report follow from the first and the last record of a VM. */
int vm_use_parse(struct vm_use_pool *pool, const char *document, size_t length, struct error *err);
void host_monitoring_finish(struct host_monitoring_pool *pool);

/* The same for VMs of a document that arrives in pieces: `batch` gets 256 VMs at a time, in
 * document order unless some are known, and may take them (zero the pool). Ending the reading hands
 * out the last batch, frees the reading, and reports errors of the document: -1 with err. */
struct pool_reader;
struct known_vms;
struct vm_batches {
    void (*batch)(void *context, struct vm_pool *pool);
    void *context;
    struct known_vms *known; /* NULL: none. Short forms that are known come first, without texts */
    struct pool_reader *reader;
    struct vm_pool again;
};

void vm_batches_begin(struct vm_batches *batches);
void vm_batches_feed(struct vm_batches *batches, const char *text, size_t length);
/* Before a piece is decoded and fed: as known_vms_part(). */
size_t vm_batches_part(struct vm_batches *batches, const char *text, size_t length, bool *is_known);
int vm_batches_end(struct vm_batches *batches, struct error *err);

/* Add what the hosts reported to their attributes, behind the others; names that a host already has
 * keep their values, as in OpenNebula's search order. Figures of other hosts are ignored. The texts
 * are copied. O(hosts x their attributes). */
void host_monitoring_merge(struct host_pool *hosts, const struct host_monitoring_pool *monitoring);

/* one.zone.raftstatus: this oned's part in its zone. -1 with err. */
int raft_status_parse(struct cloud_leadership *leadership, const char *document, size_t length,
                      struct error *err);
