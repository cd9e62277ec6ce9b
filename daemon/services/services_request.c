/* Creates the VMs of a requested lease. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/intake.h"
#include "daemon/services/services.h"
#include "daemon/services/services_question.h"
#include "util/crash_point.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_CONTROL

enum { SEEN_LIMIT = 10 * 1000 /* milliseconds in which galernad should see the VMs */ };

/* An order whose VMs are being created, one call each. */
struct making {
    struct daemon *daemon;
    struct making *next; /* in daemon->makings, when all VMs are created */
    int64_t gives_up;    /* monotonic milliseconds */
    uint64_t ticket;
    uint32_t wanted, answered;
    int32_t *vms;
    uint32_t n_vms;
    struct error err; /* the first error */
};

static void ignored(void *context, const struct cloud_reply *reply)
{
    (void)context;
    if (reply->outcome != CLOUD_DONE)
        log_warning("a VM of a failed request may be left over: %s", reply->message);
}

/* Removes the VMs already created: an order is all or nothing. */
static void take_back(const struct making *making)
{
    for (uint32_t i = 0; i < making->n_vms; i++)
        cloud_command(making->daemon->cloud,
                      &(struct cloud_command){.vm = making->vms[i],
                                              .command = COMMAND_TERMINATE_HARD,
                                              .done = ignored});
}

static void making_destroy(struct making *making)
{
    free(making->vms);
    free(making);
}

/* A client that has its answer may ask about the lease at once, so the answer waits for it. */
static void finish(struct making *making)
{
    struct daemon *daemon = making->daemon;

    if (making->err.code) {
        take_back(making);
        control_answer(daemon->control, making->ticket, answers_refused(&making->err));
        making_destroy(making);
    } else {
        making->gives_up = clock_monotonic() + SEEN_LIMIT;
        making->next = daemon->makings;
        daemon->makings = making;
    }
    daemon_notice(daemon);
}

void services_answer_requests(struct daemon *daemon)
{
    for (struct making **place = &daemon->makings, *making; (making = *place);) {
        if (!store_vm(daemon->store, making->vms[0]) && clock_monotonic() < making->gives_up) {
            place = &making->next;
            continue;
        }
        *place = making->next;
        control_answer(daemon->control, making->ticket,
                       answers_requested(making->vms, making->n_vms));
        making_destroy(making);
    }
}

void services_requests_forget(struct daemon *daemon)
{
    for (struct making *making; (making = daemon->makings);) {
        daemon->makings = making->next;
        making_destroy(making);
    }
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
                                                              .session = order->session,
                                                              .done = made,
                                                              .context = making});
    crash_point("after a VM is ordered");
}

/* How many VMs of the size would fit on all hosts when empty. INT64_MAX: unknown. */
static int64_t most_vms(const struct daemon *daemon, const struct order_size *size)
{
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    int64_t n = 0;

    for (size_t i = 0; hosts && i < hosts->pool.n; i++) {
        const struct host *host = &hosts->pool.items[i];
        int64_t by_cpu = host->cpu / size->cpu, by_memory = host->memory / size->memory;

        if (host->cpu == 0 || host->memory == 0)
            return INT64_MAX;
        n += by_cpu < by_memory ? by_cpu : by_memory;
    }
    return hosts ? n : INT64_MAX;
}

enum verdict services_judge_order(const struct daemon *daemon, const struct order *order,
                                  struct told_reason *reason)
{
    char rule[LEASE_SPEC_TEXT_MAX];
    enum verdict verdict = intake_judge_order(daemon, order, clock_now(), rule);

    if (verdict == VERDICT_NO || (verdict == VERDICT_LATER && daemon->question->is_answered)) {
        store_tell_reason(reason, &(struct reason){.id = REASON_NOT_GRANTED, .text = rule});
        return VERDICT_NO;
    }
    if (order_unsized(order)) /* the template defines a size */
        return verdict;
    for (size_t i = 0; i < order->n_sizes; i++) {
        const struct order_size *size = &order->sizes[i];
        int64_t most = most_vms(daemon, size);

        if (most >= size->count)
            continue;
        store_tell_reason(reason, &(struct reason){.id = REASON_TOO_BIG, .n = {size->count, most}});
        if (order->n_sizes > 1) {
            reason->n[4] = size->cpu;
            reason->n[5] = size->memory;
        }
        return VERDICT_NO;
    }
    return verdict;
}

int services_request(void *context, const struct order *order, const struct control_peer *peer,
                     struct error *err)
{
    struct daemon *daemon = context;
    struct making *making;
    struct told_reason reason;
    char group[STORE_GROUP_MAX], text[STORE_SENTENCE_MAX];
    enum verdict verdict;

    if (!daemon->poll_ok)
        return error_set(err, EAGAIN, "OpenNebula cannot be reached; try again later");
    if (services_check_store(daemon, err) < 0)
        return -1;
    verdict = services_judge_order(daemon, order, &reason);
    if (verdict == VERDICT_NO) {
        store_told_text(&reason, true, text, sizeof text);
        return error_set(err, ENOSPC, "refused: %s", text);
    }
    if (verdict == VERDICT_LATER && !order_unsized(order)) /* else the intake decides in order */
        return services_try_order(daemon, order, err);
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
