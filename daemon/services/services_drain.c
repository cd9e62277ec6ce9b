/* Draining and booking hosts: the planner tries the order, which is then kept. A user's booking
 * that would affect others is refused, with the nearest alternative that would not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/base/clock.h"
#include "daemon/services/services_question.h"
#include "daemon/store/store.h"
#include "util/append.h"
#include "util/instant.h"

/* --- the drains of an order ------------------------------------------------------------------- */

static bool has_host(const struct drain_order *order, int32_t host)
{
    for (size_t i = 0; i < order->n_hosts; i++)
        if (order->hosts[i] == host)
            return true;
    return false;
}

/* A host's drains must not overlap its bookings, and different bookings must not overlap. */
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
        if (has_host(order, drain->host))
            return error_set(err, EEXIST, "host %d is %s%s%s from %s on%s", drain->host,
                             *drain->booking ? "booked for '" : "drained", drain->booking,
                             *drain->booking ? "'" : "", from,
                             order->user ? "" : "; end that first with undrain or unbook");
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

/* --- asking the planner ----------------------------------------------------------------------- */

static int try_order(struct daemon *daemon, const struct drain_order *order, struct error *err)
{
    struct drains drains;
    int result;

    services_add_drains(daemon, order, &drains);
    result = check_overlaps(daemon, order, err);
    if (result == 0)
        result = check_count(&drains, order, err);
    if (result == 0)
        result = services_try_drains(daemon, &drains, err);
    drains_finish(&drains);
    return result;
}

/* --- the answer ------------------------------------------------------------------------------- */

static int begin_drains(struct daemon *daemon, const struct drain_order *order, const char *who,
                        struct error *err)
{
    char from[64], until[64] = "further notice";
    struct drains drains;

    if (services_check_store(daemon, err) < 0 || check_overlaps(daemon, order, err) < 0)
        return -1;
    services_add_drains(daemon, order, &drains);
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
    return services_commit(daemon, err);
}

/* Finds the booked hosts that are not in service, "not in service: host 3 (error), ..."; or "".
 * out: room for all hosts of the order. */
static void say_out_of_service(const struct daemon *daemon, const struct drain_order *order,
                               int32_t *out, struct drain_result *result)
{
    const struct hosts_seen *seen = world_hosts(daemon->world);
    const size_t size = sizeof result->text;
    char *text = result->text;
    size_t n = 0, length = 0;

    result->out_of_service = out;
    for (size_t i = 0; order->booking && seen && i < order->n_hosts; i++) {
        const struct host *host = host_pool_find(&seen->pool, order->hosts[i]);

        if (!host || host->state == HOST_ON)
            continue;
        length =
            append_text(text, size, length, "%s host %d (%s)",
                        n ? "," : "not in service:", host->id, services_host_word(host->state));
        out[n++] = host->id;
    }
    result->n_out = n;
    if (n)
        append_text(text, size, length, "; no VM starts on a host until it is back in service");
}

static bool is_known(const struct site_seen *site, const char *name, size_t length, bool group)
{
    for (size_t i = 0; i < site->users.n; i++) {
        const struct user *user = &site->users.items[i];
        const char *known = group ? user->group : user->name;

        if (known && strncmp(known, name, length) == 0 && !known[length])
            return true;
    }
    return false;
}

static void add_unknown(const struct site_seen *site, const char *names, bool group, char *unknown)
{
    for (size_t length; *names; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        if (!is_known(site, names, length, group))
            sprintf(unknown + strlen(unknown), "%s%.*s", *unknown ? "," : "", (int)length, names);
    }
}

/* Finds the admitted users whom OpenNebula does not have, and the groups without users there: the
 * names may be mistyped. O(names x users). */
static void say_unknown(const struct daemon *daemon, const struct booking *booking,
                        struct drain_result *result)
{
    const struct site_seen *site = world_site(daemon->world);
    size_t length = strlen(result->text);

    if (!booking || !site)
        return;
    add_unknown(site, booking->users, false, result->unknown);
    add_unknown(site, booking->groups, true, result->unknown);
    if (*result->unknown)
        snprintf(result->text + length, sizeof result->text - length,
                 "%sno OpenNebula user has this name or primary group: %s", length ? "; " : "",
                 result->unknown);
}

/* Names the first window that the order replaces although it does not cover it, if any. */
static void say_replaced(const struct daemon *daemon, const struct drain_order *order,
                         struct drain_result *result)
{
    size_t length = strlen(result->text);
    int64_t now = clock_now();
    char from[64], until[64] = "further notice";

    for (size_t i = 0; i < daemon->drains.n; i++) {
        const struct drain *old = &daemon->drains.items[i];
        bool is_lost = old->until > order->until || (old->from < order->from && order->from > now);

        if (!is_lost || old->from >= order->until || order->from >= old->until ||
            !has_host(order, old->host))
            continue;
        lease_time_text(old->from, from, sizeof from);
        if (old->until != INSTANT_NEVER)
            lease_time_text(old->until, until, sizeof until);
        snprintf(result->text + length, sizeof result->text - length,
                 "%sthis replaces the %s of host %d from %s until %s", length ? "; " : "",
                 *old->booking ? "booking" : "drain", old->host, from, until);
        return;
    }
}

/* Accepts an order that fits, or any order of an operator, who only sees its effects. */
static int accept(struct daemon *daemon, const struct drain_order *order, const char *who,
                  const struct drain_viewer *viewer, struct error *err)
{
    const struct planner_drains *drained = daemon->question->drained;
    struct drain_result result = {.accepted = true,
                                  .hosts = order->hosts,
                                  .n_hosts = order->n_hosts,
                                  .unplaced = drained->unplaced,
                                  .n_unplaced = drained->n_unplaced,
                                  .instead_from = INSTANT_NONE};
    struct drained_vm *vms =
        services_drained(daemon->question, order->hosts, order->n_hosts, &result.n_vms);
    int32_t *out = memory_new(order->n_hosts, sizeof *out);

    result.vms = vms;
    say_out_of_service(daemon, order, out, &result);
    say_unknown(daemon, order->booking, &result);
    say_replaced(daemon, order, &result);
    if (order->user)
        result.n_vms = 0; /* the VMs end in time, or are inside the booking */
    viewer->show(viewer->context, &result);
    free(out);
    free(vms);
    return order->dry_run ? 0 : begin_drains(daemon, order, who, err);
}

static int check_user(const struct daemon *daemon, const struct drain_order *order,
                      struct error *err)
{
    char rule[LEASE_SPEC_TEXT_MAX], text[STORE_SENTENCE_MAX];

    if (services_check_owner(daemon, order->booking->name, order->user, err) < 0)
        return -1;
    if (services_may_book(daemon, order, rule))
        return 0;
    return error_set(err, ENOSPC, "refused: %s",
                     details_text(rule, text, sizeof text, lease_time_text));
}

/* False: there is no question for the planner. */
static bool choose_first(const struct daemon *daemon, const struct drain_order *order)
{
    struct error err;

    if (!services_first_hosts(daemon, order))
        return false;
    if (!order->user || order->any || check_overlaps(daemon, order, &err) == 0)
        return true;
    services_refuse(daemon, "host-in-use", err.text);
    return services_next_hosts(daemon, order);
}

int services_drain(void *context, const struct drain_order *order, const char *who,
                   const struct drain_viewer *viewer, struct error *err)
{
    struct daemon *daemon = context;
    const struct services_question *question = daemon->question;
    struct drain_order tried;
    bool fits;

    if (question->err.code) {
        *err = question->err;
        return -1;
    }
    if (order->user && check_user(daemon, order, err) < 0)
        return -1;
    if (!question->drains.hosts && !choose_first(daemon, order)) {
        services_show_refusal(daemon, order, viewer);
        return 0;
    }
    tried = services_tried_order(daemon, order);
    if (!question->is_answered ||
        (order->user && !question->drains.is_refused && services_is_outdated(question)))
        return try_order(daemon, &tried, err);
    fits = services_order_fits(daemon, &tried);
    if (fits && !question->drains.is_refused)
        return accept(daemon, &tried, who, viewer, err);
    if (!fits && services_next_hosts(daemon, order)) {
        tried = services_tried_order(daemon, order);
        return try_order(daemon, &tried, err);
    }
    services_show_refusal(daemon, order, viewer);
    return 0;
}

int services_undrain(void *context, const struct undrain_order *order, const char *who,
                     struct error *err)
{
    struct daemon *daemon = context;

    if (services_check_store(daemon, err) < 0)
        return -1;
    if (!drains_remove(&daemon->drains, order->host, order->at))
        return error_set(err, EALREADY, "host %d is not drained%s", order->host,
                         order->at == INSTANT_NONE ? "" : " at this time");
    while (order->all && drains_remove(&daemon->drains, order->host, INSTANT_NONE))
        continue;
    drains_save(&daemon->drains, daemon->store);
    store_history(daemon->store, STORE_NO_LEASE, clock_now(), "host-undrained", "host %d%s, by %s",
                  order->host, order->all ? ", now and later" : "", who);
    daemon_replan(daemon, "a drain of host %d was ended by %s", order->host, who);
    daemon_wake(daemon);
    return services_commit(daemon, err);
}
