/* Converts OpenNebula's hosts to the site of a trace. */
#include "daemon/record/record_site.h"

#include <errno.h>

/* The capacity that a trace assumes for resources missing from a host's description. */
enum { AMPLE = 1000000 };

int record_site(struct site *site, const struct host_pool *hosts, struct error *err)
{
    site_init(site);
    for (size_t i = 0; i < hosts->n; i++) {
        const struct host *host = &hosts->items[i];
        struct amounts capacity = {.of = {[RESOURCE_CPU] = host->cpu,
                                          [RESOURCE_MEMORY] = host->memory,
                                          [RESOURCE_DISK] = AMPLE,
                                          [RESOURCE_NET_IN] = AMPLE,
                                          [RESOURCE_NET_OUT] = AMPLE}};

        if (host->cpu <= 0 || host->memory <= 0)
            continue;
        if (site_add_hosts(site, 1, &capacity, err) < 0)
            goto error;
    }
    if (site->n_hosts > 0)
        return 0;
    error_set(err, EINVAL, "OpenNebula has no host with a capacity");
error:
    site_finish(site);
    return -1;
}
