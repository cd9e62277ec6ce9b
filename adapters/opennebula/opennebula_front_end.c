/* Publishes what the front-ends of a zone compare, in a document of the zone for each of them.
 *
 * As for the mark, only documents of the administrators' group count. A front-end that follows
 * publishes as well: its oned forwards the write to the leader. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/opennebula_inside.h"
#include "util/memory.h"

enum { REPLACE = 0, TEXT_MAX = 20 * 1024 };

/* --- reading ---------------------------------------------------------------------------------- */

static const char *text_of(const struct attributes *attributes, const char *name)
{
    const char *value = attributes_find(attributes, name);

    return value ? value : "";
}

struct front_end_visit {
    void (*visit)(void *context, int32_t id, const struct cloud_front_end *front_end);
    void *context;
};

static void visit_document(void *context, int32_t id, const struct attributes *attributes)
{
    const struct front_end_visit *visit = context;
    const struct cloud_front_end front_end = {
        .server = (int32_t)strtol(text_of(attributes, "SERVER"), NULL, 10),
        .host = text_of(attributes, "HOST"),
        .seen = strtoll(text_of(attributes, "SEEN"), NULL, 10),
        .key = text_of(attributes, "KEY"),
        .configuration = text_of(attributes, "CONFIGURATION"),
        .options = text_of(attributes, "OPTIONS"),
    };

    if (*text_of(attributes, "SERVER"))
        visit->visit(visit->context, id, &front_end);
}

int opennebula_read_front_ends(const char *text, size_t length,
                               void (*visit)(void *context, int32_t id,
                                             const struct cloud_front_end *front_end),
                               void *context)
{
    struct front_end_visit front_ends = {visit, context};

    return opennebula_each_document(text, length, visit_document, &front_ends, NULL);
}

/* --- publishing ------------------------------------------------------------------------------- */

struct publication {
    struct opennebula *self;
    int32_t server;
    cloud_done *done;
    void *context;
    char text[TEXT_MAX];
};

static void finish(void *context, const struct rpc_reply *reply)
{
    struct publication *publication = context;
    struct cloud_reply told = opennebula_reply(reply, false);

    if (told.outcome != CLOUD_DONE) /* the document may be gone */
        publication->self->front_end = DOCUMENT_NONE;
    publication->done(publication->context, &told);
    free(publication);
}

static void call(struct publication *publication, const char *method,
                 const struct rpc_argument *arguments, size_t n, rpc_done *done)
{
    rpc_call(publication->self->rpc, &(struct rpc_request){.method = method,
                                                           .arguments = arguments,
                                                           .n_arguments = n,
                                                           .done = done,
                                                           .dropped = free,
                                                           .context = publication});
}

static void update(struct publication *publication)
{
    const struct rpc_argument arguments[] = {RPC_INT(publication->self->front_end),
                                             RPC_TEXT(publication->text), RPC_INT(REPLACE)};

    call(publication, "one.document.update", arguments, 3, finish);
}

static void is_own(void *context, int32_t id, const struct cloud_front_end *front_end)
{
    struct publication *publication = context;

    if (front_end->server == publication->server && publication->self->front_end == DOCUMENT_NONE)
        publication->self->front_end = id;
}

static void listed(void *context, const struct rpc_reply *reply)
{
    struct publication *publication = context;
    const struct rpc_argument arguments[] = {RPC_TEXT(publication->text),
                                             RPC_INT(FRONT_END_DOCUMENT_TYPE)};

    if (opennebula_reply(reply, false).outcome != CLOUD_DONE ||
        opennebula_read_front_ends(reply->text ? reply->text : "", reply->length, is_own,
                                   publication) < 0)
        finish(publication, reply);
    else if (publication->self->front_end != DOCUMENT_NONE)
        update(publication);
    else
        call(publication, "one.document.allocate", arguments, 2, finish);
}

void opennebula_publish(struct cloud *cloud, const struct cloud_front_end *front_end,
                        cloud_done *done, void *context)
{
    const struct rpc_argument arguments[] = {RPC_INT(MARK_OF_GROUP), RPC_INT(-1), RPC_INT(-1),
                                             RPC_INT(FRONT_END_DOCUMENT_TYPE)};
    struct publication *publication = memory_new(1, sizeof *publication);

    publication->self = (struct opennebula *)cloud;
    publication->server = front_end->server;
    publication->done = done;
    publication->context = context;
    snprintf(publication->text, sizeof publication->text,
             "NAME=\"galernad-%" PRId32 "\"\nSERVER=\"%" PRId32 "\"\nHOST=\"%s\"\nSEEN=\"%" PRId64
             "\"\nKEY=\"%s\"\nCONFIGURATION=\"%s\"\nOPTIONS=\"%s\"",
             front_end->server, front_end->server, front_end->host, front_end->seen, front_end->key,
             front_end->configuration, front_end->options);
    if (publication->self->front_end != DOCUMENT_NONE)
        update(publication);
    else
        call(publication, "one.documentpool.info", arguments, 4, listed);
}
