/* Reads and writes the mark of the active galernad, a document of the zone.
 *
 * Documents belong to one zone and are replicated by its front-ends only: a zone continues without
 * the master of its federation, and a beat does not cost other zones anything. Because any user may
 * create documents, only documents of the administrators' group count, and the one with the lowest
 * id is the mark, which makes two daemons that create one at the same time agree.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapters/opennebula/opennebula_inside.h"
#include "util/memory.h"

enum {
    REPLACE = 0,
    MARK_TEXT_MAX = 768,
    TERM_LIMIT = 3000, /* milliseconds: in a Raft zone, a write is valid for this time (claim.h) */
};

/* The state of reading or writing a mark. */
struct marking {
    struct opennebula *self;
    bool writes;
    bool again;   /* the document was deleted; this is the second search */
    int32_t made; /* the document created by this write; DOCUMENT_NONE */
    struct cloud_mark mark;
    cloud_mark_told *told;
    cloud_done *done;
    void *context;
};

/* --- documents -------------------------------------------------------------------------------- */

static void take(char *to, size_t size, const struct attributes *attributes, const char *name)
{
    const char *value = attributes_find(attributes, name);

    snprintf(to, size, "%s", value ? value : "");
}

struct found_mark {
    int32_t id; /* DOCUMENT_NONE: none yet */
    struct cloud_mark mark;
};

static void take_first(void *context, int32_t id, const struct attributes *attributes)
{
    struct found_mark *found = context;
    struct cloud_mark *mark = &found->mark;
    char number[32];

    if (found->id != DOCUMENT_NONE)
        return;
    found->id = id;
    take(mark->instance, sizeof mark->instance, attributes, "INSTANCE");
    take(mark->place, sizeof mark->place, attributes, "PLACE");
    take(mark->host, sizeof mark->host, attributes, "HOST");
    take(mark->seen, sizeof mark->seen, attributes, "SEEN");
    take(mark->key, sizeof mark->key, attributes, "KEY");
    take(mark->configuration, sizeof mark->configuration, attributes, "CONFIGURATION");
    take(number, sizeof number, attributes, "VERSION");
    mark->version = (int32_t)strtol(number, NULL, 10);
    take(number, sizeof number, attributes, "BEAT");
    mark->beat = strtoll(number, NULL, 10);
    take(number, sizeof number, attributes, "TERM");
    mark->term = strtoll(number, NULL, 10);
    take(number, sizeof number, attributes, "SERVER");
    mark->server = (int32_t)strtol(number, NULL, 10);
}

int opennebula_find_mark(const char *text, size_t length, int32_t *id, struct cloud_mark *mark,
                         struct error *err)
{
    struct found_mark found = {.id = DOCUMENT_NONE};

    if (opennebula_each_document(text, length, take_first, &found, err) < 0)
        return -1;
    *id = found.id;
    *mark = found.mark;
    return 0;
}

static int find_mark(const struct rpc_reply *reply, int32_t *id, struct cloud_mark *mark,
                     struct error *err)
{
    return opennebula_find_mark(reply->text ? reply->text : "", reply->length, id, mark, err);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void finish(struct marking *marking, const struct cloud_reply *reply)
{
    if (marking->writes)
        marking->done(marking->context, reply);
    else
        marking->told(marking->context, reply, &marking->mark);
    free(marking);
}

static void call(struct marking *marking, const char *method, const struct rpc_argument *arguments,
                 size_t n, rpc_done *done)
{
    const struct rpc_request request = {
        .method = method,
        .arguments = arguments,
        .n_arguments = n,
        .urgent = true,
        .timeout = marking->mark.term > 0 && marking->writes ? TERM_LIMIT : 0,
        .done = done,
        .dropped = free,
        .context = marking,
    };

    rpc_call(marking->self->rpc, &request);
}

static void describe(const struct cloud_mark *mark, char *text, size_t size)
{
    snprintf(text, size,
             "NAME=\"galernad\"\nINSTANCE=\"%s\"\nHOST=\"%s\"\nPLACE=\"%s\"\nBEAT=\"%" PRId64
             "\"\nSEEN=\"%s\"\nKEY=\"%s\"\nTERM=\"%" PRId64 "\"\nSERVER=\"%" PRId32
             "\"\nCONFIGURATION=\"%s\"\nVERSION=\"%" PRId32 "\"",
             mark->instance, mark->host, mark->place, mark->beat, mark->seen, mark->key, mark->term,
             mark->server, mark->configuration, mark->version);
}

static void find(struct marking *marking, rpc_done *done)
{
    const struct rpc_argument arguments[] = {RPC_INT(MARK_OF_GROUP), RPC_INT(-1), RPC_INT(-1),
                                             RPC_INT(MARK_DOCUMENT_TYPE)};

    call(marking, "one.documentpool.info", arguments, 4, done);
}

static void write_found(void *context, const struct rpc_reply *reply);

static void updated(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    struct cloud_reply told = opennebula_reply(reply, false);

    if (reply->code == RPC_CODE_NO_EXISTS && !marking->again) {
        marking->again = true;
        find(marking, write_found);
        return;
    }
    finish(marking, &told);
}

static void update(struct marking *marking)
{
    char text[MARK_TEXT_MAX];
    const struct rpc_argument arguments[] = {RPC_INT(marking->self->document), RPC_TEXT(text),
                                             RPC_INT(REPLACE)};

    describe(&marking->mark, text, sizeof text);
    call(marking, "one.document.update", arguments, 3, updated);
}

static void deleted(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    const struct cloud_reply told = {
        .outcome = CLOUD_REFUSED,
        .refusal = CLOUD_NO_PERMISSION,
        .message = "one.document.allocate: the group of galernad's user is not oneadmin"};

    (void)reply;
    if (marking->self->document == DOCUMENT_NONE)
        finish(marking, &told);
    else
        update(marking); /* another daemon's document is older */
}

static void made(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    struct cloud_reply told = opennebula_reply(reply, false);

    if (told.outcome != CLOUD_DONE) {
        finish(marking, &told);
        return;
    }
    marking->made = (int32_t)reply->number;
    find(marking, write_found);
}

static void make(struct marking *marking)
{
    char text[MARK_TEXT_MAX];
    const struct rpc_argument arguments[] = {RPC_TEXT(text), RPC_INT(MARK_DOCUMENT_TYPE)};

    describe(&marking->mark, text, sizeof text);
    call(marking, "one.document.allocate", arguments, 2, made);
}

static void write_found(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    struct cloud_reply told = opennebula_reply(reply, false);
    const struct rpc_argument own[] = {RPC_INT(marking->made)};
    struct error err = {0};
    struct cloud_mark there;

    if (told.outcome == CLOUD_DONE && find_mark(reply, &marking->self->document, &there, &err) < 0)
        told = (struct cloud_reply){.outcome = CLOUD_UNKNOWN, .message = err.text};
    if (told.outcome != CLOUD_DONE)
        finish(marking, &told);
    else if (marking->made == DOCUMENT_NONE && marking->self->document == DOCUMENT_NONE)
        make(marking);
    else if (marking->made == DOCUMENT_NONE)
        update(marking);
    else if (marking->made == marking->self->document)
        finish(marking, &told);
    else
        call(marking, "one.document.delete", own, 1, deleted);
}

static void read_found(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    struct cloud_reply told = opennebula_reply(reply, false);
    struct error err = {0};

    if (told.outcome == CLOUD_DONE &&
        find_mark(reply, &marking->self->document, &marking->mark, &err) < 0)
        told = (struct cloud_reply){.outcome = CLOUD_UNKNOWN, .message = err.text};
    finish(marking, &told);
}

static struct marking *begin(struct cloud *cloud, const struct marking *given)
{
    struct marking *marking = memory_new(1, sizeof *marking);

    *marking = *given;
    marking->self = (struct opennebula *)cloud;
    marking->made = DOCUMENT_NONE;
    return marking;
}

void opennebula_read_mark(struct cloud *cloud, cloud_mark_told *told, void *context)
{
    find(begin(cloud, &(struct marking){.told = told, .context = context}), read_found);
}

void opennebula_write_mark(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                           void *context)
{
    struct marking *marking = begin(
        cloud, &(struct marking){.writes = true, .mark = *mark, .done = done, .context = context});

    if (marking->self->document == DOCUMENT_NONE)
        find(marking, write_found);
    else
        update(marking);
}
