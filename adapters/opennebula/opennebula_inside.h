/* opennebula_inside.h: shared by the files of opennebula.h. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_OPENNEBULA_INSIDE_H
#define GALERNA_ADAPTERS_OPENNEBULA_OPENNEBULA_INSIDE_H

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/rpc.h"

enum { ZONE_UNKNOWN = -1 };

struct opennebula {
    struct cloud cloud;
    struct rpc *rpc;
    bool check_leader;
    int32_t zone; /* where the mark is kept; ZONE_UNKNOWN */
};

/* The meaning of oned's reply for the caller. deploys: the call named a host for a VM. */
struct cloud_reply opennebula_reply(const struct rpc_reply *reply, bool deploys);

/* --- opennebula_observe.c --- */
void opennebula_ask(struct cloud *cloud, const struct cloud_question *question);

/* --- opennebula_mark.c --- */
void opennebula_read_mark(struct cloud *cloud, cloud_mark_told *told, void *context);
void opennebula_write_mark(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                           void *context);
/* The zone in a document of one.system.config; ZONE_UNKNOWN: it is none. */
int32_t opennebula_zone(const char *document, size_t length);

#endif
