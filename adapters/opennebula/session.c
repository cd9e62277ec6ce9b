/* Queries OpenNebula with a user's own session. */
#include "adapters/opennebula/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/rpc.h"

enum {
    ALL_VISIBLE = -2, /* one.vmpool.info: the VMs that the user may USE */
    NO_LIMIT = -1,
    NOT_DONE = -1,
    ANY_STATE = -2,
    NO_ACTION = INT32_MAX, /* the id of a scheduled action that no VM has */
    WAIT = 1000,           /* milliseconds */
};

/* Did oned refuse because of the user's rights, instead of failing? */
static bool is_denied(const struct rpc_reply *reply)
{
    return reply->outcome == RPC_REFUSED && reply->code != RPC_CODE_INTERNAL &&
           reply->code != RPC_CODE_REPLICATION;
}

static bool is_rejected(const struct rpc_reply *reply)
{
    return reply->outcome == RPC_REFUSED &&
           (reply->code == RPC_CODE_AUTHENTICATION || reply->code == RPC_CODE_AUTHORIZATION);
}

int session_user(struct rpc *rpc, struct user_pool *user, struct error *err)
{
    const struct rpc_argument own = RPC_INT(-1);
    const struct rpc_request request = {
        .method = "one.user.info", .arguments = &own, .n_arguments = 1};
    struct rpc_reply reply = {0};
    char *document = NULL;
    int result = -1;

    if (rpc_call_now(rpc, &request, &document, &reply, err) < 0) {
        err->code = is_rejected(&reply) ? EACCES : EAGAIN;
    } else if (!document) {
        error_set(err, EPROTO, "%s: empty answer of OpenNebula", request.method);
    } else {
        result = user_pool_parse(user, document, strlen(document), err);
    }
    if (result == 0 && user->n != 1) {
        user_pool_finish(user);
        result = error_set(err, EPROTO, "%s: unexpected answer of OpenNebula", request.method);
    }
    free(document);
    return result;
}

/* --- rights on single VMs --------------------------------------------------------------------- */

static void use_answered(void *context, const struct rpc_reply *reply)
{
    struct error *refusal = context;

    if (reply->outcome == RPC_DONE || refusal->code)
        return;
    error_set(refusal,
              !is_denied(reply)                   ? EAGAIN
              : reply->code == RPC_CODE_NO_EXISTS ? ENOENT
                                                  : EPERM,
              "%s", reply->message);
}

/* The action does not exist, which oned reveals only to users who may MANAGE the VM. */
static void manage_answered(void *context, const struct rpc_reply *reply)
{
    if (reply->outcome != RPC_REFUSED || reply->code != RPC_CODE_NO_EXISTS)
        use_answered(context, reply);
}

void session_ask(struct rpc *rpc, int64_t vm, bool manage, struct error *refusal)
{
    const struct rpc_argument use[] = {RPC_INT(vm), RPC_BOOL(false)},
                              action[] = {RPC_INT(vm), RPC_INT(NO_ACTION)};

    rpc_call(rpc, &(struct rpc_request){.method = manage ? "one.vm.scheddelete" : "one.vm.info",
                                        .arguments = manage ? action : use,
                                        .n_arguments = 2,
                                        .done = manage ? manage_answered : use_answered,
                                        .context = refusal});
}

int session_answers(struct rpc *rpc, const struct error *refusal, struct error *err)
{
    while (rpc_pending(rpc) > 0)
        if (rpc_wait(rpc, NULL, 0, WAIT, err) < 0)
            return -1;
    if (!refusal->code)
        return 0;
    *err = *refusal;
    return -1;
}

/* --- visible objects -------------------------------------------------------------------------- */

/* The answer of a call as a document, to be freed; NULL with err. */
static char *document_of(struct rpc *rpc, const struct rpc_request *request, struct error *err)
{
    char *document = NULL;

    if (rpc_call_now(rpc, request, &document, NULL, err) < 0)
        err->code = EAGAIN;
    else if (!document)
        error_set(err, EAGAIN, "%s: empty answer of OpenNebula", request->method);
    return document;
}

static int ask_for_vms(struct rpc *rpc, const char *method, int32_t state, struct vm_pool *vms,
                       struct error *err)
{
    const struct rpc_argument arguments[] = {RPC_INT(ALL_VISIBLE), RPC_INT(NO_LIMIT),
                                             RPC_INT(NO_LIMIT), RPC_INT(state)};
    char *document = document_of(
        rpc, &(struct rpc_request){.method = method, .arguments = arguments, .n_arguments = 4},
        err);
    int result = document ? vm_pool_parse(vms, document, strlen(document), err) : -1;

    free(document);
    return result;
}

int session_vms(struct rpc *rpc, struct vm_pool *vms, struct error *err)
{
    return ask_for_vms(rpc, "one.vmpool.info", NOT_DONE, vms, err);
}

int session_vms_in_full(struct rpc *rpc, bool ended, struct vm_pool *vms, struct error *err)
{
    return ask_for_vms(rpc, "one.vmpool.infoextended", ended ? ANY_STATE : NOT_DONE, vms, err);
}

int session_hosts(struct rpc *rpc, struct host_pool *hosts, struct error *err)
{
    char *document = document_of(rpc, &(struct rpc_request){.method = "one.hostpool.info"}, err);
    int result = document ? host_pool_parse(hosts, document, strlen(document), err) : -1;

    free(document);
    return result;
}

int session_create_vm(struct rpc *rpc, const char *template, bool hold, int64_t *id,
                      struct error *err)
{
    const struct rpc_argument arguments[] = {RPC_TEXT(template), RPC_BOOL(hold)};
    struct rpc_reply reply = {0};
    int result =
        rpc_call_now(rpc,
                     &(struct rpc_request){
                         .method = "one.vm.allocate", .arguments = arguments, .n_arguments = 2},
                     NULL, &reply, err);

    *id = reply.number;
    return result;
}
