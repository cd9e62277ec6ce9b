/* Admission that accepts every lease and logs what modules may ask since 1.4. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "galerna_policy.h"

enum { LEASES_MAX = 8 };

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    (void)values, (void)result;
    memcpy(self, &host, sizeof host); /* as const, which *self cannot say */
    return GALERNA_OK;
}

static void log_time(const struct galerna_host *host)
{
    struct galerna_local_time local = {0};

    if (host->local_time(host, host->now(host), &local))
        host->log(host, GALERNA_LOG_INFO, "%04d-%02d-%02d %02d:%02d:%02d day %d zone '%s' %d",
                  local.year, local.month, local.day, local.hour, local.minute, local.second,
                  local.weekday, local.zone, local.utc_offset);
    else
        host->log(host, GALERNA_LOG_INFO, "no local time");
}

static void log_leases(const struct galerna_host *host, const struct galerna_lease *lease)
{
    const struct galerna_lease *leases[LEASES_MAX];
    const char *user = host->lease_user_name(lease), *group = host->lease_group_name(lease);
    size_t n = host->user_leases(host, host->lease_user(lease), leases, LEASES_MAX);
    char text[256] = "";

    for (size_t i = 0, used = 0; i < n && i < LEASES_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %" PRId64 ":%d",
                                 host->lease_id(leases[i]), (int)host->lease_state(leases[i]));
    host->log(host, GALERNA_LOG_INFO, "lease %" PRId64 " user %s group %s leases%s",
              host->lease_id(lease), user ? user : "-", group ? group : "-", text);
}

static void log_hosts(const struct galerna_host *host, const struct galerna_lease *lease)
{
    char text[256] = "";
    size_t used = 0;

    for (uint32_t place = 0; place <= host->host_count(host) && place < 8; place++) {
        uint32_t type = GALERNA_NET_OUT;
        enum galerna_fit fit = host->host_fit(host, lease, place, host->now(host), &type);

        used += (size_t)snprintf(text + used, sizeof text - used, " %d,%s", (int)fit,
                                 type == GALERNA_NET_OUT ? "-" : host->type_name(host, type));
    }
    host->log(host, GALERNA_LOG_INFO, "lease %" PRId64 " hosts%s", host->lease_id(lease), text);
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    const struct galerna_host *host = self;

    (void)result;
    log_time(host);
    log_leases(host, request->lease);
    log_hosts(host, request->lease);
    return GALERNA_OK;
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(curious) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION), .name = "curious", .version = "1.0",
    .summary = "Logs what it may ask",           .create = create,  .admission = &operations,
};
