/* opennebula_inside.h: shared by the files of opennebula.h. */
#pragma once

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/rpc.h"

enum {
    DOCUMENT_NONE = -1,
    PAGE_MAX = 10000, /* VMs in an answer: XML-RPC has no document of more than 128 MB */
};

struct opennebula {
    struct cloud cloud;
    struct rpc *rpc;
    struct known_vms *known_vms; /* from the last listing */
    struct known_hosts *known_hosts;
    struct memory_budget *budget; /* NULL: none */
    size_t vms_counted;           /* bytes in the budget for VMs in the short form */
    int32_t page_size;            /* VMs in the next page */
    bool lists_in_pages;          /* all VMs together do not fit in one answer */
    bool check_leader;
    int32_t document;  /* the document of the mark; DOCUMENT_NONE: unknown */
    int32_t front_end; /* the document that this front-end publishes; DOCUMENT_NONE: unknown */
};

/* --- opennebula_reply.c --- */
/* Converts oned's reply for the caller. deploys: the call had a host for a VM. */
struct cloud_reply opennebula_reply(const struct rpc_reply *reply, bool deploys);

/* --- opennebula_observe.c --- */
void opennebula_ask(struct cloud *cloud, const struct cloud_question *question);

/* --- opennebula_document.c --- */
typedef void document_visit(void *context, int32_t id, const struct attributes *attributes);
/* Visits the documents of the administrators' group in the answer of one.documentpool.info, by id.
 * Texts are valid during the visit. -1 with err: not such an answer. O(length). */
int opennebula_each_document(const char *text, size_t length, document_visit *visit, void *context,
                             struct error *err);

/* --- opennebula_mark.c --- */
enum {
    MARK_DOCUMENT_TYPE = 4711, /* OpenNebula's own types are 100 to 103 */
    MARK_OF_GROUP = -4,        /* objects of the caller's main group */
};

/* Finds the mark in the answer of one.documentpool.info. *id DOCUMENT_NONE: no mark. O(length). */
int opennebula_find_mark(const char *text, size_t length, int32_t *id, struct cloud_mark *mark,
                         struct error *err);
void opennebula_read_mark(struct cloud *cloud, cloud_mark_told *told, void *context);
void opennebula_write_mark(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                           void *context);

/* --- opennebula_front_end.c --- */
enum { FRONT_END_DOCUMENT_TYPE = 4712 };

void opennebula_publish(struct cloud *cloud, const struct cloud_front_end *front_end,
                        cloud_done *done, void *context);

/* Visits what front-ends have published, in the answer of one.documentpool.info, with the id of the
 * document. Texts are valid during the visit. -1: not such an answer. O(length). */
int opennebula_read_front_ends(const char *text, size_t length,
                               void (*visit)(void *context, int32_t id,
                                             const struct cloud_front_end *front_end),
                               void *context);
