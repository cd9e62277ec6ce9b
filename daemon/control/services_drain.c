/* Draining hosts: asks the planner what that does, then keeps it. */
#include <errno.h>
#include <stdio.h>

#include "daemon/control/services_question.h"
#include "daemon/live/clock.h"
#include "daemon/store/store.h"
#include "util/instant.h"

enum { TEMPLATES_LIMIT = 20 * 1000 /* milliseconds to wait for VMs' templates */ };

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

/* --- templates -------------------------------------------------------------------------------- */

/* Is the template of a VM on these hosts unread? Without it, its other hosts are not known. */
static bool lacks_templates(const struct daemon *daemon, const struct drains *drains)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = vms[i]->gone || !drains_of(drains, vms[i]->host)
                                                    ? NULL
                                                    : world_vm(daemon->world, vms[i]->id);

        if (observed && observed_holds_host(observed) && !observed->full)
            return true;
    }
    return false;
}

/* The next poll brings them. */
static int wait_for_templates(struct daemon *daemon, struct drains *drains, struct error *err)
{
    if (daemon->drain_question) {
        drains_finish(drains);
        return error_set(err, EAGAIN, "another drain is being planned; try again in a moment");
    }
    daemon->drain_question = services_put_off(daemon->question);
    daemon->drain_question->gives_up = clock_monotonic() + TEMPLATES_LIMIT;
    drains_finish(&daemon->asked);
    daemon->asked = *drains;
    daemon_want_forms(daemon);
    world_poll(daemon->world, POLL_FULL);
    return error_set(err, EINPROGRESS, "OpenNebula is asked");
}

void services_drain_goes_on(struct daemon *daemon)
{
    struct services_question *question = daemon->drain_question;

    if (!question ||
        (lacks_templates(daemon, &daemon->asked) && clock_monotonic() < question->gives_up))
        return;
    daemon->drain_question = NULL;
    services_resume(question);
    drains_finish(&daemon->asked);
}

void services_drain_forget(struct daemon *daemon)
{
    if (daemon->drain_question)
        services_drop(daemon->drain_question);
    daemon->drain_question = NULL;
    drains_finish(&daemon->asked);
}

/* --- plans ------------------------------------------------------------------------------------ */

static int ask_planner_to_drain(struct daemon *daemon, const struct drain_order *order,
                                struct error *err)
{
    struct services_question *question;
    struct drains drains;
    int result;

    add_drains(daemon, order, &drains);
    if (!daemon->question->gives_up && lacks_templates(daemon, &drains))
        return wait_for_templates(daemon, &drains, err);
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

int services_undrain(void *context, int32_t host, const char *who, struct error *err)
{
    struct daemon *daemon = context;

    if (!drains_remove(&daemon->drains, host))
        return error_set(err, EALREADY, "host %d is not drained", host);
    drains_save(&daemon->drains, daemon->store);
    store_history(daemon->store, STORE_NO_LEASE, clock_now(), "host-undrained", "host %d, by %s",
                  host, who);
    daemon_replan(daemon, "the drain of host %d was ended by %s", host, who);
    daemon_wake(daemon);
    return daemon_commit(daemon, err);
}
