/* Clusters, datastores, networks, VM groups, zones, the system itself. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/site_document.h"
#include "util/memory.h"

static void put_document(const struct oned_call *call, enum oned_kind kind, const void *object,
                         struct oned_text *text)
{
    if (kind == KIND_CLUSTER)
        oned_cluster_document(call->oned, object, text);
    else if (kind == KIND_DATASTORE)
        oned_datastore_document(call->oned, object, text);
    else if (kind == KIND_VNET)
        oned_vnet_document(call->oned, object, text);
    else
        oned_vmgroup_document(call->oned, object, text);
}

/* One object of a kind, as it may be used by everybody. */
static xmlrpc_value *answer_object(struct oned_call *call, enum oned_kind kind, const char *what)
{
    struct oned_text text = {0};
    const void *object;
    int64_t id;

    if (!oned_argument_int(call, 1, &id))
        return NULL;
    object = oned_pool_get(call->oned, kind, id);
    if (!object)
        return oned_answer_missing(call, what, id);
    put_document(call, kind, object, &text);
    return oned_answer_document(call, &text);
}

/* All objects of a kind, the highest id first. */
static xmlrpc_value *answer_pool(struct oned_call *call, enum oned_kind kind, const char *element)
{
    struct oned_text text = {0};

    oned_text_format(&text, "<%s>", element);
    for (int id = call->oned->pools[kind].count - 1; id >= 0; id--) {
        const void *object = oned_pool_get(call->oned, kind, id);

        if (object)
            put_document(call, kind, object, &text);
    }
    oned_text_format(&text, "</%s>", element);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *cluster_info(struct oned_call *call)
{
    return answer_object(call, KIND_CLUSTER, "cluster");
}

static xmlrpc_value *datastore_info(struct oned_call *call)
{
    return answer_object(call, KIND_DATASTORE, "datastore");
}

static xmlrpc_value *vnet_info(struct oned_call *call)
{
    return answer_object(call, KIND_VNET, "virtual network");
}

static xmlrpc_value *vmgroup_info(struct oned_call *call)
{
    return answer_object(call, KIND_VMGROUP, "VM group");
}

static xmlrpc_value *clusterpool_info(struct oned_call *call)
{
    return answer_pool(call, KIND_CLUSTER, "CLUSTER_POOL");
}

static xmlrpc_value *datastorepool_info(struct oned_call *call)
{
    return answer_pool(call, KIND_DATASTORE, "DATASTORE_POOL");
}

/* These two methods take filter, start and end, as pools of VMs do. */
static bool read_range(struct oned_call *call)
{
    int64_t ignored;

    return oned_argument_int(call, 1, &ignored) && oned_argument_int(call, 2, &ignored) &&
           oned_argument_int(call, 3, &ignored);
}

static xmlrpc_value *vnpool_info(struct oned_call *call)
{
    return read_range(call) ? answer_pool(call, KIND_VNET, "VNET_POOL") : NULL;
}

static xmlrpc_value *vmgrouppool_info(struct oned_call *call)
{
    return read_range(call) ? answer_pool(call, KIND_VMGROUP, "VM_GROUP_POOL") : NULL;
}

static bool refuse_others(struct oned_call *call, const char *what, xmlrpc_value **answer)
{
    if (oned_is_admin(call->user))
        return false;
    *answer = oned_answer_failure(call, 0x0200, "User [%d] : Not authorized to perform %s.",
                                  call->user->id, what);
    return true;
}

static xmlrpc_value *cluster_allocate(struct oned_call *call)
{
    struct oned_cluster *cluster;
    xmlrpc_value *answer;
    char *name;

    if (!oned_argument_text(call, 1, &name))
        return NULL;
    if (refuse_others(call, "CREATE CLUSTER", &answer)) {
        free(name);
        return answer;
    }
    cluster = memory_new(1, sizeof *cluster);
    cluster->name = name;
    oned_attributes_parse(&cluster->template, "RESERVED_CPU=\"\"\nRESERVED_MEM=\"\"", NULL);
    cluster->id = oned_pool_add(call->oned, KIND_CLUSTER, cluster,
                                call->oned->pools[KIND_CLUSTER].count < 100 ? 100 : -1);
    oned_touch(call->oned, KIND_CLUSTER, cluster->id);
    return oned_answer_int(call, cluster->id);
}

/* The object of argument 1, if the user has that right to it. NULL: *answer is the error. */
static void *object_to_change(struct oned_call *call, enum oned_kind kind, const char *what,
                              const char *right, xmlrpc_value **answer)
{
    void *object;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, 1, &id))
        return NULL;
    object = oned_pool_get(call->oned, kind, id);
    if (!object)
        *answer = oned_answer_missing(call, what, id);
    else if (refuse_others(call, right, answer))
        return NULL;
    return object;
}

static xmlrpc_value *cluster_update(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_cluster *cluster =
        object_to_change(call, KIND_CLUSTER, "cluster", "MANAGE CLUSTER", &answer);

    return cluster ? oned_update_template(call, KIND_CLUSTER, cluster->id, &cluster->template)
                   : answer;
}

/* The object of argument 2, to be put into the cluster of argument 1. NULL: *answer is the
 * error. */
static void *object_for_cluster(struct oned_call *call, enum oned_kind kind, const char *what,
                                int *cluster, xmlrpc_value **answer)
{
    int64_t into, id;
    void *object;

    *answer = NULL;
    if (!oned_argument_int(call, 1, &into) || !oned_argument_int(call, 2, &id))
        return NULL;
    object = oned_pool_get(call->oned, kind, id);
    *cluster = (int)into;
    if (!oned_cluster(call->oned, into))
        *answer = oned_answer_missing(call, "cluster", into);
    else if (!object)
        *answer = oned_answer_missing(call, what, id);
    else if (!refuse_others(call, "ADMIN CLUSTER", answer))
        return object;
    return NULL;
}

static xmlrpc_value *cluster_add_host(struct oned_call *call)
{
    int cluster;
    xmlrpc_value *answer;
    struct oned_host *host = object_for_cluster(call, KIND_HOST, "host", &cluster, &answer);

    if (!host)
        return answer;
    host->cluster = cluster;
    oned_touch(call->oned, KIND_HOST, host->id);
    return oned_answer_int(call, cluster);
}

static xmlrpc_value *cluster_add_datastore(struct oned_call *call)
{
    int cluster;
    xmlrpc_value *answer;
    struct oned_datastore *datastore =
        object_for_cluster(call, KIND_DATASTORE, "datastore", &cluster, &answer);

    if (!datastore)
        return answer;
    oned_clusters_add(&datastore->clusters, &datastore->cluster_count, cluster);
    oned_touch(call->oned, KIND_DATASTORE, datastore->id);
    return oned_answer_int(call, cluster);
}

static xmlrpc_value *cluster_add_vnet(struct oned_call *call)
{
    int cluster;
    xmlrpc_value *answer;
    struct oned_thing *vnet =
        object_for_cluster(call, KIND_VNET, "virtual network", &cluster, &answer);

    if (!vnet)
        return answer;
    oned_clusters_add(&vnet->clusters, &vnet->cluster_count, cluster);
    oned_touch(call->oned, KIND_VNET, vnet->id);
    return oned_answer_int(call, cluster);
}

static xmlrpc_value *cluster_optimize(struct oned_call *call)
{
    int64_t id;

    if (!oned_argument_int(call, 1, &id))
        return NULL;
    if (!oned_cluster(call->oned, id))
        return oned_answer_missing(call, "cluster", id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *cluster_planexecute(struct oned_call *call)
{
    int64_t id;

    if (!oned_argument_int(call, 1, &id))
        return NULL;
    return oned_answer_failure(call, 0x0800, "Plan is not ready");
}

static xmlrpc_value *cluster_plandelete(struct oned_call *call)
{
    int64_t id;

    if (!oned_argument_int(call, 1, &id))
        return NULL;
    return oned_answer_failure(call, 0x0800, "Plan for cluster %lld does not exist", (long long)id);
}

static xmlrpc_value *datastore_allocate(struct oned_call *call)
{
    struct oned_datastore *datastore;
    const char *type, *name;
    int64_t cluster = 0;
    xmlrpc_value *answer;
    struct error err;
    char *template;

    if (refuse_others(call, "CREATE DATASTORE", &answer))
        return answer;
    if (!oned_argument_int_or(call, 2, &cluster) || !oned_argument_text(call, 1, &template))
        return NULL;
    datastore = memory_new(1, sizeof *datastore);
    if (oned_attributes_parse(&datastore->template, template, &err)) {
        oned_object_free(KIND_DATASTORE, datastore);
        free(template);
        return oned_answer_failure(call, 0x4000, "Error allocating a new datastore. %.200s",
                                   err.text);
    }
    free(template);
    type = oned_attributes_get(&datastore->template, "TYPE");
    name = oned_attributes_get(&datastore->template, "NAME");
    datastore->type = !type ? 0 : !strcmp(type, "SYSTEM_DS") ? 1 : !strcmp(type, "FILE_DS") ? 2 : 0;
    datastore->name = memory_text(name ? name : "datastore");
    oned_datastore_defaults(call->oned, datastore);
    oned_attributes_remove(&datastore->template, "NAME");
    datastore->enabled = true;
    datastore->total_mb = 4796800;
    datastore->free_mb = 3333260;
    datastore->used_mb = 1429920;
    datastore->owner =
        (struct oned_owner){.rights = {[OWNER_U] = true, [OWNER_M] = true, [GROUP_U] = true}};
    oned_clusters_add(&datastore->clusters, &datastore->cluster_count,
                      cluster < 0 ? 0 : (int)cluster);
    datastore->id = oned_pool_add(call->oned, KIND_DATASTORE, datastore,
                                  call->oned->pools[KIND_DATASTORE].count < 100 ? 100 : -1);
    oned_touch(call->oned, KIND_DATASTORE, datastore->id);
    return oned_answer_int(call, datastore->id);
}

static xmlrpc_value *datastore_update(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_datastore *datastore =
        object_to_change(call, KIND_DATASTORE, "datastore", "MANAGE DATASTORE", &answer);

    return datastore
               ? oned_update_template(call, KIND_DATASTORE, datastore->id, &datastore->template)
               : answer;
}

static xmlrpc_value *datastore_enable(struct oned_call *call)
{
    struct oned_datastore *datastore;
    xmlrpc_value *answer;
    bool enable;
    int64_t id;

    if (!oned_argument_int(call, 1, &id) || !oned_argument_bool(call, 2, &enable))
        return NULL;
    datastore = object_to_change(call, KIND_DATASTORE, "datastore", "MANAGE DATASTORE", &answer);
    if (!datastore)
        return answer;
    datastore->enabled = enable;
    oned_touch(call->oned, KIND_DATASTORE, datastore->id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *allocate_thing(struct oned_call *call, enum oned_kind kind)
{
    struct oned_thing *thing = memory_new(1, sizeof *thing);
    struct error err;
    const char *name;
    char *template;

    if (!oned_argument_text(call, 1, &template)) {
        free(thing);
        return NULL;
    }
    if (oned_attributes_parse(&thing->template, template, &err)) {
        oned_object_free(kind, thing);
        free(template);
        return oned_answer_failure(call, 0x4000, "%.300s", err.text);
    }
    free(template);
    name = oned_attributes_get(&thing->template, "NAME");
    thing->name = memory_text(name ? name : "");
    oned_attributes_remove(&thing->template, "NAME");
    thing->owner = (struct oned_owner){.uid = call->user->id,
                                       .gid = call->user->gid,
                                       .rights = {[OWNER_U] = true, [OWNER_M] = true}};
    if (kind == KIND_VNET)
        oned_clusters_add(&thing->clusters, &thing->cluster_count, 0);
    thing->id = oned_pool_add(call->oned, kind, thing, -1);
    oned_touch(call->oned, kind, thing->id);
    return oned_answer_int(call, thing->id);
}

static xmlrpc_value *vnet_allocate(struct oned_call *call)
{
    return allocate_thing(call, KIND_VNET);
}

static xmlrpc_value *vmgroup_allocate(struct oned_call *call)
{
    return allocate_thing(call, KIND_VMGROUP);
}

/* There are no images. */
static xmlrpc_value *imagepool_info(struct oned_call *call)
{
    struct oned_text text = {0};

    if (!read_range(call))
        return NULL;
    oned_text_put(&text, "<IMAGE_POOL></IMAGE_POOL>");
    return oned_answer_document(call, &text);
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
    const char *text = call->oned->options.version == ONED_6_10 ? "6.10.5" : "7.4.0";

    return oned_answer_text(call, text, strlen(text));
}

static xmlrpc_value *configuration(struct oned_call *call)
{
    struct oned_text text = {0};
    xmlrpc_value *answer;

    if (refuse_others(call, "system.config", &answer))
        return answer;
    oned_configuration_document(call->oned, &text);
    return oned_answer_document(call, &text);
}

const struct oned_method oned_site_methods[] = {
    {"one.cluster.allocate", "A:ss", cluster_allocate, ONED_6_10},
    {"one.cluster.info", "A:si", cluster_info, ONED_6_10},
    {"one.cluster.update", "A:sisi", cluster_update, ONED_6_10},
    {"one.cluster.addhost", "A:sii", cluster_add_host, ONED_6_10},
    {"one.cluster.adddatastore", "A:sii", cluster_add_datastore, ONED_6_10},
    {"one.cluster.addvnet", "A:sii", cluster_add_vnet, ONED_6_10},
    {"one.cluster.optimize", "A:si", cluster_optimize, ONED_7_4},
    {"one.cluster.planexecute", "A:si", cluster_planexecute, ONED_7_4},
    {"one.cluster.plandelete", "A:si", cluster_plandelete, ONED_7_4},
    {"one.clusterpool.info", "A:s", clusterpool_info, ONED_6_10},
    {"one.datastore.allocate", "A:ssi", datastore_allocate, ONED_6_10},
    {"one.datastore.info", "A:si", datastore_info, ONED_6_10},
    {"one.datastore.update", "A:sisi", datastore_update, ONED_6_10},
    {"one.datastore.enable", "A:sib", datastore_enable, ONED_6_10},
    {"one.datastorepool.info", "A:s", datastorepool_info, ONED_6_10},
    {"one.vn.allocate", "A:ssi", vnet_allocate, ONED_6_10},
    {"one.vn.info", "A:si", vnet_info, ONED_6_10},
    {"one.vnpool.info", "A:siii", vnpool_info, ONED_6_10},
    {"one.vmgroup.allocate", "A:ss", vmgroup_allocate, ONED_6_10},
    {"one.vmgroup.info", "A:si", vmgroup_info, ONED_6_10},
    {"one.vmgrouppool.info", "A:siii", vmgrouppool_info, ONED_6_10},
    {"one.imagepool.info", "A:siiii", imagepool_info, ONED_6_10},
    {"one.zonepool.info", "A:s", zonepool_info, ONED_6_10},
    {"one.zone.raftstatus", "A:s", raftstatus, ONED_6_10},
    {"one.system.version", "A:s", version, ONED_6_10},
    {"one.system.config", "A:s", configuration, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
