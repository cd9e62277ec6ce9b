/* Asks the planner for the effects of drains that are not accepted yet. */
#include <errno.h>

#include "daemon/base/clock.h"
#include "daemon/services/services_question.h"
#include "util/memory.h"

enum { ASKED_MOST = 60 /* questions to the planner per request */ };

void services_add_drains(const struct daemon *daemon, const struct drain_order *order,
                         struct drains *drains)
{
    struct drain drain = {.from = order->from, .until = order->until};

    drains_copy(drains, &daemon->drains);
    if (order->booking) {
        const struct booking *known = drains_booking(drains, order->booking->name);
        struct booking booking = *order->booking;

        if (known && !*booking.owner)
            booking.owner = known->owner;
        drains_book(drains, &booking);
        snprintf(drain.booking, sizeof drain.booking, "%s", booking.name);
    }
    for (size_t i = 0; i < order->n_hosts; i++) {
        drain.host = order->hosts[i];
        drains_put(drains, &drain);
    }
}

static void drained(void *context, const struct planner_drains *drains, const struct error *err)
{
    struct services_question *question = context;

    question->drained = drains;
    services_handle_again(question, drains ? NULL : err);
}

int services_try_drains(struct daemon *daemon, const struct drains *drains, struct error *err)
{
    struct services_question *question;
    struct asked_hosts asked = {.question = NULL};

    drains_copy(&asked.drains, drains);
    if (services_await_templates(daemon, &asked, err) < 0)
        return -1;
    if (daemon->question->drains.asked >= ASKED_MOST)
        return error_set(err, EAGAIN, "the planner is busy; try again in a moment");
    question = services_put_off(daemon->question);
    question->drains.asked++;
    return services_later(
        question, planner_try_drains(daemon->planner, drains, clock_now(), drained, question, err),
        err);
}

static bool has_host(const int32_t *hosts, size_t n, int32_t host)
{
    for (size_t i = 0; i < n; i++)
        if (hosts[i] == host)
            return true;
    return false;
}

struct drained_vm *services_drained(const struct services_question *question, const int32_t *hosts,
                                    size_t n_hosts, size_t *n)
{
    const struct planner_drains *drained = question->drained;
    struct drained_vm *vms = memory_new(drained->n_vms + 1, sizeof *vms);

    *n = 0;
    for (size_t i = 0; i < drained->n_vms; i++)
        if (has_host(hosts, n_hosts, drained->vms[i].host))
            vms[(*n)++] = drained->vms[i];
    return vms;
}
