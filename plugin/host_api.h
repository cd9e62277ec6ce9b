/* host_api.h: declarations shared by the two files of struct galerna_host's functions. */
#pragma once

#include "plugin/instance.h"

static inline const struct lease *core_lease(const struct galerna_lease *lease)
{
    return (const struct lease *)(const void *)lease;
}

static inline const struct policy_host_state *state_of(const struct galerna_host *host)
{
    return ((const struct instance *)host->context)->state;
}

/* Since 1.4; see galerna_policy.h. */
bool api_local_time(const struct galerna_host *host, int64_t at, struct galerna_local_time *local);
enum galerna_lease_state api_lease_state(const struct galerna_lease *lease);
const char *api_lease_user_name(const struct galerna_lease *lease);
const char *api_lease_group_name(const struct galerna_lease *lease);
size_t api_user_leases(const struct galerna_host *host, int64_t user,
                       const struct galerna_lease **leases, size_t room);
enum galerna_fit api_host_fit(const struct galerna_host *host, const struct galerna_lease *lease,
                              uint32_t place, int64_t at, uint32_t *type);
