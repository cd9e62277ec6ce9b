/* Checks and completes the operator's settings for galernad. */
#include <stdio.h>
#include <string.h>

#include "configuration/configuration.h"
#include "util/loopback.h"
#include "util/memory.h"

static const struct ini_entry *written(const struct configuration *configuration, const char *key)
{
    return ini_find(&configuration->ini, "opennebula", key);
}

static void derive_endpoint(struct configuration *configuration)
{
    struct live_configuration *live = &configuration->live;
    const char *host = configuration->opennebula_host;
    size_t size;

    if (live->endpoint || !host)
        return;
    size = strlen(host) + sizeof "http://:65535/RPC2";
    live->endpoint = memory_new(size, 1);
    snprintf(live->endpoint, size, "http://%s:%d/RPC2", host, (int)configuration->opennebula_port);
}

/* One policy with its rank. The words precede the equivalent numbers; `custom` needs the rank. */
struct policy_options {
    const char *policy_name, *rank_name;
    int *policy;
    int words, custom;
};

static int check_policy(struct configuration *configuration, const struct policy_options *options,
                        struct error *err)
{
    const struct ini_entry *policy = written(configuration, options->policy_name),
                           *rank = written(configuration, options->rank_name);

    if (*options->policy >= options->words)
        *options->policy -= options->words;
    if (rank && !policy)
        *options->policy = options->custom;
    if (rank && *options->policy != options->custom)
        return ini_error(rank, err, "opennebula.%s takes effect only with %s: custom",
                         options->rank_name, options->policy_name);
    if (*options->policy == options->custom && (!rank || !*rank->value))
        return ini_error(rank ? rank : policy, err, "with %s custom, set opennebula.%s",
                         options->policy_name, options->rank_name);
    return 0;
}

static int check_placement(struct configuration *configuration, struct error *err)
{
    struct live_configuration *live = &configuration->live;
    const struct policy_options all[] = {
        {"host-policy", "rank", &live->host_policy, LIVE_HOSTS_MODULES + 1, LIVE_HOSTS_CUSTOM},
        {"datastore-policy", "datastore-rank", &live->datastore_policy, LIVE_PLACEMENTS,
         LIVE_PLACEMENT_CUSTOM},
        {"network-policy", "network-rank", &live->network_policy, LIVE_PLACEMENTS,
         LIVE_PLACEMENT_CUSTOM},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (check_policy(configuration, &all[i], err) < 0)
            return -1;
    return 0;
}

/* oned counts the capacity of a suspended VM as used: with oned's check, no other VM would fit in
 * its place. */
static int check_suspension(struct configuration *configuration, struct error *err)
{
    struct live_configuration *live = &configuration->live;
    const struct ini_entry *enforce = written(configuration, "enforce");

    if (live->suspend_with != SUSPEND_WITH_SUSPEND || !live->enforce)
        return 0;
    if (enforce)
        return ini_error(enforce, err,
                         "with enforce OpenNebula deploys nothing in place of a suspended VM, "
                         "set suspend-with: stop or enforce: no");
    live->enforce = false;
    return 0;
}

static int check_listen(const struct configuration *configuration, struct error *err)
{
    const struct ini_entry *listen = ini_find(&configuration->ini, "http", "listen");
    union loopback_address address;
    char where[256];

    if (!configuration->live.http_listen ||
        loopback_read(configuration->live.http_listen, &address, err) == 0)
        return 0;
    return error_prefix(err, "%s: http.listen",
                        listen ? ini_where(listen, where, sizeof where) : "");
}

int live_configuration_check(struct configuration *configuration, struct error *err)
{
    struct live_configuration *live = &configuration->live;

    if (check_placement(configuration, err) < 0 || check_suspension(configuration, err) < 0 ||
        check_listen(configuration, err) < 0)
        return -1;
    if (!written(configuration, "poll-interval") &&
        ini_find(&configuration->ini, "scheduling", "wakeup-interval"))
        live->poll_interval = configuration->wakeup_interval;
    derive_endpoint(configuration);
    return 0;
}
