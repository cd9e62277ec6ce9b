/* The mark of the galernad that acts, in OpenNebula.
 *
 * GALERNA_ZONE_n=[INSTANCE, HOST, PLACE, BEAT, SEEN] in the template of user 0, n being the zone:
 * every administrator can write it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/setup.h"
#include "util/memory.h"

enum { ADMINISTRATOR = 0, MERGE = 1, MARK_TEXT_MAX = 512 };

/* A mark that is being read or written. */
struct marking {
    struct opennebula *self;
    bool writes;
    struct cloud_mark mark;
    cloud_mark_told *told;
    cloud_done *done;
    void *context;
};

int32_t opennebula_zone(const char *document, size_t length)
{
    struct setup_facts facts;
    struct error err = {0};

    setup_facts_init(&facts);
    return setup_read_config(&facts, document, length, &err) == 0 ? facts.zone : ZONE_UNKNOWN;
}

static void finish(struct marking *marking, const struct cloud_reply *reply)
{
    if (marking->writes)
        marking->done(marking->context, reply);
    else
        marking->told(marking->context, reply, &marking->mark);
    free(marking);
}

static void copy(char *to, size_t size, const struct attributes *attributes, int32_t zone,
                 const char *key)
{
    char name[64];
    const char *value;

    snprintf(name, sizeof name, "GALERNA_ZONE_%" PRId32 "/%s", zone, key);
    value = attributes_find(attributes, name);
    snprintf(to, size, "%s", value ? value : "");
}

static int parse_mark(struct marking *marking, const struct rpc_reply *reply, struct error *err)
{
    struct cloud_mark *mark = &marking->mark;
    struct user_pool users = {0};
    const struct attributes *attributes;
    char beat[32];

    if (!reply->text || user_pool_parse(&users, reply->text, reply->length, err) < 0 || !users.n) {
        user_pool_finish(&users);
        return error_prefix(err, "one.user.info");
    }
    attributes = &users.items[0].attributes;
    copy(mark->instance, sizeof mark->instance, attributes, marking->self->zone, "INSTANCE");
    copy(mark->place, sizeof mark->place, attributes, marking->self->zone, "PLACE");
    copy(mark->host, sizeof mark->host, attributes, marking->self->zone, "HOST");
    copy(mark->seen, sizeof mark->seen, attributes, marking->self->zone, "SEEN");
    copy(beat, sizeof beat, attributes, marking->self->zone, "BEAT");
    mark->beat = strtoll(beat, NULL, 10);
    user_pool_finish(&users);
    return 0;
}

static void answered(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    struct cloud_reply told = opennebula_reply(reply, false);
    struct error err = {0};

    if (told.outcome == CLOUD_DONE && !marking->writes && parse_mark(marking, reply, &err) < 0)
        told = (struct cloud_reply){.outcome = CLOUD_UNKNOWN, .message = err.text};
    finish(marking, &told);
}

static void call(struct marking *marking, struct rpc_request request, rpc_done *done)
{
    request.urgent = true;
    request.done = done;
    request.dropped = free;
    request.context = marking;
    rpc_call(marking->self->rpc, &request);
}

static void ask(struct marking *marking)
{
    const struct cloud_mark *mark = &marking->mark;
    char text[MARK_TEXT_MAX];
    const struct rpc_argument arguments[] = {RPC_INT(ADMINISTRATOR), RPC_TEXT(text),
                                             RPC_INT(MERGE)};

    snprintf(text, sizeof text,
             "GALERNA_ZONE_%" PRId32 "=[INSTANCE=\"%s\",HOST=\"%s\",PLACE=\"%s\",BEAT=\"%" PRId64
             "\",SEEN=\"%s\"]",
             marking->self->zone, mark->instance, mark->host, mark->place, mark->beat, mark->seen);
    if (marking->writes)
        call(marking,
             (struct rpc_request){
                 .method = "one.user.update", .arguments = arguments, .n_arguments = 3},
             answered);
    else
        call(marking,
             (struct rpc_request){
                 .method = "one.user.info", .arguments = arguments, .n_arguments = 1},
             answered);
}

/* A user who may not read the zone is taken to be in a single zone. */
static void zone_known(void *context, const struct rpc_reply *reply)
{
    struct marking *marking = context;
    struct cloud_reply told = opennebula_reply(reply, false);

    if (told.outcome != CLOUD_DONE && told.outcome != CLOUD_REFUSED) {
        finish(marking, &told);
        return;
    }
    if (told.outcome == CLOUD_DONE && reply->text)
        marking->self->zone = opennebula_zone(reply->text, reply->length);
    if (marking->self->zone == ZONE_UNKNOWN)
        marking->self->zone = 0;
    ask(marking);
}

static void begin(struct cloud *cloud, const struct marking *given)
{
    struct marking *marking = memory_new(1, sizeof *marking);

    *marking = *given;
    marking->self = (struct opennebula *)cloud;
    if (marking->self->zone == ZONE_UNKNOWN)
        call(marking, (struct rpc_request){.method = "one.system.config"}, zone_known);
    else
        ask(marking);
}

void opennebula_read_mark(struct cloud *cloud, cloud_mark_told *told, void *context)
{
    begin(cloud, &(struct marking){.told = told, .context = context});
}

void opennebula_write_mark(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                           void *context)
{
    begin(cloud,
          &(struct marking){.writes = true, .mark = *mark, .done = done, .context = context});
}
