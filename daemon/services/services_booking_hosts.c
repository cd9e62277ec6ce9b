/* Chooses the hosts of a booking, and judges by the planner's answer whether the order fits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/control/free_hosts.h"
#include "daemon/services/services_question.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/memory.h"

enum {
    TRIES_MOST = 8,               /* alternatives that the planner tries */
    LOOKS_AHEAD = 90 * 24 * 3600, /* seconds: how far ahead a later time is searched for */
};

static bool is_planned(const struct lease_record *lease)
{
    return lease->phase == PHASE_RESERVED && lease->expected != INSTANT_NONE;
}

static void use_by_vm(const struct daemon *daemon, const struct vm_record *vm, int64_t now,
                      struct free_hosts *hosts)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);

    if (!lease || vm->gone)
        return;
    if (is_planned(lease))
        free_hosts_use(hosts, vm->host, lease->expected, lease_end_from(lease, lease->expected));
    else if (observed_holds_host(world_vm(daemon->world, vm->id)) && lease->phase != PHASE_ENDING)
        free_hosts_use(hosts, vm->host, now,
                       lease->phase == PHASE_RUNNING ? lease_end_from(lease, now) : INSTANT_NEVER);
}

/* VMs that galernad does not schedule have no known end. */
static void use_by_strangers(const struct daemon *daemon, int64_t now, struct free_hosts *hosts)
{
    const struct host_pool *pool = &world_hosts(daemon->world)->pool;
    const struct vm_observation *observed;
    size_t cursor = 0;

    while ((observed = world_next(daemon->world, &cursor)))
        if (observed_holds_host(observed) && !store_vm(daemon->store, observed->id))
            free_hosts_use(hosts, observed->history.host, now, INSTANT_NEVER);
    for (size_t i = 0; i < pool->n; i++) {
        struct unread_room room;

        if (world_unread(daemon->world, &pool->items[i], &room))
            free_hosts_use(hosts, pool->items[i].id, now, INSTANT_NEVER);
    }
}

static bool is_of(const struct host *host, const char *cluster)
{
    return !cluster || (host->cluster_name && strcmp(host->cluster_name, cluster) == 0);
}

/* "; 3 are disabled, offline or in error", or "". */
static void say_out_of_service(const struct daemon *daemon, const char *cluster, char *text,
                               size_t size)
{
    const struct hosts_seen *seen = world_hosts(daemon->world);
    size_t n = 0;

    for (size_t i = 0; seen && i < seen->pool.n; i++)
        n += seen->pool.items[i].state != HOST_ON && is_of(&seen->pool.items[i], cluster);
    text[0] = '\0';
    if (n)
        snprintf(text, size, "; %zu %s disabled, offline or in error", n, n == 1 ? "is" : "are");
}

/* Collects the hosts in service of a cluster (NULL: any). A host is in use by its VMs until their
 * leases end, by accepted leases planned there, and while it is drained or booked. Plans without a
 * promise do not count. The planner decides in the end. */
static struct free_hosts *gather(const struct daemon *daemon, const char *cluster)
{
    const struct hosts_seen *seen = world_hosts(daemon->world);
    int64_t now = clock_now();
    struct free_hosts *hosts = free_hosts_create(now);
    const struct vm_record *const *vms;
    size_t n;

    if (!seen)
        return hosts;
    for (size_t i = 0; i < seen->pool.n; i++) {
        const struct host *host = &seen->pool.items[i];

        if (host->state == HOST_ON && is_of(host, cluster))
            free_hosts_add(hosts, host->id);
    }
    vms = store_vms(daemon->store, &n);
    for (size_t i = 0; i < n; i++)
        use_by_vm(daemon, vms[i], now, hosts);
    use_by_strangers(daemon, now, hosts);
    for (size_t i = 0; i < daemon->drains.n; i++)
        free_hosts_use(hosts, daemon->drains.items[i].host, daemon->drains.items[i].from,
                       daemon->drains.items[i].until);
    return hosts;
}

struct drain_order services_tried_order(const struct daemon *daemon,
                                        const struct drain_order *order)
{
    const struct drain_search *search = &daemon->question->drains;
    struct drain_order tried = *order;

    tried.hosts = search->hosts;
    tried.n_hosts = search->n_hosts;
    tried.from = search->from;
    if (order->until != INSTANT_NEVER)
        tried.until = search->from + (order->until - order->from);
    return tried;
}

/* The order's cluster, or that of the first host named. */
static const char *cluster_of(const struct daemon *daemon, const struct drain_order *order)
{
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    const struct host *host =
        hosts && order->hosts ? host_pool_find(&hosts->pool, order->hosts[0]) : NULL;

    return order->cluster ? order->cluster : host ? host->cluster_name : NULL;
}

void services_refuse(const struct daemon *daemon, const char *word, const char *text)
{
    struct drain_search *search = &daemon->question->drains;

    search->is_refused = true;
    snprintf(search->word, sizeof search->word, "%s", word);
    snprintf(search->text, sizeof search->text, "%s", text);
}

/* Uses these hosts for the next question; false: they are the hosts of the last one. */
static bool take_hosts(struct drain_search *search, int32_t *hosts, size_t n, int64_t from)
{
    bool is_same = search->hosts && search->from == from && search->n_hosts == n &&
                   memcmp(search->hosts, hosts, n * sizeof *hosts) == 0;

    free(is_same ? hosts : search->hosts);
    if (is_same)
        return false;
    search->hosts = hosts;
    search->n_hosts = n;
    search->from = from;
    return true;
}

/* Chooses other hosts at the same time, or the next time at which enough are free. */
static bool choose_next(const struct daemon *daemon, const struct drain_order *order,
                        struct free_hosts *hosts)
{
    struct drain_search *search = &daemon->question->drains;
    int64_t length = order->until - order->from, from = search->from;
    int32_t *found = memory_new(order->n_hosts, sizeof *found);

    if (free_hosts_find(hosts, from, from + length, found, order->n_hosts) == order->n_hosts) {
        if (take_hosts(search, found, order->n_hosts, from))
            return true;
        found = memory_new(order->n_hosts, sizeof *found); /* the search owns the other array */
    }
    from = free_hosts_next(hosts, from, length, order->n_hosts);
    if (from > order->from + LOOKS_AHEAD) {
        free(found);
        return false;
    }
    free_hosts_find(hosts, from, from + length, found, order->n_hosts);
    return take_hosts(search, found, order->n_hosts, from);
}

bool services_next_hosts(const struct daemon *daemon, const struct drain_order *order)
{
    struct free_hosts *hosts;
    struct drain_order tried;
    char rule[LEASE_SPEC_TEXT_MAX];
    bool found;

    if (order->until == INSTANT_NEVER || daemon->question->drains.asked >= TRIES_MOST)
        return false;
    hosts = gather(daemon, cluster_of(daemon, order));
    found = choose_next(daemon, order, hosts);
    free_hosts_destroy(hosts);
    if (!found)
        return false;
    tried = services_tried_order(daemon, order);
    return !order->user || services_may_book(daemon, &tried, rule);
}

bool services_first_hosts(const struct daemon *daemon, const struct drain_order *order)
{
    struct drain_search *search = &daemon->question->drains;
    int32_t *hosts = memory_new(order->n_hosts, sizeof *hosts);
    struct free_hosts *free_ones;
    char text[STORE_TEXT_MAX], out[80];
    size_t n;

    search->from = order->from;
    if (!order->any) {
        memcpy(hosts, order->hosts, order->n_hosts * sizeof *hosts);
        return take_hosts(search, hosts, order->n_hosts, order->from);
    }
    free_ones = gather(daemon, order->cluster);
    n = free_hosts_find(free_ones, order->from, order->until, hosts, order->n_hosts);
    free_hosts_destroy(free_ones);
    if (n == order->n_hosts)
        return take_hosts(search, hosts, n, order->from);
    free(hosts);
    say_out_of_service(daemon, order->cluster, out, sizeof out);
    snprintf(text, sizeof text, "%zu host%s requested%s%.80s, %zu %s free for the whole time%s",
             order->n_hosts, order->n_hosts == 1 ? " is" : "s are",
             order->cluster ? " in cluster " : "", order->cluster ? order->cluster : "", n,
             n == 1 ? "is" : "are", out);
    services_refuse(daemon, "no-free-hosts", text);
    return services_next_hosts(daemon, order);
}

/* VMs inside the booking may stay. */
static bool is_affected(const struct daemon *daemon, const struct drained_vm *vm,
                        const char *booking)
{
    const struct lease_record *lease = store_lease(daemon->store, vm->lease);

    return vm->how != DRAINED_ENDS && !(lease && drains_let_in(&daemon->drains, booking, lease));
}

bool services_order_fits(const struct daemon *daemon, const struct drain_order *order)
{
    const struct planner_drains *drained = daemon->question->drained;
    struct drain_search *search = &daemon->question->drains;
    const struct lease_record *unplaced =
        drained->n_unplaced ? store_lease(daemon->store, drained->unplaced[0]) : NULL;
    struct drained_vm *vms;
    char text[STORE_TEXT_MAX] = "";
    size_t n = 0;

    if (!order->user)
        return true;
    if (unplaced)
        planner_unplaced_text(unplaced, text, sizeof text);
    vms = services_drained(daemon->question, order->hosts, order->n_hosts, &n);
    for (size_t i = 0; i < n && !*text; i++)
        if (is_affected(daemon, &vms[i], order->booking->name))
            snprintf(text, sizeof text, "VM %d would still be on host %d and have to leave it",
                     vms[i].vm, vms[i].host);
    free(vms);
    if (*text && !search->is_refused)
        services_refuse(daemon, unplaced ? "in-the-way" : "host-in-use", text);
    return !*text;
}

void services_show_refusal(const struct daemon *daemon, const struct drain_order *order,
                           const struct drain_viewer *viewer)
{
    const struct services_question *question = daemon->question;
    const struct drain_search *search = &question->drains;
    struct drain_result result = {.hosts = order->hosts,
                                  .n_hosts = order->any ? 0 : order->n_hosts,
                                  .instead_from = INSTANT_NONE};
    struct drain_order tried = services_tried_order(daemon, order);

    snprintf(result.word, sizeof result.word, "%s", search->word);
    snprintf(result.text, sizeof result.text, "%s", search->text);
    if (question->is_answered && search->hosts && services_order_fits(daemon, &tried)) {
        result.instead_from = search->from;
        result.instead = search->hosts;
        result.n_instead = search->n_hosts;
    }
    viewer->show(viewer->context, &result);
}
