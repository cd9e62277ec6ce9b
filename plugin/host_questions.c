/* Queries available to modules since 1.4: local times, names, a user's other leases, room on hosts.
 */
#include <string.h>
#include <time.h>

#include "core/host_filter.h"
#include "core/lease.h"
#include "plugin/host_api.h"

bool api_local_time(const struct galerna_host *host, int64_t at, struct galerna_local_time *local)
{
    const struct policy_world *world = &state_of(host)->world;
    bool zoned = world->clock == POLICY_CLOCK_ZONE;
    time_t instant;
    struct tm parts;

    if (world->clock == POLICY_CLOCK_NONE || __builtin_add_overflow(world->start, at, &instant) ||
        !(zoned ? localtime_r(&instant, &parts) : gmtime_r(&instant, &parts)))
        return false;
    *local = (struct galerna_local_time){
        .year = parts.tm_year + 1900,
        .month = parts.tm_mon + 1,
        .day = parts.tm_mday,
        .weekday = parts.tm_wday,
        .hour = parts.tm_hour,
        .minute = parts.tm_min,
        .second = parts.tm_sec,
        .utc_offset = (int32_t)parts.tm_gmtoff,
    };
    if (zoned)
        strncpy(local->zone, parts.tm_zone, sizeof local->zone - 1);
    return true;
}

enum galerna_lease_state api_lease_state(const struct galerna_lease *lease)
{
    enum lease_state state = core_lease(lease)->state;

    if (lease_state_is_final(state))
        return GALERNA_STATE_OVER;
    switch (state) {
    case LEASE_ACTIVE:
    case LEASE_MIGRATING:
    case LEASE_RESUMING:
    case LEASE_RESUMED_READY:
        return GALERNA_STATE_RUNNING;
    case LEASE_SUSPENDING:
    case LEASE_SUSPENDED_PENDING:
    case LEASE_SUSPENDED_QUEUED:
    case LEASE_SUSPENDED_SCHEDULED:
        return GALERNA_STATE_SUSPENDED;
    default:
        return GALERNA_STATE_WAITING;
    }
}

static const char *name_or_null(const char *name)
{
    return name && *name ? name : NULL;
}

const char *api_lease_user_name(const struct galerna_lease *lease)
{
    return name_or_null(core_lease(lease)->request.user_name);
}

const char *api_lease_group_name(const struct galerna_lease *lease)
{
    return name_or_null(core_lease(lease)->request.group_name);
}

struct of_user {
    int64_t user;
    const struct galerna_lease **leases;
    size_t room, n;
};

static void collect(void *context, const struct lease *lease)
{
    struct of_user *found = context;

    if (lease->request.user != found->user || lease_state_is_final(lease->state))
        return;
    if (found->n < found->room)
        found->leases[found->n] = (const struct galerna_lease *)(const void *)lease;
    found->n++;
}

size_t api_user_leases(const struct galerna_host *host, int64_t user,
                       const struct galerna_lease **leases, size_t room)
{
    const struct policy_world *world = &state_of(host)->world;
    struct of_user found = {.user = user, .leases = leases, .room = room};

    if (world->each_lease)
        world->each_lease(world->context, collect, &found);
    return found.n;
}

static enum galerna_fit fit_of(const struct node_set *set, const struct site *site, uint32_t place,
                               const int64_t *room, uint32_t *type)
{
    const struct site_host *host = &site->hosts[place];
    enum galerna_fit fit = GALERNA_FIT_OK;

    if (host->closed || !host_filter_allows(set->hosts, place))
        return GALERNA_FIT_EXCLUDED;
    for (int i = 0; i < site->types.count; i++) {
        int64_t need = set->amounts.of[i];
        enum galerna_fit here = need > host->capacity.of[i] ? GALERNA_FIT_TOO_SMALL
                                : need > room[i]            ? GALERNA_FIT_BUSY
                                                            : GALERNA_FIT_OK;

        if (here > fit) {
            fit = here;
            *type = (uint32_t)i;
        }
    }
    return fit;
}

enum galerna_fit api_host_fit(const struct galerna_host *host, const struct galerna_lease *lease,
                              uint32_t place, int64_t at, uint32_t *type)
{
    const struct policy_host_state *state = state_of(host);
    const struct lease_request *request = &core_lease(lease)->request;
    enum galerna_fit best = GALERNA_FIT_UNKNOWN;
    int64_t room[RESOURCE_TYPES_MAX];
    uint32_t lacking = 0;

    if (!host->host_free(host, place, at, room))
        return GALERNA_FIT_UNKNOWN;
    for (size_t i = 0; i < request->n_node_sets; i++) {
        enum galerna_fit fit = fit_of(&request->node_sets[i], state->site, place, room, &lacking);

        if (fit < best) {
            best = fit;
            if (type && (fit == GALERNA_FIT_BUSY || fit == GALERNA_FIT_TOO_SMALL))
                *type = lacking;
        }
    }
    return best;
}
