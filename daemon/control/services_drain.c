/* Draining and booking hosts: asks the planner what that does, then keeps it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    struct drain drain = {.from = order->from, .until = order->until};

    drains_copy(drains, &daemon->drains);
    if (order->booking) {
        drains_book(drains, order->booking);
        snprintf(drain.booking, sizeof drain.booking, "%s", order->booking->name);
    }
    for (size_t i = 0; i < order->n_hosts; i++) {
        drain.host = order->hosts[i];
        drains_put(drains, &drain);
    }
}

/* Hosts that are booked are not drained meanwhile, nor booked by others, nor the other way round.
 */
static int check_overlaps(const struct daemon *daemon, const struct drain_order *order,
                          struct error *err)
{
    const char *booking = order->booking ? order->booking->name : "";

    for (size_t i = 0; i < daemon->drains.n; i++) {
        const struct drain *drain = &daemon->drains.items[i];
        char from[64];

        if (strcmp(drain->booking, booking) == 0 || drain->from >= order->until ||
            order->from >= drain->until)
            continue;
        lease_time_text(drain->from, from, sizeof from);
        for (size_t host = 0; host < order->n_hosts; host++)
            if (order->hosts[host] == drain->host)
                return error_set(
                    err, EEXIST,
                    "host %d is %s%s%s from %s on; end that first with undrain or unbook",
                    drain->host, *drain->booking ? "booked for '" : "drained", drain->booking,
                    *drain->booking ? "'" : "", from);
    }
    return 0;
}

static int check_count(const struct drains *drains, const struct drain_order *order,
                       struct error *err)
{
    for (size_t i = 0; i < order->n_hosts; i++)
        if (drains_count(drains, order->hosts[i]) > DRAINS_OF_HOST_MOST)
            return error_set(err, ENOSPC, "host %d already has %d current and planned drains",
                             order->hosts[i], DRAINS_OF_HOST_MOST);
    if (drains->n_bookings > BOOKINGS_MOST)
        return error_set(err, ENOSPC, "there are already %d current and planned bookings",
                         BOOKINGS_MOST);
    return 0;
}

static int ask_planner_to_drain(struct daemon *daemon, const struct drain_order *order,
                                struct error *err)
{
    struct services_question *question;
    struct asked_hosts asked = {.question = NULL};
    struct drains drains;
    int result;

    if (check_overlaps(daemon, order, err) < 0)
        return -1;
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

    if (check_overlaps(daemon, order, err) < 0)
        return -1;
    add_drains(daemon, order, &drains);
    drains_finish(&daemon->drains);
    daemon->drains = drains;
    drains_save(&daemon->drains, daemon->store);
    lease_time_text(order->from, from, sizeof from);
    if (order->until != INSTANT_NEVER)
        lease_time_text(order->until, until, sizeof until);
    for (size_t i = 0; i < order->n_hosts; i++)
        store_history(daemon->store, STORE_NO_LEASE, clock_now(),
                      order->booking ? "host-booked" : "host-drained",
                      "host %d from %s until %s%s%s, by %s", order->hosts[i], from, until,
                      order->booking ? " for " : "", order->booking ? order->booking->name : "",
                      who);
    daemon_replan(daemon, "%zu host%s %s by %s", order->n_hosts,
                  order->n_hosts == 1 ? " is" : "s are", order->booking ? "booked" : "drained",
                  who);
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

const char *services_drain_word(const struct drain *drain, bool used)
{
    if (*drain->booking)
        return "booked";
    return used ? "draining" : "drained";
}

size_t services_drains_of(const struct daemon *daemon, int32_t host,
                          struct drain_times times[DRAINS_OF_HOST_MOST])
{
    size_t n = 0;

    for (size_t i = 0; i < daemon->drains.n && n < DRAINS_OF_HOST_MOST; i++)
        if (daemon->drains.items[i].host == host)
            times[n++] = (struct drain_times){.from = daemon->drains.items[i].from,
                                              .until = daemon->drains.items[i].until,
                                              .booking = daemon->drains.items[i].booking};
    return n;
}

void services_visit_drains(const struct daemon *daemon, int32_t host,
                           void (*visit)(void *visitor, const struct operation_view *operation),
                           void *visitor)
{
    struct drain_times drains[DRAINS_OF_HOST_MOST];
    size_t n = services_drains_of(daemon, host, drains);

    for (size_t i = 0; i < n; i++)
        visit(visitor, &(struct operation_view){.lease = -1,
                                                .vm = -1,
                                                .what = *drains[i].booking ? "booking" : "drain",
                                                .from = drains[i].from,
                                                .until = drains[i].until,
                                                .planned = drains[i].from > clock_now()});
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

int services_unbook(void *context, const char *booking, const char *who, struct error *err)
{
    struct daemon *daemon = context;

    if (!drains_unbook(&daemon->drains, booking))
        return error_set(err, ENOENT, "booking '%.80s' does not exist", booking);
    drains_save(&daemon->drains, daemon->store);
    store_history(daemon->store, STORE_NO_LEASE, clock_now(), "booking-ended", "%s, by %s", booking,
                  who);
    daemon_replan(daemon, "booking %s was ended by %s", booking, who);
    daemon_wake(daemon);
    return daemon_commit(daemon, err);
}

void services_each_booking(void *context,
                           void (*visit)(void *visitor, const struct booking *booking),
                           void *visitor)
{
    const struct daemon *daemon = context;

    for (size_t i = 0; i < daemon->drains.n_bookings; i++)
        visit(visitor, &daemon->drains.bookings[i]);
}
