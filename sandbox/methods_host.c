/* one.host.* and one.hostpool.* */
#include <stdlib.h>

#include "sandbox/host.h"
#include "sandbox/method.h"

/* Only administrators use hosts; others may at most have VMs put on them. */
static struct oned_host *get_host(struct oned_call *call, const char *right, xmlrpc_value **answer)
{
    struct oned_host *host;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, 1, &id))
        return NULL;
    host = oned_host(call->oned, id);
    if (!host) {
        *answer = oned_answer_missing(call, "host", id);
    } else if (!oned_is_admin(call->user)) {
        *answer = oned_answer_forbidden(call, right, "HOST", id);
        host = NULL;
    }
    return host;
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    struct oned_host *host;
    int64_t cluster = -1;
    char *name;

    if (!oned_argument_int_or(call, 4, &cluster) || !oned_argument_text(call, 1, &name))
        return NULL;
    cluster = cluster < 0 ? 0 : cluster;
    if (!oned_is_admin(call->user)) {
        free(name);
        return oned_answer_failure(call, 0x0200,
                                   "User [%d] : Not authorized to perform CREATE "
                                   "HOST.",
                                   call->user->id);
    }
    if (!oned_cluster(call->oned, cluster)) {
        free(name);
        return oned_answer_missing(call, "cluster", cluster);
    }
    host = oned_host_add(call->oned, name, (int)cluster);
    free(name);
    return oned_answer_int(call, host->id);
}

static xmlrpc_value *info(struct oned_call *call)
{
    struct oned_text text = {0};
    xmlrpc_value *answer;
    struct oned_host *host = get_host(call, "USE", &answer);

    if (!host)
        return answer;
    oned_host_document(call->oned, host, true, &text);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *delete_host(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_host *host = get_host(call, "ADMIN", &answer);
    int id;

    if (!host)
        return answer;
    id = host->id;
    if (host->vm_count > 0)
        return oned_answer_failure(call, 0x0800,
                                   "Cannot delete host. Can not remove a host with "
                                   "running VMs");
    oned_pool_remove(call->oned, KIND_HOST, id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *status(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_host *host;
    int64_t wanted;

    if (!oned_argument_int(call, 2, &wanted))
        return NULL;
    host = get_host(call, "ADMIN", &answer);
    if (!host)
        return answer;
    if (wanted < 0 || wanted > 2)
        return oned_answer_failure(call, 0x2000, "Wrong status code");
    oned_host_set_status(call->oned, host, (int)wanted);
    return oned_answer_int(call, host->id);
}

static xmlrpc_value *update(struct oned_call *call)
{
    struct oned_attributes changes = {0};
    struct error err = {0};
    struct oned_host *host;
    xmlrpc_value *answer;
    int64_t append;
    char *template;

    if (!oned_argument_int(call, 3, &append) || !oned_argument_text(call, 2, &template))
        return NULL;
    host = get_host(call, "ADMIN", &answer);
    if (host && oned_attributes_parse(&changes, template, &err)) {
        answer = oned_answer_failure(call, 0x2000, "Cannot update template. %.300s", err.text);
    } else if (host) {
        if (append)
            oned_attributes_merge(&host->template, &changes);
        else
            oned_attributes_copy(&host->template, &changes);
        if (!append && host->monitored > 0)
            oned_host_monitor(call->oned, host);
        oned_touch(call->oned, KIND_HOST, host->id);
        answer = oned_answer_int(call, host->id);
    }
    oned_attributes_finish(&changes);
    free(template);
    return answer;
}

static xmlrpc_value *change_name(struct oned_call *call)
{
    struct oned_host *host;
    xmlrpc_value *answer;
    char *name;

    if (!oned_argument_text(call, 2, &name))
        return NULL;
    host = get_host(call, "ADMIN", &answer);
    if (!host) {
        free(name);
        return answer;
    }
    free(host->name);
    host->name = name;
    oned_touch(call->oned, KIND_HOST, host->id);
    return oned_answer_int(call, host->id);
}

static xmlrpc_value *monitoring(struct oned_call *call)
{
    struct oned_text text = {0};
    xmlrpc_value *answer;
    struct oned_host *host = get_host(call, "USE", &answer);

    if (!host)
        return answer;
    oned_text_put(&text, "<MONITORING_DATA>");
    oned_host_monitoring(call->oned, host, &text);
    oned_text_put(&text, "</MONITORING_DATA>");
    return oned_answer_document(call, &text);
}

static xmlrpc_value *pool_info(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_text_put(&text, "<HOST_POOL>");
    for (int id = call->oned->pools[KIND_HOST].count - 1; id >= 0 && oned_is_admin(call->user);
         id--) {
        const struct oned_host *host = oned_host(call->oned, id);

        if (host)
            oned_host_document(call->oned, host, false, &text);
    }
    oned_text_put(&text, "</HOST_POOL>");
    return oned_answer_document(call, &text);
}

static xmlrpc_value *pool_monitoring(struct oned_call *call)
{
    struct oned_text text = {0};
    int64_t seconds = -1;

    if (!oned_argument_int_or(call, 1, &seconds))
        return NULL;
    oned_text_put(&text, "<MONITORING_DATA>");
    for (int id = 0; id < call->oned->pools[KIND_HOST].count && oned_is_admin(call->user); id++) {
        const struct oned_host *host = oned_host(call->oned, id);

        if (host)
            oned_host_monitoring(call->oned, host, &text);
    }
    oned_text_put(&text, "</MONITORING_DATA>");
    return oned_answer_document(call, &text);
}

const struct oned_method oned_host_methods[] = {
    {"one.host.allocate", "A:ssssi", allocate, ONED_6_10},
    {"one.host.info", "A:si", info, ONED_6_10},
    {"one.host.delete", "A:si", delete_host, ONED_6_10},
    {"one.host.status", "A:sii", status, ONED_6_10},
    {"one.host.update", "A:sisi", update, ONED_6_10},
    {"one.host.rename", "A:sis", change_name, ONED_6_10},
    {"one.host.monitoring", "A:si", monitoring, ONED_6_10},
    {"one.hostpool.info", "A:s", pool_info, ONED_6_10},
    {"one.hostpool.monitoring", "A:si", pool_monitoring, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
