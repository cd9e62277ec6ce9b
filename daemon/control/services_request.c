#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/services.h"
#include "daemon/daemon.h"
#include "daemon/live/clock.h"
#include "daemon/log.h"
#include "util/crash_point.h"
#include "util/memory.h"

/* An order whose VMs are being made, one call each. */
struct making {
    struct daemon *daemon;
    uint64_t ticket;
    uint32_t wanted, answered;
    int32_t *vms;
    uint32_t n_vms;
    struct error err; /* the first that went wrong */
};

static void ignored(void *context, const struct rpc_reply *reply)
{
    (void)context;
    if (reply->outcome != RPC_DONE)
        log_warning("a VM of an order that failed may be left over: %s", reply->message);
}

/* Half an order is none. */
static void take_back(const struct making *making)
{
    for (uint32_t i = 0; i < making->n_vms; i++) {
        const struct rpc_argument arguments[] = {RPC_TEXT("terminate-hard"),
                                                 RPC_INT(making->vms[i])};

        rpc_call(making->daemon->rpc, &(struct rpc_request){.method = "one.vm.action",
                                                            .arguments = arguments,
                                                            .n_arguments = 2,
                                                            .done = ignored});
    }
}

static void finish(struct making *making)
{
    if (making->err.code) {
        take_back(making);
        control_answer(making->daemon->control, making->ticket, answers_refused(&making->err));
    } else {
        control_answer(making->daemon->control, making->ticket,
                       answers_requested(making->vms, making->n_vms));
    }
    daemon_notice(making->daemon);
    free(making->vms);
    free(making);
}

static void made(void *context, const struct rpc_reply *reply)
{
    struct making *making = context;

    crash_point("VM made");
    if (reply->outcome == RPC_DONE)
        making->vms[making->n_vms++] = (int32_t)reply->number;
    else if (!making->err.code)
        error_set(&making->err, reply->outcome == RPC_REFUSED ? EACCES : EIO, "%s", reply->message);
    if (++making->answered == making->wanted)
        finish(making);
}

static void make_vm(struct making *making, const struct order *order, const char *group,
                    uint32_t number)
{
    char text[ORDER_TEXT_MAX], name[STORE_NAME_MAX + 16];
    struct rpc_request request = {.done = made, .context = making, .urgent = true};
    const struct rpc_argument plain[] = {RPC_TEXT(text), RPC_BOOL(false)};
    const struct rpc_argument from_template[] = {RPC_INT(order->template), RPC_TEXT(name),
                                                 RPC_BOOL(false), RPC_TEXT(text), RPC_BOOL(false)};

    order_template(order, group, number, text);
    order_vm_name(order, number, name);
    request.method = order->template <0 ? "one.vm.allocate" : "one.template.instantiate";
    request.arguments = order->template <0 ? plain : from_template;
    request.n_arguments = order->template <0 ? 2 : 5;
    crash_point("before a VM is made");
    rpc_call(making->daemon->rpc, &request);
    crash_point("after a VM is ordered");
}

int services_request(void *context, const struct order *order, const struct control_peer *peer,
                     struct error *err)
{
    struct daemon *daemon = context;
    struct making *making;
    char group[STORE_GROUP_MAX];

    if (!daemon->poll_ok)
        return error_set(err, EAGAIN, "OpenNebula cannot be reached at present; try again later");
    if (daemon->unwritten[0])
        return error_set(err, EAGAIN, "nothing can be promised: %.200s", daemon->unwritten);
    making = memory_new(1, sizeof *making);
    making->daemon = daemon;
    making->ticket = peer->ticket;
    making->wanted = order->count;
    making->vms = memory_new(order->count, sizeof *making->vms);
    snprintf(group, sizeof group, ORDER_GROUP_PREFIX "%lld-%llu", (long long)clock_now(),
             (unsigned long long)peer->ticket);
    for (uint32_t i = 0; i < order->count; i++)
        make_vm(making, order, group, i);
    return 0;
}
