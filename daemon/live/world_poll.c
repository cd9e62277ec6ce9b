#include "daemon/live/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/live/world_inside.h"
#include "daemon/log.h"
#include "util/memory.h"

enum { IDS_PER_CALL = 400, ALL = -1, EVERYBODYS = -2 };

/* --- a poll ----------------------------------------------------------------------------------- */

static void poll_failed(struct world *world, const char *what, const char *why)
{
    if (!world->failed)
        snprintf(world->error, sizeof world->error, "%s%s%.200s", what, *what ? ": " : "", why);
    world->failed = true;
}

static void poll_begin(struct world *world, enum poll_kind kind);
static bool poll_second_stage(struct world *world);

/* The pool of hosts and what they reported are two documents. */
static void take_hosts(struct world *world)
{
    if (world->hosts_next) {
        host_monitoring_merge(&world->hosts_next->pool, &world->monitoring);
        world->hosts_next->number = ++world->n_pictures;
        hosts_release(world->hosts);
        world->hosts = world->hosts_next;
        world->hosts_next = NULL;
    }
    host_monitoring_finish(&world->monitoring);
}

static void poll_finish(struct world *world)
{
    bool ok = !world->failed;

    take_hosts(world);
    if (ok && world->kind == POLL_FULL && world->site_next) {
        site_release(world->site);
        world->site = world->site_next;
        world->site_next = NULL;
        world->site_asked = world->asked;
    }
    if (ok)
        full_forms_take(world);
    else
        full_forms_finish(&world->full_next);
    site_release(world->site_next);
    world->site_next = NULL;
    if (ok && world->kind == POLL_FULL)
        promises_review(world);
    world->polling = false;
    world->polled(world->context, world->kind, ok, world->error);
    if (world->next && !world->polling) {
        world->next = false;
        poll_begin(world, world->next_kind);
    }
}

static void answer_in(struct world *world)
{
    if (--world->open > 0)
        return;
    if (!world->failed && !world->second_stage) {
        world->second_stage = true;
        if (poll_second_stage(world))
            return;
    }
    poll_finish(world);
}

static bool answered(struct world *world, const struct rpc_reply *reply)
{
    if (reply->outcome == RPC_DONE && reply->text)
        return true;
    poll_failed(world, "",
                reply->outcome == RPC_DONE ? "the answer is no document" : reply->message);
    return false;
}

static void note_left_out(const struct pool_errors *errors, const char *what)
{
    if (errors->n)
        log_warning("%zu %s left out: %s", errors->n, what, errors->first);
}

static void vms_in(struct world *world, const struct rpc_reply *reply, bool keep)
{
    struct vm_pool pool;
    struct error err = {0};

    if (!answered(world, reply))
        return;
    if (vm_pool_parse(&pool, reply->text, reply->length, &err) < 0) {
        poll_failed(world, "the VM pool", err.text);
        return;
    }
    note_left_out(&pool.errors, "VMs of the VM pool");
    for (size_t i = 0; i < pool.n; i++)
        observation_see(world, &pool.items[i], world->asked);
    if (!keep) {
        vm_pool_finish(&pool);
        return;
    }
    full_forms_add(&world->full_next, &pool, world->asked);
}

static void short_vms_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;

    vms_in(world, reply, false);
    answer_in(world);
}

static void full_vms_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;

    vms_in(world, reply, true);
    answer_in(world);
}

static void hosts_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;
    struct error err = {0};

    if (answered(world, reply)) {
        struct hosts_seen *hosts = memory_new(1, sizeof *hosts);

        hosts->references = 1;
        if (host_pool_parse(&hosts->pool, reply->text, reply->length, &err) < 0) {
            poll_failed(world, "the host pool", err.text);
            free(hosts);
        } else {
            note_left_out(&hosts->pool.errors, "hosts of the host pool");
            hosts_release(world->hosts_next);
            world->hosts_next = hosts;
        }
    }
    answer_in(world);
}

static void monitoring_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;
    struct error err = {0};

    if (answered(world, reply)) {
        host_monitoring_finish(&world->monitoring);
        if (host_monitoring_parse(&world->monitoring, reply->text, reply->length, &err) < 0)
            poll_failed(world, "the hosts' figures", err.text);
        else
            note_left_out(&world->monitoring.errors, "hosts' figures");
    }
    answer_in(world);
}

static void note_leader(struct world *world, bool leads, int64_t asked)
{
    if (leads != world->leads && world->leader_checked)
        log_warning("oned %s now (%s)", leads ? "leads" : "does not lead", world->raft_state);
    world->leads = leads;
    world->leader_checked = asked;
}

static void leader_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;
    struct error err = {0};
    bool leads = false;

    if (reply->outcome == RPC_DONE && reply->text &&
        raft_status_parse(reply->text, reply->length, &leads, world->raft_state,
                          sizeof world->raft_state, &err) == 0)
        note_leader(world, leads, world->leader_asked);
    else
        world->leads = false;
    world->leader_told(world->leader_context);
}

void world_check_leader(struct world *world, void (*told)(void *context), void *context)
{
    world->leader_told = told;
    world->leader_context = context;
    world->leader_asked = clock_monotonic();
    rpc_call(world->settings.rpc, &(struct rpc_request){.method = "one.zone.raftstatus",
                                                        .urgent = true,
                                                        .done = leader_in,
                                                        .context = world});
}

int64_t world_leader_checked(const struct world *world)
{
    return world->leader_checked;
}

static void raft_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;
    struct error err = {0};
    bool leads = false;

    if (answered(world, reply)) {
        if (raft_status_parse(reply->text, reply->length, &leads, world->raft_state,
                              sizeof world->raft_state, &err) < 0)
            poll_failed(world, "one.zone.raftstatus", err.text);
        else
            note_leader(world, leads, world->asked);
    }
    answer_in(world);
}

#define DEFINE_SITE_ANSWER(name, parse, member)                                                    \
    static void name(void *context, const struct rpc_reply *reply)                                 \
    {                                                                                              \
        struct world *world = context;                                                             \
        struct error err = {0};                                                                    \
                                                                                                   \
        if (answered(world, reply) &&                                                              \
            parse(&world->site_next->member, reply->text, reply->length, &err) < 0)                \
            poll_failed(world, #member, err.text);                                                 \
        answer_in(world);                                                                          \
    }

DEFINE_SITE_ANSWER(datastores_in, datastore_pool_parse, datastores)
DEFINE_SITE_ANSWER(clusters_in, cluster_pool_parse, clusters)
DEFINE_SITE_ANSWER(users_in, user_pool_parse, users)
DEFINE_SITE_ANSWER(acl_in, acl_parse, acl)

static void ask(struct world *world, const char *method, const struct rpc_argument *arguments,
                size_t n, rpc_done *done)
{
    struct rpc_request request = {.method = method,
                                  .arguments = arguments,
                                  .n_arguments = n,
                                  .urgent = true,
                                  .done = done,
                                  .context = world};

    world->open++;
    rpc_call(world->settings.rpc, &request);
}

static void ask_for_ids(struct world *world, const int32_t *ids, size_t n)
{
    char *list = memory_new(n + 1, 12);

    for (size_t first = 0; first < n; first += IDS_PER_CALL) {
        size_t length = 0;

        for (size_t i = first; i < n && i < first + IDS_PER_CALL; i++)
            length += (size_t)sprintf(list + length, "%s%d", length ? "," : "", ids[i]);
        ask(world, "one.vmpool.infoset", (struct rpc_argument[]){RPC_TEXT(list), RPC_BOOL(true)}, 2,
            full_vms_in);
    }
    free(list);
}

/* RPC_INT() is no constant. */
static const struct rpc_argument pending[] = {{.type = RPC_INTEGER, .number = EVERYBODYS},
                                              {.type = RPC_INTEGER, .number = ALL},
                                              {.type = RPC_INTEGER, .number = ALL},
                                              {.type = RPC_INTEGER, .number = VM_PENDING}};

static void poll_begin(struct world *world, enum poll_kind kind)
{
    const struct rpc_argument all[] = {RPC_INT(EVERYBODYS), RPC_INT(ALL), RPC_INT(ALL),
                                       RPC_INT(ALL)};
    const struct rpc_argument last = RPC_INT(0); /* seconds: the last figures only */

    world->polling = true;
    world->failed = world->second_stage = false;
    world->kind = kind;
    world->asked = clock_monotonic();
    world->open = 1;
    if (world->settings.check_leader)
        ask(world, "one.zone.raftstatus", NULL, 0, raft_in);
    else
        world->leads = true;
    if (kind == POLL_FULL) {
        ask(world, "one.hostpool.info", NULL, 0, hosts_in);
        ask(world, "one.hostpool.monitoring", &last, 1, monitoring_in);
        ask(world, "one.vmpool.info", all, 4, short_vms_in);
        if (!world->site || world->asked - world->site_asked >= world->settings.site_interval) {
            world->site_next = memory_new(1, sizeof *world->site_next);
            world->site_next->references = 1;
            ask(world, "one.datastorepool.info", NULL, 0, datastores_in);
            ask(world, "one.clusterpool.info", NULL, 0, clusters_in);
            ask(world, "one.userpool.info", NULL, 0, users_in);
            ask(world, "one.acl.info", NULL, 0, acl_in);
        }
    }
    ask(world, "one.vmpool.infoextended", pending, 4, full_vms_in);
    answer_in(world);
}

/* VMs that were never seen in full, those wanted, and those that a full listing did not show. */
static bool needs_full_form(const struct world *world, struct vm_observation *observed)
{
    bool shown = observed->asked >= world->asked; /* or looked at since */

    if (world->kind != POLL_FULL)
        return false;
    if (shown)
        return (!observed->full_seen && observed->state != VM_PENDING) || !observed->has_times;
    if (observed->present)
        observed->missing++;
    return observed->present;
}

static bool poll_second_stage(struct world *world)
{
    size_t n = 0, allocated = 0;
    int32_t *ids = NULL;

    world->open = 1;
    for (uint32_t i = 0; i < world->observations.n; i++) {
        struct vm_observation *observed = map_value(&world->observations, i);

        if (!needs_full_form(world, observed))
            continue;
        ids = memory_grow(ids, &allocated, n + 1, sizeof *ids);
        ids[n++] = observed->id;
    }
    for (size_t i = 0; i < world->n_wanted; i++) {
        ids = memory_grow(ids, &allocated, n + 1, sizeof *ids);
        ids[n++] = world->wanted[i];
    }
    if (n)
        ask_for_ids(world, ids, n);
    free(ids);
    if (--world->open > 0)
        return true;
    return false;
}

/* --- a glance --------------------------------------------------------------------------------- */

static void remember(struct world *world, enum poll_kind kind)
{
    if (!world->next || kind == POLL_FULL)
        world->next_kind = kind;
    world->next = true;
}

static void glance_in(void *context, const struct rpc_reply *reply)
{
    struct world *world = context;
    struct vm_pool pool;
    struct error err = {0};

    world->glancing = false;
    if (reply->outcome != RPC_DONE || !reply->text ||
        vm_pool_parse(&pool, reply->text, reply->length, &err) < 0) {
        if (world->polling)
            remember(world, POLL_NOTICE);
        else
            poll_begin(world, POLL_NOTICE); /* which tells what is wrong */
        return;
    }
    note_left_out(&pool.errors, "VMs of the VM pool");
    for (size_t i = 0; i < pool.n; i++)
        observation_see(world, &pool.items[i], world->glanced);
    full_forms_add(&world->full, &pool, world->glanced);
    full_forms_use(world, &world->full.pools[world->full.n - 1]);
    world->polled(world->context, POLL_NOTICE, true, "");
}

/* What has just come does not wait until a poll of everything is over. */
static void glance(struct world *world)
{
    world->glancing = true;
    world->glanced = clock_monotonic();
    rpc_call(world->settings.rpc, &(struct rpc_request){.method = "one.vmpool.infoextended",
                                                        .arguments = pending,
                                                        .n_arguments = 4,
                                                        .urgent = true,
                                                        .done = glance_in,
                                                        .context = world});
}

void world_poll(struct world *world, enum poll_kind kind)
{
    if (!world->polling)
        poll_begin(world, kind);
    else if (kind == POLL_NOTICE && world->kind == POLL_FULL && world->site && !world->glancing)
        glance(world);
    else
        remember(world, kind);
}

bool world_polling(const struct world *world)
{
    return world->polling;
}
