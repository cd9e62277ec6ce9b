/* Checks whether an OpenNebula is set up for Galerna. */
#include "adapters/opennebula/setup.h"

#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlreader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/pool.h"
#include "util/memory.h"

enum { CONFIG_DEPTH_MAX = 16, CONFIG_SIZE_MAX = 16 << 20 };

void setup_facts_init(struct setup_facts *facts)
{
    *facts = (struct setup_facts){
        .administrator = SETUP_UNKNOWN,
        .leads = SETUP_UNKNOWN,
        .server = -1,
        .drs_interval = -1,
        .stock_scheduler_runs = SETUP_UNKNOWN,
        .stock_scheduler_off = SETUP_UNKNOWN,
        .drivers_installed = SETUP_UNKNOWN,
        .files_installed = SETUP_UNKNOWN,
        .connection_allowed = SETUP_UNKNOWN,
    };
}

int setup_read_version(struct setup_facts *facts, const char *version, struct error *err)
{
    char *end;
    long major = strtol(version, &end, 10);

    if (end == version || *end != '.' || major < 1 || major > 1000)
        return error_set(err, EPROTO, "unexpected OpenNebula version: '%.40s'", version);
    facts->major = (int)major;
    snprintf(facts->version, sizeof facts->version, "%s", version);
    return 0;
}

/* --- one.system.config --- */

/* The word after an option of a command line, "-p rank -o one_drs". */
static void option_of(const char *arguments, const char *option, char *value, size_t size)
{
    char copy[SETUP_TEXT_MAX], *rest = copy;

    value[0] = '\0';
    snprintf(copy, sizeof copy, "%s", arguments);
    for (const char *word; (word = strsep(&rest, " \t"));) {
        if (strcmp(word, option) != 0)
            continue;
        while (rest && (word = strsep(&rest, " \t")) && !*word)
            ;
        if (word && strcmp(word, option) != 0)
            snprintf(value, size, "%s", word);
    }
}

static void take_zone(struct setup_facts *facts, const char *text)
{
    char *end;
    long zone = strtol(text, &end, 10);

    if (end != text && *end == '\0' && zone >= 0 && zone <= INT32_MAX)
        facts->zone = (int32_t)zone;
}

static void take(struct setup_facts *facts, const char *parent, const char *name, const char *text)
{
    if (!strcmp(name, "VM_SUBMIT_ON_HOLD"))
        facts->submit_on_hold = !strcasecmp(text, "yes");
    else if (!strcmp(name, "DRS_INTERVAL"))
        facts->drs_interval = strtol(text, NULL, 10);
    else if (!strcmp(parent, "FEDERATION") && !strcmp(name, "ZONE_ID"))
        take_zone(facts, text);
    else if (!strcmp(parent, "SCHED_MAD") && !strcmp(name, "ARGUMENTS")) {
        option_of(text, "-p", facts->placement, sizeof facts->placement);
        option_of(text, "-o", facts->optimization, sizeof facts->optimization);
    }
}

/* The names of the open elements. */
struct open_elements {
    char names[CONFIG_DEPTH_MAX][SETUP_NAME_MAX];
};

static int read_node(struct setup_facts *facts, xmlTextReader *reader, struct open_elements *open,
                     struct error *err)
{
    int depth = xmlTextReaderDepth(reader);

    switch (xmlTextReaderNodeType(reader)) {
    case XML_READER_TYPE_DOCUMENT_TYPE:
        return error_set(err, EPROTO, "OpenNebula's configuration has a DOCTYPE");
    case XML_READER_TYPE_ELEMENT:
        if (depth >= CONFIG_DEPTH_MAX)
            return error_set(err, EPROTO, "OpenNebula's configuration is nested too deeply");
        snprintf(open->names[depth], sizeof open->names[depth], "%s",
                 (const char *)xmlTextReaderConstName(reader));
        return 0;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
        if (depth >= 2)
            take(facts, open->names[depth - 2], open->names[depth - 1],
                 (const char *)xmlTextReaderConstValue(reader));
        return 0;
    default:
        return 0;
    }
}

static void keep_silent(void *context, const char *message, xmlParserSeverities severity,
                        xmlTextReaderLocatorPtr locator)
{
    (void)context, (void)message, (void)severity, (void)locator;
}

int setup_read_config(struct setup_facts *facts, const char *document, size_t length,
                      struct error *err)
{
    struct open_elements open = {0};
    xmlTextReader *reader;
    int result = -1, read = 0;

    if (length > CONFIG_SIZE_MAX)
        return error_set(err, EPROTO, "OpenNebula's configuration is too large: %zu bytes", length);
    reader = xmlReaderForMemory(document, (int)length, NULL, NULL, XML_PARSE_NONET);
    if (!reader)
        return error_set(err, ENOMEM, "out of memory");
    xmlTextReaderSetErrorHandler(reader, keep_silent, NULL);
    while ((read = xmlTextReaderRead(reader)) == 1)
        if (read_node(facts, reader, &open, err) < 0)
            goto done;
    if (read < 0 || strcmp(open.names[0], "OPENNEBULA_CONFIGURATION") != 0) {
        error_set(err, EPROTO, "OpenNebula's answer is not a configuration");
        goto done;
    }
    facts->config_known = true;
    result = 0;
done:
    xmlFreeTextReader(reader);
    return result;
}

/* --- asking --- */

/* Queries oned. Returns the answer, to be freed; NULL with err. */
static char *ask(struct rpc *rpc, const char *method, const struct rpc_argument *argument,
                 struct error *err)
{
    struct rpc_request request = {
        .method = method, .arguments = argument, .n_arguments = argument ? 1 : 0};
    char *document = NULL;

    if (rpc_call_now(rpc, &request, &document, NULL, err) == 0 && !document)
        error_set(err, EPROTO, "%s: OpenNebula's answer is not a string", method);
    return document;
}

static void ask_for_user(struct setup_facts *facts, struct rpc *rpc)
{
    struct rpc_argument self = RPC_INT(-1);
    struct user_pool users;
    char *document = ask(rpc, "one.user.info", &self, NULL);

    if (document && user_pool_parse(&users, document, strlen(document), NULL) == 0) {
        if (users.n == 1) {
            snprintf(facts->user, sizeof facts->user, "%s", users.items[0].name);
            facts->administrator = users.items[0].gid == 0 ? SETUP_YES : SETUP_NO;
        }
        user_pool_finish(&users);
    }
    free(document);
}

static void ask_for_leader(struct setup_facts *facts, struct rpc *rpc)
{
    struct cloud_leadership leadership;
    char *document = ask(rpc, "one.zone.raftstatus", NULL, NULL);

    if (document && raft_status_parse(&leadership, document, strlen(document), NULL) == 0) {
        facts->leads = leadership.leads ? SETUP_YES : SETUP_NO;
        facts->server = leadership.server;
        snprintf(facts->raft_state, sizeof facts->raft_state, "%s", leadership.role);
    }
    free(document);
}

/* Reads the active galernad of the zone from its mark. */
static void ask_for_mark(struct setup_facts *facts, struct rpc *rpc)
{
    const struct rpc_argument arguments[] = {RPC_INT(MARK_OF_GROUP), RPC_INT(-1), RPC_INT(-1),
                                             RPC_INT(MARK_DOCUMENT_TYPE)};
    const struct rpc_request request = {
        .method = "one.documentpool.info", .arguments = arguments, .n_arguments = 4};
    struct cloud_mark mark;
    char *document = NULL;
    int32_t id;

    if (rpc_call_now(rpc, &request, &document, NULL, NULL) == 0 && document &&
        opennebula_find_mark(document, strlen(document), &id, &mark, NULL) == 0) {
        snprintf(facts->acting_host, sizeof facts->acting_host, "%.63s", mark.host);
        snprintf(facts->acting_configuration, sizeof facts->acting_configuration, "%s",
                 mark.configuration);
        snprintf(facts->acting_key, sizeof facts->acting_key, "%s", mark.key);
    }
    free(document);
}

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

/* The front-ends of a zone with more than one. */
static void ask_for_front_ends(struct setup_facts *facts, struct rpc *rpc)
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

int setup_ask(struct setup_facts *facts, struct rpc *rpc, struct error *err)
{
    struct error refusal = {0};
    char *document = ask(rpc, "one.system.version", NULL, err);

    if (!document || setup_read_version(facts, document, err) < 0) {
        free(document);
        return -1;
    }
    free(document);
    document = ask(rpc, "one.system.config", NULL, &refusal);
    if (!document || setup_read_config(facts, document, strlen(document), &refusal) < 0)
        snprintf(facts->config_refusal, sizeof facts->config_refusal, "%s", refusal.text);
    free(document);
    ask_for_user(facts, rpc);
    ask_for_leader(facts, rpc);
    ask_for_mark(facts, rpc);
    ask_for_front_ends(facts, rpc);
    return 0;
}

void setup_facts_finish(struct setup_facts *facts)
{
    for (size_t i = 0; i < facts->n_front_ends; i++)
        free(facts->front_ends[i].options);
    facts->n_front_ends = 0;
}
