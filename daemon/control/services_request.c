#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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

static void ignored(void *context, const struct cloud_reply *reply)
{
    (void)context;
    if (reply->outcome != CLOUD_DONE)
        log_warning("a VM of an order that failed may be left over: %s", reply->message);
}

/* Half an order is none. */
static void take_back(const struct making *making)
{
    for (uint32_t i = 0; i < making->n_vms; i++)
        cloud_command(making->daemon->cloud,
                      &(struct cloud_command){.vm = making->vms[i],
                                              .command = COMMAND_TERMINATE_HARD,
                                              .done = ignored});
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

static void made(void *context, const struct cloud_reply *reply)
{
    struct making *making = context;

    crash_point("VM made");
    if (reply->outcome == CLOUD_DONE)
        making->vms[making->n_vms++] = reply->vm;
    else if (!making->err.code)
        error_set(&making->err, reply->outcome == CLOUD_REFUSED ? EACCES : EIO, "%s",
                  reply->message);
    if (++making->answered == making->wanted)
        finish(making);
}

static void make_vm(struct making *making, const struct order *order, const char *group,
                    uint32_t number)
{
    char text[ORDER_TEXT_MAX], name[STORE_NAME_MAX + 16];

    order_template(order, group, number, text);
    order_vm_name(order, number, name);
    crash_point("before a VM is made");
    cloud_create(making->daemon->cloud, &(struct cloud_order){.template = order->template,
                                                              .name = name,
                                                              .text = text,
                                                              .done = made,
                                                              .context = making});
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
    if (daemon->problems[PROBLEM_STORE].text[0])
        return error_set(err, EAGAIN, "nothing can be promised: %.200s",
                         daemon->problems[PROBLEM_STORE].text);
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
