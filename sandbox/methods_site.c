/* Clusters, datastores, networks, VM groups, zones, the system itself. */
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/site_document.h"

static xmlrpc_value *cluster_allocate(struct oned_call *call)
{
    struct oned_thing *cluster =
        oned_thing_create(call->argument[1].text, "RESERVED_CPU=\"\"\nRESERVED_MEM=\"\"", NULL);

    return oned_answer_int(call, oned_thing_add(call->oned, KIND_CLUSTER, cluster, 100));
}

/* The object of argument 2, to be put into the cluster. NULL: *answer is the error. */
static void *object_for_cluster(struct oned_call *call, enum oned_kind kind, xmlrpc_value **answer)
{
    return oned_call_object(call, kind, call->argument[2].number, RIGHT_USE, answer);
}

static xmlrpc_value *cluster_add_host(struct oned_call *call)
{
    int cluster = ((const struct oned_thing *)call->object)->id;
    xmlrpc_value *answer;
    struct oned_host *host = object_for_cluster(call, KIND_HOST, &answer);

    if (!host)
        return answer;
    host->cluster = cluster;
    oned_touch(call->oned, KIND_HOST, host->id);
    return oned_answer_int(call, cluster);
}

static xmlrpc_value *cluster_add_thing(struct oned_call *call, enum oned_kind kind)
{
    int cluster = ((const struct oned_thing *)call->object)->id;
    xmlrpc_value *answer;
    struct oned_thing *thing = object_for_cluster(call, kind, &answer);

    if (!thing)
        return answer;
    oned_clusters_add(thing, cluster);
    oned_touch(call->oned, kind, thing->id);
    return oned_answer_int(call, cluster);
}

static xmlrpc_value *cluster_add_datastore(struct oned_call *call)
{
    return cluster_add_thing(call, KIND_DATASTORE);
}

static xmlrpc_value *cluster_add_vnet(struct oned_call *call)
{
    return cluster_add_thing(call, KIND_VNET);
}

static xmlrpc_value *cluster_optimize(struct oned_call *call)
{
    return oned_answer_int(call, call->argument[1].number);
}

static xmlrpc_value *cluster_planexecute(struct oned_call *call)
{
    return oned_answer_failure(call, 0x0800, "Plan is not ready");
}

static xmlrpc_value *cluster_plandelete(struct oned_call *call)
{
    return oned_answer_failure(call, 0x0800, "Plan for cluster %lld does not exist",
                               (long long)call->argument[1].number);
}

static xmlrpc_value *datastore_allocate(struct oned_call *call)
{
    int64_t cluster = oned_argument_or(call, 2, 0);
    struct error err;
    struct oned_thing *datastore = oned_thing_create(NULL, call->argument[1].text, &err);
    const char *type;

    if (!datastore)
        return oned_answer_failure(call, 0x4000, "Error allocating a new datastore. %.200s",
                                   err.text);
    type = oned_attributes_get(&datastore->template, "TYPE");
    datastore->type = !type ? 0 : !strcmp(type, "SYSTEM_DS") ? 1 : !strcmp(type, "FILE_DS") ? 2 : 0;
    oned_datastore_defaults(call->oned, datastore);
    datastore->total_mb = 4796800;
    datastore->free_mb = 3333260;
    datastore->used_mb = 1429920;
    oned_clusters_add(datastore, cluster < 0 ? 0 : (int)cluster);
    return oned_answer_int(call, oned_thing_add(call->oned, KIND_DATASTORE, datastore, 100));
}

static xmlrpc_value *datastore_enable(struct oned_call *call)
{
    struct oned_thing *datastore = call->object;

    datastore->enabled = call->argument[2].number != 0;
    oned_touch(call->oned, KIND_DATASTORE, datastore->id);
    return oned_answer_int(call, datastore->id);
}

/* There are no images. */
static xmlrpc_value *imagepool_info(struct oned_call *call)
{
    return oned_answer_text(call, "<IMAGE_POOL></IMAGE_POOL>");
}

static xmlrpc_value *zonepool_info(struct oned_call *call)
{
    const struct oned *oned = call->oned;
    int port = oned->server ? oned->port : 2633;
    struct oned_text text = {0};

    oned_text_put(&text, "<ZONE_POOL><ZONE><ID>0</ID><NAME>OpenNebula</NAME><STATE>0</STATE>"
                         "<TEMPLATE>");
    oned_text_format(&text, "<ENDPOINT><![CDATA[http://localhost:%d/RPC2]]></ENDPOINT>", port);
    if (oned->options.version >= ONED_7_4)
        oned_text_cdata(&text, "ENDPOINT_GRPC", "localhost:-1");
    oned_text_put(&text, "</TEMPLATE><SERVER_POOL></SERVER_POOL></ZONE></ZONE_POOL>");
    return oned_answer_document(call, &text);
}

enum { RAFT_FOLLOWER = 2 };

static xmlrpc_value *raftstatus(struct oned_call *call)
{
    struct oned_text text = {0};
    const struct oned *oned = call->oned;
    bool follows = oned->raft_leader && strcmp(oned->raft_leader, call->user->name) != 0;
    int state = follows ? RAFT_FOLLOWER : oned->raft_state;

    oned_text_put(&text, "<RAFT>");
    oned_text_number(&text, "SERVER_ID", state == 0 ? -1 : follows);
    oned_text_number(&text, "STATE", state);
    oned_text_number(&text, "TERM", oned->raft_term);
    oned_text_put(&text, "<VOTEDFOR>-1</VOTEDFOR><COMMIT>0</COMMIT><LOG_INDEX>-1</LOG_INDEX>"
                         "<LOG_TERM>-1</LOG_TERM><FEDLOG_INDEX>-1</FEDLOG_INDEX></RAFT>");
    return oned_answer_document(call, &text);
}

static xmlrpc_value *version(struct oned_call *call)
{
    return oned_answer_text(call, call->oned->options.version == ONED_6_10 ? "6.10.5" : "7.4.0");
}

static xmlrpc_value *configuration(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_configuration_document(call->oned, &text);
    return oned_answer_document(call, &text);
}

const struct oned_method oned_site_methods[] = {
    {"one.cluster.allocate", "A:ss", .run = cluster_allocate, .privilege = "CREATE CLUSTER"},
    {"one.cluster.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_CLUSTER},
    {"one.cluster.update", "A:sisi", .run = oned_answer_update, .object = 1, .kind = KIND_CLUSTER,
     .right = RIGHT_MANAGE},
    {"one.cluster.addhost", "A:sii", .run = cluster_add_host, .object = 1, .kind = KIND_CLUSTER,
     .right = RIGHT_ADMIN},
    {"one.cluster.adddatastore", "A:sii", .run = cluster_add_datastore, .object = 1,
     .kind = KIND_CLUSTER, .right = RIGHT_ADMIN},
    {"one.cluster.addvnet", "A:sii", .run = cluster_add_vnet, .object = 1, .kind = KIND_CLUSTER,
     .right = RIGHT_ADMIN},
    {"one.cluster.optimize", "A:si", .run = cluster_optimize, .object = 1, .kind = KIND_CLUSTER,
     .since = ONED_7_4},
    {"one.cluster.planexecute", "A:si", .run = cluster_planexecute, .since = ONED_7_4},
    {"one.cluster.plandelete", "A:si", .run = cluster_plandelete, .since = ONED_7_4},
    {"one.clusterpool.info", "A:s", .run = oned_answer_pool, .kind = KIND_CLUSTER},
    {"one.datastore.allocate", "A:ssi", .run = datastore_allocate, .optional = 1,
     .privilege = "CREATE DATASTORE"},
    {"one.datastore.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_DATASTORE},
    {"one.datastore.update", "A:sisi", .run = oned_answer_update, .object = 1,
     .kind = KIND_DATASTORE, .right = RIGHT_MANAGE},
    {"one.datastore.enable", "A:sib", .run = datastore_enable, .object = 1, .kind = KIND_DATASTORE,
     .right = RIGHT_MANAGE},
    {"one.datastorepool.info", "A:s", .run = oned_answer_pool, .kind = KIND_DATASTORE},
    {"one.vn.allocate", "A:ssi", .run = oned_answer_allocate, .optional = 1, .kind = KIND_VNET},
    {"one.vn.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_VNET},
    {"one.vnpool.info", "A:siii", .run = oned_answer_pool, .kind = KIND_VNET},
    {"one.vmgroup.allocate", "A:ss", .run = oned_answer_allocate, .kind = KIND_VMGROUP},
    {"one.vmgroup.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_VMGROUP},
    {"one.vmgrouppool.info", "A:siii", .run = oned_answer_pool, .kind = KIND_VMGROUP},
    {"one.imagepool.info", "A:siiii", .run = imagepool_info, .optional = 1},
    {"one.zonepool.info", "A:s", .run = zonepool_info},
    {"one.zone.raftstatus", "A:s", .run = raftstatus},
    {"one.system.version", "A:s", .run = version},
    {"one.system.config", "A:s", .run = configuration, .privilege = "system.config"},
    {.name = NULL},
};
