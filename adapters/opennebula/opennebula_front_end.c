/* Publishes what the front-ends of a zone compare, in a document of the zone for each of them.
 *
 * As for the mark, only documents of the administrators' group count. A front-end that follows
 * publishes as well: its oned forwards the write to the leader. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/pool_reader.h"
#include "util/memory.h"

enum { ADMINISTRATORS = 0, REPLACE = 0, TEXT_MAX = 20 * 1024 };

/* --- reading ---------------------------------------------------------------------------------- */

struct document {
    struct document_head head;
    struct attributes attributes;
};

static const char *text_of(const struct attributes *attributes, const char *name)
{
    const char *value = attributes_find(attributes, name);

    return value ? value : "";
}

static void end_document(struct pool_reader *reader, void *object)
{
    pool_take_attributes(reader, 0, 0, &((struct document *)object)->attributes);
}

static struct cloud_front_end front_end_of(const struct document *document)
{
    const struct attributes *attributes = &document->attributes;

    return (struct cloud_front_end){
        .server = (int32_t)strtol(text_of(attributes, "SERVER"), NULL, 10),
        .host = text_of(attributes, "HOST"),
        .seen = strtoll(text_of(attributes, "SEEN"), NULL, 10),
        .key = text_of(attributes, "KEY"),
        .configuration = text_of(attributes, "CONFIGURATION"),
        .options = text_of(attributes, "OPTIONS"),
    };
}

int opennebula_read_front_ends(const char *text, size_t length,
                               void (*visit)(void *context, int32_t id,
                                             const struct cloud_front_end *front_end),
                               void *context, struct error *err)
{
    static const struct pool_format format = {
        .pool = "DOCUMENT_POOL",
        .object = "DOCUMENT",
        .size = sizeof(struct document),
        .value = opennebula_read_document,
        .end = end_document,
    };
    const struct document *documents;
    struct pool_items items;

    if (pool_read(&items, &format, text, length, err) < 0)
        return error_prefix(err, "one.documentpool.info");
    documents = items.items;
    for (size_t i = 0; i < items.n; i++) {
        const struct cloud_front_end front_end = front_end_of(&documents[i]);

        if (documents[i].head.gid == ADMINISTRATORS && *text_of(&documents[i].attributes, "SERVER"))
            visit(context, documents[i].head.id, &front_end);
    }
    free(items.items);
    pool_memory_destroy(items.memory);
    return 0;
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
                                   publication, NULL) < 0)
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
