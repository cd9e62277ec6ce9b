/* Hosts and their capacities. */
#include "core/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void site_init(struct site *site)
{
    memset(site, 0, sizeof *site);
    resource_types_init(&site->types);
}

void site_finish(struct site *site)
{
    free(site->hosts);
    site->hosts = NULL;
    site->n_hosts = site->hosts_allocated = 0;
}

int site_add_hosts(struct site *site, size_t count, const struct amounts *capacity,
                   struct error *err)
{
    if (count < 1 || count > INT32_MAX / 2 || site->n_hosts + count > INT32_MAX / 2)
        return error_set(err, EINVAL, "%zu hosts: a site has 1 to %d", count, INT32_MAX / 2);
    for (int type = 0; type < site->types.count; type++)
        if (capacity->of[type] < 0)
            return error_set(err, EINVAL, "%s of a host is %lld; it cannot be negative",
                             site->types.names[type], (long long)capacity->of[type]);
    MEMORY_GROW(site->hosts, site->hosts_allocated, site->n_hosts + count);
    for (size_t i = 0; i < count; i++) {
        struct site_host *host = &site->hosts[site->n_hosts];

        *host = (struct site_host){
            .id = site->n_hosts ? site->hosts[site->n_hosts - 1].id + 1 : 1,
            .capacity = *capacity,
        };
        site->n_hosts++;
    }
    return 0;
}

void site_copy(struct site *dst, const struct site *src)
{
    *dst = *src;
    dst->hosts = memory_copy(src->hosts, src->n_hosts * sizeof *src->hosts);
    dst->hosts_allocated = src->n_hosts;
}
