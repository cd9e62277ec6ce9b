/* Draining hosts: asks the planner what that does, then keeps it. */
#include <errno.h>
#include <stdio.h>

#include "daemon/control/services_question.h"
#include "daemon/live/clock.h"
#include "daemon/store/store.h"
#include "util/instant.h"

static void drained(void *context, const struct drained_vm *vms, size_t n, const struct error *err)
{
    struct services_question *question = context;

    question->drained = vms;
    question->n_drained = n;
    services_handle_again(question, err->code ? err : NULL);
}

/* The drains with those of the order. */
static void add_drains(const struct daemon *daemon, const struct drain_order *order,
                       struct drains *drains)
{
    drains_copy(drains, &daemon->drains);
    for (size_t i = 0; i < order->n_hosts; i++)
        drains_put(drains, &(struct drain){order->hosts[i], order->from, order->until});
}

static int check_count(const struct drains *drains, const struct drain_order *order,
                       struct error *err)
{
    for (size_t i = 0; i < order->n_hosts; i++)
        if (drains_count(drains, order->hosts[i]) > DRAINS_OF_HOST_MOST)
            return error_set(err, ENOSPC, "host %d has %d drains already, now or later",
                             order->hosts[i], DRAINS_OF_HOST_MOST);
    return 0;
}

static int ask_planner_to_drain(struct daemon *daemon, const struct drain_order *order,
                                struct error *err)
{
    struct services_question *question;
    struct asked_hosts asked = {.question = NULL};
    struct drains drains;
    int result;

    add_drains(daemon, order, &asked.drains);
    if (check_count(&asked.drains, order, err) < 0) {
        drains_finish(&asked.drains);
        return -1;
    }
    if (services_await_templates(daemon, &asked, err) < 0)
        return -1;
    add_drains(daemon, order, &drains);
    question = services_put_off(daemon->question);
    result = services_later(
        question, planner_try_drains(daemon->planner, &drains, clock_now(), drained, question, err),
        err);
    drains_finish(&drains);
    return result;
}

static void visit_drained(const struct services_question *question, const struct drain_order *order,
                          void (*visit)(void *visitor, const struct drained_view *vm),
                          void *visitor)
{
    static const char *const words[] = {[DRAINED_ENDS] = "ends",
                                        [DRAINED_MOVES] = "moves",
                                        [DRAINED_SUSPENDED] = "suspended",
                                        [DRAINED_STAYS] = "stays"};

    for (size_t i = 0; i < question->n_drained; i++) {
        const struct drained_vm *vm = &question->drained[i];
        size_t host = 0;

        while (host < order->n_hosts && order->hosts[host] != vm->host)
            host++;
        if (host < order->n_hosts)
            visit(visitor,
                  &(struct drained_view){
                      .vm = vm->vm,
                      .host = vm->host,
                      .to = vm->to,
                      .lease = vm->lease,
                      .at = vm->at,
                      .what = words[vm->how],
                      .why = vm->how == DRAINED_STAYS || vm->how == DRAINED_MOVES ? vm->why : ""});
    }
}

static int begin_drains(struct daemon *daemon, const struct drain_order *order, const char *who,
                        struct error *err)
{
    char from[64], until[64] = "it is ended";
    struct drains drains;

    add_drains(daemon, order, &drains);
    drains_finish(&daemon->drains);
    daemon->drains = drains;
    drains_save(&daemon->drains, daemon->store);
    lease_time_text(order->from, from, sizeof from);
    if (order->until != INSTANT_NEVER)
        lease_time_text(order->until, until, sizeof until);
    for (size_t i = 0; i < order->n_hosts; i++)
        store_history(daemon->store, STORE_NO_LEASE, clock_now(), "host-drained",
                      "host %d from %s until %s, by %s", order->hosts[i], from, until, who);
    daemon_replan(daemon, "%zu host%s drained by %s", order->n_hosts,
                  order->n_hosts == 1 ? " is" : "s are", who);
    daemon_wake(daemon);
    return daemon_commit(daemon, err);
}

int services_drain(void *context, const struct drain_order *order, const char *who,
                   void (*visit)(void *visitor, const struct drained_view *vm), void *visitor,
                   struct error *err)
{
    struct daemon *daemon = context;
    const struct services_question *question = daemon->question;

    if (!question->is_answered)
        return ask_planner_to_drain(daemon, order, err);
    if (question->err.code) {
        *err = question->err;
        return -1;
    }
    visit_drained(question, order, visit, visitor);
    return order->dry_run ? 0 : begin_drains(daemon, order, who, err);
}

size_t services_drains_of(const struct daemon *daemon, int32_t host,
                          struct drain_times times[DRAINS_OF_HOST_MOST])
{
    size_t n = 0;

    for (size_t i = 0; i < daemon->drains.n && n < DRAINS_OF_HOST_MOST; i++)
        if (daemon->drains.items[i].host == host)
            times[n++] =
                (struct drain_times){daemon->drains.items[i].from, daemon->drains.items[i].until};
    return n;
}

int services_undrain(void *context, const struct undrain_order *order, const char *who,
                     struct error *err)
{
    struct daemon *daemon = context;
    bool ended = drains_remove(&daemon->drains, order->host, order->at);

    if (!ended)
        return error_set(err, EALREADY, "host %d is not drained%s", order->host,
                         order->at == INSTANT_NONE ? "" : " at this time");
    while (order->all && drains_remove(&daemon->drains, order->host, INSTANT_NONE))
        continue;
    drains_save(&daemon->drains, daemon->store);
    store_history(daemon->store, STORE_NO_LEASE, clock_now(), "host-undrained", "host %d%s, by %s",
                  order->host, order->all ? ", now and later" : "", who);
    daemon_replan(daemon, "a drain of host %d was ended by %s", order->host, who);
    daemon_wake(daemon);
    return daemon_commit(daemon, err);
}
