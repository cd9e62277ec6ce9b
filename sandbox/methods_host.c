/* one.host.* and one.hostpool.* */
#include <stdlib.h>

#include "sandbox/host.h"
#include "sandbox/method.h"
#include "util/memory.h"

static xmlrpc_value *allocate(struct oned_call *call)
{
    int64_t cluster = oned_argument_or(call, 4, 0);

    cluster = cluster < 0 ? 0 : cluster;
    if (!oned_cluster(call->oned, cluster))
        return oned_answer_missing(call, KIND_CLUSTER, cluster);
    return oned_answer_int(call,
                           oned_host_add(call->oned, call->argument[1].text, (int)cluster)->id);
}

static xmlrpc_value *delete_host(struct oned_call *call)
{
    const struct oned_host *host = call->object;
    int id = host->id;

    if (host->vm_count > 0)
        return oned_answer_failure(call, 0x0800,
                                   "Cannot delete host. Can not remove a host with running VMs");
    oned_pool_remove(call->oned, KIND_HOST, id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *status(struct oned_call *call)
{
    struct oned_host *host = call->object;
    int64_t wanted = call->argument[2].number;

    if (wanted < 0 || wanted > 2)
        return oned_answer_failure(call, 0x2000, "Wrong status code");
    oned_host_set_status(call->oned, host, (int)wanted);
    return oned_answer_int(call, host->id);
}

static xmlrpc_value *update(struct oned_call *call)
{
    struct oned_host *host = call->object;
    xmlrpc_value *answer = oned_update_template(call, KIND_HOST, host->id, &host->template);

    if (!call->argument[3].number && host->monitored > 0)
        oned_host_monitor(call->oned, host);
    return answer;
}

static xmlrpc_value *change_name(struct oned_call *call)
{
    struct oned_host *host = call->object;

    free(host->name);
    host->name = memory_text(call->argument[2].text);
    oned_touch(call->oned, KIND_HOST, host->id);
    return oned_answer_int(call, host->id);
}

static xmlrpc_value *answer_monitoring(struct oned_call *call, int first, int end)
{
    struct oned_text text = {0};

    oned_text_put(&text, "<MONITORING_DATA>");
    for (int id = first; id < end; id++)
        if (oned_host(call->oned, id))
            oned_host_monitoring(call->oned, oned_host(call->oned, id), &text);
    oned_text_put(&text, "</MONITORING_DATA>");
    return oned_answer_document(call, &text);
}

static xmlrpc_value *monitoring(struct oned_call *call)
{
    int id = ((const struct oned_host *)call->object)->id;

    return answer_monitoring(call, id, id + 1);
}

static xmlrpc_value *pool_monitoring(struct oned_call *call)
{
    return answer_monitoring(call, 0,
                             oned_is_admin(call->user) ? call->oned->pools[KIND_HOST].count : 0);
}

const struct oned_method oned_host_methods[] = {
    {"one.host.allocate", "A:ssssi", .run = allocate, .optional = 3, .privilege = "CREATE HOST"},
    {"one.host.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_HOST},
    {"one.host.delete", "A:si", .run = delete_host, .object = 1, .kind = KIND_HOST,
     .right = RIGHT_ADMIN},
    {"one.host.status", "A:sii", .run = status, .object = 1, .kind = KIND_HOST,
     .right = RIGHT_ADMIN},
    {"one.host.update", "A:sisi", .run = update, .object = 1, .kind = KIND_HOST,
     .right = RIGHT_ADMIN},
    {"one.host.rename", "A:sis", .run = change_name, .object = 1, .kind = KIND_HOST,
     .right = RIGHT_ADMIN},
    {"one.host.monitoring", "A:si", .run = monitoring, .object = 1, .kind = KIND_HOST},
    {"one.hostpool.info", "A:s", .run = oned_answer_pool, .kind = KIND_HOST},
    {"one.hostpool.monitoring", "A:si", .run = pool_monitoring, .optional = 1},
    {.name = NULL},
};
