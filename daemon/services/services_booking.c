/* Bookings of hosts: owners and rights, the end of a booking, the list of all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/live/intake.h"
#include "daemon/services/services_question.h"
#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/memory.h"

/* --- owners and rights ------------------------------------------------------------------------ */

int services_check_owner(const struct daemon *daemon, const char *name, const char *user,
                         struct error *err)
{
    const struct booking *booking = drains_booking(&daemon->drains, name);

    if (!booking || !user || strcmp(booking->owner, user) == 0)
        return 0;
    return error_set(err, EPERM,
                     "booking '%.80s' can only be changed by its owner and by operators", name);
}

bool services_may_book(const struct daemon *daemon, const struct drain_order *order,
                       char rule[LEASE_SPEC_TEXT_MAX])
{
    int32_t *unknown = memory_new(order->n_hosts, sizeof *unknown);
    struct drain drain = {.from = order->from, .until = order->until};
    struct drain_order known = *order;
    struct drains drains;
    bool may;

    for (size_t i = 0; !order->hosts && i < order->n_hosts; i++)
        unknown[i] = -1 - (int32_t)i; /* an id that no host has */
    if (!order->hosts)
        known.hosts = unknown;
    services_add_drains(daemon, &known, &drains);
    snprintf(drain.booking, sizeof drain.booking, "%s", order->booking->name);
    may = intake_allows_booking(daemon, &drains, &drain, clock_now(), rule);
    drains_finish(&drains);
    free(unknown);
    return may;
}

/* --- the end of a booking --------------------------------------------------------------------- */

/* The leases that name the booking and have not begun, for the rest of the booking. To be freed. */
static int64_t *waiting_inside(const struct daemon *daemon, const char *booking, size_t *n)
{
    size_t n_leases;
    const struct lease_record *const *leases = store_leases(daemon->store, &n_leases);
    int64_t *ids = memory_new(n_leases + 1, sizeof *ids);

    *n = 0;
    for (size_t i = 0; i < n_leases; i++)
        if (strcmp(leases[i]->booking, booking) == 0 && store_is_queued(leases[i]))
            ids[(*n)++] = leases[i]->id;
    return ids;
}

static size_t hosts_of(const struct drains *drains, const char *booking, int32_t *hosts)
{
    size_t n = 0;

    for (size_t i = 0; i < drains->n; i++) {
        size_t known = 0;

        if (strcmp(drains->items[i].booking, booking) != 0)
            continue;
        while (known < n && hosts[known] != drains->items[i].host)
            known++;
        hosts[known] = drains->items[i].host;
        n += known == n;
    }
    return n;
}

static void show_end(const struct daemon *daemon, const struct unbook_order *order,
                     const struct drain_viewer *viewer)
{
    const struct services_question *question = daemon->question;
    int32_t *hosts = memory_new(daemon->drains.n + 1, sizeof *hosts);
    struct drain_result result = {.accepted = true,
                                  .hosts = hosts,
                                  .n_hosts = hosts_of(&daemon->drains, order->booking, hosts),
                                  .instead_from = INSTANT_NONE};
    struct drained_vm *vms = NULL;
    int64_t *waiting = NULL;

    if (question->is_answered) {
        result.unplaced = question->drained->unplaced;
        result.n_unplaced = question->drained->n_unplaced;
        result.vms = vms = services_drained(question, hosts, result.n_hosts, &result.n_vms);
    } else {
        result.unplaced = waiting = waiting_inside(daemon, order->booking, &result.n_unplaced);
    }
    viewer->show(viewer->context, &result);
    free(waiting);
    free(vms);
    free(hosts);
}

static int end_booking(struct daemon *daemon, const struct unbook_order *order, const char *who,
                       struct error *err)
{
    char at[64];

    if (services_check_store(daemon, err) < 0)
        return -1;
    drains_unbook(&daemon->drains, order->booking, order->at);
    drains_save(&daemon->drains, daemon->store);
    if (order->at == INSTANT_NONE) {
        store_history(daemon->store, STORE_NO_LEASE, clock_now(), "booking-ended", "%s, by %s",
                      order->booking, who);
    } else {
        lease_time_text(order->at, at, sizeof at);
        store_history(daemon->store, STORE_NO_LEASE, clock_now(), "booking-shortened",
                      "%s, to end at %s, by %s", order->booking, at, who);
    }
    daemon_replan(daemon, "booking %s was ended or shortened by %s", order->booking, who);
    daemon_wake(daemon);
    return services_commit(daemon, err);
}

/* Ending a booking now moves no VMs, so it needs no planner. */
int services_unbook(void *context, const struct unbook_order *order, const char *who,
                    const struct drain_viewer *viewer, struct error *err)
{
    struct daemon *daemon = context;
    const struct services_question *question = daemon->question;
    struct drains drains;
    int result = -1;

    if (question->err.code) {
        *err = question->err;
        return -1;
    }
    if (!drains_booking(&daemon->drains, order->booking))
        return error_set(err, ENOENT, "booking '%.80s' does not exist", order->booking);
    if (services_check_owner(daemon, order->booking, order->user, err) < 0)
        return -1;
    drains_copy(&drains, &daemon->drains);
    if (!drains_unbook(&drains, order->booking, order->at))
        error_set(err, EALREADY, "booking '%.80s' ends before that time", order->booking);
    else if (order->at != INSTANT_NONE && !question->is_answered)
        services_try_drains(daemon, &drains, err);
    else
        result = 0;
    drains_finish(&drains);
    if (result < 0)
        return -1;
    show_end(daemon, order, viewer);
    return order->dry_run ? 0 : end_booking(daemon, order, who, err);
}

/* --- all bookings ----------------------------------------------------------------------------- */

/* The user's primary group. */
static const char *group_of(const struct daemon *daemon, const char *user)
{
    const struct site_seen *site = world_site(daemon->world);

    for (size_t i = 0; user && site && i < site->users.n; i++)
        if (site->users.items[i].group && strcmp(site->users.items[i].name, user) == 0)
            return site->users.items[i].group;
    return "";
}

void services_each_booking(void *context, const char *user,
                           void (*visit)(void *visitor, const struct booking *booking),
                           void *visitor)
{
    const struct daemon *daemon = context;
    const char *group = group_of(daemon, user);

    for (size_t i = 0; i < daemon->drains.n_bookings; i++) {
        const struct booking *booking = &daemon->drains.bookings[i];

        if (!user || strcmp(booking->owner, user) == 0 || booking_admits(booking, user, group))
            visit(visitor, booking);
    }
}
