/* Finds the front-ends of a zone, and what their galernad have published. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/setup_inside.h"
#include "util/memory.h"

static bool is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static const xmlNode *child(const xmlNode *node, const char *name)
{
    const xmlNode *at = node ? node->children : NULL;

    while (at && !is(at, name))
        at = at->next;
    return at;
}

static void text_of(const xmlNode *node, char *text, size_t size)
{
    xmlChar *content = node ? xmlNodeGetContent(node) : NULL;

    snprintf(text, size, "%s", content ? (const char *)content : "");
    xmlFree(content);
}

static void take_server(struct setup_facts *facts, const xmlNode *server)
{
    struct setup_front_end *front_end = &facts->front_ends[facts->n_front_ends];
    char id[SETUP_NAME_MAX];

    text_of(child(server, "ID"), id, sizeof id);
    if (!*id || facts->n_front_ends == SETUP_FRONT_ENDS_MAX)
        return;
    *front_end = (struct setup_front_end){.server = (int32_t)strtol(id, NULL, 10)};
    text_of(child(server, "NAME"), front_end->name, sizeof front_end->name);
    facts->n_front_ends++;
}

void setup_read_zone(struct setup_facts *facts, const char *document, size_t length)
{
    xmlDoc *parsed = xmlReadMemory(document, (int)length, NULL, NULL,
                                   XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    const xmlNode *root = parsed ? xmlDocGetRootElement(parsed) : NULL;
    const xmlNode *pool = root && is(root, "ZONE") ? child(root, "SERVER_POOL") : NULL;

    for (const xmlNode *at = pool ? pool->children : NULL; at; at = at->next)
        if (is(at, "SERVER"))
            take_server(facts, at);
    xmlFreeDoc(parsed);
}

static void take_published(void *context, int32_t id, const struct cloud_front_end *published)
{
    struct setup_facts *facts = context;

    (void)id;
    for (size_t i = 0; i < facts->n_front_ends; i++) {
        struct setup_front_end *front_end = &facts->front_ends[i];

        if (front_end->server != published->server || front_end->registered)
            continue;
        front_end->registered = true;
        front_end->age = (int64_t)time(NULL) - published->seen;
        snprintf(front_end->host, sizeof front_end->host, "%.63s", published->host);
        snprintf(front_end->key, sizeof front_end->key, "%.63s", published->key);
        snprintf(front_end->configuration, sizeof front_end->configuration, "%.63s",
                 published->configuration);
        front_end->options = memory_text(published->options);
    }
}

void setup_ask_for_front_ends(struct setup_facts *facts, struct rpc *rpc)
{
    const struct rpc_argument zone[] = {RPC_INT(facts->zone)};
    const struct rpc_argument pool[] = {RPC_INT(MARK_OF_GROUP), RPC_INT(-1), RPC_INT(-1),
                                        RPC_INT(FRONT_END_DOCUMENT_TYPE)};
    const struct rpc_request ask_zone = {
        .method = "one.zone.info", .arguments = zone, .n_arguments = 1};
    const struct rpc_request ask_pool = {
        .method = "one.documentpool.info", .arguments = pool, .n_arguments = 4};
    char *document = NULL;

    if (facts->server < 0)
        return;
    if (rpc_call_now(rpc, &ask_zone, &document, NULL, NULL) == 0 && document)
        setup_read_zone(facts, document, strlen(document));
    free(document);
    document = NULL;
    if (rpc_call_now(rpc, &ask_pool, &document, NULL, NULL) == 0 && document)
        opennebula_read_front_ends(document, strlen(document), take_published, facts);
    free(document);
}

void setup_facts_finish(struct setup_facts *facts)
{
    for (size_t i = 0; i < facts->n_front_ends; i++)
        free(facts->front_ends[i].options);
    facts->n_front_ends = 0;
}
